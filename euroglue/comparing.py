# SPDX-License-Identifier: Apache-2.0
"""Compare two systems on one task: two files of predictions, or two results of a store that kept the metric's rows."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from euroglue.choices import warn_beyond
from euroglue.errors import EuroglueError, PredictionError, UnknownNameError
from euroglue.evaluation import digest, groups_of
from euroglue.predictions import join, read_predictions
from euroglue.scoring import metric_for
from euroglue.scoring.bootstrap import Bootstrap
from euroglue.scoring.comparable import check_comparable
from euroglue.scoring.signature import format_signature, parse_signature
from euroglue.scoring.significance import Comparison, compare
from euroglue.version import __version__

if TYPE_CHECKING:
    from euroglue.prepare import Prepared
    from euroglue.results import Record, ResultStore
    from euroglue.scoring.metric import Metric
    from euroglue.task import Task


@dataclass(frozen=True)
class Compared:
    """Two named systems compared; ``signature`` says how, ``warnings`` what a reader must know.

    ``notes`` say what is out of the ordinary and no cause for alarm, such as two systems that never differ.
    """

    task: str
    names: tuple[str, str]
    result: Comparison
    signature: str
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The comparison as plain values that JSON can hold.

        ``task``; ``systems``, the two names; ``score``, the key compared; ``first``, ``second`` and ``difference``;
        ``interval``, the difference's ends or null; ``bootstrap_p``; ``randomisation`` with ``difference``, ``p``,
        ``arrangements`` and whether it is ``exact``; ``mcnemar`` with ``only_first``, ``only_second``, ``exact``, ``mid_p``
        and ``note``, or null; ``n`` examples and ``units`` drawn; ``signature``; ``warnings``; ``notes``.
        """
        found = self.result
        mcnemar = None if found.mcnemar is None else found.mcnemar._asdict()
        return {
            "task": self.task,
            "systems": list(self.names),
            **asdict(found),
            "interval": [found.interval.low, found.interval.high],
            "randomisation": found.randomisation._asdict(),
            "mcnemar": mcnemar,
            "signature": self.signature,
            "warnings": list(self.warnings),
            "notes": list(self.notes),
        }


def compare_files(
    task: Task,
    gold: Mapping[str, Any],
    files: tuple[str | os.PathLike[str], str | os.PathLike[str]],
    *,
    fingerprint: str = "",
    bootstrap: Bootstrap | None = None,
    groups: Sequence[Any] | None = None,
    key: str | None = None,
    choices: Sequence[Sequence[str]] | None = None,
) -> Compared:
    """Compare two files of predictions.

    Args:
        task: the task.
        gold: id → gold, in the order of ``groups``.
        files: the two files.
        fingerprint: of the data, for the signature; without one the gold's digest is signed.
        bootstrap: how intervals are made; the seed and resamples are the randomisation test's too.
        groups: the group of each example, if whole groups are drawn.
        key: the score to compare; the primary one if not given.
        choices: what each example's choices are called, in the order of ``gold``, where that is known.

    Raises:
        FormatError: a file breaks its format.
        PredictionError: a file's ids are not those of the gold, or the gold is hidden.
        EuroglueError: there is no such score.
    """
    metric, rows, warnings = metric_for(task), [], []
    for file in files:
        found, said = _observed(metric, task, gold, file, choices)
        rows.append(found)
        warnings += [f"{file}: {warning}" for warning in said]
    data = {"data": fingerprint} if fingerprint else {"gold": digest(gold)}
    parts = {"metric": metric.name, "task": task.path, **metric.settings(), "n": str(len(gold)), **data}
    names = (str(files[0]), str(files[1]))
    return _compared(task, metric, names, (rows[0], rows[1]), parts, bootstrap, groups, key, warnings)


def _observed(
    metric: Metric,
    task: Task,
    gold: Mapping[str, Any],
    file: str | os.PathLike[str],
    choices: Sequence[Sequence[str]] | None,
) -> tuple[np.ndarray, tuple[str, ...]]:
    """The metric's rows of a file, and its warnings; errors name the file."""
    given = read_predictions(file, task, list(gold))
    try:
        aligned, known = join(given, gold, short=metric.fills)
        rows, warnings = metric.observe(aligned, known)
    except PredictionError as error:
        raise PredictionError(f"{file}: {error}") from error
    return rows, (*warnings, *(warn_beyond(task, aligned, choices) if choices else ()))


