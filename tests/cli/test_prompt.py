# SPDX-License-Identifier: Apache-2.0
"""``euroglue prompt``: from a command to stored answers, a table and a record; mistakes are told in one line."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path

import pytest

from euroglue.cli import main
from euroglue.prompting import BACKENDS
from euroglue.results import ResultStore
from tests.prompting.fakes import Fake

ROOT = Path(__file__).parents[2]


class Constant(Fake):
    """Says one word."""

    def __init__(self, model: str, *, word: str = "да", times: int = 1, loud: bool = False):
        super().__init__(lambda _: word * times + "!" * loud, name=model)


@pytest.fixture(autouse=True)
def backend():
    BACKENDS.register("constant", Constant)
    yield
    BACKENDS.unregister("constant")


ASK = ["prompt", "bgglue", "xnlibg", "--edition", "sample", "--backend", "constant", "--model", "m"]


def test_a_command_asks_stores_and_scores(tmp_path, capsys):
    folders = ["--out", str(tmp_path / "out"), "--results", str(tmp_path / "results")]
    assert main([*ASK, *folders, "--shots", "2", "--json"]) == 0
    (told,) = json.loads(capsys.readouterr().out)
    (record,) = ResultStore(tmp_path / "results")
    assert told["record"] == json.loads(json.dumps(record.to_dict()))
    assert (record.shots, record.method, record.settings["prompts"]) == (2, "prompted", "own")
    assert main([*ASK, *folders, "--shots", "2"]) == 0
    shown = capsys.readouterr().out
    assert f"{record.value:.4f}" in shown and "bgglue/xnlibg" in shown


def test_results_may_call_the_model_by_another_name(tmp_path):
    folders = ["--out", str(tmp_path / "out"), "--results", str(tmp_path / "results")]
    assert main([*ASK, *folders, "--name", "team/model-7b", "--limit", "3"]) == 0
    assert [record.model for record in ResultStore(tmp_path / "results")] == ["team/model-7b"]


def test_the_example_says_what_the_command_says(tmp_path, monkeypatch, capsys):
    arguments = [
        "--suite",
        "bgglue",
        "--task",
        "xnlibg",
        "--edition",
        "sample",
        "--backend",
        "constant",
        "--model",
        "m",
    ]
    folders = ["--output", str(tmp_path / "out"), "--results", str(tmp_path / "results")]
    monkeypatch.setattr(sys, "argv", ["run_prompting.py", *arguments, *folders, "--option", "word=не"])
    runpy.run_path(str(ROOT / "examples" / "run_prompting.py"), run_name="__main__")
    (record,) = ResultStore(tmp_path / "results")
    assert f"bgglue/xnlibg test: accuracy {record.value:.4f}, 0 answers unreadable" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--prompts", "onw"], "there is no set of prompts 'onw'; did you mean 'own'?"),
        (["--backend", "vlm"], "there is no backend 'vlm'"),
        (["--model", ""], "name a model"),
        (["--option", "colour=red"], "has no option 'colour=red'; KEY=VALUE, of: word, times, loud"),
        (["--option", "times=two"], "the option times of the backend constant: expected int, got 'two'"),
        (["--option", "loud=perhaps"], "expected bool, got 'perhaps'"),
        (["--split", "tets"], "has no split 'tets'"),
        (["--shots", "-1"], "'--shots'"),
    ],
)
def test_a_mistake_is_told_in_one_line(tmp_path, capsys, arguments, message):
    assert main([*ASK, "--out", str(tmp_path / "out"), *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.raw
def test_prompts_that_a_task_does_not_have_are_told_in_one_line(tmp_path, capsys, monkeypatch, raw_dir):
    monkeypatch.setenv("EUROGLUE_RAW_DIR", str(raw_dir))
    assert main([*ASK, "--out", str(tmp_path / "out"), "--prompts", "euroeval"]) == 2
    error = capsys.readouterr().err
    assert "EuroEval's page has no prompt for bgglue/xnlibg" in error
    assert error.count("\n") == 1
