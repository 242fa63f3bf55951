# SPDX-License-Identifier: Apache-2.0
"""``euroglue leaderboard``: results as a web site."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from euroglue.commands.data import finish
from euroglue.commands.terminal import show


def register(app: typer.Typer) -> None:
    """Add the command."""
    group = typer.Typer(help="Show results as a web site.")
    group.command("build")(build)
    group.callback()(lambda: None)
    app.add_typer(group, name="leaderboard", no_args_is_help=True)


def build(
    results: Annotated[
        Path | None, typer.Argument(metavar="RESULTS", help="A store of results; without it what was published alone.")
    ] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the site goes; an earlier one is replaced.")] = Path(
        "site"
    ),
    suites: Annotated[
        list[str] | None, typer.Option("--suite", metavar="NAME", help="A suite that is shown; all by default.")
    ] = None,
    split: Annotated[str, typer.Option(metavar="NAME", help="The split whose scores count.")] = "test",
    baseline: Annotated[
        str, typer.Option(metavar="MODEL", help="The model that relative error reductions are measured against.")
    ] = "",
    published: Annotated[
        bool, typer.Option("--published/--no-published", help="Whether published results are shown too.")
    ] = True,
    tests: Annotated[
        bool,
        typer.Option("--tests/--no-tests", help="Whether models are tested against the best, where rows are kept."),
    ] = True,
) -> None:
    """Build the site: an overview, a page for each suite and for each model, and downloads.

    It opens from the disk and from any web server. Needs the extra site.
    """
    from euroglue.leaderboard.build import build_site

    built = build_site(
        results, out, suites=suites or (), split=split, baseline=baseline, with_published=published, tests=tests
    )
    show(f"{built.pages:,} pages of {built.entries:,} entries: open {out / 'index.html'}")
    finish(built.left_out)
