# SPDX-License-Identifier: Apache-2.0
"""One number of many: how the scores of a suite's tasks make the suite's score."""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from euroglue.errors import PredictionError, UnknownNameError
from euroglue.scoring import AGGREGATES

if TYPE_CHECKING:
    from euroglue.task import Suite


@dataclass(frozen=True)
class SuiteScore:
    """The score of a suite: ``value`` is None while a task is ``missing``; ``tasks`` are the scores it rests on."""

    suite: str
    value: float | None
    tasks: Mapping[str, float]
    missing: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "tasks", MappingProxyType(dict(self.tasks)))


def mean(scores: Sequence[float]) -> float:
    """The unweighted mean.

    >>> mean([0.25, 0.75])
    0.5
    """
    return math.fsum(scores) / len(scores)


def aggregate(suite: Suite, scores: Mapping[str, float]) -> SuiteScore:
    """Make the suite's score of its tasks' primary scores.

    Args:
        suite: the suite; ``expected`` names the tasks it takes, ``aggregate`` the function.
        scores: task name → primary score, finite, all in one unit (0–1, or all 0–100).

    Returns:
        The score; without a value, and with the missing tasks named, unless every expected task has a score.

    Raises:
        UnknownNameError: a task is not one of the suite's expected ones; the message lists the nearest.
        PredictionError: a score is no finite number.
    """
    for name, value in scores.items():
        if name not in suite.expected:
            near = difflib.get_close_matches(name, suite.expected, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise UnknownNameError(f"{suite.name} scores no task {name!r}; {hint}it takes: {', '.join(suite.expected)}")
        number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
        if not number or not math.isfinite(value):
            raise PredictionError(f"{suite.name}/{name}: expected a finite number as the score, got {value!r}")
    given = {name: float(scores[name]) for name in suite.expected if name in scores}
    missing = tuple(name for name in suite.expected if name not in scores)
    overall = None if missing or not given else AGGREGATES[suite.aggregate](list(given.values()))
    return SuiteScore(suite.name, overall, given, missing)
