# SPDX-License-Identifier: Apache-2.0
"""What groups the examples of a task: films, topics, subjects, sources, the domains of addresses; and how many there are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from euroglue.errors import EuroglueError
from euroglue.prepare.leakage import text_of
from euroglue.task import HIDDEN_CLASS, Feature, Labels

if TYPE_CHECKING:
    import pandas as pd

    from euroglue.task import Task

MOST_VALUES = 20
"""Of a grouping, so many values are counted one by one, the most frequent ones."""
_ADDRESS = re.compile(r"https?://(?:www\.)?([^/:?#\s]+)", re.IGNORECASE)


@dataclass(frozen=True)
class Group:
    """What a column (or a part of it) groups the examples by: films, topics, subjects, the domains of addresses.

    Attributes:
        name: the column; ``column=pattern`` where only a part counts; ``domain of column`` for addresses.
        distinct: split → distinct values, the empty one left out.
        total: distinct values of all splits together.
        values: value → split → examples, for the ``MOST_VALUES`` most frequent values.
    """

    name: str
    distinct: Mapping[str, int]
    total: int
    values: Mapping[str, Mapping[str, int]]


def inside(value: Any, path: Iterable[str]) -> Any:
    """The value that nested fields lead to.

    >>> inside({"info": {"subject": "Biology"}}, ("info", "subject"))
    'Biology'
    """
    for name in path:
        value = value[name]
    return value


def grouping(task: Task, text: str) -> tuple[str, Callable[[pd.DataFrame], list[str]]]:
    """A grouping's name and the function that takes a table's values.

    Args:
        text: a column, ``column.field`` of a nested one, or either with ``=REGEX``, of which the first match in a value
            counts (its first group, where it has one; no match, no value).

    Raises:
        EuroglueError: there is no such column or field, or the pattern is none.
    """
    where, has_pattern, pattern = text.partition("=")
    column, *path = where.split(".")
    feature: Any = task.features.get(column)
    for name in path:
        feature = feature.get(name) if isinstance(feature, Mapping) else None
    if feature is None:
        held = ", ".join(task.features)
        raise EuroglueError(f"{task.path}: cannot group by {where!r}: expected a column of {held}, or column.field")
    try:
        wanted = re.compile(pattern)
    except re.error as error:
        raise EuroglueError(f"{task.path}: cannot group by {text!r}: {pattern!r} is no pattern ({error})") from error

    def values(table: pd.DataFrame) -> list[str]:
        texts = [_named(inside(value, path), feature) for value in table[column]]
        return [_part(wanted, each) for each in texts] if has_pattern else texts

    return text, values


def _named(value: Any, feature: Feature) -> str:
    if isinstance(feature, Labels):
        return "" if value == HIDDEN_CLASS else feature.names[value]
    return text_of(value)


def _part(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    return (found[1] if pattern.groups else found[0]) or "" if found else ""


def address_columns(task: Task, tables: Mapping[str, pd.DataFrame]) -> list[str]:
    """The text columns most of whose values are web addresses."""
    found = []
    for column, feature in task.features.items():
        if feature == "string" and all(column in table.columns for table in tables.values()):
            values = [value for table in tables.values() for value in table[column] if value]
            if 2 * sum(_ADDRESS.match(value) is not None for value in values) > len(values):
                found.append(column)
    return found


def domains(column: str) -> Callable[[pd.DataFrame], list[str]]:
    """The function that takes the domain of each address in a column, in small letters and without ``www.``."""

    def values(table: pd.DataFrame) -> list[str]:
        matches = (_ADDRESS.match(value) for value in table[column])
        return [match[1].lower() if match else "" for match in matches]

    return values


def count_groups(name: str, values: Mapping[str, Sequence[str]]) -> Group:
    """Count the values of one grouping, of which ``values`` holds one a row for each split.

    >>> count_groups("film", {"train": ["b", "a", "b"], "test": ["a", ""]}).distinct
    {'train': 2, 'test': 1}
    """
    counts = {split: Counter(value for value in column if value) for split, column in values.items()}
    total: Counter[str] = Counter()
    for counted in counts.values():
        total.update(counted)
    most = sorted(total, key=lambda value: (-total[value], value))[:MOST_VALUES]
    return Group(
        name,
        {split: len(counted) for split, counted in counts.items()},
        len(total),
        {value: {split: counted[value] for split, counted in counts.items()} for value in most},
    )
