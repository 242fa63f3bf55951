# SPDX-License-Identifier: Apache-2.0
"""The choices of multiple-choice examples: where a task's rows list them, and by which names they are predicted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from euroglue.errors import ContractError, one_line
from euroglue.predictions import NO_CHOICE, UNREADABLE
from euroglue.template import at

if TYPE_CHECKING:
    from euroglue.task import Feature, Task


def path_to_choices(task: Task) -> str | None:
    """The dotted path to the list of choices, the first list among the inputs; None where the choices stand in texts.

    >>> from euroglue.registry import find_task
    >>> path_to_choices(find_task("bgglue", "examsbg"))
    'question.choices'
    """
    for name in task.inputs:
        path = _path_to_list(task.features[name])
        if path is not None:
            return ".".join((name, *path))
    return None


def _path_to_list(feature: Feature) -> tuple[str, ...] | None:
    if isinstance(feature, list):
        return ()
    for name, inner in feature.items() if isinstance(feature, Mapping) else ():
        path = _path_to_list(inner)
        if path is not None:
            return (name, *path)
    return None


def names_of(task: Task, choices: Sequence[Any]) -> tuple[str, ...]:
    """What predicts each choice: the target's label names; where it is a number, the numbers from 0; else each one's ``label``.

    Raises:
        ContractError: there are more choices than label names, or they have no ``label``.

    >>> from euroglue.registry import find_task
    >>> names_of(find_task("bgglue", "examsbg"), [{"label": "A", "text": "да"}, {"label": "B", "text": "не"}])
    ('A', 'B')
    """
    if task.labels:
        if len(choices) > len(task.labels):
            raise ContractError(f"{task.path}: expected at most {len(task.labels)} choices, got {len(choices)}")
        return task.labels[: len(choices)]
    if task.features[task.target] == "int64":
        return tuple(map(str, range(len(choices))))
    if not all(isinstance(choice, Mapping) and "label" in choice for choice in choices):
        raise ContractError(f"{task.path}: expected choices that have a label")
    return tuple(choice["label"] for choice in choices)


def choice_names(task: Task, rows: Any) -> list[tuple[str, ...]]:
    """Of each example the names of its choices; where no input lists them, all label names.

    Args:
        task: a task of multiple choice.
        rows: its columns, a mapping of lists or a table; at least the first input that has a list.

    Raises:
        ContractError: the choices have no names.

    >>> from euroglue.registry import find_task
    >>> choice_names(find_task("dumb", "copanl"), {"choices": [[{"sentence1": "a"}, {"sentence1": "b"}]]})
    [('0', '1')]
    """
    path = path_to_choices(task)
    if path is None and task.labels:
        return [task.labels] * len(rows[task.target])
    if path is None:
        raise ContractError(f"{task.path}: expected an input with a list of choices, there is none")
    column = path.split(".")[0]
    return [names_of(task, at({column: value}, path)) for value in rows[column]]


def warn_beyond(task: Task, predictions: Sequence[Any], names: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """One warning of the predictions that are none of their example's choices; labels of no example are another matter.

    >>> from euroglue.registry import find_task
    >>> warn_beyond(find_task("dumb", "copanl"), [0, 7], [("0", "1"), ("0", "1")])
    ("1 predictions are none of their example's choices and count as wrong: 7 (1)",)
    """
    odd = Counter(
        UNREADABLE if value == NO_CHOICE else str(value)
        for value, known in zip(predictions, names, strict=True)
        if str(value) not in known and (not task.labels or value in task.labels)
    )
    if not odd:
        return ()
    some = ", ".join(f"{one_line(name)[:60]} ({count})" for name, count in odd.most_common(3))
    more = f" and {len(odd) - 3} more" if len(odd) > 3 else ""
    return (f"{odd.total()} predictions are none of their example's choices and count as wrong: {some}{more}",)
