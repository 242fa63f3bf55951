# SPDX-License-Identifier: Apache-2.0
"""The figures that the papers print: regenerated to every digit, or consistent with one another but where errors are known."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from euroglue.cli import main
from euroglue.leaderboard import consistency
from euroglue.leaderboard.consistency import check_tables, summary
from euroglue.leaderboard.printed import printed_tables


def counts(suite: str) -> dict[tuple[str, str], tuple[int, int, int]]:
    found = {}
    for number, _, rule, *three in summary(check_tables(suite)[1]):
        held = found.get((number, rule), (0, 0, 0))
        found[number, rule] = tuple(map(sum, zip(held, three)))
    return found


def test_dumb_is_regenerated_to_every_printed_digit():
    # 14 systems with 9 tasks' score and RER and the average; 9 tasks each way and their means; 18 cells, 6 with an error.
    assert counts("dumb") == {
        ("2", "regenerate"): (14 * 19, 0, 0),
        ("3", "regenerate"): (9 * 8 + 9, 0, 0),
        ("4", "regenerate"): (18 + 6, 0, 0),
        ("C", "regenerate"): (6 * 6 + 15, 0, 0),
    }


def test_bgglue_is_consistent_but_where_errors_are_known():
    systems = 6
    assert counts("bgglue") == {
        ("3", "mean"): (8, 1, 0),
        ("10", "mean"): (systems, 0, 0),
        ("11", "share_at_k"): (6 * systems, 0, 0),
        ("12", "f1"): (systems, 0, 0),
        ("13", "f1"): (systems, 0, 0),
        ("14", "f1"): (6 * systems, 0, 0),
        ("15", "f1"): (4 * systems, 0, 0),
        ("16", "f1"): (15 * systems, 0, 0),
        **{(table, "macro"): (systems, systems, 0) for table in ("14", "15", "16")},
        **{(str(table), "same"): (systems, 0, 0) for table in range(10, 17)},
    }


def test_the_known_errors_are_named_with_their_right_values():
    differing = [check for check in check_tables("bgglue")[1] if not check.agrees]
    random = next(check for check in differing if check.table == "3")
    assert (random.row, random.printed, round(random.found, 2)) == ("Random", 17.59, 17.52)
    macro = next(check for check in differing if check.row == "XLM-R large / Overall" and check.table == "14")
    assert (macro.printed, round(macro.found, 2)) == (63.81, 49.74) and "micro F1" in macro.known


@pytest.mark.parametrize(
    ("suite", "table", "row", "column", "wrong"),
    [
        ("bgglue", "3", "XLM-R large", "avg", 75.84),
        ("bgglue", "10", "SlavicBERT", "pearson_spearman", 81.73),
        ("bgglue", "11", "XLM-R large", "P@3", 66.0),
        ("bgglue", "12", "MiniLM L12", "f1", 75.43),
        ("bgglue", "16", "XLM-R base / NTJ", "f1", 96.99),
        ("dumb", "2", "RobBERT v2 base", "dbrd RER", 0.1),
        ("dumb", "3", "dpr", "wicnl", 0.36),
        ("dumb", "4", "dutch bert large", "standard error", 9.7),
        ("dumb", "C", "Intercept", "coefficient", -9.5662),
    ],
)
def test_one_wrong_digit_is_found(suite, table, row, column, wrong, monkeypatch, capsys):
    source, tables = printed_tables(suite)

    def spoilt(one):
        if one.table != table or row not in one.rows:
            return one
        figures = [wrong if name == column else value for name, value in zip(one.columns, one.rows[row])]
        return replace(one, rows={**one.rows, row: tuple(figures)})

    monkeypatch.setattr(consistency, "printed_tables", lambda name: (source, tuple(map(spoilt, tables))))
    assert main(["analyse", "--tables", "--suite", suite]) == 1
    assert f"table {table}, {row}, {column}: printed {wrong}" in capsys.readouterr().err


def test_the_command_shows_differences_known_and_exits_with_0(capsys):
    assert main(["analyse", "--tables", "--suite", "bgglue"]) == 0
    out = capsys.readouterr().out
    assert "table 3: the mean of the nine printed scores is 17.52" in out
    assert main(["analyse", "--tables", "--suite", "bgglue", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["checked"] == 272 and len(found["differences"]) == 19


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--tables", "--published"], "give one of --tables"),
        (["--tables", "--suite", "euroeval_sl"], "no suite with printed tables 'euroeval_sl'"),
        (["--tables", "--latex"], "--tables has no use for --latex; it takes --suite"),
        (["--significance"], "give --results and --significance"),
        (["--results", "somewhere"], "give --results and --significance"),
        (["--results", "none", "--significance"], "expected a folder of results, there is none"),
    ],
)
def test_mistakes_are_told(options, message, capsys):
    assert main(["analyse", *options]) == 2
    assert message in capsys.readouterr().err
