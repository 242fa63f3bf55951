# SPDX-License-Identifier: Apache-2.0
"""What every family of metrics does where a score has no value, or where the input is odd: one table, one test."""

from __future__ import annotations

import math

import numpy as np
import pytest

from euroglue.errors import EuroglueError, PredictionError
from euroglue.predictions import join, read_predictions
from euroglue.scoring import METRICS
from euroglue.scoring.answers import AnswerF1, SloveneAnswerF1
from euroglue.scoring.correlation import MeanAbsoluteError, Pearson, PearsonSpearman, RootMeanSquaredError, Spearman
from euroglue.scoring.entity_f1 import EntityF1
from euroglue.scoring.entity_f1_no_misc import EntityF1WithoutMisc
from euroglue.scoring.labels import (
    Accuracy,
    AnswerAccuracy,
    BinaryF1,
    ChoiceAccuracy,
    MacroF1,
    MatthewsCorrelation,
    MicroF1,
    WeightedF1,
)
from euroglue.scoring.ranking import AveragePrecision
from euroglue.scoring.token_accuracy import TokenAccuracy, TokenF1
from euroglue.scoring.upos import UniversalPos

TAGS = ("O", "B-PER", "I-PER", "B-MISC")
PAIR = ("no", "yes")
THREE = ("a", "b", "c")
NAN, INF = math.nan, math.inf
ENTITIES, TOKENS, BINARY, RANKING = EntityF1(TAGS), TokenAccuracy(TAGS), BinaryF1(PAIR), AveragePrecision(PAIR)
GOLD = {"text": ["Gent"], "answer_start": [0]}
NO_ANSWER = {"text": [], "answer_start": []}
HIDDEN_ANSWER = {"text": [], "answer_start": [3]}

