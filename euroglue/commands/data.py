# SPDX-License-Identifier: Apache-2.0
"""What the commands that work on prepared data share: prepare the tasks asked for, leave out what cannot be had."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer

from euroglue.commands.terminal import progress
from euroglue.exits import FOUND, tell

if TYPE_CHECKING:
    from euroglue.prepare import Prepared


def prepare_all(
    suite: str,
    names: Sequence[str] | None,
    edition: str | None,
    *,
    accept_licence: bool = False,
    **options: Any,
) -> tuple[list[Prepared], list[str]]:
    """Prepare the named tasks, or all that have the edition; ``options`` are those of ``euroglue.prepare.prepare``.

    Where no task is named, those whose raw files are not to be had are left out, and a warning for each is returned.
    """
    from euroglue.errors import LicenceError, MissingRawFileError
    from euroglue.prepare import prepare
    from euroglue.prepare.gate import accept_all
    from euroglue.selection import choose

    tasks = choose(suite, names or (), edition)
    if accept_licence:
        accept_all(tasks)
    made, warnings = [], []
    for task in progress(tasks, "preparing"):
        try:
            made.append(prepare(task, edition, **options))
        except (LicenceError, MissingRawFileError) as error:
            if names:
                raise
            warnings.append(f"left out: {error}")
    return made, warnings


def finish(warnings: Sequence[str], found: bool = False) -> None:
    """Print the warnings on standard error; leave with 1 if there are any or if a check found something."""
    for warning in warnings:
        tell(f"warning: {warning}")
    if warnings or found:
        raise typer.Exit(FOUND)
