# SPDX-License-Identifier: Apache-2.0
"""Placeholders filled: what of an example a language model reads, as text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from euroglue.errors import ContractError
from euroglue.prompting.prompt import Prompt
from euroglue.task import Kind, Labels, Task
from euroglue.template import Row, at


def flattened(text: str) -> str:
    """Line feeds as spaces, nothing around.

    >>> flattened("one\\n\\ntwo ")
    'one two'
    """
    return " ".join(filter(None, map(str.strip, re.split(r"[\r\n\u2028\u2029]+", text))))


def places(task: Task) -> dict[str, str]:
    """Of a span classification: each column with the place of a token → the column with its tokens.

    The columns are paired in their order; where there is one column of tokens, all places are in it.
    """
    tokens = [name for name in task.inputs if isinstance(task.features[name], list)]
    indices = [name for name in task.inputs if task.features[name] == "int64"]
    if task.kind is not Kind.SPAN_CLASSIFICATION or not tokens:
        return {}
    return dict(zip(indices, tokens if len(tokens) > 1 else tokens * len(indices), strict=True))


class Fields:
    """The values of a task's placeholders under a prompt."""

    def __init__(self, task: Task, prompt: Prompt):
        self.task, self.prompt = task, prompt
        self._places = places(task)

    def text(self, value: str) -> str:
        """A text as the prompt shows it."""
        return flattened(value) if self.prompt.flat else value.strip()

    def value(self, row: Row, path: str) -> str:
        """What stands for ``{path}``.

        Raises:
            ContractError: the example has no such column, or one that cannot be shown.
        """
        if path in self._places:
            return self.text(at(row, self._places[path])[at(row, path)])
        found = at(row, path)
        if isinstance(found, str):
            return self.text(found)
        if isinstance(found, Sequence) and all(isinstance(item, str) for item in found):
            return self.text(" ".join(self._marked(row, path, found)))
        if isinstance(found, int):
            return str(found)
        raise ContractError(
            f"{self.task.path}: the prompt names {{{path}}}, which is neither a text nor a list of them"
        )

    def _marked(self, row: Row, path: str, tokens: Sequence[str]) -> list[str]:
        opening, closing = self.prompt.marks
        marked = {row[index] for index, column in self._places.items() if column == path}
        return [f"{opening}{token}{closing}" if place in marked else token for place, token in enumerate(tokens)]


def label_name(task: Task, value: Any) -> str:
    """The name of a label that is given as name or id."""
    return value if isinstance(value, str) else task.labels[int(value)]


def is_entity_tagging(task: Task) -> bool:
    """Whether the tags mark entities (there is an ``O``), not every token."""
    feature: Any = task.features[task.target]
    inner = feature[0] if isinstance(feature, list) else None
    return isinstance(inner, Labels) and "O" in inner.names