POLICIES = [
    # case, metric, predictions, references, scores or the message of an error, warning
    ("no positives", BINARY, [0, 0], [0, 0], {"f1": 0.0, "accuracy": 1.0}, "'yes' is in neither gold nor prediction"),
    ("no positives", BINARY, [1, 0], [0, 0], {"f1": 0.0, "precision": 0.0, "recall": 0.0}, None),
    (
        "no positives",
        RANKING,
        [0.2, 0.1],
        [0, 0],
        {"average_precision": 0.0, "r_precision": 0.0},
        "no example is 'yes'",
    ),
    ("no positives", AnswerF1(), [""], [NO_ANSWER], {"f1": 1.0, "has_ans_f1": 0.0, "no_ans_share": 1.0}, None),
    ("no entities", ENTITIES, [["O"]], [["O"]], {"f1": 0.0, "f1_macro": 0.0}, "no entities in gold nor prediction"),
    ("no entities", ENTITIES, [["O"]], [["B-PER"]], {"f1": 0.0, "precision": 0.0}, None),
    ("no entities", ENTITIES, [["B-PER"]], [["O"]], {"f1": 0.0, "recall": 0.0}, None),
    ("no entities", EntityF1WithoutMisc(TAGS), [["B-MISC"]], [["O"]], {"f1_no_misc": 0.0}, "no entities but MISC"),
    ("no entities", EntityF1WithoutMisc(TAGS, empty="one"), [["O"]], [["O"]], {"f1_no_misc": 1.0}, "is set to 1"),
    ("no entities", TokenF1(TAGS), [["O"]], [["O"]], {"f1_macro": 0.0, "accuracy": 1.0}, "no tag but O"),
    ("constant predictions", MatthewsCorrelation(PAIR), [0, 0], [0, 1], {"mcc": 0.0}, "the predictions are constant"),
    ("constant predictions", MatthewsCorrelation(PAIR), [0, 1], [1, 1], {"mcc": 0.0}, "the references are constant"),
    ("constant predictions", PearsonSpearman(), [1, 1], [1, 2], {"pearson_spearman": 0.0, "pearson": 0.0}, "constant"),
    ("constant predictions", Pearson(), [2, 2], [1, 2], {"pearson": 0.0}, "the predictions are constant"),
    ("constant predictions", Spearman(), [1, 2], [3, 3], {"spearman": 0.0}, "the references are constant"),
    (
        "constant predictions",
        RANKING,
        [0, 0, 0, 0],
        [1, 0, 0, 0],
        {"average_precision": (1 + 1 / 2 + 1 / 3 + 1 / 4) / 4},
        None,
    ),
    ("constant predictions", MacroF1(PAIR), [1, 1], [0, 1], {"f1_macro": 1 / 3}, None),
    ("ties", RANKING, [0.5, 0.5], [0, 1], {"average_precision": 0.75, "precision_at_1": 0.5}, None),
    ("ties", AveragePrecision(PAIR, ties="order"), [0.5, 0.5], [0, 1], {"average_precision": 0.5}, None),
    ("ties", Spearman(), [1, 1, 2], [1, 2, 3], {"spearman": math.sqrt(3) / 2}, None),
    ("a label nowhere in gold", MacroF1(THREE), [0, 1, 2], [0, 1, 1], {"f1_macro": (1 + 2 / 3 + 0) / 3}, None),
    ("a label nowhere in gold", MacroF1(THREE), [0, 1], [0, 1], {"f1_macro": 2 / 3}, "count as 0 in f1_macro: c"),
    ("a label nowhere in gold", WeightedF1(THREE), [0, 1], [0, 1], {"f1_weighted": 1.0}, None),
    ("a label nowhere in gold", ENTITIES, [["B-PER"]], [["B-PER"]], {"f1_macro": 1.0}, None),
    ("a label nowhere in gold", TokenF1(TAGS), [["B-PER"]], [["B-PER"]], {"f1_macro": 1 / 3}, None),
    (
        "a label outside the set",
        Accuracy(PAIR),
        ["x", "no"],
        ["no", "no"],
        {"accuracy": 0.5},
        "1 predicted labels are unknown",
    ),
    ("a label outside the set", Accuracy(PAIR), ["no"], ["x"], "unknown reference label 'x'", None),
    (
        "a label outside the set",
        MicroF1(PAIR),
        [9, 0],
        [0, 0],
        {"precision_micro": 1.0, "recall_micro": 0.5},
        "unknown",
    ),
    ("a label outside the set", ENTITIES, [["B-X", "O"]], [["O", "B-PER"]], {"precision": 0.0}, "1 predicted labels"),
    ("a label outside the set", ENTITIES, [["O"]], [["B-X"]], "unknown reference label 'B-X'", None),
    ("a label outside the set", TOKENS, [["X"]], [["O"]], {"accuracy": 0.0}, "1 predicted labels are unknown"),
    ("a label outside the set", RANKING, [0.5], [2], "unknown reference label 2", None),
    ("a label outside the set", AnswerAccuracy(), ["Д"], ["A"], {"accuracy": 0.0}, None),
    ("empty sets", Accuracy(PAIR), [], [], "there are no examples to score", None),
    ("empty sets", ENTITIES, [], [], "there are no examples to score", None),
    ("empty sets", TOKENS, [], [], "there are no examples to score", None),
    ("empty sets", RANKING, [], [], "there are no examples to score", None),
    ("empty sets", PearsonSpearman(), [], [], "there are no examples to score", None),
    ("empty sets", AnswerF1(), [], [], "there are no examples to score", None),
    ("one example", Accuracy(PAIR), [1], [1], {"accuracy": 1.0, "f1_macro": 0.5}, None),
    ("one example", MatthewsCorrelation(PAIR), [1], [1], {"mcc": 0.0}, "the predictions are constant"),
    ("one example", ENTITIES, [["B-PER"]], [["B-PER"]], {"f1": 1.0}, None),
    ("one example", RANKING, [0.1], [1], {"average_precision": 1.0, "precision_at_50": 0.02}, None),
    ("one example", Pearson(), [1.0], [1.0], "pearson needs at least 2 examples, got 1", None),
    ("one example", RootMeanSquaredError(), [1.0], [3.0], {"rmse": 2.0}, None),
    ("one example", SloveneAnswerF1(), ["»Bled«"], ["Bled"], {"f1_sl": 1.0, "f1": 0.0}, None),
    ("NaN or infinity", Pearson(), [NAN, 1.0], [1.0, 2.0], "example 0: expected a finite number", None),
    ("NaN or infinity", MeanAbsoluteError(), [INF], [1.0], "example 0: expected a finite number", None),
    ("NaN or infinity", Pearson(), [10**400, 1], [1.0, 2.0], "example 0: expected a finite number", None),
    ("NaN or infinity", Pearson(), np.array([1.0, NAN]), [1.0, 2.0], "example 1: expected a finite number", None),
    ("NaN or infinity", RANKING, [0.1, -INF], [0, 1], "example 1: expected a finite number", None),
    ("NaN or infinity", Accuracy(PAIR), [NAN], [0], "got nan (float)", None),
    ("NaN or infinity", ENTITIES, [[NAN]], [[0]], "got nan (float)", None),
    ("hidden references", Accuracy(PAIR), [0], [-1], "the reference is hidden (-1)", None),
    ("hidden references", Accuracy(PAIR), ["no"], [""], "the reference is hidden ('')", None),
    ("hidden references", Accuracy(PAIR), np.array([0]), np.array([-1]), "the reference is hidden (-1)", None),
    ("hidden references", ENTITIES, [["O"]], [[-1]], "example 0, tag 0: the reference is hidden (-1)", None),
    ("hidden references", ENTITIES, [["O"]], [[]], "the gold is hidden in this split", None),
    ("hidden references", ENTITIES, [np.array([0])], [np.array([-1])], "tag 0: the reference is hidden (-1)", None),
    ("hidden references", Pearson(), [1.0, 2.0], [NAN, 1.0], "the reference is hidden (nan)", None),
    ("hidden references", Pearson(), [1.0, 2.0], [None, 1.0], "the reference is hidden (nan)", None),
    ("hidden references", RANKING, [1.0], [-1], "the reference is hidden (-1)", None),
    ("hidden references", AnswerAccuracy(), ["A"], [""], "the reference is hidden ('')", None),
    ("hidden references", ChoiceAccuracy(), [0], [-1], "the reference is hidden (-1)", None),
    (
        "hidden references",
        AnswerF1(),
        ["A"],
        [HIDDEN_ANSWER],
        "the reference is hidden (1 places without a text)",
        None,
    ),
    ("strings against ints", Accuracy(PAIR), ["yes", "no"], [1, 1], {"accuracy": 0.5}, None),
    ("strings against ints", Accuracy(PAIR), ["1"], [1], {"accuracy": 0.0}, "'1' (1)"),
    ("strings against ints", Accuracy(PAIR), ["yes", 1], [1, 1], "expected label names or integers throughout", None),
    ("strings against ints", ENTITIES, [[1, 2]], [["B-PER", "I-PER"]], {"f1": 1.0}, None),
    ("strings against ints", ChoiceAccuracy(), ["1"], [1], {"accuracy": 1.0}, None),
    ("strings against ints", AnswerAccuracy(), [1], ["1"], "expected a text as the prediction, got 1 (int)", None),
    ("strings against ints", Pearson(), ["1", 2], [1, 2], "expected a number as the prediction, got '1' (str)", None),
    ("strings against ints", RANKING, [0.1], ["yes"], {"average_precision": 1.0}, None),
    ("fractions as labels", Accuracy(PAIR), [0.9, 1.2], [0, 1], "expected a label name or a whole number", None),
    ("fractions as labels", Accuracy(PAIR), np.array([0.9]), [0], "expected a label name or a whole number", None),
    ("fractions as labels", Accuracy(PAIR), [1.0], [1], {"accuracy": 1.0}, None),
    ("fractions as labels", ENTITIES, [[0.5]], [[0]], "expected a label name or a whole number", None),
    ("fractions as labels", ENTITIES, [np.array([0.5])], [np.array([0])], "expected a label name or a whole", None),
    ("fractions as labels", ChoiceAccuracy(), [0.5], [0], "expected the number of a choice", None),
    ("fractions as labels", Accuracy(PAIR), [True], [1], "got True (bool)", None),
    ("different lengths", Accuracy(PAIR), [0], [0, 1], "expected 2 predictions, one per reference, got 1", None),
    ("different lengths", Pearson(), [1, 2, 3], [1, 2], "expected 2 predictions, one per reference, got 3", None),
    ("different lengths", ENTITIES, [["O"]], [["O"], ["O"]], "expected 2 predictions, one per reference, got 1", None),
    (
        "fewer tags than words",
        ENTITIES,
        [["B-PER"]],
        [["B-PER", "B-PER"]],
        {"recall": 0.5},
        "1 missing tags count as O",
    ),
    (
        "fewer tags than words",
        UniversalPos(THREE),
        [["a"]],
        [["a", "b"]],
        {"accuracy": 0.5},
        "1 missing tags count as O",
    ),
    ("fewer tags than words", TOKENS, [["O"]], [["O", "O"]], "example 0: expected 2 tags, got 1", None),
    ("more tags than words", ENTITIES, [["O", "O"]], [["O"]], "example 0: expected 1 tags, got 2", None),
    ("more tags than words", UniversalPos(THREE), [["a", "b"]], [["a"]], "example 0: expected 1 tags, got 2", None),
    ("more tags than words", TOKENS, [["O", "O"]], [["O"]], "example 0: expected 1 tags, got 2", None),
]


