# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest
from transformers import AutoTokenizer

from euroglue.errors import ContractError, UnknownNameError
from euroglue.task import Kind
from euroglue.training.kinds import KINDS
from euroglue.training.kinds.regression import Regression
from euroglue.training.kinds.token_classification import IGNORED, TokenClassification


@pytest.fixture
def tokenizer(encoder):
    return AutoTokenizer.from_pretrained(encoder)


def columns(dataset):
    return {name: list(dataset[name]) for name in dataset.column_names}


def test_a_kind_is_found_by_the_value_of_its_task():
    assert KINDS[Kind.TOKEN_CLASSIFICATION.value] is TokenClassification
    assert KINDS[Kind.REGRESSION.value] is Regression
    assert sorted(KINDS) == sorted(kind.value for kind in Kind)
    with pytest.raises(UnknownNameError, match="no trainable kind of task 'translation'"):
        KINDS["translation"]


@pytest.mark.issue("transformers#18050")
@pytest.mark.issue("simpletransformers#1279")
@pytest.mark.issue("masakhane-ner#16")
@pytest.mark.issue("massive#25")
@pytest.mark.parametrize(("max_length", "stride"), [(16, 4), (16, 0), (24, 20), (64, 16), (512, 128)])
def test_each_word_is_learnt_and_predicted_once_however_long_the_document(
    token_task, token_splits, tokenizer, max_length, stride
):
    rows = columns(token_splits["validation"])
    kind = TokenClassification(token_task, tokenizer, max_length=max_length, stride=stride)
    features = kind.encode(rows)
    assert max(len(feature.input_ids) for feature in features) <= max_length
    assert sum(feature.weight for feature in features) == sum(map(len, rows["tokens"]))
    for feature in features:
        assert sum(label != IGNORED for label in feature.target) == feature.weight == len(feature.words)
    one_hot = [np.eye(len(token_task.labels))[np.maximum(feature.target, 0)] for feature in features]
    names = [[token_task.labels[tag] for tag in tags] for tags in rows["ner_tags"]]
    assert kind.decode(one_hot, features) == dict(zip(rows["id"], names))


def test_windows_of_a_document_are_put_together_in_any_order(token_task, token_splits, tokenizer):
    kind = TokenClassification(token_task, tokenizer, max_length=16, stride=4)
    features = kind.encode(columns(token_splits["validation"]))
    outputs = [np.random.default_rng(i).normal(size=(len(f.input_ids), 5)) for i, f in enumerate(features)]
    assert kind.decode(outputs[::-1], features[::-1]) == kind.decode(outputs, features)


def test_hidden_and_missing_labels_carry_no_weight_yet_get_predictions(token_task, tokenizer):
    kind = TokenClassification(token_task, tokenizer, max_length=16, stride=4)
    rows = {"id": ["a", "b", "c"], "tokens": [["Иван"] * 3, ["Иван"], []], "ner_tags": [[-1, 1, -1], [], []]}
    features = kind.encode(rows)
    assert [feature.weight for feature in features] == [1, 0, 0]
    predicted = kind.decode([np.zeros((len(f.input_ids), 5)) for f in features], features)
    assert {example: len(words) for example, words in predicted.items()} == {"a": 3, "b": 1, "c": 0}


def test_words_and_labels_of_unequal_number_are_refused(token_task, tokenizer):
    kind = TokenClassification(token_task, tokenizer, max_length=16, stride=4)
    with pytest.raises(ContractError, match="example a: 2 words but 1 labels"):
        kind.encode({"id": ["a"], "tokens": [["x", "y"]], "ner_tags": [[0]]})


def test_collated_labels_are_ignored_where_there_is_no_first_piece(token_task, tokenizer):
    kind = TokenClassification(token_task, tokenizer, max_length=16, stride=4)
    rows = {"id": ["a", "b"], "tokens": [["Иван", "и"], ["и"]], "ner_tags": [[1, 0], [0]]}
    batch = kind.collate(kind.encode(rows))
    assert batch["labels"].shape == batch["input_ids"].shape == batch["attention_mask"].shape
    assert batch["attention_mask"].sum(1).tolist() == [len(f.input_ids) for f in kind.encode(rows)]
    assert (batch["labels"] != IGNORED).sum(1).tolist() == [2, 1]
    assert (batch["input_ids"][batch["attention_mask"] == 0] == tokenizer.pad_token_id).all()


def test_targets_are_scaled_to_the_bounds_and_back(number_task, tokenizer):
    kind = Regression(number_task, tokenizer, max_length=16, stride=0)
    values = [0.0, 2.5, 5.0, 1.0]
    features = kind.encode({"id": list("abcd"), "text": ["и"] * 4, "label": values})
    assert [feature.target for feature in features] == [-1, 0, 1, -0.6]
    outputs = [np.array([feature.target]) for feature in features]
    assert list(kind.decode(outputs, features).values()) == values


def test_a_hidden_number_carries_no_weight(number_task, tokenizer):
    kind = Regression(number_task, tokenizer, max_length=8, stride=0)
    features = kind.encode({"id": ["a", "b"], "text": ["и " * 50, "и"], "label": [float("nan"), 3.0]})
    assert [feature.weight for feature in features] == [0, 1]
    assert len(features[0].input_ids) == 8
    assert np.isfinite(kind.collate(features)["labels"].numpy()).all()
    assert kind.encode({"id": [], "text": [], "label": []}) == []
