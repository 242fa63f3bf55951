# SPDX-License-Identifier: Apache-2.0
"""Prediction files: JSONL, one ``{"id": …, "label": …}`` per example, joined to the gold by id, never by order.

A label is a name, as the task lists them; for a sequence of tags, the names in one string with a space between; for a
rating or a ranking, a number; for a question, the answer's text (empty for none), or the name or number of the choice.
``UNREADABLE`` stands for a name or choice that a language model's answer did not tell. Further fields of a row, such as the
``topic`` of a ranking, are not read.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from euroglue import strict_json
from euroglue.atomic import write_text
from euroglue.errors import EuroglueError, FormatError, PredictionError, shown
from euroglue.finite import is_finite
from euroglue.task import Kind, Task

Prediction = str | float | int | list[str]
NUMBERS = (Kind.REGRESSION, Kind.RANKING)
UNREADABLE = "⟨unreadable⟩"
"""The label, tag or answer text in place of one that could not be read: none of any task, so it counts as wrong."""
NO_CHOICE = 2**31 - 1
"""The number of a choice that no example has: ``UNREADABLE`` where choices are numbers."""
MOST_DIGITS = 10
"""The most digits of the number of a choice."""
PACKED = (b"\x1f\x8b", b"PK\x03\x04", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd")
"""How files of gzip, zip, bzip2, xz and zstandard begin."""
SHOWN = 5
"""How many ids or lines a message names."""


class Row(NamedTuple):
    """One line of a prediction file: ``field`` is ``id`` or ``index``, ``key`` its value."""

    line: int
    field: str
    key: Any
    value: Prediction


def write_predictions(path: str | os.PathLike[str], task: Task, ids: Sequence[str], predictions: Sequence[Any]) -> None:
    """Write one row per example; the file is there whole or not at all.

    Args:
        path: where to write; folders are made.
        task: its kind and label names say how a prediction is written.
        ids: the examples' ids, distinct.
        predictions: one per id: a label name or its integer id, a list of those, a number or a text.

    Raises:
        PredictionError: lengths differ, an id occurs twice, or a prediction does not fit the task.
    """
    if len(ids) != len(predictions):
        raise PredictionError(f"{task.path}: expected one prediction per id, got {len(predictions)} for {len(ids)} ids")
    twice = [key for key, count in Counter(ids).items() if count > 1]
    if twice:
        raise PredictionError(f"{task.path}: {len(twice)} ids occur more than once: {_some(twice)}")
    lines = []
    for key, prediction in zip(ids, predictions, strict=True):
        label = _written(task, prediction, f"{task.path}: id {key!r}")
        lines.append(strict_json.dumps({"id": str(key), "label": label}) + "\n")
    write_text(path, lines)


def _numbers_choices(task: Task) -> bool:
    return task.kind is Kind.MULTIPLE_CHOICE and task.features[task.target] == "int64"


def _written(task: Task, prediction: Any, where: str) -> str | float:
    if task.kind in NUMBERS:
        return _number(prediction, where)
    if _numbers_choices(task):
        number = _choice(prediction, where, PredictionError)
        return UNREADABLE if number == NO_CHOICE else number
    if task.kind is not Kind.TOKEN_CLASSIFICATION:
        return _name(task, prediction, where)
    if isinstance(prediction, str) or not hasattr(prediction, "__iter__"):
        raise PredictionError(f"{where}: expected a list of tags, got {shown(prediction)}")
    names = [_name(task, tag, where) for tag in prediction]
    for name in names:
        if not name or name.split() != [name]:
            raise PredictionError(f"{where}: a tag must be a word without spaces, got {shown(name)}")
    return " ".join(names)


def _name(task: Task, value: Any, where: str) -> str:
    if isinstance(value, str):
        return value
    if not task.labels:
        raise PredictionError(f"{where}: expected a text, got {shown(value)}")
    whole = hasattr(value, "__index__") and not isinstance(value, bool)
    if not whole or not 0 <= int(value) < len(task.labels):
        raise PredictionError(f"{where}: expected a name or an id from 0 to {len(task.labels) - 1}, got {shown(value)}")
    return task.labels[int(value)]


def _choice(value: Any, where: str, error: type[EuroglueError]) -> int:
    """The number of a choice, given as one or in digits."""
    if value == UNREADABLE:
        return NO_CHOICE
    digits = isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= MOST_DIGITS
    whole = hasattr(value, "__index__") and not isinstance(value, bool) and 0 <= int(value) < 10**MOST_DIGITS
    if not digits and not whole:
        raise error(f"{where}: expected the number of a choice, from 0, as 'label', got {shown(value)}")
    return int(value)


def _number(value: Any, where: str) -> float:
    number = value.item() if getattr(value, "ndim", None) == 0 else value
    if not is_finite(number):
        raise PredictionError(f"{where}: expected a finite number, got {shown(value)}")
    return float(number)


def read_predictions(
    path: str | os.PathLike[str], task: Task, ids: Sequence[str] | None = None
) -> dict[str, Prediction]:
    """Read a prediction file.

    Args:
        path: a JSONL file (UTF-8, with or without a byte order mark); each row has ``id`` or ``index``, and ``label``.
        task: its kind says what a label is.
        ids: the ids of the split, in its order. With them, rows keyed by ``index`` 0 to n − 1 are taken for
            positions in the split, as bgGLUE's submissions have them, unless the ids are those very numbers.

    Returns:
        Id → list of tag names, number, or text.

    Raises:
        FormatError: a line is not such a row; the message names the file, the first such line and how many more.
        PredictionError: an id occurs twice.
    """
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise FormatError(f"{file}: cannot be read ({error.strerror}); expected a JSONL file of predictions") from error
    except UnicodeDecodeError as error:
        packed = error.object.startswith(PACKED)
        what = "packed; unpack it first" if packed else "write the file with encoding='utf-8'"
        raise FormatError(f"{file}: not UTF-8 at byte {error.start}; {what}") from error
    rows, fault, faults = [], None, 0
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                rows.append(parse_row(line, number, task, f"{file}, line {number}"))
            except EuroglueError as error:
                fault, faults = fault or error, faults + 1
    if fault is not None:
        more = f" (and {faults - 1} more lines at fault)" if faults > 1 else ""
        raise type(fault)(f"{fault}{more}")
    if not rows:
        raise FormatError(f'{file}: no rows; expected one {{"id": …, "label": …}} per line')
    return _keyed(rows, ids, file)


def parse_row(line: str, number: int, task: Task, where: str) -> Row:
    """Read one line.

    Raises:
        FormatError: it is no row of this task; ``where`` begins the message.
    """
    try:
        row = strict_json.loads(line)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{where}: not a JSON row ({error}): {line.strip()[:60]!r}") from error
    if not isinstance(row, dict) or "label" not in row or not ("id" in row or "index" in row):
        raise FormatError(f'{where}: expected {{"id": …, "label": …}}, got {line.strip()[:60]}')
    field = "id" if "id" in row else "index"
    key = row[field]
    if not isinstance(key, (str, int)) or isinstance(key, bool) or key == "":
        raise FormatError(f"{where}: expected a string or a whole number as {field!r}, got {shown(key)}")
    return Row(number, field, key, _read(task, row["label"], where))


def _read(task: Task, label: Any, where: str) -> Prediction:
    if task.kind in NUMBERS:
        if not is_finite(label):
            raise FormatError(f"{where}: expected a finite number as 'label', got {shown(label)}")
        return float(label)
    if _numbers_choices(task):
        return _choice(label, where, FormatError)
    if not isinstance(label, str):
        raise FormatError(f"{where}: expected a string as 'label', got {shown(label)} ({type(label).__name__})")
    if task.kind is Kind.TOKEN_CLASSIFICATION:
        return label.split(" ") if label else []
    return label


def keys_of(rows: Sequence[Row], ids: Sequence[str] | None) -> list[str]:
    """The example id of each row; those of rows keyed by ``index`` are positions in ``ids`` (see ``read_predictions``)."""
    order = list(ids) if ids is not None else []
    indices = all(row.field == "index" and isinstance(row.key, int) and 0 <= row.key < len(order) for row in rows)
    positions = indices and set(order) != {str(position) for position in range(len(order))}
    return [order[int(row.key)] if positions else str(row.key) for row in rows]


def _keyed(rows: Sequence[Row], ids: Sequence[str] | None, file: Path) -> dict[str, Prediction]:
    found: dict[str, Row] = {}
    for key, row in zip(keys_of(rows, ids), rows, strict=True):
        if key in found:
            first = found[key].line
            raise PredictionError(
                f"{file}, line {row.line}: the {row.field} {shown(row.key)} was already on line {first}"
            )
        found[key] = row
    return {key: row.value for key, row in found.items()}


def join(
    predictions: Mapping[str, Any], references: Mapping[str, Any], *, short: bool = False
) -> tuple[list[Any], list[Any]]:
    """Align predictions with references by id.

    Args:
        predictions: id → prediction.
        references: id → gold.
        short: whether a list of tags may be shorter than the gold's (see ``Metric.fills``).

    Returns:
        Predictions and references, both in the order of ``references``.

    Raises:
        PredictionError: ids are missing or too many, or a list of tags has not the length of the gold's.

    >>> join({"b": 2.0, "a": 1.0}, {"a": 1.5, "b": 2.5})
    ([1.0, 2.0], [1.5, 2.5])
    """
    missing = [key for key in references if key not in predictions]
    extra = [key for key in predictions if key not in references]
    if missing or extra:
        both = ((missing, "have no prediction"), (extra, "are not in this split"))
        problems = [f"{len(found)} ids {what}: {_some(found)}" for found, what in both if found]
        raise PredictionError(f"{'; '.join(problems)} (predictions: {len(predictions)}, split: {len(references)})")
    wrong = [key for key, gold in references.items() if not _fits(_length(predictions[key]), _length(gold), short)]
    if wrong:
        expected, got = references[wrong[0]], predictions[wrong[0]]
        hint = ", and the gold may be hidden" if _length(expected) == 0 else ""
        more = f" (and {len(wrong) - 1} more: {_some(wrong[1:])})" if len(wrong) > 1 else ""
        raise PredictionError(f"id {shown(wrong[0])}: expected {_size(expected)}, got {_size(got)}{hint}{more}")
    return [predictions[key] for key in references], list(references.values())


def _some(keys: Sequence[str]) -> str:
    return ", ".join(map(shown, keys[:SHOWN])) + (", …" if len(keys) > SHOWN else "")


def _fits(length: int | None, expected: int | None, short: bool) -> bool:
    fewer = short and length is not None and expected is not None and length < expected
    return fewer or length == expected


def _length(value: Any) -> int | None:
    return len(value) if hasattr(value, "__len__") and not isinstance(value, (str, Mapping)) else None


def _size(value: Any) -> str:
    length = _length(value)
    return f"{length} tags" if length is not None else f"one value ({shown(value)})"
