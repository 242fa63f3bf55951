# SPDX-License-Identifier: Apache-2.0
"""Labels and ranks of texts, encoded and decoded."""

from __future__ import annotations

import math

import numpy as np
import pytest
from transformers import AutoTokenizer

from euroglue.task import Kind, Labels
from euroglue.training.kinds import KINDS
from tests.training.made_tasks import make_task

TEXT = {"id": "string", "text": "string", "label": Labels("no", "yes")}
PAIR = {"id": "string", "one": "string", "two": "string", "label": Labels("no", "yes", "maybe")}


def kind_of(encoder, kind, features, inputs, max_length=16, **changes):
    task = make_task(kind, features=features, inputs=inputs, bounds=None, metric="accuracy", **changes)
    return KINDS[kind.value](task, AutoTokenizer.from_pretrained(encoder), max_length=max_length, stride=0)


def test_labels_hidden_labels_and_their_weights(encoder):
    kind = kind_of(encoder, Kind.SEQUENCE_CLASSIFICATION, TEXT, ("text",))
    features = kind.encode({"id": [1, 2, 3], "text": ["и", "и и", ""], "label": [1, -1, 0]})
    assert [(f.id, f.weight) for f in features] == [("1", 1), ("2", 0), ("3", 1)]
    batch = kind.collate(features)
    assert batch["labels"].tolist() == [1, -100, 0]
    assert "token_type_ids" not in batch
    assert kind.encode({"id": [], "text": [], "label": []}) == []


def test_the_label_of_the_greatest_output_is_predicted(encoder):
    kind = kind_of(encoder, Kind.SEQUENCE_CLASSIFICATION, PAIR, ("one", "two"))
    features = kind.encode({"id": ["a", "b"], "one": ["и", "и"], "two": ["в", "в"], "label": [0, 0]})
    outputs = [np.array([0.1, 0.3, 0.2]), np.array([5.0, -1.0, 4.9])]
    assert kind.decode(outputs, features) == {"a": "yes", "b": "no"}
    assert kind.decode(outputs[::-1], features[::-1]) == {"a": "yes", "b": "no"}


@pytest.mark.parametrize(
    ("first", "second", "kept", "why"),
    [
        (4, 4, (4, 4), "both fit"),
        (40, 3, (10, 3), "the longer one is cut"),
        (3, 40, (3, 10), "whichever that is"),
        (40, 40, (6, 7), "both are cut to halves"),
        (40, 0, (13, 0), "beside an empty text"),
    ],
)
def test_of_a_pair_the_longer_text_is_cut_first(encoder, first, second, kept, why):
    kind = kind_of(encoder, Kind.SEQUENCE_CLASSIFICATION, PAIR, ("one", "two"))
    rows = {"id": ["a"], "one": [" ".join(["и"] * first)], "two": [" ".join(["град"] * second)], "label": [0]}
    (feature,) = kind.encode(rows)
    (one,), (two,) = kind.tokenizer(["и", "град"], add_special_tokens=False)["input_ids"]
    assert (feature.input_ids.count(one), feature.input_ids.count(two)) == kept, why
    assert feature.types == [0] * (kept[0] + 2) + [1] * (kept[1] + 1)


def test_segments_order_the_texts(encoder):
    kind = kind_of(encoder, Kind.SEQUENCE_CLASSIFICATION, PAIR, ("one", "two"), segments=("{two}", "{one}"))
    (feature,) = kind.encode({"id": ["a"], "one": ["и"], "two": ["град"], "label": [0]})
    assert kind.tokenizer.convert_ids_to_tokens(feature.input_ids) == ["[CLS]", "▁град", "[SEP]", "▁и", "[SEP]"]


@pytest.mark.parametrize(
    ("logits", "expected", "why"),
    [
        ([0.0, 0.0], 0.0, "even"),
        ([1.0, 3.5], 2.5, "the difference of two outputs"),
        ([-40.0, 40.0], 80.0, "probabilities would both be 1 here"),
        ([-40.0, 41.0], 81.0, "and here"),
        ([0.0, 0.0, 0.0], -math.log(2), "against all others together"),
    ],
)
def test_a_rank_is_the_log_odds_of_the_last_label(encoder, logits, expected, why):
    kind = kind_of(encoder, Kind.RANKING, TEXT, ("text",))
    features = kind.encode({"id": ["a"], "text": ["и"], "label": [1]})
    found = kind.decode([np.array(logits, dtype=np.float32)], features)
    assert found["a"] == pytest.approx(expected, abs=1e-4), why
    assert type(found["a"]) is float
