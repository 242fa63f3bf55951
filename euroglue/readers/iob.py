# SPDX-License-Identifier: Apache-2.0
"""Tagged tokens, one a line, with an empty line between sentences (the CoNLL family with two columns)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import pandas as pd

from euroglue.errors import FormatError
from euroglue.task import reader

if TYPE_CHECKING:
    from euroglue.prepare.raw import RawFiles


@reader
def iob(
    files: RawFiles,
    splits: Mapping[str, str],
    prefix: str = "",
    untagged: tuple[str, ...] = (),
    tags: str = "ner_tags",
    separator: str = "\t",
    into: str = "split",
) -> pd.DataFrame:
    """Read lines of a token and its tag; the last sentence counts with or without a closing empty line.

    Args:
        splits: split name → member.
        prefix: text that stands before every token and is cut off, such as ``bg:``.
        untagged: splits whose lines hold the token alone; their tags are read as ``O`` (and hidden by the edition).
        tags: the name of the column of tags.
        separator: what stands between token and tag: a tab, or the space of CoNLL-2002.
        into: the name of the column of splits; another name than ``split`` where the splits of the files are not those
            of the task, which are then drawn from what is at hand.

    Returns:
        Columns ``id`` (``<split>-<number from 0>``), ``tokens``, the column of tags, and ``split`` (or ``into``).

    Raises:
        FormatError: a line has the wrong number of columns or lacks the prefix; file and line are named.
    """
    rows = []
    for split, member in files.present(splits, are_splits=into == "split"):
        columns = 1 if split in untagged else 2
        for number, sentence in enumerate(_sentences(files, member, prefix, columns, separator)):
            tokens = [token for token, _ in sentence]
            rows.append((f"{split}-{number}", tokens, [tag for _, tag in sentence], split))
    return pd.DataFrame(rows, columns=["id", "tokens", tags, into], dtype=object)


def _sentences(
    files: RawFiles, member: str, prefix: str, columns: int, separator: str
) -> Iterator[list[tuple[str, str]]]:
    sentence: list[tuple[str, str]] = []
    for number, line in files.lines(member):
        if line:
            sentence.append(_token(member, number, line, prefix, columns, separator))
        elif sentence:
            yield sentence
            sentence = []
    if sentence:
        yield sentence


def _token(member: str, number: int, line: str, prefix: str, columns: int, separator: str) -> tuple[str, str]:
    parts = line.split(separator)
    if len(parts) != columns:
        between = {"\t": "tab", " ": "space"}.get(separator, repr(separator))
        raise FormatError(
            f"{member}, line {number}: expected {columns} {between}-separated column(s), got {len(parts)}: {line[:60]!r}"
        )
    if not parts[0].startswith(prefix):
        raise FormatError(f"{member}, line {number}: expected a token after {prefix!r}, got {parts[0][:60]!r}")
    if parts[0] == prefix:
        raise FormatError(f"{member}, line {number}: expected a token, got an empty one: {line[:60]!r}")
    return parts[0][len(prefix) :], parts[1] if columns == 2 else "O"
