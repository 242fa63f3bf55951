# SPDX-License-Identifier: Apache-2.0
"""Tests of two systems against scipy, statsmodels and plain enumeration."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from euroglue.errors import EuroglueError
from euroglue.scoring import METRICS
from euroglue.scoring.bootstrap import Bootstrap, Difference, Sample
from euroglue.scoring.labels import Accuracy
from euroglue.scoring.significance import compare, holm, mcnemar, randomise
from tests.scoring.random_data import observed

ACCURACY = Accuracy(["no", "yes"])


def systems(n: int, first: float, second: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of two systems that are right on these shares of ``n`` examples."""
    rng = np.random.default_rng(seed)
    return tuple(
        ACCURACY.statistics((rng.random(n) < share).astype(int), np.ones(n, dtype=int)) for share in (first, second)
    )


def two(name: str, n: int, seed: int):
    """A metric and the rows of two systems on the same examples: the second system's are the first's in part."""
    metric, first = observed(name, n, seed)
    other = first.copy()
    if metric.additive:  # another system's rows must be of the same gold: here simply of the next example, in pairs
        other[: n // 2 * 2] = first[: n // 2 * 2].reshape(-1, 2, first.shape[1])[:, ::-1].reshape(-1, first.shape[1])
    else:
        other[:, 0] = np.random.default_rng(seed).permutation(first[:, 0])
    return metric, first, other


def plain(metric, rows):
    return float(metric.score(rows.sum(axis=0) if metric.additive else rows)[metric.primary])


@pytest.mark.parametrize("name", list(METRICS))
def test_the_exact_test_is_plain_enumeration_for_every_metric(name):
    metric, first, other = two(name, 8, 3)
    found = randomise(Difference(Sample(metric, first), Sample(metric, other)), metric.primary, 256, seed=1)
    observed_difference = plain(metric, first) - plain(metric, other)
    values = []
    for swaps in itertools.product((False, True), repeat=8):
        mask = np.array(swaps)[:, None]
        values.append(plain(metric, np.where(mask, other, first)) - plain(metric, np.where(mask, first, other)))
    assert found.exact and found.arrangements == 256
    assert found.difference == pytest.approx(observed_difference, abs=1e-12)
    assert found.p == np.mean(np.abs(values) >= abs(observed_difference) - 1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_randomisation_equals_scipys_permutation_test(seed):
    first, second = systems(13, 0.9, 0.4, seed)
    right = [ACCURACY.correct(rows)[:, 0] for rows in (first, second)]
    expected = stats.permutation_test(
        right, lambda x, y, axis: x.mean(axis) - y.mean(axis), permutation_type="samples", n_resamples=np.inf
    )
    found = compare(ACCURACY, first, second, bootstrap=Bootstrap(resamples=8192)).randomisation
    assert found.p == pytest.approx(expected.pvalue) and found.exact
    rough = compare(ACCURACY, first, second, bootstrap=Bootstrap(resamples=2000)).randomisation
    assert not rough.exact and rough.p == pytest.approx(found.p, abs=0.06)


def test_swaps_are_of_whole_groups():
    first, second = systems(40, 0.9, 0.5, 1)
    groups = np.repeat(np.arange(8), 5)
    found = compare(ACCURACY, first, second, groups=groups).randomisation
    gaps = (first - second)[:, :2].sum(axis=1).reshape(8, 5).sum(axis=1)
    signs = np.array(list(itertools.product((1, -1), repeat=8)))
    assert (found.exact, found.arrangements) == (True, 256)
    assert found.p == np.mean(np.abs(signs @ gaps) >= abs(gaps.sum()))


def test_groups_of_a_ranking_are_swapped_whole():
    metric, first, other = two("average_precision", 24, 5)
    groups = np.repeat(np.arange(6), 4)
    found = compare(metric, first, other, groups=groups).randomisation
    values = []
    for swaps in itertools.product((False, True), repeat=6):
        mask = np.repeat(swaps, 4)[:, None]
        values.append(plain(metric, np.where(mask, other, first)) - plain(metric, np.where(mask, first, other)))
    assert found.p == np.mean(np.abs(values) >= abs(found.difference) - 1e-9)


def test_the_paired_bootstrap_is_that_of_the_differences():
    first, second = systems(150, 0.8, 0.7, 2)
    gaps = ACCURACY.correct(first)[:, 0] - ACCURACY.correct(second)[:, 0]
    found = compare(ACCURACY, first, second, bootstrap=Bootstrap(method="percentile", resamples=500, seed=3))
    expected = stats.bootstrap((gaps,), np.mean, n_resamples=500, method="percentile", rng=np.random.default_rng(3))
    assert found.interval[:2] == pytest.approx(tuple(expected.confidence_interval), abs=1e-12)
    values = expected.bootstrap_distribution
    assert found.bootstrap_p == (1 + np.sum(np.abs(values - values.mean()) >= abs(gaps.mean()) - 1e-12)) / 501


def test_pairing_tells_apart_what_two_intervals_do_not():
    second = systems(400, 0.7, 0.7, 1)[0]
    first = second.copy()
    wrong = np.flatnonzero(ACCURACY.correct(second)[:, 0] == 0)[:12]
    first[wrong] = second[np.flatnonzero(ACCURACY.correct(second)[:, 0])[0]]  # right on twelve more examples
    found = compare(ACCURACY, first, second)
    assert found.interval.low > 0 and found.bootstrap_p < 0.01 and found.mcnemar.exact < 0.01
    alone = [Bootstrap().intervals(ACCURACY, rows)["accuracy"] for rows in (first, second)]
    assert alone[0].low < alone[1].high


def test_p_values_of_equal_systems_are_uniform():
    values = []
    for seed in range(150):
        found = compare(ACCURACY, *systems(80, 0.6, 0.6, seed), bootstrap=Bootstrap(resamples=199))
        values.append((found.bootstrap_p, found.randomisation.p, found.mcnemar.mid_p))
    rates = np.mean(np.array(values) < 0.05, axis=0)
    assert (rates < 0.11).all(), rates


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60))
def test_mcnemar_equals_statsmodels(pairs):
    pytest.importorskip("statsmodels")
    from statsmodels.stats.contingency_tables import mcnemar as peer

    first, second = np.array(pairs).T
    table = [[np.sum((first == a) & (second == b)) for b in (True, False)] for a in (True, False)]
    found = mcnemar(first, second)
    assert (found.only_first, found.only_second) == (table[0][1], table[1][0])
    if found.only_first + found.only_second:
        assert found.exact == pytest.approx(peer(table, exact=True).pvalue)
        here = stats.binom.pmf(min(table[0][1], table[1][0]), table[0][1] + table[1][0], 0.5)
        half = 2 * stats.binom.cdf(min(table[0][1], table[1][0]), table[0][1] + table[1][0], 0.5) - here
        assert found.mid_p == pytest.approx(half) and found.mid_p <= found.exact
    else:
        assert (found.exact, found.mid_p) == (1.0, 1.0) and "nothing to test" in found.note


