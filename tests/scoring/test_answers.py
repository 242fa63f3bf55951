# SPDX-License-Identifier: Apache-2.0
"""Answers in words score as SQuAD 2.0's algorithm says, row by row, and under a normaliser of the task's language."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from euroglue.errors import EuroglueError, PredictionError
from euroglue.registry import Registry
from euroglue.scoring import METRICS, metric_for, score
from euroglue.scoring.answers import SQUAD, AnswerF1, for_language
from euroglue.scoring.token_accuracy import TokenAccuracy

NONE = {"text": [], "answer_start": []}
ASCII_MARKS = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"


def gold(*texts: str) -> dict:
    return {"text": list(texts), "answer_start": list(range(len(texts)))}


def slow_words(text: str) -> list[str]:
    """SQuAD's normalisation by brute force: a word at a time, where a word is a run of letters, digits and marks on them."""
    kept = "".join(char for char in text.lower() if char not in ASCII_MARKS)
    runs, run = [], ""
    for char in f"{kept} ":
        inside = char.isalnum() or char == "_"
        if inside:
            run += char
            continue
        runs.append("" if run in ("a", "an", "the") else run)
        runs.append(" " if run in ("a", "an", "the") else "")
        runs.append(char)
        run = ""
    return "".join(runs).split()


def slow_f1(guess: list[str], right: list[str]) -> float:
    """Token F1 by brute force: cross off one gold word for each predicted one."""
    if not guess or not right:
        return float(guess == right)
    left, shared = list(right), 0
    for word in guess:
        if word in left:
            left.remove(word)
            shared += 1
    if not shared:
        return 0.0
    precision, recall = shared / len(guess), shared / len(right)
    return 2 * precision * recall / (precision + recall)


def oracle(predictions: list[str], references: list[dict]) -> dict[str, float]:
    """The SQuAD 2.0 numbers, as its paper and guide describe them, over rows."""
    rows = []
    for guess, reference in zip(predictions, references, strict=True):
        answers = [answer for answer in reference["text"] if slow_words(answer)] or [""]
        exact = max(float(slow_words(guess) == slow_words(answer)) for answer in answers)
        f1 = max(slow_f1(slow_words(guess), slow_words(answer)) for answer in answers)
        rows.append((bool(reference["text"]), exact, f1))
    found = {}
    for prefix, kept in (
        ("", rows),
        ("has_ans_", [r for r in rows if r[0]]),
        ("no_ans_", [r for r in rows if not r[0]]),
    ):
        for place, key in ((1, "exact"), (2, "f1")):
            found[prefix + key] = sum(row[place] for row in kept) / len(kept) if kept else 0.0
    return found


WORDS = st.lists(
    st.sampled_from(["de", "the", "The", "an", "a.", "huis", "Huis,", "„huis“", "rode", "-", "é", "x_y", "5"])
)
TEXTS = WORDS.map(" ".join)
ROWS = st.lists(st.tuples(TEXTS, st.lists(TEXTS, max_size=3)), min_size=1, max_size=12)


@settings(max_examples=300, deadline=None)
@given(ROWS)
def test_the_published_numbers_are_squads(rows):
    predictions, references = [guess for guess, _ in rows], [gold(*texts) for _, texts in rows]
    scores = AnswerF1("nld-Latn").compute(predictions, references)
    expected = oracle(predictions, references)
    assert {key: scores[key] for key in expected} == pytest.approx(expected, abs=1e-12)
    assert scores["no_ans_share"] == sum(not texts for _, texts in rows) / len(rows)


