# SPDX-License-Identifier: Apache-2.0
"""Check a submission: unpack it safely and list everything that is wrong with it, by file and line."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from euroglue.errors import EuroglueError, FormatError, UnknownNameError, shown
from euroglue.predictions import NO_CHOICE, NUMBERS, UNREADABLE, Row, keys_of, parse_row
from euroglue.prepare.archive import Limits, unpack
from euroglue.registry import SUITES
from euroglue.submission.metadata import METADATA, Metadata, Problem, TaskData, parse_metadata
from euroglue.task import Kind

if TYPE_CHECKING:
    from euroglue.submission.reference import Reference
    from euroglue.task import Suite, Task

LIMITS = Limits(max_bytes=64 * 2**20, max_members=1000, max_ratio=1000, free_bytes=16 * 2**20)
"""A full submission of nine tasks unpacks to about 2 MB."""
MAX_ARCHIVE = 64 * 2**20
MAX_LINE = 2**18
MAX_METADATA = 2**20
SPARE_ROWS = 1000
SHOWN = 20
"""How many ids a message names."""
JUNK = re.compile(r"(^|/)(__MACOSX/|\.DS_Store$|\._|Thumbs\.db$)")
PREDICTIONS = re.compile(r"predictions/([^/]+)/predictions\.jsonl")

Find = Callable[["Task", TaskData, str], "Reference | None"]
"""The reference of a task, of the data and the split that the submission names; None where there is none at hand."""


@dataclass(frozen=True)
class Checked:
    """What a submission holds and what is wrong with it.

    Attributes:
        metadata: who and on what; None where it is not valid.
        predictions: task → example id → prediction, of the files without a problem.
        references: task → what they were held against.
        problems: everything found, by file and line.
        notes: what could not be checked, or is worth knowing.
    """

    metadata: Metadata | None
    predictions: Mapping[str, Mapping[str, Any]]
    references: Mapping[str, Reference]
    problems: tuple[Problem, ...]
    notes: tuple[str, ...]


def check(archive: str | os.PathLike[str], find: Find, suite: str | None = None) -> Checked:
    """Check a submission.

    Time and memory are bounded: at most ``LIMITS`` is unpacked, into a temporary folder; no line longer than ``MAX_LINE``
    bytes is parsed, and no more rows than four times those of the split.

    Args:
        archive: a zip file in bgGLUE's layout.
        find: what each task is held against.
        suite: the suite, where ``metadata.json`` does not say so, as in bgGLUE's own submissions.

    Raises:
        RawFileError: the archive is hostile or damaged.
        EuroglueError: it is no zip file, or too large.
        UnknownNameError: there is no suite of that name.
    """
    path = Path(archive)
    _refuse_other_files(path)
    with tempfile.TemporaryDirectory(prefix="euroglue-submission-") as work:
        members = _rooted(unpack(path, lambda name: None if JUNK.search(name) else name, Path(work), LIMITS))
        metadata, problems = _metadata(members)
        named = suite or (metadata.suite if metadata else None)
        if named is None:
            return Checked(metadata, {}, {}, tuple(problems), ("predictions are not checked: the suite is not known",))
        try:
            chosen = SUITES[named]
        except UnknownNameError as error:
            if suite:
                raise
            return Checked(None, {}, {}, (*problems, Problem(METADATA, 0, str(error))), ())
        return _tasks(chosen, members, metadata, problems, find)


def _refuse_other_files(path: Path) -> None:
    if not path.is_file():
        raise EuroglueError(f"{path}: expected a submission, a zip file; there is none")
    if path.suffix != ".zip":
        raise EuroglueError(f"{path}: expected a zip file whose name ends in .zip")
    if path.stat().st_size > MAX_ARCHIVE:
        raise EuroglueError(f"{path}: expected at most {MAX_ARCHIVE:,} bytes, got {path.stat().st_size:,}")


def _rooted(members: Mapping[str, Path]) -> dict[str, Path]:
    """The members without the one folder that all of them may lie in."""
    tops = {PurePosixPath(name).parts[0] for name in members}
    nested = len(tops) == 1 and not tops & {"predictions"} and all("/" in name for name in members)
    rooted = {name.partition("/")[2] if nested else name: file for name, file in sorted(members.items())}
    return {name if name.isprintable() else repr(name): file for name, file in rooted.items()}


def _metadata(members: Mapping[str, Path]) -> tuple[Metadata | None, list[Problem]]:
    if METADATA not in members:
        return None, [Problem(METADATA, 0, "missing: it says which model predicted, and on what data")]
    raw = members[METADATA].read_bytes()
    if len(raw) > MAX_METADATA:
        return None, [Problem(METADATA, 0, f"expected at most {MAX_METADATA:,} bytes, got {len(raw):,}")]
    try:
        return parse_metadata(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        return None, [Problem(METADATA, 0, f"not UTF-8 at byte {error.start}")]


def _tasks(
    suite: Suite, members: Mapping[str, Path], metadata: Metadata | None, problems: list[Problem], find: Find
) -> Checked:
    predictions: dict[str, Mapping[str, Any]] = {}
    references: dict[str, Reference] = {}
    notes: list[str] = []
    files = _files(suite, members, problems)
    for name, file in files.items():
        task = suite.tasks[name]
        about = metadata.tasks.get(name, TaskData()) if metadata else TaskData()
        if about.edition and about.edition not in task.editions:
            editions = ", ".join(task.editions)
            problems.append(
                Problem(METADATA, 0, f"{task.path}: there is no edition {about.edition!r}; known: {editions}")
            )
        reference = find(task, about, metadata.split if metadata else "test")
        if reference is None:
            notes.append(f"{task.path}: ids and lengths are not compared, the split is not at hand")
        else:
            references[name] = reference
            problems += _compare_data(task, about, reference)
        found, wrong = check_rows(task, members[file], file, reference)
        problems += wrong
        if not wrong:
            predictions[name] = found
    if metadata:
        without = [name for name in metadata.tasks if name not in files]
        problems += [Problem(METADATA, 0, f"the task {name[:60]!r} has no predictions") for name in without]
    if metadata and metadata.method == "baseline":
        notes.append("a baseline is shown without a rank, and models that score less are marked as below it")
    if not files:
        problems.append(Problem("predictions", 0, "missing; expected predictions/TASK/predictions.jsonl"))
    if absent := [name for name in suite.expected if name not in files]:
        notes.append(f"not all of {suite.name}: without {', '.join(absent)} the model is shown, but not ranked")
    return Checked(metadata, predictions, references, tuple(problems), tuple(notes))


def _files(suite: Suite, members: Iterable[str], problems: list[Problem]) -> dict[str, str]:
    """Task → its file; a problem for each member that is of none."""
    files: dict[str, str] = {}
    for name in members:
        match = PREDICTIONS.fullmatch(name)
        if match and match[1] in suite.tasks:
            files[match[1]] = name
        elif match:
            problems.append(Problem(name, 0, f"{suite.name}: {suite.tasks.unknown(match[1])}"[:600]))
        elif name != METADATA:
            what = f"unexpected; expected predictions/TASK/predictions.jsonl and {METADATA}"
            problems.append(Problem(name[:200], 0, what))
    return files


def _compare_data(task: Task, about: TaskData, reference: Reference) -> list[Problem]:
    if not about.data or not reference.fingerprint or about.data == reference.fingerprint:
        return []
    what = f"{task.path}: the predictions were made on other data: expected {reference.fingerprint}, got {about.data}"
    return [Problem(METADATA, 0, f"{what}; prepare the edition {reference.edition} and predict again")]


def check_rows(task: Task, path: Path, file: str, reference: Reference | None) -> tuple[dict[str, Any], list[Problem]]:
    """Read the predictions of a task: id → prediction, and everything that is wrong with them.

    Args:
        task: the task.
        path: where the file lies.
        file: what messages call it.
        reference: ids and lengths to compare with.
    """
    sizes = [edition.sizes.get("test", 0) for edition in task.editions.values()]
    most = 4 * (len(reference.ids) if reference else max(sizes, default=0)) + SPARE_ROWS
    rows: list[Row] = []
    problems: list[Problem] = []
    for number, line in _lines(path, file, problems):
        if len(rows) + len(problems) >= most:
            problems.append(Problem(file, number, f"more than {most:,} rows; the rest is not read"))
            break
        try:
            row = parse_row(line, number, task, "")
        except FormatError as error:
            problems.append(Problem(file, number, str(error).removeprefix(": ")[:300]))
            rows += _keyed_alone(line, number)
            continue
        problems += [Problem(file, number, what) for what in _unknown(task, row.value)]
        rows.append(row)
    if not rows and not problems:
        problems.append(Problem(file, 0, 'no rows; expected one {"id": …, "label": …} for each example'))
    found, wrong = _by_id(rows, file, reference)
    return found, sorted([*problems, *wrong], key=lambda problem: problem.line)


def _keyed_alone(line: str, number: int) -> list[Row]:
    """The row of a line whose label alone is wrong, so that its example is not told to be missing."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return []
    fields = [name for name in ("id", "index") if isinstance(row, dict) and isinstance(row.get(name), (str, int))]
    return [Row(number, fields[0], row[fields[0]], UNREADABLE)] if fields else []


