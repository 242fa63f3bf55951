# SPDX-License-Identifier: Apache-2.0
"""How long a run trains, how often it is scored and by what it is judged."""

from __future__ import annotations

import json

import pytest
import torch

from euroglue.training import train
from euroglue.training.kinds.regression import Regression
from euroglue.training.loop import make_optimizer

LEARNING = {"learning_rate": 1e-3, "batch_size": 16}


def evaluations(folder):
    log = [json.loads(line) for line in (folder / "log.jsonl").read_text(encoding="utf-8").splitlines()]
    return [entry for entry in log if "validation" in entry]


@pytest.mark.parametrize(
    ("settings", "steps", "why"),
    [
        ({"epochs": 2}, [10, 20], "after each epoch of ten steps"),
        ({"epochs": 1, "max_steps": 13}, [10, 13], "the last step is scored too, though no epoch ends with it"),
        ({"epochs": 1, "max_steps": 14, "eval_steps": 4}, [4, 8, 12, 14], "every four steps, over the epochs' ends"),
        ({"epochs": 9, "max_steps": 3}, [3], "steps go before epochs"),
    ],
)
def test_validation_is_scored_at_these_steps(tmp_path, number_task, number_splits, encoder, settings, steps, why):
    metrics = train(number_task, str(encoder), tmp_path / "run", splits=number_splits, **LEARNING, **settings)
    assert [entry["step"] for entry in evaluations(tmp_path / "run")] == steps, why
    assert metrics["best"]["step"] in steps


def test_patience_ends_a_run_that_grows_no_better(tmp_path, number_task, number_splits, encoder):
    still = {**LEARNING, "learning_rate": 1e-12, "max_steps": 1000, "eval_steps": 2, "patience": 3}
    metrics = train(number_task, str(encoder), tmp_path / "run", splits=number_splits, **still)
    found = evaluations(tmp_path / "run")
    worse = [entry["best"] for entry in found]
    assert worse[-3:] == [False] * 3 and len(found) < 100
    assert metrics["best"]["step"] == found[-4]["step"]


def test_a_killed_run_keeps_count_of_its_patience(tmp_path, monkeypatch, number_task, number_splits, encoder):
    settings = {**LEARNING, "learning_rate": 1e-12, "max_steps": 1000, "eval_steps": 2, "patience": 3}
    whole = train(number_task, str(encoder), tmp_path / "whole", splits=number_splits, **settings)
    steps = [entry["step"] for entry in evaluations(tmp_path / "whole")]
    collate, calls = Regression.collate, []

    def killing(self, features):
        calls.append(len(features))
        if sum(size == 16 for size in calls) > steps[-1] - 1:
            raise KeyboardInterrupt
        return collate(self, features)

    monkeypatch.setattr(Regression, "collate", killing)
    with pytest.raises(KeyboardInterrupt):
        train(number_task, str(encoder), tmp_path / "killed", splits=number_splits, **settings)
    monkeypatch.setattr(Regression, "collate", collate)
    assert train(number_task, str(encoder), tmp_path / "killed", splits=number_splits, **settings) == whole
    assert [entry["step"] for entry in evaluations(tmp_path / "killed")] == steps


def test_by_loss_the_checkpoint_of_least_loss_is_kept(tmp_path, number_task, number_splits, encoder):
    metrics = train(
        number_task, str(encoder), tmp_path / "run", splits=number_splits, epochs=4, criterion="loss", **LEARNING
    )
    found = evaluations(tmp_path / "run")
    losses = [entry["validation"]["loss"] for entry in found]
    assert metrics["best"]["scores"]["loss"] == min(losses) > 0
    assert "loss" not in metrics["splits"]["validation"]["scores"]
    predictions = (tmp_path / "run/predictions/validation.jsonl").read_text(encoding="utf-8").splitlines()
    gold = [value for value in number_splits["validation"]["label"]]
    errors = [(json.loads(line)["label"] - value) / 2.5 for line, value in zip(predictions, gold, strict=True)]
    assert sum(error**2 for error in errors) / len(errors) == pytest.approx(min(losses), rel=1e-3)


def test_without_decay_adam_and_adamw_take_the_same_steps():
    weights = []
    for name in ("adam", "adamw"):
        torch.manual_seed(0)
        model = torch.nn.Linear(3, 2)
        optimizer = make_optimizer(model, 0.1, 0.0, name)
        for _ in range(3):
            model(torch.ones(4, 3)).square().sum().backward()
            optimizer.step()
        weights.append(model.weight.detach())
    assert torch.equal(*weights)