def compare_records(
    store: ResultStore,
    task: Task,
    records: tuple[Record, Record],
    *,
    bootstrap: Bootstrap | None = None,
    groups: Mapping[str, Any] | None = None,
    key: str | None = None,
    names: tuple[str, str] | None = None,
) -> Compared:
    """Compare two results of a store, by the metric's rows that it kept.

    Args:
        store: the store.
        task: their task.
        records: the two results.
        bootstrap: as in ``compare_files``.
        groups: id → group, if whole groups are drawn.
        names: what the two are called; the models' names if not given.
        key: the score to compare; the primary one if not given.

    Raises:
        EuroglueError: the results are of different data or settings (the differences are named), of another metric than the
            task has now, or of different examples; or their rows were not kept.
    """
    one, other = records
    name = f"{one.model!r} and {other.model!r} on {task.path}"
    check_comparable(one.signature, other.signature, name)
    metric = metric_for(task)
    parts = parse_signature(one.signature)
    kept = {"metric": metric.name, "task": task.path, **metric.settings(), "n": str(one.n)}
    now = {**kept, **({"data": parts["data"]} if "data" in parts else {}), "version": parts.get("version", __version__)}
    check_comparable(one.signature, format_signature(now), f"{one.model!r} and the task's present metric")
    first, second = (_rows(store, record) for record in records)
    if set(first) != set(second):
        odd = sorted(set(first) ^ set(second))
        raise EuroglueError(f"{name}: {len(odd)} examples are in one result only, such as {', '.join(odd[:3])}")
    if groups is not None and set(groups) != set(first):
        raise EuroglueError(f"{name}: the examples are not those of the split that has the groups")
    ids = list(first) if list(first) == list(second) else sorted(first)  # the same whichever comes first
    arrays = np.array([first[i] for i in ids]), np.array([second[i] for i in ids])
    chosen = None if groups is None else [groups[i] for i in ids]
    del now["version"]
    return _compared(task, metric, names or (one.model, other.model), arrays, now, bootstrap, chosen, key, [])


def _compared(
    task: Task,
    metric: Metric,
    names: tuple[str, str],
    rows: tuple[np.ndarray, np.ndarray],
    parts: Mapping[str, str],
    bootstrap: Bootstrap | None,
    groups: Sequence[Any] | None,
    key: str | None,
    warnings: Sequence[str],
) -> Compared:
    how = (bootstrap or Bootstrap()).drawing(groups)
    found = compare(metric, *rows, bootstrap=how, groups=groups, key=key)
    tests = {"test": "paired_bootstrap,randomisation", "score": found.score}
    signature = format_signature({**parts, **tests, **how.settings(), "version": __version__})
    noted = (f"the interval of the difference: {found.interval.note}",) if found.interval.note else ()
    tested = (f"McNemar's test: {found.mcnemar.note}",) if found.mcnemar and found.mcnemar.note else ()
    return Compared(task.path, names, found, signature, tuple(warnings), (*noted, *tested))


def _rows(store: ResultStore, record: Record) -> dict[str, list[float]]:
    rows = store.checked_rows(record)
    if rows is None:
        raise EuroglueError(f"{store.path(record)}: its rows were not kept; add the run again with --keep-rows")
    return rows


def find_record(store: ResultStore, task: Task, split: str, name: str) -> Record:
    """The one result of a task and split that ``name`` names: the model, or the result's file without ``.json``.

    Raises:
        UnknownNameError: there is none.
        EuroglueError: there are several; their files are named.
    """
    held = list(store.find(suite=task.suite, task=task.name, split=split))
    found = [
        record for record in held if name in (record.model, store.path(record).stem, Path(store.path(record)).name)
    ]
    if not found:
        known = ", ".join(sorted({record.model for record in held})) or "none"
        raise UnknownNameError(f"{store.root}: no result of {name!r} on {task.path} ({split}); models: {known}")
    if len(found) > 1:
        files = ", ".join(store.path(record).stem for record in found)
        raise EuroglueError(f"{store.root}: {len(found)} results of {name!r} on {task.path}; name one of {files}")
    return found[0]


def groups_by_id(made: Prepared, split: str, bootstrap: Bootstrap | None) -> dict[str, str] | None:
    """Example id → group on a prepared split; None where examples are drawn."""
    table = made.table(split)
    values = groups_of(made.task, table, bootstrap) if bootstrap else None
    return None if values is None else dict(zip(map(str, table[made.task.id_column]), values, strict=True))
