# SPDX-License-Identifier: Apache-2.0
"""The commands: what they print, as tables and as JSON, and how they exit."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
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

ROOT = Path(__file__).parents[2]
SHARED = {"train": [("Ана видя Рим", "B-PER O B-LOC")], "test": [("ана видя рим .", "B-PER O B-LOC O")]}
REPEATED = {"train": [("Ана видя Рим", "B-PER O B-LOC")] * 2, "test": [("София спи", "B-LOC O")]}


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    return (code, *capsys.readouterr())


def run_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, object]:
    code, out, _ = run(capsys, *arguments, "--json")
    return code, json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))


def predictions(tmp_path: Path, rows: dict[str, str]) -> str:
    path = tmp_path / "predictions.jsonl"
    path.write_text("".join(json.dumps({"id": key, "label": label}) + "\n" for key, label in rows.items()), "utf-8")
    return str(path)


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


RIGHT = {"test-0": "B-PER O O", "test-1": "B-LOC O"}


@pytest.mark.parametrize(
    ("given", "code", "f1", "why"),
    [
        (RIGHT, 0, 1.0, "all right"),
        (dict(reversed(RIGHT.items())), 0, 1.0, "joined by id, not by order"),
        ({**RIGHT, "test-1": "O O"}, 0, 2 / 3, "one entity missed"),
        ({**RIGHT, "test-1": "B-XYZ O"}, 1, 0.5, "an unknown label is a warning"),
        ({**RIGHT, "test-1": "B-LOC"}, 1, 1.0, "a missing tag is an O and a warning"),
    ],
)
def test_score_on_a_split(given, code, f1, why, made_up, capsys, tmp_path):
    arguments = ("score", "made-up", "films", "--predictions", predictions(tmp_path, given), "--data-dir", made_up())
    got, result = run_json(capsys, *arguments)
    assert got == code, why
    assert result["scores"]["f1"] == pytest.approx(f1) and result["n"] == 2
    assert bool(result["warnings"]) == (code == 1)
    got, out, err = run(capsys, *arguments)
    assert got == code and "f1 *" in out and "signature: metric:entity_f1|" in out
    assert err.count("warning") == len(result["warnings"])


@pytest.mark.parametrize(
    ("given", "hidden", "message"),
    [
        ({"test-0": "B-PER O O"}, (), "'test-1'"),
        ({**RIGHT, "test-2": "O"}, (), "'test-2'"),
        ({**RIGHT, "test-1": "O O O"}, (), "'test-1': expected 2 tags, got 3"),
        (RIGHT, ("test",), "hidden"),
    ],
)
def test_what_cannot_be_scored_is_a_mistake(given, hidden, message, made_up, capsys, tmp_path):
    folder = made_up(hidden=hidden)
    path = predictions(tmp_path, given)
    code, out, err = run(capsys, "score", "made-up", "films", "--predictions", path, "--data-dir", folder)
    assert (code, out) == (2, "") and message in err and err.count("\n") == 1


def test_score_against_a_file_of_gold(made_up, capsys, tmp_path):
    made_up()
    gold = tmp_path / "gold.jsonl"
    gold.write_text(Path(predictions(tmp_path, RIGHT)).read_text("utf-8"), "utf-8")
    given = predictions(tmp_path, {**RIGHT, "test-1": "O O"})
    code, result = run_json(capsys, "score", "made-up", "films", "--predictions", given, "--references", str(gold))
    assert code == 0 and result["scores"]["f1"] == pytest.approx(2 / 3)


def written(tmp_path: Path, name: str, lines: list[str], **how: str) -> str:
    path = tmp_path / name
    path.write_bytes(how.get("end", "\n").join(lines).encode(how.get("encoding", "utf-8"), "surrogatepass"))
    return str(path)


NLI = [json.dumps({"id": str(i), "label": label}) for i, label in enumerate(("neutral", "entailment", "neutral"))]
LAST = '{"id": "2", "label": %s}'
HOSTILE = {
    "not JSON": [*NLI[:2], "{bad"],
    "a table": ["id,label", "0,neutral"],
    "an array": ["[" + ",".join(NLI) + "]"],
    "NaN": [*NLI[:2], LAST % "NaN"],
    "infinite": [*NLI[:2], LAST % "1e999"],
    "a key twice": [*NLI[:2], '{"id": "2", "label": "neutral", "label": "entailment"}'],
    "an id twice": [*NLI, NLI[1]],
    "an id missing": NLI[:2],
    "an id too many": [*NLI, '{"id": "x", "label": "neutral"}'],
    "another form of an id": [*NLI[:2], '{"id": "2\u0306", "label": "neutral"}'],
    "a deep list": [*NLI[:2], LAST % ("[" * 900 + "]" * 900)],
    "a deeper list": [*NLI[:2], LAST % ("[" * 10**5 + "]" * 10**5)],
    "a long list": [*NLI[:2], LAST % ("[" + "1," * 10**6 + "1]")],
    "a long number": [*NLI[:2], LAST % ("9" * 10**5)],
    "a long id": [*NLI, '{"id": "' + "y" * 10**6 + '", "label": "neutral"}'],
    "a long line": ["x" * 10**7],
    "very many faults": ["{bad"] * 20_000,
    "zeros": ["\0" * 10],
    "no rows": [""],
    "null": [LAST % "null"],
}


@pytest.mark.parametrize("why", list(HOSTILE))
@pytest.mark.parametrize("side", ["predictions", "references"])
def test_a_hostile_file_is_told_in_one_short_line(tmp_path, capsys, why, side):
    good, bad = written(tmp_path, "good.jsonl", NLI), written(tmp_path, "bad.jsonl", HOSTILE[why])
    files = {"predictions": good, "references": good, side: bad}
    code, out, err = run(capsys, "score", "bgglue", "xnlibg", *(f"--{key}={file}" for key, file in files.items()))
    assert (code, out) == (2, "") and err.startswith("euroglue: ") and err.count("\n") == 1 and len(err) < 700


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_packed_file_is_told_as_one(tmp_path, capsys, pack):
    (tmp_path / "p").write_bytes(pack(b"{}"))
    good = written(tmp_path, "good.jsonl", NLI)
    code, _, err = run(capsys, "score", "bgglue", "xnlibg", f"--predictions={tmp_path / 'p'}", f"--references={good}")
    assert code == 2 and "packed; unpack it first" in err


@pytest.mark.parametrize("how", [{"end": "\r\n"}, {"encoding": "utf-8-sig"}, {"end": "\n\n"}])
def test_ends_of_lines_and_byte_order_marks_do_not_matter(tmp_path, capsys, how):
    good, given = written(tmp_path, "good.jsonl", NLI), written(tmp_path, "p.jsonl", NLI[::-1], **how)
    code, found = run_json(capsys, "score", "bgglue", "xnlibg", f"--predictions={given}", f"--references={good}")
    assert code == 0 and found["scores"]["accuracy"] == 1.0


def test_an_endless_label_is_told_in_a_short_warning(tmp_path, capsys):
    good = written(tmp_path, "good.jsonl", NLI)
    given = written(tmp_path, "p.jsonl", [*NLI[:2], LAST % json.dumps("x" * 10**6)])
    code, found = run_json(capsys, "score", "bgglue", "xnlibg", f"--predictions={given}", f"--references={good}")
    assert code == 1 and len(found["warnings"][0]) < 300


def test_a_perfect_score_has_no_interval_and_that_is_no_warning(tmp_path, capsys):
    good = written(tmp_path, "good.jsonl", NLI)
    common = ("score", "bgglue", "xnlibg", f"--predictions={good}", f"--references={good}", "--interval", "bca")
    code, found = run_json(capsys, *common)
    assert code == 0 and found["warnings"] == [] and "accuracy" not in found["intervals"]
    assert "the interval of accuracy: all resamples give the same" in found["notes"][0]
    code, out, err = run(capsys, *common)
    assert (code, err) == (0, "") and "note: the interval of accuracy: all resamples give the same" in out


def test_intervals_and_tests_do_not_depend_on_the_order_of_rows(tmp_path, capsys):
    gold = [json.dumps({"id": str(i), "label": ("neutral", "entailment")[i % 2]}) for i in range(30)]
    guess = [json.dumps({"id": str(i), "label": ("neutral", "entailment")[i % 3 % 2]}) for i in range(30)]
    worse = [json.dumps({"id": str(i), "label": "neutral"}) for i in range(30)]
    found = []
    for turn in (1, -1):
        files = [written(tmp_path, name, rows[::turn]) for name, rows in (("g", gold), ("p", guess), ("w", worse))]
        gold_file = f"--references={files[0]}"
        score = run_json(capsys, "score", "bgglue", "xnlibg", f"--predictions={files[1]}", gold_file, "--interval=bca")
        found.append((score, run_json(capsys, "compare", "bgglue", "xnlibg", *files[1:], gold_file)))
    assert found[0] == found[1]


def test_gold_that_could_not_be_read_is_no_gold(tmp_path, capsys):
    rows = written(tmp_path, "p.jsonl", ['{"id": "0", "label": "⟨unreadable⟩"}', '{"id": "1", "label": 0}'])
    for command in (("score", "--predictions", rows), ("compare", rows, rows + "2")):
        where = (command[0], "dumb", "copanl", *command[1:])
        code, out, err = run(capsys, *where, "--references", rows)
        assert (code, out) == (2, "") and "id '0': expected a label of the gold" in err


def test_choices_that_an_example_has_not_are_told(tmp_path, capsys):
    from euroglue.prepare import prepare
    from euroglue.registry import find_task

    table = prepare(find_task("dumb", "copanl"), "sample").table("test")
    labels = table["label"].tolist()
    guesses = [7, "⟨unreadable⟩", *labels[2:]]
    lines = [json.dumps({"id": key, "label": label}) for key, label in zip(table["id"], guesses)]
    given, other = written(tmp_path, "p.jsonl", lines), written(tmp_path, "q.jsonl", lines)
    common = ("--edition", "sample", "--split", "test")
    code, found = run_json(capsys, "score", "dumb", "copanl", "--predictions", given, *common)
    assert code == 1 and found["scores"]["accuracy"] == pytest.approx(1 - 2 / len(labels))
    expected = "2 predictions are none of their example's choices and count as wrong: 7 (1), ⟨unreadable⟩ (1)"
    assert found["warnings"] == [expected]
    code, found = run_json(capsys, "compare", "dumb", "copanl", given, other, *common)
    assert code == 1 and found["warnings"] == [f"{given}: {expected}", f"{other}: {expected}"]


def test_tables_and_json_survive_a_narrow_ascii_pipe(tmp_path):
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "COLUMNS": "40", "PYTHONUTF8": "0"}
    for arguments in (["tasks"], ["tasks", "--json"]):
        done = subprocess.run(
            [sys.executable, "-m", "euroglue.cli", *arguments], capture_output=True, cwd=ROOT, env=environment
        )
        assert done.returncode == 0, done.stderr
        assert b"pearson_spearman" in done.stdout and b"wikiannbg" in done.stdout


def test_score_with_intervals(made_up, capsys, tmp_path):
    given = predictions(tmp_path, {"test-0": "B-PER O O", "test-1": "O O"})
    common = ("score", "made-up", "films", "--predictions", given, "--data-dir", made_up())
    code, result = run_json(
        capsys, *common, "--interval", "percentile", "--resamples", "50", "--level", "0.9", "--seed", "3"
    )
    assert code == 0 and result["intervals"]["recall"] == [0.0, 1.0]
    assert (
        "|interval:percentile|interval_level:0.9|interval_resamples:50|interval_seed:3|interval_over:examples|"
        in (result["signature"])
    )
    code, out, _ = run(capsys, *common, "--interval", "bca")
    assert code == 0 and "low" in out and "high" in out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--resamples", "50"), "give --interval too"),
        (("--interval", "normal"), "percentile or bca, got 'normal'"),
        (("--interval", "bca", "--group", "film"), "no column 'film' to group by; columns: id"),
    ],
)
def test_intervals_that_cannot_be_made_are_a_mistake(options, message, made_up, capsys, tmp_path):
    given = predictions(tmp_path, {"test-0": "B-PER O O", "test-1": "O O"})
    code, out, err = run(capsys, "score", "made-up", "films", "--predictions", given, "--data-dir", made_up(), *options)
    assert (code, out) == (2, "") and message in err
