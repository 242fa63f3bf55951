# SPDX-License-Identifier: Apache-2.0
"""``euroglue results``: the store of what models did."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from euroglue.commands.data import finish
from euroglue.commands.options import Json, KeepRows, Replace
from euroglue.commands.terminal import print_json, show, table

if TYPE_CHECKING:
    from euroglue.results import Record

Store = Annotated[Path, typer.Argument(metavar="RESULTS", help="A folder of results.")]
Runs = Annotated[list[Path], typer.Argument(metavar="RUN…", help="Folders of finished runs.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(help="Keep, merge and list results: one file for each model, task and way of running it.")
    group.command("add")(add)
    group.command("merge")(merge)
    group.command("list")(list_results)
    app.add_typer(group, name="results", no_args_is_help=True)


def add(
    runs: Runs,
    to: Annotated[Path, typer.Option("--to", metavar="DIR", help="The store; it is made if there is none.")],
    split: Annotated[str, typer.Option(metavar="NAME", help="The split whose scores are taken.")] = "test",
    model: Annotated[str | None, typer.Option(metavar="NAME", help="The model's name, if the run has another.")] = None,
    replace: Replace = False,
    keep_rows: KeepRows = False,
) -> None:
    """Add the scores of finished runs to a store."""
    from euroglue.finished_runs import read_run
    from euroglue.results import ResultStore

    store = ResultStore(to)
    found = [read_run(folder, model=model) for folder in runs]
    records = [run.record(split) for run in found]
    for run, record in zip(found, records, strict=True):
        rows = None
        if keep_rows:
            from euroglue.evaluation import rows_on_split
            from euroglue.prepare import prepare

            rows = rows_on_split(prepare(run.task, run.edition), split, run.predictions(split))
        show(f"added {store.add(record, rows, replace=replace)}")


def merge(
    stores: Annotated[list[Path], typer.Argument(metavar="RESULTS…", help="Folders of results.")],
    to: Annotated[
        Path, typer.Option("--to", metavar="DIR", help="The store that takes them all; made if there is none.")
    ],
) -> None:
    """Merge stores: the union of their results. Exits with 1 where two results of one run contradict each other."""
    from euroglue.results import ResultStore

    target = ResultStore(to)
    conflicts = [conflict for folder in stores for conflict in target.merge(ResultStore.existing(folder))]
    show(f"{len(target.paths()):,} results in {to}")
    finish(conflicts)


def list_results(store: Store, as_json: Json = False) -> None:
    """List the results of a store."""
    from euroglue.results import ResultStore

    records = sorted(
        ResultStore.existing(store), key=lambda record: (record.suite, record.task, -record.value, record.model)
    )
    if as_json:
        print_json([record.to_dict() for record in records])
        return
    rows = [
        (f"{one.suite}/{one.task}", one.model, _how(one), one.shots, one.seed, one.split, one.primary, one.value)
        for one in records
    ]
    columns = ("task", "model", "method", "shots", "seed", "split", "metric", "score")
    show(table(f"{len(rows):,} results", *columns, rows=rows, whole=("task", "metric")))


def _how(record: Record) -> str:
    """The method, and what else tells two runs of a model apart."""
    edition = f"edition {record.edition}" if record.edition else ""
    return ", ".join(filter(None, (record.method, record.variant, record.revision[:12], edition)))
