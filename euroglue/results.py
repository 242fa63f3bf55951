# SPDX-License-Identifier: Apache-2.0
"""The results store: one file for what one model did on one task, however it was run.

A store is a folder: ``SUITE/TASK/NAME.json`` holds a ``Record``. ``NAME.rows.json`` beside it, where there is one, holds
the metric's rows by example id, from which intervals and tests follow; it tells which examples were right and stays
private. Files are written whole; two stores are merged by their union.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from euroglue import strict_json
from euroglue.errors import EuroglueError, FormatError, shown
from euroglue.finite import is_finite
from euroglue.frozen import Frozen
from euroglue.scoring.comparable import differences
from euroglue.scoring.signature import parse_signature
from euroglue.strangers import DEEPEST, is_address, is_json, is_line

PAPERS = "as published"
METHODS = ("fine-tuned", "prompted", "baseline", "submitted", PAPERS)
"""How a model came to its predictions: the closed list."""
KEY = ("suite", "task", "model", "revision", "edition", "split", "method", "shots", "seed", "variant")
"""What tells two records apart; two records of one key with different content contradict each other."""
TEXTS = ("suite", "task", "model", "primary", "signature", "revision", "edition", "split", "variant", "link")
ROWS, LOCK = ".rows.json", ".lock"
NAME = re.compile(r"(?:[A-Za-z0-9]+(?:[-_.][A-Za-z0-9]+)*)?", re.ASCII)
"""Editions and splits, which pages and files are named after; empty for none."""
MOST = 2**53
"""No count is larger: beyond it not every reader of JSON keeps whole numbers."""
SAME = 1e-6
"""Scores that differ by no more are the same."""
LONGEST_NAME, LONGEST_LINK = 200, 2000
"""The most characters of a model's name or revision, and of its link."""
LONGEST_ERROR = 1000


class ConflictError(EuroglueError):
    """Two records of the same run say different things."""


