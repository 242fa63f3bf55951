# SPDX-License-Identifier: Apache-2.0
"""The sets of each task of a results store: not worse than the best, below the baseline."""

from __future__ import annotations

import json

import numpy as np
import pytest

from euroglue.cli import main
from euroglue.leaderboard.verdicts import verdicts
from euroglue.registry import find_task
from euroglue.results import Record, ResultStore
from euroglue.scoring import metric_for, score

SUITE, TASK, ITEMS = "bgglue", "xnlibg", 400
RUNS = (
    ("base", 0.6, 1),
    ("base", 0.6, 2),
    ("good", 0.8, 1),
    ("good", 0.8, 2),
    ("also", 0.8, 1),
    ("also", 0.8, 2),
    ("low", 0.45, 1),
)


def add(store, model, share, seed, *, task=TASK, keep=True, data="ab", item="item", **more):
    """A run that has this share of the items right."""
    described = find_task(SUITE, task)
    rng = np.random.default_rng([sum(map(ord, model)), seed])
    gold = np.random.default_rng(0).integers(0, 2, ITEMS)
    guess = np.where(rng.random(ITEMS) < share, gold, 1 - gold)
    result = score(described, guess.tolist(), gold.tolist(), fingerprint=data)
    record = Record(
        suite=SUITE, task=task, model=model, method="fine-tuned", primary=result.primary, scores=result.scores,
        n=result.n, signature=result.signature, seed=seed, **more,
    )  # fmt: skip
    rows = metric_for(described).statistics(guess.tolist(), gold.tolist()).tolist()
    store.add(record, {f"{item} {i}": row for i, row in enumerate(rows)} if keep else None)


@pytest.fixture
def store(tmp_path):
    store = ResultStore(tmp_path / "results")
    for model, share, seed in RUNS:
        add(store, model, share, seed)
    return store


def test_the_sets_of_a_task(store):
    (found,), left_out = verdicts(store, baseline="base")
    assert left_out == [] and found.runs == {"base": 2, "good": 2, "also": 2, "low": 1}
    assert set(found.verdict.not_worse) == {"good", "also"} and found.verdict.below_baseline == ("low",)
    assert (found.verdict.items, found.verdict.trials) == (ITEMS, 7 * ITEMS)
    assert found.verdict.against_baseline["good"].estimate == pytest.approx(
        np.log(0.8 / 0.2) - np.log(0.6 / 0.4), abs=0.35
    )


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"keep": False}, "bgglue/xnlibg, odd, seed 1: its rows were not kept"),
        ({"item": "other"}, "bgglue/xnlibg, odd, seed 1: its examples are not those of the others"),
        ({"data": "cd"}, "cannot be counted with the others: data is 'cd' and 'ab'"),
    ],
)
def test_what_cannot_be_counted_is_left_out_and_named(more, message, store):
    add(store, "odd", 0.9, 1, **more)
    (found,), left_out = verdicts(store)
    assert "odd" not in found.runs and message in left_out[0]


def test_ways_of_running_one_model_are_told_apart(store):
    add(store, "good", 0.5, 7, revision="abc")
    (found,), _ = verdicts(store)
    assert {"good (fine-tuned)", "good (abc, fine-tuned)"} < set(found.runs)
    add(store, "low", 0.5, 7, variant="prompts euroeval")
    (found,), _ = verdicts(store)
    assert {"low (fine-tuned)", "low (fine-tuned, prompts euroeval)"} < set(found.runs)


def test_a_task_that_cannot_be_judged_does_not_hide_the_others(store):
    add(store, "base", 0.6, 1, task="crediblenews")
    found, left_out = verdicts(store)
    assert [one.task for one in found] == [TASK]
    assert left_out == ["bgglue/crediblenews: a comparison needs two models, got base"]


def test_a_baseline_without_a_result_is_named(store):
    (found,), left_out = verdicts(store, baseline="nobody")
    assert found.verdict.baseline is None and "the baseline 'nobody' has no result" in left_out[0]


def test_the_command(store, capsys):
    arguments = ["analyse", "--results", str(store.root), "--significance", "--baseline", "base"]
    assert main(arguments) == 0
    out = capsys.readouterr().out
    assert "bgglue/xnlibg (test): 400 items, 2,800 trials" in out and "not worse" in out and "below" in out
    assert main([*arguments, "--json"]) == 0
    (task,) = json.loads(capsys.readouterr().out)["tasks"]
    assert task["below_baseline"] == ["low"] and task["against_best"]["low"]["test"] == "Wald"
    assert main([*arguments, "--split", "validation"]) == 2