def stepped_down(values: list[float], level: float) -> list[bool]:
    """Holm's procedure as it is told: go from the smallest p on, and stop at the first that is not small enough."""
    rejected, order = [False] * len(values), sorted(range(len(values)), key=values.__getitem__)
    for place, index in enumerate(order):
        if values[index] * (len(values) - place) > level:
            break
        rejected[index] = True
    return rejected


@settings(max_examples=80, deadline=None)
@given(st.lists(st.integers(0, 100).map(lambda k: k / 100), min_size=1, max_size=8))
def test_holm_rejects_what_the_procedure_rejects(values):
    adjusted = holm({str(place): value for place, value in enumerate(values)})
    for level in (0.01, 0.05, 0.1, 0.3, 0.5, 0.99):
        assert [p <= level for p in adjusted.values()] == stepped_down(values, level)


def test_holm_equals_statsmodels():
    pytest.importorskip("statsmodels")
    from statsmodels.stats.multitest import multipletests

    values = [0.04, 0.001, 0.03, 0.03, 0.9, 0.2]
    found = holm({str(place): value for place, value in enumerate(values)})
    np.testing.assert_allclose(list(found.values()), multipletests(values, method="holm")[1], atol=1e-12)


@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan")])
def test_holm_refuses_what_is_no_probability(p):
    with pytest.raises(EuroglueError, match="b: expected a p-value from 0 to 1"):
        holm({"a": 0.5, "b": p})


def test_equal_systems_do_not_differ():
    first, _ = systems(50, 0.7, 0.7, 1)
    found = compare(ACCURACY, first, first)
    assert (found.difference, found.bootstrap_p, found.randomisation.p, found.mcnemar.exact) == (0.0, 1.0, 1.0, 1.0)
    assert found.interval[:2] == (None, None) and "all resamples give the same" in found.interval.note


def test_one_example_has_neither_interval_nor_bootstrap():
    first, second = ACCURACY.statistics([1], [1]), ACCURACY.statistics([0], [1])
    found = compare(ACCURACY, first, second)
    assert found.interval.low is None and found.bootstrap_p is None and found.randomisation.p == 1.0


def test_a_graded_metric_has_no_mcnemar():
    metric, first, other = two("pearson", 12, 1)
    assert compare(metric, first, other).mcnemar is None


@pytest.mark.parametrize(
    ("rows", "key", "message"),
    [(9, None, "the same examples, got 10 and 9"), (10, "f2", "has no score 'f2'; it has: accuracy")],
)
def test_what_cannot_be_compared_is_refused(rows, key, message):
    first, second = systems(10, 0.5, 0.5, 1)
    with pytest.raises(EuroglueError, match=message):
        compare(ACCURACY, first, second[:rows], key=key)
