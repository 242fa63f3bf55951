# SPDX-License-Identifier: Apache-2.0
"""From raw files to a page of results, on the sample corpora that ship with the package, offline."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from euroglue import strict_json
from euroglue.errors import EuroglueError
from euroglue.extras import require
from euroglue.leaderboard.page import Report, TaskReport, write_page
from euroglue.registry import SUITES, find_task
from euroglue.results import Record
from euroglue.selection import choose
from euroglue.task import Kind
from euroglue.version import __version__

if TYPE_CHECKING:
    from euroglue.prepare import Prepared
    from euroglue.task import Task

SAMPLE, LEADERBOARD = "sample", "leaderboard"
SHOWN = {
    "bgglue": ("wikiannbg", "cinexio", "ct21t1", "fakenews"),
    "dumb": ("copanl", "dpr", "squadnl"),
    "euroeval_sl": ("mmlu-sl",),
}
"""The tasks that are shown where no suite is named, every kind of task once; of another suite all are."""
EPOCHS = 15
LEARNING_RATE = 2e-3
BATCH_SIZE = 8
HIDDEN, LAYERS, VOCABULARY = 64, 2, 1500
SEED, SHOTS = 42, 2
ASKED = Kind.SEQUENCE_CLASSIFICATION
"""A task of this kind is put to a language model too."""


def run_demo(
    suites: Sequence[str],
    out: str | os.PathLike[str],
    *,
    epochs: int = EPOCHS,
    seed: int = SEED,
    say: Callable[[str], None] = lambda line: None,
) -> Report:
    """Prepare, train, predict and score every task of some suites that has a sample; write a page.

    Args:
        suites: their names; if there is none, a choice of tasks of all suites (``SHOWN``).
        out: the folder for ``index.html``, ``results.json``, ``predictions/SUITE/TASK.jsonl`` and ``leaderboard/``, where
            the scores stand on the suites' boards.
        epochs: of training, for each task.
        seed: of weights, batches and dropout.
        say: told what is being done, a line at a time.

    Raises:
        EuroglueError: a library of the extras is not installed, or ``out`` is a file.
        UnknownNameError: there is no such suite, or none of its tasks has a sample.
    """
    require("the demonstration", train=("torch", "transformers", "accelerate"), site=("jinja2",))
    import datasets

    datasets.disable_progress_bars()
    start, folder = time.perf_counter(), Path(out)
    tasks = _samples(suites)
    if folder.exists() and not folder.is_dir():
        raise EuroglueError(f"{folder} is a file: name a folder for the page")
    reports, records = [], []
    for task in tasks:
        reports.append(_one(task, folder, epochs, seed, say))
        records.append(_record(reports[-1], seed))
        say(f"{task.path}: {reports[-1].metric} {reports[-1].score:.3f} in {reports[-1].seconds:.0f} s")
    asked = next((report for report in reports if report.kind == ASKED.value), reports[0])
    prompted, record = _prompted(asked, seed, say)
    reports.append(prompted)
    report = Report(
        title=f"{', '.join(dict.fromkeys(SUITES[task.suite].title for task in tasks))}: a demonstration",
        summary=(
            f"A tiny encoder ({LAYERS} layers, {HIDDEN} wide) was trained from scratch on each of {len(tasks)} corpora "
            "made up for this purpose, and a tiny language model with random weights was prompted on one of them. The "
            "page shows the whole way from raw files to scores; the scores themselves say nothing about real data."
        ),
        command=" ".join(["euroglue demo", *suites, f"--epochs {epochs}"]),
        version=__version__,
        seconds=time.perf_counter() - start,
        tasks=tuple(reports),
        leaderboard=f"{LEADERBOARD}/index.html",
    )
    _write_leaderboard([*records, record], folder / LEADERBOARD)
    strict_json.write(folder / "results.json", report.to_dict())
    write_page(report, folder / "index.html")
    return report


def _write_leaderboard(records: Sequence[Record], folder: Path) -> None:
    """A site of the suites' published results and the scores on their sample corpora."""
    from euroglue.leaderboard.board import make_boards
    from euroglue.leaderboard.site import write_site

    shown = dict.fromkeys(record.suite for record in records)
    write_site([board for suite in shown for board in make_boards(SUITES[suite], records)], folder)


def _record(report: TaskReport, seed: int) -> Record:
    suite, _, task = report.task.partition("/")
    return Record(
        suite=suite,
        task=task,
        model=f"tiny encoder, {LAYERS} layers, {HIDDEN} wide",
        method="fine-tuned",
        edition=SAMPLE,
        primary=report.metric,
        scores=report.scores,
        n=report.n,
        signature=report.signature,
        seed=seed,
        warnings=report.warnings,
    )