CASES = [
    ("het huis", gold("the huis"), {"f1": 2 / 3, "exact": 0.0, "f1_nl": 2 / 3}, "each drops its own articles only"),
    ("een huis", gold("Het huis."), {"f1": 0.5, "exact": 0.0, "f1_nl": 1.0, "exact_nl": 1.0}, "Dutch articles"),
    ("a house", gold("The house!"), {"f1": 1.0, "exact": 1.0, "f1_nl": 0.5, "exact_nl": 0.0}, "English articles"),
    ("Den Haag", gold("„Den Haag“"), {"f1": 0.0, "f1_nl": 1.0}, "Dutch quotation marks"),
    ("»Den Haag«", gold("Den Haag…"), {"exact": 0.0, "exact_nl": 1.0}, "guillemets, ellipsis"),
    ("1914-1918", gold("1914–1918"), {"exact": 0.0, "exact_nl": 1.0}, "a hyphen for a dash"),
    ("één huis", gold("huis"), {"f1": 2 / 3, "f1_nl": 2 / 3}, "a numeral is no article"),
    ("cafe\u0301", gold("caf\u00e9"), {"exact": 0.0, "exact_nl": 1.0}, "composed letters"),
    ("x–the–y", gold("x– –y"), {"exact": 1.0, "exact_nl": 0.0}, "a space stands for an article"),
    ("deken", gold("ken"), {"exact_nl": 0.0}, "an article is a whole word"),
    ("rood", gold("blauw", "rood", "rood huis"), {"f1": 1.0, "exact": 1.0}, "the best of the golds"),
    ("rood rood", gold("rood"), {"f1": 2 / 3}, "a word counts as often as it occurs"),
    ("", NONE, {"f1": 1.0, "exact": 1.0, "no_ans_f1": 1.0, "has_ans_f1": 0.0, "no_ans_share": 1.0}, "none, rightly"),
    ("", gold("huis"), {"f1": 0.0, "has_ans_exact": 0.0, "no_ans_share": 0.0}, "none, wrongly"),
    ("huis", NONE, {"f1": 0.0, "no_ans_exact": 0.0}, "an answer where there is none"),
    ("unanswerable", NONE, {"f1": 0.0, "f1_nl": 0.0}, "the word is an ordinary answer"),
    ("unanswerable", gold("unanswerable"), {"f1": 1.0, "has_ans_exact": 1.0}, "which may be right"),
    ("the", NONE, {"exact": 1.0, "exact_nl": 0.0}, "nothing is left of it, as the published scorer has it"),
    ("x", gold("the", "x"), {"exact": 1.0}, "a gold answer of nothing is passed over"),
    ("", "", {"exact": 1.0, "no_ans_exact": 1.0}, "a reference may be one text"),
    ("huis", "Huis", {"exact": 1.0, "has_ans_exact": 1.0}, "a reference may be one text, with an answer"),
]


@pytest.mark.issue("lm-evaluation-harness#3212")
@pytest.mark.issue("evaluate#453")
@pytest.mark.parametrize(("prediction", "reference", "expected", "why"), CASES, ids=[case[-1] for case in CASES])
def test_one_answer(prediction, reference, expected, why):
    scores = AnswerF1("nld-Latn").compute([prediction], [reference])
    assert {key: scores[key] for key in expected} == pytest.approx(expected), why


LANGUAGES = [
    ("slv-Latn", "a hiša", "hiša", ("exact_sl", 0.0), "Slovene has no articles: a is a conjunction"),
    ("slv-Latn", "»hiša«", "hiša", ("exact_sl", 1.0), "but other marks"),
    ("bul-Cyrl", "„къща“", "Къща", ("exact_bg", 1.0), "Bulgarian"),
]


@pytest.mark.issue("EuroEval#squad-normaliser")
@pytest.mark.parametrize(("language", "prediction", "reference", "expected", "why"), LANGUAGES)
def test_each_language_has_its_own_normaliser(language, prediction, reference, expected, why):
    assert AnswerF1(language).compute([prediction], [gold(reference)])[expected[0]] == expected[1], why


