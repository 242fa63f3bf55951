# SPDX-License-Identifier: Apache-2.0
"""Spreadsheets (xlsx), read by the order of their columns."""

from __future__ import annotations

import datetime
import zipfile
import zlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import ParseError

import pandas as pd

from euroglue.disk import is_of_the_system
from euroglue.errors import FormatError
from euroglue.task import reader

if TYPE_CHECKING:
    from euroglue.prepare.raw import RawFiles

MAX_UNPACKED = 2**30
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    ParseError,
    LookupError,
    TypeError,
    AttributeError,
    ValueError,
    OSError,
    RuntimeError,  # zipfile: encrypted, or packed in a way it does not know
)


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
    return pd.DataFrame(rows, columns=["id", *columns, "split"], dtype=object)


def _cells(files: RawFiles, member: str, width: int) -> list[list[Any]]:
    """The cells of the rows that hold anything; of a row no more than so many, however far to the right one stands."""
    import openpyxl
    from openpyxl.utils.exceptions import InvalidFileException

    path = files.path(member)
    kept: list[list[Any]] = []
    try:
        with zipfile.ZipFile(path) as packed:
            if sum(entry.file_size for entry in packed.infolist()) > MAX_UNPACKED:
                raise FormatError(f"{member}: unpacks to more than {MAX_UNPACKED:,} bytes; refused")
        with open(path, "rb") as file:
            book = openpyxl.load_workbook(file, read_only=True, data_only=True)
            rows = book.worksheets[0].iter_rows(max_col=width, values_only=True)
            headed = [place for place, cell in enumerate(next(rows, ()), start=1) if cell is not None]
            for row in rows:
                if any(cell is not None for cell in row):
                    kept.append([_plain(cell) for cell in row])
    except FormatError:
        raise
    except _BROKEN as error:
        if is_of_the_system(error):
            raise
        raise FormatError(f"{member}: expected an xlsx workbook, got {type(error).__name__}: {error}") from error
    except InvalidFileException as error:
        raise FormatError(f"{member}: expected an xlsx workbook, got {error}") from error
    if not headed or headed[-1] < width:
        raise FormatError(f"{member}, row 1: expected {width} columns, got {headed[-1] if headed else 0}")
    return kept


def _plain(cell: Any) -> Any:
    if cell is None:
        return ""
    return cell.isoformat() if isinstance(cell, (datetime.datetime, datetime.date, datetime.time)) else cell
