# SPDX-License-Identifier: Apache-2.0
"""Score a checked submission against gold that stays private."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from euroglue.errors import EuroglueError, LicenceError, MissingRawFileError, PredictionError
from euroglue.results import Record
from euroglue.scoring import metric_for, score
from euroglue.submission.metadata import TaskData
from euroglue.submission.reference import Reference, of_folder, of_prepared

if TYPE_CHECKING:
    from euroglue.scoring.bootstrap import Bootstrap
    from euroglue.submission.check import Checked, Find
    from euroglue.submission.metadata import Metadata
    from euroglue.task import Task


@dataclass(frozen=True)
class Scored:
    """A task's record, and the metric's rows by example id: they may give gold away and are for the store alone."""

    record: Record
    rows: Mapping[str, list[float]]


def from_folder(gold: Path) -> Find:
    """References from a private folder of gold (see ``of_folder``).

    Raises:
        EuroglueError: there is no such folder.
    """
    if not gold.is_dir():
        raise EuroglueError(f"{gold}: expected a folder with the gold, there is none")
    return lambda task, about, split: of_folder(gold, task, split)


def from_editions(edition: str | None = None, data_dir: str | None = None, *, required: bool = False) -> Find:
    """References from prepared editions.

    Args:
        edition: which; by default the one that the submission names, else the task's own default.
        data_dir: where raw files are looked for.
        required: whether a split that cannot be had is an error, or there is no reference then.
    """

    def find(task: Task, about: TaskData, split: str) -> Reference | None:
        from euroglue.prepare import prepare

        known = about.edition if about.edition in task.editions else None
        try:
            return of_prepared(prepare(task, edition or known, data_dir=data_dir), split)
        except (LicenceError, MissingRawFileError):
            if required:
                raise
            return None

    return find


def score_submission(checked: Checked, bootstrap: Bootstrap | None = None) -> list[Scored]:
    """The scores of a submission that has no problems, joined by id; with ``bootstrap`` there are intervals.

    Neither records nor messages show a gold label.

    Raises:
        EuroglueError: it has problems, or the gold of a task is hidden or cannot be scored.
    """
    if checked.problems or checked.metadata is None:
        raise EuroglueError(f"the submission has {len(checked.problems)} problems and is not scored")
    return [_score(checked, checked.metadata, name, bootstrap) for name in checked.predictions]


def _score(checked: Checked, metadata: Metadata, name: str, bootstrap: Bootstrap | None) -> Scored:
    from euroglue.registry import find_task

    task, reference = find_task(metadata.suite, name), checked.references.get(name)
    if reference is None or reference.gold is None:
        raise EuroglueError(
            f"{task.path}: the gold of {metadata.split} is hidden or not at hand: give --gold or --edition"
        )
    given = checked.predictions[name]
    aligned, gold = [given[key] for key in reference.ids], list(reference.gold)
    try:
        result = score(task, aligned, gold, fingerprint=reference.fingerprint, bootstrap=bootstrap)
        rows = metric_for(task).statistics(aligned, gold)
    except PredictionError:
        raise EuroglueError(
            f"{task.path}: the gold cannot be scored (what is wrong is not shown, it would give it away): look at it with "
            "euroglue score"
        ) from None
    plain: dict[str, Any] = {one: getattr(metadata, one) for one in ("model", "method", "revision", "shots", "seed")}
    about = {"description": metadata.description} if metadata.description else {}
    record = Record(
        suite=task.suite,
        task=task.name,
        edition=reference.edition or metadata.tasks.get(name, TaskData()).edition,
        split=metadata.split,
        primary=result.primary,
        scores=result.scores,
        intervals=result.intervals,
        n=result.n,
        signature=result.signature,
        parameters=metadata.parameters,
        link=metadata.link,
        settings={**metadata.settings, **about},
        warnings=result.warnings,
        **plain,
    )
    return Scored(record, dict(zip(reference.ids, rows.tolist(), strict=True)))
