# SPDX-License-Identifier: Apache-2.0
"""The scripts of preprocessing/, as a person runs them."""

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parent.parent.parent / "preprocessing"


def run(monkeypatch, script, *arguments):
    """Run a script in this process; returns its exit code."""
    monkeypatch.setattr(sys, "argv", [script, *map(str, arguments)])
    try:
        runpy.run_path(str(SCRIPTS / script), run_name="__main__")
    except SystemExit as left:
        return left.code
    return 0


@pytest.mark.parametrize(
    ("script", "task", "told"),
    [
        ("prepare_bgglue.py", "cinexio", "bgglue/cinexio (sample): train 64, validation 39, test 39"),
        ("prepare_dumb.py", "copanl", "dumb/copanl (sample): train 56, validation 16, test 24"),
        ("prepare_euroeval_sl.py", "sentinews", "euroeval_sl/sentinews (sample): train "),
    ],
)
def test_a_suite_is_prepared_as_a_folder_that_datasets_reads_alone(tmp_path, monkeypatch, capsys, script, task, told):
    import datasets

    out = tmp_path / "out"
    assert run(monkeypatch, script, task, "--edition", "sample", "--out", out) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(told) and printed.endswith(f"written to {out}\n")
    manifest = json.loads((out / task / "manifest.json").read_text(encoding="utf-8"))
    assert len(datasets.load_dataset(str(out), task, split="train")) == manifest["splits"]["train"]["rows"]


def test_an_audit_prints_findings_and_writes_them_all(tmp_path, monkeypatch, capsys):
    file = tmp_path / "audit.json"
    assert run(monkeypatch, "audit_leakage.py", "bgglue", "cinexio", "--edition", "sample", "--json", file) == 0
    (found,) = json.loads(file.read_text(encoding="utf-8"))
    assert capsys.readouterr().out.startswith("bgglue/cinexio (sample): ") and found["task"] == "bgglue/cinexio"


@pytest.mark.parametrize(
    ("script", "arguments", "message"),
    [
        ("prepare_dumb.py", ("copa", "--out", "x"), "there is no task 'copa'; did you mean 'copanl'?"),
        ("prepare_dumb.py", ("copanl",), "the following arguments are required: --out. See prepare_dumb.py --help."),
        ("audit_leakage.py", ("bgglu",), "there is no suite 'bgglu'; did you mean 'bgglue'?"),
        ("push_to_hub.py", ("dumb", "dalc", "--edition", "rebuilt", "--repo", "a/b"), "dumb/dalc"),
    ],
)
def test_a_mistake_is_told_in_one_line(tmp_path, monkeypatch, capsys, script, arguments, message):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EUROGLUE_RAW_DIR", raising=False)
    assert run(monkeypatch, script, *arguments) == 2
    said = capsys.readouterr().err.splitlines()
    assert said[-1].startswith(f"euroglue: {message}") and not any("Traceback" in line for line in said)
    assert list(tmp_path.glob("x")) == []


def test_a_reader_that_goes_away_is_no_error():
    command = [sys.executable, str(SCRIPTS / "audit_leakage.py"), "bgglue", "cinexio", "--edition", "sample"]
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert done.returncode == 141 and "Error" not in done.stderr
