# SPDX-License-Identifier: Apache-2.0
"""What a submission is held against: the ids of a split, how long its sequences are, and, where it is known, the gold.

No message of this module shows a gold label: who scores submissions may pass them on.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from euroglue import strict_json
from euroglue.choices import choice_names, names_of
from euroglue.errors import ContractError, EuroglueError, FormatError
from euroglue.finite import is_finite
from euroglue.scoring.inputs import MOST_CHOICES, choice_number
from euroglue.task import Kind

if TYPE_CHECKING:
    from euroglue.prepare import Prepared
    from euroglue.task import Task

MANIFEST = "manifest.json"
MOST_LISTED = 1000
"""No example has more choices."""
_Row = tuple[int, str, Any, Any]
"""Line, id, label, and what is said of the choices."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Reference:
    """A split as the checker needs it.

    ``ids`` in the split's order; ``lengths`` of the sequences to be tagged, else None; ``choices`` by position, the
    predictions that an example with choices may have, none where they are not known; ``gold`` by position, None where it is
    hidden; ``edition`` and ``fingerprint`` of the data, empty if unknown.
    """

    ids: tuple[str, ...]
    lengths: tuple[int, ...] | None = None
    choices: tuple[tuple[str, ...], ...] | None = None
    gold: tuple[Any, ...] | None = None
    edition: str = ""
    fingerprint: str = ""

    @property
    def choices_by_id(self) -> dict[str, tuple[str, ...]]:
        """Id → the predictions that the example may have, of those whose choices are known."""
        return {key: names for key, names in zip(self.ids, self.choices or ()) if names}


def of_prepared(made: Prepared, split: str) -> Reference:
    """A split of a prepared edition, with gold unless it is hidden there.

    Raises:
        ContractError: there is no such split.
    """
    task = made.task
    tagged = task.kind is Kind.TOKEN_CLASSIFICATION
    chosen = task.kind is Kind.MULTIPLE_CHOICE
    table = made.table(
        split, [task.id_column, task.target, *(task.inputs if chosen else task.inputs[:1] if tagged else ())]
    )
    literal = task.editions.get(made.edition)
    hidden = literal is not None and split in literal.hidden
    return Reference(
        ids=tuple(str(key) for key in table[task.id_column]),
        lengths=tuple(len(tokens) for tokens in table[task.inputs[0]]) if tagged else None,
        choices=tuple(choice_names(task, table)) if chosen else None,
        gold=None if hidden else tuple(table[task.target]),
        edition=made.edition,
        fingerprint=made.fingerprint,
    )


def of_folder(root: Path, task: Task, split: str) -> Reference:
    """The gold of a task in a private folder.

    The folder holds, for each task, one of ``TASK.jsonl``, ``TASK/predictions.jsonl`` and
    ``predictions/TASK/predictions.jsonl`` (rows as in a prediction file; of a ranking the label's name or id, of a question
    a text or a list of accepted ones), ``TASK/labels.txt`` (bgGLUE's: a label a line, in the order of the split; with tabs,
    id and label are the last two columns), or ``TASK/SPLIT.parquet`` with its manifest, as ``euroglue prepare --out`` writes.

    A row of multiple choice may have ``"choices"``, their names, or their number where they have no names of their own. Where
    it has none, an answer beyond an example's choices cannot be told from a wrong one and counts as that.

    Raises:
        EuroglueError: there is no such file, or its labels are hidden.
        FormatError: it is not valid; the message names file and line and shows no label.
    """
    if (root / task.name / MANIFEST).is_file() and (root / task.name / f"{split}.parquet").is_file():
        found = of_prepared(_exported(task, root / task.name), split)
        if found.gold is None:
            raise EuroglueError(f"{root / task.name}: the labels of {split} are hidden there: give the gold")
        return found
    names = (f"{task.name}.jsonl", f"{task.name}/predictions.jsonl", f"predictions/{task.name}/predictions.jsonl")
    for name in names:
        if (root / name).is_file():
            return _of_rows(root / name, task, _json_rows(root / name))
    labels = root / task.name / "labels.txt"
    if labels.is_file():
        return _of_rows(labels, task, _plain_rows(labels))
    raise EuroglueError(f"{root}: no gold for {task.path}; expected {', '.join(names)} or {task.name}/labels.txt")


def _exported(task: Task, folder: Path) -> Prepared:
    from euroglue.prepare import Prepared

    try:
        manifest = strict_json.read(folder / MANIFEST)
        return Prepared(task, manifest["edition"], folder, {**manifest, "fingerprint": manifest["fingerprint"]})
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(f"{folder / MANIFEST}: expected the manifest of a prepared edition") from error


