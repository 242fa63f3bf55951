# SPDX-License-Identifier: Apache-2.0
"""The licence gate: terms that a user must sign before the raw files are read, and the record of who did so when."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from datetime import datetime, timezone
from pathlib import Path

from euroglue import strict_json
from euroglue.errors import LicenceError
from euroglue.prepare.scratch import home, make_folder
from euroglue.task import Gate, Task
from euroglue.version import __version__

VARIABLE = "EUROGLUE_ACCEPT_LICENCES"
"""``1`` accepts the terms of every task that is used; ``suite/task,suite/task`` those of the named ones."""


@dataclass(frozen=True)
class Acceptance:
    """That a user has signed and accepted the terms of a task.

    Attributes:
        licence: the licence's identifier.
        text_sha256: of the terms and the address where they are signed, 64 hex digits.
        accepted: the day, UTC, as ``YYYY-MM-DD``.
        version: of this package.
    """

    licence: str
    text_sha256: str
    accepted: str
    version: str

    def covers(self, task: Task) -> bool:
        """Whether these are the terms that the task has now."""
        return (self.licence, self.text_sha256) == (task.licence.id.value, text_hash(task))


def text_hash(task: Task) -> str:
    """The SHA-256 of what is accepted: the terms, a line feed, the address where they are signed; UTF-8."""
    return hashlib.sha256(f"{task.licence.terms}\n{task.licence.sign_at}".encode()).hexdigest()


def record_file() -> Path:
    """Where acceptances are kept: ``licences.json`` in the folder of ``euroglue.prepare.scratch.home``."""
    return home() / "licences.json"


def acceptances() -> dict[str, Acceptance]:
    """Every recorded acceptance by ``suite/task``; none where there is no record yet.

    Raises:
        LicenceError: the record cannot be read or holds something else.
    """
    file = record_file()
    try:
        found = strict_json.loads(file.read_text(encoding="utf-8"))
        if not isinstance(found, dict):
            raise TypeError(f"a {type(found).__name__}")
        return {path: _acceptance(path, entry) for path, entry in found.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError) as error:
        told = error.strerror if isinstance(error, OSError) else " ".join(str(error).split())
        raise LicenceError(
            f"{file}: expected a JSON object of accepted licences, got {told}; mend the file, or remove it and accept anew"
        ) from error


def _acceptance(path: str, entry: object) -> Acceptance:
    names = [field.name for field in fields(Acceptance)]
    if (
        not isinstance(entry, Mapping)
        or set(entry) != set(names)
        or not all(isinstance(v, str) for v in entry.values())
    ):
        raise TypeError(f"under {path!r} something else than the texts {', '.join(names)}")
    return Acceptance(**entry)


def acceptance(task: Task) -> Acceptance | None:
    """The recorded acceptance of the terms that the task has now, or None."""
    held = acceptances().get(task.path)
    return held if held is not None and held.covers(task) else None


def accept(task: Task) -> Acceptance:
    """Record that the user has signed and accepted the terms of a gated task; what is recorded already is kept.

    Safe under concurrent processes; the record appears whole or not at all.

    Raises:
        LicenceError: the task is open, so that there is nothing to accept, or the record cannot be read.
    """
    from filelock import FileLock

    if task.licence.gate is not Gate.FORM:
        raise LicenceError(f"{task.path}: its raw files are open, there is nothing to sign or accept")
    file = record_file()
    make_folder(file.parent)
    with FileLock(f"{file}.lock"):
        held = acceptances()
        if (known := held.get(task.path)) is not None and known.covers(task):
            return known
        day = datetime.now(timezone.utc).date().isoformat()
        made = Acceptance(task.licence.id.value, text_hash(task), day, __version__)
        plain = {path: asdict(one) for path, one in sorted({**held, task.path: made}.items())}
        strict_json.write(file, plain)
    return made


def named_by_variable(task: Task) -> bool:
    """Whether ``$EUROGLUE_ACCEPT_LICENCES`` accepts the terms of this task."""
    value = os.environ.get(VARIABLE, "").strip()
    return value == "1" or task.path in [name.strip() for name in value.split(",")]


def require(task: Task, edition: str | None = None) -> None:
    """Pass where a task's raw files may be read: they are open, ship with a package, or their terms are accepted.

    Terms accepted by ``$EUROGLUE_ACCEPT_LICENCES`` are recorded like any other.

    Args:
        edition: one whose files all ship with a package (the made-up sample) needs no acceptance.

    Raises:
        LicenceError: the terms are not accepted, or have changed since; the message says what to do.
    """
    if task.licence.gate is not Gate.FORM:
        return
    if edition is not None and task.edition(edition).made_up:
        return
    if named_by_variable(task):
        accept(task)
        return
    held = acceptances().get(task.path)
    if held is None:
        raise LicenceError(f"{task.path}: its licence ({task.licence.id.value}) is not accepted yet; {_advice(task)}")
    if not held.covers(task):
        raise LicenceError(
            f"{task.path}: its terms have changed since you accepted them {held.accepted}; {_advice(task)}"
        )


def _advice(task: Task) -> str:
    return (
        f"sign at {task.licence.sign_at}, then run: euroglue licences accept {task.suite} {task.name} "
        f"(where nobody can answer, add --yes, or set {VARIABLE}={task.path})"
    )


def state(task: Task) -> str:
    """How the raw files are had: ``open``, ``form: signed 2026-01-31``, ``form: not accepted yet`` or that terms changed.

    Raises:
        LicenceError: the record cannot be read.
    """
    if task.licence.gate is not Gate.FORM:
        return "open"
    held = acceptances().get(task.path)
    if held is None:
        return "form: not accepted yet"
    if not held.covers(task):
        return f"form: terms changed since {held.accepted}"
    return f"form: signed {held.accepted}"


def accept_all(tasks: Iterable[Task]) -> list[Acceptance]:
    """Record that the user has signed and accepted the terms of those of the tasks that are gated."""
    return [accept(task) for task in tasks if task.licence.gate is Gate.FORM]
