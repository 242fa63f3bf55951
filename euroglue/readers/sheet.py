# SPDX-License-Identifier: Apache-2.0
"""Spreadsheets (xlsx), read by the order of their columns."""

from __future__ import annotations

import datetime
import zipfile
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import ParseError

import pandas as pd

from euroglue.errors import FormatError
from euroglue.task import reader

if TYPE_CHECKING:
    from euroglue.prepare.raw import RawFiles

MAX_UNPACKED = 2**30


@reader
def sheet(files: RawFiles, splits: Mapping[str, str], columns: tuple[str, ...]) -> pd.DataFrame:
    """Read the first sheet of one workbook per split; its first row is a header, an empty cell an empty text.

    Args:
        splits: split name → member.
        columns: names for the columns in their order; further columns are not read.

    Returns:
        ``id`` (``<split>-<number from 0>``), the columns (numbers stay numbers, dates become ISO texts) and ``split``.

    Raises:
        FormatError: the file is no workbook, is a bomb, or has too few columns.
    """
    rows = []
    for split, member in files.present(splits):
        for number, cells in enumerate(_cells(files, member, len(columns))):
            rows.append({"id": f"{split}-{number}", **dict(zip(columns, cells)), "split": split})
    return pd.DataFrame(rows, dtype=object)


def _cells(files: RawFiles, member: str, width: int) -> list[list[Any]]:
    import openpyxl
    from openpyxl.utils.exceptions import InvalidFileException

    path = files.path(member)
    try:
        with zipfile.ZipFile(path) as packed:
            if sum(entry.file_size for entry in packed.infolist()) > MAX_UNPACKED:
                raise FormatError(f"{member}: unpacks to more than {MAX_UNPACKED:,} bytes; refused")
        with open(path, "rb") as file:
            book = openpyxl.load_workbook(file, read_only=True, data_only=True)
            rows = [list(row) for row in book.worksheets[0].iter_rows(values_only=True)]
    except (zipfile.BadZipFile, InvalidFileException, ParseError, KeyError, IndexError, ValueError, OSError) as error:
        raise FormatError(f"{member}: expected an xlsx workbook, got {type(error).__name__}: {error}") from error
    if not rows or len(rows[0]) < width:
        raise FormatError(f"{member}, row 1: expected {width} columns, got {len(rows[0]) if rows else 0}")
    kept = [row for row in rows[1:] if any(cell is not None for cell in row)]
    return [[_plain(cell) for cell in row[:width]] for row in kept]


def _plain(cell: Any) -> Any:
    if cell is None:
        return ""
    return cell.isoformat() if isinstance(cell, (datetime.datetime, datetime.date)) else cell
