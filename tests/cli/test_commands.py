# SPDX-License-Identifier: Apache-2.0
"""The commands: what they print, as tables and as JSON, and how they exit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from euroglue.cli import app, main
from euroglue.errors import FormatError
from euroglue.registry import SUITES, find_task
from tests.cli.asked import run, run_json

ROOT = Path(__file__).parents[2]
SHARED = {"train": [("Ана видя Рим", "B-PER O B-LOC")], "test": [("ана видя рим .", "B-PER O B-LOC O")]}
REPEATED = {"train": [("Ана видя Рим", "B-PER O B-LOC")] * 2, "test": [("София спи", "B-LOC O")]}


@pytest.mark.parametrize(
    "command", [[], *([name] for name in sorted(typer.main.get_command(app).commands))], ids=" ".join
)
def test_every_command_explains_itself(command):
    result = CliRunner().invoke(app, [*command, "--help"], prog_name="euroglue")
    assert result.exit_code == 0
    assert result.output.split("Usage: ")[1].startswith(" ".join(["euroglue", *command]))


def test_the_program_without_a_command_shows_its_commands(capsys):
    code, out, err = run(capsys)
    assert (code, err) == (0, "") and "audit" in out and "Exit codes" in out


def test_the_version(capsys):
    from euroglue.version import __version__

    assert run(capsys, "--version") == (0, f"euroglue {__version__}\n", "")


@pytest.mark.parametrize(
    ("arguments", "expected", "why"),
    [
        (["nope"], "No such command 'nope'", "an unknown command"),
        (["tasks", "bgglu"], "did you mean 'bgglue'?", "an unknown suite"),
        (["audit", "bgglue", "cineio"], "did you mean 'cinexio'?", "an unknown task"),
        (["audit", "bgglue", "cinexio", "--edition", "offical"], "no edition 'offical'", "an unknown edition"),
        (["audit", "bgglue", "--edition", "offical"], "no task of bgglue has the edition 'offical'", "for all tasks"),
        (["prepare"], "Missing argument 'SUITE'", "an argument is missing"),
        (["prepare", "bgglue", "--edtion", "sample"], "No such option", "an unknown option"),
        (["audit", "bgglue", "--near-threshold", "much"], "--near-threshold", "a word for a number"),
        (
            ["audit", "bgglue", "cinexio", "--edition", "sample", "--near-threshold", "8"],
            "from 0.1 to 1",
            "out of range",
        ),
        (["score", "bgglue", "cinexio"], "--predictions", "an option is missing"),
        (
            ["score", "bgglue", "cinexio", "--edition", "sample", "--predictions", "none.jsonl"],
            "none.jsonl: cannot be read",
            "no such file",
        ),
        (
            ["score", "bgglue", "cinexio", "--predictions", "a", "--references", "b", "--split", "test"],
            "give either --references or a split",
            "two golds",
        ),
        (["prepare", "bgglue", "cinexio", "--data-dir", "nowhere", "--edition", "official"], "nowhere", "no raw files"),
        (["run", "nowhere.py"], "there is no script 'nowhere.py'", "no such script"),
        (["run", "--fast"], "expected a script, got --fast", "an option for a script"),
    ],
)
def test_mistakes_are_one_line_and_exit_with_2(arguments, expected, why, capsys):
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, ""), why
    assert err.count("\n") == 1 and err.startswith("euroglue: ") and expected in err, err


def test_a_mistake_in_a_real_process_shows_no_traceback():
    done = subprocess.run(
        [sys.executable, "-m", "euroglue.cli", "audit", "bgglue", "cineio"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=ROOT,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("euroglue: ") and len(done.stderr.splitlines()) == 1


def test_a_mistake_shows_control_characters_of_raw_files_spelt_out(made_up, monkeypatch, capsys):
    def refuse(*args, **options):
        raise FormatError("f, line 1: got 'a\x1b[31m\u202e\x07'\nmend it")

    monkeypatch.setattr("euroglue.prepare.prepare", refuse)
    assert main(["prepare", "bgglue", "bsnlp"]) == 2
    assert capsys.readouterr().err.endswith("euroglue: f, line 1: got 'a\\x1b[31m\\u202e\\x07' mend it\n")


def test_a_bug_is_not_dressed_up_as_a_mistake(made_up, monkeypatch):
    folder = made_up()

    def broken(*arguments, **options):
        raise KeyError("a bug")

    monkeypatch.setattr("euroglue.prepare.prepare", broken)
    with pytest.raises(KeyError, match="a bug"):
        main(["audit", "made-up", "--data-dir", folder])


def test_a_closed_pipe_is_no_error():
    for arguments in (["tasks"], ["tasks", "--json"], ["--version"]):
        command = [sys.executable, "-m", "euroglue.cli", *arguments]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT)
        process.stdout.close()
        assert process.stderr.read() == "" and process.wait() in (1, 141)
        process.stderr.close()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_full_disk_under_the_output_is_told():
    for arguments in (["tasks"], ["tasks", "--json"]):
        command = [sys.executable, "-m", "euroglue.cli", *arguments]
        with open("/dev/full", "wb") as full:
            done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, cwd=ROOT)
        assert done.returncode == 2 and done.stderr.count("\n") == 1 and "No space left on device" in done.stderr


def test_a_program_without_standard_output_runs():
    command = f"exec {sys.executable} -m euroglue.cli tasks bgglue >&-"
    done = subprocess.run(["sh", "-c", command], stderr=subprocess.PIPE, text=True, cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, "")


def test_an_interrupt_is_no_traceback(made_up, monkeypatch, capsys):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    folder = made_up()
    monkeypatch.setattr("euroglue.prepare.prepare", interrupted)
    assert run(capsys, "prepare", "made-up", "--data-dir", folder) == (130, "", "euroglue: stopped\n")


def test_help_imports_nothing_heavy():
    program = (
        "import sys; from euroglue.cli import main; main(['--help']);"
        "sys.stderr.write(' '.join(sorted({name.split('.')[0] for name in sys.modules})))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=True)
    heavy = {"numpy", "pandas", "pyarrow", "scipy", "torch", "datasets", "transformers", "evaluate", "jinja2"}
    assert not heavy & set(done.stderr.split())


def test_tasks_are_listed_whole_in_80_columns(capsys):
    code, out, err = run(capsys, "tasks")
    assert (code, err) == (0, "")
    for suite in SUITES.values():
        for task in suite.tasks.values():
            assert task.name in out and task.metric in out
            for edition in task.editions.values():
                assert all(f"{size:,}" in out for size in edition.sizes.values())
    assert max(len(line.rstrip()) for line in out.splitlines()) <= 80
    assert "…" not in out and "\x1b" not in out


def test_tasks_as_json(capsys):
    code, suites = run_json(capsys, "tasks", "bgglue")
    assert code == 0 and [suite["suite"] for suite in suites] == ["bgglue"]
    listed = {task["task"]: task for task in suites[0]["tasks"]}
    assert set(listed) == set(SUITES["bgglue"].tasks)
    task = find_task("bgglue", "cinexio")
    assert listed["cinexio"]["editions"]["official"] == dict(task.editions["official"].sizes)
    assert listed["cinexio"]["default_edition"] == task.default_edition


def test_licences_say_what_may_be_passed_on(capsys):
    code, out, _ = run(capsys, "licences")
    lines = [line.rstrip() for line in out.splitlines() if "sign at https://" not in line]  # an address stays whole
    assert code == 0 and max(map(len, lines)) <= 80
    code, rows = run_json(capsys, "licences", "bgglue")
    assert code == 0
    assert {row["task"]: row["redistribute"] for row in rows} == {
        task.name: task.licence.redistribute for task in SUITES["bgglue"].tasks.values()
    }


def test_prepare_reports_the_manifest(made_up, capsys):
    folder = made_up()
    code, out, err = run(capsys, "prepare", "made-up", "--data-dir", folder)
    assert code == 0 and "made-up/films (official)" in out and "fingerprint: " in out
    code, manifests = run_json(capsys, "prepare", "made-up", "films", "--data-dir", folder)
    assert code == 0 and manifests[0]["splits"]["train"]["rows"] == 2
    assert manifests[0]["fingerprint"] in out
    assert (Path(manifests[0]["folder"]) / "train.parquet").is_file()


def test_prepare_writes_a_folder(made_up, capsys, tmp_path):
    folder = made_up()
    code, out, _ = run(capsys, "prepare", "made-up", "--data-dir", folder, "--out", str(tmp_path / "out"))
    assert code == 0 and f"written to {tmp_path / 'out'}" in out
    assert (tmp_path / "out" / "README.md").is_file()
    assert (tmp_path / "out" / "films" / "test.parquet").is_file()


def test_changed_raw_files_are_refused_unless_allowed(made_up, capsys):
    folder = made_up()
    with (Path(folder) / "train.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps({"id": "train-9", "tokens": ["още"], "tags": ["O"]}) + "\n")
    code, out, err = run(capsys, "prepare", "made-up", "--data-dir", folder)
    assert (code, out) == (2, "") and err.count("\n") == 1
    code, manifests = run_json(capsys, "prepare", "made-up", "--data-dir", folder, "--allow-changed-source")
    assert code == 0 and manifests[0]["splits"]["train"]["rows"] == 3


@pytest.mark.parametrize(
    ("rows", "code", "found", "why"),
    [
        (None, 0, set(), "nothing to find"),
        (SHARED, 1, {("ascii_words", "train", "test"), ("words", "train", "test")}, "a leak between splits"),
        (REPEATED, 1, {(kind, "train") for kind in ("exact", "casefold", "ascii_words", "words")}, "a duplicate"),
    ],
)
def test_audit_exits_by_what_it_finds(rows, code, found, why, made_up, capsys):
    folder = made_up(rows) if rows else made_up()
    got, audits = run_json(capsys, "audit", "made-up", "--data-dir", folder)
    assert got == code, why
    assert {(one["kind"], *one["splits"]) for one in audits[0]["findings"] if one["count"]} == found
    assert audits[0]["clean"] == (code == 0) and audits[0]["edition"] == "official"


def test_audit_shows_counts_and_examples(made_up, capsys):
    code, out, err = run(capsys, "audit", "made-up", "films", "--data-dir", made_up(SHARED))
    assert (code, err) == (1, "")
    assert "made-up/films (official): train 1, test 1" in out
    assert "words, train/test: 1, such as train-0 = test-0" in out
    assert max(len(line.rstrip()) for line in out.splitlines()) <= 80


def test_audit_and_library_agree(capsys):
    from euroglue.prepare import prepare
    from euroglue.prepare.leakage import audit

    task = find_task("bgglue", "cinexio")
    made = prepare(task, "sample")
    expected = audit(task, {split: made.table(split) for split in made.splits}, near_threshold=0.5, examples=2)
    code, audits = run_json(capsys, "audit", "bgglue", "cinexio", "--edition", "sample", "--near-threshold", "0.5")
    assert audits == [{"edition": "sample", **json.loads(expected.to_json())}]
    assert code == (0 if expected.clean else 1)


def test_tables_and_json_survive_a_narrow_ascii_pipe(tmp_path):
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "COLUMNS": "40", "PYTHONUTF8": "0"}
    for arguments in (["tasks"], ["tasks", "--json"]):
        done = subprocess.run(
            [sys.executable, "-m", "euroglue.cli", *arguments], capture_output=True, cwd=ROOT, env=environment
        )
        assert done.returncode == 0, done.stderr
        assert b"pearson_spearman" in done.stdout and b"wikiannbg" in done.stdout
