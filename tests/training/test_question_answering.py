# SPDX-License-Identifier: Apache-2.0
"""Questions: windows, places of answers, no answer, and the threshold between."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import AutoTokenizer

from euroglue.errors import ContractError
from euroglue.registry import find_task
from euroglue.scoring import metric_for
from euroglue.training.kinds.question_answering import LONGEST, QuestionAnswering

TASK = find_task("dumb", "squadnl")
CONTEXT = "Иван живее във Варна. Мария отиде в Русе днес."


def make(encoder, max_length=64, stride=8):
    return QuestionAnswering(TASK, AutoTokenizer.from_pretrained(encoder), max_length=max_length, stride=stride)


def answers(*texts, context=CONTEXT):
    return {"text": list(texts), "answer_start": [context.index(text) for text in texts]}


def rows(*golds, question="къде живее", context=CONTEXT):
    count = len(golds)
    return {
        "id": [f"q{i}" for i in range(count)],
        "question": [question] * count,
        "context": [context] * count,
        "answers": list(golds),
    }


def oracle(feature, strength=10.0):
    """The outputs of a model that knows the window's target."""
    logits = np.zeros((len(feature.input_ids), 2), dtype=np.float32)
    for column, place in enumerate(feature.target):
        logits[place, column] = strength
    return logits


@pytest.mark.parametrize("max_length", [16, 20, 32, 64])
@pytest.mark.parametrize("stride", [0, 4, 100])
@pytest.mark.parametrize(
    ("gold", "expected", "why"),
    [
        (answers("Варна"), "Варна", "a word"),
        (answers("Мария отиде"), "Мария отиде", "two words"),
        (answers("Иван"), "Иван", "the beginning"),
        (answers("днес."), "днес.", "the end"),
        (answers("Русе", "в Русе"), "Русе", "of several golds the first is learnt"),
        (answers("ария"), "Мария", "an answer inside a piece is widened to it"),
        ({"text": [], "answer_start": []}, "", "no answer"),
    ],
)
def test_what_a_model_that_knows_says_is_the_answer(encoder, max_length, stride, gold, expected, why):
    kind = make(encoder, max_length, stride)
    features = kind.encode(rows(gold))
    assert all(len(feature.input_ids) <= max_length for feature in features)
    assert kind.decode([oracle(feature) for feature in features], features) == {"q0": expected}, why


@pytest.mark.parametrize(
    ("context", "gold", "why"),
    [
        ("Кафе\u0301 в Варна\u0300 днес", "Кафе\u0301", "a mark at the end of a word"),
        ("Кафе\u0301 в Варна\u0300 днес", "Варна\u0300", "a mark, in the middle of the text"),
        ("И\u0306ван живее", "И\u0306ван", "a letter that is composed first"),
        ("живее във Варна\u0301", "Варна\u0301", "a mark at the end of the text"),
        ("живее\u00a0 във\n\tВарна днес", "Варна", "spaces of all kinds"),
    ],
)
def test_letters_keep_their_marks_in_answers(encoder, context, gold, why):
    kind = make(encoder)
    features = kind.encode(rows(answers(gold, context=context), context=context))
    assert kind.decode([oracle(feature) for feature in features], features) == {"q0": gold}, why


def test_an_answer_that_no_window_holds_whole_is_not_learnt_as_none(encoder):
    kind = make(encoder, 16, 0)
    context = "Иван живее във Варна " * 6
    features = kind.encode(rows(answers(context[10:-10], context=context), context=context))
    assert len(features) > 3
    assert {(feature.target, feature.weight) for feature in features} <= {((-100, -100), 0), ((0, 0), 1)}
    assert [feature.weight for feature in features][1:-1] == [0] * (len(features) - 2)


