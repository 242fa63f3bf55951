# SPDX-License-Identifier: Apache-2.0
"""JSON objects in what a language model wrote: prose around, single quotes, trailing commas, stray braces."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Sequence
from typing import Any

MOST_STARTS, MOST_LITERALS = 100, 200
"""How many opening braces of a text are tried, and how many pieces of it as Python literals: time stays bounded."""
LONGEST, DEEPEST = 50_000, 40
"""Longer texts are not tried as Python literals; deeper brackets make no object."""
_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"'})


def _merged(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """A mapping of pairs; the lists of a key that occurs twice are joined."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        both = isinstance(value, list) and isinstance(found.get(key), list)
        found[key] = found[key] + value if both else value
    return found


_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_merged)


def objects(text: str) -> Iterator[dict[str, Any]]:
    """The outermost JSON objects of a text, in order; what only looks like one is passed over.

    Objects in Python's way of writing (single quotes, trailing commas) and in typographic quotes are understood. An
    object that was cut off is none.

    >>> list(objects("Here {ni}: {'oseba': ['Ana'],} ok")), list(objects('{"a": "{b}"} {"c": '))
    ([{'oseba': ['Ana']}], [{'a': '{b}'}])
    """
    start, left = text.find("{"), MOST_LITERALS
    for _ in range(MOST_STARTS):
        if start < 0:
            return
        found, end, left = _object_at(text, start, left)
        if found is not None:
            yield found
        start = text.find("{", end)


def _object_at(text: str, start: int, left: int) -> tuple[dict[str, Any] | None, int, int]:
    """The object that begins at a brace and the place after it, or None and the place after the brace; literals left."""
    try:
        found, end = _DECODER.raw_decode(text, start)
        return None if _is_deep(found) else found, end, left
    except (ValueError, RecursionError):
        end = start
    while left > 0 and (end := text.find("}", end) + 1):
        for written in dict.fromkeys([text[start:end], text[start:end].translate(_QUOTES)]):
            left -= 1
            literal = _literal(written)
            if isinstance(literal, dict) and all(isinstance(key, str) for key in literal):
                return literal, end, left
    return None, start + 1, max(left, 0)


def _is_deep(found: Any) -> bool:
    """Whether values are nested beyond ``DEEPEST``: no answer is, and readers may go down without care."""
    level = [found]
    for _ in range(DEEPEST):
        inner = [one.values() if isinstance(one, dict) else one for one in level if isinstance(one, (dict, list))]
        level = [value for values in inner for value in values]
    return any(isinstance(one, (dict, list)) for one in level)


def _literal(text: str) -> Any:
    """A Python literal, or None; no name is looked up and nothing is called."""
    if len(text) > LONGEST or text.count("{") + text.count("[") + text.count("(") > DEEPEST:
        return None
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def holding(found: dict[str, Any], keys: Sequence[str]) -> dict[str, Any] | None:
    """The object itself if it has one of the keys, else the first one inside it that has.

    >>> holding({"input": {"oseba": []}}, ["oseba"])
    {'oseba': []}
    """
    waiting = [found]
    while waiting:
        one = waiting.pop()
        if any(key in one for key in keys):
            return one
        waiting += [value for value in reversed(one.values()) if isinstance(value, dict)]
    return None
