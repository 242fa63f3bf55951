# SPDX-License-Identifier: Apache-2.0
"""Finished runs are packed in bgGLUE's layout; the same runs give the same bytes."""

from __future__ import annotations

import json
import zipfile

import pytest

from euroglue.cli import main
from euroglue.errors import EuroglueError
from euroglue.finished_runs import read_run
from euroglue.prepare import prepare
from euroglue.registry import find_task
from euroglue.submission.check import check
from euroglue.submission.pack import pack
from euroglue.submission.score import from_editions
from tests.submission.made import lines, rows

TASKS = ("xnlibg", "ct21t1", "wikiannbg")


def run(folder, name, suite="bgglue", **changed):
    task = find_task(suite, name)
    signature = f"metric:x|data:{prepare(task, 'sample').fingerprint}"
    scores = {"validation": {"signature": signature}}
    (folder / "predictions").mkdir(parents=True)
    (folder / "predictions" / "test.jsonl").write_text(lines(rows(suite, name)), encoding="utf-8")
    metrics = {"task": task.path, "edition": "sample", "model": "org/model", "splits": scores, "seed": 3, **changed}
    (folder / "metrics.json").write_text(json.dumps(metrics), encoding="utf-8")
    return folder


def test_runs_are_packed_checked_and_read(tmp_path, capsys):
    folders = [str(run(tmp_path / name, name)) for name in TASKS]
    out = tmp_path / "out" / "sub.zip"
    assert (
        main(["submit", "pack", *folders, "--out", str(out), "--link", "https://example.org", "--parameters", "5"]) == 0
    )
    with zipfile.ZipFile(out) as packed:
        assert packed.namelist() == [
            "metadata.json",
            *(f"predictions/{name}/predictions.jsonl" for name in sorted(TASKS)),
        ]
        ranking = packed.read("predictions/ct21t1/predictions.jsonl").decode().splitlines()
        metadata = json.loads(packed.read("metadata.json"))
    assert list(json.loads(ranking[0])) == ["topic", "id", "label"], "as bgGLUE's rows of a ranking"
    assert metadata["seed"] == 3 and metadata["parameters"] == 5 and metadata["tasks"]["xnlibg"]["edition"] == "sample"
    checked = check(out, from_editions())
    assert checked.problems == () and set(checked.predictions) == set(TASKS), "the editions are those of the runs"


def test_the_same_runs_give_the_same_bytes(tmp_path):
    runs = [read_run(run(tmp_path / name, name)) for name in TASKS]
    pack(runs, tmp_path / "a.zip")
    pack(runs[::-1], tmp_path / "b.zip")
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


@pytest.mark.parametrize(
    ("second", "given", "told"),
    [
        ({"name": "xnlibg"}, {}, "a run of bgglue/xnlibg, and so is"),
        ({"name": "dbrd", "suite": "dumb"}, {}, "pack suites apart"),
        ({"name": "ct21t1", "model": "other"}, {}, "differ in model: 'org/model', 'other'; give one by --model"),
        ({"name": "ct21t1", "shots": 5}, {}, "differ in shots: None, 5"),
        ({"name": "ct21t1"}, {"link": "ftp://x"}, "link: expected an address"),
        ({"name": "ct21t1"}, {"method": "magic"}, "method: expected one of"),
        ({"name": "ct21t1"}, {"split": "train"}, "no predictions for the split train"),
    ],
)
def test_runs_that_do_not_go_together_are_refused(tmp_path, second, given, told):
    name = second.pop("name")
    runs = [read_run(run(tmp_path / "1", "xnlibg")), read_run(run(tmp_path / "2", name, **second))]
    with pytest.raises(EuroglueError, match=told):
        pack(runs, tmp_path / "out.zip", **given)
    assert not list(tmp_path.glob("*.zip*")) and not list(tmp_path.glob(".*"))


def test_a_name_that_is_given_replaces_the_runs_own(tmp_path):
    runs = [
        read_run(run(tmp_path / "1", "xnlibg"), model="mine"),
        read_run(run(tmp_path / "2", "ct21t1", model="b"), model="mine"),
    ]
    assert pack(runs, tmp_path / "out.zip").model == "mine"
    with pytest.raises(EuroglueError, match="ends in .zip"):
        pack(runs, tmp_path / "out.tar")
    with pytest.raises(EuroglueError, match="got none"):
        pack([], tmp_path / "out.zip")
