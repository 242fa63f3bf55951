# SPDX-License-Identifier: Apache-2.0
"""Multiple-choice questions: the JSON lines of ARC that EXAMS uses, and the JSON of bg_rc (Bulgarian reading comprehension)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from euroglue.errors import FormatError
from euroglue.readers.jsonl import read_json, read_object
from euroglue.task import Reader, reader

if TYPE_CHECKING:
    from euroglue.prepare.raw import RawFiles

LETTERS = "ABCDEFGH"


@reader
def together(files: RawFiles, readers: tuple[Reader, ...]) -> pd.DataFrame:
    """Put the tables of several readers under one another."""
    tables = [read(files) for read in readers]
    return pd.concat([table for table in tables if len(table)] or tables[:1], ignore_index=True)


@reader
def arc(files: RawFiles, splits: Mapping[str, str], language: str = "", paragraphs: str = "") -> pd.DataFrame:
    """Read questions with lettered choices; a choice without a paragraph gets an empty one.

    Args:
        splits: split name → member.
        language: keep the rows whose ``info.language`` is this; all without it.
        paragraphs: pattern of members with the same questions whose choices have paragraphs; those are used by id.

    Returns:
        Columns ``id``, ``question`` (stem and choices), ``answerKey``, ``info`` and ``split``.

    Raises:
        FormatError: a line is no such question; file and line are named.
    """
    paras = _paragraphs(files, paragraphs) if paragraphs else {}
    rows = []
    for split, member in files.present(splits):
        for number, line in _rows(files, member):
            row = read_object(member, number, line)
            info = _field(member, number, row, "info", dict)
            if not language or info.get("language") == language:
                rows.append({**_question(member, number, row, paras), "info": info, "split": split})
    return pd.DataFrame(rows, dtype=object)


def _rows(files: RawFiles, member: str) -> Iterator[tuple[int, str]]:
    """The lines that hold anything, with their numbers from 1."""
    return ((number, line) for number, line in files.lines(member) if line.strip())


def _question(member: str, number: int, row: dict, paras: Mapping[tuple[str, str], str]) -> dict[str, Any]:
    key = str(_field(member, number, row, "id", (str, int)))
    question = _field(member, number, row, "question", dict)
    choices = [
        {
            "text": _field(member, number, choice, "text", str),
            "label": _field(member, number, choice, "label", str),
            "para": choice.get("para") or paras.get((key, choice["label"]), ""),
        }
        for choice in _field(member, number, question, "choices", list)
    ]
    labels = [choice["label"] for choice in choices]
    if len(choices) < 2 or len(set(labels)) != len(labels):
        raise FormatError(f"{member}, line {number}: expected two or more choices with distinct letters, got {labels}")
    return {
        "id": key,
        "question": {"stem": _field(member, number, question, "stem", str), "choices": choices},
        "answerKey": row.get("answerKey"),
    }


def _field(member: str, number: int, holder: Any, name: str, kind: type | tuple[type, ...]) -> Any:
    value = holder.get(name) if isinstance(holder, dict) else None
    if not isinstance(value, kind):
        names = " or ".join(one.__name__ for one in (kind if isinstance(kind, tuple) else (kind,)))
        raise FormatError(f"{member}, line {number}: expected {name!r} to be {names}, got {str(value)[:40]!r}")
    return value


def _paragraphs(files: RawFiles, pattern: str) -> dict[tuple[str, str], str]:
    """(question id, choice letter) → paragraph."""
    found = {}
    for member in files.names(pattern):
        for number, line in _rows(files, member):
            row = read_object(member, number, line)
            question = _question(member, number, row, {})
            for choice in question["question"]["choices"]:
                found[question["id"], choice["label"]] = choice["para"]
    return found


@reader
def bg_rc(files: RawFiles, member: str, group: str, split: str, info: Mapping[str, Any]) -> pd.DataFrame:
    """Read one group of tests of ``bg_rc``; the answers get the letters A, B, … in their order.

    Args:
        group: the group, such as ``history-quiz``.
        split: the split the questions go to.
        info: what each row's ``info`` says, since the file has no grade or subject.

    Raises:
        FormatError: the file is no such JSON, or the correct answer is not among the answers.
    """
    if files.missing and not files.names(member):
        files.incomplete.add(split)
        return pd.DataFrame(columns=["id", "question", "answerKey", "info", "split"])
    held = read_json(member, files.text(member))
    try:
        data = held["data"][group]
        return pd.DataFrame([_quiz(one, split, dict(info)) for test in data for one in test["questions"]], dtype=object)
    except FormatError as error:
        raise FormatError(f"{member}: {error}") from error
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise FormatError(
            f"{member}: expected tests of {group!r} with questions, got {type(error).__name__}: {error}"
        ) from error


def _quiz(one: dict, split: str, info: dict) -> dict[str, Any]:
    answers = one["answers"]
    if not isinstance(answers, list):
        raise FormatError(f"question {one['id']}: expected a list of answers, got {str(answers)[:40]!r}")
    if answers.count(one["correct"]) != 1 or len(answers) > len(LETTERS):
        raise FormatError(
            f"question {one['id']}: expected the correct answer once among {answers}, got {one['correct']!r}"
        )
    choices = [{"text": text, "label": LETTERS[at], "para": ""} for at, text in enumerate(answers)]
    return {
        "id": one["id"],
        "question": {"stem": one["question"], "choices": choices},
        "answerKey": LETTERS[answers.index(one["correct"])],
        "info": info,
        "split": split,
    }
