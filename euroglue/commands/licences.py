# SPDX-License-Identifier: Apache-2.0
"""``euroglue licences``: under which terms the data may be used, and what the user has signed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from euroglue.commands.options import Json, OneTask, Suite
from euroglue.commands.terminal import print_json, show, table
from euroglue.exits import FOUND

if TYPE_CHECKING:
    from euroglue.task import Task

SHOW = "show"


class _ShowByDefault(TyperGroup):
    """``licences [SUITE]`` shows, and ``licences accept …`` is a command of its own."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args[:1] != ["--help"] and (not args or args[0] not in self.commands):
            args = [SHOW, *args]
        return super().parse_args(ctx, args)


def register(app: typer.Typer) -> None:
    """Add the command and the commands below it."""
    below = typer.Typer(
        cls=_ShowByDefault,
        help="Say under which terms raw data may be had, used and passed on; accept those of a gated task.",
        epilog="euroglue licences [SUITE] is short for euroglue licences show [SUITE].",
    )
    below.command(SHOW)(licences)
    below.command("accept")(accept)
    app.add_typer(below, name="licences")


def licences(
    suite: Annotated[str | None, typer.Argument(metavar="SUITE", help="A suite; all by default.")] = None,
    as_json: Json = False,
) -> None:
    """Say under which terms each task's raw data may be had, used and passed on, and what is signed."""
    from euroglue.prepare.gate import acceptance, state
    from euroglue.registry import SUITES
    from euroglue.task import Gate

    tasks = [task for each in ([SUITES[suite]] if suite else SUITES.values()) for task in each.tasks.values()]
    if as_json:
        print_json([_plain(task) for task in tasks])
        return
    rows = [
        (
            task.path,
            task.licence.id.value,
            task.licence.terms,
            "yes" if task.licence.redistribute else "no",
            state(task),
        )
        for task in tasks
    ]
    columns = ("task", "licence", "terms", "pass\non?", "access")
    show(table("Licences of the raw data", *columns, rows=rows, whole=("task", "licence")))
    for task in tasks:
        if task.licence.gate is Gate.FORM and acceptance(task) is None:
            show(
                "",
                f"{task.path}: sign at {task.licence.sign_at}",
                f"  then: euroglue licences accept {task.suite} {task.name}",
            )


def _plain(task: Task) -> dict[str, Any]:
    from euroglue.prepare.gate import acceptance, state

    held = acceptance(task)
    return {
        "suite": task.suite,
        "task": task.name,
        "licence": task.licence.id.value,
        "terms": task.licence.terms,
        "redistribute": task.licence.redistribute,
        "gate": task.licence.gate.value,
        "sign_at": task.licence.sign_at,
        "state": state(task),
        "accepted": held.accepted if held else None,
    }


def accept(
    suite: Suite,
    name: OneTask,
    yes: Annotated[bool, typer.Option("--yes", help="Accept without being asked.")] = False,
) -> None:
    """Record that you have signed and accept the terms of a gated task: which, when, and the hash of their text.

    Exits with 1 if you answer no; nothing is recorded then.
    """
    from euroglue.errors import LicenceError
    from euroglue.prepare import gate
    from euroglue.registry import find_task
    from euroglue.task import Gate

    task = find_task(suite, name)
    if task.licence.gate is Gate.FORM and gate.acceptance(task) is None and not yes:
        if not sys.stdin.isatty():
            raise LicenceError(f"{task.path}: nobody can be asked here; pass --yes to accept its terms")
        show(f"{task.path}: {task.licence.id.value}. {task.licence.terms}", f"The form to sign: {task.licence.sign_at}")
        if not typer.confirm("Have you signed it, and do you accept the terms?"):
            show("Nothing is recorded.")
            raise typer.Exit(FOUND)
    made = gate.accept(task)
    show(f"{task.path}: accepted {made.accepted}, recorded in {gate.record_file()}")
