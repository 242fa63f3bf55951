# SPDX-License-Identifier: Apache-2.0
"""Objects row by row, whether the Hub gives them out as Parquet or as JSON lines; readers of such rows share this."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from euroglue.disk import is_of_the_system
from euroglue.errors import FormatError, MissingRawFileError
from euroglue.readers.jsonl import read_object

if TYPE_CHECKING:
    from euroglue.prepare.raw import RawFiles

PARQUET = ".parquet"
BATCH = 1024


def records(files: RawFiles, member: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The rows of a member with their places: Parquet by its ending, else JSON lines; empty lines are passed over.

    Yields:
        ``(place, row)``; the place names the member and the line (from 1) or the row (from 0).

    Raises:
        FormatError: the member is no Parquet, a line is no JSON object, a text is no UTF-8, or there is no row at all.
    """
    found = False
    for where, row in _parquet(files, member) if member.endswith(PARQUET) else _lines(files, member):
        found = True
        yield where, row
    if not found:
        raise FormatError(f"{member}: expected rows, got none")


def _lines(files: RawFiles, member: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, line in files.lines(member):
        if line.strip():
            yield f"{member}, line {number}", read_object(member, number, line)


def _parquet(files: RawFiles, member: str) -> Iterator[tuple[str, dict[str, Any]]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    number = 0
    try:
        with open(files.path(member), "rb") as file, pq.ParquetFile(file) as parquet:
            for batch in parquet.iter_batches(batch_size=BATCH, use_threads=False):
                for row in batch.to_pylist():
                    yield f"{member}, row {number}", row
                    number += 1
    except UnicodeDecodeError as error:
        raise FormatError(
            f"{member}, from row {number} on: expected UTF-8, got 0x{error.object[error.start]:02x}"
        ) from error
    except (pa.ArrowException, OSError) as error:
        if is_of_the_system(error):
            raise
        raise FormatError(f"{member}: expected a Parquet file, got: {' '.join(str(error).split())[:120]}") from error


def matching(files: RawFiles, patterns: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The pairs (split, member) of all members that match the split's pattern, members sorted.

    A split without members is left out where a source was left out, and is then incomplete.

    Raises:
        MissingRawFileError: a pattern matches nothing though no source was left out.
    """
    for split, pattern in patterns.items():
        members = files.names(pattern)
        if not members and not files.missing:
            raise MissingRawFileError(f"{pattern}: expected it among the raw files, got {', '.join(files.names())}")
        if not members:
            files.incomplete.add(split)
        yield from ((split, member) for member in members)


def text_field(where: str, row: Mapping[str, Any], name: str) -> str:
    """The text in a field; ``FormatError`` names the place where there is none."""
    value = row.get(name)
    if not isinstance(value, str):
        raise FormatError(f"{where}: expected {name!r} to be a text, got {str(value)[:40]!r}")
    return value
