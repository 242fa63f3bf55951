# SPDX-License-Identifier: Apache-2.0
"""JSON as the standard has it, UTF-8 and whole: what it, or the reader of a file, would leave to chance is refused."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from euroglue.atomic import write_text
from euroglue.errors import FormatError


def loads(text: str | bytes) -> Any:
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


def dumps(value: Any, *, indent: int | None = None) -> str:
    """JSON with letters as they are, without a line feed at its end.

    Raises:
        TypeError: JSON cannot hold the value.
        ValueError: a number in it is not finite.

    >>> dumps({"name": "Ljubljana je mesto", "score": 0.5})
    '{"name": "Ljubljana je mesto", "score": 0.5}'
    """
    return json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False)


def read(path: str | os.PathLike[str]) -> Any:
    """What a file of JSON holds.

    Raises:
        FormatError: it is not UTF-8, or no JSON that ``loads`` takes.
        OSError: it cannot be read.
    """
    try:
        return loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{path}: expected JSON: {error}") from error


def write(path: str | os.PathLike[str], value: Any, *, indent: int | None = 1) -> None:
    """Write a file of JSON, whole or not at all (see ``euroglue.atomic``); ``indent=None`` puts all on one line.

    Raises:
        TypeError: JSON cannot hold the value.
        ValueError: a number in it is not finite.
    """
    write_text(path, dumps(value, indent=indent) + "\n")


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a finite number")


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the key {next(name for name in names if names.count(name) > 1)[:60]!r} occurs twice")
    return found