def _lines(path: Path, file: str, problems: list[Problem]) -> Iterator[tuple[int, str]]:
    """The lines that are not empty; one that is too long ends the reading."""
    with open(path, "rb") as lines:
        number = 0
        while raw := lines.readline(MAX_LINE + 1):
            number += 1
            if len(raw) > MAX_LINE:
                problems.append(Problem(file, number, f"longer than {MAX_LINE:,} bytes; the rest is not read"))
                return
            try:
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                problems.append(Problem(file, number, f"not UTF-8 at byte {error.start}"))
                continue
            if line.strip():
                yield number, line


def _unknown(task: Task, value: Any) -> Iterator[str]:
    if not task.labels or task.kind in NUMBERS:
        return
    tags = value if task.kind is Kind.TOKEN_CLASSIFICATION else [value]
    odd = sorted({tag for tag in tags if tag not in task.labels and tag != UNREADABLE})
    if odd:
        known = f"{', '.join(task.labels[:12])}{', …' if len(task.labels) > 12 else ''}"
        yield f"unknown label{'s' * (len(odd) > 1)} {_some(odd)}; known: {known}"


def _by_id(rows: Sequence[Row], file: str, reference: Reference | None) -> tuple[dict[str, Any], list[Problem]]:
    ids = reference.ids if reference else None
    found: dict[str, Any] = {}
    lines: dict[str, int] = {}
    problems: list[Problem] = []
    lengths = dict(zip(reference.ids, reference.lengths)) if reference and reference.lengths else {}
    choices = reference.choices_by_id if reference else {}
    known = set(ids or ())
    for key, row in zip(keys_of(rows, ids), rows, strict=True):
        if key in found:
            problems.append(
                Problem(file, row.line, f"the {row.field} {str(row.key)[:60]!r} was already on line {lines[key]}")
            )
            continue
        found[key], lines[key] = row.value, row.line
        if reference is not None and key not in known:
            problems.append(Problem(file, row.line, f"the {row.field} {row.key!r} is not in this split"[:300]))
        elif key in lengths and isinstance(row.value, list) and len(row.value) != lengths[key]:
            what = f"expected {lengths[key]} tags, one per token, got {len(row.value)} ({row.field} {row.key!r})"
            problems.append(Problem(file, row.line, what[:300]))
        elif key in choices and str(row.value) not in choices[key] and row.value not in (UNREADABLE, NO_CHOICE):
            where = f"({row.field} {shown(row.key)})"
            what = f"expected one of the choices {', '.join(choices[key])}, got {shown(row.value)} {where}"
            problems.append(Problem(file, row.line, what[:300]))
    missing = [key for key in ids or () if key not in found]
    if missing:
        problems.append(
            Problem(file, 0, f"{len(missing):,} of {len(known):,} ids have no prediction: {_some(missing)}")
        )
    return found, problems


def _some(keys: Sequence[str]) -> str:
    return ", ".join(repr(key[:60]) for key in keys[:SHOWN]) + (", …" if len(keys) > SHOWN else "")
