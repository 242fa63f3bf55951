# SPDX-License-Identifier: Apache-2.0
"""Bootstrap intervals of any metric, over examples or over groups of them, all resamples at once.

A resample draws as many units, examples or whole groups, as there are, with replacement. Only how often each was drawn
matters, so a chunk of resamples is one matrix of counts, times the rows where the metric is additive.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from euroglue.errors import EuroglueError
from euroglue.scoring.inputs import listed

if TYPE_CHECKING:
    from euroglue.scoring.metric import Metric

METHODS = ("percentile", "bca")
CELLS = 1 << 19
"""Counts held at a time (4 MiB of floats), whatever the number of resamples."""
ROUNDING = 1e-12
"""Scores that differ by less are the same score; of a score without a bound, such as an error, in units of the score."""
EXAMPLES, GROUPS = "examples", "groups"
"""What is drawn: examples, or groups of them whose name nobody gave."""
BLOCKS = 500
"""A jackknife of a metric that is no sum leaves out at most so many blocks of units, one after the other."""

SAME = "all resamples give the same, so that they do not tell how sure it is: there is none"
"""Why a perfect score, or a difference of systems that are right on the same examples, has no interval."""

Statistic = Callable[[np.ndarray], Mapping[str, np.ndarray]]
"""From how often each unit occurs, shape (resamples, units), to scores by key, shape (resamples,)."""


class Interval(NamedTuple):
    """The ends of an interval and the standard error (of the resamples); None, with a ``note`` why, where there is none."""

    low: float | None
    high: float | None
    error: float | None
    note: str = ""


class Sample:
    """A metric's rows and the units that are drawn: the examples, or groups of them (documents, topics, films)."""

    def __init__(self, metric: Metric, rows: np.ndarray, groups: Sequence[Any] | None = None):
        """``groups`` names the group of each example.

        Raises:
            EuroglueError: there is not one group for each example.
        """
        self.metric, self.rows, self.codes = metric, rows, None
        self.units = len(rows)
        if groups is not None:
            if len(groups) != len(rows):
                raise EuroglueError(f"expected a group for each of {len(rows)} examples, got {len(groups)}")
            numbers: dict[str, int] = {}
            codes = np.array([numbers.setdefault(str(value), len(numbers)) for value in listed(groups)])
            self.units = len(numbers)
            if metric.additive:
                self.rows = np.zeros((self.units, rows.shape[1]))
                np.add.at(self.rows, codes, rows)
            else:
                self.codes = codes

    def __call__(self, weights: np.ndarray) -> dict[str, np.ndarray]:
        """Scores by key, shape (resamples,); ``weights`` are counts (resamples, units)."""
        spread = weights if self.codes is None else weights[:, self.codes]
        return self.metric.score_weighted(self.rows, spread)

    @property
    def rounding(self) -> float:
        """By how much two values of one score may differ and be the same."""
        if math.isfinite(self.metric.high):
            return ROUNDING
        return ROUNDING * max(float(np.max(np.abs(value))) for value in self(np.ones((1, self.units))).values())

    @property
    def width(self) -> int:
        """How many cells of memory a resample takes."""
        return self.units if self.codes is None else max(self.units, len(self.codes))

    def left_out(self) -> dict[str, np.ndarray]:
        """The jackknife: scores by key with one unit left out, for each unit.

        Where the metric is no sum and the units are many, for each of ``BLOCKS`` blocks of neighbouring units instead.
        """
        if self.metric.additive:
            return self.metric.score(self.rows.sum(axis=0) - self.rows)
        count = min(self.units, BLOCKS)
        block, at_once = np.arange(self.units) * count // self.units, max(1, CELLS // self.width)
        starts = range(0, count, at_once)
        numbers = (np.arange(start, min(start + at_once, count))[:, None] for start in starts)
        return replicate(self, ((block != left_out).astype(float) for left_out in numbers))


class Difference:
    """What one system's scores are above another's, on the same units."""

    def __init__(self, one: Sample, other: Sample):
        self.one, self.other, self.units, self.width = one, other, one.units, one.width
        self.rounding = max(one.rounding, other.rounding)

    def __call__(self, weights: np.ndarray) -> dict[str, np.ndarray]:
        """Differences by key, shape (resamples,)."""
        return _minus(self.one(weights), self.other(weights))

    def left_out(self) -> dict[str, np.ndarray]:
        """The jackknife of the differences."""
        return _minus(self.one.left_out(), self.other.left_out())