def test_an_unknown_language_has_squads_normaliser_alone():
    assert for_language("deu-Latn") == (SQUAD,)
    assert set(AnswerF1("deu-Latn").compute(["x"], [gold("x")])) == {
        *("f1", "exact", "has_ans_f1", "has_ans_exact", "no_ans_f1", "no_ans_exact", "no_ans_share")
    }


@pytest.mark.issue("evaluate#duplicate-ids")
def test_rows_are_scored_not_ids():
    references = [{"id": "q1", **gold("huis")}, {"id": "q1", **gold("huis")}, {"id": "q1", **NONE}]
    measured = AnswerF1("nld-Latn").measure(["huis", "boom", ""], references)
    assert (measured.n, measured.scores["exact"], measured.scores["has_ans_exact"]) == (3, pytest.approx(2 / 3), 0.5)


def test_every_system_gets_the_same_keys_and_json_can_hold_them():
    for references in ([NONE], [gold("x")]):
        scores = AnswerF1("nld-Latn").compute(["x"], references)
        assert len(scores) == 13 and json.loads(json.dumps(scores, allow_nan=False)) == scores


@pytest.fixture
def question_task(exam_task):
    features = {"id": "string", "text": "string", "gold": {"text": ["string"], "answer_start": ["int64"]}}
    return replace(exam_task, language="nld-Latn", metric="squad", features=features)


def test_the_signature_names_both_normalisers_and_the_rules(question_task):
    result = score(question_task, ["het huis", ""], [gold("huis"), NONE])
    assert (result.primary, result.warnings, result.scores["exact_nl"]) == ("f1", (), 1.0)
    assert result.value == pytest.approx((2 / 3 + 1) / 2)
    assert "no_answer:empty|golds:best|per:row|zero_division:0" in result.signature
    assert AnswerF1(no_answer="empty").settings()["no_answer"] == '"empty"', "a word is not the absence of one"
    assert "normaliser:lower,punctuation-ascii,articles-a/an/the" in result.signature
    assert "normaliser_nl:lower,punctuation-unicode,articles-de/het/een,nfc" in result.signature


REFUSED = [
    (["x"], [], "expected 0 predictions, one per reference, got 1", "numbers of examples"),
    ([], [], "there are no examples to score", "nothing"),
    ([None], [NONE], "example 0: expected a text as the prediction, got None", "none for no answer"),
    ([0.7], [NONE], "example 0: expected a text as the prediction, got 0.7 (float)", "a probability"),
    (["x"], [["huis"]], 'example 0: expected {"text": […], "answer_start": […]} as the reference', "a bare list"),
    (["x"], [{"answers": []}], 'example 0: expected {"text": […], "answer_start": […]} as the reference', "no text"),
    (["x"], [{"text": "huis", "answer_start": 0}], "as the reference, got", "one text for a list"),
    (["x"], [{"text": [3], "answer_start": [0]}], "with texts, got 3 (int)", "a number for a text"),
    (["x"], [None], "as the reference, got None", "no reference"),
    (["x"], [{"text": [], "answer_start": [-1]}], "example 0: the reference is hidden (1 places without", "hidden"),
]


@pytest.mark.parametrize(("predictions", "references", "message", "why"), REFUSED, ids=[case[-1] for case in REFUSED])
def test_what_cannot_be_scored_is_refused(predictions, references, message, why):
    with pytest.raises(PredictionError) as caught:
        AnswerF1("nld-Latn").compute(predictions, references)
    assert message in str(caught.value) and "\n" not in str(caught.value), why


def test_gold_that_preparation_has_hidden_is_refused(question_task):
    from euroglue.prepare.columns import hidden

    blank = hidden(gold("huis"), question_task.features["gold"])
    with pytest.raises(PredictionError, match="toy/exam: example 0: the reference is hidden"):
        score(question_task, ["huis"], [blank])


def test_arrays_of_answers_are_understood():
    reference = {"text": np.array(["huis", "het huis"], dtype=object), "answer_start": np.array([4, 0])}
    assert AnswerF1("nld-Latn").compute(np.array(["huis"]), [reference])["exact"] == 1.0


