# SPDX-License-Identifier: Apache-2.0
"""One number for each of many systems, of a table of systems × tasks: EuroEval's rank score, mean rank and Borda count.

Unlike a suite's own aggregate these compare systems with each other: a system more or less changes the numbers of all.
A table maps systems to mappings of tasks to a score, or to the scores of several runs (seeds, or resamples), all finite
and the higher the better; a score below 0, worse than chance, counts as it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Union

import numpy as np

from euroglue.errors import PredictionError, shown
from euroglue.finite import is_finite
from euroglue.frozen import Frozen
from euroglue.registry import Registry
from euroglue.scoring.correlation import ranks
from euroglue.scoring.inputs import is_column, listed, one_of
from euroglue.scoring.scale import to_unit

Scores = Union[float, Sequence[float]]
Table = Mapping[str, Mapping[str, Scores]]
SPREADS = ("one", "skip")
"""What a task counts on which all scores of all systems are equal: every system leads it (1), or it is left out."""


@dataclass(frozen=True)
class Standings:
    """The numbers of systems under one rule.

    ``values`` are by system, the best first; ``tasks`` are what each task contributes, by system; ``low_is_good`` says
    which end is the best; ``unranked`` names the tasks that a system lacks, which is then not ranked; ``skipped`` the tasks
    that count for nobody.
    """

    name: str
    values: Mapping[str, float]
    tasks: Mapping[str, Mapping[str, float]]
    low_is_good: bool
    unranked: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    skipped: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        sign = 1 if self.low_is_good else -1
        ordered = sorted(self.values.items(), key=lambda item: sign * item[1])
        object.__setattr__(self, "values", Frozen(ordered))
        object.__setattr__(self, "tasks", Frozen({name: Frozen(row) for name, row in self.tasks.items()}))
        object.__setattr__(self, "unranked", Frozen(self.unranked))

    @property
    def places(self) -> dict[str, int]:
        """System → place from 1; equal values share the better place, and the next one is left free."""
        values = list(self.values.values())
        return {system: values.index(value) + 1 for system, value in self.values.items()}


def rank_score(means: np.ndarray, spread: float) -> np.ndarray:
    """EuroEval's rank score of one task: 1 + (best mean − mean) / spread; 1 is the best, more is worse.

    Args:
        means: the mean score of each system, shape (systems,).
        spread: the standard deviation of all scores of all systems, above 0.

    >>> rank_score(np.array([0.80, 0.75]), 0.05).round(9).tolist()
    [1.0, 2.0]
    """
    return 1 + (means.max() - means) / spread


def _rank_scores(runs: Sequence[np.ndarray]) -> np.ndarray | None:
    pooled = np.concatenate(runs)
    if pooled.min() == pooled.max():
        return None
    return rank_score(_means(runs), float(np.std(pooled)))


def _ranks(runs: Sequence[np.ndarray]) -> np.ndarray:
    return ranks(-_means(runs))


def _points(runs: Sequence[np.ndarray]) -> np.ndarray:
    return len(runs) - _ranks(runs)


def _means(runs: Sequence[np.ndarray]) -> np.ndarray:
    return np.array([math.fsum(values) / len(values) for values in runs])


@dataclass(frozen=True)
class Rule:
    """How a task's scores become a contribution of each system, and contributions a number.

    ``contribute`` takes the runs of each system on one task; None means that no system can be told from another there.
    """

    contribute: Callable[[Sequence[np.ndarray]], np.ndarray | None]
    formula: str
    policy: str
    oracle: str
    low_is_good: bool
    summed: bool = False


RULES: Registry[Rule] = Registry("way to rank systems")
"""Name → rule. The rank score is EuroEval's; ``mean_rank`` and ``borda`` look at the order alone."""

RULES.register(
    "mean_rank_score",
    Rule(
        _rank_scores,
        formula="mean over tasks of 1 + (best mean − mean) / σ, σ of all scores of all systems (divisor n)",
        policy='all scores of a task equal: 1 for all (`no_spread="skip"` leaves it out); below 0 counts as it is',
        oracle="the formula restated",
        low_is_good=True,
    ),
)
RULES.register(
    "mean_rank",
    Rule(
        _ranks,
        formula="mean over tasks of the rank from 1",
        policy="equal means share their average rank",
        oracle="scipy's rankdata",
        low_is_good=True,
    ),
)
RULES.register(
    "borda",
    Rule(
        _points,
        formula="sum over tasks of the systems beaten",
        policy="half a point for each tie",
        oracle="pairs counted",
        low_is_good=False,
        summed=True,
    ),
)


