# SPDX-License-Identifier: Apache-2.0
"""A small figure of a task's statistics: label distribution and vocabulary overlap (bgGLUE, Figures 3 and 4)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from euroglue.drawing import blank, save

if TYPE_CHECKING:
    from euroglue.prepare.statistics import Statistics

COLOURS = ("#0072B2", "#E69F00", "#009E73")
"""Of train, validation and test; told apart with every form of colour blindness (Okabe and Ito)."""
TALLEST = 9.0
"""The height of a drawing with many labels, in inches; the least is 3.2."""
LONGEST_NAME = 24
"""A longer label is cut in the drawing."""


def draw(statistics: Statistics, file: Path) -> None:
    """Draw one task as a PNG file: labels in per cent of each split, beside them the matrix of vocabulary overlap.

    The same statistics give the same bytes with the same version of matplotlib. The folder of ``file`` must exist.

    Raises:
        EuroglueError: matplotlib is not installed.
    """
    known = {split: about.labels for split, about in statistics.splits.items() if about.labels}
    names = list(next(iter(known.values()), {}))
    bars = len(names) * max(len(known), 1)
    figure = blank(8.4, min(max(3.2, 1.4 + 0.12 * bars), TALLEST))
    labels, matrix = figure.subplots(1, 2, width_ratios=(1.35, 1))
    figure.suptitle(f"{statistics.task} ({statistics.edition})", fontsize=11)
    _draw_labels(labels, statistics, names)
    _draw_overlap(matrix, statistics)
    save(figure, file)


def _draw_labels(axes: Any, statistics: Statistics, names: list[str]) -> None:
    colours = dict(zip(statistics.splits, COLOURS))
    known = {split: about.labels for split, about in statistics.splits.items() if about.labels}
    height = 0.8 / max(len(known), 1)
    for place, (split, counts) in enumerate(known.items()):
        total = sum(counts.values()) or 1
        shares = [100 * counts[name] / total for name in names]
        at = [row + height * (place - (len(known) - 1) / 2) for row in range(len(names))]
        axes.barh(at, shares, height=height, color=colours[split], label=f"{split} ({sum(counts.values()):,})")
    axes.set_yticks(range(len(names)), [_short(name) for name in names], fontsize=9)
    axes.margins(y=0.02)
    axes.invert_yaxis()
    axes.set_xlabel(f"% of the {statistics.unit}", fontsize=9)
    axes.tick_params(axis="x", labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    hidden = [split for split, about in statistics.splits.items() if about.labels is None]
    title = "Labels" + (f" (none for {', '.join(hidden)})" if hidden else "")
    axes.set_title(title, fontsize=9)
    if known:
        axes.legend(fontsize=8, frameon=False)


def _draw_overlap(axes: Any, statistics: Statistics) -> None:
    splits = list(statistics.splits)
    shares = [[statistics.overlap[row][column] for column in splits] for row in splits]
    cells = [[float("nan") if share is None else 100 * share for share in row] for row in shares]
    axes.imshow(cells, cmap="Blues", vmin=0, vmax=100)
    for row, values in enumerate(shares):
        for column, share in enumerate(values):
            text = "–" if share is None else f"{100 * share:.1f}"
            colour = "white" if (share or 0) > 0.6 else "black"
            axes.text(column, row, text, ha="center", va="center", fontsize=10, color=colour)
    axes.set_xticks(range(len(splits)), splits, fontsize=9)
    axes.set_yticks(range(len(splits)), splits, fontsize=9)
    axes.set_title("% of the row's distinct words in the column", fontsize=9)


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
