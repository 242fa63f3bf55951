# SPDX-License-Identifier: Apache-2.0
"""Label metrics equal scikit-learn's over a fixed label set, whatever labels occur, and refuse what cannot be scored."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as sklearn

from euroglue.errors import EuroglueError, PredictionError
from euroglue.scoring import METRICS, metric_for, score
from euroglue.scoring.labels import (
    Accuracy,
    AnswerAccuracy,
    BinaryF1,
    MacroF1,
    MatthewsCorrelation,
    MicroF1,
    WeightedF1,
)

NAMES = ("отрицателно", "неутрално", "положително", "смесено")
PAIRS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30)
UNKNOWN = st.lists(st.tuples(st.integers(0, 3), st.sampled_from([*NAMES, "друго", ""])), min_size=1, max_size=30)


def oracle(gold, guess, labels):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        p, r, f, _ = sklearn.precision_recall_fscore_support(gold, guess, labels=labels, zero_division=0)
        scores = {"accuracy": sklearn.accuracy_score(gold, guess), "mcc": sklearn.matthews_corrcoef(gold, guess)}
        means = {
            f"{key}_{average}": value
            for average in ("macro", "micro", "weighted")
            for key, value in zip(
                ("precision", "recall", "f1"),
                sklearn.precision_recall_fscore_support(gold, guess, labels=labels, average=average, zero_division=0),
            )
        }
    each = {"precision": p, "recall": r, "f1": f}
    by_label = {f"{label}_{key}": values[i] for key, values in each.items() for i, label in enumerate(labels)}
    return {**scores, **means, **by_label}


@settings(max_examples=100, deadline=None)
@given(PAIRS)
def test_scores_equal_scikit_learns_with_the_labels_fixed(pairs):
    gold, guess = ([NAMES[i] for i in side] for side in zip(*pairs, strict=True))
    scores = MacroF1(NAMES).compute(guess, gold)
    assert scores == pytest.approx(oracle(gold, guess, NAMES), abs=1e-12)
    assert Accuracy(NAMES).compute(guess, gold) == MatthewsCorrelation(NAMES).compute(guess, gold) == scores
    ids = [np.array([NAMES.index(name) for name in side]) for side in (guess, gold)]
    assert MicroF1(NAMES).compute(*ids) == WeightedF1(NAMES).compute(*ids) == scores, "arrays of ids too"


@settings(max_examples=100, deadline=None)
@given(UNKNOWN)
def test_unknown_predictions_are_wrong_as_scikit_learn_has_them(pairs):
    gold, guess = [NAMES[i] for i, _ in pairs], ["друго" if name == "" else name for _, name in pairs]
    assert MacroF1(NAMES).compute(guess, gold) == pytest.approx(oracle(gold, guess, NAMES), abs=1e-12)


@settings(max_examples=100, deadline=None)
@given(PAIRS)
def test_the_binary_score_is_that_of_the_positive_label(pairs):
    gold, guess = (np.array(side) for side in zip(*pairs, strict=True))
    for positive, name in enumerate(NAMES):
        scores = BinaryF1(NAMES, positive=name).compute(guess, gold)
        for key, function in (("f1", "f1_score"), ("precision", "precision_score"), ("recall", "recall_score")):
            expected = getattr(sklearn, function)(gold == positive, guess == positive, zero_division=0)
            assert scores[key] == pytest.approx(expected, abs=1e-12) == scores[f"{name}_{key}"]


@pytest.mark.issue("sklearn#23130")
@pytest.mark.issue("torchmetrics#295")
def test_one_stray_label_hardly_moves_the_macro_average():
    gold = ["credible", "fake"] * 100
    stray = ["друго", *gold[1:]]
    assert MacroF1(["credible", "fake"]).compute(stray, gold)["f1_macro"] > 0.99
    assert sklearn.f1_score(gold, stray, average="macro") < 0.67, "which averages over the labels of the data"


def test_unknown_ids_in_an_array_are_counted_as_those_in_a_list_are():
    for kind in (list, np.array):
        measured = MacroF1(NAMES).measure(kind([0, 9, -1, 9]), kind([0, 1, 2, 3]))
        assert measured.scores["accuracy"] == 0.25
        assert measured.warnings[0] == "3 predicted labels are unknown and count as wrong: 9 (2), -1 (1)"


def test_a_label_that_occurs_nowhere_counts_in_the_average_with_a_warning():
    measured = MacroF1(["a", "b", "c"]).measure(["a", "b"], ["a", "b"])
    assert measured.scores["f1_macro"] == pytest.approx(2 / 3) and measured.scores["accuracy"] == 1.0
    assert measured.warnings == ("labels in neither gold nor prediction have no f1 and count as 0 in f1_macro: c",)


@pytest.mark.issue("bgGLUE#label-absent-from-gold")
def test_a_predicted_label_that_the_gold_lacks_is_a_wrong_answer(news_task):
    result = score(news_task, ["fake", "credible"], ["credible", "credible"])
    assert result.scores["accuracy"] == 0.5 and result.value == 0.0
    assert result.warnings == ()
    unknown = score(news_task, ["сатира", "fake"], ["fake", "fake"])
    assert unknown.scores["recall"] == 0.5 and unknown.scores["precision"] == 1.0
    assert unknown.warnings[0] == "1 predicted labels are unknown and count as wrong: 'сатира' (1)"


def test_the_positive_label_is_the_last_and_is_in_the_signature(news_task):
    result = score(news_task, [1, 1, 0, 0], [1, 0, 1, 1])
    assert (result.primary, result.scores["precision"], result.scores["recall"]) == ("f1", 0.5, pytest.approx(1 / 3))
    assert "average:binary|positive:fake|zero_division:0|labels:credible,fake" in result.signature
    with pytest.raises(EuroglueError, match="positive label 'сатира' is not among the labels: credible, fake"):
        BinaryF1(["credible", "fake"], positive="сатира")


UNDEFINED = [
    (BinaryF1(NAMES[:2]), [0, 0], [0, 0], f"{NAMES[1]!r} is in neither gold nor prediction: its f1 has no value"),
    (BinaryF1(NAMES[:2]), [0, 0], [0, 1], None),
    (BinaryF1(NAMES[:2]), [0, 1], [0, 0], None),
    (MatthewsCorrelation(NAMES), [0, 0], [0, 1], "the predictions are constant: mcc has no value and is set to 0"),
    (MatthewsCorrelation(NAMES), [0, 1], [2, 2], "the references are constant: mcc has no value and is set to 0"),
    (MatthewsCorrelation(NAMES), [0, 1], [0, 1], None),
    (MacroF1(NAMES[:2]), [0, 0], [0, 1], None),
    (Accuracy(NAMES), [0, 0], [0, 0], None),
]


@pytest.mark.parametrize(("metric", "predictions", "references", "warning"), UNDEFINED)
def test_only_a_published_score_without_a_value_is_warned_of(metric, predictions, references, warning):
    measured = metric.measure(predictions, references)
    assert len(measured.warnings) == (warning is not None)
    if warning:
        assert warning in measured.warnings[0] and measured.scores[metric.primary] == 0.0


@pytest.mark.parametrize(("f1", "share"), [(45.08, 204 / 701)])
def test_the_papers_majority_row_for_fake_news_is_the_f1_of_always_fake(f1, share):
    # Table 3 prints 45.08; always "credible", the commoner label, has an F1 of 0 by the paper's own metric.
    fake = round(share * 701)
    gold = [1] * fake + [0] * (701 - fake)
    assert 100 * BinaryF1(["credible", "fake"]).compute([1] * 701, gold)["f1"] == pytest.approx(f1, abs=0.01)


SHAPES = [
    ([0, 1], [0, 2], "integers"),
    (np.array([0, 1]), np.array([0, 2]), "arrays"),
    (np.array([0, 1], dtype=np.uint8), np.array([0.0, 2.0]), "arrays of small integers, and of whole floats"),
    ([0.0, 1.0], [0, 2], "whole floats are ids"),
    (list(NAMES[:2]), [0, 2], "each side may be either"),
    ((NAMES[0], NAMES[1]), (NAMES[0], NAMES[2]), "tuples of names"),
]


@pytest.mark.parametrize(("predictions", "references", "why"), SHAPES, ids=[case[-1] for case in SHAPES])
def test_labels_come_as_names_or_ids(predictions, references, why):
    assert Accuracy(NAMES).compute(predictions, references)["accuracy"] == 0.5, why


REFUSED = [
    ([0], [0, 1], "expected 2 predictions, one per reference, got 1", "numbers of examples"),
    ([], [], "there are no examples to score", "nothing to score"),
    ([0.9, 1.2], [0, 1], "example 0: expected a label name or a whole number as the prediction, got 0.9", "fraction"),
    ([0, True], [0, 1], "example 1: expected a label name or a whole number as the prediction, got True", "bool"),
    ([0, None], [0, 1], "example 1: expected a label name or a whole number as the prediction, got None", "none"),
    ([0, [1]], [0, 1], "example 1: expected a label name or a whole number as the prediction, got [1]", "a list"),
    ([0, float("nan")], [0, 1], "got nan (float)", "NaN"),
    ([0, NAMES[1]], [0, 1], "example 1: expected label names or integers throughout as the prediction", "mixed"),
    (np.array([0, 1]), np.array([0, -1]), "example 1: the reference is hidden (-1)", "hidden in an array"),
    (np.array([0, 1]), np.array([0, 4]), "example 1: unknown reference label 4", "unknown in an array"),
    (np.array([0.9, 1.2]), np.array([0, 1]), "example 0: expected a label name or a whole number", "fractions, array"),
    ([0, 1], [0, -1], "example 1: the reference is hidden (-1), score a split whose gold is known", "hidden by -1"),
    ([0, 1], [0, -1.0], "example 1: the reference is hidden (-1.0)", "hidden by a float"),
    ([0, 1], [NAMES[0], ""], "example 1: the reference is hidden ('')", "hidden by an empty text"),
    ([0, 1], [0, None], "example 1: expected a label name or a whole number as the reference, got None", "null gold"),
    ([0, 1], [0, 4], "example 1: unknown reference label 4; known: отрицателно, неутрално", "unknown gold id"),
    ([0, 1], [NAMES[0], "друго"], "example 1: unknown reference label 'друго'; known: отрицателно", "unknown gold"),
]


@pytest.mark.issue("setfit#228")
@pytest.mark.issue("datasets#5624")
@pytest.mark.parametrize(("predictions", "references", "message", "why"), REFUSED, ids=[case[-1] for case in REFUSED])
def test_what_cannot_be_scored_is_refused(predictions, references, message, why):
    with pytest.raises(PredictionError) as caught:
        Accuracy(NAMES).compute(predictions, references)
    assert message in str(caught.value), why
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("metric", [Accuracy(NAMES), BinaryF1(NAMES), MatthewsCorrelation(NAMES), AnswerAccuracy()])
def test_rows_add_up_to_the_score_of_the_whole_and_of_resamples(metric):
    rng = np.random.default_rng(5)
    gold, guess = ([NAMES[i] for i in rng.integers(0, 4, 25)] for _ in range(2))
    rows = metric.statistics(guess, gold)
    assert metric.measure(guess, gold) == metric.summarise(*metric.observe(guess, gold))
    halves = metric.statistics(guess[:9], gold[:9]).sum(0) + metric.statistics(guess[9:], gold[9:]).sum(0)
    assert halves.tolist() == rows.sum(0).tolist(), "shards may be summed"
    draws = rng.integers(0, 25, (6, 25))
    resampled = metric.score(rows[draws].sum(axis=1))
    for i, draw in enumerate(draws):
        alone = metric.compute([guess[j] for j in draw], [gold[j] for j in draw])
        assert {key: float(values[i]) for key, values in resampled.items()} == pytest.approx(alone)


def test_answers_are_compared_as_texts(exam_task):
    metric = metric_for(exam_task)
    assert isinstance(metric, AnswerAccuracy)
    result = score(exam_task, ["A", "B", "А", "Д"], ["A", "C", "A", "Д"])
    assert dict(result.scores) == {"accuracy": 0.5}, "a Cyrillic А is no Latin A"
    assert "labels:open" in result.signature and result.warnings == ()


@pytest.mark.parametrize(
    ("predictions", "references", "message", "why"),
    [
        ([1], ["A"], "example 0: expected a text as the prediction, got 1 (int)", "a position for a letter"),
        (["A", None], ["A", "B"], "example 1: expected a text as the prediction, got None", "none"),
        (["A", "B"], ["A", ""], "example 1: the reference is hidden ('')", "hidden"),
        (["A"], [-1], "example 0: expected a text as the reference, got -1 (int)", "a class for a text"),
        ([], [], "there are no examples to score", "nothing"),
        (["A"], ["A", "B"], "expected 2 predictions, one per reference, got 1", "numbers of examples"),
    ],
)
def test_answers_that_cannot_be_scored_are_refused(predictions, references, message, why):
    with pytest.raises(PredictionError) as caught:
        AnswerAccuracy().compute(predictions, references)
    assert message in str(caught.value), why


@pytest.mark.parametrize("name", ["binary_f1", "macro_f1", "mcc"])
def test_a_task_without_labels_is_refused(name, exam_task):
    with pytest.raises(EuroglueError, match=f"exam: the metric {name} needs label names, the target 'gold' has none"):
        METRICS[name].for_task(exam_task)
