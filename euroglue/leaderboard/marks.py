# SPDX-License-Identifier: Apache-2.0
"""Which models cannot be told from the best one on a task: a test on the metric's rows that a store keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from euroglue.scoring import metric_for
from euroglue.scoring.bootstrap import Difference, Sample
from euroglue.scoring.comparable import differences
from euroglue.scoring.significance import holm, randomise

if TYPE_CHECKING:
    from euroglue.results import Record, ResultStore
    from euroglue.task import Task

LEVEL = 0.05
RESAMPLES = 1000
SEED = 1


class RowTests:
    """Approximate randomisation of each model against the best, with Holm's correction over the models of a task.

    Models are compared where their signatures agree and rows of the same examples are kept; no others are marked. Of
    several seeds the rows are averaged; a metric that is no sum of rows is tested on a single seed only.
    """

    def __init__(self, store: ResultStore):
        """``store`` keeps the rows."""
        self.store = store

    def __call__(self, task: Task, best: Sequence[Record], others: Mapping[int, Sequence[Record]]) -> frozenset[int]:
        """The numbers of those among ``others`` that do not differ from ``best`` at the level 0.05."""
        mine = self._rows(task, best)
        if mine is None:
            return frozenset()
        metric, p_values = metric_for(task), {}
        for number, records in others.items():
            theirs = self._rows(task, records)
            alike = not differences(records[0].signature, best[0].signature)
            if theirs is not None and theirs.keys() == mine.keys() and alike:
                pair = Difference(*(Sample(metric, np.array([rows[key] for key in mine])) for rows in (mine, theirs)))
                p_values[str(number)] = randomise(pair, best[0].primary, RESAMPLES, SEED).p
        return frozenset(int(number) for number, p in holm(p_values).items() if p >= LEVEL)

    def _rows(self, task: Task, records: Sequence[Record]) -> dict[str, list[float]] | None:
        if len(records) > 1 and not metric_for(task).additive:
            return None
        kept = [self.store.checked_rows(record) for record in records]
        found = [rows for rows in kept if rows is not None]
        if not found or len(found) < len(kept) or any(rows.keys() != found[0].keys() for rows in found):
            return None
        return {key: np.mean([rows[key] for rows in found], axis=0).tolist() for key in found[0]}
