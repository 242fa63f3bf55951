# SPDX-License-Identifier: Apache-2.0
"""What strangers may write into results and submissions: texts that show as what they are, links, values of settings."""

from __future__ import annotations

import json
import re
from typing import Any

DEEPEST = 20
"""How deep settings may be nested."""
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Printable characters that show nothing (Unicode's Default_Ignorable_Code_Point, and the blank Braille pattern)."""
_STACKED = re.compile("[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{4}")
"""More marks on one letter than any of Europe's alphabets has."""
_ADDRESS = re.compile(r"""https?://[^\s/?#@\\"'<>`{}|^]+(?:[/?#][^\s\\"<>`{}|^]*)?""", re.I)


def is_line(value: Any, longest: int) -> bool:
    """Whether a value is a text of one line that shows all it holds: no control, invisible or turning characters.

    >>> is_line("BERTje", 200), is_line("a\\u202eb", 200), is_line("\\u3164", 200), is_line("a" + "\\u0301" * 9, 200)
    (True, False, False, False)
    """
    plain = isinstance(value, str) and len(value) <= longest and value.isprintable()
    return plain and not _UNSEEN.search(value) and not _STACKED.search(value)


def is_address(value: Any, longest: int) -> bool:
    """Whether a value is a web address, http or https, without a user's name before the host.

    >>> is_address("https://example.org/a?b#c", 99), is_address("https://example.org@evil.test/", 99)
    (True, False)
    """
    return is_line(value, longest) and _ADDRESS.fullmatch(value) is not None


def is_json(value: Any, deepest: int = DEEPEST) -> bool:
    """Whether a value can be written as JSON in UTF-8, finite and not too deep.

    >>> is_json({"a": [1, None]}), is_json({"a": "\\ud800"}), is_json(float("nan"))
    (True, False, False)
    """
    level = [value]
    for _ in range(deepest):
        inner = [
            one.values() if isinstance(one, dict) else one for one in level if isinstance(one, (dict, list, tuple))
        ]
        level = [one for values in inner for one in values]
    if level:
        return False
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except (TypeError, ValueError):
        return False
    return True
