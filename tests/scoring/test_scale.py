# SPDX-License-Identifier: Apache-2.0
"""Huge, tiny and shifted numbers: no score overflows, vanishes or loses digits that the input has."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import numpy as np
import pytest

from euroglue.errors import PredictionError
from euroglue.scoring.aggregate import mean
from euroglue.scoring.bootstrap import Bootstrap
from euroglue.scoring.correlation import MeanAbsoluteError, Pearson, RootMeanSquaredError
from euroglue.scoring.rer import relative_error_reduction
from euroglue.scoring.significance import compare
from euroglue.scoring.standings import RULES, standings

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=30), RNG.normal(size=30)
LARGEST = 1.7e308


def exact_pearson(x, y):
    """Pearson's correlation in rational numbers, up to the last square root."""
    x, y = ([Fraction(float(value)) for value in side] for side in (x, y))
    x, y = ([value - sum(side) / len(side) for value in side] for side in (x, y))
    cross, left, right = (sum(a * b for a, b in zip(*pair)) for pair in ((x, y), (x, x), (y, y)))
    return (-1 if cross < 0 else 1) * math.sqrt(cross**2 / (left * right))


@pytest.mark.parametrize(
    ("x", "why"),
    [
        *((X + 10.0**power, f"shifted by 1e{power}") for power in (3, 6, 9, 12, 15)),
        *((X * 10.0**power, f"times 1e{power}") for power in (-300, -160, 160, 300)),
        (X / np.abs(X).max() * LARGEST, "up to the largest float"),
        (np.round(X) * 5e-324, "the smallest floats"),
        (np.nextafter(1.0, 2.0) ** (X > 0), "one last digit apart"),
        (np.where(np.arange(30) == 3, 1e300, X), "one value far off"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_correlation_is_that_of_rational_arithmetic(x, why):
    expected = exact_pearson(x, Y)
    rows = Pearson().statistics(x, Y)
    for found in (Pearson().score(rows), Pearson().score_weighted(rows, np.ones((1, len(x))))):
        assert float(np.ravel(found["pearson"])[0]) == pytest.approx(expected, abs=1e-14), why


@pytest.mark.parametrize("size", [5e-324, 1e-200, 1e-15, 1.0, 1e15, 1e200, LARGEST / 4])
@pytest.mark.parametrize(("metric", "expected"), [(RootMeanSquaredError(), math.sqrt(8.5)), (MeanAbsoluteError(), 2.5)])
def test_an_error_has_the_size_of_its_numbers(metric, expected, size):
    rows = metric.statistics([size * 4, size], [0.0, 0.0])
    found = [metric.score(rows), metric.score_weighted(rows, np.ones((1, 2)))]
    for scores in found:
        assert float(np.ravel(scores[metric.primary])[0]) == pytest.approx(expected * size, rel=1e-12, abs=5e-324)


@pytest.mark.parametrize("metric", [RootMeanSquaredError(), MeanAbsoluteError()], ids=["rmse", "mae"])
def test_a_difference_beyond_the_largest_float_is_refused(metric):
    with pytest.raises(PredictionError, match="example 1: the difference of 1e\\+308 and -1e\\+308 is larger"):
        metric.compute([0.0, 1e308], [0.0, -1e308])


@pytest.mark.parametrize("unit", [2.0**-60, 2.0**60])
def test_intervals_and_tests_do_not_depend_on_the_unit(unit):
    metric, how = MeanAbsoluteError(), Bootstrap(resamples=200)
    one, other = (metric.statistics(X + noise, Y) for noise in (0.0, 0.1 * RNG.normal(size=30)))
    plain, scaled = compare(metric, one, other, bootstrap=how), compare(metric, one * unit, other * unit, bootstrap=how)
    assert scaled.interval.low == pytest.approx(plain.interval.low * unit, rel=1e-9)
    assert scaled.interval.note == plain.interval.note == ""
    assert (scaled.bootstrap_p, scaled.randomisation.p) == (plain.bootstrap_p, plain.randomisation.p)


@pytest.mark.parametrize("rule", list(RULES))
@pytest.mark.parametrize("high", [5e-324, 1e-170, 1.0, 1e200, LARGEST])
def test_systems_are_ranked_whatever_the_size_of_scores(rule, high):
    table = {"A": {"t": [high, high]}, "B": {"t": [-high]}, "C": {"t": 0.0}}
    usual = {"A": {"t": [1.0, 1.0]}, "B": {"t": [-1.0]}, "C": {"t": 0.0}}
    found = dict(standings(table, rule).values)
    json.dumps(found, allow_nan=False)
    assert found == pytest.approx(dict(standings(usual, rule).values))


def test_a_table_that_is_none_is_refused():
    with pytest.raises(PredictionError, match="A: expected a mapping of tasks to scores, got 5"):
        standings({"A": 5})


def test_a_mean_of_finite_scores_is_finite():
    assert mean([LARGEST] * 9) == pytest.approx(LARGEST) and mean([0.1, 0.7, 0.7]) == 0.5


def test_an_infinite_reduction_is_refused():
    with pytest.raises(PredictionError, match="the reduction is no finite number"):
        relative_error_reduction(-LARGEST, 0.999)
