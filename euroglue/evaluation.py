# SPDX-License-Identifier: Apache-2.0
"""Score files of predictions: read them, join them to the gold by id, score."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from euroglue.errors import EuroglueError
from euroglue.predictions import join, read_predictions
from euroglue.scoring import METRICS, Result, metric_for, score
from euroglue.scoring.bootstrap import EXAMPLES

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
    groups = groups_of(made.task, made.table(split), bootstrap) if bootstrap else None
    return score(made.task, aligned, gold, fingerprint=made.fingerprint, bootstrap=bootstrap, groups=groups)


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
    given = read_predictions(predictions, task, ids)
    return ids, *join(given, dict(zip(ids, table[task.target], strict=True)), short=METRICS[task.metric].fills)


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
    given, known = read_predictions(predictions, task), dict(read_predictions(references, task))
    aligned, gold = join(given, known, short=METRICS[task.metric].fills)
    return score(task, aligned, gold, about={"gold": digest(known)}, bootstrap=bootstrap)


def digest(gold: Mapping[str, Any]) -> str:
    """What tells the gold of a file from other gold: 16 hexadecimal digits of the SHA-256 of ids and labels, by id.

    >>> digest({"1": "yes", "2": "no"}) == digest({"2": "no", "1": "yes"}) != digest({"1": "yes", "2": "yes"})
    True
    """
    rows = json.dumps(sorted(gold.items(), key=lambda row: row[0]), ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(rows.encode("ascii")).hexdigest()[:16]
