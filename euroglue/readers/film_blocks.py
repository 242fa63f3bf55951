# SPDX-License-Identifier: Apache-2.0
"""Blocks of reviews under a film: the format of the original Cinexio file (Kapukaranov and Nakov, 2015)."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd

from euroglue.errors import FormatError
from euroglue.task import reader

if TYPE_CHECKING:
    from euroglue.prepare.raw import RawFiles

FILM_COLUMNS = 11
REVIEW_COLUMNS = 4
DIGITS = 10
"""A count of reviews has fewer."""


@reader
def film_blocks(files: RawFiles, member: str) -> pd.DataFrame:
    """Read blocks of a film line (11 columns), a line with the number N of reviews, and N review lines (4 columns).

    Reviewers' names are personal data: the first column of a review is dropped here and goes nowhere.

    Returns:
        Columns ``ID`` (``<film>-<number of the review within it, from 0>``), ``Cinexio_URL``, ``Comment``, ``Date``
        (milliseconds since 1970, UTC, as text) and ``User_Rating``.

    Raises:
        FormatError: a block is cut short, or a line has the wrong columns, count, rating or date.
    """
    rows = []
    lines = files.lines(member)
    for number, line in lines:
        url = _columns(member, number, line, FILM_COLUMNS, "a film line")[2]
        film = url.rstrip("/").rpartition("/")[2]
        for review in range(_count(member, lines, number)):
            rows.append((f"{film}-{review}", url, *_review(member, *_next(member, lines, number))))
    return pd.DataFrame(rows, columns=["ID", "Cinexio_URL", "Comment", "Date", "User_Rating"]).astype(object)


def _next(member: str, lines: Iterator[tuple[int, str]], film: int) -> tuple[int, str]:
    for number, line in lines:
        return number, line
    raise FormatError(f"{member}: the block of the film in line {film} is cut short")


def _count(member: str, lines: Iterator[tuple[int, str]], film: int) -> int:
    number, line = _next(member, lines, film)
    if not (line.isascii() and line.strip().isdigit() and len(line) < DIGITS):
        raise FormatError(f"{member}, line {number}: expected the number of reviews, got {line[:60]!r}")
    return int(line)


def _review(member: str, number: int, line: str) -> tuple[str, str, float]:
    _, comment, rating, day = _columns(member, number, line, REVIEW_COLUMNS, "a review")
    try:
        date = datetime.datetime.strptime(day, "%d.%m.%Y").replace(tzinfo=datetime.timezone.utc)
    except ValueError as error:
        raise FormatError(f"{member}, line {number}: expected a date such as 02.02.2013, got {day[:20]!r}") from error
    try:
        value = float(rating)
    except ValueError as error:
        raise FormatError(f"{member}, line {number}: expected a rating such as 4.5, got {rating[:20]!r}") from error
    return comment, str(int(date.timestamp()) * 1000), value


def _columns(member: str, number: int, line: str, expected: int, what: str) -> list[str]:
    columns = line.split("\t")
    if len(columns) != expected:
        raise FormatError(f"{member}, line {number}: expected {what} of {expected} columns, got {len(columns)}")
    return columns
