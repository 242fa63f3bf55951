# SPDX-License-Identifier: Apache-2.0
"""Tab-separated values with a header and without any quoting: a quotation mark is a character like others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from euroglue.errors import FormatError
from euroglue.task import reader

if TYPE_CHECKING:
    from euroglue.prepare.raw import RawFiles


@reader
def tsv(
    files: RawFiles,
    splits: Mapping[str, str],
    columns: Mapping[str, str | tuple[str, ...]],
    absent: Mapping[str, tuple[str, ...]] = {},
    where: Mapping[str, str] = {},
    number: str = "",
    key: tuple[str, ...] = (),
) -> pd.DataFrame:
    """Read named columns of one member per split; every value stays a text.

    Args:
        splits: split name → member.
        columns: column of the table → its name in the header, or several names of which a file has one.
        absent: split → columns that its file does not have; they are None there.
        where: keep the rows with this value in a column of the file, where the file has that column.
        number: if given, add a column of this name with ``<split>-<number from 0>`` over the rows kept.
        key: columns of the file that tell its rows apart: if given, add a column ``id`` with their values, joined by
            hyphens; what occurs again gets ``#2``, ``#3``, ….

    Raises:
        FormatError: the header lacks a column, or a row has another number of columns than the header.
    """
    ids = ([number] if number else []) + (["id"] if key else [])
    table: dict[str, list[str | None]] = {name: [] for name in [*ids, *columns, "split"]}
    for split, member in files.present(splits):
        lines = files.lines(member)
        header = _header(member, lines)
        wanted = {name: spelt for name, spelt in columns.items() if name not in absent.get(split, ())}
        places = {name: _place(member, header, spelt) for name, spelt in wanted.items()}
        keys = [_place(member, header, name) for name in key]
        tests = [(header.index(name), value) for name, value in where.items() if name in header]
        kept = 0
        for cells in _rows(member, lines, len(header)):
            if all(cells[place] == value for place, value in tests):
                for name in columns:
                    table[name].append(cells[places[name]] if name in places else None)
                if key:
                    table["id"].append("-".join(cells[place] for place in keys))
                kept += 1
        table["split"] += [split] * kept
        if number:
            table[number] += [f"{split}-{at}" for at in range(kept)]
    if key:
        table["id"] = [*told_apart(table["id"])]
    return pd.DataFrame(table, dtype=object)


def told_apart(ids: Iterable[str | None]) -> list[str]:
    """The ids, where one occurs again with a number, from 2, that makes it another than all others.

    >>> told_apart(["1-1", "1-2", "1-1", "1-1"])
    ['1-1', '1-2', '1-1#2', '1-1#3']
    """
    given = list(map(str, ids))
    taken, seen = set(given), Counter(dict.fromkeys(given, 0))
    apart = []
    for one in given:
        seen[one] += 1
        new = f"{one}#{seen[one]}" if seen[one] > 1 else one
        while seen[one] > 1 and new in taken:
            seen[one] += 1
            new = f"{one}#{seen[one]}"
        taken.add(new)
        apart.append(new)
    return apart


def _header(member: str, lines: Iterator[tuple[int, str]]) -> list[str]:
    for _, line in lines:
        return line.split("\t")
    raise FormatError(f"{member}: expected a header line, got an empty file")


def _place(member: str, header: Sequence[str], spelt: str | tuple[str, ...]) -> int:
    names = (spelt,) if isinstance(spelt, str) else spelt
    found = [name for name in names if name in header]
    if not found:
        raise FormatError(f"{member}, line 1: expected a column {' or '.join(names)}, got {', '.join(header)}")
    return header.index(found[0])


def _rows(member: str, lines: Iterator[tuple[int, str]], columns: int) -> Iterator[list[str]]:
    for number, line in lines:
        if line:
            cells = line.split("\t")
            if len(cells) != columns:
                raise FormatError(
                    f"{member}, line {number}: expected {columns} columns, got {len(cells)}: {line[:60]!r}"
                )
            yield cells
