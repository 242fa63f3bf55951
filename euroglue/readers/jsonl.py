# SPDX-License-Identifier: Apache-2.0
"""JSON lines: one object a line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from euroglue.errors import FormatError
from euroglue.task import reader

if TYPE_CHECKING:
    from euroglue.prepare.raw import RawFiles


@reader
def jsonl(files: RawFiles, splits: Mapping[str, str], number: str = "") -> pd.DataFrame:
    """Read one member per split; every line is a JSON object with the same keys, numbers keep all their digits.

    Args:
        splits: split name → member.
        number: if given, the name of a column of ids: ``<split>-<number from 0>``, or ``<split>-<value>`` where the
            lines have such a key.

    Raises:
        FormatError: a line is not a JSON object or lacks a key that the first line has; file and line are named.
    """
    rows: list[dict] = []
    for split, member in files.present(splits):
        expected: set[str] | None = None
        kept = 0
        for line_number, line in files.lines(member):
            if not line.strip():
                continue
            row = read_object(member, line_number, line)
            expected = expected or set(row)
            if missing := sorted(expected - set(row)):
                raise FormatError(
                    f"{member}, line {line_number}: expected the key {missing[0]!r}, got only {sorted(row)}"
                )
            key = {number: f"{split}-{row.get(number, kept)}"} if number else {}
            rows.append({**row, **key, "split": split})
            kept += 1
    return pd.DataFrame(rows, dtype=object)


def read_object(member: str, number: int, line: str) -> dict:
    """One line as a JSON object; ``FormatError`` names file and line where it is none."""
    row = read_json(f"{member}, line {number}", line)
    if not isinstance(row, dict):
        raise FormatError(f"{member}, line {number}: expected a JSON object, got {type(row).__name__}")
    return row


def read_json(where: str, text: str) -> Any:
    """A text as JSON; ``FormatError`` names the place where it is none, or is nested too deeply.

    An escape of half a surrogate pair (``\\ud800``) is JSON, but no text: it is refused too.
    """
    try:
        value = json.loads(text)
        if "\\ud" in text.lower():
            json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        told = "half of a surrogate pair" if isinstance(error, UnicodeEncodeError) else error
        raise FormatError(f"{where}: expected a JSON object, got {text[:60]!r} ({told})") from error
    return value
