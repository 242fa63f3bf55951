# SPDX-License-Identifier: Apache-2.0
"""CoNLL-U as running text: each sentence as it is written, its tokens with their tags, lemmas and spaces, its document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

from euroglue.errors import FormatError
from euroglue.prepare.text import spell
from euroglue.readers.conllu import COLUMNS, blocks, comment
from euroglue.readers.skipped import Skipped
from euroglue.task import reader

if TYPE_CHECKING:
    from euroglue.prepare.raw import RawFiles

_FORM, _LEMMA, _UPOS, _MISC = (COLUMNS.index(name) for name in ("FORM", "LEMMA", "UPOS", "MISC"))


class Token(NamedTuple):
    """A token as it is written: a word, or a multi-word range with the tag and lemma of its first word."""

    form: str
    upos: str
    lemma: str
    space: bool


@reader
def conllu_text(files: RawFiles, splits: Mapping[str, str], into: str = "split") -> pd.DataFrame:
    """Read sentences as they are written; a range (``3-4``) stands for its words, empty nodes (``5.1``) are skipped.

    Args:
        splits: split name → member.
        into: the name of the column of splits; another name than ``split`` where the treebank's splits are not those of
            the task, which are then drawn from what is at hand.

    Returns:
        ``id`` (the ``sent_id``), ``text``, the list columns ``tokens``, ``tags`` (UPOS), ``lemmas`` and ``spaces`` (whether
        one follows the token), ``document`` (``newdoc id``, or the ``sent_id`` without its last part where it does not
        begin with that), and ``split`` (or ``into``).

    Raises:
        FormatError: a sentence lacks ``sent_id`` or ``text``, a token its form or tag, or the tokens do not spell the text.
    """
    rows, skipped = [], Skipped()
    for split, member in files.present(splits, are_splits=into == "split"):
        document = ""
        for comments, lines in blocks(files, member):
            document = comments.get("newdoc id", document)
            key, text = (comment(member, comments, name, lines[0][0]) for name in ("sent_id", "text"))
            tokens = list(_tokens(member, lines))
            if (spelt := spell([token.form for token in tokens], [token.space for token in tokens])) != text:
                raise FormatError(f"{member}, sentence {key}: expected tokens that spell its text, got {spelt[:60]!r}")
            own = document and key.startswith(f"{document}.")
            if not own:
                skipped.add("sentence outside the documents, taken for one of its own", key)
            row = {name: list(values) for name, values in zip(("tokens", "tags", "lemmas", "spaces"), zip(*tokens))}
            place = document if own else key.rpartition(".")[0] or key
            rows.append({"id": key, "text": text, **row, "document": place, into: split})
    skipped.report(files)
    columns = ["id", "text", "tokens", "tags", "lemmas", "spaces", "document", into]
    return pd.DataFrame(rows, columns=columns, dtype=object)


def _tokens(member: str, lines: list[tuple[int, list[str]]]) -> Iterator[Token]:
    """The tokens of a sentence; words within a range are passed over, its tag and lemma are those of the first of them."""
    until = 0
    words = {columns[0]: columns for _, columns in lines}
    for number, columns in lines:
        start, hyphen, end = columns[0].partition("-")
        if "." in start or (not hyphen and int(start) <= until):
            continue
        word = words.get(start, columns)
        until = int(end) if hyphen else until
        if "" in (columns[_FORM], word[_UPOS]) or word[_UPOS] == "_":
            raise FormatError(f"{member}, line {number}: expected a form and its UPOS, got {columns[: _UPOS + 1]}")
        yield Token(columns[_FORM], word[_UPOS], word[_LEMMA], "SpaceAfter=No" not in columns[_MISC].split("|"))
