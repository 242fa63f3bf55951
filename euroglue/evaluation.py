# SPDX-License-Identifier: Apache-2.0
"""Score files of predictions: read them, join them to the gold by id, score."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from euroglue.choices import choice_names, warn_beyond
from euroglue.errors import EuroglueError, PredictionError, shown
from euroglue.predictions import NO_CHOICE, UNREADABLE, join, read_predictions
from euroglue.scoring import METRICS, Result, metric_for, score
from euroglue.scoring.bootstrap import EXAMPLES
from euroglue.task import Kind

if TYPE_CHECKING:
    import pandas as pd

    from euroglue.prepare import Prepared
    from euroglue.scoring.bootstrap import Bootstrap
    from euroglue.task import Task


def score_on_split(
    made: Prepared, split: str, predictions: str | os.PathLike[str], bootstrap: Bootstrap | None = None
) -> Result:
    """The score of a prediction file on a prepared split; the data's fingerprint goes into the signature.

    With ``bootstrap`` there are intervals; where its ``over`` is not ``examples`` it names the column of the groups.

    Raises:
        ContractError: there is no such split.
        EuroglueError: the split has no such column of groups.
        FormatError: the file breaks its format.
        PredictionError: its ids are not the split's, or the split's labels are hidden.
    """
    _, aligned, gold = _joined(made, split, predictions)
    table = made.table(split)
    groups = groups_of(made.task, table, bootstrap) if bootstrap else None
    found = score(made.task, aligned, gold, fingerprint=made.fingerprint, bootstrap=bootstrap, groups=groups)
    return replace(found, warnings=(*found.warnings, *beyond_choices(made.task, table, aligned)))


def beyond_choices(task: Task, table: pd.DataFrame, predictions: Sequence[Any]) -> tuple[str, ...]:
    """A warning of the predictions that are none of their example's choices, where the task is multiple choice."""
    if task.kind is not Kind.MULTIPLE_CHOICE:
        return ()
    return warn_beyond(task, predictions, choice_names(task, table))


def rows_on_split(made: Prepared, split: str, predictions: str | os.PathLike[str]) -> dict[str, list[float]]:
    """The metric's rows of a prediction file on a prepared split, by example id (see ``Metric.observe``).

    Raises:
        ContractError: there is no such split.
        FormatError: the file breaks its format.
        PredictionError: its ids are not the split's, or the split's labels are hidden.
    """
    ids, aligned, gold = _joined(made, split, predictions)
    rows = metric_for(made.task).statistics(aligned, gold)
    return dict(zip(ids, rows.tolist(), strict=True))


def _joined(made: Prepared, split: str, predictions: str | os.PathLike[str]) -> tuple[list[str], list[Any], list[Any]]:
    """Ids, predictions and gold, in the order of the split."""
    task, table = made.task, made.table(split)
    ids = [str(value) for value in table[task.id_column]]
    return ids, *_aligned(task, predictions, dict(zip(ids, table[task.target], strict=True)), ids)


def _aligned(
    task: Task, file: str | os.PathLike[str], gold: Mapping[str, Any], ids: Sequence[str] | None = None
) -> tuple[list[Any], list[Any]]:
    """The predictions of a file and the gold, in the order of the gold; messages name the file."""
    given = read_predictions(file, task, ids)
    try:
        return join(given, gold, short=METRICS[task.metric].fills)
    except PredictionError as error:
        raise PredictionError(f"{file}: {error}") from error


def read_gold(path: str | os.PathLike[str], task: Task) -> dict[str, Any]:
    """Gold labels from a file in the format of predictions, in the order of their ids: no draw depends on that of the rows.

    Raises:
        FormatError: the file breaks its format.
        PredictionError: a label stands for one that could not be read.
    """
    known = read_predictions(path, task)
    for key, label in known.items():
        if label == NO_CHOICE or label == UNREADABLE or (isinstance(label, list) and UNREADABLE in label):
            raise PredictionError(f"{path}: id {shown(key)}: expected a label of the gold, got {UNREADABLE!r}")
    return dict(sorted(known.items()))


def groups_of(task: Task, table: pd.DataFrame, bootstrap: Bootstrap) -> list[str] | None:
    """The group of each row: the values of the column that ``bootstrap.over`` names; None for examples.

    Raises:
        EuroglueError: there is no such column, or it holds no plain values.
    """
    if bootstrap.over == EXAMPLES:
        return None
    known = [name for name in table.columns if isinstance(task.features.get(name), str)]
    if bootstrap.over not in known:
        hint = f"this task is grouped by {', '.join(task.groups)}; " if task.groups else ""
        raise EuroglueError(f"{task.path}: no column {bootstrap.over!r} to group by; {hint}columns: {', '.join(known)}")
    return [str(value) for value in table[bootstrap.over]]


def score_against_file(
    task: Task,
    predictions: str | os.PathLike[str],
    references: str | os.PathLike[str],
    bootstrap: Bootstrap | None = None,
) -> Result:
    """The score of a prediction file against a file of gold labels in the same format; the gold's digest is signed.

    Raises:
        FormatError: a file breaks its format.
        PredictionError: the two hold different ids.
        EuroglueError: groups are to be drawn, of which the files know nothing.
    """
    if bootstrap and bootstrap.over != EXAMPLES:
        raise EuroglueError(f"{task.path}: a file of gold has no column {bootstrap.over!r}; score on a split instead")
    known = read_gold(references, task)
    aligned, gold = _aligned(task, predictions, known)
    return score(task, aligned, gold, about={"gold": digest(known)}, bootstrap=bootstrap)


def digest(gold: Mapping[str, Any]) -> str:
    """What tells the gold of a file from other gold: 16 hexadecimal digits of the SHA-256 of ids and labels, by id.

    >>> digest({"1": "yes", "2": "no"}) == digest({"2": "no", "1": "yes"}) != digest({"1": "yes", "2": "yes"})
    True
    """
    rows = json.dumps(sorted(gold.items(), key=lambda row: row[0]), ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(rows.encode("ascii")).hexdigest()[:16]
