# SPDX-License-Identifier: Apache-2.0
"""Data that lost every note of where it came from, known again by texts that are those of data prepared here."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from euroglue.prepare.scratch import home

if TYPE_CHECKING:
    from pathlib import Path

    from euroglue.task import Task

PROBED = 200
"""Rows that are looked at, evenly spaced where their number is known."""
LONG = 30
"""Characters from which a text tells where it came from."""
_NO_LETTER = re.compile(r"[\W_]+")
ENOUGH = 2
"""Texts that must be those of a task."""


def recognised(data: Any) -> Iterator[Task]:
    """The tasks that may not go into a public repository and of which the data hold texts.

    Only editions that were prepared on this machine are known; samples are not looked at.
    """
    from euroglue.registry import SUITES

    folders = [
        (task, folder)
        for suite in SUITES.values()
        for task in suite.tasks.values()
        if not task.licence.allows_pushing(private=False)
        for folder in sorted((home() / "prepared" / task.suite / task.name).glob("[!.]*-*"))
        if folder.is_dir() and not folder.name.startswith("sample-")
    ]
    if not folders:
        return
    texts = {_plain(text) for row in _probed(data) for text in long_texts(row)}
    for task, folder in folders:
        if texts and _common(texts, task, folder) >= min(ENOUGH, len(texts)):
            yield task


def _plain(text: str) -> str:
    """A text as it is compared: letters and digits alone, lower-cased.

    >>> _plain("„Добър филм“, не!") == _plain("добър филм не")
    True
    """
    return _NO_LETTER.sub("", text.casefold())


def _probed(data: Any) -> Iterable[Any]:
    if not hasattr(data, "__len__"):
        return itertools.islice(data, PROBED)
    step = max(len(data) // PROBED, 1)
    return (data[place] for place in range(0, len(data), step))


def long_texts(value: Any) -> Iterator[str]:
    """The long texts in a row, a list of words as one.

    >>> list(long_texts({"a": "kratko", "b": {"c": ["beseda"] * 5}}))
    ['beseda beseda beseda beseda beseda']
    """
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        value = " ".join(value)
    if isinstance(value, str):
        if len(value) >= LONG:
            yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from long_texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from long_texts(inner)


def _common(texts: set[str], task: Task, folder: Path) -> int:
    """How many of the texts stand in the input columns of a prepared edition."""
    import pyarrow.parquet as pq

    found: set[str] = set()
    for file in sorted(folder.glob("*.parquet")):
        with open(file, "rb") as opened, pq.ParquetFile(opened) as parquet:
            for batch in parquet.iter_batches(batch_size=4096, columns=list(task.inputs), use_threads=False):
                found |= {_plain(text) for row in batch.to_pylist() for text in long_texts(row)} & texts
    return len(found)