@pytest.mark.parametrize(
    ("metric", "guesses", "golds"),
    [
        (AnswerF1("nld-Latn"), ["huis", "", "het rode huis", "x"], [gold("het huis"), NONE, gold("rode huis"), NONE]),
        (TokenAccuracy(["N", "WW"]), [["N"], ["N", "WW"], ["WW"], ["X"]], [["N"], ["WW", "WW"], ["WW"], ["N"]]),
    ],
    ids=["squad", "token_accuracy"],
)
def test_rows_add_up_to_the_score_of_the_whole_and_of_resamples(metric, guesses, golds):
    rows = metric.statistics(guesses, golds)
    halves = metric.statistics(guesses[:1], golds[:1]).sum(0) + metric.statistics(guesses[1:], golds[1:]).sum(0)
    assert halves.tolist() == pytest.approx(rows.sum(0).tolist()), "shards may be summed"
    draws = np.random.default_rng(3).integers(0, 4, (6, 4))
    resampled = metric.score(rows[draws].sum(axis=1))
    for i, draw in enumerate(draws):
        alone = metric.compute([guesses[j] for j in draw], [golds[j] for j in draw])
        assert {key: float(values[i]) for key, values in resampled.items()} == pytest.approx(alone)


TAGS = ("VNW|aanw|adv-pron", "VNW|betr|adv-pron", "LET")
TOKENS = [
    ([[0, 2], [1]], [[0, 2], [0]], 2 / 3, "over all tokens, not the mean of sentences"),
    ([["VNW|aanw|adv-pron"]], [["VNW|betr|adv-pron"]], 0.0, "tags are compared whole"),
    ([["VNW|aanw|adv-pron", "LET"]], [[0, 2]], 1.0, "names and ids"),
    ([["SPEC", "LET"]], [[0, 2]], 0.5, "an unknown tag is wrong"),
    ([[], [2]], [[], [2]], 1.0, "an empty sentence"),
]


@pytest.mark.issue("seqeval#75")
@pytest.mark.parametrize(("predictions", "references", "expected", "why"), TOKENS, ids=[case[-1] for case in TOKENS])
def test_token_accuracy_is_the_share_of_right_tokens(predictions, references, expected, why):
    measured = TokenAccuracy(TAGS).measure(predictions, references)
    assert measured.scores == pytest.approx({"accuracy": expected}), why
    assert bool(measured.warnings) == ("SPEC" in predictions[0])


@pytest.mark.parametrize(
    ("predictions", "references", "message", "why"),
    [
        ([[0]], [[0, 1]], "example 0: expected 2 tags, got 1", "lengths"),
        ([[0]], [[-1]], "the reference is hidden", "hidden"),
        ([[0]], [["N"]], "unknown reference label 'N'", "unknown gold"),
    ],
)
def test_tokens_that_cannot_be_scored_are_refused(predictions, references, message, why):
    with pytest.raises(PredictionError) as caught:
        TokenAccuracy(TAGS).compute(predictions, references)
    assert message in str(caught.value), why


def test_more_tags_than_a_byte_can_number_are_told_apart():
    tags = [f"T|{i}" for i in range(300)]
    metric = TokenAccuracy(tags)
    assert metric.compute([tags[:299] + ["T|0"]], [list(range(300))])["accuracy"] == 299 / 300
    assert "labels:300~" in f"labels:{metric.settings()['labels']}"


def test_tasks_find_both_metrics_by_name(names_task, question_task, films_task):
    assert isinstance(METRICS, Registry) and isinstance(metric_for(question_task), AnswerF1)
    assert isinstance(metric_for(replace(names_task, metric="token_accuracy")), TokenAccuracy)
    with pytest.raises(EuroglueError, match="the metric token_accuracy needs label names"):
        METRICS["token_accuracy"].for_task(films_task)
