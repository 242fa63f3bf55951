# SPDX-License-Identifier: Apache-2.0
"""Part-of-speech scores: the published number is seqeval's, the right ones are scikit-learn's over tokens."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seqeval.metrics import classification_report
from sklearn import metrics as sklearn

from euroglue.errors import EuroglueError, PredictionError
from euroglue.scoring import METRICS
from euroglue.scoring.token_accuracy import TokenAccuracy, TokenF1
from euroglue.scoring.upos import UniversalPos

UPOS = tuple("ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split())
# Hardalov et al., "bgGLUE", ACL 2023, table 16: the classes as printed.
TABLE_16 = set("ART CONJ DJ DP DV ERB ET NTJ OUN RON ROPN UM UNCT UX".split())
PAIR = st.lists(
    st.lists(st.tuples(st.sampled_from(UPOS), st.sampled_from(UPOS)), max_size=8), min_size=1, max_size=6
).filter(any)


def unzip(pairs):
    return [[a for a, _ in row] for row in pairs], [[b for _, b in row] for row in pairs]


@settings(max_examples=200, deadline=None)
@given(PAIR)
def test_the_published_score_is_seqevals_and_the_others_scikit_learns(pairs):
    references, predictions = unzip(pairs)
    scores = UniversalPos(UPOS).compute(predictions, references)
    gold, guess = ([tag for row in side for tag in row] for side in (references, predictions))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = classification_report(references, predictions, output_dict=True, zero_division=0)
        precision, recall, f1, _ = sklearn.precision_recall_fscore_support(gold, guess, labels=UPOS, zero_division=0)
        assert scores["mcc"] == pytest.approx(sklearn.matthews_corrcoef(gold, guess), abs=1e-12)
    for name, values in report.items():
        prefix = {"micro avg": "", "macro avg": None, "weighted avg": None, "_": "untyped_"}.get(
            name, name.lower() + "_"
        )
        if prefix is not None:
            for ours, theirs in (("f1", "f1-score"), ("precision", "precision"), ("recall", "recall")):
                assert scores[f"seqeval_{prefix}{ours}"] == pytest.approx(values[theirs], abs=1e-12), name
    macro = report["macro avg"]["f1-score"]  # NaN where seqeval finds no entity at all
    assert scores["seqeval_f1_macro"] == pytest.approx(0.0 if np.isnan(macro) else macro, abs=1e-12)
    assert scores["accuracy"] == pytest.approx(sklearn.accuracy_score(gold, guess))
    assert scores["f1_macro"] == pytest.approx(f1.mean(), abs=1e-12)
    for i, tag in enumerate(UPOS):
        found = [scores[f"{tag.lower()}_{key}"] for key in ("precision", "recall", "f1")]
        assert found == pytest.approx([precision[i], recall[i], f1[i]], abs=1e-12), tag


@pytest.mark.issue("seqeval#75")
@pytest.mark.issue("seqeval#88")
@pytest.mark.issue("evaluate#195")
def test_swapped_conjunctions_do_not_show_in_the_published_score_and_do_in_the_accuracy():
    gold = [["SCONJ", "NOUN", "CCONJ", "NOUN"]]
    swapped = [["CCONJ", "NOUN", "SCONJ", "NOUN"]]
    scores = UniversalPos(UPOS).compute(swapped, gold)
    assert scores["seqeval_f1"] == 1.0 and scores["accuracy"] == 0.5
    assert (scores["sconj_f1"], scores["cconj_f1"], scores["noun_f1"]) == (0.0, 0.0, 1.0)


@pytest.mark.issue("seqeval#75")
def test_adjacent_equal_tags_are_one_entity_of_the_published_score():
    scores = UniversalPos(UPOS).compute([["NOUN", "NOUN", "NOUN", "VERB"]], [["NOUN", "NOUN", "VERB", "VERB"]])
    assert scores["seqeval_f1"] == 0.0 and scores["accuracy"] == 0.75


def test_the_published_classes_are_those_of_table_16():
    # The Bulgarian treebank has no SYM and no X, so the table has no line for YM and for a tag without a rest.
    tags = [tag for tag in UPOS if tag not in ("SYM", "X")]
    metric = UniversalPos(tags)
    assert set(metric.entities.types) == TABLE_16
    assert {f"seqeval_{name.lower()}_f1" for name in TABLE_16} <= set(metric.compute([tags], [tags]))


def test_the_primary_score_is_the_published_one_and_the_signature_says_how():
    metric = UniversalPos(UPOS)
    measured = metric.measure([["NOUN", "VERB"]], [["NOUN", "ADV"]])
    assert metric.primary == "seqeval_f1" and next(iter(measured.scores)) == "seqeval_f1"
    assert metric.settings()["decoding"] == "seqeval" and metric.settings()["labels"] == ",".join(UPOS)
    assert measured.warnings == () and metric.settings()["zero_division"] == "0"


def test_a_perfect_tagger_without_two_of_the_tags_has_a_macro_average_of_15_17ths():
    tags = [tag for tag in UPOS if tag not in ("SYM", "X")]
    scores = UniversalPos(UPOS).compute([tags], [tags])
    assert scores["f1_macro"] == pytest.approx(15 / 17) and scores["accuracy"] == scores["seqeval_f1"] == 1.0


def test_a_text_of_nothing_but_x_has_no_published_score():
    measured = UniversalPos(UPOS).measure([["X", "X"]], [["X", "X"]])
    assert measured.scores["seqeval_f1"] == 0.0 and measured.scores["accuracy"] == 1.0
    assert "no entities in gold nor prediction" in measured.warnings[0]


@pytest.mark.parametrize("as_ids", [False, True])
def test_unknown_tags_are_wrong_and_counted(as_ids):
    guess = [[7, 99]] if as_ids else [["NOUN", "GLUE"]]
    measured = UniversalPos(UPOS).measure(guess, [["NOUN", "VERB"]])
    assert measured.scores["accuracy"] == 0.5 and measured.scores["verb_recall"] == 0.0
    assert measured.warnings[0].startswith("1 predicted labels are unknown and count as wrong")


def test_rows_add_up_to_the_score_of_the_whole_and_of_resamples():
    rng = np.random.default_rng(2)
    gold, guess = ([rng.choice(UPOS, length).tolist() for length in (3, 0, 7, 5, 1, 0)] for _ in range(2))
    metric = UniversalPos(UPOS)
    rows = metric.statistics(guess, gold)
    halves = metric.statistics(guess[:3], gold[:3]).sum(0) + metric.statistics(guess[3:], gold[3:]).sum(0)
    assert halves.tolist() == rows.sum(0).tolist(), "shards may be summed, empty sentences at their ends too"
    draws = np.array([[0, 2, 2, 3, 5, 0], [4, 3, 2, 1, 0, 0]])
    resampled = metric.score(rows[draws].sum(axis=1))
    for i, draw in enumerate(draws):
        alone = metric.compute([guess[j] for j in draw], [gold[j] for j in draw])
        assert {key: float(values[i]) for key, values in resampled.items()} == pytest.approx(alone)


@pytest.mark.issue("bgGLUE#short-rows")
def test_missing_tags_are_wrong_and_counted():
    measured = UniversalPos(UPOS).measure([["NOUN"]], [["NOUN", "VERB"]])
    assert (measured.scores["accuracy"], measured.scores["seqeval_recall"]) == (0.5, 0.5)
    assert measured.warnings == ("1 examples have fewer predicted tags than words: 1 missing tags count as O",)


def test_sequences_are_checked_as_entity_tags_are(films_task):
    with pytest.raises(PredictionError, match="example 0: expected 1 tags, got 2"):
        UniversalPos(UPOS).compute([["NOUN", "VERB"]], [["NOUN"]])
    with pytest.raises(PredictionError, match="example 0, tag 1: the reference is hidden"):
        UniversalPos(UPOS).compute([[0, 0]], [[0, -1]])
    with pytest.raises(EuroglueError, match="films-rated: the metric upos needs label names"):
        METRICS["upos"].for_task(films_task)


def test_token_f1_equals_scikit_learns_without_the_outside_tag():
    rng, labels = np.random.default_rng(6), ["O", "B-PER", "I-PER", "B-LOC"]
    for _ in range(50):
        gold, guess = ([[labels[i] for i in rng.integers(0, 4, size=length)] for length in (3, 5, 1)] for _ in range(2))
        flat = [[tag for row in side for tag in row] for side in (gold, guess)]
        scores = TokenF1(labels).compute(guess, gold)
        assert scores["accuracy"] == TokenAccuracy(labels).compute(guess, gold)["accuracy"]
        assert scores["accuracy"] == pytest.approx(sklearn.accuracy_score(*flat), abs=1e-12)
        for average in ("macro", "micro", "weighted"):
            expected = sklearn.precision_recall_fscore_support(
                *flat, labels=labels[1:], average=average, zero_division=0
            )
            for key, value in zip(("precision", "recall", "f1"), expected):
                assert scores[f"{key}_{average}"] == pytest.approx(value, abs=1e-12)


def test_token_f1_without_any_tag_is_zero_with_a_warning():
    measured = TokenF1(["O", "B"]).measure([["O", "O"]], [["O", "O"]])
    assert measured.scores["f1_macro"] == 0.0 and measured.scores["accuracy"] == 1.0
    assert measured.warnings == ("no tag but O in gold nor prediction: f1_macro has no value and is set to 0",)
