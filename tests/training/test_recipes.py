# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import dataclasses
import math

import pytest

from euroglue.errors import EuroglueError, UnknownNameError
from euroglue.registry import SUITES, find_task
from euroglue.task import Recipe
from euroglue.training.data import resampled
from euroglue.training.recipes import RECIPES, combinations
from euroglue.training.settings import Settings

TASKS = [task for suite in SUITES.values() for task in suite.tasks.values()]


@pytest.mark.parametrize("name", list(RECIPES))
def test_every_run_of_a_recipe_is_one_that_can_be_trained(name):
    recipe = RECIPES[name]
    for task in TASKS:
        for values in combinations(recipe.grid(task)):
            for repeat in recipe.repeats:
                made = Settings.of(task, "model", recipe=name, **values, **repeat)
                assert all(getattr(made, key) == value for key, value in {**values, **repeat}.items())


def test_the_runs_of_dumb_s_printed_grids_are_those_counted_in_its_appendix():
    tasks = SUITES["dumb"].tasks.values()
    runs = {task.name: len(combinations(RECIPES["dumb"].grid(task))) for task in tasks}
    assert runs["lassy-pos"] == runs["sonar-ne"] == runs["dbrd"] == 36
    assert (runs["wicnl"], runs["dpr"], runs["copanl"], runs["sicknl-nli"]) == (64, 80, 80, 64)
    assert (runs["dalc"], runs["squadnl"]) == (48, 12)
    assert 14 * sum(runs.values()) == 6384, "for 14 models, by the printed grids (the text says 7,504)"


@pytest.mark.parametrize(
    ("recipe", "suite", "task", "expected", "why"),
    [
        (
            "dumb",
            "dumb",
            "dpr",
            {"batch_size": 32, "weight_decay": 0.0, "optimizer": "adam", "clip": 1.0},
            "appendix B",
        ),
        ("dumb", "dumb", "dpr", {"learning_rate": 5e-5, "epochs": 10, "warmup": 0.0}, "the task's own, from the grid"),
        ("dumb", "bgglue", "cinexio", {"learning_rate": 5e-5, "epochs": 5, "batch_size": 32}, "a task of its kind"),
        ("bgglue", "bgglue", "examsbg", {"choice_loss": "binary", "warmup": 0.06, "weight_decay": 1e-8}, "appendix A"),
        ("bgglue", "dumb", "copanl", {"choice_loss": "binary", "epochs": 5, "batch_size": 16}, "any task"),
        ("euroeval", "bgglue", "xnlibg", {"max_steps": 10_000, "eval_steps": 30, "patience": 2}, "section 5"),
        ("euroeval", "bgglue", "xnlibg", {"criterion": "loss", "warmup": 0.01, "learning_rate": 2e-5}, "section 5"),
        (None, "dumb", "copanl", {"choice_loss": "softmax", "optimizer": "adamw"}, "no recipe: the literal's"),
    ],
)
def test_the_settings_are_the_paper_s(recipe, suite, task, expected, why):
    made = Settings.of(find_task(suite, task), "model", recipe=recipe)
    assert {name: getattr(made, name) for name in expected} == expected, why


@pytest.mark.parametrize("name", list(RECIPES))
def test_a_recipe_is_the_same_whatever_the_task_s_own_is(name):
    task = find_task("bgglue", "examsbg")
    own = Recipe(
        learning_rate=1.0, epochs=7, batch_size=3, weight_decay=0.5, clip=9.0, optimizer="adam", max_steps=5,
        eval_steps=2, patience=1, criterion="loss", choice_loss="binary",
    )  # fmt: skip
    bare = Recipe(learning_rate=1.0, epochs=7, batch_size=3)
    made = [Settings.of(dataclasses.replace(task, recipe=recipe), "m", recipe=name) for recipe in (own, bare)]
    assert made[0] == made[1]


def test_what_is_said_goes_before_the_recipe():
    made = Settings.of(find_task("bgglue", "xnlibg"), "model", recipe="euroeval", criterion="metric", max_steps=60)
    assert (made.criterion, made.max_steps, made.eval_steps) == ("metric", 60, 30)


@pytest.mark.parametrize(
    ("given", "expected", "why"),
    [
        ({}, 10_000, "the recipe's"),
        ({"epochs": 3}, None, "what is said goes before the recipe"),
        ({"epochs": 3, "max_steps": 60}, 60, "steps in place of epochs"),
        ({"epochs": None}, 10_000, "nothing overrides nothing"),
    ],
)
def test_epochs_that_are_given_are_not_lost_to_the_steps_of_a_recipe(given, expected, why):
    made = Settings.of(find_task("euroeval_sl", "scala-sl"), "model", recipe="euroeval", **given)
    assert made.max_steps == expected, why


def test_large_models_are_searched_with_rates_of_their_own():
    task = find_task("bgglue", "cinexio")
    base, large = (RECIPES[name].grid(task)["learning_rate"] for name in ("bgglue", "bgglue-large"))
    assert (base, large) == ((2e-5, 3e-5, 4e-5, 5e-5), (1e-5, 2e-5, 3e-5)), "appendix A, as the scripts have it"


def test_an_unknown_recipe_is_refused_with_the_nearest():
    with pytest.raises(UnknownNameError, match="there is no recipe 'dum'; did you mean 'dumb'"):
        Settings.of(find_task("bgglue", "xnlibg"), "model", recipe="dum")


def test_euroeval_s_ten_runs_differ_in_seed_and_resample():
    repeats = RECIPES["euroeval"].repeats
    assert [one["seed"] for one in repeats] == list(range(4242, 4252))
    assert [one["bootstrap"] for one in repeats] == list(range(10))
    with pytest.raises(EuroglueError, match="bootstrap: expected from 0 to 9, or nothing, got 10"):
        Settings.of(find_task("bgglue", "xnlibg"), "model", bootstrap=10)


def test_a_resample_draws_rows_with_replacement_and_leaves_test_alone():
    def split(prefix, count):
        return {"id": [f"{prefix}{i}" for i in range(count)], "label": list(range(count))}

    splits = {"train": split("a", 200), "validation": split("b", 50), "test": split("c", 30)}
    made = [resampled(splits, number) for number in range(10)]
    for one in made:
        assert one["test"] == splits["test"]
        assert [f"a{label}" for label in one["train"]["label"]] == one["train"]["id"]
        distinct = len(set(one["train"]["id"])) / 200
        assert distinct == pytest.approx(1 - 1 / math.e, abs=0.1)
    assert len({tuple(one["train"]["id"]) for one in made}) == 10
    assert made[3] == resampled(splits, 3)