def _prompted(report: TaskReport, seed: int, say: Callable[[str], None]) -> tuple[TaskReport, Record]:
    """The task of a report put to a language model with random weights: what the page and the leaderboard show of it."""
    from euroglue.prepare import prepare
    from euroglue.prepare.leakage import texts_of
    from euroglue.prompting.backends import open_backend
    from euroglue.prompting.run import Asking, prompt_task
    from euroglue.prompting.tiny import build_tiny_decoder

    task = find_task(*report.task.split("/"))
    say(f"{task.path}: prompting a language model")
    made, start = prepare(task, SAMPLE), time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="euroglue-demo-") as work:
        texts = texts_of(task, made.table("train"))
        model = build_tiny_decoder(
            texts, Path(work) / "decoder", vocab_size=VOCABULARY, hidden=HIDDEN, layers=LAYERS, seed=seed
        )
        done = prompt_task(made, open_backend("transformers", str(model)), work, Asking(shots=SHOTS, seed=seed))
    if done.record is None:
        raise RuntimeError(f"{task.path}: a sample hides no labels, yet there is no score")
    record = replace(done.record, model=f"tiny decoder, {LAYERS} layers, {HIDDEN} wide, random weights")
    shown = replace(
        report,
        model=record.model,
        method=f"prompted, {record.shots} shots",
        score=record.value,
        n=record.n,
        scores=dict(record.scores),
        signature=record.signature,
        seconds=time.perf_counter() - start,
        curve=(),
        warnings=record.warnings,
    )
    return shown, record


def _samples(suites: Sequence[str]) -> list[Task]:
    """The tasks with a sample edition; a suite that is named must have one."""
    if suites:
        return [task for suite in suites for task in choose(suite, edition=SAMPLE)]
    every = [task for suite in SUITES.values() for task in suite.tasks.values() if SAMPLE in task.editions]
    return [task for task in every if task.name in SHOWN.get(task.suite, (task.name,))]


def _one(task: Task, folder: Path, epochs: int, seed: int, say: Callable[[str], None]) -> TaskReport:
    from euroglue.evaluation import score_on_split
    from euroglue.prepare import prepare

    say(f"{task.path}: preparing")
    made = prepare(task, SAMPLE)
    start = time.perf_counter()
    predictions = folder / "predictions" / task.suite / f"{task.name}.jsonl"
    with tempfile.TemporaryDirectory(prefix="euroglue-demo-") as work:
        say(f"{task.path}: training for {epochs} epochs")
        curve = _train(made, Path(work), epochs, seed)
        predictions.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(Path(work) / "run" / "predictions" / "test.jsonl", predictions)
    result = score_on_split(made, "test", predictions)
    return TaskReport(
        task=task.path,
        title=task.title,
        kind=task.kind.value,
        model=f"encoder of {LAYERS} layers, {HIDDEN} wide, from scratch, seed {seed}",
        edition=SAMPLE,
        split="test",
        metric=result.primary,
        score=result.value,
        n=result.n,
        scores=dict(result.scores),
        sizes={split: about["rows"] for split, about in made.manifest["splits"].items()},
        fingerprint=made.fingerprint,
        signature=result.signature,
        seconds=time.perf_counter() - start,
        curve=tuple(curve),
        steps=tuple(made.manifest["steps"]),
        findings=tuple(made.manifest["findings"]),
        warnings=result.warnings,
    )


def _train(made: Prepared, work: Path, epochs: int, seed: int) -> list[tuple[int, float]]:
    """Train an encoder on the train split under ``work / "run"``; the score on validation after each epoch."""
    from euroglue.prepare.leakage import texts_of
    from euroglue.scoring import metric_for
    from euroglue.training.run import train
    from euroglue.training.run_folder import LOG
    from euroglue.training.tiny import build_tiny_encoder

    texts = texts_of(made.task, made.table("train"))
    encoder = build_tiny_encoder(
        texts, work / "encoder", vocab_size=VOCABULARY, hidden=HIDDEN, layers=LAYERS, seed=seed
    )
    train(
        made.task,
        str(encoder),
        work / "run",
        edition=made.edition,
        epochs=epochs,
        learning_rate=LEARNING_RATE,
        batch_size=BATCH_SIZE,
        seed=seed,
    )
    primary = metric_for(made.task).primary
    lines = (work / "run" / LOG).read_text(encoding="utf-8").splitlines()
    entries = [json.loads(line) for line in lines]
    return [(entry["epoch"], entry["validation"][primary]) for entry in entries if "validation" in entry]