def standings(
    table: Table, rule: str = "mean_rank_score", tasks: Sequence[str] | None = None, no_spread: str = "one"
) -> Standings:
    """Rank the systems of a table that have all tasks.

    ``mean_rank_score``: the mean over tasks of 1 + (best mean − mean) / s, where s is the standard deviation (divisor n)
    of all scores of all ranked systems on the task; low is good and 1 leads everywhere. After EuroEval's leaderboard,
    which drops scores below 0 first; here they count. ``mean_rank``: the mean over tasks of the rank from 1, equal means
    sharing their average rank; low is good. ``borda``: the sum over tasks of the systems that are beaten, half a point for
    each tie; high is good.

    Args:
        table: system → task → score or scores.
        rule: one of ``RULES``.
        tasks: the tasks that count; by default all that occur. A system that lacks one is not ranked.
        no_spread: for ``mean_rank_score``, one of ``SPREADS``.

    Raises:
        UnknownNameError: there is no such rule.
        PredictionError: a score is no finite number, or no system has all tasks.
        EuroglueError: there is no such policy.

    >>> table = {"A": {"ner": [0.8, 0.8], "qa": 0.5}, "B": {"ner": [0.7, 0.7], "qa": 0.6}, "C": {"ner": 0.9}}
    >>> dict(standings(table).values), dict(standings(table).unranked)
    ({'A': 2.0, 'B': 2.0}, {'C': ('qa',)})
    >>> dict(standings(table, "borda", tasks=["ner"]).values)
    {'C': 2.0, 'A': 1.0, 'B': 0.0}
    """
    way = RULES[rule]
    one_of(rule, "no_spread", no_spread, SPREADS)
    counted, unranked = _complete(table, rule, tasks)
    ranked = {name: row for name, row in table.items() if name not in unranked}
    parts, skipped = _contributions(way, ranked, counted, no_spread)
    if len(skipped) == len(counted):
        raise PredictionError(f"{rule}: all scores are equal on every task ({', '.join(skipped)}): no_spread=skip")
    values = {name: math.fsum(row.values()) / (1 if way.summed else len(row)) for name, row in parts.items()}
    return Standings(rule, values, parts, way.low_is_good, unranked, tuple(skipped))


def _contributions(
    way: Rule, table: Table, counted: Sequence[str], no_spread: str
) -> tuple[dict[str, dict[str, float]], list[str]]:
    """What each task contributes by system, and the tasks that are skipped."""
    parts: dict[str, dict[str, float]] = {name: {} for name in table}
    skipped = []
    for task in counted:
        found = way.contribute(_in_one_unit([_runs(row[task], f"{name}, {task}") for name, row in table.items()]))
        if found is None and no_spread == "skip":
            skipped.append(task)
            continue
        for name, value in zip(table, np.ones(len(table)) if found is None else found):
            parts[name][task] = float(value)
    return parts, skipped


def _in_one_unit(runs: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The runs by one power of two: no rule minds, and neither sums nor squares overflow or vanish."""
    return np.split(to_unit(np.concatenate(runs))[0], np.cumsum([len(values) for values in runs])[:-1])


def _complete(table: Table, rule: str, tasks: Sequence[str] | None) -> tuple[list[str], dict[str, tuple[str, ...]]]:
    """The tasks that count, and the systems that lack some with those they lack."""
    names = [*table, *(task for row in table.values() if isinstance(row, Mapping) for task in row), *(tasks or ())]
    if strange := [name for name in names if not isinstance(name, str)]:
        raise PredictionError(f"{rule}: expected names of systems and tasks, got {shown(strange[0])}")
    if tasks is not None and len(set(tasks)) < len(tasks):
        raise PredictionError(f"{rule}: tasks are given twice: {', '.join(tasks)}")
    if odd := [name for name, row in table.items() if not isinstance(row, Mapping)]:
        raise PredictionError(f"{rule}: {odd[0]}: expected a mapping of tasks to scores, got {shown(table[odd[0]])}")
    counted = list(dict.fromkeys(task for row in table.values() for task in row) if tasks is None else tasks)
    if not counted:
        raise PredictionError(f"{rule}: there are no scores to rank systems by")
    lacking = {name: tuple(task for task in counted if task not in row) for name, row in table.items()}
    unranked = {name: missing for name, missing in lacking.items() if missing}
    if len(unranked) == len(table):
        said = "; ".join(f"{name} lacks {', '.join(missing)}" for name, missing in unranked.items())
        raise PredictionError(f"{rule}: no system has a score for every task: {said or 'there are no systems'}"[:300])
    return counted, unranked


def _runs(scores: Any, where: str) -> np.ndarray:
    """The scores of one system on one task, shape (runs,)."""
    found = listed(scores) if is_column(scores) else [scores]
    for value in found or [None]:
        if not is_finite(value):
            raise PredictionError(f"{where}: expected a finite number or several as the score, got {shown(value)}")
    return np.array(found, dtype=float)