@dataclass(frozen=True, kw_only=True)
class Record:
    """What one model did on one task.

    Attributes:
        suite: the suite's name.
        task: the task's name in it.
        model: a Hub id, a folder's name or a system's name: text from strangers, to be escaped wherever it is shown.
        method: one of ``METHODS``.
        primary: the key of the published number among ``scores``.
        scores: plain finite floats, 0–1 where the metric has that range, under flat keys.
        n: examples scored.
        signature: how the numbers were computed; its part ``data`` is the fingerprint of the prepared data.
        revision: the model's commit or version.
        edition: the edition of the data.
        split: the split scored.
        shots: examples shown in the prompt; None if the model was not prompted.
        seed: of training or of the shots; None if there is none.
        variant: what else tells two runs of a model apart, such as the prompts; empty for the usual one.
        parameters: the number of the model's parameters.
        link: the model's page, http or https.
        intervals: score key → (low, high), at the level that ``settings`` name.
        settings: what was chosen, such as the learning rate or the prompt's hash.
        warnings: what the metric said.
    """

    suite: str
    task: str
    model: str
    method: str
    primary: str
    scores: Mapping[str, float]
    n: int
    signature: str
    revision: str = ""
    edition: str = ""
    split: str = "test"
    shots: int | None = None
    seed: int | None = None
    variant: str = ""
    parameters: int | None = None
    link: str = ""
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    warnings: Sequence[str] = ()

    def __post_init__(self) -> None:
        self._check_texts()
        self._check_numbers()
        parse_signature(self.signature)
        if not is_json(dict(self.settings)):
            raise self._wrong("settings", f"values that JSON can hold, nested at most {DEEPEST} deep", self.settings)
        settings = json.loads(json.dumps(dict(self.settings), allow_nan=False))
        intervals = {key: (float(low), float(high)) for key, (low, high) in self.intervals.items()}
        object.__setattr__(self, "scores", Frozen({key: float(score) for key, score in self.scores.items()}))
        object.__setattr__(self, "intervals", Frozen(intervals))
        object.__setattr__(self, "settings", Frozen(settings))
        object.__setattr__(self, "warnings", tuple(self.warnings))

    def _wrong(self, what: str, expected: str, got: Any) -> FormatError:
        about = f"result of {self.model!r} on {self.suite}/{self.task}"
        return FormatError(f"{about}: {what}: expected {expected}, got {shown(got)}"[:LONGEST_ERROR])

    def _check_texts(self) -> None:
        for name in TEXTS:
            if not isinstance(getattr(self, name), str):
                raise self._wrong(name, "a text", getattr(self, name))
        for name in ("suite", "task"):
            if not re.fullmatch(r"[a-z0-9]+([-_][a-z0-9]+)*", getattr(self, name)):
                raise self._wrong(name, "lower-case letters, digits and single hyphens", getattr(self, name))
        for name in ("edition", "split"):
            text, expected = getattr(self, name), "at most 100 letters, digits and single hyphens, dots or underscores"
            if len(text) > 100 or not NAME.fullmatch(text):
                raise self._wrong(name, expected, text[:200])
        for name in ("model", "revision", "variant", "link"):
            text, longest = getattr(self, name), LONGEST_LINK if name == "link" else LONGEST_NAME
            if not is_line(text, longest):
                raise self._wrong(name, f"at most {longest} printable characters, none of them unseen", text[:longest])
        if not self.model.strip():
            raise self._wrong("model", "a name", self.model)
        if self.method not in METHODS:
            raise self._wrong("method", f"one of {', '.join(METHODS)}", self.method)
        if self.link and not is_address(self.link, LONGEST_LINK):
            raise self._wrong("link", "an address that begins with http:// or https://", self.link)

    def _check_numbers(self) -> None:
        for name, low in (("n", 0), ("shots", 0), ("seed", 0), ("parameters", 1)):
            value = getattr(self, name)
            optional = value is None and name != "n"
            whole = isinstance(value, int) and not isinstance(value, bool) and low <= value <= MOST
            if not optional and not whole:
                got = "one beyond" if isinstance(value, int) and abs(value) > MOST else value
                raise self._wrong(name, f"a whole number of at least {low}, at most {MOST:,}", got)
        for key, score in self.scores.items():
            if not is_finite(score):
                raise self._wrong(f"score {key}", "a finite number", score)
        if not all(is_json(value, 2) for value in (dict(self.scores), list(self.warnings))):
            raise self._wrong("scores and warnings", "keys and texts that UTF-8 can hold", list(self.scores))
        if self.primary not in self.scores:
            raise self._wrong("primary", f"one of {', '.join(self.scores) or 'no scores'}", self.primary)
        for key, interval in self.intervals.items():
            if len(interval) != 2 or not all(map(is_finite, interval)) or interval[0] > interval[1]:
                raise self._wrong(f"interval {key}", "two finite numbers, the lower first", interval)

    @property
    def key(self) -> tuple[Any, ...]:
        """The values of ``KEY``."""
        return tuple(getattr(self, name) for name in KEY)

    @property
    def value(self) -> float:
        """The published number."""
        return self.scores[self.primary]

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the data that was scored, as the signature has it; empty if it has none."""
        return parse_signature(self.signature).get("data", "")

    def to_dict(self) -> dict[str, Any]:
        """The record as plain values that JSON can hold."""
        plain = {one.name: getattr(self, one.name) for one in dataclasses.fields(self)}
        plain["scores"], plain["settings"] = dict(self.scores), dict(self.settings)
        plain["intervals"] = {key: list(interval) for key, interval in self.intervals.items()}
        plain["warnings"] = list(self.warnings)
        return plain

    @classmethod
    def from_dict(cls, plain: Any, where: str = "result") -> Record:
        """Read a record back; the inverse of ``to_dict``.

        Raises:
            FormatError: a field is missing, unknown or out of range; ``where`` begins the message.
        """
        if not isinstance(plain, dict):
            raise FormatError(f"{where}: expected a JSON object, got {type(plain).__name__}")
        fields = {one.name: one for one in dataclasses.fields(cls)}
        if unknown := sorted(set(plain) - set(fields)):
            raise FormatError(f"{where}: unknown fields: {', '.join(unknown)}")
        required = [n for n, one in fields.items() if one.default is one.default_factory is dataclasses.MISSING]
        if missing := [name for name in required if name not in plain]:
            raise FormatError(f"{where}: missing fields: {', '.join(missing)}")
        for name, shape in (("scores", dict), ("intervals", dict), ("settings", dict), ("warnings", (list, tuple))):
            if name in plain and not isinstance(plain[name], shape):
                raise FormatError(f"{where}: {name}: got {type(plain[name]).__name__}")
        try:
            return cls(**plain)
        except (FormatError, TypeError, ValueError) as error:
            raise FormatError(f"{where}: {error}") from error


class ResultStore:
    """A folder of records."""

    def __init__(self, root: str | os.PathLike[str]):
        self.root = Path(root)

    @classmethod
    def existing(cls, root: str | os.PathLike[str]) -> ResultStore:
        """The store in a folder that is there.

        Raises:
            EuroglueError: it is not.
        """
        if not Path(root).is_dir():
            raise EuroglueError(f"{root}: expected a folder of results, there is none")
        return cls(root)

    def path(self, record: Record) -> Path:
        """Where the record lies: a readable name and a digest of its key, so that no name can leave the folder."""
        digest = hashlib.sha256(json.dumps(record.key, ensure_ascii=False).encode("utf-8")).hexdigest()[:12]
        readable = re.sub(r"[^A-Za-z0-9]+", "-", record.model).strip("-")[:60].lower() or "model"
        return self.root / record.suite / record.task / f"{readable}--{digest}.json"

    def add(self, record: Record, rows: Mapping[str, Sequence[float]] | None = None, *, replace: bool = False) -> Path:
        """Write a record and, if given, the metric's rows by example id.

        A record of the same key that is there already is completed (see ``united``). Several processes may add at once:
        each sees what another has added.

        Raises:
            ConflictError: the store holds a record of the same key that says otherwise; ``replace`` takes the new one.
            FormatError: the file that is there is spoilt; ``replace`` takes the new one.
        """
        from filelock import FileLock

        self.root.mkdir(parents=True, exist_ok=True)
        with FileLock(self.root / LOCK):
            return self._add(record, rows, replace)

    def _add(self, record: Record, rows: Mapping[str, Sequence[float]] | None, replace: bool) -> Path:
        path = self.path(record)
        held = self.get(path) if path.is_file() and not replace else None
        if held is not None:
            record = united(held, record, f"{path}: ")
        beside = path.with_name(path.stem + ROWS)
        if rows is None and held is None:
            beside.unlink(missing_ok=True)
        if rows is not None:
            plain = {str(example): [float(value) for value in row] for example, row in rows.items()}
            strict_json.write(beside, plain, indent=None)
        if held != record:
            strict_json.write(path, record.to_dict())
        return path

    def get(self, path: Path) -> Record:
        """The record in a file.

        Raises:
            FormatError: it is not valid, or does not lie where its key belongs: a copy would count twice.
        """
        record = Record.from_dict(strict_json.read(path), str(path))
        if path != self.path(record):
            raise FormatError(f"{path}: expected this result at {self.path(record)}: remove the copy, or move it there")
        return record

    def __iter__(self) -> Iterator[Record]:
        for path in self.paths():
            yield self.get(path)

    def paths(self) -> list[Path]:
        """The files of all records, sorted."""
        return sorted(path for path in self.root.glob("*/*/*.json") if not path.name.endswith(ROWS))

    def find(self, **fields: Any) -> Iterator[Record]:
        """The records whose fields have these values, such as ``suite="dumb", method="prompted"``."""
        return (record for record in self if all(getattr(record, name) == value for name, value in fields.items()))

    def rows(self, record: Record) -> dict[str, list[float]] | None:
        """The metric's rows by example id, or None where they were not kept."""
        path = self.path(record)
        beside = path.with_name(path.stem + ROWS)
        if not beside.is_file():
            return None
        rows = strict_json.read(beside)
        lists = isinstance(rows, dict) and all(
            isinstance(row, list) and all(map(is_finite, row)) for row in rows.values()
        )
        if not lists or len(rows) != record.n or len({len(row) for row in rows.values()}) != 1:
            raise FormatError(
                f"{beside}: expected a list of numbers for each of {record.n} examples, all of one length"
            )
        return rows

    def checked_rows(self, record: Record) -> dict[str, list[float]] | None:
        """The rows, whose score by the task's metric is that of the record; None where they were not kept.

        Raises:
            FormatError: they give another score, or none.
        """
        import numpy as np

        from euroglue.registry import find_task
        from euroglue.scoring import metric_for

        if (rows := self.rows(record)) is None:
            return None
        try:
            metric = metric_for(find_task(record.suite, record.task))
            found = metric.summarise(np.array(list(rows.values()), dtype=float)).scores[record.primary]
        except (ArithmeticError, LookupError, ValueError):
            found = math.nan
        if not math.isclose(found, record.value, rel_tol=0, abs_tol=SAME):
            path, told = self.path(record), "these give no score" if math.isnan(found) else f"these score {found:.6f}"
            raise FormatError(
                f"{path.with_name(path.stem + ROWS)}: expected rows that score {record.value:.6f}, {told}; "
                "remove the file, or add the result again with --replace"
            )
        return rows

    def merge(self, other: ResultStore) -> list[str]:
        """Take over every record that is not here; returns a sentence for each that contradicts one that is, left as it is."""
        conflicts = []
        for path in other.paths():
            record = other.get(path)
            try:
                self.add(record, other.rows(record))
            except ConflictError as error:
                conflicts.append(str(error))
        return conflicts


