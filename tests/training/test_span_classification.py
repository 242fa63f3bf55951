# SPDX-License-Identifier: Apache-2.0
"""Marked words: where they are read, what is kept of a long text, what the head says."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoModelForTokenClassification, AutoTokenizer

from euroglue.errors import ContractError
from euroglue.registry import find_task
from euroglue.task import Kind, Labels
from euroglue.training.encode import around, frame, shared_room
from euroglue.training.kinds.span_classification import SpanClassification
from tests.training.made_tasks import make_task

PLAIN = ["живее", "във", "и", "отиде", "днес"]


def make(encoder, name, max_length=16):
    return SpanClassification(
        find_task("dumb", name), AutoTokenizer.from_pretrained(encoder), max_length=max_length, stride=0
    )


def one(words, index1, index2, label=1):
    return {"id": ["a"], "tokens": [words], "index1": [index1], "index2": [index2], "label": [label]}


def two(words1, words2, index1, index2):
    rows = {"id": ["a"], "tokens1": [words1], "tokens2": [words2], "index1": [index1], "index2": [index2], "label": [0]}
    return rows


def read(kind, feature):
    """The pieces at the marked places."""
    return kind.tokenizer.convert_ids_to_tokens([feature.input_ids[place] for place in feature.positions])


@pytest.mark.parametrize(
    ("words", "marks", "why"),
    [
        (["Иван", "живее", "във", "Варна"], (0, 3), "at both ends"),
        (["непознатадума", "Иван", "и", "Мария"], (1, 3), "after a word of many pieces"),
        (["", "Иван", "\u200b", "Мария"], (1, 3), "after words without pieces"),
        ([*PLAIN * 20, "Иван", *PLAIN * 20, "Мария", *PLAIN * 20], (100, 201), "far into a text far too long"),
        (["Иван", *PLAIN * 60, "Мария"], (0, 301), "at the ends of a text far too long"),
        ([*PLAIN * 9, "Иван", "Мария"], (45, 46), "side by side at the end"),
    ],
)
def test_the_marked_words_are_read_at_their_first_pieces(encoder, words, marks, why):
    kind = make(encoder, "dpr")
    (feature,) = kind.encode(one(words, *marks))
    firsts = [kind.tokenizer.tokenize(words[mark])[0] for mark in marks]
    assert read(kind, feature) == firsts, why
    assert len(feature.input_ids) <= 16
    (turned,) = kind.encode(one(words, *marks[::-1]))
    assert turned.positions == feature.positions[::-1] and turned.input_ids == feature.input_ids


@pytest.mark.parametrize(
    ("first", "second", "marks", "why"),
    [
        (["Иван", "живее"], ["отиде", "Мария"], (0, 1), "short"),
        ([*PLAIN * 30, "Иван"], ["отиде", "Мария"], (150, 1), "the first too long"),
        (["Иван"], [*PLAIN * 30, "Мария", *PLAIN], (0, 150), "the second too long"),
        ([*PLAIN * 30, "Иван"], [*PLAIN * 30, "Мария", *PLAIN], (150, 150), "both too long"),
    ],
)
def test_of_two_texts_each_keeps_its_marked_word(encoder, first, second, marks, why):
    kind = make(encoder, "wicnl")
    (feature,) = kind.encode(two(first, second, *marks))
    assert read(kind, feature) == [kind.tokenizer.tokenize(name)[0] for name in ("Иван", "Мария")], why
    assert [feature.types[place] for place in feature.positions] == [0, 1]
    assert len(feature.input_ids) <= 16
    if len(first) + len(second) > 13:
        assert len(feature.input_ids) == 16, "all room is used"


@given(length=st.integers(1, 60), room=st.integers(2, 60), marks=st.lists(st.integers(0, 59), min_size=1, max_size=2))
def test_what_is_kept_is_nearest_to_the_marked_places(length, room, marks):
    marks = [mark % length for mark in marks]
    kept = around(marks, length, room)
    assert len(kept) == min(length, room) and kept == sorted(set(kept)) and set(marks) <= set(kept)
    distance = [min(abs(place - mark) for mark in marks) for place in range(length)]
    left = [distance[place] for place in range(length) if place not in kept]
    assert max(distance[place] for place in kept) <= min(left, default=length)


@given(lengths=st.lists(st.integers(0, 40), min_size=1, max_size=2), room=st.integers(0, 50))
def test_the_longest_is_cut_position_by_position(lengths, room):
    expected = list(lengths)
    while sum(expected) > room:
        longest = max(expected)
        expected[len(expected) - 1 - expected[::-1].index(longest)] -= 1
    assert shared_room(lengths, room) == expected


def test_the_frame_of_a_pair_is_what_the_tokenizer_makes(encoder):
    tokenizer = AutoTokenizer.from_pretrained(encoder)
    made = tokenizer("Иван живее", "във Варна")
    parts = tokenizer(["Иван живее", "във Варна"], add_special_tokens=False)["input_ids"]
    joined = frame(tokenizer, 2).join(*parts)
    assert (joined.input_ids, joined.types) == (made["input_ids"], made["token_type_ids"])
    assert [joined.input_ids[start] for start in joined.starts] == [ids[0] for ids in parts]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (one(["Иван"], 0, 1), "example a: index2 is 1, expected the place of a word, 0 to 0"),
        (one(["Иван"], -1, 0), "example a: index1 is -1"),
    ],
)
def test_a_mark_outside_the_text_is_refused(encoder, rows, message):
    with pytest.raises(ContractError, match=message):
        make(encoder, "dpr").encode(rows)


def test_a_literal_without_marked_words_is_refused(encoder):
    features = {"id": "string", "tokens": ["string"], "label": Labels("no", "yes")}
    task = make_task(
        Kind.SPAN_CLASSIFICATION, features=features, inputs=("tokens",), target="label", bounds=None, metric="accuracy"
    )
    with pytest.raises(ContractError, match="expected one list of words with the places of marked words"):
        SpanClassification(task, AutoTokenizer.from_pretrained(encoder), max_length=16, stride=0)


def test_hidden_labels_have_no_weight(encoder):
    kind = make(encoder, "dpr")
    (feature,) = kind.encode(one(["Иван", "и"], 0, 1, label=-1))
    assert feature.weight == 0
    assert kind.collate([feature])["labels"].tolist() == [-100]


def test_the_head_applied_to_the_sum_of_states_is_the_sum_of_the_head_s_outputs(encoder, tmp_path):
    kind = make(encoder, "dpr", max_length=64)
    model = kind.head(str(encoder), trained=False, trust_remote_code=False).eval()
    words = ["Иван", "живее", "във", "Варна"]
    features = kind.encode(one(words, 0, 3)) + kind.encode(one([*words, *PLAIN], 3, 1))
    batch = kind.collate(features)
    with torch.no_grad():
        output = kind.run(model, batch)
        states = model.bert(batch["input_ids"], attention_mask=batch["attention_mask"]).last_hidden_state
    sums = torch.stack([states[row, batch["marks"][row]].sum(0) for row in range(2)])
    head = model.classifier
    assert torch.allclose(output.logits, sums @ head.weight.T + 2 * head.bias, atol=1e-5)
    assert float(output.loss) == pytest.approx(float(torch.nn.functional.cross_entropy(output.logits, batch["labels"])))
    alone = kind.run(model, {name: tensor for name, tensor in kind.collate(features[:1]).items() if name != "labels"})
    assert alone.loss is None and torch.allclose(alone.logits, output.logits[:1], atol=1e-5)
    model.save_pretrained(tmp_path)
    again = AutoModelForTokenClassification.from_pretrained(tmp_path).eval()
    assert torch.equal(kind.run(again, batch).logits, output.logits)
    assert (tmp_path / "model.safetensors").is_file()
    names = kind.decode(list(np.array([[0.0, 1.0], [1.0, 0.0]])), [features[0], features[1]])
    assert names == {"a": "different"}, "one id twice: the last one counts"
