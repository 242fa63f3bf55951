# SPDX-License-Identifier: Apache-2.0
"""EuroEval's draws and the figure it prints behind ±, under the name of what it is: a Monte-Carlo error.

EuroEval scores a model on ten bootstrap samples and prints the mean of the ten scores ± 1.96 standard errors *of that
mean*. More iterations make that figure as small as one likes, whatever the size of the test set: it says how well ten
iterations know the mean of all iterations, not how well the test set knows the model. For the latter see
``euroglue.scoring.bootstrap``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from euroglue.errors import EuroglueError
from euroglue.scoring.bootstrap import CELLS

if TYPE_CHECKING:
    from euroglue.scoring.metric import Metric

ITERATIONS, SEED = 10, 4242
SPLITS = ("train", "validation", "test")


class MonteCarlo(NamedTuple):
    """The mean of ``n`` scores and ``half_width``, 1.96 · SD / √n (ddof 1), which has no value for a single score."""

    mean: float
    half_width: float | None
    n: int


def euroeval_draws(sizes: Mapping[str, int], iterations: int = ITERATIONS, seed: int = SEED) -> dict[str, np.ndarray]:
    """The positions of EuroEval's bootstrap samples: split → array (iterations, size of the split).

    One generator draws for training, validation and test, in this order, so the test draws depend on the sizes of the other
    two splits, and the first of ten iterations is not the only one of one.

    Args:
        sizes: rows of ``train``, ``validation`` and ``test``; a split may lack.
        iterations: how many samples.
        seed: of the generator.

    >>> euroeval_draws({"train": 4, "validation": 2, "test": 3}, iterations=2)["test"].shape
    (2, 3)
    """
    rng = np.random.default_rng(seed)
    return {name: rng.integers(0, sizes[name], size=(iterations, sizes[name])) for name in SPLITS if name in sizes}


def monte_carlo(scores: Sequence[float]) -> MonteCarlo:
    """The mean of the scores of iterations, with EuroEval's half-width; it is no confidence interval of the model's score.

    Raises:
        EuroglueError: there are no scores, or one is not finite.

    >>> found = monte_carlo([0.5, 0.75])
    >>> found.mean, round(found.half_width, 6), found.n
    (0.625, 0.245, 2)
    >>> monte_carlo([1])
    MonteCarlo(mean=1.0, half_width=None, n=1)
    """
    values = np.asarray(scores, dtype=float)
    if not len(values) or not np.isfinite(values).all():
        raise EuroglueError(f"expected one or more finite scores, got {list(scores)[:5]}")
    n = len(values)
    half = 1.96 * float(np.std(values, ddof=1)) / math.sqrt(n) if n > 1 else None
    return MonteCarlo(float(values.mean()), half, n)


def monte_carlo_interval(metric: Metric, rows: np.ndarray, draws: np.ndarray) -> dict[str, MonteCarlo]:
    """EuroEval's figures for one set of predictions, by score.

    Only the test set is drawn anew here; where training or shots are drawn too, score each iteration by itself and call
    ``monte_carlo``.

    Args:
        metric: any metric.
        rows: what its ``observe`` returns for the whole test set.
        draws: positions, shape (iterations, examples): ``euroeval_draws(…)["test"]``.

    >>> from euroglue.scoring.labels import Accuracy
    >>> metric = Accuracy(["no", "yes"])
    >>> rows = metric.statistics(["no", "yes"], ["no", "no"])
    >>> monte_carlo_interval(metric, rows, np.array([[0, 0], [0, 1]]))["accuracy"].mean
    0.75
    """
    at_once = max(1, CELLS // len(rows))
    parts = []
    for start in range(0, len(draws), at_once):
        some = draws[start : start + at_once]
        weights = np.stack([np.bincount(row, minlength=len(rows)) for row in some])
        parts.append(metric.score_weighted(rows, weights))
    return {key: monte_carlo(np.concatenate([part[key] for part in parts]).tolist()) for key in parts[0]}
