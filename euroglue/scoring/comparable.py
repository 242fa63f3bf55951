# SPDX-License-Identifier: Apache-2.0
"""Whether two scores may be compared: their signatures must say the same of metric, settings and data.

What is left open is the version's last number, what was scored (``system`` and its ``seed``) and how intervals were made.
"""

from __future__ import annotations

from collections.abc import Mapping

from euroglue.errors import EuroglueError
from euroglue.scoring.signature import parse_signature

OPEN = ("system", "seed")
"""Parts that say what was scored, not how."""
INTERVAL = "interval"
"""How the parts begin that say how intervals were made."""


def differences(one: str, other: str) -> list[str]:
    """In what two signatures differ that matters to a comparison, a phrase each; none if the scores are comparable.

    Versions are alike if their first two numbers are: the third changes no score.

    >>> differences("metric:mcc|n:10|data:ab|version:0.1.0", "metric:mcc|n:10|data:cd|version:0.1.3")
    ["data is 'ab' and 'cd'"]
    """
    first, second = (_comparable(text) for text in (one, other))
    keys = [*first, *(key for key in second if key not in first)]
    return [
        f"{key} is {_shown(first, key)} and {_shown(second, key)}" for key in keys if first.get(key) != second.get(key)
    ]


def check_comparable(one: str, other: str, what: str = "these results") -> None:
    """Refuse two scores whose signatures differ in what matters.

    Raises:
        EuroglueError: the message names every difference; ``what`` begins it.

    >>> check_comparable("metric:mcc|n:10", "metric:mcc|n:12")
    Traceback (most recent call last):
    euroglue.errors.EuroglueError: these results cannot be compared: n is '10' and '12'
    """
    if found := differences(one, other):
        raise EuroglueError(f"{what} cannot be compared: {'; '.join(found)}")


def _comparable(text: str) -> dict[str, str]:
    parts = parse_signature(text)
    kept = {key: value for key, value in parts.items() if key not in OPEN and not key.startswith(INTERVAL)}
    if "version" in kept:
        kept["version"] = ".".join(kept["version"].split(".")[:2])
    return kept


def _shown(parts: Mapping[str, str], key: str) -> str:
    return repr(parts[key]) if key in parts else "not given"
