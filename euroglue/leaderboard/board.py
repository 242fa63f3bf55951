# SPDX-License-Identifier: Apache-2.0
"""A leaderboard: the entries of one suite, their cells by task, averages, ranks and marks."""

from __future__ import annotations

import hashlib
import math
import re
import statistics
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from euroglue.errors import PredictionError
from euroglue.leaderboard.published_records import published_records
from euroglue.scoring import metric_for
from euroglue.scoring.aggregate import mean
from euroglue.scoring.rer import reductions
from euroglue.scoring.results_table import PUBLISHED, published
from euroglue.scoring.standings import standings

if TYPE_CHECKING:
    from euroglue.results import Record
    from euroglue.task import Suite, Task

SHADES = 5
"""Into how many classes the cells of a column fall, by their order."""

Same = Callable[["Task", Sequence["Record"], Mapping[int, Sequence["Record"]]], Collection[int]]
"""Of a task, the best entry's records, and the others' by number: the numbers of those that do not differ from it."""


@dataclass(frozen=True, kw_only=True)
class Cell:
    """What an entry reached on one task: the mean over its seeds.

    ``spread`` is their standard deviation, None for one seed; ``low`` and ``high`` are the ends of a single seed's
    interval. ``best`` marks the column's best, ``same`` those that cannot be told from it, ``below`` those below the best
    trivial baseline; ``shade`` is a class from 0, the lowest of the column, to ``SHADES − 1``.
    """

    value: float
    records: tuple[Record, ...]
    spread: float | None = None
    low: float | None = None
    high: float | None = None
    best: bool = False
    same: bool = False
    below: bool = False
    shade: int = 0


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One row: a model, run in one way.

    ``rank`` is its place, None for what is not ranked: a trivial baseline, or an entry that lacks a task; averages are
    None there too. ``rer`` are relative error reductions by task; ``published`` says that the numbers are a paper's.
    """

    model: str
    revision: str
    variant: str
    method: str
    shots: int | None
    parameters: int | None
    link: str
    published: bool
    cells: Mapping[str, Cell]
    mean: float | None = None
    rer: Mapping[str, float] = field(default_factory=dict)
    mean_rer: float | None = None
    mean_rank: float | None = None
    rank: int | None = None

    @property
    def trivial(self) -> bool:
        """Whether it is a majority or random baseline rather than a model."""
        return self.method == "baseline"

    @property
    def slug(self) -> str:
        """The name of the model's page: readable, and distinct by a digest."""
        readable = re.sub(r"[^a-z0-9]+", "-", self.model.lower()).strip("-")[:50] or "model"
        return f"{readable}-{hashlib.sha256(self.model.encode('utf-8')).hexdigest()[:8]}"


