# SPDX-License-Identifier: Apache-2.0
"""The metrics of the Slovene suite: entities without MISC, answers under a Slovene normaliser, Matthews and macro F1."""

from __future__ import annotations

import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seqeval.metrics.sequence_labeling import precision_recall_fscore_support

from euroglue.errors import EuroglueError
from euroglue.scoring import METRICS, score
from euroglue.scoring.answers import SloveneAnswerF1
from euroglue.scoring.entity_f1 import EntityF1
from euroglue.scoring.entity_f1_no_misc import EntityF1WithoutMisc

LABELS = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC", "B-MISC", "I-MISC")
TAGS = st.sampled_from([*LABELS, "E-PER", "S-LOC", "E-MISC", "S-MISC", "X-MISC", "X-PER", "B-XYZ"])
PAIRS = st.lists(st.lists(st.tuples(TAGS, TAGS), min_size=1, max_size=8), min_size=1, max_size=5)


def oracle(gold, guess):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return precision_recall_fscore_support(gold, guess, average="micro")[:3]


def without(rows):
    return [["O" if tag.lower().endswith("-misc") else tag for tag in row] for row in rows]


@settings(max_examples=300, deadline=None)
@given(PAIRS)
def test_leaving_misc_out_is_turning_its_tags_into_o_on_both_sides(pairs):
    gold, guess = [[a for a, _ in row] for row in pairs], [[b for _, b in row] for row in pairs]
    labels = sorted({tag for row in gold for tag in row} | set(LABELS))
    scores = EntityF1WithoutMisc(labels).compute(guess, gold)
    keys = ("precision", "recall", "f1")
    assert tuple(scores[f"{key}_no_misc"] for key in keys) == oracle(without(gold), without(guess))
    assert tuple(scores[key] for key in keys) == oracle(gold, guess)
    assert {key: scores[key] for key in EntityF1(labels).compute(guess, gold)} == EntityF1(labels).compute(guess, gold)


NOTHING_LEFT = [
    ([["O"]], [["O"]], "no entity at all"),
    ([["B-MISC"]], [["O"]], "only MISC in the gold"),
    ([["O"]], [["B-MISC"]], "only MISC predicted"),
    ([["B-MISC"]], [["B-MISC"]], "only MISC on both sides"),
]


@pytest.mark.parametrize(("gold", "guess", "why"), NOTHING_LEFT, ids=[case[-1] for case in NOTHING_LEFT])
def test_where_nothing_but_misc_is_left_f1_is_zero_or_as_euroeval_has_it_one(gold, guess, why):
    for empty, value in (("zero", 0.0), ("one", 1.0)):
        metric = EntityF1WithoutMisc(LABELS, empty=empty)
        measured = metric.measure(guess, gold)
        assert measured.scores["f1_no_misc"] == value, why
        assert f"f1_no_misc has no value and is set to {value:.0f}" in measured.warnings[0]
        assert metric.settings()["empty"] == empty
    assert EntityF1WithoutMisc(LABELS, empty="one").compute([["B-PER"]], [["B-MISC"]])["f1_no_misc"] == 0.0


def test_an_unknown_policy_for_nothing_is_refused():
    with pytest.raises(EuroglueError, match="expected empty to be one of zero, one, got 'two'"):
        EntityF1WithoutMisc(LABELS, empty="two")


def test_the_signature_says_what_is_left_out(names_task):
    result = score(names_task, [["B-PER"]], [["B-PER"]], metric=METRICS["entity_f1_no_misc"].for_task(names_task))
    assert (result.primary, result.value) == ("f1_no_misc", 1.0)
    assert "metric:entity_f1_no_misc|task:toy/names|left_out:misc|empty:zero|mode:lenient" in result.signature


ANSWERS = [
    ("»Prešeren«", "Prešeren", 1.0, 0.0, "guillemets"),
    ("„Prešeren“", "Prešeren", 1.0, 0.0, "low and high quotation marks"),
    ("leta 1914–1918…", "leta 1914-1918", 1.0, 0.0, "a dash and an ellipsis"),
    ("majhen, a lep", "majhen, a lep", 1.0, 1.0, "the same"),
    ("majhen, a lep", "majhen lep", 0.0, 1.0, "the word a (but) is a word"),
    ("ČRNOMELJ", "Črnomelj", 1.0, 1.0, "lower-cased"),
    ("c\u030crn", "\u010drn", 1.0, 0.0, "composed and decomposed letters"),
    ("the Alpe", "Alpe", 0.0, 1.0, "an English article is no article in Slovene"),
]


@pytest.mark.parametrize(("guess", "gold", "slovene", "english", "why"), ANSWERS, ids=[case[-1] for case in ANSWERS])
def test_answers_match_under_the_slovene_normaliser_and_euroevals_is_beside_it(guess, gold, slovene, english, why):
    scores = SloveneAnswerF1().compute([guess], [gold])
    assert (scores["exact_sl"], scores["exact"]) == (slovene, english), why


@pytest.mark.issue("EuroEval#duplicate-ids")
def test_every_row_counts_whatever_its_id():
    gold = {"text": ["Bled"], "answer_start": [0]}
    scores = SloveneAnswerF1().compute(["Bled"] * 9 + ["Bohinj"], [gold] * 10)
    assert scores["f1_sl"] == scores["f1"] == 0.9


def test_the_signature_shows_both_normalisers(exam_task):
    result = score(exam_task, ["Bled"], ["Bled"], metric=METRICS["squad_sl"].for_task(exam_task))
    assert (result.primary, result.value) == ("f1_sl", 1.0)
    assert "normaliser:lower,punctuation-ascii,articles-a/an/the" in result.signature
    assert "normaliser_sl:lower,punctuation-unicode,articles-none,nfc" in result.signature


def test_matthews_correlation_has_macro_f1_and_accuracy_beside_it(topic_task):
    result = score(topic_task, [0, 1, 1, 1], [0, 1, 0, 1], metric=METRICS["mcc"].for_task(topic_task))
    assert (result.primary, result.scores["accuracy"]) == ("mcc", 0.75)
    assert result.value == pytest.approx(0.577, abs=1e-3)
    assert result.scores["f1_macro"] == pytest.approx((2 / 3 + 4 / 5) / 2)
