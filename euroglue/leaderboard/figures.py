# SPDX-License-Identifier: Apache-2.0
"""Drawings of an analysis: the correlations of tasks, and average RER by system with the regression's estimates."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

from euroglue.drawing import blank, save
from euroglue.leaderboard.analysis import Analysis, is_significant

OBSERVED, ESTIMATED = "#0072B2", "#D55E00"
"""Told apart with every form of colour blindness (Okabe and Ito), and by their form."""


def draw(analysis: Analysis, folder: Path) -> list[Path]:
    """Draw ``correlations.png`` and ``rer.png`` into the folder, which is made; return the files.

    Raises:
        EuroglueError: matplotlib is not installed.
    """
    figures = {"correlations.png": _correlations(analysis), "rer.png": _averages(analysis)}
    folder.mkdir(parents=True, exist_ok=True)
    for name, figure in figures.items():
        save(figure, folder / name)
    return [folder / name for name in figures]


def _correlations(analysis: Analysis) -> Any:
    tasks, pairs = analysis.tasks, analysis.correlations.pairs
    side = 1.6 + 0.62 * len(tasks)
    figure = blank(side, side)
    axes = figure.subplots()
    sure = [[one != other and is_significant(pairs[one][other].p) for other in tasks] for one in tasks]
    values = [[None if one == other else pairs[one][other].r for other in tasks] for one in tasks]
    cells = [[(value or 0.0) if known else math.nan for value, known in zip(*row)] for row in zip(values, sure)]
    axes.imshow(cells, cmap="RdBu", vmin=-1, vmax=1)
    for row, column in itertools.permutations(range(len(tasks)), 2):
        value, known = values[row][column], sure[row][column]
        colour = "dimgrey" if not known else "white" if abs(value or 0.0) > 0.6 else "black"
        text = "–" if value is None else f"{value:.2f}"
        axes.text(column, row, text, ha="center", va="center", fontsize=9, color=colour)
    axes.set_xticks(range(len(tasks)), tasks, rotation=45, ha="right", rotation_mode="anchor", fontsize=9)
    axes.set_yticks(range(len(tasks)), tasks, fontsize=9)
    axes.set_title("Pearson's r of tasks' RER (coloured: p < 0.05)", fontsize=10)
    return figure


def _averages(analysis: Analysis) -> Any:
    known = [(row.system, row.average, None) for row in analysis.rows if row.average is not None]
    guessed = [(" ".join(cell.levels.values()), cell.rer, cell.standard_error) for cell in analysis.cells]
    points = sorted([*known, *(point for point in guessed if point[2] is not None)], key=lambda point: point[1])
    figure = blank(7.2, 1.3 + 0.26 * len(points))
    axes = figure.subplots()
    for place, (_, value, error) in enumerate(points):
        if error is None:
            axes.plot(value, place, "o", color=OBSERVED)
        else:
            axes.errorbar(value, place, xerr=error, fmt="D", color=ESTIMATED, markerfacecolor="white", capsize=3)
    axes.axvline(0, color="grey", linewidth=0.8)
    axes.set_yticks(range(len(points)), [name for name, _, _ in points], fontsize=9)
    axes.set_ylim(-0.7, len(points) - 0.3)
    axes.set_xlabel(f"average relative error reduction against {analysis.baseline}, %", fontsize=9)
    axes.grid(axis="x", linewidth=0.4)
    axes.spines[["top", "right"]].set_visible(False)
    if any(error is not None for _, _, error in points):
        axes.set_title("● system   ◇ estimate of the regression ± standard error", fontsize=10)
    return figure
