# SPDX-License-Identifier: Apache-2.0
"""The errors a user can cause. Each message is one line: what, where, expected, got, what to do."""

from __future__ import annotations

import reprlib
import unicodedata
from typing import Any

LONGEST = 1200
"""The characters of a message at most; what raw files hold may be megabytes."""


def shortened(message: str) -> str:
    """The message, or its beginning and end where it is longer than ``LONGEST``: what to do stands at the end.

    >>> len(shortened("x" * 10**6)), shortened("expected a label, got 'b'")
    (1200, "expected a label, got 'b'")
    """
    if len(message) <= LONGEST:
        return message
    end = LONGEST // 3
    gap = " … "
    return message[: LONGEST - end - len(gap)] + gap + message[-end:]


def one_line(message: str) -> str:
    """The message as one line that a terminal can show: control characters, which raw files may hold, are spelt out.

    >>> print(one_line("got 'a\\x1b[31m'\\nmend it"))
    got 'a\\x1b[31m' mend it
    """
    spelt = "".join(
        character.encode("unicode_escape").decode() if unicodedata.category(character) in ("Cc", "Cf") else character
        for character in " ".join(shortened(message).splitlines())
    )
    return shortened(spelt)


_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 60


def shown(value: Any) -> str:
    """A value from strangers as a message shows it: its ``repr`` on one line, cut where it is long or nested deeply.

    >>> shown("yes"), shown([[[[[[[[1]]]]]]]]), len(shown("x" * 10**6))
    ("'yes'", '[[[[[[[...]]]]]]]', 60)
    """
    try:
        text = _SHORT.repr(value)
    except ValueError:  # a whole number of more digits than Python turns into text
        text = f"a {type(value).__name__} of very many digits"
    return one_line(text)[:200]


class EuroglueError(ValueError):
    """A mistake that the user can mend: shown as one line by the command line, which then exits with 2."""

    def __init__(self, message: str = ""):
        super().__init__(shortened(message))


class UnknownNameError(EuroglueError, LookupError):
    """A name that no registry holds; the message lists the nearest names."""


class RawFileError(EuroglueError):
    """A raw file is missing, truncated, empty, hostile or differs from the published one."""


class MissingRawFileError(RawFileError):
    """A raw file is in none of the places looked at."""


class FormatError(EuroglueError):
    """A raw file or a prediction file breaks its format at a named line."""


class ContractError(EuroglueError):
    """Prepared rows break what the task's literal promises: features, labels, ids or counts."""


class PredictionError(EuroglueError):
    """Predictions or references that cannot be scored: wrong length, unknown label, duplicate id, hidden gold."""


class LicenceError(EuroglueError):
    """The terms of gated raw files are not accepted, or the record of acceptances cannot be read."""
