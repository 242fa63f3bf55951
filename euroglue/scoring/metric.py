# SPDX-License-Identifier: Apache-2.0
"""The shape of a metric: values per example, and scores of their sum."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from euroglue.errors import EuroglueError

if TYPE_CHECKING:
    from euroglue.task import Task


class Measurement(NamedTuple):
    """Scores, the number of examples they rest on, and warnings."""

    scores: dict[str, float]
    n: int
    warnings: tuple[str, ...]


class Facts(NamedTuple):
    """What the page of metrics says of one: the primary score's formula, the policy where it has no value or the input is
    odd, and the independent implementation that tests hold it against, within which tolerance (absolute).
    """

    formula: str
    policy: str
    oracle: str
    tolerance: str


class Metric(ABC):
    """A metric is ``observe(predictions, references)``, an array with one row per example, and ``score`` of its sum.

    A metric that is not a function of sums says ``additive = False``; its ``score`` takes the rows themselves. Either
    way a resample of the test set is a resample of rows, so intervals and tests need to know nothing of the metric.
    """

    name: ClassVar[str]
    """The metric's name among ``euroglue.scoring.METRICS``."""
    primary: str
    """The key of the published number."""
    facts: ClassVar[Facts]
    """For ``docs/metrics.md``."""
    low: ClassVar[float] = 0.0
    """The lowest value of the primary score."""
    high: ClassVar[float] = 1.0
    """The highest value of the primary score; ``inf`` for an error."""
    additive: ClassVar[bool] = True
    fills: ClassVar[bool] = False
    """Whether an example may have fewer predicted tags than words; the missing ones then count as ``O``."""

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

    def undefined(self, totals: np.ndarray) -> tuple[str, ...]:
        """A warning for each score that has no value on these totals and was set by the metric's policy; none by default."""
        return ()

    def score_weighted(self, rows: np.ndarray, weights: np.ndarray) -> dict[str, Any]:
        """Scores by key, shape (resamples,), of resamples of the rows.

        A metric that is not additive is scored one resample after the other, unless it knows a quicker way.

        Args:
            rows: what ``observe`` returns, shape (examples, k).
            weights: how often each example occurs in each resample, whole numbers, shape (resamples, examples).
        """
        if self.additive:
            return self.score(weights @ rows.astype(float))
        each = [self.score(np.repeat(rows, times, axis=0)) for times in weights.astype(np.int64)]
        return {key: np.array([scores[key] for scores in each]) for key in each[0]}

    def correct(self, rows: np.ndarray) -> np.ndarray:
        """Of each example how much was right and how much there was to get right, shape (examples, 2).

        Tests of right against wrong rest on it: McNemar's, and DUMB's mixed-effects regression.

        Raises:
            EuroglueError: to this metric no example is right or wrong.
        """
        raise EuroglueError(
            f"the metric {self.name} grades: no example is right or wrong, so there is nothing to count"
        )

    def statistics(self, predictions: Sequence[Any], references: Sequence[Any]) -> np.ndarray:
        """The array (examples, k) alone; its rows may be summed, sharded, gathered and resampled."""
        return self.observe(predictions, references)[0]

    def measure(self, predictions: Sequence[Any], references: Sequence[Any]) -> Measurement:
        """Scores as plain finite floats, with the number of examples and warnings."""
        return self.summarise(*self.observe(predictions, references))

    def summarise(self, rows: np.ndarray, warnings: tuple[str, ...] = ()) -> Measurement:
        """Scores as plain finite floats of what ``observe`` returns."""
        totals = rows.sum(axis=0) if self.additive else rows
        return Measurement(plain(self.score(totals)), len(rows), (*warnings, *self.undefined(totals)))

    def compute(self, predictions: Sequence[Any], references: Sequence[Any]) -> dict[str, float]:
        """The scores of these predictions: plain finite floats under flat snake_case keys."""
        return self.measure(predictions, references).scores


def plain(scores: Mapping[str, Any]) -> dict[str, float]:
    """Numpy scalars as Python floats; a score that is not finite breaks the metric's contract and raises.

    >>> plain({"f1": np.float64(0.5)})
    {'f1': 0.5}
    """
    numbers = {key: float(value) for key, value in scores.items()}
    for key, number in numbers.items():
        if not math.isfinite(number):
            raise ArithmeticError(f"the score {key} is {number}: a metric must give a finite number by a named policy")
    return numbers
