# SPDX-License-Identifier: Apache-2.0
"""The example trainers on the sample corpora, from arguments to predictions."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

from euroglue.evaluation import score_on_split
from euroglue.predictions import read_predictions
from euroglue.prepare import prepare
from euroglue.registry import find_task

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(monkeypatch, script, *arguments):
    monkeypatch.setattr(sys, "argv", [script, *map(str, arguments)])
    runpy.run_path(str(EXAMPLES / script), run_name="__main__")


@pytest.mark.parametrize(
    ("script", "name"), [("run_token_classification.py", "wikiannbg"), ("run_regression.py", "cinexio")]
)
def test_an_example_trains_predicts_and_scores_as_the_score_command_does(
    tmp_path, monkeypatch, capsys, home, encoder, script, name
):
    output, again = tmp_path / "run", tmp_path / "again"
    data = ["--task", name, "--edition", "sample"]
    run(monkeypatch, script, *data, "--model", encoder, "--output", output, "--epochs", 1, "--max-length", 48)
    printed = capsys.readouterr().out
    made = prepare(find_task("bgglue", name), "sample")
    for split in ("validation", "test"):
        result = score_on_split(made, split, output / f"predictions/{split}.jsonl")
        assert f"bgglue/{name} {split}: {result.primary} {result.value:.4f}" in printed
        assert result.signature in (output / "metrics.json").read_text(encoding="utf-8")
    run(monkeypatch, script, *data, "--predict-only", output / "best", "--output", again)
    for split in ("validation", "test"):
        predicted = [read_predictions(folder / f"predictions/{split}.jsonl", made.task) for folder in (output, again)]
        assert predicted[0] == predicted[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--task", "cinexi", "--model", "m"], "there is no task 'cinexi'; did you mean 'cinexio'?"),
        (["--task", "wikiannbg", "--model", "m"], "is a task of token_classification, not of regression"),
        (["--task", "cinexio", "--model", "m", "--epochs", "0"], "epochs: expected at least 1, got 0"),
        (["--task", "cinexio", "--edition", "new", "--model", "m"], "has no edition 'new'"),
        (["--task", "cinexio", "--edition", "sample", "--model", "/no/where"], "cannot load the"),
    ],
)
def test_a_user_s_mistake_gives_one_line_and_exit_code_2(tmp_path, monkeypatch, capsys, home, arguments, message):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(SystemExit) as caught:
        run(monkeypatch, "run_regression.py", *arguments, "--output", tmp_path / "run")
    assert caught.value.code == 2
    (line,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("euroglue: ")]
    assert message in line


def test_neither_a_model_nor_a_checkpoint_is_a_wrong_call(tmp_path, monkeypatch, capsys):
    with pytest.raises(SystemExit) as caught:
        run(monkeypatch, "run_regression.py", "--task", "cinexio", "--output", tmp_path)
    assert caught.value.code == 2
    assert "give --model, or --predict-only" in capsys.readouterr().err
