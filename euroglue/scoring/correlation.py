# SPDX-License-Identifier: Apache-2.0
"""Correlations and errors of real-valued predictions: not sums over examples, so they are computed from the pairs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from euroglue.errors import PredictionError
from euroglue.scoring import weighted
from euroglue.scoring.inputs import finite, one_of, paired
from euroglue.scoring.metric import Facts, Metric
from euroglue.scoring.scale import to_unit

if TYPE_CHECKING:
    from euroglue.task import Task

FLOORS = {"0": 0.0, "none": -1.0}
"""Floor of the mean of two correlations → its lowest value."""


def pearson(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Pearson's correlation along the last axis, in −1…1; NaN where either side is constant.

    >>> float(pearson(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0])))
    1.0
    """
    x, y = _centred(x), _centred(y)
    length = np.sqrt(np.sum(x * x, axis=-1) * np.sum(y * y, axis=-1))
    ratio = np.divide(np.sum(x * y, axis=-1), length, out=np.full(np.shape(length), np.nan), where=length > 0)
    return np.clip(ratio, -1.0, 1.0)


def spearman(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Spearman's correlation along the last axis: Pearson's of the ranks, ties sharing their average rank.

    >>> float(spearman(np.array([1.0, 2.0, 3.0]), np.array([1.0, 10.0, 100.0])))
    1.0
    """
    return pearson(np.apply_along_axis(ranks, -1, x), np.apply_along_axis(ranks, -1, y))


def ranks(values: np.ndarray) -> np.ndarray:
    """Ranks from 1, shape (n,); equal values share the average of their ranks.

    >>> ranks(np.array([0.3, 0.1, 0.3, 0.9])).tolist()
    [2.5, 1.0, 2.5, 4.0]
    """
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[place]


def _constant(values: np.ndarray) -> np.ndarray:
    return np.min(values, axis=-1) == np.max(values, axis=-1)


def _centred(values: np.ndarray) -> np.ndarray:
    """The values less their mean, scaled so that nothing overflows; zeros where all values are equal."""
    centred, _ = to_unit(values, -1)
    for _ in range(2):  # the second mean is of small numbers: what the first one lost to rounding
        centred = centred - np.mean(centred, axis=-1, keepdims=True)
    return to_unit(np.where(_constant(values)[..., None], 0.0, centred), -1)[0]


class PairMetric(Metric):
    """A metric of (prediction, reference) pairs of numbers; its rows are the pairs themselves."""

    additive: ClassVar[bool] = False
    at_least: ClassVar[int] = 1
    """How many examples the metric needs."""

    @classmethod
    def for_task(cls, task: Task) -> PairMetric:
        """The metric; it needs to know nothing of the task."""
        return cls()

    def observe(self, predictions: Sequence[Any], references: Sequence[Any]) -> tuple[np.ndarray, tuple[str, ...]]:
        """The pairs, shape (examples, 2): prediction, reference.

        Raises:
            PredictionError: the lengths differ, there are too few examples, a prediction is no finite number, or a
                reference is hidden (NaN or None).
        """
        guesses, golds = paired(predictions, references)
        if len(golds) < self.at_least:
            raise PredictionError(f"{self.name} needs at least {self.at_least} examples, got {len(golds)}")
        guess, gold = finite(guesses, "prediction"), finite(golds, "reference")
        return np.stack([guess, gold], axis=1), ()


class Correlation(PairMetric):
    """What the correlations share: where one side is constant they have no value and are set to 0, with a warning."""

    low: ClassVar[float] = -1.0
    at_least: ClassVar[int] = 2

    def settings(self) -> dict[str, str]:
        """The tie rule and the policy for constant input."""
        return {"ties": "average", "constant": "0"}

    def undefined(self, totals: np.ndarray) -> tuple[str, ...]:
        """A warning for each side that is constant."""
        sides = [
            side for side, values in zip(("predictions", "references"), totals.T, strict=True) if _constant(values)
        ]
        return tuple(f"the {side} are constant: the correlation has no value and is set to 0" for side in sides)


class Pearson(Correlation):
    """Pearson's correlation of predictions and references. Range −1–1.

    >>> Pearson().compute([1.0, 2.0, 4.0], [2.0, 4.0, 8.0])
    {'pearson': 1.0}
    """

    name: ClassVar[str] = "pearson"
    primary: str = "pearson"
    facts: ClassVar[Facts] = Facts(
        formula="cov(x, y) / (sd(x) sd(y))",
        policy="a constant side: 0, warning; under two examples, NaN or infinity: an error",
        oracle="scipy",
        tolerance="1e-12",
    )

    def score(self, totals: np.ndarray) -> dict[str, Any]:
        """The score of pairs (…, examples, 2)."""
        return {"pearson": np.nan_to_num(pearson(totals[..., 0], totals[..., 1]))}

    def score_weighted(self, rows: np.ndarray, weights: np.ndarray) -> dict[str, Any]:
        """The score of resamples of the pairs, shape (resamples,)."""
        return {"pearson": np.nan_to_num(weighted.pearson(rows[:, 0], rows[:, 1], weights))}


class Spearman(Correlation):
    """Spearman's rank correlation, ties sharing their average rank. Range −1–1.

    >>> Spearman().compute([1, 2, 3], [1, 10, 100])
    {'spearman': 1.0}
    """

    name: ClassVar[str] = "spearman"
    primary: str = "spearman"
    facts: ClassVar[Facts] = Facts(
        formula="Pearson's correlation of the ranks, ties sharing their average",
        policy="as `pearson`",
        oracle="scipy",
        tolerance="1e-12",
    )

    def score(self, totals: np.ndarray) -> dict[str, Any]:
        """The score of pairs (…, examples, 2)."""
        return {"spearman": np.nan_to_num(spearman(totals[..., 0], totals[..., 1]))}

    def score_weighted(self, rows: np.ndarray, weights: np.ndarray) -> dict[str, Any]:
        """The score of resamples of the pairs, shape (resamples,)."""
        return {"spearman": np.nan_to_num(weighted.spearman(rows[:, 0], rows[:, 1], weights))}


class PearsonSpearman(Correlation):
    """The mean of Pearson's and Spearman's correlation, not below 0. Range 0–1.

    bgGLUE's score for Cinexio (Hardalov et al., ACL 2023, table 10); both correlations are beside it, unfloored.

    >>> PearsonSpearman().compute([3, 2, 1], [1, 2, 3])
    {'pearson_spearman': 0.0, 'pearson': -1.0, 'spearman': -1.0}
    >>> PearsonSpearman(floor="none").compute([3, 2, 1], [1, 2, 3])["pearson_spearman"]
    -1.0
    """

    name: ClassVar[str] = "pearson_spearman"
    primary: str = "pearson_spearman"
    facts: ClassVar[Facts] = Facts(
        formula="max(0, (r + ρ) / 2)",
        policy='as `pearson`; `floor="none"` keeps negative values',
        oracle="scipy",
        tolerance="1e-12",
    )
    low: ClassVar[float] = 0.0

    def __init__(self, floor: str = "0"):
        """``floor`` is one of ``FLOORS``; without one the lowest value is −1.

        Raises:
            EuroglueError: it is another one.
        """
        one_of(self.name, "floor", floor, FLOORS)
        self.floor = floor

    def settings(self) -> dict[str, str]:
        """The tie rule, the policy for constant input, and the floor."""
        return {**super().settings(), "floor": self.floor}

    def score(self, totals: np.ndarray) -> dict[str, Any]:
        """The scores of pairs (…, examples, 2)."""
        return self._both(pearson(totals[..., 0], totals[..., 1]), spearman(totals[..., 0], totals[..., 1]))

    def score_weighted(self, rows: np.ndarray, weights: np.ndarray) -> dict[str, Any]:
        """The scores of resamples of the pairs, shape (resamples,)."""
        return self._both(
            weighted.pearson(rows[:, 0], rows[:, 1], weights), weighted.spearman(rows[:, 0], rows[:, 1], weights)
        )

    def _both(self, linear: np.ndarray, ordinal: np.ndarray) -> dict[str, Any]:
        linear, ordinal = np.nan_to_num(linear), np.nan_to_num(ordinal)
        return {
            "pearson_spearman": np.maximum((linear + ordinal) / 2, FLOORS[self.floor]),
            "pearson": linear,
            "spearman": ordinal,
        }


class ErrorMetric(PairMetric):
    """What the errors share: a mean of the differences of predictions and references; lower is better. Range 0–∞."""

    high: ClassVar[float] = math.inf
    power: ClassVar[int]
    """1 for the mean of the differences, 2 for the root of the mean of their squares."""

    def settings(self) -> dict[str, str]:
        """Nothing to settle."""
        return {}

    def observe(self, predictions: Sequence[Any], references: Sequence[Any]) -> tuple[np.ndarray, tuple[str, ...]]:
        """The pairs, shape (examples, 2): prediction, reference.

        Raises:
            PredictionError: as every metric of pairs, or a difference is larger than the largest float.
        """
        rows, warnings = super().observe(predictions, references)
        with np.errstate(over="ignore"):
            apart = np.flatnonzero(np.isinf(rows[:, 0] - rows[:, 1]))
        for example in apart[:1]:
            pair = " and ".join(map(str, rows[example].tolist()))
            raise PredictionError(f"example {example}: the difference of {pair} is larger than the largest float")
        return rows, warnings

    def score(self, totals: np.ndarray) -> dict[str, Any]:
        """The score of pairs (…, examples, 2)."""
        scaled, exponent = to_unit(totals[..., 0] - totals[..., 1], -1)
        return self._rooted(np.mean(np.abs(scaled) ** self.power, axis=-1), exponent[..., 0])

    def score_weighted(self, rows: np.ndarray, weights: np.ndarray) -> dict[str, Any]:
        """The score of resamples of the pairs, shape (resamples,)."""
        scaled, exponent = to_unit(rows[:, 0] - rows[:, 1])
        return self._rooted(weights @ np.abs(scaled) ** self.power / weights.sum(-1), exponent)

    def _rooted(self, mean: np.ndarray, exponent: np.ndarray) -> dict[str, Any]:
        return {self.primary: np.ldexp(np.sqrt(mean) if self.power == 2 else mean, exponent)}


class RootMeanSquaredError(ErrorMetric):
    """The root of the mean squared difference; lower is better. Range 0–∞.

    >>> RootMeanSquaredError().compute([1, 2], [4, 6])
    {'rmse': 3.5355339059327378}
    """

    name: ClassVar[str] = "rmse"
    primary: str = "rmse"
    facts: ClassVar[Facts] = Facts(
        formula="√(mean (x − y)²)",
        policy="NaN, infinity or a difference beyond the largest float: an error",
        oracle="scikit-learn",
        tolerance="1e-6, relative",
    )
    power: ClassVar[int] = 2


class MeanAbsoluteError(ErrorMetric):
    """The mean absolute difference; lower is better. Range 0–∞.

    >>> MeanAbsoluteError().compute([1, 2], [4, 6])
    {'mae': 3.5}
    """

    name: ClassVar[str] = "mae"
    primary: str = "mae"
    facts: ClassVar[Facts] = Facts(
        formula="mean |x − y|",
        policy="as `rmse`",
        oracle="scikit-learn",
        tolerance="1e-6, relative",
    )
    power: ClassVar[int] = 1
