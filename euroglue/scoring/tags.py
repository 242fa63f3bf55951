# SPDX-License-Identifier: Apache-2.0
"""Sequences of tags as flat arrays of integer codes: what every sequence metric shares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, repeat
from typing import Any, NamedTuple

import numpy as np

from euroglue.errors import PredictionError
from euroglue.scoring.inputs import are_ids, bad_reference, listed, plain


class _Separator:
    """Stands after each example, so that one pass over the flat values knows where examples end."""


SEPARATOR = _Separator()


class Codes(NamedTuple):
    """One side as codes: a label's id, one more for the separator after each example, then one per unknown value."""

    codes: np.ndarray
    lengths: np.ndarray
    unknown: Counter[Any]


class Ragged(NamedTuple):
    """Rows of integer ids as one flat array and the length of each row: the quickest input of every sequence metric.

    >>> Ragged.of([[1, 2], [0]]).lengths.tolist()
    [2, 1]
    """

    values: np.ndarray
    lengths: np.ndarray

    @classmethod
    def of(cls, rows: Iterable[Sequence[int]]) -> Ragged:
        """The ids of rows; there must be at least one row."""
        arrays = [np.asarray(row, dtype=np.int64) for row in rows]
        return cls(np.concatenate(arrays), np.array([len(row) for row in arrays]))


def encode(rows: Iterable[Any], labels: Sequence[str], role: str) -> Codes:
    """Turn rows of tags into one array of codes.

    Args:
        rows: per example a list, tuple, array or tensor of label names, or of integer ids; a two-dimensional array; or
            ``Ragged``. Arrays of integers are quickest.
        labels: the label names in the order of their ids.
        role: ``prediction`` or ``reference``, for messages.

    Raises:
        PredictionError: a row is no sequence, or its values are neither names nor whole numbers.

    >>> encode([["B", "O"], ["O"]], ("O", "B"), "prediction").codes.tolist()
    [1, 0, 2, 0, 2]
    """
    ragged = _integers(rows)
    if ragged is not None:
        return _ids(ragged, len(labels))
    found = _listed(rows, role)
    names: dict[Any, int] = {name: code for code, name in enumerate(labels)}
    try:
        return _codes(found, {**names, SEPARATOR: len(labels)}, Counter())
    except (KeyError, TypeError):  # integers, an unknown name, or a value of a wrong type: look closer
        values = list(chain.from_iterable(found))
        lengths = np.array([len(row) for row in found])
    known: Mapping[Any, int] = (
        {i: i for i in range(len(labels))} if are_ids(values, role, lambda i: place(i, lengths)) else names
    )
    unknown = Counter(value for value in values if value not in known)
    codes = {key: code for code, key in enumerate([*known, SEPARATOR, *unknown])}
    return _codes(found, codes, unknown)


def _integers(rows: Any) -> Ragged | None:
    """The rows as ``Ragged`` if they are arrays of integers throughout, else None."""
    if isinstance(rows, Ragged):
        return _checked(rows)
    if isinstance(rows, np.ndarray) and rows.ndim == 2 and rows.dtype.kind in "iu":
        return Ragged(rows.ravel(), np.full(len(rows), rows.shape[1]))
    if not isinstance(rows, (list, tuple)) or set(map(type, rows)) != {np.ndarray}:
        return None
    if any(dtype.kind not in "iu" for dtype in {row.dtype for row in rows}):
        return None
    try:
        values = np.concatenate(rows)
    except ValueError:  # not all of one dimension
        return None
    if values.ndim != 1 or values.dtype.kind not in "iu":
        return None
    return Ragged(values, np.fromiter(map(len, rows), dtype=np.int64, count=len(rows)))


def _checked(rows: Ragged) -> Ragged:
    values, lengths = (np.asarray(side) for side in rows)
    if any(side.ndim != 1 or (side.size and side.dtype.kind not in "iu") for side in (values, lengths)):
        raise PredictionError("expected whole numbers in the flat arrays of values and lengths")
    if len(lengths) and (lengths.min() < 0 or lengths.sum() != len(values)):
        raise PredictionError(f"expected lengths that add up to {len(values)} values, got {lengths.sum()}")
    return Ragged(values.astype(np.int64, copy=False), lengths.astype(np.int64, copy=False))