def test_windows_cover_the_context_and_know_where_they_stand(encoder):
    kind = make(encoder, 16, 4)
    context = CONTEXT * 5
    features = kind.encode(rows(answers("Варна"), context=context))
    assert len(features) > 5
    for feature in features:
        start, end = feature.positions
        assert end - start == len(feature.spans)
        pieces = kind.tokenizer.convert_ids_to_tokens(feature.input_ids[start:end])
        texts = [context[a:b].strip() for a, b in feature.spans]
        assert all(piece in (f"▁{text}", text, "[UNK]") for piece, text in zip(pieces, texts, strict=True))
    covered = {tuple(span) for feature in features for span in feature.spans.tolist()}
    whole = kind.tokenizer(context, add_special_tokens=False, return_offsets_mapping=True)["offset_mapping"]
    assert covered == set(map(tuple, whole))
    holding = [feature for feature in features if feature.target != (0, 0)]
    assert 1 <= len(holding) < len(features), "windows without the answer learn that there is none"


@pytest.mark.parametrize(
    ("gold", "weight", "target", "why"),
    [
        ({"text": [], "answer_start": []}, 1, (0, 0), "no answer is something to learn"),
        ({"text": [], "answer_start": [4]}, 0, (-100, -100), "a hidden one is not"),
    ],
)
def test_no_answer_is_told_from_a_hidden_one(encoder, gold, weight, target, why):
    (feature,) = make(encoder).encode(rows(gold))
    assert (feature.weight, feature.target) == (weight, target), why


