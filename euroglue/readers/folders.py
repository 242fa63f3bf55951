# SPDX-License-Identifier: Apache-2.0
"""Folders of texts, one file per example: ``<split>/<label>/<id>_<rating>.txt`` (DBRD; the layout of the IMDB corpus)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pandas as pd

from euroglue.errors import FormatError
from euroglue.task import reader

if TYPE_CHECKING:
    from euroglue.prepare.raw import RawFiles


@reader
def folders(files: RawFiles, splits: Mapping[str, str], labels: Mapping[str, tuple[str, str]]) -> pd.DataFrame:
    """Read texts in the order of their sorted paths, white space at the ends taken off, lines ended by a line feed.

    Args:
        splits: split name → folder.
        labels: folder below it → label, and the ratings (single digits) that it may have.

    Returns:
        ``id`` (the part of the file's name before ``_``), ``text``, ``label``, ``rating`` (the part after it) and ``split``.

    Raises:
        FormatError: a folder is no label's or has no texts, a name has no rating or none of the label's, a text is empty or
            not UTF-8, or an id occurs twice.
    """
    rows: list[tuple[str, str, str, str, str]] = []
    seen: dict[str, str] = {}
    for split, folder in splits.items():
        for below in labels:
            if not files.names(f"{folder}/{below}/*.txt"):
                raise FormatError(f"{folder}/{below}: expected texts in it, there are none; unpack the archive again")
        for member in files.names(f"{folder}/*.txt"):
            *_, label, name = member.split("/")
            key, _, rating = name.removesuffix(".txt").partition("_")
            if label not in labels or not key or len(rating) != 1 or rating not in labels[label][1]:
                expected = ", ".join(f"{folder}/{one}/123_{ratings[0]}.txt" for one, (_, ratings) in labels.items())
                raise FormatError(f"{member}: expected a name such as {expected}, its rating one of the folder's")
            if key in seen:
                raise FormatError(f"{member}: the id {key} is also that of {seen[key]}; expected every id once")
            seen[key] = member
            text = files.text(member).strip().replace("\r\n", "\n")
            if not text:
                raise FormatError(f"{member}: expected a text, got an empty file; fetch the file again")
            rows.append((key, text, labels[label][0], rating, split))
    return pd.DataFrame(rows, columns=["id", "text", "label", "rating", "split"]).astype(object)
