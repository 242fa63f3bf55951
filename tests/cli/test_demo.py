# SPDX-License-Identifier: Apache-2.0
"""The demonstration, from raw files to a page."""

from __future__ import annotations

import importlib.util
import json
from collections import Counter

import pytest

from euroglue.cli import main
from euroglue.demo import SHOWN, _samples
from euroglue.registry import SUITES, find_task
from euroglue.task import Kind


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    """One short run: (folder, exit code, standard output)."""
    pytest.importorskip("torch")
    pytest.importorskip("jinja2")
    import contextlib
    import io

    folder = tmp_path_factory.mktemp("demo") / "page"
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = main(["demo", "bgglue", "--out", str(folder), "--epochs", "1", "--json"])
    return folder, code, out.getvalue()


def test_every_task_with_a_sample_is_scored(result):
    _, code, out = result
    assert code == 0
    report = json.loads(out)
    tasks = SUITES["bgglue"].tasks.values()
    expected = [task.path for task in tasks if "sample" in task.editions]
    assert len(expected) == 9
    *trained, prompted = report["tasks"]
    assert [task["task"] for task in trained] == expected
    assert prompted["task"] in expected and prompted["method"] == "prompted, 2 shots" and prompted["curve"] == []
    for task in trained:
        assert task["n"] == task["sizes"]["test"] > 0
        assert [epoch for epoch, _ in task["curve"]] == [1]
        assert task["fingerprint"] in task["signature"]
    assert any(task["steps"] for task in report["tasks"])


def test_without_a_suite_every_kind_of_task_is_shown_once_or_twice():
    tasks = _samples(())
    shown = Counter(task.kind for task in tasks)
    assert set(shown) == set(Kind) and max(shown.values()) <= 2
    sampled = {suite.name for suite in SUITES.values() for task in suite.tasks.values() if "sample" in task.editions}
    assert {task.suite for task in tasks} == sampled
    assert sum(task.suite == "bgglue" for task in tasks) >= 3
    assert all(name in SUITES[suite].expected for suite, names in SHOWN.items() for name in names)


def test_the_scores_stand_on_a_leaderboard(result):
    folder, _, out = result
    assert 'href="leaderboard/index.html"' in (folder / "index.html").read_text(encoding="utf-8")
    board = json.loads((folder / "leaderboard/data/bgglue-sample.json").read_text(encoding="utf-8"))
    *trained, prompted = json.loads(out)["tasks"]
    entries = {entry["method"]: entry for entry in board["entries"]}
    scores = {task["task"].partition("/")[2]: task["score"] for task in trained}
    entry = entries.pop("fine-tuned")
    assert {name: cell["value"] for name, cell in entry["tasks"].items()} == scores and entry["rank"] == 1
    (entry,) = entries.values()
    held = {name: cell["value"] for name, cell in entry["tasks"].items() if cell}
    assert held == {prompted["task"].partition("/")[2]: prompted["score"]} and entry["rank"] is None


def test_page_results_and_output_agree(result):
    folder, _, out = result
    report = json.loads(out)
    assert json.loads((folder / "results.json").read_text(encoding="utf-8")) == report
    page = (folder / "index.html").read_text(encoding="utf-8")
    assert all(f"{task['score']:.3f}" in page for task in report["tasks"])


def test_predictions_score_the_same_by_the_command(result, capsys):
    folder, _, out = result
    for task in json.loads(out)["tasks"][:-1]:
        name = task["task"].split("/")[1]
        path = str(folder / "predictions" / "bgglue" / f"{name}.jsonl")
        main(["score", "bgglue", name, "--edition", "sample", "--predictions", path, "--json"])
        scored = json.loads(capsys.readouterr().out)
        assert scored["scores"] == task["scores"] and scored["signature"] == task["signature"]


def test_missing_libraries_are_named_with_their_extra(monkeypatch, capsys, tmp_path):
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "torch" else find(name))
    assert main(["demo", "--out", str(tmp_path)]) == 2
    assert capsys.readouterr().err == "euroglue: the demonstration needs torch: pip install 'euroglue[train]'\n"


def test_a_file_in_the_way_is_a_mistake(capsys, tmp_path):
    pytest.importorskip("torch")
    (tmp_path / "demo").write_text("", encoding="utf-8")
    assert main(["demo", "--out", str(tmp_path / "demo")]) == 2
    assert "is a file: name a folder for the page" in capsys.readouterr().err


def test_a_suite_without_samples_is_a_mistake(made_up, capsys, tmp_path):
    pytest.importorskip("torch")
    made_up()
    assert main(["demo", "made-up", "--out", str(tmp_path / "demo")]) == 2
    assert "no task of made-up has the edition 'sample'" in capsys.readouterr().err
    assert find_task("made-up", "films").default_edition == "official"
    assert not (tmp_path / "demo").exists()
