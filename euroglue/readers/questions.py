# SPDX-License-Identifier: Apache-2.0
"""Questions with lettered choices: MMLU's rows as MMLUX gives them out, and MuBench's prompts of six lines."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from euroglue.errors import FormatError
from euroglue.readers.records import matching, records, text_field
from euroglue.readers.skipped import Skipped
from euroglue.readers.tsv import told_apart
from euroglue.task import reader

if TYPE_CHECKING:
    from euroglue.prepare.raw import RawFiles

LETTERS = "abcd"
PROMPT_LINES = 6
COLUMNS = ["id", "question", "choices", "label", "split"]


def lettered(texts: Sequence[str]) -> list[dict[str, str]]:
    """The choices with their letters, from ``a``.

    >>> lettered(["sneg", "dež"])
    [{'label': 'a', 'text': 'sneg'}, {'label': 'b', 'text': 'dež'}]
    """
    return [{"label": letter, "text": text} for letter, text in zip(LETTERS, texts, strict=False)]


@reader
def mmlu(files: RawFiles, splits: Mapping[str, str]) -> pd.DataFrame:
    """Read questions of four choices; the subject is what the id says before its first slash.

    Args:
        splits: split name → pattern of members, JSON lines or Parquet.

    Returns:
        ``id`` (the published one and the split), ``question``, ``choices``, ``label`` (the letter of the right choice),
        ``category`` and ``split``.

    Raises:
        FormatError: a row has not four choices that are texts, or no answer from 0 to 3; the place is named.
    """
    rows = []
    for split, member in matching(files, splits):
        for where, row in records(files, member):
            key = text_field(where, row, "id")
            category, slash, _ = key.partition("/")
            if not (slash and category):
                raise FormatError(f"{where}: expected an id such as 'anatomy/12', got {key[:40]!r}")
            choices = row.get("choices")
            if not isinstance(choices, list) or len(choices) != 4 or not all(isinstance(one, str) for one in choices):
                raise FormatError(f"{where}: expected 4 choices that are texts, got {str(choices)[:80]}")
            label = LETTERS[_number(where, row, "answer", len(choices))]
            question = text_field(where, row, "question")
            rows.append((f"{key}/{split}", question, lettered(choices), label, category, split))
    table = pd.DataFrame(rows, columns=[*COLUMNS[:4], "category", "split"], dtype=object)
    return table.assign(id=pd.Series(told_apart(table["id"]), dtype=object))


@reader
def prompts(files: RawFiles, splits: Mapping[str, str], everywhere: bool = False) -> pd.DataFrame:
    """Read prompts of six lines: a sentence with a blank, what is asked, two lettered options, a hint, ``Answer:``.

    The question is the first two lines, joined by a space. An option loses what stands before its text, a word and its
    letter with a colon (``Možnost A: ``). A row whose option lines do not begin so is left out and reported.

    Args:
        splits: split name → pattern of members, JSON lines or Parquet.
        everywhere: take such a word and letter out wherever they stand, and keep the rows without, as the published
            build does.

    Returns:
        ``id`` (``<split>-<number from 0>``), ``question``, ``choices``, ``label`` (``a`` or ``b``) and ``split``.

    Raises:
        FormatError: a prompt has not six lines, or the label is neither 0 nor 1; the place is named.
    """
    rows: list[tuple[Any, ...]] = []
    skipped = Skipped()
    numbers = dict.fromkeys(splits, 0)
    for split, member in matching(files, splits):
        for where, row in records(files, member):
            lines = text_field(where, row, "prompt").split("\n")
            if len(lines) != PROMPT_LINES:
                raise FormatError(f"{where}: expected a prompt of {PROMPT_LINES} lines, got {len(lines)}")
            label = LETTERS[_number(where, row, "label", 2)]
            options = [_option(line, letter, everywhere) for line, letter in zip(lines[2:4], "AB")]
            key = f"{split}-{numbers[split]}"
            numbers[split] += 1
            if None in options:
                skipped.add("question left out, an option does not begin with its letter", key)
                continue
            rows.append((key, " ".join(lines[:2]), lettered([str(one) for one in options]), label, split))
    skipped.report(files)
    return pd.DataFrame(rows, columns=COLUMNS, dtype=object)


def _option(line: str, letter: str, everywhere: bool) -> str | None:
    if everywhere:
        return re.sub(rf"[^ ]+ {letter}: ?", "", line)
    text, times = re.subn(rf"^[^ ]+ {letter}: ?", "", line)
    return text if times else None


def _number(where: str, row: Mapping[str, Any], name: str, below: int) -> int:
    value = row.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < below:
        raise FormatError(f"{where}: expected {name!r} to be a number from 0 to {below - 1}, got {str(value)[:40]!r}")
    return value