def test_a_question_that_is_too_long_leaves_half_of_the_room(encoder):
    kind = make(encoder, 24, 4)
    features = kind.encode(rows(answers("Русе"), question="къде " * 100))
    assert max(len(feature.input_ids) for feature in features) == 24
    assert {feature.positions[0] for feature in features} == {2 + (24 - 3) // 2}
    assert kind.decode([oracle(feature) for feature in features], features) == {"q0": "Русе"}


def test_an_empty_context_has_no_answer(encoder):
    kind = make(encoder)
    features = kind.encode(rows({"text": [], "answer_start": []}, context=""))
    assert kind.decode([oracle(feature) for feature in features], features) == {"q0": ""}
    assert kind.encode(rows()) == []


def test_an_answer_that_does_not_stand_where_it_should_is_refused(encoder):
    with pytest.raises(ContractError, match="example q0: the context has 'живее' at 5, not the answer 'Варна'"):
        make(encoder).encode(rows({"text": ["Варна"], "answer_start": [5]}))


def place(feature, *words):
    """Where a window's first pieces of words stand."""
    starts = [feature.text.index(word) for word in words]
    begin, _ = feature.positions
    return [begin + int(np.flatnonzero(feature.spans[:, 1] > start)[0]) for start in starts]


def test_the_best_answers_come_in_order_and_none_runs_backwards(encoder):
    kind = make(encoder)
    (feature,) = kind.encode(rows(answers("Варна")))
    ivan, varna, ruse = place(feature, "Иван", "Варна", "Русе")
    logits = np.full((len(feature.input_ids), 2), -50.0, dtype=np.float32)
    logits[[ivan, varna, ruse], 0] = [1.0, 5.0, 4.0]
    logits[[ivan, varna], 1] = [6.0, 2.0]
    found = kind.candidates([logits], [feature])["q0"]
    assert [text for _, text in found.answers[:3]] == ["Варна", "Иван", "Иван живее във Варна"]
    assert [score for score, _ in found.answers[:3]] == [7.0, 7.0, 3.0]
    assert found.null == -100.0 and found.gap == -107.0
    assert len(found.answers) <= 20 and all(text for _, text in found.answers)


def test_an_answer_is_at_most_thirty_pieces_long(encoder):
    kind = make(encoder, 512)
    context = " ".join(["и"] * 100)
    (feature,) = kind.encode(rows({"text": [], "answer_start": []}, context=context))
    begin, _ = feature.positions
    logits = np.full((len(feature.input_ids), 2), -50.0, dtype=np.float32)
    logits[begin, 0] = logits[begin + LONGEST, 1] = 9.0
    assert max(len(text.split()) for _, text in kind.candidates([logits], [feature])["q0"].answers) <= LONGEST
    logits[begin + LONGEST - 1, 1] = 9.0
    assert len(kind.decode([logits], [feature])["q0"].split()) == LONGEST


def test_the_best_of_all_windows_counts_and_the_least_of_no_answer(encoder):
    kind = make(encoder, 24, 4)
    features = kind.encode(rows(answers("Варна"), context=CONTEXT * 3))
    outputs = [oracle(feature) for feature in features]
    found = kind.candidates(outputs, features)["q0"]
    assert (found.null, found.answers[0]) == (0.0, (20.0, "Варна"))
    shuffled = list(zip(outputs, features))[::-1]
    assert kind.candidates(*map(list, zip(*shuffled)))["q0"] == found


def outputs_of(kind, features, gaps):
    """One window each, whose best answer is its gold (or its first word) and loses by ``gap`` to no answer."""
    outputs = []
    for feature, gap in zip(features, gaps, strict=True):
        start, end = feature.target if feature.target != (0, 0) else [feature.positions[0]] * 2
        logits = np.full((len(feature.input_ids), 2), -20.0, dtype=np.float32)
        logits[start, 0] = logits[end, 1] = 0.0
        logits[0] = gap / 2
        outputs.append(logits)
    return outputs


NONE = {"text": [], "answer_start": []}


@pytest.mark.parametrize(
    ("golds", "gaps", "low", "high", "best", "why"),
    [
        ([answers("Варна"), NONE], [1.0, 3.0], 1.0, 3.0, 1.0, "between the two"),
        ([NONE, answers("Варна")], [1.0, 3.0], -np.inf, np.inf, 0.5, "one of them must be wrong"),
        ([answers("Варна")] * 3, [-4.0, 1.0, 9.0], 9.0, np.inf, 1.0, "all have an answer"),
        ([NONE] * 3, [-4.0, 1.0, 9.0], -np.inf, -4.0, 1.0, "none has one"),
        ([answers("Варна"), NONE, answers("Русе"), NONE], [-3.0, -1.0, 1.0, 5.0], -3.0, 5.0, 0.75, "three of four"),
        ([answers("Варна"), NONE], [2.0, 2.0], -np.inf, np.inf, 0.5, "alike, they cannot be told apart"),
    ],
)
def test_the_threshold_is_the_best_on_validation(encoder, golds, gaps, low, high, best, why):
    kind, metric = make(encoder), metric_for(TASK)
    features = kind.encode(rows(*golds))
    outputs = outputs_of(kind, features, gaps)
    gold = {f"q{i}": answer for i, answer in enumerate(golds)}
    kind.tune(outputs, features, gold, metric)
    assert low <= kind.threshold <= high and np.isfinite(kind.threshold), why
    found = kind.decode(outputs, features)
    assert metric.compute(list(found.values()), golds)["f1"] == best, why
    other = make(encoder)
    other.restore(kind.tuned)
    assert other.decode(outputs, features) == found


@settings(max_examples=40)
@given(
    gaps=st.lists(st.integers(-5, 5), min_size=1, max_size=6),
    known=st.lists(st.booleans(), min_size=6, max_size=6),
)
def test_no_threshold_is_better_than_the_tuned_one(encoder, gaps, known):
    kind, metric = make(encoder), metric_for(TASK)
    golds = [answers("Варна") if answered else NONE for answered, _ in zip(known, gaps)]
    features = kind.encode(rows(*golds))
    outputs = outputs_of(kind, features, gaps)
    kind.tune(outputs, features, {f"q{i}": answer for i, answer in enumerate(golds)}, metric)
    scores = {}
    for threshold in (kind.threshold, *np.arange(-6, 7) + 0.5):
        kind.threshold = threshold
        scores[threshold] = metric.compute(list(kind.decode(outputs, features).values()), golds)["f1"]
    assert next(iter(scores.values())) == max(scores.values())


def test_the_loss_does_not_depend_on_padding(encoder):
    kind = make(encoder)
    model = kind.head(str(encoder), trained=False, trust_remote_code=False).eval()
    short = kind.encode(rows(answers("Варна")))
    long = kind.encode(rows(NONE, context=CONTEXT + " и днес" * 12))
    with torch.no_grad():
        alone = [float(kind.run(model, kind.collate(part)).loss) for part in (short, long)]
        together = float(kind.run(model, kind.collate(short + long)).loss)
    assert together == pytest.approx(sum(alone) / 2, rel=1e-4)
