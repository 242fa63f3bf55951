# SPDX-License-Identifier: Apache-2.0
"""``euroglue score`` and ``compare``: files of predictions, good, odd and hostile; intervals."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from pathlib import Path

import pytest

from euroglue.registry import find_task
from tests.cli.asked import run, run_json


def predictions(tmp_path: Path, rows: dict[str, str]) -> str:
    path = tmp_path / "predictions.jsonl"
    path.write_text("".join(json.dumps({"id": key, "label": label}) + "\n" for key, label in rows.items()), "utf-8")
    return str(path)


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
