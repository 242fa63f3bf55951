# SPDX-License-Identifier: Apache-2.0
"""The shape of a metric: values per example, and scores of their sum."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from euroglue.task import Task


class Measurement(NamedTuple):
    """Scores, the number of examples they rest on, and warnings."""

    scores: dict[str, float]
    n: int
    warnings: tuple[str, ...]


class Metric(ABC):
    """A metric is ``observe(predictions, references)``, an array with one row per example, and ``score`` of its sum.

    A metric that is not a function of sums says ``additive = False``; its ``score`` takes the rows themselves. Either
    way a resample of the test set is a resample of rows, so intervals and tests need to know nothing of the metric.
    """

    name: ClassVar[str]
    """The metric's name among ``euroglue.scoring.METRICS``."""
    primary: str
    """The key of the published number."""
    low: ClassVar[float] = 0.0
    """The lowest value of the primary score."""
    high: ClassVar[float] = 1.0
    """The highest value of the primary score; ``inf`` for an error."""
    additive: ClassVar[bool] = True

    @classmethod
    @abstractmethod
    def for_task(cls, task: Task) -> Metric:
        """The metric with what it needs to know of the task, such as its label names."""

    @abstractmethod
    def settings(self) -> Mapping[str, str]:
        """Everything a reader needs to compute the number again, for the signature."""

    @abstractmethod
    def observe(self, predictions: Sequence[Any], references: Sequence[Any]) -> tuple[np.ndarray, tuple[str, ...]]:
        """Check the input; return an array (examples, k) and warnings.

        Raises:
            PredictionError: the input cannot be scored; the message names the example.
        """

    @abstractmethod
    def score(self, totals: np.ndarray) -> dict[str, Any]:
        """Scores by key, of totals (k,) or (resamples, k); of rows (…, examples, k) if the metric is not additive.

        The values have the shape of the leading axes.
        """

    @abstractmethod
    def undefined(self, totals: np.ndarray) -> tuple[str, ...]:
        """A warning for each score that has no value on these totals and was set by the metric's policy."""

    def statistics(self, predictions: Sequence[Any], references: Sequence[Any]) -> np.ndarray:
        """The array (examples, k) alone; its rows may be summed, sharded, gathered and resampled."""
        return self.observe(predictions, references)[0]

    def measure(self, predictions: Sequence[Any], references: Sequence[Any]) -> Measurement:
        """Scores as plain finite floats, with the number of examples and warnings."""
        rows, warnings = self.observe(predictions, references)
        totals = rows.sum(axis=0) if self.additive else rows
        return Measurement(plain(self.score(totals)), len(rows), (*warnings, *self.undefined(totals)))

    def compute(self, predictions: Sequence[Any], references: Sequence[Any]) -> dict[str, float]:
        """The scores of these predictions: plain finite floats under flat snake_case keys."""
        return self.measure(predictions, references).scores


def plain(scores: Mapping[str, Any]) -> dict[str, float]:
    """Numpy scalars as Python floats; a score that is not finite breaks the metric's contract and raises."""
    numbers = {key: float(value) for key, value in scores.items()}
    for key, number in numbers.items():
        if not math.isfinite(number):
            raise ArithmeticError(f"the score {key} is {number}: a metric must give a finite number by a named policy")
    return numbers
