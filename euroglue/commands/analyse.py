# SPDX-License-Identifier: Apache-2.0
"""``euroglue analyse``: what a table of results says about tasks and systems."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from euroglue.commands.data import finish
from euroglue.commands.terminal import Json, print_json, show, table

if TYPE_CHECKING:
    from euroglue.leaderboard.analysis import Analysis
    from euroglue.leaderboard.sheets import Sheet
    from euroglue.scoring.results_table import ResultsTable


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("analyse")(analyse)


def analyse(
    results: Annotated[
        Path | None,
        typer.Argument(
            metavar="RESULTS.json",
            help='{"suite": …, "baseline": NAME, "systems": [{"name": …, "scores": {TASK: 0–1}, "factors": {"size": …}}]}',
        ),
    ] = None,
    published: Annotated[
        bool, typer.Option("--published", help="Analyse the published results of a suite instead of a file.")
    ] = False,
    suite: Annotated[str, typer.Option(metavar="NAME", help="The suite whose results were published.")] = "dumb",
    later: Annotated[
        bool, typer.Option("--later", help="With --published: also the systems that were published after the paper.")
    ] = False,
    latex: Annotated[bool, typer.Option("--latex", help="Print LaTeX tables (booktabs), and nothing else.")] = False,
    png: Annotated[Path | None, typer.Option(metavar="DIR", help="Also draw correlations.png and rer.png.")] = None,
    as_json: Json = False,
) -> None:
    """Relative error reductions, correlations of tasks, and a regression on what tells systems apart.

    The analyses of the DUMB paper on any table of results: its tables 2, 3 and 4 and appendix C.

    The regression needs the extra stats, drawings the extra site. Exits with 1 where something had to be left out.
    """
    from euroglue.errors import EuroglueError
    from euroglue.leaderboard.analysis import analyse as analyse_table

    if latex and as_json:
        raise EuroglueError("give either --latex or --json, not both")
    found = analyse_table(_table(results, published, suite, later))
    if png is not None:
        from euroglue.leaderboard.figures import draw

        draw(found, png)
    if as_json:
        print_json(found.to_dict())
    else:
        _print(found, latex)
    finish([f"left out: {what}" for what in found.left_out])


def _table(results: Path | None, published: bool, suite: str, later: bool) -> ResultsTable:
    from euroglue.errors import EuroglueError
    from euroglue.scoring import results_table

    if published == (results is not None):
        raise EuroglueError("give either a file of results or --published")
    if results is not None:
        return results_table.read_results(results)
    whole = results_table.published(suite)
    return whole if later else whole.first_published()


def _print(found: Analysis, latex: bool) -> None:
    from euroglue.leaderboard import sheets

    made = sheets.sheets(found)
    if latex:
        typer.echo(sheets.latex(made), nl=False)
    else:
        for sheet in made:
            _show(sheet)


def _show(sheet: Sheet) -> None:
    headings = [column.replace("-", "-\n") for column in sheet.columns]
    made = table(sheet.title, *headings, rows=sheet.rows, whole=headings)
    for column, numeric in zip(made.columns, sheet.numeric, strict=True):
        column.justify = "right" if numeric else "left"
    show(made, *sheet.notes, "")
