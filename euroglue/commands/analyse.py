# SPDX-License-Identifier: Apache-2.0
"""``euroglue analyse``: what a table of results says about tasks and systems."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from euroglue.commands.data import finish
from euroglue.commands.options import Json
from euroglue.commands.paper_checks import show_significance, show_tables
from euroglue.commands.terminal import print_json, show, table

if TYPE_CHECKING:
    from euroglue.leaderboard.analysis import Analysis
    from euroglue.leaderboard.sheets import Sheet
    from euroglue.scoring.results_table import ResultsTable


TAKES = {
    "--tables": ("--suite",),
    "--significance": ("--suite", "--split"),
    "--published": ("--suite", "--later", "--latex", "--png"),
    "a file": ("--latex", "--png"),
}
"""What is analysed → the options that have a say in how."""


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
    suite: Annotated[
        str | None, typer.Option(metavar="NAME", help="The suite; dumb by default, with --results all that are there.")
    ] = None,
    later: Annotated[
        bool, typer.Option("--later", help="With --published: also the systems that were published after the paper.")
    ] = False,
    latex: Annotated[bool, typer.Option("--latex", help="Print LaTeX tables (booktabs), and nothing else.")] = False,
    png: Annotated[Path | None, typer.Option(metavar="DIR", help="Also draw correlations.png and rer.png.")] = None,
    tables: Annotated[
        bool, typer.Option("--tables", help="Check every figure of the tables that the suite's paper prints.")
    ] = False,
    store: Annotated[
        Path | None, typer.Option("--results", metavar="DIR", help="A folder of results that kept their rows.")
    ] = None,
    significance: Annotated[
        bool,
        typer.Option("--significance", help="With --results: models not worse than the best, and below the baseline."),
    ] = False,
    baseline: Annotated[
        str | None, typer.Option(metavar="MODEL", help="With --significance: the model that others should beat.")
    ] = None,
    split: Annotated[
        str | None, typer.Option(metavar="NAME", help="With --results: the split that was predicted; test by default.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Relative error reductions, correlations of tasks, and a regression on what tells systems apart.

    The analyses of the DUMB paper on any table of results: its tables 2, 3 and 4 and appendix C. With --results and
    --significance its test of models by task: a mixed-effects regression of right answers with a random intercept of items.
    With --tables the figures that a paper prints, against one another or against its unrounded results.

    The regression on factors needs the extra stats, drawings the extra site. Exits with 1 where something had to be left
    out, or where a printed figure differs and that was not known.
    """
    from euroglue.errors import EuroglueError
    from euroglue.leaderboard.analysis import analyse as analyse_table

    if latex and as_json:
        raise EuroglueError("give either --latex or --json, not both")
    if significance != (store is not None) or (baseline and not significance):
        raise EuroglueError(
            "--significance and --baseline judge the models of a folder: give --results and --significance"
        )
    if sum((tables, significance, results is not None or published)) > 1:
        raise EuroglueError("give one of --tables, --significance, and a file of results or --published")
    if not (tables or significance) and published == (results is not None):
        raise EuroglueError("give either a file of results or --published")
    given = {"--suite": suite, "--later": later, "--latex": latex, "--png": png, "--split": split}
    what = "--tables" if tables else "--significance" if significance else "--published" if published else "a file"
    if idle := [name for name, value in given.items() if value and name not in TAKES[what]]:
        raise EuroglueError(f"{what} has no use for {', '.join(idle)}; it takes {', '.join(TAKES[what])}")
    if tables:
        return show_tables(suite or "dumb", as_json)
    if store is not None:
        return show_significance(store, suite, split or "test", baseline, as_json)
    found = analyse_table(_table(results, suite or "dumb", later))
    if png is not None:
        from euroglue.leaderboard.figures import draw

        draw(found, png)
    if as_json:
        print_json(found.to_dict())
    else:
        _print(found, latex)
    finish([f"left out: {what}" for what in found.left_out])


def _table(results: Path | None, suite: str, later: bool) -> ResultsTable:
    from euroglue.scoring import results_table

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
