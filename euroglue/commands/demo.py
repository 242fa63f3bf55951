# SPDX-License-Identifier: Apache-2.0
"""``euroglue demo``: the whole way, on small made-up corpora."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from euroglue.commands.options import Json
from euroglue.commands.terminal import print_json, show, table


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("demo")(demo)


def demo(
    suites: Annotated[
        list[str] | None,
        typer.Argument(metavar="SUITE", help="Suites, all tasks of each; by default eight tasks of all."),
    ] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the page goes.")] = Path("demo"),
    epochs: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Epochs of training; by default enough to learn something.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Prepare sample corpora, train a tiny encoder on each, predict, score, and write a page of results.

    Works offline; takes a minute or two on two CPU cores. Needs the extras train and site.
    """
    from euroglue.demo import EPOCHS, run_demo

    report = run_demo(
        suites or (), out, epochs=epochs or EPOCHS, say=lambda line: print(line, file=sys.stderr, flush=True)
    )
    if as_json:
        print_json(report.to_dict())
        return
    rows = [(task.task, task.method, task.metric, task.score, task.n, f"{task.seconds:.0f} s") for task in report.tasks]
    columns = ("task", "method", "metric", "score", "examples", "time")
    show(table(report.title, *columns, rows=rows, whole=("task", "metric")))
    show(f"Open {out / 'index.html'} (the numbers: {out / 'results.json'})")
