# SPDX-License-Identifier: Apache-2.0
"""JSON from strangers: what the standard, or the reader of a file, would leave to chance is refused."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any


def loads(text: str) -> Any:
    """Read JSON; ``NaN``, infinities and a key that an object has twice are refused.

    Raises:
        ValueError: it is no such JSON.
        RecursionError: it is nested too deeply.

    >>> loads('{"label": "a", "label": "b"}')
    Traceback (most recent call last):
    ...
    ValueError: the key 'label' occurs twice
    """
    return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_once)


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a finite number")


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the key {next(name for name in names if names.count(name) > 1)[:60]!r} occurs twice")
    return found
