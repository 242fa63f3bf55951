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
    files: RawFiles, splits: Mapping[str, str], prefix: str = "", untagged: tuple[str, ...] = (), tags: str = "ner_tags"
) -> pd.DataFrame:
    """Read ``token TAB tag`` lines; the last sentence counts with or without a closing empty line.

    Args:
        splits: split name → member.
        prefix: text that stands before every token and is cut off, such as ``bg:``.
        untagged: splits whose lines hold the token alone; their tags are read as ``O`` (and hidden by the edition).
        tags: the name of the column of tags.

    Returns:
        Columns ``id`` (``<split>-<number from 0>``), ``tokens``, the column of tags, and ``split``.

    Raises:
        FormatError: a line has the wrong number of columns or lacks the prefix; file and line are named.
    """
    rows = []
    for split, member in files.present(splits):
        columns = 1 if split in untagged else 2
        for number, sentence in enumerate(_sentences(files, member, prefix, columns)):
            tokens = [token for token, _ in sentence]
            rows.append((f"{split}-{number}", tokens, [tag for _, tag in sentence], split))
    return pd.DataFrame(rows, columns=["id", "tokens", tags, "split"], dtype=object)


def _sentences(files: RawFiles, member: str, prefix: str, columns: int) -> Iterator[list[tuple[str, str]]]:
    sentence: list[tuple[str, str]] = []
    for number, line in files.lines(member):
        if line:
            sentence.append(_token(member, number, line, prefix, columns))
        elif sentence:
            yield sentence
            sentence = []
    if sentence:
        yield sentence


def _token(member: str, number: int, line: str, prefix: str, columns: int) -> tuple[str, str]:
    parts = line.split("\t")
    if len(parts) != columns:
        raise FormatError(
            f"{member}, line {number}: expected {columns} tab-separated column(s), got {len(parts)}: {line[:60]!r}"
        )
    if not parts[0].startswith(prefix):
        raise FormatError(f"{member}, line {number}: expected a token after {prefix!r}, got {parts[0][:60]!r}")
    if parts[0] == prefix:
        raise FormatError(f"{member}, line {number}: expected a token, got an empty one: {line[:60]!r}")
    return parts[0][len(prefix) :], parts[1] if columns == 2 else "O"
