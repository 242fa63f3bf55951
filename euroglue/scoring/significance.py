# SPDX-License-Identifier: Apache-2.0
"""Whether two systems differ on the same examples: paired bootstrap, approximate randomisation, McNemar; Holm over many."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from euroglue.errors import EuroglueError
from euroglue.scoring.bootstrap import CELLS, Bootstrap, Difference, Interval, Sample, draws, replicate

if TYPE_CHECKING:
    from euroglue.scoring.metric import Metric


ALWAYS_ALL = 4096
"""So many arrangements are looked at one by one, however few resamples are asked for."""


class Randomisation(NamedTuple):
    """A randomisation test: ``difference`` observed, two-sided ``p``, how many ``arrangements`` were looked at, all if ``exact``."""

    difference: float
    p: float
    arrangements: int
    exact: bool


class McNemar(NamedTuple):
    """McNemar's test: examples that only the first, or only the second system has right; ``exact`` p and ``mid_p``, two-sided.

    ``note`` says where there is nothing to test.
    """

    only_first: int
    only_second: int
    exact: float
    mid_p: float
    note: str = ""


@dataclass(frozen=True)
class Comparison:
    """Two systems on the same examples, by one score.

    Attributes:
        score: the score's key.
        first, second: the systems' scores.
        difference: the first less the second.
        interval: of the difference, by paired bootstrap; None for an end that has no value.
        bootstrap_p: two-sided p of the paired bootstrap; None where there is nothing to resample.
        randomisation: the randomisation test.
        mcnemar: McNemar's test, where the metric knows right and wrong.
        n: examples; ``units``: what is drawn or swapped, examples or groups.
    """

    score: str
    first: float
    second: float
    difference: float
    interval: Interval
    bootstrap_p: float | None
    randomisation: Randomisation
    mcnemar: McNemar | None
    n: int
    units: int


def compare(
    metric: Metric,
    first: np.ndarray,
    second: np.ndarray,
    *,
    bootstrap: Bootstrap | None = None,
    groups: Sequence[Any] | None = None,
    key: str | None = None,
) -> Comparison:
    """Compare two systems.

    Args:
        metric: any metric.
        first, second: what its ``observe`` returns for each system, the same examples in the same order.
        bootstrap: resamples, seed, level and kind of interval; the randomisation test takes its resamples and seed too.
        groups: the group of each example, if whole groups are drawn and swapped.
        key: the score to compare; the primary one if not given.

    Raises:
        EuroglueError: the rows differ in number, or there is no such score.

    >>> from euroglue.scoring.labels import Accuracy
    >>> metric = Accuracy(["no", "yes"])
    >>> one, two = (metric.statistics(guess, [1, 1, 1, 1, 1, 1]) for guess in ([1, 1, 1, 1, 1, 1], [0, 0, 0, 0, 0, 1]))
    >>> found = compare(metric, one, two)
    >>> round(found.difference, 3), found.randomisation.p, found.mcnemar.exact
    (0.833, 0.0625, 0.0625)
    """
    if first.shape != second.shape:
        raise EuroglueError(f"two systems are compared on the same examples, got {len(first)} and {len(second)}")
    how, name = (bootstrap or Bootstrap()).drawing(groups), key or metric.primary
    pair = Difference(Sample(metric, first, groups), Sample(metric, second, groups))
    whole = np.ones((1, pair.units))
    scores = [sample(whole) for sample in (pair.one, pair.other)]
    if name not in scores[0]:
        raise EuroglueError(f"the metric {metric.name} has no score {name!r}; it has: {', '.join(scores[0])}")
    one, other = (float(found[name][0]) for found in scores)
    right, also = _right(metric, first), _right(metric, second)
    return Comparison(
        score=name,
        first=one,
        second=other,
        difference=one - other,
        interval=how.of(pair)[name],
        bootstrap_p=bootstrap_p(pair, name, how),
        randomisation=randomise(pair, name, how.resamples, how.seed),
        mcnemar=None if right is None or also is None or groups is not None else mcnemar(right, also),
        n=len(first),
        units=pair.units,
    )


def _right(metric: Metric, rows: np.ndarray) -> np.ndarray | None:
    """Which examples are right, where the metric says so of whole examples; else None."""
    try:
        counts = metric.correct(rows)
    except EuroglueError:  # the metric grades
        return None
    return counts[:, 0] == 1 if (counts[:, 1] == 1).all() else None


def bootstrap_p(pair: Difference, key: str, how: Bootstrap) -> float | None:
    """Two-sided p of the paired bootstrap: how often a resample strays from the mean of all as far as the difference is from 0.

    After Efron and Tibshirani (1993, chapter 16), centred on the mean of the resamples as Riezler and Maxwell (2005) do;
    the observed difference counts as one resample, so p is never 0. None for a single unit.

    >>> from euroglue.scoring.labels import Accuracy
    >>> metric = Accuracy(["no", "yes"])
    >>> one, two = (Sample(metric, metric.statistics(guess, [1] * 50)) for guess in ([1] * 50, [0, 1] * 25))
    >>> round(bootstrap_p(Difference(one, two), "accuracy", Bootstrap()), 3)
    0.001
    """
    if pair.units < 2:
        return None
    observed = float(pair(np.ones((1, pair.units)))[key][0])
    values = replicate(pair, draws(pair.units, how.resamples, how.seed, pair.width))[key]
    extreme = np.count_nonzero(np.abs(values - values.mean()) >= abs(observed) - pair.rounding)
    return float((1 + extreme) / (1 + how.resamples))


def randomise(pair: Difference, key: str, resamples: int, seed: int) -> Randomisation:
    """Approximate randomisation (Noreen, 1989): were the systems the same, each unit's two results could be swapped.

    Where all 2^units arrangements are no more than ``resamples``, or 4,096, they are all looked at: the test is exact, and p
    the share of those whose difference is at least as large as the one observed. Else ``resamples`` random ones are, and the observed
    one counts as one more.

    >>> from euroglue.scoring.labels import Accuracy
    >>> metric = Accuracy(["no", "yes"])
    >>> one, two = (Sample(metric, metric.statistics(guess, [1] * 6)) for guess in ([1] * 6, [0] * 5 + [1]))
    >>> found = randomise(Difference(one, two), "accuracy", resamples=1000, seed=1)
    >>> found.p, found.arrangements, found.exact
    (0.0625, 64, True)
    """
    observed = float(pair(np.ones((1, pair.units)))[key][0])
    exact = pair.units < 64 and 2**pair.units <= max(resamples, ALWAYS_ALL)
    both = _Swapped(pair)
    chunks = _every(pair.units) if exact else _some(pair.units, resamples, seed, 2 * pair.width)
    values = replicate(both, chunks)[key]
    extreme = np.count_nonzero(np.abs(values) >= abs(observed) - pair.rounding)
    p = extreme / len(values) if exact else (1 + extreme) / (1 + len(values))
    return Randomisation(observed, float(p), len(values), exact)


class _Swapped:
    """The difference of two systems some of whose units are swapped: both systems' rows, of which each gets one half."""

    def __init__(self, pair: Difference):
        one, other = pair.one, pair.other
        rows = np.concatenate([one.rows, other.rows])
        codes = None if one.codes is None else np.concatenate([one.codes, one.codes + one.units])
        self.both = Sample(one.metric, rows)
        self.both.codes, self.both.units = codes, 2 * one.units

    def __call__(self, swapped: np.ndarray) -> dict[str, np.ndarray]:
        """Differences by key, shape (arrangements,); ``swapped`` is 1 where a unit is, shape (arrangements, units)."""
        kept = 1.0 - swapped
        one, other = (self.both(np.concatenate(halves, axis=1)) for halves in ((kept, swapped), (swapped, kept)))
        return {key: one[key] - other[key] for key in one}


