# SPDX-License-Identifier: Apache-2.0
"""Whether the figures that a paper prints follow from one another, or from its unrounded results.

A figure stands for all numbers that round to it, so what is computed from rounded figures is a range; it agrees if the
printed figure is within reach. What is computed from unrounded results must agree in every printed digit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from euroglue.leaderboard.analysis import analyse
from euroglue.leaderboard.printed import PrintedTable, printed_tables
from euroglue.scoring.results_table import published

SLACK = 1e-9
Found = tuple[str, str, float, float]
"""Row, column, and the range of what the rule gives there."""


@dataclass(frozen=True)
class Check:
    """One figure against what a rule gives: ``low`` to ``high``; ``known`` says why a difference was to be expected."""

    table: str
    title: str
    row: str
    column: str
    rule: str
    printed: float
    low: float
    high: float
    agrees: bool
    known: str = ""

    @property
    def found(self) -> float:
        """The middle of the range."""
        return (self.low + self.high) / 2


def check_tables(suite: str) -> tuple[str, list[Check], list[str]]:
    """The paper, a check of every figure that a rule speaks of, and notes.

    Raises:
        UnknownNameError: there are no printed tables of the suite.
    """
    source, tables = printed_tables(suite)
    exact = any(rule["rule"] == "regenerate" for table in tables for rule in table.rules)
    known = _Known({table.table: table for table in tables}, _regenerated(suite) if exact else {})
    checks = [
        _check(table, rule["rule"], *found)
        for table in tables
        for rule in table.rules
        for found in RULES[rule["rule"]](table, rule, known)
    ]
    return source, checks, [f"table {table.table}: {note}" for table in tables for note in table.notes]


class _Known(NamedTuple):
    """What a rule may look up: the other tables by number, and what unrounded results give, by title, row and column."""

    tables: Mapping[str, PrintedTable]
    values: Mapping[str, Mapping[str, Mapping[str, float | None]]]


def _check(table: PrintedTable, rule: str, row: str, column: str, low: float, high: float) -> Check:
    value, half = table.figure(row, column), 0.5 * 10.0 ** -table.decimals(row, column) + SLACK
    assert value is not None
    agrees, known = low - half <= value <= high + half, ""
    for one in () if agrees else table.known:
        if all(one[key] == here for key, here in (("row", row), ("column", column), ("rule", rule)) if key in one):
            known = one["why"]
    return Check(table.table, table.title, row, column, rule, value, low, high, agrees, known)


def _numbers(table: PrintedTable, row: str, but: str) -> list[float]:
    return [value for column, value in zip(table.columns, table.rows[row]) if column != but and value is not None]


def _half(table: PrintedTable) -> float:
    return 0.5 * 10.0**-table.digits


def _mean(table: PrintedTable, rule: Mapping[str, Any], known: _Known) -> Iterator[Found]:
    """The mean of the row's other figures."""
    for row in table.rows:
        others = _numbers(table, row, rule["gives"])
        value = sum(others) / len(others)
        yield row, rule["gives"], value - _half(table), value + _half(table)


def f1(precision: float, recall: float) -> float:
    """The harmonic mean; 0 where both are 0.

    >>> f1(50.0, 100.0)
    66.66666666666667
    """
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0


def _f1(table: PrintedTable, rule: Mapping[str, Any], known: _Known) -> Iterator[Found]:
    """F1 of the row's precision and recall."""
    for row in table.rows:
        precision, recall = (table.figure(row, column) or 0.0 for column in ("precision", "recall"))
        low, high = (f1(precision + shift, recall + shift) for shift in (-_half(table), _half(table)))
        yield row, rule["gives"], low, high


def _macro(table: PrintedTable, rule: Mapping[str, Any], known: _Known) -> Iterator[Found]:
    """The mean of a system's classes as its overall figure; rows are ``system / class``."""
    classes: dict[str, list[float]] = {}
    for row in table.rows:
        system, _, kind = row.partition(" / ")
        if kind != "Overall":
            classes.setdefault(system, []).append(table.figure(row, rule["gives"]) or 0.0)
    for system, values in classes.items():
        value = sum(values) / len(values)
        yield f"{system} / Overall", rule["gives"], value - _half(table), value + _half(table)


