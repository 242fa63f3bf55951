# SPDX-License-Identifier: Apache-2.0
"""``euroglue prepare``: from raw files to Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from euroglue.commands.data import finish, prepare_all
from euroglue.commands.options import AcceptLicence, AllowMissing, DataDir, Edition, Json, Suite, Tasks
from euroglue.commands.terminal import print_json, show, table

if TYPE_CHECKING:
    from euroglue.prepare import Prepared


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("prepare")(prepare)


def prepare(
    suite: Suite,
    names: Tasks = None,
    edition: Edition = None,
    data_dir: DataDir = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Also write a folder that load_dataset reads without euroglue."),
    ] = None,
    allow_changed_source: Annotated[
        bool, typer.Option("--allow-changed-source", help="Accept raw files that differ from the published ones.")
    ] = False,
    allow_missing_splits: AllowMissing = False,
    lemma_lists: Annotated[
        Path | None,
        typer.Option(
            "--lemma-lists",
            metavar="FILE",
            help="Which lemmas go to which split, for tasks on words in context: JSON, or WiC-NL's published Python file. "
            "It is kept, and used from then on.",
        ),
    ] = None,
    accept_licence: AcceptLicence = False,
    as_json: Json = False,
) -> None:
    """Prepare tasks from their raw files, and report what each step kept.

    Where no task is named, tasks whose raw files cannot be had are left out with a warning, and the exit code is 1.
    """
    if lemma_lists is not None:
        from euroglue.prepare.provide import provide
        from euroglue.selection import choose

        provide(choose(suite, names or (), edition), edition, "lemma-lists", lemma_lists)
    made, warnings = prepare_all(
        suite,
        names,
        edition,
        data_dir=data_dir,
        allow_changed_source=allow_changed_source,
        allow_missing_splits=allow_missing_splits,
        accept_licence=accept_licence,
    )
    if out is not None and made:
        from euroglue.prepare.export import export
        from euroglue.registry import SUITES

        export(SUITES[suite], made, out)
    if as_json:
        print_json([{"folder": str(one.folder), **one.manifest} for one in made])
    else:
        for one in made:
            _show(one)
        if out is not None and made:
            show(f"written to {out}")
    finish(warnings)


def _show(made: Prepared) -> None:
    manifest = made.manifest
    steps = [
        (step["step"].partition("(")[0], step["rows_in"], step["rows_out"], step["reason"].replace("``", ""))
        for step in manifest["steps"]
    ]
    splits = [
        (
            split,
            about["rows"],
            ", ".join(f"{name} {count:,}" for name, count in (about["labels"] or {}).items()) or None,
        )
        for split, about in manifest["splits"].items()
    ]
    title = f"{made.task.path} ({made.edition})"
    if steps:
        show(
            table(
                title, "step", "rows in", "rows out", "what it does", rows=steps, whole=("step", "rows in", "rows out")
            )
        )
    show(table(f"{title}: splits", "split", "rows", "labels", rows=splits, whole=("split", "rows")))
    for finding in manifest["findings"]:
        show(f"found: {finding}")
    show(f"folder: {made.folder}", f"fingerprint: {made.fingerprint}", "")
