# SPDX-License-Identifier: Apache-2.0
"""Correlations and rankings of examples that occur several times: many resamples at once, without building any of them.

Weights are whole numbers, shape (resamples, examples): how often an example occurs in a resample. Every score here equals
that of the examples so repeated, in the order of the rows.
"""

from __future__ import annotations

import numpy as np

from euroglue.scoring.counts import divide


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
    scaled = values / max(float(np.max(np.abs(values))), np.finfo(float).tiny)
    centred = scaled - (np.sum(weights * scaled, axis=-1) / np.sum(weights, axis=-1))[:, None]
    least, most = (end(np.where(drawn, values, fill), axis=-1) for end, fill in ((np.min, np.inf), (np.max, -np.inf)))
    centred = np.where(drawn & (least != most)[:, None], centred, 0.0)
    return centred / np.maximum(np.max(np.abs(centred), axis=-1, keepdims=True), np.finfo(float).tiny)


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
    """Spearman's correlation of each resample, shape (resamples,); NaN where a side is constant in it."""
    return pearson(ranks(x, weights), ranks(y, weights), weights)


def _begins(sorted_keys: np.ndarray) -> np.ndarray:
    """Where each run of equal keys begins."""
    return np.flatnonzero(np.concatenate([[True], sorted_keys[1:] != sorted_keys[:-1]]))


def _by_group(columns: np.ndarray, begins: np.ndarray) -> np.ndarray:
    return columns if len(begins) == columns.shape[1] else np.add.reduceat(columns, begins, axis=1)


class WeightedRanking:
    """A ranking of each resample by groups of equal score, the best group first; arrays (resamples, groups).

    ``size`` and ``positives`` count a group, ``start`` and ``before`` the examples and the positives in better groups. The
    order within a group is open: every score is its mean over all orders.
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
        self.start = np.cumsum(self.size, axis=-1) - self.size
        self.before = np.cumsum(self.positives, axis=-1) - self.positives

    @property
    def total(self) -> np.ndarray:
        """How many examples are positive, shape (resamples,)."""
        return self.positives.sum(-1)

    def average_precision(self) -> np.ndarray:
        """The mean over positives of the precision at their ranks, shape (resamples,); 0 without positives.

        A positive at place j of a group has (j − 1)(r − 1) / (m − 1) others of the group's r before it on average, so a
        group's sum over its m places needs only the harmonic numbers.
        """
        ranks = np.arange(1, int(self.size.sum(-1).max()) + 1)
        harmonic = np.concatenate([[0.0], np.cumsum(1.0 / ranks)])
        first, last = self.start.astype(np.int64), (self.start + self.size).astype(np.int64)
        reciprocals = harmonic[last] - harmonic[first]  # the sum of 1 / rank over the group's ranks
        share = divide(self.positives, self.size)
        slope = (self.positives - 1) / np.maximum(self.size - 1, 1)
        inside = slope * (self.size - (self.start + 1) * reciprocals)
        return divide((share * ((self.before + 1) * reciprocals + inside)).sum(-1), self.total)

    def precision_at(self, cutoff: int) -> np.ndarray:
        """The positives among the first ``cutoff`` ranks by ``cutoff``, shape (resamples,)."""
        return self._hits(np.full(len(self.size), float(cutoff))) / cutoff

    def r_precision(self) -> np.ndarray:
        """The precision at as many ranks as there are positives, shape (resamples,); 0 without positives."""
        return divide(self._hits(self.total), self.total)

    def _hits(self, cutoffs: np.ndarray) -> np.ndarray:
        """Positives to be expected among the first ranks, of which ``cutoffs`` says how many for each resample."""
        within = np.clip(cutoffs[:, None] - self.start, 0.0, self.size)
        return (divide(self.positives, self.size) * within).sum(-1)

    def reciprocal_rank(self) -> np.ndarray:
        """One by the rank of the first positive, shape (resamples,); 0 without positives."""
        first = np.argmax(self.positives > 0, axis=-1)[:, None]
        size, positives, start = (
            np.take_along_axis(values, first, 1) for values in (self.size, self.positives, self.start)
        )
        place = np.arange(1, int(size.max()) + 1)
        left = np.maximum(size - place + 1, 1)
        hazard = np.where(place <= size, np.minimum(positives / left, 1.0), 0.0)  # that it is here if not before
        none_yet = np.cumprod(np.concatenate([np.ones((len(size), 1)), 1 - hazard[:, :-1]], axis=1), axis=1)
        return (none_yet * hazard / (start + place)).sum(-1)
