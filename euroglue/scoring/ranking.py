# SPDX-License-Identifier: Apache-2.0
"""Scores of a ranking of examples by a number each: average precision, precision at k, R-precision, reciprocal rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from euroglue.scoring.counts import divide
from euroglue.scoring.inputs import encode_labels, finite, label_names, one_of, paired, positive_label
from euroglue.scoring.metric import Facts, Metric
from euroglue.scoring.signature import label_set
from euroglue.scoring.weighted import WeightedRanking

if TYPE_CHECKING:
    from euroglue.task import Task

CUTOFFS = (1, 3, 5, 10, 20, 50)
TIES = ("expected", "order")


class Ranking(NamedTuple):
    """What is known of each rank from the best on; arrays of shape (…, examples).

    Examples of equal score form a group whose order is open. ``start`` is the number of examples in better groups,
    ``size`` and ``positives`` count the group, ``before`` counts the positives in better groups.
    """

    start: np.ndarray
    size: np.ndarray
    positives: np.ndarray
    before: np.ndarray

    @property
    def place(self) -> np.ndarray:
        """The place of each rank within its group, from 1."""
        return np.arange(1, self.size.shape[-1] + 1) - self.start

    @property
    def total(self) -> np.ndarray:
        """How many examples are positive, shape (…)."""
        return self.before[..., -1] + self.positives[..., -1]

    @property
    def hits(self) -> np.ndarray:
        """The probability that a positive is at the rank, over all orders of the groups."""
        return self.positives / self.size


def rank(scores: np.ndarray, gold: np.ndarray, ties: str = "expected") -> Ranking:
    """Rank examples by their scores, the highest first.

    Args:
        scores: finite numbers, shape (…, examples).
        gold: 1 for a positive, 0 for a negative, shape (…, examples).
        ties: ``expected`` leaves the order of equal scores open; ``order`` keeps that of the examples.

    >>> rank(np.array([0.1, 0.9, 0.9]), np.array([1, 1, 0])).hits.tolist()
    [0.5, 0.5, 1.0]
    """
    order = np.argsort(-scores, axis=-1, kind="stable" if ties == "order" else None)
    scores, gold = np.take_along_axis(scores, order, -1), np.take_along_axis(gold, order, -1)
    count, ranks = scores.shape[-1], np.arange(scores.shape[-1])
    begins = np.ones(scores.shape, dtype=bool)
    if ties == "expected":
        begins[..., 1:] = scores[..., 1:] != scores[..., :-1]
    ends = np.roll(begins, -1, axis=-1)  # a rank ends a group where the next begins one
    start = np.maximum.accumulate(np.where(begins, ranks, 0), axis=-1)
    last = np.flip(np.minimum.accumulate(np.flip(np.where(ends, ranks, count), -1), axis=-1), -1)
    up_to = np.concatenate([np.zeros((*gold.shape[:-1], 1)), np.cumsum(gold, axis=-1)], axis=-1)
    before = np.take_along_axis(up_to, start, -1)
    return Ranking(start, last + 1 - start, np.take_along_axis(up_to, last + 1, -1) - before, before)


def average_precision(ranking: Ranking) -> np.ndarray:
    """The mean over positives of the precision at their ranks, in expectation over all orders of ties; 0 without positives.

    With m examples and r positives in a group, a positive at place j has (j − 1)(r − 1) / (m − 1) others before it in the
    group on average, so that a closed form sums over ranks. Without ties it is the usual (non-interpolated) score.

    >>> float(average_precision(rank(np.array([0.9, 0.5, 0.1]), np.array([1, 0, 1])))).__round__(3)
    0.833
    """
    inside = (ranking.place - 1) * (ranking.positives - 1) / np.maximum(ranking.size - 1, 1)
    precision = (ranking.before + 1 + inside) / np.arange(1, ranking.size.shape[-1] + 1)
    return divide((ranking.hits * precision).sum(-1), ranking.total)


def precision_at(ranking: Ranking, cutoff: int) -> np.ndarray:
    """The positives among the first ``cutoff`` ranks by ``cutoff``, even where there are fewer examples (as trec_eval).

    >>> float(precision_at(rank(np.array([0.9, 0.5]), np.array([1, 1])), 5))
    0.4
    """
    return ranking.hits[..., :cutoff].sum(-1) / cutoff


def r_precision(ranking: Ranking) -> np.ndarray:
    """The precision at as many ranks as there are positives; 0 without positives.

    >>> float(r_precision(rank(np.array([0.9, 0.5, 0.1]), np.array([1, 0, 1]))))
    0.5
    """
    within = np.arange(ranking.size.shape[-1]) < ranking.total[..., None]
    return divide((ranking.hits * within).sum(-1), ranking.total)


def reciprocal_rank(ranking: Ranking) -> np.ndarray:
    """One by the rank of the first positive, in expectation over all orders of ties; 0 without positives.

    >>> float(reciprocal_rank(rank(np.array([0.9, 0.5]), np.array([0, 1]))))
    0.5
    """
    left = ranking.size - ranking.place + 1
    hazard = np.minimum(ranking.positives / left, 1.0)  # that a positive is here if none was before in the group
    none_yet = np.concatenate([np.ones((*hazard.shape[:-1], 1)), np.cumprod(1 - hazard, axis=-1)[..., :-1]], axis=-1)
    return (none_yet * hazard / np.arange(1, hazard.shape[-1] + 1)).sum(-1)


class AveragePrecision(Metric):
    """Average precision of a ranking by score, with the other scores of CheckThat! beside it. Range 0–1.

    bgGLUE's score for CT21.T1 (Hardalov et al., ACL 2023, table 11). A prediction is one finite number per example,
    higher for what should be ranked higher; the positive label is the task's last one.

    Scores: ``average_precision``, ``precision_at_1``, ``_3``, ``_5``, ``_10``, ``_20`` and ``_50``, ``r_precision``,
    ``reciprocal_rank``.

    Ties: by default (``expected``) each score is its mean over all orders of the examples whose scores are equal, so
    that it depends neither on the order of the file nor on luck, and a constant scores what chance would. ``order``
    keeps the order of the examples among equals, as the scorer of the task's organisers does.

    ``precision_at_k`` divides by k even where there are fewer examples, as trec_eval does. Where no example is positive
    every score is 0, with a warning.

    >>> metric = AveragePrecision(["normal", "check-worthy"])
    >>> metric.compute([0.9, 0.2, 0.6], [1, 1, 0])["average_precision"]
    0.8333333333333333
    >>> metric.compute([0.5, 0.5], [1, 0])["average_precision"]
    0.75
    >>> AveragePrecision(["normal", "check-worthy"], ties="order").compute([0.5, 0.5], [0, 1])["average_precision"]
    0.5
    """

    name: ClassVar[str] = "average_precision"
    primary: str = "average_precision"
    facts: ClassVar[Facts] = Facts(
        formula="(1 / R) Σ P@k over the ranks k of the R positives",
        policy="no positives: 0, warning; ties: the mean over all their orders; P@k is by k even of fewer examples; NaN or infinity: an error",
        oracle="scikit-learn without ties; all orders enumerated with ties",
        tolerance="1e-12",
    )
    additive: ClassVar[bool] = False

    def __init__(self, labels: Sequence[str], ties: str = "expected", positive: str | None = None):
        """Make the metric.

        Args:
            labels: the label names in the order of their ids.
            ties: one of ``TIES``.
            positive: the label that should be ranked high; the last one if not given.

        Raises:
            EuroglueError: there is no such rule for ties, or no such label.
        """
        one_of(self.name, "ties", ties, TIES)
        self.labels, self.ties = tuple(labels), ties
        self.positive = positive_label(self.name, self.labels, positive)

    @classmethod
    def for_task(cls, task: Task) -> AveragePrecision:
        """The metric over the task's label names, of which the last is the positive one."""
        return cls(label_names(task, cls.name))

    def settings(self) -> dict[str, str]:
        """The rule for ties, the positive label, the policies for short and hopeless rankings, and the label set."""
        return {
            "ties": self.ties,
            "positive": self.positive,
            "precision_at_k": "by_k",
            "no_positives": "0",
            "labels": label_set(self.labels),
        }

    def observe(self, predictions: Sequence[Any], references: Sequence[Any]) -> tuple[np.ndarray, tuple[str, ...]]:
        """The pairs, shape (examples, 2): score, and whether the gold label is the positive one.

        Raises:
            PredictionError: the lengths differ, there are no examples, a prediction is no finite number, or a reference
                is hidden or unknown.
        """
        guesses, golds = paired(predictions, references)
        scores, gold = finite(guesses, "prediction"), encode_labels(golds, self.labels, "reference").codes
        return np.stack([scores, gold == self.labels.index(self.positive)], axis=1), ()

    def score(self, totals: np.ndarray) -> dict[str, Any]:
        """The scores of rows (…, examples, 2)."""
        ranking = rank(totals[..., 0], totals[..., 1], self.ties)
        return {
            "average_precision": average_precision(ranking),
            **{f"precision_at_{cutoff}": precision_at(ranking, cutoff) for cutoff in CUTOFFS},
            "r_precision": r_precision(ranking),
            "reciprocal_rank": reciprocal_rank(ranking),
        }

    def score_weighted(self, rows: np.ndarray, weights: np.ndarray) -> dict[str, Any]:
        """The scores of resamples of the rows, shape (resamples,); by ``order`` copies of an example are neighbours."""
        ranking = WeightedRanking(rows[:, 0], rows[:, 1], weights, keep_order=self.ties == "order")
        return {
            "average_precision": ranking.average_precision(),
            **{f"precision_at_{cutoff}": ranking.precision_at(cutoff) for cutoff in CUTOFFS},
            "r_precision": ranking.r_precision(),
            "reciprocal_rank": ranking.reciprocal_rank(),
        }

    def undefined(self, totals: np.ndarray) -> tuple[str, ...]:
        """A warning where no example is positive."""
        if totals[..., 1].any():
            return ()
        return (f"no example is {self.positive!r}: the ranking has no score and is set to 0",)
