# SPDX-License-Identifier: Apache-2.0
"""``euroglue sweep``: fine-tune many models on many tasks as a paper does."""

from __future__ import annotations

import json
import statistics
from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from euroglue.commands.options import AllowMissing, DataDir, Edition, Suite, Tasks
from euroglue.commands.terminal import progress, show, table
from euroglue.exits import FOUND

if TYPE_CHECKING:
    from euroglue.results import Record
    from euroglue.training.executors import Executor
    from euroglue.training.sweep import Plan


class Ray(str, Enum):
    """Where the runs take place."""

    OFF = "off"
    LOCAL = "local"
    AUTO = "auto"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("sweep")(sweep)


def sweep(
    suite: Suite,
    tasks: Tasks = None,
    *,
    models: Annotated[
        Path, typer.Option(metavar="FILE", help="A model a line: folders or Hub ids; # begins a remark.")
    ],
    recipe: Annotated[
        str, typer.Option(metavar="NAME", help="Whose settings are searched: bgglue, bgglue-large, dumb or euroeval.")
    ],
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="The sweep's folder; on a cluster one that all reach.")
    ] = Path("sweep"),
    results: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The results store; by default results in the sweep's folder.")
    ] = None,
    edition: Edition = None,
    data_dir: DataDir = None,
    allow_missing_splits: AllowMissing = False,
    seeds: Annotated[
        int | None,
        typer.Option(metavar="N", help="How many times the winner is run; as often as in the paper if not given."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A setting for all runs, not searched then: --set epochs=3."),
    ] = None,
    ray: Annotated[
        Ray,
        typer.Option(help="off: here, one run after another; local: on this machine's cores; auto: on the cluster."),
    ] = Ray.OFF,
    cpus_per_run: Annotated[float, typer.Option(metavar="N", help="Cores that a run takes on Ray.")] = 1.0,
    gpus_per_run: Annotated[
        float | None, typer.Option(metavar="SHARE", help="The share of a GPU that a run takes on Ray; a whole one.")
    ] = None,
    probe: Annotated[bool, typer.Option(help="Take a few steps first and say how many hours there will be.")] = True,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")] = False,
) -> None:
    """Search a paper's grid for every model and task, choose by validation, repeat the winner, keep the results.

    What the results store holds is not done again; whatever stopped a sweep, the same command goes on with it. The store
    is one that euroglue results list and the leaderboard read.
    """
    from euroglue.extras import require_training
    from euroglue.results import ResultStore
    from euroglue.selection import choose
    from euroglue.training.recipes import RECIPES
    from euroglue.training.sweep import plan, read_models
    from euroglue.training.sweep import sweep as run_all

    require_training("a sweep")
    chosen, store = RECIPES[recipe], ResultStore(results or out / "results")
    laid_out = plan(
        choose(suite, tasks or (), edition),
        read_models(models),
        chosen,
        out.absolute(),
        store,
        edition=edition,
        seeds=seeds,
        fixed=_fixed(settings or []),
        source=_source(data_dir, allow_missing_splits),
    )
    executor = _executor(ray, cpus_per_run, gpus_per_run)
    try:
        _show_plan(laid_out, executor if probe and laid_out.searches else None)
        if dry_run:
            return
        records: list[Record] = []
        failures: list[str] = []
        _prepare(laid_out)
        for outcome in run_all(laid_out.searches, chosen, store, executor):
            records += outcome.records
            failures += outcome.failures
    finally:
        executor.close()
    _show_results(records)
    for failure in failures:
        show(f"failed: {failure}")
    raise typer.Exit(FOUND if failures else 0)


def _executor(ray: Ray, cpus: float, gpus: float | None) -> Executor:
    from euroglue.training.executors import Here, OnRay

    return Here() if ray is Ray.OFF else OnRay(ray.value, cpus=cpus, gpus=gpus)


def _prepare(plan: Plan) -> None:
    """Prepare the data before the runs start, so that what is missing is told once."""
    from euroglue.prepare import prepare

    wanted = {(search.task.path, search.trials[0].edition): search for search in plan.searches}
    for search in progress(list(wanted.values()), "preparing"):
        prepare(search.task, search.trials[0].edition, **search.trials[0].source)


def _source(data_dir: str | None, allow_missing_splits: bool) -> dict[str, Any]:
    """How the data are found; a folder by its whole path, since runs may take place elsewhere."""
    found: dict[str, Any] = {"data_dir": str(Path(data_dir).absolute())} if data_dir else {}
    return {**found, "allow_missing_splits": True} if allow_missing_splits else found


def _fixed(pairs: Sequence[str]) -> dict[str, Any]:
    """The settings given as NAME=VALUE; a value is JSON or else a text."""
    fixed: dict[str, Any] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals:
            raise typer.BadParameter(f"--set: expected NAME=VALUE, got {pair!r}")
        name = name.strip().replace("-", "_")
        if name in fixed:
            raise typer.BadParameter(f"--set: {name} is given twice")
        try:
            fixed[name] = json.loads(text)
        except ValueError:
            fixed[name] = text
    return fixed


def _show_plan(plan: Plan, executor: Executor | None) -> None:
    from euroglue.finished_runs import shown_name

    paces: dict[Any, Any] = {}
    if executor is not None:
        from euroglue.training.probe import probe

        paces = {trial.folder: pace for trial, pace in executor.map(probe, [one.trials[0] for one in plan.searches])}
    rows, total, remarks = [], 0.0, list(plan.held)
    for search in plan.searches:
        pace = paces.get(search.trials[0].folder)
        hours = None if pace is None or isinstance(pace, str) else _hours(search, pace)
        total += hours or 0.0
        remarks += [f"no estimate: {pace}"] if isinstance(pace, str) else []
        rows.append((search.task.path, shown_name(search.model), len(search.trials), len(search.repeats), hours))
    if rows:
        show(table("Runs", "task", "model", "searched", "repeated", "hours", rows=rows))
    for remark in remarks:
        show(remark)
    show(f"{plan.runs} runs, {plan.finished} of them finished" + (f"; about {total:.1f} hours" if total else ""))


def _hours(search: Any, pace: Any) -> float:
    """Of a search's unfinished trials and of the repetitions, whose epochs are the trials' mean."""
    from euroglue.training.settings import Settings

    each = []
    for trial in search.trials:
        settings = Settings.of(search.task, trial.model, trial.edition, **trial.overrides)
        each.append(0.0 if trial.metrics else pace.seconds_of(settings))
    return (sum(each) + statistics.fmean(each) * (len(search.repeats) - 1)) / 3600


def _show_results(records: Sequence[Record]) -> None:
    groups: dict[tuple[str, str, str], list[float]] = {}
    for record in records:
        groups.setdefault((f"{record.suite}/{record.task}", record.model, record.split), []).append(record.value)
    rows = [
        (*group, len(values), statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else None)
        for group, values in sorted(groups.items())
    ]
    if rows:
        show(table("Results", "task", "model", "split", "runs", "mean", "sd", rows=rows))
