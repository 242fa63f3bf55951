# SPDX-License-Identifier: Apache-2.0
"""Pack the predictions of finished runs into a submission."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from euroglue import strict_json
from euroglue.atomic import new_file
from euroglue.errors import EuroglueError
from euroglue.finished_runs import FinishedRun
from euroglue.predictions import read_predictions
from euroglue.submission.metadata import METADATA, Metadata, TaskData, parse_metadata
from euroglue.task import Kind

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The date of every member: the same runs give the same bytes."""
SHARED = ("model", "method", "revision", "shots", "parameters")
"""What the runs of one submission must agree on, unless it is given."""


def pack(runs: Sequence[FinishedRun], out: str | os.PathLike[str], *, split: str = "test", **given: Any) -> Metadata:
    """Write a submission; the file is there whole or not at all.

    Args:
        runs: one for each task, all of one suite and one model.
        out: the zip file.
        split: whose predictions are packed.
        given: fields of ``Metadata`` that replace those of the runs, such as ``model``, ``link`` or ``description``.

    Raises:
        EuroglueError: the runs are of several suites or models, two of one task, or a field is not valid.
        FormatError: a file of predictions breaks its format.
    """
    path = Path(out)
    if path.suffix != ".zip":
        raise EuroglueError(f"{path}: expected a name that ends in .zip")
    metadata = _metadata(runs, split, {name: value for name, value in given.items() if value is not None})
    found, problems = parse_metadata(metadata.to_json())
    if problems:
        raise EuroglueError("; ".join(problem.what for problem in problems))
    texts = {METADATA: metadata.to_json()}
    for run in sorted(runs, key=lambda run: run.task.name):
        read_predictions(run.predictions(split), run.task)
        texts[f"predictions/{run.task.name}/predictions.jsonl"] = "".join(_rows(run, split))
    _write(path, texts)
    return metadata


def _metadata(runs: Sequence[FinishedRun], split: str, given: Mapping[str, Any]) -> Metadata:
    if not runs:
        raise EuroglueError("expected the folders of finished runs, got none")
    tasks: dict[str, FinishedRun] = {}
    for run in runs:
        if run.task.suite != runs[0].task.suite:
            raise EuroglueError(
                f"{run.folder}: of {run.task.suite}, {runs[0].folder} of {runs[0].task.suite}: pack suites apart"
            )
        if run.task.name in tasks:
            other = tasks[run.task.name].folder
            raise EuroglueError(f"{run.folder}: a run of {run.task.path}, and so is {other}: give one")
        tasks[run.task.name] = run
    shared: dict[str, Any] = {}
    for name in SHARED:
        values = list(dict.fromkeys(getattr(run, name) for run in runs))
        if len(values) > 1 and name == "parameters":  # heads differ in size: the largest stands for all
            values = [max(value for value in values if value is not None)]
        if len(values) > 1 and name not in given:
            raise EuroglueError(f"the runs differ in {name}: {', '.join(map(repr, values))}; give one by --{name}")
        shared[name] = values[0]
    seeds = {run.seed for run in runs}
    about = {
        "suite": runs[0].task.suite,
        "split": split,
        "seed": seeds.pop() if len(seeds) == 1 else None,
        "tasks": {name: TaskData(edition=run.edition, data=run.fingerprint) for name, run in sorted(tasks.items())},
    }
    return Metadata(**{**about, **shared, **given})


def _rows(run: FinishedRun, split: str) -> Iterator[str]:
    """The run's rows; those of a ranking with their ``topic`` first, as bgGLUE's have it, where the data is at hand."""
    topics = _topics(run, split)
    with open(run.predictions(split), encoding="utf-8-sig") as lines:
        for line in lines:
            if line.strip():
                row = json.loads(line)
                topic = topics.get(str(row.get("id")))
                row = {**({} if topic is None else {"topic": topic}), **row}
                yield strict_json.dumps(row) + "\n"


def _topics(run: FinishedRun, split: str) -> dict[str, str]:
    from euroglue.prepare import find_prepared

    task = run.task
    if task.kind is not Kind.RANKING or not task.groups or run.edition not in task.editions:
        return {}
    made = find_prepared(task, run.edition)
    if made is None or split not in made.splits:
        return {}
    table = made.table(split, [task.id_column, task.groups[0]])
    return dict(zip(map(str, table[task.id_column]), map(str, table[task.groups[0]]), strict=True))


def _write(path: Path, texts: Mapping[str, str]) -> None:
    with new_file(path) as aside, zipfile.ZipFile(aside, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in texts.items():
            info = zipfile.ZipInfo(name, EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o100644 << 16
            packed.writestr(info, text.encode("utf-8"))
