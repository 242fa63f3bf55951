# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from euroglue.errors import EuroglueError, UnknownNameError
from euroglue.training.loop import scheduled
from euroglue.training.settings import Settings


def test_the_recipe_holds_where_nothing_is_said(token_task):
    settings = Settings.of(token_task, "model", epochs=None, seed=0)
    recipe = token_task.recipe
    assert (settings.learning_rate, settings.epochs, settings.batch_size) == (3e-3, 3, 16)
    assert (settings.warmup, settings.max_length, settings.clip) == (recipe.warmup, recipe.max_length, recipe.clip)
    assert (settings.edition, settings.seed) == ("sample", 0)


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"epochs": 0}, "epochs: expected at least 1, got 0"),
        ({"learning_rate": -1.0}, "learning_rate: expected a number above 0"),
        ({"learning_rate": float("nan")}, "learning_rate: expected a number above 0, got nan"),
        ({"batch_size": 0}, "batch_size"),
        ({"warmup": 1.0}, "warmup: expected a share"),
        ({"max_length": 3}, "max_length"),
        ({"seed": -1}, "seed"),
        ({"mixed_precision": "int8"}, "mixed_precision: expected one of auto, no, bf16, fp16"),
        ({"optimizer": "sgd"}, "optimizer: expected one of adamw, adam, got 'sgd'"),
        ({"criterion": "f1"}, "criterion: expected one of metric, loss"),
        ({"max_steps": 0}, "max_steps: expected at least 1, or nothing, got 0"),
        ({"eval_steps": 0}, "eval_steps: expected at least 1"),
        ({"patience": 0}, "patience: expected at least 1"),
        ({"limit": {"dev": 3}}, "limit"),
        ({"limit": {"train": 0}}, "limit"),
        ({"epochs": "three"}, "epochs: expected a whole number, got 'three'"),
        ({"epochs": 2.5}, "epochs: expected a whole number, got 2.5"),
        ({"batch_size": True}, "batch_size: expected a whole number, got True"),
        ({"learning_rate": "1e-4x"}, "learning_rate: expected a number, got '1e-4x'"),
        ({"trim_vocabulary": "no"}, "trim_vocabulary: expected true or false, got 'no'"),
        ({"max_steps": "x"}, "max_steps: expected a whole number, or nothing, got 'x'"),
        ({"attention": 3}, "attention: expected a text, or nothing, got 3"),
        ({"limit": 5}, "limit: expected whole numbers by split, got 5"),
        ({"limit": {"train": 2.5}}, "limit: expected whole numbers by split, got {'train': 2.5}"),
        ({"leraning_rate": 1.0}, "no training setting 'leraning_rate'"),
    ],
)
def test_a_value_outside_its_range_is_refused_by_name(token_task, overrides, message):
    with pytest.raises(EuroglueError, match=message.replace("(", r"\(")):
        Settings.of(token_task, "model", **overrides)


def test_an_unknown_edition_is_refused(token_task):
    with pytest.raises(UnknownNameError, match="no edition 'official'"):
        Settings.of(token_task, "model", "official")


@pytest.mark.parametrize(
    ("step", "total", "warmup", "expected", "why"),
    [
        (0, 100, 0.06, 0.0, "begins at nothing"),
        (3, 100, 0.06, 0.5, "half of six steps of warm-up"),
        (6, 100, 0.06, 1.0, "full after them"),
        (53, 100, 0.06, 0.5, "half of the way down"),
        (100, 100, 0.06, 0.0, "ends at nothing"),
        (0, 10, 0.0, 1.0, "no warm-up"),
    ],
)
def test_the_learning_rate_rises_and_falls_in_lines(step, total, warmup, expected, why):
    assert scheduled(step, total, warmup) == pytest.approx(expected), why


def test_a_constant_schedule_stays_after_the_rise():
    assert [scheduled(step, 10, 0.2, falls=False) for step in (0, 1, 2, 6, 10)] == [0.0, 0.5, 1.0, 1.0, 1.0]