def united(held: Record, other: Record, where: str = "") -> Record:
    """One record of two of the same key, with what either of them says: settings, size, link, intervals, warnings.

    Raises:
        ConflictError: they say different things; ``where`` begins the message.
    """
    one, two = held.settings, other.settings
    agreed = {
        "scores": held.scores == other.scores and held.primary == other.primary and held.n == other.n,
        "signature": not differences(held.signature, other.signature),
        "settings": all(two[name] == value for name, value in one.items() if name in two),
        "parameters": None in (held.parameters, other.parameters) or held.parameters == other.parameters,
        "link": "" in (held.link, other.link) or held.link == other.link,
    }
    if not all(agreed.values()):
        raise ConflictError(
            f"{where}{contradiction(held, other)}; take the new one (--replace), or call its model otherwise"
        )
    with_intervals = held if held.intervals or not other.intervals else other
    return dataclasses.replace(
        held,
        signature=with_intervals.signature,
        intervals=with_intervals.intervals,
        settings={**two, **one},
        parameters=held.parameters or other.parameters,
        link=held.link or other.link,
        warnings=tuple(dict.fromkeys([*held.warnings, *other.warnings])),
    )


def contradiction(held: Record, other: Record) -> str:
    """In what two records of one key differ, in one sentence."""
    one, two = held.to_dict(), other.to_dict()
    for name in one["settings"].keys() & two["settings"].keys():
        if one["settings"][name] == two["settings"][name]:
            del one["settings"][name], two["settings"][name]
    differing = [f"{name} is {one[name]!r} and {two[name]!r}"[:300] for name in one if one[name] != two[name]]
    return f"two results of {held.model!r} on {held.suite}/{held.task} ({held.split}) differ: {'; '.join(differing)}"
