# SPDX-License-Identifier: Apache-2.0
"""An analysis as plain tables of texts, for a terminal or for LaTeX (booktabs)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from euroglue.leaderboard.analysis import Analysis, Cell, Correlation, Row, is_significant
from euroglue.leaderboard.regression import FTest, Regression

NONE = "–"


@dataclass(frozen=True)
class Sheet:
    """A table of texts with a title, a heading for each column, and notes below; ``key`` names it in labels."""

    key: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()

    @property
    def numeric(self) -> tuple[bool, ...]:
        """Of each column whether its cells are numbers, which belong to the right."""
        return tuple(all(re.fullmatch(r"[-–<.*\d]*", row[i]) for row in self.rows) for i in range(len(self.columns)))


def sheets(analysis: Analysis) -> list[Sheet]:
    """RER by system and task, correlations of tasks, their p-values, the grid of factors and the regression.

    As tables 2, 3 and 4 and appendix C of the DUMB paper have them; the last two only where there is a regression,
    the grid only where it is not too large.
    """
    found = [_systems(analysis), *_correlations(analysis)]
    if analysis.regression is not None:
        found += [_grid(analysis.cells)] if analysis.cells else []
        found += _regression(analysis.regression)
    return found


def _number(value: float | None, digits: int) -> str:
    """The value with so many digits; never a negative zero."""
    return NONE if value is None else f"{round(value, digits) + 0.0:.{digits}f}"


def _p(value: float | None) -> str:
    return "<0.0001" if value is not None and value < 0.00005 else _number(value, 4)


def _systems(analysis: Analysis) -> Sheet:
    def cells(row: Row) -> tuple[str, ...]:
        return (row.system, _number(row.average, 1), *(_number(row.rer.get(task), 1) for task in analysis.tasks))

    title = f"Relative error reduction (%) against {analysis.baseline}"
    return Sheet("rer", title, ("system", "average", *analysis.tasks), tuple(cells(row) for row in analysis.rows))


def _correlations(analysis: Analysis) -> tuple[Sheet, Sheet]:
    tasks, found = analysis.tasks, analysis.correlations

    def square(show: Mapping[str, Mapping[str, str]]) -> tuple[tuple[str, ...], ...]:
        return tuple((one, *(show[one].get(other, "") for other in tasks)) for one in tasks)

    def strength(pair: Correlation) -> str:
        return _number(pair.r, 2) + ("*" if is_significant(pair.p) else "")

    strengths = {one: {other: strength(pair) for other, pair in row.items()} for one, row in found.pairs.items()}
    levels = {one: {other: _p(pair.p) for other, pair in row.items()} for one, row in found.pairs.items()}
    means = ("mean", *(_number(found.means[task], 2) for task in tasks))
    ns = sorted({pair.n for row in found.pairs.values() for pair in row.values()})
    over = f"over {ns[0]} systems" if len(ns) == 1 else f"over {ns[0]} to {ns[-1]} systems" if ns else "of one task"
    title = f"Correlations of tasks (Pearson's r of their RER, {over})"
    return (
        Sheet("correlations", title, ("", *tasks), (*square(strengths), means), ("* p < 0.05, two-sided",)),
        Sheet("p-values", "p-values of the correlations of tasks", ("", *tasks), square(levels)),
    )


def _grid(cells: Sequence[Cell]) -> Sheet:
    def row(cell: Cell) -> tuple[str, ...]:
        what = ", ".join(cell.systems) or "estimate"
        return (*cell.levels.values(), _number(cell.rer, 1), _number(cell.standard_error, 1), what)

    notes = ("Estimates are the regression's; where systems share a cell the first, the best one, stands in it.",)
    columns = (*cells[0].levels, "RER", "std err", "systems")
    return Sheet("grid", "Average RER (%) by factors", columns, tuple(map(row, cells)), notes)


def _regression(fit: Regression) -> tuple[Sheet, Sheet]:
    terms = tuple(
        (term.name, _number(term.coefficient, 4), *(_number(value, 3) for value in values))
        for term in fit.terms
        for values in [(term.standard_error, term.t, term.p, term.low, term.high)]
    )
    shown = {name: _number(value, 3) for name, value in fit.diagnostics.items()}
    notes = (
        f"{fit.n} systems; R2 {fit.r_squared:.3f}, adjusted {fit.adjusted_r_squared:.3f}; "
        f"F({fit.df_model}, {fit.df_residual}) {fit.f:.3f}, p {fit.p:.3g}; log-likelihood {fit.log_likelihood:.3f}, "
        f"AIC {fit.aic:.1f}, BIC {fit.bic:.1f}",
        f"Omnibus {shown['omnibus']}, p {shown['p_omnibus']}; skew {shown['skew']}, kurtosis {shown['kurtosis']}; "
        f"Durbin-Watson {shown['durbin_watson']}; Jarque-Bera {shown['jarque_bera']}, p {shown['p_jarque_bera']}; "
        f"condition number {_number(fit.diagnostics['condition_number'], 2)}",
    )
    columns = ("term", "coef", "std err", "t", "P>|t|", "[0.025", "0.975]")

    def test(what: str, one: FTest) -> tuple[str, ...]:
        return (f"{what} {one.name}", _number(one.f, 3), str(one.df), str(one.df_residual), _p(one.p))

    tests = [test("without", one) for one in fit.factor_tests] + [test("only", one) for one in fit.single_tests]
    return (
        Sheet("regression", "Least squares of average RER (%) on the factors", columns, terms, notes),
        Sheet("tests", "The model against smaller ones", ("smaller model", "F", "df", "of", "p"), tuple(tests)),
    )


_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
    "–": "--",
    **{char: f"\\{char}" for char in "&%$#_{}"},
}


def escape(text: str) -> str:
    """The text as LaTeX shows it; a minus before a digit becomes one.

    >>> escape("P>|t| -1.5 % a_b")
    'P$>$$|$t$|$ $-$1.5 \\\\% a\\\\_b'
    """
    whole = "".join(_SPECIAL.get(char, char) for char in text)
    return re.sub(r"(?<![\w.])-(?=\d)", "$-$", whole)


def latex(found: Sequence[Sheet]) -> str:
    """The sheets as LaTeX tables; the document needs ``\\usepackage{booktabs}``."""
    return "\n".join(_latex(sheet) for sheet in found)


def _latex(sheet: Sheet) -> str:
    def line(cells: Sequence[str]) -> str:
        return " & ".join(map(escape, cells)) + r" \\"

    caption = ". ".join([sheet.title, *(note.rstrip(".") for note in sheet.notes)])
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escape(caption)}.}}",
        rf"\label{{tab:{sheet.key}}}",
        rf"\begin{{tabular}}{{{''.join('r' if numeric else 'l' for numeric in sheet.numeric)}}}",
        r"\toprule",
        line(sheet.columns),
        r"\midrule",
        *map(line, sheet.rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
        "",
    ]
    return "\n".join(lines)
