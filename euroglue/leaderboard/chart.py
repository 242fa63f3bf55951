# SPDX-License-Identifier: Apache-2.0
"""The geometry of a small line chart; the page's template draws it as SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 420, 300
LEFT, RIGHT, TOP, BOTTOM = 60, 14, 12, 46
MARKERS = ("circle", "square", "diamond", "triangle", "cross", "ring")


@dataclass(frozen=True)
class Tick:
    """A mark on an axis: its text and its place in the drawing, in SVG units."""

    text: str
    at: float


@dataclass(frozen=True)
class Line:
    """One series: its name, the number of its colour, its marker's form, and its points in the drawing."""

    name: str
    colour: int
    marker: str
    points: tuple[tuple[float, float], ...]

    @property
    def path(self) -> str:
        """The points as SVG's ``points`` attribute has them."""
        return " ".join(f"{x:g},{y:g}" for x, y in self.points)


@dataclass(frozen=True)
class Chart:
    """Everything to draw: series and the ticks of both axes, with the axes' labels."""

    x_label: str
    y_label: str
    lines: tuple[Line, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    top: int = TOP
    right: int = WIDTH - RIGHT
    bottom: int = HEIGHT - BOTTOM


def line_chart(series: Mapping[str, Sequence[tuple[int, float]]], x_label: str, y_label: str) -> Chart:
    """Lay out series of (whole number, score from 0 to 1) on one pair of axes; series without a point are left out.

    Scores outside 0 to 1 widen the axis to the next fifth.

    >>> chart = line_chart({"a": [(1, 0.0), (2, 1.0)]}, "epoch", "F1")
    >>> [tick.text for tick in chart.x_ticks], chart.y_ticks[-1].text, chart.lines[0].path
    (['1', '2'], '1.0', '60,254 406,12')
    """
    points = [point for values in series.values() for point in values]
    first, last = min((x for x, _ in points), default=0), max((x for x, _ in points), default=1)
    low = min([0, *(_fifths(y, down=True) for _, y in points)])
    high = max([5, *(_fifths(y, down=False) for _, y in points)])

    def x_of(x: float) -> float:
        return round(LEFT + (x - first) / max(last - first, 1) * (WIDTH - LEFT - RIGHT), 1)

    def y_of(y: float) -> float:
        return round(HEIGHT - BOTTOM - (y - low / 5) / ((high - low) / 5) * (HEIGHT - BOTTOM - TOP), 1)

    lines = tuple(
        Line(name, i % len(MARKERS), MARKERS[i % len(MARKERS)], tuple((x_of(x), y_of(y)) for x, y in values))
        for i, (name, values) in enumerate((name, values) for name, values in series.items() if values)
    )
    every = max(1, -(-(last - first) // 6))
    x_ticks = tuple(Tick(str(x), x_of(x)) for x in range(first, last + 1, every))
    spread = max(1, -(-(high - low) // 6))
    y_ticks = tuple(Tick(f"{fifth / 5:.1f}", y_of(fifth / 5)) for fifth in range(low, high + 1, spread))
    return Chart(x_label, y_label, lines, x_ticks, y_ticks)


def _fifths(value: float, *, down: bool) -> int:
    scaled = value * 5
    return int(scaled // 1) if down else -int(-scaled // 1)
