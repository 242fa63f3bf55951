# SPDX-License-Identifier: Apache-2.0
"""JSON objects in what a language model wrote: prose around, single quotes, trailing commas, stray braces."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Sequence
from typing import Any

MOST_ENDS = 200
"""How many closing braces are tried for one opening brace."""
LONGEST, DEEPEST = 50_000, 40
"""Longer texts and deeper brackets are not tried as Python literals."""
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
    start = text.find("{")
    while start >= 0:
        found, end = _object_at(text, start)
        if found is not None:
            yield found
        start = text.find("{", end)


def _object_at(text: str, start: int) -> tuple[dict[str, Any] | None, int]:
    """The object that begins at a brace and the place after it, or None and the place after the brace."""
    try:
        found, end = _DECODER.raw_decode(text, start)
        return found, end
    except (ValueError, RecursionError):
        end = start
    for _ in range(MOST_ENDS):
        end = text.find("}", end) + 1
        if not end:
            break
        for written in dict.fromkeys([text[start:end], text[start:end].translate(_QUOTES)]):
            literal = _literal(written)
            if isinstance(literal, dict) and all(isinstance(key, str) for key in literal):
                return literal, end
    return None, start + 1


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
    if any(key in found for key in keys):
        return found
    inner = (holding(value, keys) for value in found.values() if isinstance(value, dict))
    return next((one for one in inner if one is not None), None)
