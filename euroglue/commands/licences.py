# SPDX-License-Identifier: Apache-2.0
"""``euroglue licences``: under which terms the data may be used."""

from __future__ import annotations

from typing import Annotated

import typer

from euroglue.commands.terminal import Json, print_json, show, table


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("licences")(licences)


def licences(
    suite: Annotated[str | None, typer.Argument(metavar="SUITE", help="A suite; all by default.")] = None,
    as_json: Json = False,
) -> None:
    """Say under which terms each task's raw data may be had, used and passed on."""
    from euroglue.registry import SUITES

    tasks = [task for each in ([SUITES[suite]] if suite else SUITES.values()) for task in each.tasks.values()]
    if as_json:
        print_json(
            [
                {
                    "suite": task.suite,
                    "task": task.name,
                    "licence": task.licence.id.value,
                    "terms": task.licence.terms,
                    "redistribute": task.licence.redistribute,
                    "gate": task.licence.gate.value,
                    "sign_at": task.licence.sign_at,
                }
                for task in tasks
            ]
        )
        return
    rows = [
        (
            task.path,
            task.licence.id.value,
            task.licence.terms,
            "yes" if task.licence.redistribute else "no",
            task.licence.sign_at or "open",
        )
        for task in tasks
    ]
    columns = ("task", "licence", "terms", "may be passed on", "access")
    show(table("Licences of the raw data", *columns, rows=rows, whole=("task", "licence")))
