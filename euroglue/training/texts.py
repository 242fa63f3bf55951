# SPDX-License-Identifier: Apache-2.0
"""What an encoder reads of an example: its one or two texts, or those of each of its choices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from euroglue.choices import names_of, path_to_choices
from euroglue.errors import ContractError
from euroglue.task import CHOICE, Task
from euroglue.template import Row, at, fill


class Choices(NamedTuple):
    """An example's choices: the segments of each, as an encoder reads them, and what each is called."""

    segments: list[tuple[str, ...]]
    names: tuple[str, ...]


def segments_of(task: Task, rows: Mapping[str, Sequence[Any]]) -> list[list[str]]:
    """The texts of all examples, a list for each of the one or two segments.

    Raises:
        ContractError: the task says no segments and has not one or two inputs that are texts.
    """
    templates = task.segments or _columns(task)
    if not 1 <= len(templates) <= 2:
        raise ContractError(
            f"{task.path}: an encoder reads one or two texts, the inputs have {len(templates)}: segments?"
        )
    examples = [dict(zip(task.inputs, row)) for row in zip(*(rows[name] for name in task.inputs), strict=True)]
    return [[_filled(template, row) for row in examples] for template in templates]


def choices_of(task: Task, rows: Mapping[str, Sequence[Any]]) -> list[Choices]:
    """The choices of all examples.

    Without segments of the task's own, its inputs that are texts come first and the choice's ``text`` second.

    Raises:
        ContractError: the task has no input with choices, or an example has fewer than two.
    """
    path = path_to_choices(task)
    if path is None:
        raise ContractError(f"{task.path}: expected an input with a list of choices, there is none")
    templates = task.segments or (" ".join(_columns(task)), f"{{{CHOICE}.text}}")
    found = []
    for example, *values in zip(rows[task.id_column], *(rows[name] for name in task.inputs), strict=True):
        row = dict(zip(task.inputs, values))
        listed = at(row, path)
        if not 2 <= len(listed) <= (len(task.labels) or len(listed)):
            most = f"to {len(task.labels)}" if task.labels else "or more"
            raise ContractError(f"{task.path}, example {example}: expected 2 {most} choices, got {len(listed)}")
        texts = [tuple(_filled(template, {**row, CHOICE: choice}) for template in templates) for choice in listed]
        found.append(Choices(texts, names_of(task, listed)))
    return found


def _filled(template: str, row: Row) -> str:
    return fill(template, lambda path: str(at(row, path)))


def _columns(task: Task) -> tuple[str, ...]:
    return tuple(f"{{{name}}}" for name in task.inputs if task.features[name] == "string")