def _of_rows(file: Path, task: Task, rows: Iterator[_Row]) -> Reference:
    found: dict[str, Any] = {}
    choices: dict[str, tuple[str, ...]] = {}
    for line, key, label, listed in rows:
        where = f"{file}, line {line}"
        if key in found:
            raise FormatError(f"{where}: the id {key!r} occurs twice in the gold")
        value = _gold(task, label)
        if value is None:
            raise FormatError(f"{where}: no gold label of {task.path} (it is not shown): expected {_expected(task)}")
        found[key], choices[key] = value, () if listed is None else _choices(task, listed, value, where)
    if not found:
        raise FormatError(f"{file}: no rows; expected the gold of {task.path}")
    lengths = tuple(map(len, found.values())) if task.kind is Kind.TOKEN_CLASSIFICATION else None
    known = tuple(choices.values()) if any(choices.values()) else None
    return Reference(ids=tuple(found), lengths=lengths, choices=known, gold=tuple(found.values()))


def _choices(task: Task, listed: Any, gold: Any, where: str) -> tuple[str, ...]:
    """What an example's choices are called: of a list of names or of choices, or of their number."""
    if task.kind is not Kind.MULTIPLE_CHOICE:
        return ()
    many = choice_number(listed)
    if isinstance(listed, list) and all(isinstance(name, str) for name in listed):
        names = tuple(listed)
    else:
        some = listed if isinstance(listed, list) else [{}] * min(many or 0, MOST_LISTED)
        try:
            names = names_of(task, some)
        except ContractError:
            names = ()
        if not names:
            raise FormatError(f"{where}: expected the names of its choices, or their number, as 'choices'")
    if (task.labels[gold] if task.labels else str(gold)) not in names:
        raise FormatError(f"{where}: the gold label is none of its {len(names)} choices (it is not shown)")
    return names


def _lines(file: Path) -> Iterator[tuple[int, str]]:
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise FormatError(f"{file}: expected UTF-8") from None
    yield from ((number, line.rstrip("\r")) for number, line in enumerate(text.split("\n"), 1) if line.strip())


def _json_rows(file: Path) -> Iterator[_Row]:
    for number, line in _lines(file):
        try:
            row = json.loads(line)
            key = row["id"] if "id" in row else row["index"]
            yield number, str(key), row["label"], row.get("choices")
        except (ValueError, KeyError, TypeError, RecursionError):
            raise FormatError(f'{file}, line {number}: expected {{"id": …, "label": …}}') from None


def _plain_rows(file: Path) -> Iterator[_Row]:
    for position, (number, line) in enumerate(_lines(file)):
        *_, key, label = [str(position), *line.split("\t")] if "\t" not in line else line.split("\t")
        yield number, key, label.strip(), None


def _gold(task: Task, label: Any) -> Any:
    """The label as metrics take it; None if it is none of this task."""
    feature = task.features[task.target]
    if task.kind is Kind.TOKEN_CLASSIFICATION:
        tags = label.split(" ") if isinstance(label, str) and label else label or []
        return tags if isinstance(tags, list) and all(tag in task.labels for tag in tags) else None
    if isinstance(feature, Mapping):
        texts = [label] if isinstance(label, str) else label.get("text") if isinstance(label, dict) else label
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            return None
        return {"text": [text for text in texts if text], "answer_start": [0 for text in texts if text]}
    if task.labels:
        known = {**{str(i): i for i in range(len(task.labels))}, **{name: i for i, name in enumerate(task.labels)}}
        number = int(label) if isinstance(label, float) and label.is_integer() else label
        return None if isinstance(label, bool) else known.get(str(number))
    if feature == "int64":
        number = choice_number(label)
        return number if number is not None and 0 <= number < MOST_CHOICES else None
    if feature == "float64":
        return _rating(label)
    return label if isinstance(label, str) and label else None


def _rating(label: Any) -> float | None:
    try:
        value = float(label) if isinstance(label, str) else label
    except ValueError:
        return None
    return float(value) if is_finite(value) else None


def _expected(task: Task) -> str:
    if task.labels:
        return f"{'tags of' if task.kind is Kind.TOKEN_CLASSIFICATION else 'one of'} its {len(task.labels)} labels"
    return {"int64": "the number of a choice", "float64": "a finite number"}.get(
        str(task.features[task.target]), "a text"
    )
