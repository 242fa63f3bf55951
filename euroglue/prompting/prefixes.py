# SPDX-License-Identifier: Apache-2.0
"""Which requests begin alike, so that a language model need read their common beginning only once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

COST = 64
"""What a group of its own costs, in tokens that one could read instead."""
DEPTH = 64
"""How often a group may be parted."""


class Group(NamedTuple):
    """Rows that share their first ``length`` tokens."""

    length: int
    rows: tuple[int, ...]


def common(one: Sequence[int], other: Sequence[int]) -> int:
    """How many tokens two rows have in common at their beginning.

    >>> common([1, 2, 3], [1, 2, 4, 5])
    2
    """
    least = min(len(one), len(other))
    if list(one[:least]) == list(other[:least]):
        return least
    return next(place for place in range(least) if one[place] != other[place])


def group(rows: Sequence[Sequence[int]]) -> list[Group]:
    """Part rows of tokens into groups, so that the fewest tokens are read when each group's beginning is read once.

    At least the last token of each row is no part of the common beginning.

    Args:
        rows: the tokens of each; none is empty.

    >>> group([[7] * 90 + [1], [8] * 90 + [2], [7] * 90 + [3], [8] * 90 + [4]])
    [Group(length=90, rows=(0, 2)), Group(length=90, rows=(1, 3))]
    """
    order = sorted(range(len(rows)), key=lambda row: list(rows[row]))
    bare = [list(rows[row])[:-1] for row in order]
    shared = [common(one, other) for one, other in zip(bare, bare[1:])]
    return [
        Group(length if last > first else 0, tuple(sorted(order[first : last + 1])))
        for length, first, last in _best(shared, 0, len(order) - 1, DEPTH)[1]
    ]


def _best(shared: list[int], first: int, last: int, depth: int) -> tuple[int, list[tuple[int, int, int]]]:
    """The tokens saved, and the groups ``(length, first, last)`` of the sorted rows from ``first`` to ``last``."""
    if last < first:
        return 0, []
    if last == first:
        return 0, [(0, first, last)]
    place = min(range(first, last), key=shared.__getitem__)
    length = shared[place]
    whole = (last - first) * length, [(length, first, last)]
    if depth == 0 or max(shared[first:last]) == length:
        return whole
    left, right = _best(shared, first, place, depth - 1), _best(shared, place + 1, last, depth - 1)
    parted = left[0] + right[0] - COST
    return (parted, left[1] + right[1]) if parted > whole[0] else whole
