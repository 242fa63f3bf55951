# SPDX-License-Identifier: Apache-2.0
"""``euroglue results``: add, merge, list."""

from __future__ import annotations

import json

import pytest

from euroglue.cli import main
from euroglue.predictions import write_predictions
from euroglue.prepare import prepare
from euroglue.registry import find_task
from euroglue.results import ResultStore
from tests.test_finished_runs import METRICS, run


def test_runs_are_added_merged_and_listed(tmp_path, capsys):
    one, two = run(tmp_path / "a"), run(tmp_path / "b", {**METRICS, "model": "<other>"})
    assert main(["results", "add", str(one), "--to", str(tmp_path / "one")]) == 0
    assert main(["results", "add", str(two), "--to", str(tmp_path / "two")]) == 0
    assert main(["results", "merge", str(tmp_path / "one"), str(tmp_path / "two"), "--to", str(tmp_path / "all")]) == 0
    capsys.readouterr()
    assert main(["results", "list", str(tmp_path / "all"), "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert sorted(record["model"] for record in listed) == ["<other>", "xlm-roberta-base"]
    assert main(["results", "list", str(tmp_path / "all")]) == 0
    assert "xlm-roberta-base" in capsys.readouterr().out


def test_a_contradiction_exits_with_1_and_says_what_differs(tmp_path, capsys):
    other = {**METRICS, "splits": {"test": {**METRICS["splits"]["test"], "scores": {"f1": 0.1}}}}
    for name, metrics in (("a", METRICS), ("b", other)):
        assert main(["results", "add", str(run(tmp_path / name, metrics)), "--to", str(tmp_path / f"s{name}")]) == 0
    assert main(["results", "merge", str(tmp_path / "sa"), str(tmp_path / "sb"), "--to", str(tmp_path / "all")]) == 1
    assert "{'f1': 0.7} and {'f1': 0.1}" in capsys.readouterr().err
    assert main(["results", "add", str(tmp_path / "b"), "--to", str(tmp_path / "sa")]) == 2
    assert "differ" in capsys.readouterr().err
    assert main(["results", "add", str(tmp_path / "b"), "--to", str(tmp_path / "sa"), "--replace"]) == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [(["list", "nowhere"], "there is none"), (["add", ".", "--to", "x"], "metrics.json is missing")],
)
def test_mistakes_are_told_in_a_line(tmp_path, capsys, monkeypatch, arguments, told):
    monkeypatch.chdir(tmp_path)
    assert main(["results", *arguments]) == 2
    assert told in capsys.readouterr().err


def test_rows_are_kept_when_asked_for(tmp_path):
    task = find_task("bgglue", "fakenews")
    made = prepare(task, "sample")
    ids = [str(key) for key in made.table("test")["id"]]
    folder = run(tmp_path / "run", {**METRICS, "edition": "sample"}, predictions=False)
    write_predictions(folder / "predictions" / "test.jsonl", task, ids, [0] * len(ids))
    metrics = json.loads((folder / "metrics.json").read_text(encoding="utf-8"))
    metrics["splits"]["test"]["n"] = len(ids)
    (folder / "metrics.json").write_text(json.dumps(metrics), encoding="utf-8")
    assert main(["results", "add", str(folder), "--to", str(tmp_path / "store"), "--keep-rows"]) == 0
    store = ResultStore(tmp_path / "store")
    assert list(store.rows(next(iter(store)))) == ids
