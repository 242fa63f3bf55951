# SPDX-License-Identifier: Apache-2.0
"""CoNLL-U: ten tab-separated columns a token (universaldependencies.org/format.html)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import pandas as pd

from euroglue.errors import FormatError
from euroglue.prepare.documents import document_names
from euroglue.readers.skipped import Skipped
from euroglue.task import reader

if TYPE_CHECKING:
    from euroglue.prepare.raw import RawFiles

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
_ID = re.compile(r"[1-9][0-9]{0,8}")
_RANGE_OR_EMPTY = re.compile(r"[0-9]{1,9}[-.][0-9]{1,9}")


@reader
def conllu(files: RawFiles, splits: Mapping[str, str], columns: Mapping[str, str]) -> pd.DataFrame:
    """Read syntactic words; lines of multi-word ranges (``3-4``) and empty nodes (``5.1``) are skipped.

    Args:
        splits: split name → member.
        columns: column of the table → column of the file, such as ``{"tokens": "FORM", "pos_tags": "UPOS"}``.

    Returns:
        ``id`` (``<split>-<number from 0>``), one list column per entry of ``columns``, and ``split``.

    Raises:
        FormatError: a line has other than ten columns, a broken id, or ``_`` in a column that is read.
    """
    rows = []
    for split, member in files.present(splits):
        for number, words in enumerate(sentences(files, member, tuple(columns.values()))):
            values = {name: [word[at] for word in words] for at, name in enumerate(columns)}
            rows.append({"id": f"{split}-{number}", **values, "split": split})
    return pd.DataFrame(rows, columns=["id", *columns, "split"], dtype=object)


@reader
def conllu_documents(
    files: RawFiles, documents: str, columns: Mapping[str, str], drop: tuple[str, ...] = ()
) -> pd.DataFrame:
    """Read a corpus of one file per document, named by it; ranges and empty nodes are skipped.

    Args:
        documents: pattern of the members, ``<document>.conllu``.
        columns: column of the table → column of the file, such as ``{"tokens": "FORM", "tags": "XPOS"}``.
        drop: forms that are no words, such as a lone soft hyphen; those words are dropped, counted and reported.

    Returns:
        ``id`` (the sentence's ``sent_id``), ``document``, and one list column per entry of ``columns``.

    Raises:
        FormatError: a sentence has no ``sent_id``, a line is broken, or two members are called like one document.
    """
    rows, skipped = [], Skipped()
    for document, member in document_names(files.names(documents)).items():
        for key, words in _named_sentences(files, member, tuple(["FORM", *columns.values()])):
            kept = [word[1:] for word in words if word[0] not in drop]
            for _ in range(len(words) - len(kept)):
                skipped.add("word dropped, its form is no word", key)
            if not kept:
                skipped.add("sentence without any word skipped", key)
                continue
            values = {name: [word[at] for word in kept] for at, name in enumerate(columns)}
            rows.append({"id": key, "document": document, **values})
    skipped.report(files)
    return pd.DataFrame(rows, columns=["id", "document", *columns], dtype=object)


def _named_sentences(
    files: RawFiles, member: str, wanted: tuple[str, ...]
) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
    places = [COLUMNS.index(name) for name in wanted]
    for comments, lines in blocks(files, member):
        key = comment(member, comments, "sent_id", lines[0][0])
        words = [_read(member, number, columns, places) for number, columns in lines if _ID.fullmatch(columns[0])]
        if words:
            yield key, words


def comment(member: str, comments: Mapping[str, str], name: str, number: int) -> str:
    """The value of a comment that a sentence, whose first word stands in line ``number``, must have.

    Raises:
        FormatError: it is missing or empty.
    """
    if not comments.get(name):
        raise FormatError(f"{member}, line {number}: expected a comment '# {name} = …' before the first word")
    return comments[name]


def sentences(files: RawFiles, member: str, wanted: tuple[str, ...]) -> Iterator[list[tuple[str, ...]]]:
    """The wanted columns of each word, a list per sentence; the last sentence needs no closing empty line."""
    places = [COLUMNS.index(name) for name in wanted]
    for _, lines in blocks(files, member):
        words = [_read(member, number, columns, places) for number, columns in lines if _ID.fullmatch(columns[0])]
        if words:
            yield words


def blocks(files: RawFiles, member: str) -> Iterator[tuple[dict[str, str], list[tuple[int, list[str]]]]]:
    """The comments of each sentence (name → value) and its lines with their numbers, ranges and empty nodes included.

    The comments of the document and paragraph (``newdoc id``, ``newpar id``) stand at the first of their sentences alone.
    The last sentence needs no closing empty line; comments without any line are passed over.
    """
    comments: dict[str, str] = {}
    lines: list[tuple[int, list[str]]] = []
    for number, line in files.lines(member):
        if line.startswith("#"):
            name, _, value = line[1:].partition("=")
            comments[name.strip()] = value.strip()
        elif line:
            lines.append((number, _columns(member, number, line)))
        else:
            if lines:
                yield comments, lines
            comments, lines = {}, []
    if lines:
        yield comments, lines


def _columns(member: str, number: int, line: str) -> list[str]:
    columns = line.split("\t")
    if len(columns) != len(COLUMNS):
        raise FormatError(f"{member}, line {number}: expected {len(COLUMNS)} tab-separated columns, got {len(columns)}")
    if not (_ID.fullmatch(columns[0]) or _RANGE_OR_EMPTY.fullmatch(columns[0])):
        raise FormatError(f"{member}, line {number}: expected a word's number as its id, got {columns[0]!r}")
    return columns


def _read(member: str, number: int, columns: list[str], places: list[int]) -> tuple[str, ...]:
    for place in places:
        if columns[place] == "" or (columns[place] == "_" and COLUMNS[place] != "FORM"):  # a form may be an underscore
            raise FormatError(f"{member}, line {number}: expected {COLUMNS[place]}, got {columns[place]!r}")
    return tuple(columns[place] for place in places)
