# SPDX-License-Identifier: Apache-2.0
"""A board as CSV, JSON and LaTeX."""

from __future__ import annotations

import csv
import io
import re
from typing import Any

from euroglue.leaderboard.board import Board, Cell, Entry
from euroglue.leaderboard.sheets import NONE, Sheet, latex
from euroglue.strict_json import dumps

ABOUT = (
    "rank",
    "model",
    "revision",
    "variant",
    "method",
    "shots",
    "parameters",
    "published",
    "mean",
    "mean_rer",
    "mean_rank",
)


def as_csv(board: Board) -> str:
    """One row an entry; scores from 0 to 1, and for each task the spread over seeds and the ends of its interval.

    A text that a spreadsheet would take for a formula gets an apostrophe in front.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    parts = ("", "_sd", "_low", "_high", "_seeds")
    names = [task.name for task in board.tasks]
    writer.writerow([*ABOUT, "tasks", *(f"{name}{part}" for name in names for part in parts)])
    for entry in board.entries:
        about = [_plain(getattr(entry, name)) for name in ABOUT]
        cells = [value for name in names for value in _five(entry.cells.get(name))]
        writer.writerow([*about, len(entry.cells), *cells])
    return out.getvalue()


def _five(cell: Cell | None) -> list[Any]:
    if cell is None:
        return [""] * 5
    return [_plain(value) for value in (cell.value, cell.spread, cell.low, cell.high, len(cell.records))]


def _plain(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, str):
        return f"'{value}" if re.match(r"[=+\-@\t\r]", value) else value
    return int(value) if isinstance(value, bool) else value


def as_json(board: Board) -> str:
    """Everything the page shows, with every record behind it; each entry is a line."""
    plain = {
        "suite": board.suite.name,
        "edition": board.edition,
        "order": board.order,
        "baseline": board.baseline,
        "tasks": [task.name for task in board.tasks],
        "source": board.source,
        "notes": list(board.notes),
    }
    about = [f"{dumps(name)}: {dumps(value)}" for name, value in plain.items()]
    entries = ",\n".join(dumps(_entry(entry)) for entry in board.entries)
    return "{" + ",\n".join([*about, f'"entries": [\n{entries}\n]']) + "}\n"


def _entry(entry: Entry) -> dict[str, Any]:
    about = {name: getattr(entry, name) for name in (*ABOUT, "link")}
    return {**about, "rer": dict(entry.rer), "tasks": {name: _cell(cell) for name, cell in entry.cells.items()}}


def _cell(cell: Cell) -> dict[str, Any]:
    marks = {name: getattr(cell, name) for name in ("value", "spread", "low", "high", "best", "same", "below")}
    return {**marks, "records": [record.to_dict() for record in cell.records]}


def as_latex(board: Board) -> str:
    """The table in LaTeX (booktabs): scores times 100, of several seeds with their standard deviation."""
    average = ("RER",) if board.order == "rer" else ()
    columns = ("model", "size", "mean", *average, *(task.title for task in board.tasks))

    def row(entry: Entry) -> tuple[str, ...]:
        from euroglue.leaderboard.plots import size_text

        rer = (_number(entry.mean_rer, 1),) if average else ()
        scores = (_score(entry.cells.get(task.name)) for task in board.tasks)
        return (entry.model, size_text(entry.parameters).replace("–", NONE), _number(entry.mean, 2), *rer, *scores)

    notes = ("Scores times 100",)
    sheet = Sheet(board.name, board.title, columns, tuple(row(entry) for entry in board.entries), notes)
    return latex([sheet])


def _number(value: float | None, digits: int) -> str:
    return NONE if value is None else f"{100 * value + 0.0:.{digits}f}"


def _score(cell: Cell | None) -> str:
    if cell is None:
        return NONE
    return _number(cell.value, 2) + (f" ± {100 * cell.spread:.2f}" if cell.spread is not None else "")
