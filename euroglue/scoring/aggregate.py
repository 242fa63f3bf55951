# SPDX-License-Identifier: Apache-2.0
"""One number of many: how the scores of a suite's tasks make the suite's score."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from euroglue.errors import EuroglueError, PredictionError, UnknownNameError, shown
from euroglue.finite import is_finite
from euroglue.frozen import Frozen
from euroglue.scoring import AGGREGATES
from euroglue.scoring.rer import described, reductions
from euroglue.scoring.results_table import PUBLISHED, published
from euroglue.scoring.scale import to_unit
from euroglue.scoring.signature import signature_of_many

if TYPE_CHECKING:
    from euroglue.task import Suite


@dataclass(frozen=True)
class Aggregate:
    """How tasks' scores make a suite's score: the unweighted mean of what each task contributes.

    ``contribute`` turns the scores by task, and those of a baseline, into contributions; without it a task contributes
    its score, and no baseline is needed. ``name`` is what a contribution is called in keys, such as ``rer``; ``formula``
    says it in words.
    """

    name: str
    formula: str
    contribute: Callable[[Mapping[str, float], Mapping[str, float]], dict[str, float]] | None = None


MEAN = Aggregate("mean", "unweighted mean of the tasks' primary scores")
RER = Aggregate("rer", "unweighted mean over tasks of (score − baseline) / (1 − baseline)", reductions)


@dataclass(frozen=True)
class SuiteScore:
    """The score of a suite: ``value`` is None while a task is ``missing``; ``tasks`` are the scores it rests on.

    ``contributions`` are what each of them contributes under the aggregate called ``aggregate``, where that is not the
    score itself, and ``baseline`` says against which baseline, if there is one.
    """

    suite: str
    value: float | None
    tasks: Mapping[str, float]
    missing: tuple[str, ...]
    aggregate: str = MEAN.name
    contributions: Mapping[str, float] = field(default_factory=dict)
    baseline: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "tasks", Frozen(self.tasks))
        object.__setattr__(self, "contributions", Frozen(self.contributions))

    @property
    def signature(self) -> str:
        """How the number was made: the aggregate, the tasks and a baseline; the tasks' scores have signatures of their own."""
        against = {"baseline": self.baseline} if self.baseline else {}
        return signature_of_many(self.aggregate, self.tasks, suite=self.suite, **against)


def mean(scores: Sequence[float]) -> float:
    """The unweighted mean.

    >>> mean([0.25, 0.75])
    0.5
    """
    scaled, exponent = to_unit(np.asarray(scores, dtype=float))
    return math.ldexp(math.fsum(scaled) / len(scaled), int(exponent[0]))


def aggregate(suite: Suite, scores: Mapping[str, float], baseline: Mapping[str, float] | None = None) -> SuiteScore:
    """Make the suite's score of its tasks' primary scores.

    Args:
        suite: the suite; ``expected`` names the tasks it takes, ``aggregate`` the way.
        scores: task name → primary score, finite, all in one unit (0–1, or all 0–100; against a baseline 0–1).
        baseline: task name → the baseline's score; by default that of the suite's published results.

    Returns:
        The score; without a value, and with the missing tasks named, unless every expected task has a score.

    Raises:
        UnknownNameError: a task is not one of the suite's expected ones; the message lists the nearest.
        PredictionError: a score is no finite number, or has no relative error reduction.
        EuroglueError: the aggregate needs a baseline and there is none, or a baseline is given to one that needs none.

    >>> from euroglue.registry import SUITES
    >>> found = aggregate(SUITES["dumb"], {"dpr": 0.7}, baseline={"dpr": 0.6})
    >>> round(found.contributions["dpr"], 3), found.value, len(found.missing)
    (0.25, None, 8)
    """
    for name, value in scores.items():
        if name not in suite.expected:
            near = difflib.get_close_matches(name, suite.expected, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise UnknownNameError(f"{suite.name} scores no task {name!r}; {hint}it takes: {', '.join(suite.expected)}")
        if not is_finite(value):
            raise PredictionError(f"{suite.name}/{name}: expected a finite number as the score, got {shown(value)}")
    given = {name: float(scores[name]) for name in suite.expected if name in scores}
    missing = tuple(name for name in suite.expected if name not in scores)
    way = AGGREGATES[suite.aggregate]
    parts, against = _contributions(suite, way, given, baseline)
    overall = None if missing or not given else mean(list((parts or given).values()))
    return SuiteScore(suite.name, overall, given, missing, way.name, parts, against)


def _contributions(
    suite: Suite, way: Aggregate, given: Mapping[str, float], baseline: Mapping[str, float] | None
) -> tuple[dict[str, float], str]:
    """What each task contributes, and the baseline's name or digest."""
    if way.contribute is None:
        if baseline is not None:
            raise EuroglueError(f"{suite.name}: its score is the {way.name} of its tasks and takes no baseline")
        return {}, ""
    if baseline is not None and not isinstance(baseline, Mapping):
        raise EuroglueError(f"{suite.name}: expected the baseline's scores by task, got {shown(baseline)}")
    if baseline is None and suite.name not in PUBLISHED:
        raise EuroglueError(
            f"{suite.name}: its score ({way.name}) needs a baseline: give the baseline's scores by task"
        )
    try:
        if baseline is None:
            return way.contribute(given, published(suite.name).base.scores), published(suite.name).baseline
        return way.contribute(given, baseline), described({name: baseline[name] for name in given})
    except PredictionError as error:
        raise PredictionError(f"{suite.name}/{error}") from error