@pytest.mark.parametrize(
    ("case", "metric", "predictions", "references", "outcome", "warning"),
    POLICIES,
    ids=[f"{case}-{type(metric).__name__}-{place}" for place, (case, metric, *_) in enumerate(POLICIES)],
)
def test_every_odd_case_has_a_stated_outcome(case, metric, predictions, references, outcome, warning):
    if isinstance(outcome, str):
        with pytest.raises(EuroglueError) as caught:
            metric.measure(predictions, references)
        assert outcome in str(caught.value) and "\n" not in str(caught.value), case
        return
    measured = metric.measure(predictions, references)
    assert {key: measured.scores[key] for key in outcome} == pytest.approx(outcome), case
    said = " ".join(measured.warnings)
    assert (warning in said) if warning else not said, case


def test_an_id_with_fewer_tags_is_filled_where_the_metric_fills_and_refused_elsewhere(names_task):
    gold = {"a": ["O", "B-PER"], "b": ["O"]}
    given = {"b": ["O"], "a": ["O"]}
    assert join(given, gold, short=True) == ([["O"], ["O"]], [["O", "B-PER"], ["O"]])
    with pytest.raises(EuroglueError, match="id 'a': expected 2 tags, got 1"):
        join(given, gold)
    with pytest.raises(EuroglueError, match="id 'b': expected 1 tags, got 2"):
        join({**given, "b": ["O", "O"]}, gold, short=True)
    assert (METRICS["entity_f1"].fills, METRICS["upos"].fills, METRICS["token_accuracy"].fills) == (True, True, False)


