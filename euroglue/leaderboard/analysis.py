# SPDX-License-Identifier: Apache-2.0
"""What a table of results says about tasks and systems: the analyses of the DUMB paper, for any table.

Relative error reductions (RER) are in per cent throughout, as the paper has them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from euroglue.errors import EuroglueError
from euroglue.leaderboard.regression import Regression, regress
from euroglue.scoring.aggregate import mean
from euroglue.scoring.results_table import ResultsTable, System

SIGNIFICANT = 0.05
"""The level below which the paper calls a p-value significant."""
MOST_CELLS = 10_000
"""A larger grid of the factors' levels is nothing to look at."""
FEWEST = 3
"""Fewer pairs have no correlation worth a p-value."""


@dataclass(frozen=True)
class Row:
    """A system's average RER, None while it lacks a task, and its RER and score by task."""

    system: str
    average: float | None
    rer: Mapping[str, float]
    scores: Mapping[str, float]


@dataclass(frozen=True)
class Correlation:
    """Pearson's correlation of two tasks' RER over ``n`` systems, with its two-sided p-value.

    Both are None where the systems are fewer than three, or all alike on one of the tasks.
    """

    r: float | None
    p: float | None
    n: int


@dataclass(frozen=True)
class Correlations:
    """The correlation of each pair of tasks, both ways, and the mean of each task's with the others (None: no value)."""

    pairs: Mapping[str, Mapping[str, Correlation]]
    means: Mapping[str, float | None]


@dataclass(frozen=True)
class Cell:
    """One combination of the factors' levels: the best system's average RER, or an estimate with its standard error."""

    levels: Mapping[str, str]
    rer: float
    systems: tuple[str, ...]
    standard_error: float | None = None


@dataclass(frozen=True)
class Analysis:
    """Everything: the systems, the correlations, the regression and the grid of its factors.

    ``left_out`` says, a sentence each, what is not in averages and regression and why; there may be no regression.
    """

    suite: str
    baseline: str
    tasks: tuple[str, ...]
    rows: tuple[Row, ...]
    correlations: Correlations
    regression: Regression | None
    cells: tuple[Cell, ...]
    left_out: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The analysis as plain values that JSON can hold; RER in per cent."""
        return asdict(self)


def analyse(table: ResultsTable) -> Analysis:
    """All analyses of a table of results.

    Args:
        table: the results; for the regression each system needs the same factors, such as language, model and size.

    Raises:
        PredictionError: a system has a task that the baseline lacks, or the baseline makes no errors on a task.
    """
    rows = tuple(_row(table, system) for system in table.models)
    average = {row.system: row.average for row in rows if row.average is not None}
    complete = [system for system in table.models if system.name in average]
    left_out = [f"{row.system}: it lacks a score for {_lacking(table, row)}" for row in rows if row.average is None]
    regression = None
    try:
        factors = _factors(complete)
        regression = regress([average[system.name] for system in complete], [system.factors for system in complete])
        alike = [name for name in factors if name not in regression.factors]
        left_out += [f"the factor {name}: it is the same for all systems" for name in alike]
    except EuroglueError as error:
        left_out.append(f"the regression: {error}")
    count = math.prod(map(len, regression.factors.values())) if regression else 0
    if count > MOST_CELLS:
        left_out.append(f"the grid of the factors' levels: it has {count:,} cells, more than {MOST_CELLS:,}")
    return Analysis(
        suite=table.suite,
        baseline=table.baseline,
        tasks=table.tasks,
        rows=rows,
        correlations=correlate({task: [row.rer.get(task) for row in rows] for task in table.tasks}),
        regression=regression,
        cells=_cells(complete, average, regression) if regression and count <= MOST_CELLS else (),
        left_out=tuple(left_out),
    )


def _lacking(table: ResultsTable, row: Row) -> str:
    return ", ".join(task for task in table.tasks if task not in row.scores)


def _row(table: ResultsTable, system: System) -> Row:
    rer = {task: 100 * value for task, value in table.reductions(system).items()}
    average = mean(list(rer.values())) if len(rer) == len(table.tasks) else None
    return Row(system.name, average, rer, dict(system.scores))


def _factors(systems: Sequence[System]) -> tuple[str, ...]:
    """The factors' names; the same for all systems."""
    if not systems:
        raise EuroglueError("no system has a score for every task of the baseline")
    names = tuple(systems[0].factors)
    for system in systems:
        if set(system.factors) != set(names):
            found = ", ".join(system.factors) or "none"
            raise EuroglueError(f"{system.name}: expected the factors {', '.join(names) or 'none'}, got {found}")
    return names


def correlate(columns: Mapping[str, Sequence[float | None]]) -> Correlations:
    """Pearson's correlation of each pair of columns, over the systems that have both (paper, table 3).

    >>> found = correlate({"a": [0.0, 1.0, 2.0, 3.0], "b": [0.0, 2.0, 1.0, 3.0]})
    >>> round(found.pairs["a"]["b"].r, 2), round(found.pairs["a"]["b"].p, 2), round(found.means["b"], 2)
    (0.8, 0.2, 0.8)
    """
    pairs: dict[str, dict[str, Correlation]] = {task: {} for task in columns}
    for one, other in itertools.permutations(columns, 2):
        pairs[one][other] = pairs[other][one] if one in pairs[other] else _pearson(columns[one], columns[other])
    means = {}
    for task, others in pairs.items():
        known = [pair.r for pair in others.values() if pair.r is not None]
        means[task] = mean(known) if known else None
    return Correlations(pairs, means)


def _pearson(one: Sequence[float | None], other: Sequence[float | None]) -> Correlation:
    from scipy.stats import pearsonr

    both = [(x, y) for x, y in zip(one, other, strict=True) if x is not None and y is not None]
    if len(both) < FEWEST or any(min(side) == max(side) for side in zip(*both, strict=True)):
        return Correlation(None, None, len(both))
    found = pearsonr(*np.array(both).T)
    return Correlation(float(found.statistic), float(found.pvalue), len(both))


def _cells(systems: Sequence[System], average: Mapping[str, float], regression: Regression) -> tuple[Cell, ...]:
    """Each combination of levels, in the order of the regression's factors (paper, table 4).

    Where several systems share a cell the best one stands in it, as the paper does with the Dutch RoBERTa models.
    """
    held: dict[tuple[str, ...], list[str]] = {}
    for system in systems:
        held.setdefault(tuple(system.factors[name] for name in regression.factors), []).append(system.name)
    cells = []
    for levels in itertools.product(*regression.factors.values()):
        named = dict(zip(regression.factors, levels, strict=True))
        if levels in held:
            best = sorted(held[levels], key=lambda name: -average[name])
            cells.append(Cell(named, average[best[0]], tuple(best)))
        else:
            value, error = regression.predict(named)
            cells.append(Cell(named, value, (), error))
    return tuple(cells)


def is_significant(p: float | None) -> bool:
    """Whether a p-value is below the level; one that has no value is not."""
    return p is not None and not math.isnan(p) and p < SIGNIFICANT
