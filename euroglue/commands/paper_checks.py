# SPDX-License-Identifier: Apache-2.0
"""What ``euroglue analyse --tables`` and ``--significance`` show."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from euroglue.commands.data import finish
from euroglue.commands.terminal import print_json, show, table

if TYPE_CHECKING:
    from euroglue.leaderboard.consistency import Check
    from euroglue.leaderboard.verdicts import TaskVerdict

RULES = {
    "mean": "is the mean of the row",
    "f1": "follows from precision and recall",
    "macro": "is the mean of the classes",
    "share_at_k": "is a whole number by k",
    "same": "is that of table 3",
    "regenerate": "comes out of the unrounded results",
}


def show_tables(suite: str, as_json: bool) -> None:
    """Check the paper's tables and print every difference; exits with 1 if one was not known."""
    from euroglue.leaderboard.consistency import check_tables, summary

    source, checks, notes = check_tables(suite)
    differing = [check for check in checks if not check.agrees]
    if as_json:
        print_json(
            {"source": source, "checked": len(checks), "differences": list(map(_plain, differing)), "notes": notes}
        )
    else:
        rows = [
            (number, title, RULES[rule], count, known, others)
            for number, title, rule, count, known, others in summary(checks)
        ]
        columns = ("table", "", "each figure", "checked", "known", "other")
        show(table("Printed figures, and differences known and not", *columns, rows=rows), source, "")
        if differing:
            cells = [(c.table, c.row, c.column, RULES[c.rule], c.printed, c.found) for c in differing]
            show(table("Differences", "table", "row", "column", "rule", "printed", "computed", rows=cells))
        show(*dict.fromkeys(f"table {c.table}: {c.known}" for c in differing if c.known), *notes)
    unknown = [c for c in differing if not c.known]
    finish([f"table {c.table}, {c.row}, {c.column}: printed {c.printed}, computed {c.found:.4f}" for c in unknown])


def _plain(check: Check) -> dict[str, object]:
    return {**asdict(check), "computed": check.found}


def show_significance(folder: Path, suite: str | None, split: str, baseline: str | None, as_json: bool) -> None:
    """Judge every task of a store; exits with 1 where something was left out."""
    from euroglue.errors import EuroglueError
    from euroglue.leaderboard.verdicts import verdicts
    from euroglue.results import ResultStore

    found, left_out = verdicts(ResultStore.existing(folder), suite=suite, split=split, baseline=baseline)
    if not found and not left_out:
        raise EuroglueError(f"{folder}: no results of the split {split!r}")
    if as_json:
        print_json({"tasks": [one.to_dict() for one in found], "left_out": left_out})
    else:
        for one in found:
            _show_verdict(one)
    finish([f"left out: {what}" for what in left_out])


def _show_verdict(one: TaskVerdict) -> None:
    found = one.verdict
    rows = []
    for model in sorted(found.shares, key=lambda name: -found.shares[name]):
        mark = "best" if model == found.best else "not worse" if model in found.not_worse else ""
        below = "baseline" if model == found.baseline else "below" if model in found.below_baseline else ""
        against = found.against_best.get(model), found.against_baseline.get(model)
        p = [None if contrast is None else contrast.p for contrast in against]
        rows.append((model, one.runs[model], found.shares[model], p[0], mark, p[1], below))
    columns = ("model", "runs", "right", "p, best", "best", "p, baseline", "baseline")
    what = f"{one.suite}/{one.task} ({one.split}): {found.items:,} items, {found.trials:,} trials"
    show(table(what, *columns, rows=rows), f"standard deviation of items: {found.sd:.3f} (log-odds)", *found.notes, "")