def _share_at_k(table: PrintedTable, rule: Mapping[str, Any], known: _Known) -> Iterator[Found]:
    """The precision among k is a whole number by k."""
    for row in table.rows:
        for column in table.columns:
            name, at, k = column.partition("@")
            if at:
                nearest = 100 * round((table.figure(row, column) or 0.0) * int(k) / 100) / int(k)
                yield row, column, nearest, nearest


def _same(table: PrintedTable, rule: Mapping[str, Any], known: _Known) -> Iterator[Found]:
    """The figure that another table has of the same system."""
    other, suffix = known.tables[rule["as"]["table"]], rule.get("suffix", "")
    for system in other.rows:
        if f"{system}{suffix}" in table.rows:
            value = other.figure(system, rule["as"]["column"])
            assert value is not None
            yield f"{system}{suffix}", rule["gives"], value, value


def _exact(table: PrintedTable, rule: Mapping[str, Any], known: _Known) -> Iterator[Found]:
    """What the unrounded results give; a figure that is printed must be there, one that is not must not."""
    for row, figures in table.rows.items():
        for column, figure in zip(table.columns, figures, strict=True):
            value = known.values[table.title][row].get(column)
            if figure is not None:
                here = float("nan") if value is None else round(value, table.decimals(row, column))
                yield row, column, here, here


RULES: Mapping[str, Callable[[PrintedTable, Mapping[str, Any], _Known], Iterator[Found]]] = {
    "mean": _mean,
    "f1": _f1,
    "macro": _macro,
    "share_at_k": _share_at_k,
    "same": _same,
    "regenerate": _exact,
}


def _regenerated(suite: str) -> dict[str, dict[str, dict[str, float | None]]]:
    """Title → row → column → value: the analyses of the DUMB paper on the suite's published results."""
    found = analyse(published(suite).first_published())
    systems: dict[str, dict[str, float | None]] = {}
    for row in found.rows:
        parts = [(f"{task} RER", value) for task, value in row.rer.items()]
        parts += [(f"{task} score", 100 * value) for task, value in row.scores.items()]
        systems[row.system] = {"average RER": row.average, **dict(parts)}
    pairs = {one: {other: pair.r for other, pair in row.items()} for one, row in found.correlations.pairs.items()}
    grid = {
        " ".join(cell.levels.values()): {"RER": cell.rer, "standard error": cell.standard_error} for cell in found.cells
    }
    tables: dict[str, dict[str, dict[str, float | None]]] = {
        "Relative error reductions and scores": systems,
        "Correlations of tasks": {**pairs, "mean": dict(found.correlations.means)},
        "RER by language, model and size": grid,
    }
    if (fit := found.regression) is not None:
        names = ("coefficient", "standard_error", "t", "p", "low", "high")
        tables["Appendix C: coefficients"] = {
            term.name: {name.replace("_", " "): getattr(term, name) for name in names} for term in fit.terms
        }
        whole = ("r_squared", "adjusted_r_squared", "f", "p", "log_likelihood", "aic", "bic")
        figures = {**{name: getattr(fit, name) for name in whole}, **fit.diagnostics}
        tables["Appendix C: fit and diagnostics"] = {name: {"value": value} for name, value in figures.items()}
    return tables


def summary(checks: list[Check]) -> list[tuple[str, str, str, int, int, int]]:
    """Table, title, rule, figures checked, differences that were known, other differences; a row for each rule."""
    keys = list(dict.fromkeys((check.table, check.title, check.rule) for check in checks))
    counts = Counter((check.table, check.title, check.rule) for check in checks)
    known = Counter((check.table, check.title, check.rule) for check in checks if check.known)
    others = Counter((c.table, c.title, c.rule) for c in checks if not c.agrees and not c.known)
    return [(*key, counts[key], known[key], others[key]) for key in keys]
