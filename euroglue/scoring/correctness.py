# SPDX-License-Identifier: Apache-2.0
"""Which items which models got right, how often: what tests of right against wrong rest on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from euroglue.errors import EuroglueError


@dataclass(frozen=True)
class Correctness:
    """Counts by item and model, over all runs of a model.

    ``right`` and ``tried`` are whole numbers, shape (items, models): of so many trials so many were right. A model need not
    have tried every item.

    >>> counted = Correctness.of_observations([1, 0, 1, 1], ["a", "b", "a", "b"], ["x", "x", "y", "y"])
    >>> counted.models, counted.right.tolist(), counted.tried.tolist()
    (('a', 'b'), [[1, 0], [1, 1]], [[1, 1], [1, 1]])
    """

    models: tuple[str, ...]
    right: np.ndarray
    tried: np.ndarray

    def __post_init__(self) -> None:
        if self.right.shape != self.tried.shape or self.right.shape[1:] != (len(self.models),):
            raise EuroglueError(
                f"expected counts (items, {len(self.models)}), got {self.right.shape} right and {self.tried.shape} tried"
            )
        if len(set(self.models)) < len(self.models):
            raise EuroglueError(f"models occur more than once: {', '.join(self.models)}")
        if (self.right < 0).any() or (self.right > self.tried).any():
            raise EuroglueError("expected counts of right answers from 0 to the number of trials")

    @classmethod
    def of_observations(cls, correct: Any, model: Any, item: Any) -> Correctness:
        """Count single observations.

        Args:
            correct: 1 or True for right, 0 or False for wrong, shape (observations,).
            model: the model of each observation, shape (observations,).
            item: its item, shape (observations,).
        """
        right = np.asarray(correct)
        models, column = np.unique(np.asarray(model), return_inverse=True)
        items, row = np.unique(np.asarray(item), return_inverse=True)
        if not len(right) == len(column) == len(row) or not len(right) or not np.isin(right, (0, 1)).all():
            raise EuroglueError("expected one or more observations: 0 or 1, a model and an item for each")
        cell, cells = row * len(models) + column, len(items) * len(models)
        shape = (len(items), len(models))
        tried = np.bincount(cell, minlength=cells).reshape(shape)
        hits = np.bincount(cell[right.astype(bool)], minlength=cells).reshape(shape)
        return cls(tuple(map(str, models)), hits, tried)

    @classmethod
    def of_runs(cls, runs: Sequence[tuple[str, Mapping[str, Sequence[float]]]]) -> Correctness:
        """Add up runs, such as those of several seeds.

        Args:
            runs: of each run the model's name and, by item, how much was right and how much there was to get right (see
                ``Metric.correct``).

        Raises:
            EuroglueError: a count is no whole number.
        """
        models = list(dict.fromkeys(model for model, _ in runs))
        items = {item: row for row, item in enumerate(dict.fromkeys(item for _, counts in runs for item in counts))}
        totals = np.zeros((len(items), len(models), 2))
        for model, counts in runs:
            rows = np.fromiter((items[item] for item in counts), dtype=np.int64, count=len(counts))
            totals[rows, models.index(model)] += np.array(list(counts.values()), dtype=float).reshape(-1, 2)
        if (totals % 1).any():
            raise EuroglueError("expected whole numbers of right answers and trials")
        whole = totals.astype(np.int64)
        return cls(tuple(models), whole[..., 0], whole[..., 1])

    @property
    def shares(self) -> dict[str, float]:
        """Of each model the share of its trials that was right; 0 where it tried nothing."""
        tried = self.tried.sum(axis=0)
        return dict(zip(self.models, (self.right.sum(axis=0) / np.maximum(tried, 1)).tolist(), strict=True))

    def separated(self) -> np.ndarray:
        """1 for a model that is always right, −1 for one that is always wrong, else 0; shape (models,)."""
        right, tried = self.right.sum(axis=0), self.tried.sum(axis=0)
        return (right == tried).astype(int) - ((right == 0) & (tried > 0)).astype(int)

    def only(self, kept: np.ndarray) -> Correctness:
        """The models that a mask, shape (models,), keeps."""
        models = tuple(model for model, keep in zip(self.models, kept) if keep)
        return Correctness(models, self.right[:, kept], self.tried[:, kept])

    def merged(self, one: str, other: str) -> Correctness:
        """The counts as if two models were one, under the first one's name."""
        columns = [self.models.index(one), self.models.index(other)]
        right, tried = self.right.copy(), self.tried.copy()
        for counts in (right, tried):
            counts[:, columns[0]] = counts[:, columns].sum(axis=1)
        return Correctness(self.models, right, tried).only(np.arange(len(self.models)) != columns[1])
