# SPDX-License-Identifier: Apache-2.0
"""``euroglue audit``: what the splits share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from euroglue.commands.data import finish, prepare_all
from euroglue.commands.options import AcceptLicence, AllowMissing, DataDir, Edition, Json, Suite, Tasks
from euroglue.commands.terminal import print_json, progress, show, table

if TYPE_CHECKING:
    from euroglue.prepare import Prepared
    from euroglue.prepare.comparison import Comparison
    from euroglue.prepare.leakage import Audit


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("audit")(audit)


def audit(
    suite: Suite,
    names: Tasks = None,
    edition: Edition = None,
    against: Annotated[
        str | None, typer.Option(metavar="NAME", help="Another edition, to be shown side by side with the first.")
    ] = None,
    data_dir: DataDir = None,
    near_threshold: Annotated[
        float, typer.Option(metavar="SHARE", help="Jaccard similarity from which texts are near duplicates, 0.1 to 1.")
    ] = 0.8,
    examples: Annotated[int, typer.Option(metavar="N", min=0, help="Pairs of ids to show for each leak.")] = 2,
    accept_licence: AcceptLicence = False,
    allow_missing_splits: AllowMissing = False,
    as_json: Json = False,
) -> None:
    """Look for repeated texts, near duplicates and shared groups in and between splits.

    Exits with 1 if two splits share anything or a split holds duplicates, near ones included; with 0 if all is clean.
    With --against, two editions of each task are shown side by side; the exit code is 1 if either has a finding.
    Where no task is named, tasks whose raw files cannot be had are left out with a warning, and the exit code is 1.
    """
    from euroglue.prepare.leakage import audit as audit_tables

    options: dict[str, Any] = {
        "data_dir": data_dir,
        "allow_missing_splits": allow_missing_splits,
        "accept_licence": accept_licence,
    }
    made, warnings = prepare_all(suite, names, edition, **options)
    if against is not None:
        made = [one for one in made if names or against in one.task.editions]
        others, more = prepare_all(suite, [one.task.name for one in made], against, **options)
        clean = _compare(made, others, as_json, near_threshold=near_threshold, examples=examples)
        finish([*warnings, *more], found=not clean)
        return
    found = []
    for one in progress(made, "auditing"):
        tables = {split: one.table(split) for split in one.splits}
        found.append((one.edition, audit_tables(one.task, tables, near_threshold=near_threshold, examples=examples)))
    if as_json:
        print_json([{"edition": name, **result.to_dict()} for name, result in found])
    else:
        for name, result in found:
            _show(name, result)
    finish(warnings, found=not all(result.clean for _, result in found))


def _compare(made: Sequence[Prepared], others: Sequence[Prepared], as_json: bool, **options: Any) -> bool:
    """Print two editions of each task side by side; returns whether all are clean."""
    from euroglue.prepare.comparison import compare

    found = [compare(one, other, **options) for one, other in zip(made, others, strict=True)]
    if as_json:
        print_json([one.to_dict() for one in found])
    else:
        for one in found:
            _show_comparison(one)
    return all(one.clean for one in found)


def _show_comparison(found: Comparison) -> None:
    names = list(found.audits)
    for name, audit in found.audits.items():
        show(f"{found.task} ({name}): " + ", ".join(f"{split} {size:,}" for split, size in audit.sizes.items()))
    rows = [
        ("/".join(one.splits), one.kind, found.told(0, one), found.told(1, other))
        for one, other in found.pairs()
        if one.count or other.count
    ]
    if rows:
        show(table(f"{found.task}: {names[0]} against {names[1]}", "in or between", "kind", *names, rows=rows))
    show("nothing else was found\n" if rows else "nothing was found\n")


def _show(edition: str, result: Audit) -> None:
    counts = {(finding.kind, finding.splits): finding.count for finding in result.findings}
    kinds = list(dict.fromkeys(kind for kind, _ in counts))
    scopes = dict.fromkeys(splits for _, splits in counts)
    rows = [("/".join(scope), *(counts.get((kind, scope)) for kind in kinds)) for scope in scopes]
    headings = ["in or between", *(kind.replace(":", ":\n") for kind in kinds)]
    sizes = ", ".join(f"{split} {size:,}" for split, size in result.sizes.items())
    show(table(f"{result.task} ({edition}): {sizes}", *headings, rows=rows, whole=headings))
    for kind, left in result.left_out.items():
        rows_left = ", ".join(f"{split} {count:,}" for split, count in left.items())
        show(f"{kind}: not compared, too short or empty: {rows_left}")
    for finding in result.leaks:
        sign = "~" if finding.kind == "near" else "="
        pairs = "; ".join(f"{first} {sign} {second}" for first, second in finding.examples)
        show(f"{finding.kind}, {'/'.join(finding.splits)}: {finding.count:,}" + (f", such as {pairs}" if pairs else ""))
    show("")
