# SPDX-License-Identifier: Apache-2.0
"""Comma-separated values with a header, quoted by RFC 4180; columns are known by name, never by place."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import pandas as pd

from euroglue.errors import FormatError
from euroglue.task import reader

if TYPE_CHECKING:
    from euroglue.prepare.raw import RawFiles

LONGEST_FIELD = 2**20


@reader
def csv_table(
    files: RawFiles,
    splits: Mapping[str, str],
    columns: Mapping[str, str],
    key: str,
    agree: Mapping[str, str] = {},
) -> pd.DataFrame:
    """Read named columns of one member per split; every value stays a text.

    Args:
        splits: split name → member.
        columns: column of the table → its name in the header.
        key: the header's name of the column that tells the rows of a member apart.
        agree: split name → another member over the same rows; where it is at hand, it must have the same keys, and the
            same values in each column that it has too.

    Returns:
        ``id`` (``<split>-<key>``), the columns and ``split``.

    Raises:
        FormatError: the header lacks a column or has it twice, a row has the wrong number of cells, a quotation mark does
            not close, a key occurs twice, or the two members disagree; file and line are named.
    """
    rows = []
    for split, member in files.present(splits):
        table = _by_key(files, member, key, tuple(columns.values()))
        other = agree.get(split, "")
        if other and files.names(other):
            _compare(member, table, other, _by_key(files, other, key))
        for name, (_, cells) in table.items():
            values = {column: cells[spelt] for column, spelt in columns.items()}
            rows.append({"id": f"{split}-{name}", **values, "split": split})
    return pd.DataFrame(rows, columns=["id", *columns, "split"], dtype=object)


def _by_key(
    files: RawFiles, member: str, key: str, wanted: tuple[str, ...] = ()
) -> dict[str, tuple[int, dict[str, str]]]:
    """Key → line and cells by column."""
    lines = _lines(files, member)
    _, header = next(lines, (0, []))
    for name in (key, *wanted):
        if header.count(name) != 1:
            found = ", ".join(header) or "an empty file"
            raise FormatError(f"{member}, line 1: expected one column {name}, got {found}")
    table: dict[str, tuple[int, dict[str, str]]] = {}
    for number, cells in lines:
        if len(cells) != len(header):
            raise FormatError(f"{member}, line {number}: expected {len(header)} columns, got {len(cells)}")
        row = dict(zip(header, cells))
        if row[key] in table:
            raise FormatError(
                f"{member}, line {number}: the {key} {row[key]!r} is also that of line {table[row[key]][0]}"
            )
        table[row[key]] = (number, row)
    return table


def _lines(files: RawFiles, member: str) -> Iterator[tuple[int, list[str]]]:
    limit = csv.field_size_limit(LONGEST_FIELD)  # of the whole process: given back below
    rows = csv.reader(io.StringIO(files.text(member), newline=""), strict=True)
    start = 1
    try:
        for cells in rows:
            if cells:
                yield start, cells
            start = rows.line_num + 1
    except csv.Error as error:
        raise FormatError(f"{member}, line {start}: expected comma-separated values, got: {error}") from error
    finally:
        csv.field_size_limit(limit)


def _compare(
    member: str,
    table: Mapping[str, tuple[int, dict[str, str]]],
    other: str,
    against: Mapping[str, tuple[int, dict[str, str]]],
) -> None:
    if table.keys() != against.keys():
        odd = sorted(table.keys() ^ against.keys())
        raise FormatError(
            f"{member}: expected the same rows as {other}; {len(odd)} stand in one only, such as {odd[0]!r}"
        )
    for name, (number, row) in table.items():
        for column, value in against[name][1].items():
            if column in row and row[column] != value:
                raise FormatError(
                    f"{member}, line {number}: {column}: expected {value!r} as in {other}, got {row[column]!r}"
                )