def _ids(ragged: Ragged, labels: int) -> Codes:
    """Codes of integer ids, without a look at each one in Python."""
    values, lengths = ragged
    unknown: Counter[Any] = Counter()
    if len(values) and (values.min() < 0 or values.max() >= labels):
        odd = (values < 0) | (values >= labels)
        distinct, place, counts = np.unique(values[odd], return_inverse=True, return_counts=True)
        unknown = Counter(dict(zip(distinct.tolist(), counts.tolist())))
        values = values.astype(np.int64)
        values[odd] = labels + 1 + place
    narrow = labels + 1 + len(unknown) <= 256
    return Codes(_spread(values.astype(np.uint8 if narrow else np.int32), lengths, lengths, labels), lengths, unknown)


def _spread(values: np.ndarray, lengths: np.ndarray, room: np.ndarray, filler: int) -> np.ndarray:
    """The values of each example at the start of a room of its own, with ``filler`` for the rest and after each room."""
    after = np.cumsum(room + 1)
    taken = np.ones(int(after[-1]) if len(after) else 0, dtype=bool)
    taken[after - 1] = False
    for example in np.flatnonzero(lengths < room):
        taken[after[example] - 1 - room[example] + lengths[example] : after[example]] = False
    found = np.full(len(taken), filler, dtype=values.dtype)
    found[taken] = values
    return found


def _codes(rows: list[Any], codes: Mapping[Any, int], unknown: Counter[Any]) -> Codes:
    found = _look_up(rows, codes)
    return Codes(found, np.diff(np.flatnonzero(found == codes[SEPARATOR]), prepend=-1) - 1, unknown)


def _listed(rows: Iterable[Any], role: str) -> list[Any]:
    found = listed(rows)
    if all(issubclass(kind, (list, tuple)) for kind in set(map(type, found))):
        return found
    return [row if isinstance(row, (list, tuple)) else _as_list(row, i, role) for i, row in enumerate(found)]


def _as_list(row: Any, example: int, role: str) -> list[Any]:
    values = plain(row)
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
    """Where a flat position (separators not counted) is, for a message: ``example 3, tag 7``, both from 0.

    >>> place(3, np.array([2, 5]))
    'example 1, tag 1'
    """
    ends = np.cumsum(lengths)
    example = int(np.searchsorted(ends, position, side="right"))
    return f"example {example}, tag {position - int(ends[example]) + int(lengths[example])}"


def fitted(predictions: Codes, references: Codes, labels: Sequence[str]) -> tuple[Codes, tuple[str, ...]]:
    """The predictions with as many tags as the references, missing ones filled by an outside tag; and a warning of them.

    Raises:
        PredictionError: as ``check_pair``, but for examples with fewer tags.

    >>> labels = ("O", "B")
    >>> guess, gold = encode([["B"]], labels, "prediction"), encode([["B", "O"]], labels, "reference")
    >>> filled, warnings = fitted(guess, gold, labels)
    >>> filled.codes.tolist(), warnings
    ([1, 2, 2], ('1 examples have fewer predicted tags than words: 1 missing tags count as O',))
    """
    filled, warnings = predictions, tuple[str, ...]()
    if len(predictions.lengths) == len(references.lengths):
        missing = np.maximum(references.lengths - predictions.lengths, 0)
        if short := np.count_nonzero(missing):
            inner = predictions.codes[predictions.codes != len(labels)]
            room = predictions.lengths + missing
            codes = _spread(inner, predictions.lengths, room, len(labels))
            filled = Codes(codes, room, predictions.unknown)
            what = f"{missing.sum()} missing tags count as O"
            warnings = (f"{short} examples have fewer predicted tags than words: {what}",)
    check_pair(filled, references, labels)
    return filled, warnings


def check_pair(predictions: Codes, references: Codes, labels: Sequence[str]) -> None:
    """Refuse sides that do not fit together, and references that are hidden or unknown.

    Raises:
        PredictionError: the message names the example.

    >>> check_pair(encode([[0]], ("O",), "prediction"), encode([[0, 0]], ("O",), "reference"), ("O",))
    Traceback (most recent call last):
    euroglue.errors.PredictionError: example 0: expected 2 tags, got 1
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


def token_codes(predictions: Codes, references: Codes, labels: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Predicted and gold label ids of all tokens, and the example of each, shape (tokens,) each.

    ``labels``, their number, stands for every unknown prediction. The two sides must fit together.

    >>> sides = encode([["B", "X"]], ("O", "B"), "prediction"), encode([["B", "O"]], ("O", "B"), "reference")
    >>> [values.tolist() for values in token_codes(*sides, 2)]
    [[1, 2], [1, 0], [0, 0]]
    """
    tokens = references.codes != labels  # all but the separators
    guess, gold = (np.minimum(side.codes[tokens].astype(np.int64), labels) for side in (predictions, references))
    return guess, gold, np.repeat(np.arange(len(references.lengths)), references.lengths)