IDS = [
    ({"a": 1}, {"a": 1, "b": 2}, "1 ids have no prediction: 'b'", "missing"),
    ({"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 2}, "1 ids are not in this split: 'c'", "too many"),
    ({"a": ["O", "O"]}, {"a": ["O"]}, "id 'a': expected 1 tags, got 2", "more tags"),
]


@pytest.mark.parametrize(("predictions", "references", "message", "why"), IDS, ids=[case[-1] for case in IDS])
def test_ids_that_do_not_fit_are_refused(predictions, references, message, why):
    with pytest.raises(EuroglueError) as caught:
        join(predictions, references)
    assert message in str(caught.value), why


def test_an_id_that_occurs_twice_is_refused_with_its_lines(tmp_path, news_task):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"id": "a", "label": "fake"}\n{"id": "a", "label": "credible"}\n', encoding="utf-8")
    with pytest.raises(EuroglueError, match="line 2: the id 'a' was already on line 1"):
        read_predictions(path, news_task)


@pytest.mark.parametrize("metric", [AnswerAccuracy(), AnswerF1(), Pearson(), Accuracy(["a", "b"])], ids=type)
@pytest.mark.parametrize("odd", [{"a": "b", "b": "a"}, {"a", "b"}, "ab", b"ab"], ids=type)
def test_what_has_no_order_or_no_examples_is_refused(metric, odd):
    with pytest.raises(PredictionError, match="expected one value per example in a list, got"):
        metric.compute(odd, odd)
