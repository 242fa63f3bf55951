# SPDX-License-Identifier: Apache-2.0
"""Choices known by their number, as in COPA-NL: scored, written, read, and guessed without a model."""

import numpy as np
import pytest

from dumb_datasets import copanl, squadnl
from euroglue.choices import choice_names
from euroglue.errors import FormatError, PredictionError
from euroglue.predictions import read_predictions, write_predictions
from euroglue.prepare import prepare
from euroglue.scoring import metric_for, score
from euroglue.scoring.baselines import baselines, random


@pytest.mark.parametrize(
    ("predictions", "expected", "why"),
    [
        ([0, 1, 1], 1.0, "numbers"),
        (["0", "1", "0"], 2 / 3, "digits, as language models give them"),
        ([1, 0, 7], 0.0, "a choice that is not there is wrong"),
        ([0.0, 1.0, np.float32(1)], 1.0, "whole floats are numbers of choices, as they are ids of labels"),
    ],
)
def test_accuracy_of_choices(predictions, expected, why):
    assert score(copanl.TASK, predictions, [0, 1, 1]).value == pytest.approx(expected), why


@pytest.mark.parametrize(
    ("predictions", "references", "message"),
    [
        (["A"], [0], "expected the number of a choice as the prediction, got 'A'"),
        ([0.5], [0], r"expected the number of a choice as the prediction, got 0.5 \(float\)"),
        ([10**30], [0], r"expected the number of a choice as the prediction, got 10{20,}"),
        (["9" * 30], [0], "expected the number of a choice as the prediction, got '9"),
        (["9" * 5000], [0], "expected the number of a choice as the prediction, got '9"),
        ([0], [None], "expected the number of a choice as the reference, got None"),
        ([True], [0], "expected the number of a choice as the prediction, got True"),
        ([0], [-1], r"the reference is hidden \(-1\)"),
    ],
)
def test_what_is_no_choice_is_refused(predictions, references, message):
    with pytest.raises(PredictionError, match=message):
        score(copanl.TASK, predictions, references)


def test_choices_are_written_and_read_as_numbers(tmp_path):
    write_predictions(tmp_path / "p.jsonl", copanl.TASK, ["a", "b"], [1, "0"])
    assert (tmp_path / "p.jsonl").read_text(encoding="utf-8").splitlines()[0] == '{"id": "a", "label": 1}'
    assert read_predictions(tmp_path / "p.jsonl", copanl.TASK) == {"a": 1, "b": 0}
    (tmp_path / "p.jsonl").write_text('{"id": "a", "label": "choice1"}\n', encoding="utf-8")
    with pytest.raises(FormatError, match="line 1: expected the number of a choice, from 0, as 'label', got 'choice1'"):
        read_predictions(tmp_path / "p.jsonl", copanl.TASK)


@pytest.mark.parametrize("task", [copanl.TASK, squadnl.TASK], ids=lambda task: task.name)
def test_baselines_of_choices_and_of_questions(home, task):
    table = prepare(task, "sample").table("test")
    for name, result in baselines(task, table, seed=1).items():
        assert metric_for(task).low <= result.value < 1, name


def test_random_choices_are_among_the_numbers_of_the_choices(home):
    table = prepare(copanl.TASK, "sample").table("train")
    choices = choice_names(copanl.TASK, table)
    assert choices == [("0", "1")] * len(table)
    assert set(random(copanl.TASK, table["label"], 0, choices)) == {"0", "1"}
