# SPDX-License-Identifier: Apache-2.0
"""Templates over an example: ``{column}`` stands for a value, ``{column.field}`` for one inside it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from euroglue.errors import ContractError

PLACEHOLDER = re.compile(r"\{([^\W\d][\w.]*)\}")
Row = Mapping[str, Any]
"""One example: column → value."""


def placeholders(template: str) -> list[str]:
    """The paths that a template names, in their order.

    >>> placeholders("{question.stem} {a b} {1}: {label}")
    ['question.stem', 'label']
    """
    return PLACEHOLDER.findall(template)


def fill(template: str, value: Callable[[str], str]) -> str:
    """Replace each placeholder by the value of its path, in one pass: braces inside values stay as they are.

    >>> fill("{a} {{b}} {c d}", {"a": "{b}", "b": "x"}.__getitem__)
    '{b} {x} {c d}'
    """
    return PLACEHOLDER.sub(lambda found: value(found[1]), template)


def at(row: Row, path: str) -> Any:
    """The value at a dotted path.

    >>> at({"question": {"stem": "Why?"}}, "question.stem")
    'Why?'

    Raises:
        ContractError: there is none.
    """
    value: Any = row
    for part in path.split("."):
        if not isinstance(value, Mapping) or part not in value:
            raise ContractError(f"a template names {{{path}}}, the example has {', '.join(map(str, row))}")
        value = value[part]
    return value
