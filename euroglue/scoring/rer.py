# SPDX-License-Identifier: Apache-2.0
"""Relative error reduction: which share of a baseline's errors a system does not make."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from euroglue.errors import PredictionError, shown
from euroglue.finite import is_finite
from euroglue.scoring.signature import digest


def relative_error_reduction(score: float, baseline: float) -> float:
    """The share of the baseline's errors that a system avoids; negative where it makes more, at most 1.

    ``(score − baseline) / (1 − baseline)``, after de Vries et al., DUMB (EMNLP 2023, section 3.3).

    Args:
        score: the system's score, at most 1.
        baseline: the baseline's score on the same task, below 1.

    Raises:
        PredictionError: a score is no finite number or above 1, the baseline makes no errors, or the reduction is infinite.

    >>> round(relative_error_reduction(0.85, 0.80), 12)
    0.25
    """
    found, base = share(score, "the score"), share(baseline, "the baseline's score")
    if base == 1.0:
        raise PredictionError("the baseline scores 1.0: it makes no errors that could be reduced; choose another one")
    reduced = (found - base) / (1.0 - base)
    if math.isinf(reduced):
        raise PredictionError(f"the score {found!r} against the baseline's {base!r}: the reduction is no finite number")
    return reduced


def reductions(scores: Mapping[str, Any], baseline: Mapping[str, Any]) -> dict[str, float]:
    """The relative error reduction of each task that has a score.

    Args:
        scores: task → the system's score.
        baseline: task → the baseline's score, for each of those tasks.

    Raises:
        PredictionError: the baseline lacks a task, or a pair has no reduction; the message names the task.

    >>> reductions({"dpr": 0.75}, {"dpr": 0.5, "dbrd": 0.9})
    {'dpr': 0.5}
    """
    missing = [name for name in scores if name not in baseline]
    if missing:
        raise PredictionError(f"the baseline has no score for {', '.join(missing)}; it has: {', '.join(baseline)}")
    found = {}
    for name, score in scores.items():
        try:
            found[name] = relative_error_reduction(score, baseline[name])
        except PredictionError as error:
            raise PredictionError(f"{name}: {error}") from error
    return found


def described(baseline: Mapping[str, Any]) -> str:
    """What a signature says of a baseline that is not a published one: reductions against another one are other numbers.

    Raises:
        PredictionError: a score is no finite number, or above 1.

    >>> described({"dpr": 0.6}) == described({"dpr": 0.60}) != described({"dpr": 0.7})
    True
    """
    scores = {name: share(score, f"{name}: the baseline's score") for name, score in baseline.items()}
    return f"given~{digest(scores)}"


def share(value: Any, what: str) -> float:
    """The value as a finite float of at most 1.

    Raises:
        PredictionError: it is none; scores from 0 to 100 are told apart by the message.

    >>> share(1, "the score")
    1.0
    """
    if not is_finite(value):
        raise PredictionError(f"{what}: expected a finite number, got {shown(value)}")
    if value > 1:
        raise PredictionError(
            f"{what}: expected a share of at most 1, got {shown(value)}; divide scores out of 100 by 100"
        )
    return float(value)
