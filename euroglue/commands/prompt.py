# SPDX-License-Identifier: Apache-2.0
"""``euroglue prompt``: ask a language model, and score what it answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from euroglue.commands.data import finish, prepare_all
from euroglue.commands.options import AcceptLicence, AllowMissing, DataDir, Edition, Json, Suite, Tasks
from euroglue.commands.terminal import print_json, progress, show, table

if TYPE_CHECKING:
    from euroglue.prompting.run import Outcome


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("prompt")(prompt)


def prompt(
    suite: Suite,
    names: Tasks = None,
    model: Annotated[
        str, typer.Option(metavar="NAME", help="The model: a folder, a Hub id, a name that a server has.")
    ] = "",
    name: Annotated[str, typer.Option(metavar="NAME", help="What results call the model; else its own name.")] = "",
    backend: Annotated[
        str, typer.Option(metavar="NAME", help="transformers, in this process; openai, any server with that interface.")
    ] = "transformers",
    options: Annotated[
        list[str] | None,
        typer.Option(
            "--option", metavar="KEY=VALUE", help="For the backend, such as batch_size=16 or url=http://…/v1."
        ),
    ] = None,
    prompts: Annotated[
        str, typer.Option(metavar="NAME", help="own; euroeval or euroeval-docs for EuroEval's Slovene prompts.")
    ] = "own",
    shots: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="Examples shown; else what each prompt says.")
    ] = None,
    fixed_shots: Annotated[
        bool | None,
        typer.Option("--fixed-shots/--shots-per-example", help="The same shots for all examples, or drawn for each."),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Of the choice of shots.")] = 4242,
    chat: Annotated[
        bool | None, typer.Option("--chat/--base", help="Ask in conversations or not; else as the model needs it.")
    ] = None,
    written: Annotated[
        bool, typer.Option("--written", help="Read what the model writes, never the probabilities of the answers.")
    ] = False,
    split: Annotated[str, typer.Option(metavar="NAME", help="The split whose examples are asked.")] = "test",
    limit: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="At most so many examples of each task.")
    ] = None,
    iterations: Annotated[
        int, typer.Option(metavar="N", min=0, help="Bootstrapped iterations; EuroEval has 10. 0 is one plain pass.")
    ] = 0,
    edition: Edition = None,
    data_dir: DataDir = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where answers and predictions go.")] = Path("prompted"),
    results: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The results store that takes the scores.")
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Take the place of results of the same run.")] = False,
    accept_licence: AcceptLicence = False,
    allow_missing_splits: AllowMissing = False,
    as_json: Json = False,
) -> None:
    """Ask a language model every example of the tasks, store its answers, and score them.

    Every answer is stored as it comes: the same command goes on where it was stopped. Answers that cannot be read count
    as wrong and are counted. Where no task is named, tasks whose raw files cannot be had are left out with a warning, and
    the exit code is 1.
    """
    from euroglue.prompting.backends import open_backend
    from euroglue.prompting.run import Asking, prompt_task
    from euroglue.results import ResultStore

    asking = Asking(
        prompts=prompts,
        shots=shots,
        seed=seed,
        fixed_shots=fixed_shots,
        chat=chat,
        weighed=not written,
        split=split,
        limit=limit,
        iterations=iterations,
    )
    asked = open_backend(backend, model, options or ())
    asked.name = name or asked.name
    made, warnings = prepare_all(
        suite,
        names,
        edition,
        data_dir=data_dir,
        allow_missing_splits=allow_missing_splits,
        accept_licence=accept_licence,
    )
    store = None if results is None else ResultStore(results)
    found = [prompt_task(one, asked, out, asking, store=store, replace=replace) for one in progress(made, "asking")]
    if as_json:
        print_json([one.to_dict() for one in found])
    else:
        _show(found, f"{asked.name}, prompts {prompts}")
    finish(warnings)


def _show(found: list[Outcome], title: str) -> None:
    rows = []
    for one in found:
        record, counts = one.record, one.counts
        scored = (None,) * 4 if record is None else (record.shots, record.primary, record.value, _interval(one))
        rows.append(
            (one.task, *scored, counts["requests"], counts.get("unreadable", 0), counts.get("dropped_shots", 0))
        )
    columns = ("task", "shots", "metric", "score", "95 % interval", "asked", "unreadable", "dropped shots")
    show(table(title, *columns, rows=rows, whole=("task", "metric", "95 % interval")))
    for one in found:
        if one.record is None:
            show(f"{one.task}: the labels are hidden; predictions: {one.predictions[0]}")


def _interval(one: Outcome) -> str | None:
    interval = one.record.intervals.get(one.record.primary) if one.record else None
    return None if interval is None else f"{interval[0]:.4f}–{interval[1]:.4f}"
