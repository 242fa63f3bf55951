# SPDX-License-Identifier: Apache-2.0
"""Intervals: equal to scipy's on the same resamples, for every metric, over examples and over groups."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from euroglue.errors import EuroglueError
from euroglue.scoring import METRICS, bootstrap, score
from euroglue.scoring.bootstrap import METHODS, Bootstrap, Sample, draws, limits
from euroglue.scoring.correlation import Pearson, Spearman
from euroglue.scoring.labels import Accuracy
from euroglue.scoring.ranking import TIES, AveragePrecision
from euroglue.scoring.signature import parse_signature
from tests.scoring.random_data import observed

LABELS = ("no", "yes")


def plain_score(metric, rows):
    return metric.score(rows.sum(axis=0) if metric.additive else rows)


@pytest.mark.parametrize("name", list(METRICS))
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 30))
def test_a_resample_scores_as_its_examples_do(name, seed, n):
    metric, rows = observed(name, n, seed)
    weights = np.concatenate(list(draws(n, 5, seed)))
    found = metric.score_weighted(rows, weights)
    for i, times in enumerate(weights.astype(int)):
        expected = plain_score(metric, np.repeat(rows, times, axis=0))
        assert found.keys() == expected.keys()
        for key, value in expected.items():
            assert found[key][i] == pytest.approx(float(value), abs=1e-9), key


@pytest.mark.parametrize("ties", TIES)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_weighted_ranking_scores_as_the_repeated_examples_do(ties, data):
    n = data.draw(st.integers(1, 12))
    scores = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    gold = data.draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    times = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n).filter(any))
    metric, rows = AveragePrecision(LABELS, ties), np.array([scores, gold], dtype=float).T
    found = metric.score_weighted(rows, np.array([times], dtype=float))
    expected = {key: float(value) for key, value in metric.score(np.repeat(rows, times, axis=0)).items()}
    assert {key: value[0] for key, value in found.items()} == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("metric", [Pearson(), Spearman()], ids=["pearson", "spearman"])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_weighted_correlation_is_that_of_the_repeated_examples(metric, data):
    n = data.draw(st.integers(2, 10))
    numbers = st.floats(-1e6, 1e6, width=32) | st.integers(0, 2).map(float)
    rows = np.array([data.draw(st.lists(numbers, min_size=n, max_size=n)) for _ in range(2)]).T
    times = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n).filter(any))
    found = metric.score_weighted(rows, np.array([times], dtype=float))[metric.primary][0]
    assert found == pytest.approx(float(metric.score(np.repeat(rows, times, axis=0))[metric.primary]), abs=1e-6)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["accuracy", "pearson", "squad", "mae", "average_precision"])
def test_intervals_equal_scipys_on_the_same_resamples(name, method):
    metric, rows = observed(name, 60, 3)

    def statistic(index):
        return round(float(plain_score(metric, rows[np.sort(index)])[metric.primary]), 14)  # equal scores are equal

    settings = {"n_resamples": 400, "confidence_level": 0.9, "vectorized": False}
    expected = stats.bootstrap(
        (np.arange(60),), statistic, **settings, method=method, rng=np.random.default_rng(7)
    ).confidence_interval
    found = Bootstrap(method=method, resamples=400, level=0.9, seed=7).intervals(metric, rows)[metric.primary]
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_another_seed_gives_another_interval_within_monte_carlo_error():
    metric, rows = observed("accuracy", 200, 5)
    one, two = (Bootstrap(resamples=4000, seed=seed).intervals(metric, rows)["accuracy"] for seed in (1, 2))
    assert one != two
    assert one[:2] == pytest.approx(two[:2], abs=0.02)
    assert one == Bootstrap(resamples=4000, seed=1).intervals(metric, rows)["accuracy"]


def test_the_standard_error_of_an_accuracy_is_the_binomial_one():
    rows = Accuracy(LABELS).statistics([1] * 300 + [0] * 100, [1] * 400)
    found = Bootstrap(method="percentile", resamples=5000).intervals(Accuracy(LABELS), rows)["accuracy"]
    assert found.error == pytest.approx(np.sqrt(0.75 * 0.25 / 400), rel=0.05)


@pytest.mark.issue("lighteval#409")
def test_draws_do_not_depend_on_chunks(monkeypatch):
    whole = np.concatenate(list(draws(50, 20, 9)))
    monkeypatch.setattr(bootstrap, "CELLS", 130)
    assert len(list(draws(50, 20, 9))) == 10
    np.testing.assert_array_equal(np.concatenate(list(draws(50, 20, 9))), whole)
    expected = np.random.default_rng(9).integers(0, 50, (20, 50))
    np.testing.assert_array_equal(whole, [np.bincount(row, minlength=50) for row in expected])


@pytest.mark.parametrize("name", ["accuracy", "pearson", "average_precision", "entity_f1"])
def test_whole_groups_are_drawn(name):
    metric, rows = observed(name, 40, 11)
    groups = [f"film {i % 7}" for i in range(40)]
    members = [np.flatnonzero(np.arange(40) % 7 == group) for group in range(7)]
    drawn = np.random.default_rng(2).integers(0, 7, (50, 7))
    values = [
        plain_score(metric, rows[np.sort(np.concatenate([members[group] for group in row]))])[metric.primary]
        for row in drawn
    ]
    found = Bootstrap(method="percentile", resamples=50, seed=2, over="film").intervals(metric, rows, groups)
    assert found[metric.primary][:2] == pytest.approx(tuple(np.percentile(values, [2.5, 97.5])), abs=1e-9)


@pytest.mark.parametrize("name", list(METRICS))
def test_groups_of_one_example_are_examples(name):
    metric, rows = observed(name, 25, 4)
    how = Bootstrap(resamples=40)
    alone, grouped = how.intervals(metric, rows), how.intervals(metric, rows, range(25))
    for key, interval in alone.items():
        assert grouped[key][:3] == pytest.approx(interval[:3], abs=1e-9), key


def test_groups_that_hang_together_widen_the_interval():
    right = np.repeat(np.random.default_rng(3).integers(0, 2, 40), 25)
    rows = Accuracy(LABELS).statistics(right, np.ones(1000, dtype=int))
    narrow = Bootstrap().intervals(Accuracy(LABELS), rows)["accuracy"]
    wide = Bootstrap(over="film").intervals(Accuracy(LABELS), rows, np.repeat(np.arange(40), 25))["accuracy"]
    assert wide.error > 4 * narrow.error


@pytest.mark.parametrize(
    ("right", "groups", "method", "note"),
    [
        ([1], None, "bca", "one example: there is nothing to resample"),
        ([1, 0, 1], ["a", "a", "a"], "bca", "one value of film: there is nothing to resample"),
        (
            [1, 1, 1, 1],
            None,
            "bca",
            "all resamples give the same, so that they do not tell how sure it is: there is none",
        ),
        ([0, 0, 0, 0], None, "percentile", "all resamples give the same"),
    ],
    ids=["one example", "one group", "all right", "all wrong"],
)
def test_what_has_no_interval_says_so(right, groups, method, note, topic_task):
    how = Bootstrap(method=method, over="film" if groups else "examples")
    metric = Accuracy(LABELS)
    found = how.intervals(metric, metric.statistics(right, [1] * len(right)), groups)["accuracy"]
    assert (found.low, found.high) == (None, None) and found.note.startswith(note)
    result = score(topic_task, right, [1] * len(right), metric=metric, bootstrap=how, groups=groups)
    assert "accuracy" not in result.intervals
    assert result.notes == (f"the interval of accuracy: {found.note}",) == tuple(result.to_dict()["notes"])
    assert not any("interval" in warning for warning in result.warnings)


@pytest.mark.parametrize(("observed", "sign"), [(0.001, 1), (0.999, -1)])
def test_an_extreme_level_of_a_skewed_score_keeps_its_ends_in_order(observed, sign):
    # the correction has a pole, beyond which its formula would turn the ends round
    values, left_out = np.linspace(0, 1, 2001), sign * np.array([1.0] + [0.0] * 30)
    ends = [limits(values, observed, left_out, level)[:2] for level in (0.9, 0.99, 0.999999, 1 - 1e-12)]
    assert all(low <= high for low, high in ends)
    assert all(wide[0] <= low and high <= wide[1] for (low, high), wide in zip(ends, ends[1:]))


@pytest.mark.parametrize(("one", "other"), [(0.95, 0.9500001), (0.999999, 0.9999999), (0.5, 0.5 + 1e-15)])
def test_two_levels_have_two_signatures(one, other):
    assert Bootstrap(level=one).settings() != Bootstrap(level=other).settings()


def test_a_score_outside_all_resamples_has_no_bca_interval():
    found = limits(np.array([0.1, 0.2, 0.3]), 0.5, np.array([0.1, 0.5, 0.7]), 0.95)
    assert (found.low, found.high) == (None, None) and "outside all resamples" in found.note


def test_the_signature_says_how(topic_task):
    how = Bootstrap(method="percentile", resamples=50, level=0.9, seed=0, over="film")
    result = score(
        topic_task, [0, 1, 1], [0, 1, 0], metric=Accuracy(topic_task.labels), bootstrap=how, groups=["a", "b", "c"]
    )
    parts = parse_signature(result.signature)
    assert {key: value for key, value in parts.items() if key.startswith("interval")} == {
        "interval": "percentile",
        "interval_level": "0.9",
        "interval_resamples": "50",
        "interval_seed": "0",
        "interval_over": "film",
    }
    assert result.to_dict()["intervals"]["accuracy"] == list(result.intervals["accuracy"])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"method": "normal"}, "percentile or bca"),
        ({"resamples": 1}, "at least 2"),
        ({"level": 1.0}, "between 0 and 1"),
        ({"level": float("nan")}, "between 0 and 1"),
        ({"seed": -1}, "at least 0"),
    ],
)
def test_settings_out_of_range_are_refused(given, message):
    with pytest.raises(EuroglueError, match=message):
        Bootstrap(**given)


def test_each_example_needs_a_group():
    metric, rows = observed("accuracy", 10, 1)
    with pytest.raises(EuroglueError, match="a group for each of 10 examples, got 9"):
        Bootstrap().intervals(metric, rows, ["a"] * 9)


def test_a_long_ranking_is_jackknifed_by_blocks(monkeypatch):
    metric, rows = observed("average_precision", 400, 1)
    exact = Sample(metric, rows).left_out()["average_precision"]
    monkeypatch.setattr(bootstrap, "BLOCKS", 40)
    blocks = Sample(metric, rows).left_out()["average_precision"]
    assert (len(exact), len(blocks)) == (400, 40)
    first = metric.score(rows[10:])["average_precision"]
    assert blocks[0] == pytest.approx(float(first))


def test_memory_is_bounded():
    metric, rows = observed("accuracy", 2000, 1)
    tracemalloc.start()
    Bootstrap(resamples=20_000).intervals(metric, rows)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6  # all counts at once would be 320 MB


def test_groups_are_named_in_the_signature_and_never_claimed(topic_task):
    metric, sides = Accuracy(topic_task.labels), ([0, 1, 1], [0, 1, 0])
    drawn = score(topic_task, *sides, metric=metric, bootstrap=Bootstrap(resamples=50), groups=["a", "a", "b"])
    assert parse_signature(drawn.signature)["interval_over"] == "groups"
    with pytest.raises(EuroglueError, match="intervals are to be over film: give the group of each example"):
        score(topic_task, *sides, metric=metric, bootstrap=Bootstrap(over="film"))
