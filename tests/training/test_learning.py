# SPDX-License-Identifier: Apache-2.0
"""A tiny encoder, made from scratch, learns the sample corpus of each kind of task.

A sample has a few dozen examples. Where that is enough to tell new ones, the floor is a score on validation; where it is
not (questions, marked words, knowledge), on the training examples themselves, which guessing does not reach either.
"""

from __future__ import annotations

import pytest

from euroglue.prepare import prepare
from euroglue.prepare.leakage import texts_of
from euroglue.registry import SUITES, find_task
from euroglue.task import Kind
from euroglue.training import train
from euroglue.training.data import load_splits
from euroglue.training.kinds import KINDS
from euroglue.training.tiny import build_tiny_encoder

FLOORS = [
    ("bgglue", "wikiannbg", "validation", 8, 0.6, "no name at all would score 0"),
    ("bgglue", "fakenews", "validation", 6, 0.9, "always fake scores 0.73"),
    ("bgglue", "cinexio", "validation", 10, 0.5, "chance scores 0"),
    ("bgglue", "ct21t1", "validation", 4, 0.9, "chance scores about 0.33"),
    ("dumb", "copanl", "train", 10, 0.9, "chance scores 0.5"),
    ("dumb", "dpr", "train", 20, 0.8, "chance scores 0.5"),
    ("dumb", "squadnl", "train", 25, 0.55, "never an answer scores 0.22"),
]


def learn(task, folder, *, epochs, on="validation", **settings):
    """The score of the best epoch on a split of the sample."""
    made = prepare(task, "sample")
    encoder = build_tiny_encoder(texts_of(task, made.table("train")), folder / "encoder", vocab_size=1500)
    splits = dict(load_splits(task, "sample"))
    splits["validation"] = splits[on]
    values = {"learning_rate": 2e-3, "batch_size": 8, "max_length": 128, "epochs": epochs, **settings}
    metrics = train(task, str(encoder), folder / "run", edition="sample", splits=splits, **values)
    result = metrics["splits"]["validation"]
    return result["scores"][result["primary"]], metrics


@pytest.mark.parametrize(("suite", "name", "on", "epochs", "floor", "why"), FLOORS)
def test_a_tiny_encoder_learns_the_sample(tmp_path, home, suite, name, on, epochs, floor, why):
    score, _ = learn(find_task(suite, name), tmp_path, epochs=epochs, on=on)
    assert score >= floor, why


def test_every_kind_has_a_floor():
    assert {find_task(suite, name).kind for suite, name, *_ in FLOORS} == set(Kind)
    assert sorted(KINDS) == sorted(kind.value for kind in Kind)


SAMPLED = [task for suite in SUITES.values() for task in suite.tasks.values() if "sample" in task.editions]


@pytest.mark.slow
@pytest.mark.parametrize("task", SAMPLED, ids=lambda task: task.path)
def test_every_sample_trains_and_each_of_its_rows_is_predicted(tmp_path, home, task):
    from euroglue.evaluation import score_on_split
    from euroglue.predictions import read_predictions

    _, metrics = learn(task, tmp_path, epochs=2)
    made = prepare(task, "sample")
    for split in ("validation", "test"):
        path = tmp_path / f"run/predictions/{split}.jsonl"
        assert list(read_predictions(path, task)) == list(map(str, made.table(split)[task.id_column]))
        if split in metrics["splits"]:
            assert score_on_split(made, split, path).scores == metrics["splits"][split]["scores"]


def test_choices_are_learnt_one_by_one_too(tmp_path, home):
    score, _ = learn(find_task("dumb", "copanl"), tmp_path, epochs=12, on="train", choice_loss="binary")
    assert score >= 0.9
