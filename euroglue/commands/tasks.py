# SPDX-License-Identifier: Apache-2.0
"""``euroglue tasks``: what there is."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Annotated, Any

import typer

from euroglue.commands.options import Json
from euroglue.commands.terminal import print_json, show, table

if TYPE_CHECKING:
    from euroglue.task import Suite, Task


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("tasks")(tasks)


def tasks(
    suite: Annotated[str | None, typer.Argument(metavar="SUITE", help="A suite; all by default.")] = None,
    as_json: Json = False,
) -> None:
    """List the tasks of a suite: kind, metric, editions and their sizes."""
    from euroglue.registry import SUITES

    suites = [SUITES[suite]] if suite else SUITES.values()
    if as_json:
        print_json([_plain(each) for each in suites])
        return
    for each in suites:
        show(_table(each), f"{each.homepage}\n")


def _table(suite: Suite) -> Any:
    splits = ("train", "validation", "test")
    rows: list[tuple[Any, ...]] = []
    for task in suite.tasks.values():
        about = (task.kind.value.replace("_", " "), task.metric)
        for left, one, edition in zip_longest((task.name,), about, task.editions, fillvalue=""):
            sizes = task.editions[edition].sizes if edition else dict.fromkeys(splits, "")
            mark = f"{edition} *" if edition == task.default_edition else edition
            rows.append((left, one, mark, *(sizes.get(split) for split in splits)))
    columns = ("task", "kind, metric", "edition", *splits)
    title = f"{suite.title} ({suite.name}, {suite.language}) · * the default edition"
    return table(title, *columns, rows=rows, whole=columns)


def _plain(suite: Suite) -> dict[str, Any]:
    return {
        "suite": suite.name,
        "title": suite.title,
        "language": suite.language,
        "homepage": suite.homepage,
        "tasks": [_plain_task(task) for task in suite.tasks.values()],
    }


def _plain_task(task: Task) -> dict[str, Any]:
    return {
        "task": task.name,
        "title": task.title,
        "kind": task.kind.value,
        "language": task.language,
        "metric": task.metric,
        "labels": list(task.labels),
        "default_edition": task.default_edition,
        "editions": {name: dict(edition.sizes) for name, edition in task.editions.items()},
    }
