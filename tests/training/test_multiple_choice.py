# SPDX-License-Identifier: Apache-2.0
"""Choices, encoded, scored and decoded."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from transformers import AutoTokenizer

from euroglue.errors import ContractError
from euroglue.registry import find_task
from euroglue.training.kinds.multiple_choice import MultipleChoice


def question(*options, stem="вижда"):
    choices = [{"text": text, "label": letter, "para": "книга"} for letter, text in zip("АБВГ", options)]
    return {"stem": stem, "choices": choices}


ROWS = {
    "id": ["a", "b", "c"],
    "question": [question("и", "в", "град"), question("и", "в"), question("и " * 30, "в")],
    "answerKey": ["Б", "", "А"],
}


def make(encoder, name="examsbg", suite="bgglue", max_length=16, **options):
    tokenizer = AutoTokenizer.from_pretrained(encoder)
    return MultipleChoice(find_task(suite, name), tokenizer, max_length=max_length, stride=0, **options)


def cut(feature):
    ends = [*feature.positions[1:], len(feature.input_ids)]
    return [feature.input_ids[start:end] for start, end in zip(feature.positions, ends)]


@pytest.mark.parametrize(("loss", "weights"), [("softmax", [1, 0, 1]), ("binary", [3, 0, 2])])
def test_a_feature_holds_all_choices_each_with_its_context(encoder, loss, weights):
    kind = make(encoder, choice_loss=loss)
    features = kind.encode(ROWS)
    assert [feature.weight for feature in features] == weights
    assert [feature.target for feature in features] == [1, None, 0]
    texts = [kind.tokenizer.decode(ids) for ids in cut(features[0])]
    assert texts == [f"[CLS] книга[SEP] вижда {option}[SEP]" for option in ("и", "в", "град")]
    assert max(len(ids) for feature in features for ids in cut(feature)) == 16
    assert kind.encode({"id": [], "question": [], "answerKey": []}) == []


def test_choices_are_stacked_as_many_as_there_are(encoder):
    kind = make(encoder)
    features = kind.encode(ROWS)
    batch = kind.collate(features)
    assert batch["counts"].tolist() == [3, 2, 2]
    assert batch["input_ids"].shape == batch["attention_mask"].shape == batch["token_type_ids"].shape == (7, 16)
    assert batch["labels"].tolist() == [1, -1, 0]
    rows = [row[: int(mask.sum())].tolist() for row, mask in zip(batch["input_ids"], batch["attention_mask"])]
    assert rows == [ids for feature in features for ids in cut(feature)]


class Scores(torch.nn.Module):
    """Says these numbers, whatever it reads."""

    def __init__(self, *numbers):
        super().__init__()
        self.numbers = torch.tensor(numbers)

    def forward(self, **inputs):
        assert set(inputs) == {"input_ids", "attention_mask", "token_type_ids"}
        return type("Output", (), {"logits": self.numbers.reshape(-1, 1)})


def test_the_two_losses_are_means_over_their_labels(encoder):
    numbers = [0.5, 2.0, -1.0, 9.0, 9.0, 1.0, 3.0]
    right = [0, 1, 0, None, None, 1, 0]
    known = [i for i, value in enumerate(right) if value is not None]
    softmax = np.mean([np.log(np.exp(numbers[:3]).sum()) - 2.0, np.log(np.exp(numbers[5:]).sum()) - 1.0])
    chance = 1 / (1 + np.exp(-np.array(numbers)))
    binary = np.mean([-np.log(chance[i] if right[i] else 1 - chance[i]) for i in known])
    for loss, expected in (("softmax", softmax), ("binary", binary)):
        kind = make(encoder, choice_loss=loss)
        output = kind.run(Scores(*numbers), kind.collate(kind.encode(ROWS)))
        assert float(output.loss) == pytest.approx(expected, rel=1e-5), loss
        assert output.logits.tolist() == [[0.5, 2.0, -1.0], [9.0, 9.0, 0.0], [1.0, 3.0, 0.0]]


def test_padding_of_fewer_choices_is_never_chosen(encoder):
    kind = make(encoder)
    features = kind.encode(ROWS)
    outputs = [np.array([-5.0, -6.0, -4.0]), np.array([-5.0, -4.0, 0.0]), np.array([-2.0, -3.0, 0.0])]
    assert kind.decode(outputs, features) == {"a": "В", "b": "Б", "c": "А"}


def test_numbered_choices_are_decoded_to_numbers(encoder):
    kind = make(encoder, "copanl", "dumb")
    pair = [{"sentence1": "и", "sentence2": "в"}, {"sentence1": "град", "sentence2": "в"}]
    features = kind.encode({"id": ["1", "2"], "choices": [pair, pair], "label": [1, -1]})
    assert [feature.target for feature in features] == [1, None]
    found = kind.decode([np.array([0.0, 1.0]), np.array([1.0, 0.0])], features)
    assert found == {"1": 1, "2": 0} and all(type(value) is int for value in found.values())


@pytest.mark.parametrize(("answer", "message"), [("Д", "the answer 'Д' is none of the choices А, Б, В")])
def test_an_answer_that_is_no_choice_is_refused(encoder, answer, message):
    with pytest.raises(ContractError, match=f"example a: {message}"):
        make(encoder).encode({"id": ["a"], "question": ROWS["question"][:1], "answerKey": [answer]})
