# SPDX-License-Identifier: Apache-2.0
"""Answers on disk: each is a line, written whole as it comes, so that a run that was killed goes on where it was."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from euroglue import strict_json
from euroglue.errors import EuroglueError, FormatError
from euroglue.prompting.request import Answer, Request


def digest(request: Request) -> str:
    """What tells a request from any other: 16 hex digits over all that the model reads and is told."""
    plain = {one.name: getattr(request, one.name) for one in dataclasses.fields(request)}
    plain["schema"] = None if request.schema is None else dict(request.schema)
    text = json.dumps(plain, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class AnswerFile:
    """The answers of one run, an append-only file of JSON lines; its first line says whose answers they are.

    Only one process may have it open. A last line that was cut off (by a kill, or a full disk) is removed when it is
    opened again.

    Args:
        path: the file; folders are made.
        about: what the answers hang on: model, revision, prompt, fingerprint of the data, …

    Raises:
        EuroglueError: the file holds answers of another run, or another process has it open.
        FormatError: a line that was written whole is not an answer.
    """

    def __init__(self, path: str | os.PathLike[str], about: Mapping[str, Any]):
        self.path, self.about = Path(path), json.loads(json.dumps(dict(about), allow_nan=False))
        self._held: dict[str, tuple[str, int]] = {}

    def __enter__(self) -> AnswerFile:
        from filelock import FileLock, Timeout

        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = FileLock(f"{self.path}.lock", timeout=0)
        try:
            self._lock.acquire()
        except Timeout as error:
            raise EuroglueError(
                f"{self.path}: another process writes its answers here; wait for it, or stop it"
            ) from error
        try:
            self._file = open(self.path, "a+b")
            self._load()
        except BaseException:
            self._lock.release()
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        self._file.close()
        self._lock.release()

    def _load(self) -> None:
        """Note which answers are there and where; cut off a torn last line."""
        self._file.seek(0)
        place = 0
        for number, line in enumerate(self._file, 1):
            if not line.endswith(b"\n"):
                break
            row = self._parsed(line, number)
            if number == 1:
                self._check(row)
            else:
                self._held[row["id"]] = (row["request"], place)
            place += len(line)
        self._file.truncate(place)
        if not place:
            self._write({"about": self.about})

    def _parsed(self, line: bytes, number: int) -> dict[str, Any]:
        try:
            row = json.loads(line)
            whole = isinstance(row, dict) and (number == 1 or {"id", "request", "text", "scores"} <= set(row))
        except ValueError:
            whole = False
        if not whole:
            raise FormatError(f"{self.path}, line {number}: expected an answer in JSON; remove the line, or the file")
        return row

    def _check(self, row: Mapping[str, Any]) -> None:
        held = row.get("about")
        if held != self.about:
            other = held if isinstance(held, dict) else {}
            names = sorted(name for name in {*other, *self.about} if other.get(name) != self.about.get(name))
            raise EuroglueError(
                f"{self.path} holds the answers of another run ({', '.join(names)}): name another folder"
            )

    def _write(self, row: Mapping[str, Any]) -> None:
        self._file.seek(0, os.SEEK_END)
        self._file.write(strict_json.dumps(row).encode("utf-8", "replace") + b"\n")
        self._file.flush()

    def __contains__(self, request: Request) -> bool:
        """Whether this very request was answered; one of the same id that asks something else is not this one."""
        return self._held.get(request.id, ("", 0))[0] == digest(request)

    def __len__(self) -> int:
        return len(self._held)

    def add(self, request: str, answer: Answer) -> None:
        """Write an answer to the request of a digest; an answer of the same id that is there counts no more."""
        scores = None if answer.scores is None else {word: _finite(score) for word, score in answer.scores.items()}
        self._file.seek(0, os.SEEK_END)
        place = self._file.tell()
        self._write({"id": answer.id, "request": request, "text": answer.text, "scores": scores})
        self._held[answer.id] = (request, place)

    def get(self, key: str) -> Answer:
        """The answer of an id.

        Raises:
            EuroglueError: there is none.
        """
        if key not in self._held:
            raise EuroglueError(f"{self.path}: there is no answer of {key!r}")
        self._file.seek(self._held[key][1])
        row = json.loads(self._file.readline())
        scores = row["scores"]
        if scores is not None:
            scores = {word: math.nan if score is None else score for word, score in scores.items()}
        return Answer(id=key, text=row["text"], scores=scores)

    def __iter__(self) -> Iterator[Answer]:
        return map(self.get, self._held)


def _finite(score: float) -> float | None:
    """The score, or None for one that is no number; minus infinity is the least float."""
    if score != score:
        return None
    return max(min(float(score), 1e300), -1e300)
