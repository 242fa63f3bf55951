# SPDX-License-Identifier: Apache-2.0
"""Sequences of tags as flat arrays of integer codes: what every sequence metric shares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, repeat
from typing import Any, NamedTuple

import numpy as np

from euroglue.errors import PredictionError
from euroglue.scoring.inputs import are_ids, bad_reference


class _Separator:
    """Stands after each example, so that one pass over the flat values knows where examples end."""


SEPARATOR = _Separator()


class Codes(NamedTuple):
    """One side as codes: a label's id, one more for the separator after each example, then one per unknown value."""

    codes: np.ndarray
    lengths: np.ndarray
    unknown: Counter[Any]


def encode(rows: Iterable[Any], labels: Sequence[str], role: str) -> Codes:
    """Turn rows of tags into one array of codes.

    Args:
        rows: per example a list, tuple, array or tensor of label names, or of integer ids.
        labels: the label names in the order of their ids.
        role: ``prediction`` or ``reference``, for messages.

    Raises:
        PredictionError: a row is no sequence, or its values are neither names nor whole numbers.
    """
    listed = _listed(rows, role)
    names: dict[Any, int] = {name: code for code, name in enumerate(labels)}
    try:
        return _codes(listed, {**names, SEPARATOR: len(labels)}, Counter())
    except (KeyError, TypeError):  # integers, an unknown name, or a value of a wrong type: look closer
        values = list(chain.from_iterable(listed))
        lengths = np.array([len(row) for row in listed])
    known: Mapping[Any, int] = (
        {i: i for i in range(len(labels))} if are_ids(values, role, lambda i: place(i, lengths)) else names
    )
    unknown = Counter(value for value in values if value not in known)
    codes = {key: code for code, key in enumerate([*known, SEPARATOR, *unknown])}
    return _codes(listed, codes, unknown)


def _codes(rows: list[Any], codes: Mapping[Any, int], unknown: Counter[Any]) -> Codes:
    found = _look_up(rows, codes)
    return Codes(found, np.diff(np.flatnonzero(found == codes[SEPARATOR]), prepend=-1) - 1, unknown)


def _listed(rows: Iterable[Any], role: str) -> list[Any]:
    listed = list(rows)
    if all(issubclass(kind, (list, tuple)) for kind in set(map(type, listed))):
        return listed
    return [row if isinstance(row, (list, tuple)) else _as_list(row, i, role) for i, row in enumerate(listed)]


def _as_list(row: Any, example: int, role: str) -> list[Any]:
    values = row.tolist() if hasattr(row, "tolist") else row
    if not isinstance(values, list):
        raise PredictionError(f"example {example}: expected a list of tags as the {role}, got {type(row).__name__}")
    return values


def _look_up(rows: list[Any], codes: Mapping[Any, int]) -> np.ndarray:
    flat: Iterator[Any] = chain.from_iterable(chain.from_iterable(zip(rows, repeat((SEPARATOR,)))))
    if len(codes) > 256:
        return np.fromiter(map(codes.__getitem__, flat), dtype=np.int32)
    characters = {key: chr(code) for key, code in codes.items()}
    text = "".join(map(characters.__getitem__, flat))  # the quickest way from an iterator to an array
    return np.frombuffer(text.encode("latin-1"), dtype=np.uint8)


def place(position: int, lengths: np.ndarray) -> str:
    """Where a flat position (separators not counted) is, for a message: ``example 3, tag 7``, both from 0."""
    ends = np.cumsum(lengths)
    example = int(np.searchsorted(ends, position, side="right"))
    return f"example {example}, tag {position - int(ends[example]) + int(lengths[example])}"


def check_pair(predictions: Codes, references: Codes, labels: Sequence[str]) -> None:
    """Refuse sides that do not fit together, and references that are hidden or unknown.

    Raises:
        PredictionError: the message names the example.
    """
    expected, got = references.lengths, predictions.lengths
    if len(expected) != len(got):
        raise PredictionError(f"expected {len(expected)} predictions, one per reference, got {len(got)}")
    if not len(expected):
        raise PredictionError("there are no examples to score")
    if not expected.any():
        raise PredictionError("every reference is empty: the gold is hidden in this split, score it where it is known")
    for example in np.flatnonzero(expected != got)[:1]:
        hint = ": the reference is empty, so the gold may be hidden" if not expected[example] else ""
        raise PredictionError(f"example {example}: expected {expected[example]} tags, got {got[example]}{hint}")
    if references.unknown:
        inner = references.codes[references.codes != len(labels)]
        position = int(np.argmax(inner > len(labels)))
        where, value = place(position, expected), list(references.unknown)[inner[position] - len(labels) - 1]
        raise bad_reference(value, labels, where)
