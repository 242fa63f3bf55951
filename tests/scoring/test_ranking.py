# SPDX-License-Identifier: Apache-2.0
"""Ranking scores equal scikit-learn's without ties, and with ties the mean over every order of the tied examples."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from euroglue.errors import EuroglueError, PredictionError
from euroglue.scoring import metric_for, score
from euroglue.scoring.ranking import CUTOFFS, AveragePrecision

LABELS = ("normal", "check-worthy")


def by_hand(ranked):
    """The scores of gold labels in ranked order, by their definitions, one rank after the other."""
    hits = [sum(ranked[: i + 1]) for i in range(len(ranked))]
    precisions = [hits[i] / (i + 1) for i, gold in enumerate(ranked) if gold]
    first = ranked.index(1) + 1 if 1 in ranked else None
    positives = sum(ranked)
    return {
        "average_precision": sum(precisions) / positives if positives else 0.0,
        **{f"precision_at_{k}": sum(ranked[:k]) / k for k in CUTOFFS},
        "r_precision": sum(ranked[:positives]) / positives if positives else 0.0,
        "reciprocal_rank": 1 / first if first else 0.0,
    }


def over_all_orders(scores, gold):
    """The mean of every score over all orders of the examples that keep the scores descending."""
    orders = [
        order
        for order in permutations(range(len(gold)))
        if all(scores[a] >= scores[b] for a, b in zip(order, order[1:], strict=False))
    ]
    found = [by_hand([gold[i] for i in order]) for order in orders]
    return {key: sum(each[key] for each in found) / len(found) for key in found[0]}


TIED = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1)), min_size=1, max_size=6)


@settings(max_examples=150, deadline=None)
@given(TIED)
def test_ties_score_the_mean_over_all_their_orders(pairs):
    scores, gold = zip(*pairs, strict=True)
    assert AveragePrecision(LABELS).compute(scores, gold) == pytest.approx(over_all_orders(scores, gold), abs=1e-12)


@pytest.mark.parametrize("gold", [[1, 0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 0, 0, 1], [1] * 7, [0] * 7])
def test_a_constant_scores_the_mean_over_all_orders(gold):
    constant = AveragePrecision(LABELS).compute([0.5] * 7, gold)
    assert constant == pytest.approx(over_all_orders([0] * 7, gold), abs=1e-12)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.integers(0, 1), min_size=1, max_size=80), st.integers(0, 10**6))
def test_without_ties_scores_equal_scikit_learns_and_the_definitions(gold, seed):
    scores = np.random.default_rng(seed).permutation(len(gold)) / 7
    ranked = [gold[i] for i in np.argsort(-scores)]
    for ties in ("expected", "order"):
        found = AveragePrecision(LABELS, ties=ties).compute(scores, gold)
        assert found == pytest.approx(by_hand(ranked), abs=1e-12)
    if any(gold):
        assert found["average_precision"] == pytest.approx(average_precision_score(gold, scores), abs=1e-12)


@settings(max_examples=150, deadline=None)
@given(TIED)
def test_the_organisers_order_keeps_the_examples_order_among_equals(pairs):
    scores, gold = zip(*pairs, strict=True)
    ranked = [gold[i] for i, _ in sorted(enumerate(scores), key=lambda item: item[1], reverse=True)]
    assert AveragePrecision(LABELS, ties="order").compute(scores, gold) == pytest.approx(by_hand(ranked), abs=1e-12)


@pytest.mark.issue("sklearn#6377")
@pytest.mark.issue("vlfeat#51")
@pytest.mark.issue("mteb#5092")
def test_a_constant_scores_alike_in_any_order_of_the_file():
    orders = ([1, 0, 0, 0], [0, 0, 0, 1])
    both = [AveragePrecision(LABELS).compute([0.0] * 4, gold) for gold in orders]
    assert both[0] == pytest.approx(both[1])
    assert both[0]["average_precision"] == pytest.approx((1 + 1 / 2 + 1 / 3 + 1 / 4) / 4)
    assert both[0]["reciprocal_rank"] == both[0]["average_precision"], "with one positive"
    in_order = [AveragePrecision(LABELS, ties="order").compute([0.0] * 4, gold) for gold in orders]
    assert [scores["average_precision"] for scores in in_order] == [1.0, 0.25], "luck, in the compatible mode"


@pytest.mark.issue("bgGLUE#p-at-50")
def test_fewer_examples_than_the_cutoff_divide_by_the_cutoff():
    scores = AveragePrecision(LABELS).compute([0.9, 0.8], [1, 1])
    assert scores["precision_at_1"] == 1.0 and scores["precision_at_50"] == pytest.approx(2 / 50)


@pytest.mark.issue("bgGLUE#no-positives")
def test_no_positive_is_zero_with_a_warning(tweets_task):
    result = score(tweets_task, [0.3, 0.2], [0, 0])
    assert set(result.scores.values()) == {0.0}
    assert result.warnings == ("no example is 'check-worthy': the ranking has no score and is set to 0",)
    assert "no_positives:0" in result.signature


def test_the_signature_names_the_rule_for_ties_and_the_positive_label(tweets_task):
    scores, gold = [0.5, 0.5], ["normal", "check-worthy"]
    expected = score(tweets_task, scores, gold)
    compatible = score(tweets_task, scores, gold, metric=AveragePrecision(tweets_task.labels, ties="order"))
    assert (expected.value, compatible.value) == (0.75, 0.5)
    assert "ties:expected|positive:check-worthy" in expected.signature and "ties:order" in compatible.signature
    with pytest.raises(EuroglueError, match="expected ties to be one of expected, order, got 'best'"):
        AveragePrecision(LABELS, ties="best")


@pytest.mark.parametrize("ties", ["expected", "order"])
def test_resamples_score_as_each_would_alone(ties):
    rng = np.random.default_rng(11)
    metric = AveragePrecision(LABELS, ties=ties)
    rows = metric.statistics(rng.integers(0, 6, 60).tolist(), rng.integers(0, 2, 60).tolist())
    draws = rng.integers(0, 60, (8, 60))
    together = metric.score(rows[draws])
    assert not metric.additive
    for i, draw in enumerate(draws):
        alone = metric.compute(rows[draw][:, 0], rows[draw][:, 1])
        assert {key: float(values[i]) for key, values in together.items()} == pytest.approx(alone)


def test_a_perfect_ranking_scores_exactly_one(tweets_task):
    gold = [0, 1, 1, 0, 1, 1, 1] * 10
    scores = metric_for(tweets_task).compute([float(label) for label in gold], gold)
    assert scores["average_precision"] == scores["r_precision"] == scores["reciprocal_rank"] == 1.0


def test_long_rankings_with_huge_ties_stay_finite():
    gold = [0] * 20_000 + [1] * 20
    scores = AveragePrecision(LABELS).compute([0.0] * len(gold), gold)
    assert scores["average_precision"] == pytest.approx(0.001, rel=0.5)
    assert scores["precision_at_50"] == pytest.approx(20 / 20_020)


REFUSED = [
    ([0.1], [0, 1], "expected 2 predictions, one per reference, got 1", "numbers of examples"),
    ([], [], "there are no examples to score", "nothing to score"),
    ([0.1, float("nan")], [0, 1], "example 1: expected a finite number as the prediction, got nan", "NaN"),
    ([0.1, float("inf")], [0, 1], "example 1: expected a finite number as the prediction, got inf", "infinity"),
    ([0.1, "0.2"], [0, 1], "example 1: expected a number as the prediction, got '0.2' (str)", "a string"),
    ([[0.1, 0.9]], [1], "example 0: expected a number as the prediction, got [0.1, 0.9] (list)", "two logits"),
    ([0.1, 0.2], [0, -1], "example 1: the reference is hidden (-1)", "hidden by -1"),
    ([0.1, 0.2], [0, 2], "example 1: unknown reference label 2; known: normal, check-worthy", "unknown gold"),
    ([0.1, 0.2], [0, 0.5], "example 1: expected a label name or a whole number as the reference, got 0.5", "graded"),
]


@pytest.mark.issue("mteb#5092")
@pytest.mark.parametrize(("predictions", "references", "message", "why"), REFUSED, ids=[case[-1] for case in REFUSED])
def test_what_is_no_ranking_is_refused(predictions, references, message, why):
    with pytest.raises(PredictionError) as caught:
        AveragePrecision(LABELS).compute(predictions, references)
    assert message in str(caught.value), why
