# SPDX-License-Identifier: Apache-2.0
"""Score files of predictions: read them, join them to the gold by id, score."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from euroglue.predictions import join, read_predictions
from euroglue.scoring import Result, metric_for, score

if TYPE_CHECKING:
    from euroglue.prepare import Prepared
    from euroglue.task import Task


def score_on_split(made: Prepared, split: str, predictions: str | os.PathLike[str]) -> Result:
    """The score of a prediction file on a prepared split; the data's fingerprint goes into the signature.

    Raises:
        ContractError: there is no such split.
        FormatError: the file breaks its format.
        PredictionError: its ids are not the split's, or the split's labels are hidden.
    """
    _, aligned, gold = _joined(made, split, predictions)
    return score(made.task, aligned, gold, fingerprint=made.fingerprint)


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
    return ids, *join(given, dict(zip(ids, table[task.target], strict=True)))


def score_against_file(task: Task, predictions: str | os.PathLike[str], references: str | os.PathLike[str]) -> Result:
    """The score of a prediction file against a file of gold labels in the same format.

    Raises:
        FormatError: a file breaks its format.
        PredictionError: the two hold different ids.
    """
    aligned, gold = join(read_predictions(predictions, task), dict(read_predictions(references, task)))
    return score(task, aligned, gold)
