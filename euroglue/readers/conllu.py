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
_ID = re.compile(r"[1-9]\d*")
_RANGE_OR_EMPTY = re.compile(r"\d+-\d+|\d+\.\d+")


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
    key, words = "", []
    for number, line in [*files.lines(member), (0, "")]:
        if line.startswith("#"):
            name, _, value = line[1:].partition("=")
            key = value.strip() if name.strip() == "sent_id" else key
        elif line:
            if not key:
                raise FormatError(f"{member}, line {number}: expected a comment '# sent_id = …' before the first word")
            columns = _word(member, number, line)
            if columns is not None:
                words.append(_read(member, number, columns, places))
        else:
            if words:
                yield key, words
            key, words = "", []


def sentences(files: RawFiles, member: str, wanted: tuple[str, ...]) -> Iterator[list[tuple[str, ...]]]:
    """The wanted columns of each word, a list per sentence; the last sentence needs no closing empty line."""
    places = [COLUMNS.index(name) for name in wanted]
    sentence: list[tuple[str, ...]] = []
    for number, line in files.lines(member):
        if not line:
            if sentence:
                yield sentence
            sentence = []
        elif not line.startswith("#"):
            columns = _word(member, number, line)
            if columns is not None:
                sentence.append(_read(member, number, columns, places))
    if sentence:
        yield sentence


def _word(member: str, number: int, line: str) -> list[str] | None:
    columns = line.split("\t")
    if len(columns) != len(COLUMNS):
        raise FormatError(f"{member}, line {number}: expected {len(COLUMNS)} tab-separated columns, got {len(columns)}")
    if _RANGE_OR_EMPTY.fullmatch(columns[0]):
        return None
    if not _ID.fullmatch(columns[0]):
        raise FormatError(f"{member}, line {number}: expected a word's number as its id, got {columns[0]!r}")
    return columns


def _read(member: str, number: int, columns: list[str], places: list[int]) -> tuple[str, ...]:
    for place in places:
        if columns[place] == "" or (columns[place] == "_" and COLUMNS[place] != "FORM"):  # a form may be an underscore
            raise FormatError(f"{member}, line {number}: expected {COLUMNS[place]}, got {columns[place]!r}")
    return tuple(columns[place] for place in places)