def _minus(one: Mapping[str, np.ndarray], other: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {key: one[key] - other[key] for key in one}


def draws(units: int, resamples: int, seed: int, width: int | None = None) -> Iterator[np.ndarray]:
    """How often each unit is drawn, in chunks (some resamples, units) of floats that fit into memory.

    The draws are those of ``numpy.random.default_rng(seed).integers(0, units, (resamples, units))``, however they are cut
    into chunks: ``width`` is how many cells a resample takes, ``units`` if not given.

    >>> [chunk.sum(axis=1).tolist() for chunk in draws(3, 2, seed=1)]
    [[3.0, 3.0]]
    """
    rng, at_once = np.random.default_rng(seed), max(1, CELLS // max(width or units, 1))
    for start in range(0, resamples, at_once):
        count = min(at_once, resamples - start)
        drawn = rng.integers(0, units, (count, units)) + np.arange(count)[:, None] * units
        yield np.bincount(drawn.ravel(), minlength=count * units).reshape(count, units).astype(float)


def replicate(statistic: Statistic, chunks: Iterator[np.ndarray]) -> dict[str, np.ndarray]:
    """The statistic of every resample by key, shape (resamples,).

    >>> replicate(lambda weights: {"drawn": weights.sum(axis=1)}, draws(3, 2, seed=1))["drawn"].tolist()
    [3.0, 3.0]
    """
    parts = [statistic(weights) for weights in chunks]
    return {key: np.concatenate([np.atleast_1d(part[key]) for part in parts]) for key in parts[0]}


def limits(
    values: np.ndarray, observed: float, left_out: np.ndarray | None, level: float, rounding: float = ROUNDING
) -> Interval:
    """The interval that resamples give.

    Args:
        values: the score of each resample, shape (resamples,).
        observed: the score itself.
        left_out: the jackknife's scores, shape (units,), for the bias-corrected and accelerated interval (BCa; Efron,
            JASA 1987); None for the percentile interval.
        level: the share of resamples that the interval holds, between 0 and 1.
        rounding: scores that differ by less are the same score.

    >>> limits(np.array([0.1, 0.2, 0.3, 0.4, 0.5]), 0.3, None, 0.5)[:2]
    (0.2, 0.4)
    """
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    error = float(np.std(values, ddof=1))
    if np.ptp(values) <= rounding:
        return Interval(None, None, 0.0, SAME)
    if left_out is not None:
        tails = _adjusted(values, observed, left_out, tails, rounding)
        if not np.isfinite(tails).all():
            return Interval(None, None, error, "it lies outside all resamples, where BCa has no value: there is none")
    low, high = np.percentile(values, 100 * tails).tolist()
    return Interval(low, high, error)


def _adjusted(
    values: np.ndarray, observed: float, left_out: np.ndarray, tails: np.ndarray, rounding: float
) -> np.ndarray:
    """The shares of resamples below the two ends, corrected for bias and skewness; NaN or infinite where undefined."""
    from scipy.special import ndtr, ndtri

    below = ((values < observed - rounding).mean() + (values <= observed + rounding).mean()) / 2
    pull = left_out.mean() - left_out
    spread = np.sum(pull**2)
    acceleration = np.sum(pull**3) / (6 * spread**1.5) if spread > 0 else 0.0
    if not 0 < below < 1:
        return np.full(2, np.nan)
    bias = ndtri(below)
    shifted = bias + ndtri(tails)
    room = 1 - acceleration * shifted
    return ndtr(bias + np.where(room > 0, shifted / np.where(room > 0, room, 1.0), np.inf * np.sign(shifted)))


@dataclass(frozen=True, kw_only=True)
class Bootstrap:
    """How intervals are made.

    ``method`` is ``bca`` or ``percentile``, ``resamples`` at least 2, ``level`` between 0 and 1, ``seed`` of the generator;
    ``over`` names what is drawn, ``examples`` or a column whose values are groups.

    >>> from euroglue.scoring.labels import Accuracy
    >>> rows = Accuracy(["no", "yes"]).statistics([0, 1, 1, 1], [0, 1, 1, 0])
    >>> found = Bootstrap(method="percentile", resamples=200).intervals(Accuracy(["no", "yes"]), rows)["accuracy"]
    >>> found.low, found.high
    (0.25, 1.0)
    """

    method: str = "bca"
    resamples: int = 1000
    level: float = 0.95
    seed: int = 1
    over: str = EXAMPLES

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise EuroglueError(f"expected an interval of the kind {' or '.join(METHODS)}, got {self.method!r}")
        if self.resamples < 2:
            raise EuroglueError(f"an interval needs at least 2 resamples, got {self.resamples}")
        if not 0 < self.level < 1:
            raise EuroglueError(f"expected a level between 0 and 1, such as 0.95, got {self.level}")
        if self.seed < 0:
            raise EuroglueError(f"expected a seed of at least 0, got {self.seed}")

    def settings(self) -> dict[str, str]:
        """What the signature says of the intervals."""
        return {
            "interval": self.method,
            "interval_level": repr(float(self.level)),
            "interval_resamples": str(self.resamples),
            "interval_seed": str(self.seed),
            "interval_over": self.over,
        }

    def drawing(self, groups: Sequence[Any] | None) -> Bootstrap:
        """These settings with the right name of what is drawn: ``groups`` where there are some that have no name.

        Raises:
            EuroglueError: groups are to be drawn, and there are none.

        >>> Bootstrap().drawing(["film 1", "film 1", "film 2"]).over
        'groups'
        """
        if groups is None and self.over != EXAMPLES:
            raise EuroglueError(f"intervals are to be over {self.over}: give the group of each example")
        return replace(self, over=GROUPS) if groups is not None and self.over == EXAMPLES else self

    def intervals(self, metric: Metric, rows: np.ndarray, groups: Sequence[Any] | None = None) -> dict[str, Interval]:
        """The interval of each of the metric's scores.

        A resample on which a score has no value counts with the value that the metric's policy gives it.

        Args:
            metric: any metric.
            rows: what its ``observe`` returns.
            groups: the group of each example; the examples themselves are drawn if not given.

        Raises:
            EuroglueError: there is not one group for each example, or there are none and ``over`` names them.
        """
        return self.drawing(groups).of(Sample(metric, rows, groups))

    def of(self, sample: Sample | Difference) -> dict[str, Interval]:
        """The interval of each score of a sample, or of each difference of two."""
        observed = {key: float(value[0]) for key, value in sample(np.ones((1, sample.units))).items()}
        if sample.units < 2:
            named = {EXAMPLES: "one example", GROUPS: "one group"}
            what = named.get(self.over, f"one value of {self.over}")
            return {
                key: Interval(None, None, None, f"{what}: there is nothing to resample, and there is none")
                for key in observed
            }
        values = replicate(sample, draws(sample.units, self.resamples, self.seed, sample.width))
        left_out = sample.left_out() if self.method == "bca" else dict.fromkeys(observed)
        return {key: limits(values[key], observed[key], left_out[key], self.level, sample.rounding) for key in observed}
