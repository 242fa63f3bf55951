# SPDX-License-Identifier: Apache-2.0
"""Flat SQuAD: items with ``id``, ``title``, ``context``, ``question`` and ``answers`` (``text``, ``answer_start``).

They stand in the list ``data`` of one JSON object, or are the rows of Parquet (``.parquet``) or of JSON lines (``.jsonl``).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from euroglue.errors import FormatError
from euroglue.readers.jsonl import read_json
from euroglue.readers.records import PARQUET, records
from euroglue.readers.skipped import Skipped
from euroglue.readers.tsv import told_apart
from euroglue.task import reader

if TYPE_CHECKING:
    from euroglue.prepare.raw import RawFiles

TEXTS = ("title", "context", "question")
MAY_LACK = "title"
"""The text that an item may lack; it is empty then."""


@reader
def squad(files: RawFiles, splits: Mapping[str, str], mend: bool = True) -> pd.DataFrame:
    """Read questions over paragraphs; a question without answers cannot be answered from its paragraph.

    An answer that does not stand where its ``answer_start`` says is found again: the occurrence nearest to that place.
    Where the paragraph does not hold it, both are composed (NFC) first; a question with an answer that its paragraph does
    not hold even so is left out. Both are counted and reported.

    Args:
        splits: split name → member.
        mend: without it nothing is mended or left out, and an answer's text may be empty; an id that occurs again gets
            ``#2``, ``#3``, …. Steps look after the answers then (``euroglue.prepare.questions``).

    Returns:
        ``id``, ``title`` (empty where an item has none), ``context``, ``question``, ``answers`` (``text`` and
        ``answer_start``, in characters) and ``split``; where mended, each answer stands in ``context`` at its ``answer_start``.

    Raises:
        FormatError: the member is no such JSON; the member and the number of the item (from 0) are named.
    """
    rows, skipped = [], Skipped()
    for split, member in files.present(splits):
        for where, item in _items(files, member):
            row = {name: _text(where, item, name) for name in ("id", *TEXTS)}
            texts, starts = _answers(where, item, empty=not mend)
            if not mend:
                rows.append({**row, "answers": {"text": texts, "answer_start": starts}, "split": split})
                continue
            if not all(text in row["context"] for text in texts):  # composed and decomposed letters may differ
                row["context"], *texts = (unicodedata.normalize("NFC", one) for one in (row["context"], *texts))
            places = [find_again(row["context"], text, start) for text, start in zip(texts, starts)]
            if None in places:
                skipped.add("question left out, its paragraph does not hold its answer", row["id"])
                continue
            if places != starts:
                skipped.add("question with an answer not at its answer_start, found again", row["id"])
            rows.append({**row, "answers": {"text": texts, "answer_start": places}, "split": split})
    skipped.report(files)
    table = pd.DataFrame(rows, columns=["id", *TEXTS, "answers", "split"], dtype=object)
    return table if mend else table.assign(id=pd.Series(told_apart(table["id"]), dtype=object))


def _items(files: RawFiles, member: str) -> Iterator[tuple[str, Any]]:
    if member.endswith((PARQUET, ".jsonl")):
        return records(files, member)
    return ((f"{member}, item {number}", item) for number, item in enumerate(_data(files, member)))


def _data(files: RawFiles, member: str) -> list[Any]:
    held = read_json(member, files.text(member))
    items = held.get("data") if isinstance(held, dict) else None
    if not isinstance(items, list):
        raise FormatError(f"{member}: expected a JSON object with a list 'data', got {str(held)[:60]!r}")
    if items and isinstance(items[0], dict) and "paragraphs" in items[0]:
        raise FormatError(f"{member}, item 0: expected one question per item, got SQuAD's nested paragraphs")
    return items


def _text(where: str, item: Any, name: str) -> str:
    value = item.get(name, "" if name == MAY_LACK else None) if isinstance(item, dict) else None
    if not isinstance(value, str):
        raise FormatError(f"{where}: expected {name!r} to be a text, got {str(value)[:40]!r}")
    return value


def _answers(where: str, item: dict, empty: bool) -> tuple[list[str], list[int]]:
    answers = item.get("answers")
    texts, starts = (answers.get(name) if isinstance(answers, dict) else None for name in ("text", "answer_start"))
    if not isinstance(texts, list) or not isinstance(starts, list) or len(texts) != len(starts):
        raise FormatError(f"{where}: expected answers with as many texts as starts, got {str(answers)[:60]!r}")
    for text, start in zip(texts, starts):
        if not isinstance(text, str) or not (text or empty) or not isinstance(start, int) or isinstance(start, bool):
            raise FormatError(f"{where}: expected an answer's text and its place, got {text!r} at {start!r}")
    return texts, starts


def find_again(context: str, text: str, start: int) -> int | None:
    """Where ``text`` stands in ``context``, as near to ``start`` as may be; None where it does not.

    >>> find_again("de kat en de hond", "de", 0), find_again("de kat en de hond", "de", 9), find_again("de kat", "vis", 0)
    (0, 10, None)
    """
    before = context.rfind(text, 0, max(start, 0) + len(text))
    after = context.find(text, max(start, 0))
    places = [place for place in (before, after) if place >= 0]
    return min(places, key=lambda place: abs(place - start), default=None)
