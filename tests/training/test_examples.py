# SPDX-License-Identifier: Apache-2.0
"""The example trainers on the sample corpora, from arguments to predictions."""

from __future__ import annotations

import dataclasses
import runpy
import sys
from pathlib import Path

import pytest
from accelerate import PartialState

from euroglue.evaluation import score_on_split
from euroglue.predictions import read_predictions
from euroglue.prepare import prepare
from euroglue.registry import find_task
from euroglue.task import Kind
from euroglue.training.arguments import APART, chosen_task, parse, print_scores, training_options
from euroglue.training.settings import Settings

VALUES = {
    "learning_rate": 0.5, "epochs": 7, "batch_size": 3, "weight_decay": 0.25, "warmup": 0.125, "max_length": 99,
    "clip": 2.5, "optimizer": "adam", "max_steps": 11, "eval_steps": 5, "patience": 4, "criterion": "loss",
    "choice_loss": "binary", "dropout": 0.375, "bootstrap": 6, "stride": 12, "eval_batch_size": 2, "seed": 8,
    "mixed_precision": "bf16", "schedule": "constant", "trim_vocabulary": False,
}  # fmt: skip
EXAMPLES = Path(__file__).parents[2] / "examples"


def run(monkeypatch, script, *arguments):
    monkeypatch.setattr(sys, "argv", [script, *map(str, arguments)])
    runpy.run_path(str(EXAMPLES / script), run_name="__main__")


@pytest.mark.parametrize(
    ("kind", "suite", "name"),
    [
        ("token_classification", "bgglue", "wikiannbg"),
        ("sequence_classification", "bgglue", "xnlibg"),
        ("regression", "bgglue", "cinexio"),
        ("ranking", "bgglue", "ct21t1"),
        ("multiple_choice", "bgglue", "examsbg"),
        ("span_classification", "dumb", "dpr"),
        ("question_answering", "dumb", "squadnl"),
    ],
)
def test_an_example_trains_predicts_and_scores_as_the_score_command_does(
    tmp_path, monkeypatch, capsys, home, encoder, kind, suite, name
):
    output, again, script = tmp_path / "run", tmp_path / "again", f"run_{kind}.py"
    data = ["--suite", suite, "--task", name, "--edition", "sample"]
    brief = ["--epochs", 1, "--max-length", 48, "--recipe", suite]
    run(monkeypatch, script, *data, "--model", encoder, "--output", output, *brief)
    printed = capsys.readouterr().out
    made = prepare(find_task(suite, name), "sample")
    for split in ("validation", "test"):
        result = score_on_split(made, split, output / f"predictions/{split}.jsonl")
        assert f"{suite}/{name} {split}: {result.primary} {result.value:.4f}" in printed
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
        (["--task", "cinexio", "--model", "m", "--epochs", "many"], "argument --epochs: invalid int value: 'many'"),
        (["--task", "cinexio", "--model", "m", "--clip", "inf"], "clip: expected a number above 0, got inf"),
        (["--task", "cinexio", "--model", "m", "--no-such-option"], "unrecognized arguments: --no-such-option"),
        (["--task", "cinexio", "--predict-only", "best", "--model", "m"], "trains nothing, so leave out --model"),
        (
            ["--task", "cinexio", "--predict-only", "best", "--epochs", "0", "--no-trim-vocabulary"],
            "trains nothing, so leave out --epochs, --trim-vocabulary",
        ),
        (["--task", "cinexio", "--predict-only", "best", "--max-length", "-5"], "at least 8 sub-words, got -5"),
        (["--task", "cinexio", "--edition", "new", "--model", "m"], "has no edition 'new'"),
        (["--task", "cinexio", "--edition", "sample", "--model", "/no/where"], "cannot load the"),
    ],
)
def test_a_user_s_mistake_gives_one_line_and_exit_code_2(tmp_path, monkeypatch, capsys, home, arguments, message):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(SystemExit) as caught:
        run(monkeypatch, "run_regression.py", *arguments, "--output", tmp_path / "run")
    assert caught.value.code == 2
    (line,) = [line for line in capsys.readouterr().err.splitlines() if line.strip() and "examples" not in line]
    assert line.startswith("euroglue: ") and message in line
    assert not (tmp_path / "run").exists(), "nothing is left of it"


def test_a_folder_that_cannot_be_made_is_a_line_and_exit_code_2(tmp_path, monkeypatch, capsys, home, encoder):
    (tmp_path / "file").write_text("", encoding="utf-8")
    arguments = ["--task", "cinexio", "--edition", "sample", "--model", encoder, "--output", tmp_path / "file" / "run"]
    with pytest.raises(SystemExit) as caught:
        run(monkeypatch, "run_regression.py", *arguments)
    assert caught.value.code == 2
    (line,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("euroglue: ")]
    assert "Not a directory" in line


@pytest.mark.parametrize(("process", "lines"), [(0, 1), (1, 0)])
def test_of_several_processes_one_prints_the_scores(monkeypatch, capsys, process, lines):
    monkeypatch.setitem(PartialState()._shared_state, "process_index", process)
    print_scores({"task": "a/b", "splits": {"test": {"primary": "f1", "scores": {"f1": 0.5}}}})
    assert capsys.readouterr().out.splitlines() == ["a/b test: f1 0.5000"] * lines


def test_every_setting_has_an_argument_and_reaches_the_run():
    fields = {one.name for one in dataclasses.fields(Settings)} - set(APART)
    given = {name: value for name, value in VALUES.items() if name in fields}
    assert given == VALUES
    flags = [f"--{name.replace('_', '-')}={value}" for name, value in given.items() if not isinstance(value, bool)]
    flags += [f"--no-{name.replace('_', '-')}" for name, value in given.items() if value is False]
    parsed = parse("", Kind.REGRESSION, ["--task", "cinexio", "--model", "m", "--output", "o", *flags])
    options = training_options(parsed)
    assert {name: options[name] for name in given} == given
    assert fields <= set(vars(parsed)), "a new setting whose type has no argument yet"
    made = Settings.of(chosen_task(parsed), "m", **{name: options[name] for name in (*given, "recipe", "limit")})
    assert {name: getattr(made, name) for name in given} == given


def test_the_scripts_are_one_for_each_kind_and_alike_but_for_words():
    codes = set()
    for kind in Kind:
        text = (EXAMPLES / f"run_{kind.value}.py").read_text(encoding="utf-8")
        codes.add(text.partition("from __future__")[2].replace(kind.name, "KIND"))
    assert len(codes) == 1


def test_neither_a_model_nor_a_checkpoint_is_a_wrong_call(tmp_path, monkeypatch, capsys):
    with pytest.raises(SystemExit) as caught:
        run(monkeypatch, "run_regression.py", "--task", "cinexio", "--output", tmp_path)
    assert caught.value.code == 2
    assert "give --model, or --predict-only" in capsys.readouterr().err


def test_a_split_whose_raw_file_is_missing_can_be_left_out(tmp_path, monkeypatch, home, encoder, raw_dir):
    data = ["--suite", "euroeval_sl", "--task", "ssj500k-ner", "--data-dir", raw_dir / "euroeval_sl" / "ssj500k-ner"]
    brief = ["--limit-train", 8, "--limit-validation", 8, "--limit-test", 8, "--epochs", 1, "--model", encoder]
    output = ["--output", tmp_path / "run"]
    run(monkeypatch, "run_token_classification.py", *data, *brief, *output, "--allow-missing-splits")
    assert (tmp_path / "run" / "predictions" / "test.jsonl").is_file()
