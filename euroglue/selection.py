# SPDX-License-Identifier: Apache-2.0
"""Which tasks of a suite a command is about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from euroglue.errors import UnknownNameError
from euroglue.registry import SUITES

if TYPE_CHECKING:
    from euroglue.task import Task


def choose(suite: str, names: Sequence[str] = (), edition: str | None = None) -> list[Task]:
    """The named tasks of a suite, each once, or, where none is named, all that have the edition.

    Args:
        suite: a registered suite.
        names: tasks, in the order wanted; none means all, in the order of their names.
        edition: one that every task must have; ``None`` stands for each task's default.

    Raises:
        UnknownNameError: no such suite or task, a named task lacks the edition, or no task has it.
    """
    tasks = SUITES[suite].tasks
    if names:
        chosen = [tasks[name] for name in dict.fromkeys(names)]
        for task in chosen:
            task.edition(edition)
        return chosen
    chosen = [task for task in tasks.values() if edition is None or edition in task.editions]
    if not chosen:
        held = sorted({name for task in tasks.values() for name in task.editions})
        raise UnknownNameError(f"no task of {suite} has the edition {edition!r}; editions: {', '.join(held) or 'none'}")
    return chosen