@dataclass(frozen=True, kw_only=True)
class Board:
    """All entries of a suite on one edition of its data, the best first.

    ``edition`` is empty for each task's default edition and what was published. ``order`` says what ranks: ``mean`` or
    ``rer``. ``baseline`` names the entry that relative error reductions are measured against, empty if there is none.
    """

    suite: Suite
    edition: str
    entries: tuple[Entry, ...]
    order: str
    baseline: str = ""
    source: str = ""
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of its page and files."""
        return f"{self.suite.name}-{self.edition}" if self.edition else self.suite.name

    @property
    def title(self) -> str:
        """The suite's title, and the edition where it is not the default one."""
        return f"{self.suite.title}, {self.edition}" if self.edition else self.suite.title

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The tasks that count."""
        return tuple(self.suite.tasks[name] for name in _tasks(self.suite))

    @property
    def ranked(self) -> tuple[Entry, ...]:
        """The entries that have a rank."""
        return tuple(entry for entry in self.entries if entry.rank is not None)


def make_boards(
    suite: Suite,
    records: Iterable[Record],
    *,
    split: str = "test",
    with_published: bool = True,
    baseline: str = "",
    same: Same | None = None,
) -> list[Board]:
    """The boards of a suite: one of the default editions, and one of each other edition that there are records of.

    Args:
        suite: the suite; ``expected`` names the tasks that an entry must have to be ranked.
        records: results; those of other suites, tasks and splits are passed over.
        split: the split that counts.
        with_published: whether the published results are shown too.
        baseline: the model that relative error reductions are measured against; the published baseline by default, and
            where that model lacks a task.
        same: tells whether two entries differ; without it no cell is marked so.
    """
    known = set(_tasks(suite))
    mine = [r for r in records if r.suite == suite.name and r.task in known and r.split == split]
    editions: dict[str, list[tuple[Record, bool]]] = {"": []}
    if with_published:
        editions[""] += [(record, True) for record in published_records(suite)]
    for record in mine:
        default = record.edition in ("", suite.tasks[record.task].default_edition)
        editions.setdefault("" if default else record.edition, []).append((record, False))
    return [
        _board(suite, edition, found, baseline, same)
        for edition, found in sorted(editions.items())
        if found or not edition
    ]


def _board(suite: Suite, edition: str, found: Sequence[tuple[Record, bool]], baseline: str, same: Same | None) -> Board:
    lower = {name for name in _tasks(suite) if math.isinf(metric_for(suite.tasks[name]).high)}
    entries = _entries(found)
    base, base_scores = _baseline(suite, edition, entries, baseline)
    entries = [_averaged(suite, entry, base_scores) for entry in entries]
    entries = _mark(suite, entries, lower, same)
    order = "rer" if suite.aggregate == "rer" and base else "mean"
    return Board(
        suite=suite,
        edition=edition,
        entries=tuple(_ranked(suite, entries, lower, order)),
        order=order,
        baseline=base,
        source=published(suite.name).source if any(entry.published for entry in entries) else "",
        notes=tuple(_fingerprints(found)),
    )


def _entries(found: Sequence[tuple[Record, bool]]) -> list[Entry]:
    """Records of one model, revision, variant and method make an entry; its seeds make a cell.

    Prompts show their own number of examples on each task, so an entry may have several; where one task has results with
    several numbers of shots, each number makes an entry.
    """
    groups: dict[tuple[Any, ...], list[Record]] = {}
    for record, is_published in found:
        key = (is_published, record.model, record.revision, record.variant, record.method)
        groups.setdefault(key, []).append(record)
    return [
        _entry(records, is_published) for (is_published, *_), together in groups.items() for records in _apart(together)
    ]


def _apart(records: Sequence[Record]) -> list[list[Record]]:
    """The records together, or apart by their numbers of shots where a task has several."""
    if len({(record.task, record.shots) for record in records}) == len({record.task for record in records}):
        return [list(records)]
    by_shots: dict[int | None, list[Record]] = {}
    for record in records:
        by_shots.setdefault(record.shots, []).append(record)
    return list(by_shots.values())


def _entry(records: Sequence[Record], is_published: bool) -> Entry:
    first, shots = records[0], {record.shots for record in records}
    tasks: dict[str, list[Record]] = {}
    for record in records:
        tasks.setdefault(record.task, []).append(record)
    return Entry(
        model=first.model,
        revision=first.revision,
        variant=first.variant,
        method=first.method,
        shots=shots.pop() if len(shots) == 1 else None,
        parameters=max((record.parameters for record in records if record.parameters), default=None),
        link=next((record.link for record in records if record.link), ""),
        published=is_published,
        cells={name: _cell(of_task) for name, of_task in tasks.items()},
    )


def _cell(records: Sequence[Record]) -> Cell:
    values = [record.value for record in records]
    alone = records[0].intervals.get(records[0].primary) if len(records) == 1 else None
    low, high = alone or (None, None)
    spread = statistics.stdev(values) if len(values) > 1 else None
    return Cell(value=mean(values), records=tuple(records), spread=spread, low=low, high=high)


def _baseline(suite: Suite, edition: str, entries: Sequence[Entry], name: str) -> tuple[str, dict[str, float]]:
    """The baseline of relative error reductions and its scores; none where it lacks a task."""
    chosen = next((entry for entry in entries if entry.model == name and len(entry.cells) == len(suite.expected)), None)
    if chosen is not None:
        return name, {task: cell.value for task, cell in chosen.cells.items()}
    if edition or suite.name not in PUBLISHED:
        return "", {}
    base = published(suite.name).base
    return base.name, dict(base.scores)


def _averaged(suite: Suite, entry: Entry, base: Mapping[str, float]) -> Entry:
    scores = {name: entry.cells[name].value for name in suite.expected if name in entry.cells}
    try:
        rer = reductions(scores, base) if base else {}
    except PredictionError:  # an error rate, or a baseline without errors, has no reduction
        rer = {}
    if entry.trivial:
        rer = {}
    whole = len(scores) == len(suite.expected)
    return replace(
        entry,
        mean=mean(list(scores.values())) if whole else None,
        rer=rer,
        mean_rer=mean(list(rer.values())) if whole and len(rer) == len(scores) else None,
    )


def _mark(suite: Suite, entries: Sequence[Entry], lower: set[str], same: Same | None) -> list[Entry]:
    cells: list[dict[str, Cell]] = [{} for _ in entries]
    for name in _tasks(suite):
        sign = -1 if name in lower else 1
        column = {place: entry.cells[name] for place, entry in enumerate(entries) if name in entry.cells}
        value = {place: sign * cell.value for place, cell in column.items()}
        models = {place for place in column if not entries[place].trivial}
        top = max((value[place] for place in models), default=None)
        best = {place for place in models if value[place] == top}
        floor = max((value[place] for place in column if place not in models), default=-math.inf)
        others = {place: column[place].records for place in models - best}
        close = same(suite.tasks[name], column[min(best)].records, others) if same and best else ()
        order = {number: place for place, number in enumerate(sorted(set(value.values())))}
        for place, cell in column.items():
            cells[place][name] = replace(
                cell,
                best=place in best,
                same=place in close,
                below=place in models and value[place] < floor,
                shade=order[value[place]] * SHADES // len(order),
            )
    return [replace(entry, cells=made) for entry, made in zip(entries, cells, strict=True)]


def _tasks(suite: Suite) -> list[str]:
    """The tasks that count and are known here."""
    return [name for name in suite.expected if name in suite.tasks]


def _ranked(suite: Suite, entries: Sequence[Entry], lower: set[str], order: str) -> list[Entry]:
    """In order: ranked ones first, then incomplete ones by how much they have, then trivial baselines."""

    def average(entry: Entry) -> float | None:
        return entry.mean_rer if order == "rer" else entry.mean

    whole = [entry for entry in entries if average(entry) is not None and not entry.trivial]
    table = {
        str(place): {name: (-1 if name in lower else 1) * entry.cells[name].value for name in suite.expected}
        for place, entry in enumerate(whole)
    }
    means = standings(table, "mean_rank").values if whole else {}
    keys = [-(average(entry) or 0.0) for entry in whole]
    first = {key: place for place, key in reversed(list(enumerate(sorted(keys), 1)))}
    placed = [replace(entry, mean_rank=means[str(place)], rank=first[keys[place]]) for place, entry in enumerate(whole)]
    rest = [entry for entry in entries if average(entry) is None or entry.trivial]
    rest.sort(key=lambda entry: (entry.trivial, -len(entry.cells), -(entry.mean or 0.0), entry.model))
    return [*sorted(placed, key=lambda entry: (entry.rank or 0, entry.model)), *rest]


def _fingerprints(found: Sequence[tuple[Record, bool]]) -> list[str]:
    """A sentence for each task whose results rest on different data."""
    seen: dict[str, set[str]] = {}
    for record, is_published in found:
        if not is_published and record.fingerprint:
            seen.setdefault(record.task, set()).add(record.fingerprint[:12])
    odd = {name: sorted(prints) for name, prints in sorted(seen.items()) if len(prints) > 1}
    return [
        f"{name}: results rest on {len(prints)} different preparations of the data ({', '.join(prints)})"
        for name, prints in odd.items()
    ]
