# SPDX-License-Identifier: Apache-2.0
"""Which models of a task are not worse than the best one and which are below the baseline, as table 2 of the DUMB paper marks them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from euroglue.scoring.correctness import Correctness
from euroglue.scoring.mixed_effects import Contrast, fit

ALPHA = 0.05
"""The paper's level."""


@dataclass(frozen=True)
class Verdict:
    """What the mixed-effects regression says of a task.

    Attributes:
        best: the best model.
        baseline: the model that others should beat; None if there is none.
        not_worse: ``best``, and the models that do not differ from it or are above it.
        below_baseline: the models that are below the baseline.
        against_best, against_baseline: each other model's contrast.
        shares: of each model the share of right trials.
        items, trials: what was counted.
        sd: the standard deviation of the items' intercepts, in log-odds.
        alpha: the level of the tests.
        notes: what is out of the ordinary, a sentence each.
    """

    best: str
    baseline: str | None
    not_worse: tuple[str, ...]
    below_baseline: tuple[str, ...]
    against_best: Mapping[str, Contrast]
    against_baseline: Mapping[str, Contrast]
    shares: Mapping[str, float]
    items: int
    trials: int
    sd: float
    alpha: float
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The verdict as plain values that JSON can hold; an infinite difference is None."""
        plain = asdict(self)
        for name in ("against_best", "against_baseline"):
            plain[name] = {model: _plain(contrast) for model, contrast in getattr(self, name).items()}
        return plain


def _plain(contrast: Contrast) -> dict[str, Any]:
    finite = abs(contrast.estimate) != float("inf")
    return {**contrast._asdict(), "estimate": contrast.estimate if finite else None}


def judge(counts: Correctness, baseline: str | None = None, best: str | None = None, alpha: float = ALPHA) -> Verdict:
    """Compare all models of a task with the best one and with the baseline (DUMB paper, section 3.3).

    Args:
        counts: right and tried by item and model, all runs of all models.
        baseline: the reference level of the second comparison, if there is one.
        best: the reference level of the first; by default the model with the highest share of right trials.
        alpha: the level below which a p-value tells models apart.

    Raises:
        EuroglueError: the regression cannot be fitted, or there is no such model.

    >>> import numpy as np
    >>> hard, item = np.arange(40) % 10, np.tile(np.arange(40), 3)
    >>> right = np.concatenate([hard < 8, (hard + np.arange(40) // 20) % 10 < 8, hard < 2])
    >>> found = judge(Correctness.of_observations(right, np.repeat(["a", "b", "c"], 40), item), baseline="b")
    >>> found.not_worse, found.below_baseline
    (('a', 'b'), ('c',))
    """
    fitted, shares = fit(counts), counts.shares
    top = max(counts.models, key=shares.__getitem__) if best is None else best
    from_top = fitted.against(top)
    from_base = fitted.against(baseline) if baseline is not None else {}

    def below(contrast: Contrast) -> bool:
        return contrast.estimate < 0 and contrast.p is not None and contrast.p < alpha

    return Verdict(
        best=top,
        baseline=baseline,
        not_worse=tuple(model for model in counts.models if model == top or not below(from_top[model])),
        below_baseline=tuple(model for model, contrast in from_base.items() if below(contrast)),
        against_best=from_top,
        against_baseline=from_base,
        shares=shares,
        items=int(counts.tried.any(axis=1).sum()),
        trials=int(counts.tried.sum()),
        sd=fitted.sd,
        alpha=alpha,
        notes=fitted.notes,
    )
