# SPDX-License-Identifier: Apache-2.0
"""``euroglue analyse``: tables, JSON, LaTeX and drawings of a paper's table or a user's, and its mistakes."""

from __future__ import annotations

import json
import struct
import sys

import pytest

from euroglue.cli import main
from euroglue.scoring.results_table import System
from tests.leaderboard.test_analysis import BASE, OTHERS


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["analyse", *arguments])
    return (code, *capsys.readouterr())


def test_the_command_shows_the_papers_tables(capsys):
    code, out, err = run(capsys, "--published")
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert (code, err) == (0, "")
    for line in (
        "DeBERTa v3 large 15.7 17.9 10.9 12.7 -14.4 35.4 24.1 -6.4 12.5 48.4",
        "copanl 0.43 0.42 0.52 0.29 0.64* 0.48 0.47 0.51",
        "mean 0.70 0.74 0.70 0.30 0.47 0.71 0.72 0.68 0.59",
        "dutch debertav3 large 38.0 10.8 estimate",
        "Size[T.large] 13.8761 6.333 2.191 0.060 -0.728 28.480",
        "without size 4.801 1 8 0.0598",
        "14 systems; R2 0.836, adjusted 0.733; F(5, 8) 8.127, p 0.00535; log-likelihood -47.201, AIC 106.4, BIC 110.2",
    ):
        assert line in lines, line


def test_the_command_prints_strict_json_or_latex(capsys):
    code, out, err = run(capsys, "--published", "--later", "--json")
    found = json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert (code, err, len(found["rows"]), found["regression"]["n"]) == (0, "", 18, 18)
    assert found["correlations"]["pairs"]["dpr"]["dbrd"]["p"] > 0.05
    code, out, err = run(capsys, "--published", "--latex")
    assert (code, err) == (0, "") and out.startswith("\\begin{table}") and out.endswith("\\end{table}\n")


def test_drawings_are_png_files_and_the_same_each_time(capsys, tmp_path):
    for name in ("one", "two/deeper"):
        assert run(capsys, "--published", "--png", str(tmp_path / name), "--latex")[0] == 0
    assert sorted(path.name for path in (tmp_path / "one").iterdir()) == ["correlations.png", "rer.png"]
    for name in ("correlations.png", "rer.png"):
        drawing = (tmp_path / "one" / name).read_bytes()
        assert drawing[:8] == b"\x89PNG\r\n\x1a\n" and drawing == (tmp_path / "two/deeper" / name).read_bytes()
        assert all(500 <= side <= 1200 for side in struct.unpack(">II", drawing[16:24]))


@pytest.fixture
def file(tmp_path):
    def write(*systems: System) -> str:
        rows = [{"name": one.name, "scores": dict(one.scores), "factors": dict(one.factors)} for one in systems]
        path = tmp_path / "results.json"
        path.write_text(json.dumps({"suite": "toy", "baseline": "base", "systems": rows}), encoding="utf-8")
        return str(path)

    return write


def test_a_users_table_is_analysed_and_what_is_left_out_is_told(capsys, file, tmp_path):
    code, out, err = run(capsys, file(BASE, *OTHERS), "--png", str(tmp_path / "png"))
    assert (code, err) == (0, "") and "c 46.7 80.0 60.0 0.0" in [" ".join(line.split()) for line in out.splitlines()]
    code, out, err = run(capsys, file(BASE, *OTHERS[:1]), "--png", str(tmp_path / "png"))
    assert code == 1 and "Least squares" not in out
    assert err == (
        "euroglue: warning: left out: the regression: a regression needs factors that vary: of size none does; give each "
        "system its factors\n"
    )


MISTAKES = [
    ([], "give either a file of results or --published", "nothing"),
    (["x.json", "--published"], "give either a file of results or --published", "both"),
    (["--published", "--json", "--latex"], "give either --latex or --json, not both", "two formats"),
    (["--published", "--suite", "bgglu"], "there is no published table of results 'bgglu'", "an unknown suite"),
    (["x.json", "--suite", "dumb", "--later"], "a file has no use for --suite, --later; it takes --latex", "no use"),
    (["none.json"], "none.json: cannot be read (No such file or directory)", "no file"),
]


@pytest.mark.parametrize(("arguments", "message", "why"), MISTAKES, ids=[case[-1] for case in MISTAKES])
def test_mistakes_are_told_in_one_line(capsys, arguments, message, why):
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "") and err.startswith("euroglue: ") and message in err and err.count("\n") == 1, why


def test_without_statsmodels_the_regression_is_left_out_with_advice(capsys, monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "statsmodels"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "statsmodels", None)
    code, out, err = run(capsys, "--published")
    assert code == 1 and "Correlations of tasks" in out
    assert "the regression needs statsmodels: pip install 'euroglue[stats]'" in err
