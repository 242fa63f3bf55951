# SPDX-License-Identifier: Apache-2.0
"""The papers' tables as printed, with the rules by which their figures must hang together."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from euroglue.registry import Registry

PRINTED: Registry[str] = Registry("suite with printed tables")
"""Suite → ``package/file`` of its paper's tables."""

PRINTED.register("bgglue", "euroglue.scoring/published/bgglue_tables.json")
PRINTED.register("dumb", "euroglue.scoring/published/dumb_tables.json")


@dataclass(frozen=True)
class PrintedTable:
    """A table of a paper.

    Attributes:
        table: its number in the paper.
        title: what it shows.
        columns: their headings.
        rows: row → one figure a column, None where the table has none.
        digits: decimals printed; ``column_digits`` and ``row_digits`` where they are others.
        rules: what must hold, each a ``rule`` with its arguments (see ``euroglue.leaderboard.consistency``).
        known: where a rule is known to fail and ``why``: a ``row`` and ``column``, or a whole ``rule``.
        notes: what else a reader must know.
    """

    table: str
    title: str
    columns: tuple[str, ...]
    rows: Mapping[str, tuple[float | None, ...]]
    digits: int
    column_digits: Mapping[str, int] = field(default_factory=dict)
    row_digits: Mapping[str, int] = field(default_factory=dict)
    rules: tuple[Mapping[str, Any], ...] = ()
    known: tuple[Mapping[str, str], ...] = ()
    notes: tuple[str, ...] = ()

    def figure(self, row: str, column: str) -> float | None:
        """The figure in a cell."""
        return self.rows[row][self.columns.index(column)]

    def decimals(self, row: str, column: str) -> int:
        """How many decimals are printed there."""
        return self.row_digits.get(row, self.column_digits.get(column, self.digits))


def printed_tables(suite: str) -> tuple[str, tuple[PrintedTable, ...]]:
    """The paper and its tables.

    Raises:
        UnknownNameError: the suite's paper has none here.
    """
    package, _, name = PRINTED[suite].partition("/")
    whole = json.loads(files(package).joinpath(name).read_text(encoding="utf-8"))
    return whole["source"], tuple(_table(one, whole["digits"]) for one in whole["tables"])


def _table(plain: Mapping[str, Any], digits: int) -> PrintedTable:
    shaped: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in plain.items()}
    rows = {row: tuple(figures) for row, figures in plain["rows"].items()}
    return PrintedTable(**{"digits": digits, **shaped, "rows": rows})
