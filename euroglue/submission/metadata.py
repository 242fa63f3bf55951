# SPDX-License-Identifier: Apache-2.0
"""``metadata.json`` of a submission: which model, how it was run, and the data of each task."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from euroglue import strict_json
from euroglue.results import LONGEST_LINK, LONGEST_NAME, METHODS, MOST, NAME, PAPERS
from euroglue.strangers import DEEPEST, is_address, is_json, is_line

METADATA = "metadata.json"
LONGEST_DESCRIPTION = 2000
SUBMITTED = tuple(method for method in METHODS if method != PAPERS)
"""The methods that a submission may name."""


class Problem(NamedTuple):
    """One thing wrong with a submission: in which file, on which line (0: the file as a whole), and what."""

    file: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.file}{f', line {self.line}' if self.line else ''}: {self.what}"


@dataclass(frozen=True, kw_only=True)
class TaskData:
    """On what a task's predictions were made: the edition, and the fingerprint of its prepared data (empty: not known)."""

    edition: str = ""
    data: str = ""


@dataclass(frozen=True, kw_only=True)
class Metadata:
    """Who predicted and on what; the fields are those of ``euroglue.results.Record``, and a ``description`` in words.

    ``tasks`` maps each task to its data.
    """

    suite: str
    model: str
    method: str
    tasks: Mapping[str, TaskData]
    split: str = "test"
    revision: str = ""
    shots: int | None = None
    seed: int | None = None
    parameters: int | None = None
    link: str = ""
    description: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> str:
        """The text of ``metadata.json``."""
        return strict_json.dumps(asdict(self), indent=1) + "\n"


def _text(longest: int) -> Callable[[Any], bool]:
    return lambda value: is_line(value, longest)


def _count(least: int) -> Callable[[Any], bool]:
    return lambda value: (
        value is None or (isinstance(value, int) and not isinstance(value, bool) and least <= value <= MOST)
    )


def _link(value: Any) -> bool:
    return value == "" or is_address(value, LONGEST_LINK)


def _data(value: Any) -> bool:
    known = isinstance(value, dict) and not set(value) - {"edition", "data"} and all(map(_text(100), value.values()))
    return known and NAME.fullmatch(value.get("edition", "")) is not None


def _settings(value: Any) -> bool:
    return isinstance(value, dict) and is_json(value) and len(json.dumps(value, ensure_ascii=False)) <= 10_000


_FIELDS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "suite": (_text(100), "the suite's name"),
    "model": (
        lambda value: _text(LONGEST_NAME)(value) and bool(value.strip()),
        "a name of at most 200 characters, none of them unseen",
    ),
    "method": (lambda value: value in SUBMITTED, f"one of {', '.join(SUBMITTED)}"),
    "tasks": (
        lambda value: isinstance(value, dict) and all(map(_data, value.values())),
        'an object of tasks, such as {"TASK": {"edition": "official", "data": FINGERPRINT}}',
    ),
    "split": (lambda value: _text(100)(value) and bool(value and NAME.fullmatch(value)), "a split, such as test"),
    "revision": (_text(LONGEST_NAME), "a text of at most 200 characters"),
    "shots": (_count(0), "a whole number or null"),
    "seed": (_count(0), "a whole number or null"),
    "parameters": (_count(1), "a whole number of at least 1, or null"),
    "link": (_link, "an address that begins with http:// or https:// and a host, or nothing"),
    "description": (_text(LONGEST_DESCRIPTION), "a text of at most 2,000 characters, on one line"),
    "settings": (_settings, f"an object of at most 10,000 characters, nested at most {DEEPEST} deep"),
}
REQUIRED = ("suite", "model", "method", "tasks")


def parse_metadata(text: str) -> tuple[Metadata | None, list[Problem]]:
    """Read ``metadata.json``; without a problem there is metadata.

    >>> parse_metadata('{"suite": "dumb", "model": "", "method": "magic", "tasks": {}}')[1][0].what
    "model: expected a name of at most 200 characters, none of them unseen, got ''"
    """
    try:
        plain = strict_json.loads(text)
    except (ValueError, RecursionError) as error:
        return None, [Problem(METADATA, getattr(error, "lineno", 0), f"expected JSON ({error})"[:300])]
    if not isinstance(plain, dict):
        return None, [Problem(METADATA, 0, f"expected a JSON object, got {type(plain).__name__}")]
    found = [
        f"unknown field {name[:60]!r}; known: {', '.join(_FIELDS)}" for name in sorted(plain) if name not in _FIELDS
    ]
    found += [f"{name}: missing; expected {_FIELDS[name][1]}" for name in REQUIRED if name not in plain]
    for name, (fits, expected) in _FIELDS.items():
        if name in plain and not fits(plain[name]):
            found.append(f"{name}: expected {expected}, got {plain[name]!r}"[:300])
    if found:
        return None, [Problem(METADATA, 0, what) for what in found]
    tasks = {name: TaskData(**about) for name, about in plain.pop("tasks").items()}
    return Metadata(tasks=tasks, **plain), []
