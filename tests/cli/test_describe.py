# SPDX-License-Identifier: Apache-2.0
"""``euroglue describe``: tables that fit, JSON, drawings, and what happens where raw files are not at hand."""

from __future__ import annotations

import json
import struct
import sys
from pathlib import Path

import pytest

from euroglue.registry import SUITES, find_task
from tests.cli.asked import run


def run_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict]:
    code, out, err = run(capsys, *arguments, "--json")
    assert (code, err) == (0, "")
    return json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))


def test_json_holds_every_number(made_up, capsys):
    (found,) = run_json(capsys, "describe", "made-up", "--data-dir", made_up())
    assert (found["task"], found["edition"], found["unit"], found["groups"]) == (
        "made-up/films",
        "official",
        "entities",
        [],
    )
    assert found["splits"] == {
        "train": {
            "rows": 2,
            "unlabelled": 0,
            "labels": {"PER": 1, "LOC": 1},
            "target_mean": None,
            "words": {"mean": 3.0, "median": 3.0, "least": 3, "most": 3},
            "vocabulary": 6,
            "choices": None,
        },
        "test": {
            "rows": 2,
            "unlabelled": 0,
            "labels": {"PER": 1, "LOC": 1},
            "target_mean": None,
            "words": {"mean": 2.5, "median": 2.5, "least": 2, "most": 3},
            "vocabulary": 5,
            "choices": None,
        },
    }
    assert found["overlap"] == {"train": {"train": 1.0, "test": 0.0}, "test": {"train": 0.0, "test": 1.0}}


def test_tables_show_the_same(made_up, capsys):
    code, out, err = run(capsys, "describe", "made-up", "films", "--data-dir", made_up(hidden=("test",)))
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert (code, err) == (0, "")
    assert "train 2 – 3.0 3.0 3 6" in lines and "test 2 2 2.5 2.5 3 5" in lines
    assert "made-up/films (official): entities by label" in lines
    assert "PER 1 50.0 % –" in lines and "LOC 1 50.0 % –" in lines
    assert "test 0.0 100.0" in lines


def test_groups_on_request_are_shown(made_up, capsys):
    code, out, _ = run(capsys, "describe", "made-up", "--data-dir", made_up(), "--by", "id=[0-9]", "--by", "id")
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert code == 0
    assert "id=[0-9] 2 2 2" in lines and "id 2 2 4" in lines
    assert "made-up/films (official): examples by id=[0-9]" in lines and "0 1 1 2" in lines


SAMPLED = [task.name for task in SUITES["bgglue"].tasks.values() if "sample" in task.editions]


@pytest.mark.parametrize("name", SAMPLED)
def test_every_sample_is_described_within_eighty_columns(capsys, tmp_path, name):
    code, out, err = run(capsys, "describe", "bgglue", name, "--edition", "sample", "--png", str(tmp_path))
    assert (code, err) == (0, "")
    assert max(len(line.rstrip()) for line in out.splitlines()) <= 80
    (found,) = run_json(capsys, "describe", "bgglue", name, "--edition", "sample")
    sizes = {split: about["rows"] for split, about in found["splits"].items()}
    assert sizes == dict(find_task("bgglue", name).editions["sample"].sizes)
    assert all(about["words"]["least"] > 0 and about["vocabulary"] > 10 for about in found["splits"].values())
    assert (tmp_path / f"{name}.png").stat().st_size > 5000


def test_drawings_are_png_files_and_the_same_each_time(made_up, capsys, tmp_path):
    folder = made_up(hidden=("test",))
    for name in ("one", "two/deeper"):
        code, _, err = run(capsys, "describe", "made-up", "--data-dir", folder, "--png", str(tmp_path / name))
        assert (code, err) == (0, "")
    drawing = (tmp_path / "one" / "films.png").read_bytes()
    assert drawing[:8] == b"\x89PNG\r\n\x1a\n" and drawing == (tmp_path / "two/deeper/films.png").read_bytes()
    width, height = struct.unpack(">II", drawing[16:24])
    assert 600 <= width <= 1200 and 300 <= height <= 1200
    assert [path.name for path in (tmp_path / "one").iterdir()] == ["films.png"]


def test_drawing_without_matplotlib_says_what_to_install(made_up, capsys, tmp_path, monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    code, out, err = run(capsys, "describe", "made-up", "--data-dir", made_up(), "--png", str(tmp_path / "png"))
    assert (code, out, err) == (2, "", "euroglue: drawing needs matplotlib: pip install 'euroglue[site]'\n")


def test_a_named_task_without_its_files_is_a_mistake(made_up, capsys, tmp_path):
    folder = Path(made_up())
    (folder / "train.jsonl").unlink()
    code, out, err = run(capsys, "describe", "made-up", "films", "--data-dir", str(folder))
    assert (code, out) == (2, "") and err.startswith("euroglue: made-up/films: train.jsonl not found in")


def test_unnamed_tasks_without_their_files_are_left_out_with_a_warning(made_up, capsys):
    folder = Path(made_up())
    (folder / "train.jsonl").unlink()
    code, out, err = run(capsys, "describe", "made-up", "--data-dir", str(folder), "--json")
    assert code == 1 and json.loads(out) == []
    assert err.startswith("euroglue: warning: left out: made-up/films: train.jsonl not found in")


def test_a_wrong_grouping_is_told_in_one_line(made_up, capsys):
    code, out, err = run(capsys, "describe", "made-up", "--data-dir", made_up(), "--by", "film")
    assert (code, out) == (2, "") and "cannot group by 'film'" in err and err.count("\n") == 1
