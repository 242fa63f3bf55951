# SPDX-License-Identifier: Apache-2.0
"""Tables of results, system by task: those that were published with a benchmark, and those in a user's file.

The file is one JSON object::

    {"suite": "dumb", "baseline": "BERTje base", "systems": [
      {"name": "BERTje base", "scores": {"dpr": 0.658, "dbrd": 0.933},
       "factors": {"language": "dutch", "model": "bert", "size": "base"}}]}

Scores are from 0 to 1. ``factors`` are what tells systems apart, under any names. ``source``, and of a system
``model_id``, ``parameters`` (their number), ``later`` (published after the paper) and ``trivial`` (a majority or random
baseline, which no analysis counts as a system), may be left out.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from euroglue import strict_json
from euroglue.errors import FormatError, PredictionError
from euroglue.frozen import Frozen
from euroglue.registry import Registry
from euroglue.scoring.rer import reductions, share

PUBLISHED: Registry[str] = Registry("published table of results")
"""Suite → ``package/file`` of the published results."""

PUBLISHED.register("bgglue", "euroglue.scoring/published/bgglue.json")
PUBLISHED.register("dumb", "euroglue.scoring/published/dumb.json")


@dataclass(frozen=True)
class System:
    """One row: the scores (0–1) of a system by task, and what kind of system it is."""

    name: str
    scores: Mapping[str, float]
    factors: Mapping[str, str] = field(default_factory=dict)
    model_id: str = ""
    later: bool = False
    parameters: int | None = None
    trivial: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "scores", Frozen(self.scores))
        object.__setattr__(self, "factors", Frozen(self.factors))


@dataclass(frozen=True)
class ResultsTable:
    """The results of several systems, one of which is the ``baseline`` of relative error reductions.

    Raises:
        FormatError: a name occurs twice, or the baseline is none of the systems or has no scores.
    """

    suite: str
    baseline: str
    systems: tuple[System, ...]
    source: str = ""

    def __post_init__(self) -> None:
        twice = [name for name, count in Counter(system.name for system in self.systems).items() if count > 1]
        if twice:
            raise FormatError(f"systems occur more than once: {', '.join(twice)}")
        if self.baseline not in {system.name for system in self.systems}:
            known = ", ".join(system.name for system in self.systems)
            raise FormatError(f"the baseline {self.baseline!r} is none of the systems: {known or 'there are none'}")
        if not self.base.scores:
            raise FormatError(f"the baseline {self.baseline!r} has no score of any task")

    @property
    def base(self) -> System:
        """The baseline."""
        return next(system for system in self.systems if system.name == self.baseline)

    @property
    def tasks(self) -> tuple[str, ...]:
        """The baseline's tasks, in its order: those that have a reduction."""
        return tuple(self.base.scores)

    @property
    def complete(self) -> tuple[System, ...]:
        """The systems that have a score for every task."""
        return tuple(system for system in self.systems if all(task in system.scores for task in self.tasks))

    def reductions(self, system: System) -> dict[str, float]:
        """The relative error reduction of each of the table's tasks that the system has a score for.

        Raises:
            PredictionError: a task of the system is not among the baseline's, or the baseline makes no errors.
        """
        try:
            found = reductions(system.scores, self.base.scores)
        except PredictionError as error:
            raise PredictionError(f"{system.name}: {error}") from error
        return {task: found[task] for task in self.tasks if task in found}

    def first_published(self) -> ResultsTable:
        """The table without the systems that were published later."""
        kept = tuple(system for system in self.systems if not system.later)
        return ResultsTable(self.suite, self.baseline, kept, self.source)

    @property
    def models(self) -> tuple[System, ...]:
        """The systems without the trivial baselines."""
        return tuple(system for system in self.systems if not system.trivial)


def published(suite: str) -> ResultsTable:
    """The results that were published with a suite.

    Raises:
        UnknownNameError: there are none.

    >>> table = published("dumb")
    >>> table.baseline, round(table.base.scores["dpr"], 3)
    ('BERTje base', 0.658)
    """
    package, _, name = PUBLISHED[suite].partition("/")
    return parse_results(files(package).joinpath(name).read_text(encoding="utf-8"), f"{suite}: published results")


def read_results(path: str | os.PathLike[str]) -> ResultsTable:
    """The results in a file.

    Raises:
        FormatError: it cannot be read, or is no table of results; the message says where and what was expected.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise FormatError(f"{path}: cannot be read ({error.strerror}); expected a JSON file of results") from error
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: not UTF-8 at byte {error.start}; write the file with encoding='utf-8'") from error
    return parse_results(text, str(path))


def parse_results(text: str, where: str) -> ResultsTable:
    """The results in a JSON text; ``where`` begins the messages.

    Raises:
        FormatError: it is no table of results.

    >>> text = '{"suite": "dumb", "baseline": "A", "systems": [{"name": "A", "scores": {"dpr": 0.6}}]}'
    >>> parse_results(text, "my table").tasks
    ('dpr',)
    """
    try:
        whole = strict_json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{where}: not JSON ({error})") from error
    try:
        _known(whole, "the table", {"suite": str, "baseline": str, "systems": list}, {"source": str})
        systems = tuple(_system(row, place) for place, row in enumerate(whole["systems"]))
        return ResultsTable(whole["suite"], whole["baseline"], systems, whole.get("source", ""))
    except FormatError as error:
        raise FormatError(f"{where}: {error}") from error


def _system(row: Any, place: int) -> System:
    what = f"system {place}"
    optional = {"factors": dict, "model_id": str, "later": bool, "parameters": int, "trivial": bool}
    _known(row, what, {"name": str, "scores": dict}, optional)
    try:
        scores = {task: share(score, f"{row['name']}, {task}") for task, score in row["scores"].items()}
    except PredictionError as error:
        raise FormatError(str(error)) from error
    for factor, level in row.get("factors", {}).items():
        if not isinstance(level, str) or not level:
            raise FormatError(f"{row['name']}: expected a text as the factor {factor!r}, got {level!r}")
    return System(**{name: row[name] for name in ("name", *optional) if name in row}, scores=scores)


def _known(row: Any, what: str, required: Mapping[str, type], optional: Mapping[str, type]) -> None:
    """Refuse what is no object, lacks a required field, has an unknown one, or one of a wrong type."""
    if not isinstance(row, dict):
        raise FormatError(f"{what}: expected an object, got {type(row).__name__}")
    fields = {**required, **optional}
    if missing := [name for name in required if name not in row]:
        raise FormatError(f"{what}: {', '.join(missing)} missing; expected {', '.join(fields)}")
    if unknown := [name for name in row if name not in fields]:
        raise FormatError(f"{what}: unknown fields {', '.join(unknown)}; expected {', '.join(fields)}")
    for name, value in row.items():
        if not isinstance(value, fields[name]):
            raise FormatError(
                f"{what}: expected {fields[name].__name__} as {name!r}, got {value!r} ({type(value).__name__})"[:300]
            )