def _every(units: int) -> Iterator[np.ndarray]:
    at_once, bits = max(1, CELLS // (2 * units)), np.arange(units)
    for start in range(0, 2**units, at_once):
        numbers = np.arange(start, min(start + at_once, 2**units))
        yield ((numbers[:, None] >> bits) & 1).astype(float)


def _some(units: int, resamples: int, seed: int, width: int) -> Iterator[np.ndarray]:
    rng, at_once = np.random.default_rng(seed), max(1, CELLS // max(width, 1))
    for start in range(0, resamples, at_once):
        yield rng.integers(0, 2, (min(at_once, resamples - start), units)).astype(float)


def mcnemar(first: Sequence[bool] | np.ndarray, second: Sequence[bool] | np.ndarray) -> McNemar:
    """McNemar's test of two systems' right answers, by the binomial distribution.

    The mid-p version counts half of the probability of what was observed; it is less conservative (Fagerland, Lydersen and
    Laake, 2013).

    Args:
        first, second: whether each example is right, the same examples in the same order.

    >>> found = mcnemar([True] * 6 + [False], [False] * 5 + [True, True])
    >>> found.only_first, found.only_second, round(found.exact, 6), round(found.mid_p, 6)
    (5, 1, 0.21875, 0.125)
    """
    from scipy.stats import binom

    one, other = np.asarray(first, dtype=bool), np.asarray(second, dtype=bool)
    if one.shape != other.shape:
        raise EuroglueError(f"two systems are compared on the same examples, got {len(one)} and {len(other)}")
    ahead, behind = int(np.count_nonzero(one & ~other)), int(np.count_nonzero(~one & other))
    if ahead + behind == 0:
        return McNemar(0, 0, 1.0, 1.0, "both systems are right on the same examples: there is nothing to test")
    fewer, count = min(ahead, behind), ahead + behind
    tail, here = 2 * float(binom.cdf(fewer, count, 0.5)), float(binom.pmf(fewer, count, 0.5))
    return McNemar(ahead, behind, min(tail, 1.0), min(tail - here, 1.0))


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Holm's adjusted p-values (1979): reject those below the level, and no more than that share of families errs at all.

    Raises:
        EuroglueError: a value is no probability.

    >>> holm({"a": 0.01, "b": 0.04, "c": 0.03})
    {'a': 0.03, 'b': 0.06, 'c': 0.06}
    """
    for name, p in p_values.items():
        if not 0 <= p <= 1 or math.isnan(p):
            raise EuroglueError(f"{name}: expected a p-value from 0 to 1, got {p}")
    adjusted, highest = {}, 0.0
    for place, name in enumerate(sorted(p_values, key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (len(p_values) - place) * p_values[name]))
        adjusted[name] = highest
    return {name: adjusted[name] for name in p_values}
