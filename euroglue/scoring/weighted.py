# SPDX-License-Identifier: Apache-2.0
"""Correlations and rankings of examples that occur several times: many resamples at once, without building any of them.

Weights are whole numbers, shape (resamples, examples): how often an example occurs in a resample. Every score here equals
that of the examples so repeated, in the order of the rows.
"""

from __future__ import annotations

import numpy as np

from euroglue.scoring.counts import divide
from euroglue.scoring.scale import to_unit


def pearson(x: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Pearson's correlation of each resample, shape (resamples,); NaN where a side is constant in it.

    Args:
        x: numbers, shape (examples,) or (resamples, examples).
        y: numbers, likewise.
        weights: shape (resamples, examples).

    >>> pearson(np.array([1.0, 2.0, 9.0]), np.array([1.0, 2.0, 0.0]), np.array([[1, 1, 0], [2, 0, 0]])).tolist()
    [1.0, nan]
    """
    x, y = _centred(x, weights), _centred(y, weights)
    weighted = weights * x
    cross, square = np.sum(weighted * y, axis=-1), np.sum(weighted * x, axis=-1)
    length = np.sqrt(square * np.sum(weights * y * y, axis=-1))
    ratio = np.divide(cross, length, out=np.full(len(weights), np.nan), where=length > 0)
    return np.clip(ratio, -1.0, 1.0)


def _centred(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The values less each resample's mean, scaled so that nothing overflows; zeros where all that occur are equal."""
    drawn = weights > 0
    count, (centred, _) = np.sum(weights, axis=-1), to_unit(values)
    for _ in range(2):  # the second mean is of small numbers: what the first one lost to rounding
        centred = centred - (np.sum(weights * centred, axis=-1) / count)[:, None]
    least, most = (end(np.where(drawn, values, fill), axis=-1) for end, fill in ((np.min, np.inf), (np.max, -np.inf)))
    return to_unit(np.where(drawn & (least != most)[:, None], centred, 0.0), -1)[0]


def ranks(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The rank of each example in each resample, from 1, shape (resamples, examples); ties share their average rank.

    >>> ranks(np.array([0.3, 0.1, 0.9]), np.array([[2, 1, 1]])).tolist()
    [[2.5, 1.0, 4.0]]
    """
    _, place = np.unique(values, return_inverse=True)
    order = np.argsort(place, kind="stable")
    size = _by_group(weights[:, order], _begins(place[order]))
    return (np.cumsum(size, axis=-1) - (size - 1) / 2)[:, place]


def spearman(x: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Spearman's correlation of each resample, shape (resamples,); NaN where a side is constant in it.

    >>> spearman(np.array([1.0, 2.0, 9.0]), np.array([3.0, 5.0, 8.0]), np.array([[1, 1, 1]])).tolist()
    [1.0]
    """
    return pearson(ranks(x, weights), ranks(y, weights), weights)


def _begins(sorted_keys: np.ndarray) -> np.ndarray:
    """Where each run of equal keys begins."""
    return np.flatnonzero(np.concatenate([[True], sorted_keys[1:] != sorted_keys[:-1]]))


def _by_group(columns: np.ndarray, begins: np.ndarray) -> np.ndarray:
    return columns if len(begins) == columns.shape[1] else np.add.reduceat(columns, begins, axis=1)


class WeightedRanking:
    """A ranking of each resample by groups of equal score, the best group first; arrays (resamples, groups).

    ``size`` and ``positives`` count a group, ``last`` and ``up_to`` the examples and the positives in it and all better
    ones. The order within a group is open: every score is its mean over all orders.

    >>> ranking = WeightedRanking(np.array([0.9, 0.5, 0.1]), np.array([1, 0, 1]), np.array([[1, 1, 1], [2, 1, 0]]))
    >>> ranking.average_precision().round(3).tolist(), ranking.precision_at(2).tolist()
    ([0.833, 1.0], [0.5, 1.0])
    """

    def __init__(self, scores: np.ndarray, gold: np.ndarray, weights: np.ndarray, *, keep_order: bool = False):
        """Rank examples by their scores, the highest first.

        Args:
            scores: finite numbers, shape (examples,).
            gold: 1 for a positive, 0 for a negative, shape (examples,).
            weights: shape (resamples, examples).
            keep_order: whether equal scores keep the order of the examples, so that only copies of one share a group.
        """
        order = np.argsort(-scores, kind="stable")
        begins = np.arange(len(order)) if keep_order else _begins(scores[order])
        drawn = weights[:, order].astype(float)
        self.size = _by_group(drawn, begins)
        self.positives = _by_group(drawn * gold[order], begins)
        self.last, self.up_to = np.cumsum(self.size, axis=-1), np.cumsum(self.positives, axis=-1)
        self.held = np.flatnonzero(np.add.reduceat(gold[order], begins))
        """The groups that can hold a positive."""

    @property
    def total(self) -> np.ndarray:
        """How many examples are positive, shape (resamples,)."""
        return self.up_to[:, -1]

    def average_precision(self) -> np.ndarray:
        """The mean over positives of the precision at their ranks, shape (resamples,); 0 without positives.

        A positive at place j of a group has (j − 1)(r − 1) / (m − 1) others of the group's r before it on average, so a
        group's sum over its m places needs only the harmonic numbers.
        """
        size, positives, last, up_to = (
            values[:, self.held] for values in (self.size, self.positives, self.last, self.up_to)
        )
        ranks = np.arange(1, int(self.last[:, -1].max()) + 1)
        harmonic = np.concatenate([[0.0], np.cumsum(1.0 / ranks)])
        start = last - size
        reciprocals = harmonic[last.astype(np.intp)] - harmonic[start.astype(np.intp)]  # the sum of 1 / rank
        slope = (positives - 1) / np.maximum(size - 1, 1)
        each = (up_to - positives + 1 - (start + 1) * slope) * reciprocals + slope * size
        return divide((each * positives / np.maximum(size, 1)).sum(-1), self.total)

    def precision_at(self, cutoff: int) -> np.ndarray:
        """The positives among the first ``cutoff`` ranks by ``cutoff``, shape (resamples,)."""
        return self._hits(np.full(len(self.size), float(cutoff))) / cutoff

    def r_precision(self) -> np.ndarray:
        """The precision at as many ranks as there are positives, shape (resamples,); 0 without positives."""
        return divide(self._hits(self.total), self.total)

    def _hits(self, cutoffs: np.ndarray) -> np.ndarray:
        """Positives to be expected among the first ranks, of which ``cutoffs`` says how many for each resample."""
        count = self.last.shape[1]
        found = [np.searchsorted(last, cutoff) for last, cutoff in zip(self.last, cutoffs)]
        place = np.minimum(found, count - 1)[:, None]  # the group of the last of those ranks
        size, positives, last, up_to = (
            np.take_along_axis(values, place, 1)[:, 0] for values in (self.size, self.positives, self.last, self.up_to)
        )
        return up_to - divide(positives, size) * np.maximum(last - cutoffs, 0.0)

    def reciprocal_rank(self) -> np.ndarray:
        """One by the rank of the first positive, shape (resamples,); 0 without positives."""
        first = np.argmax(self.positives > 0, axis=-1)[:, None]
        size, positives, last = (
            np.take_along_axis(values, first, 1) for values in (self.size, self.positives, self.last)
        )
        place = np.arange(1, int(size.max()) + 1)
        left = np.maximum(size - place + 1, 1)
        hazard = np.where(place <= size, np.minimum(positives / left, 1.0), 0.0)  # that it is here if not before
        none_yet = np.cumprod(np.concatenate([np.ones((len(size), 1)), 1 - hazard[:, :-1]], axis=1), axis=1)
        return (none_yet * hazard / (last - size + place)).sum(-1)
