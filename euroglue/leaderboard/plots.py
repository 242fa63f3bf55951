# SPDX-License-Identifier: Apache-2.0
"""The geometry of a board's charts; the site's templates draw them as SVG.

All lengths are in SVG units. Nothing is measured in a browser: the width of a text is estimated by its letters.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from euroglue.leaderboard.analysis import Correlation, Correlations, correlate, is_significant
from euroglue.leaderboard.board import Board, Entry
from euroglue.leaderboard.chart import Tick

WIDTH = 720
LETTER = 6.9
"""The width of a letter at the charts' size of type."""
LONGEST = 26
"""Longer names are cut in charts, where their page tells them whole."""
MOST_MARKS = 9
"""The most marks of the axis of sizes."""
MOST_BARS, MOST_LABELS = 30, 40


class Box(NamedTuple):
    """A rectangle."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        """Whether the two overlap."""
        apart = self.right < other.left or other.right < self.left or self.bottom < other.top or other.bottom < self.top
        return not apart


@dataclass(frozen=True)
class Point:
    """An entry in the scatter plot; ``label`` is empty where there is no room for it."""

    entry: Entry
    x: float
    y: float
    label: str = ""
    label_x: float = 0.0
    label_y: float = 0.0
    anchor: str = "start"


@dataclass(frozen=True)
class Scatter:
    """Scores against the number of parameters, on a logarithmic axis (bgGLUE paper, figure 1)."""

    points: tuple[Point, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    y_label: str
    width: int = WIDTH
    height: int = 430
    left: int = 62
    right: int = WIDTH - 16
    top: int = 16
    bottom: int = 376


@dataclass(frozen=True)
class Square:
    """A cell of the correlations: its place, its text, and a shade from −4 to 4; 0 where it is not significant."""

    x: float
    y: float
    text: str
    shade: int
    title: str


@dataclass(frozen=True)
class Heat:
    """The correlations of tasks (DUMB paper, table 3)."""

    squares: tuple[Square, ...]
    columns: tuple[Tick, ...]
    rows: tuple[Tick, ...]
    side: int
    left: int
    top: int
    width: int
    height: int
    systems: int


@dataclass(frozen=True)
class Bar:
    """A bar with its label; ``negative`` ones go to the left of ``zero``."""

    label: str
    text: str
    title: str
    x: float
    y: float
    width: float
    text_x: float
    anchor: str
    entry: Entry | None = None
    ticks: tuple[float, ...] = ()
    floor: float | None = None


@dataclass(frozen=True)
class Bars:
    """Horizontal bars from one line, ``zero``."""

    bars: tuple[Bar, ...]
    x_ticks: tuple[Tick, ...]
    zero: float
    left: int
    right: int
    height: int
    left_out: int = 0
    width: int = WIDTH
    bar: int = 16


def cut(text: str) -> str:
    """The text, shortened to what a chart has room for.

    >>> cut("a" * 40)
    'aaaaaaaaaaaaaaaaaaaaaaaaa…'
    """
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _signed(number: str) -> str:
    """With a true minus."""
    return number.replace("-", "−")


def scatter(board: Board) -> Scatter | None:
    """The ranked entries whose size is known; None for fewer than two."""
    known = [entry for entry in board.ranked if entry.parameters]
    if len(known) < 2:
        return None
    values = {id(entry): 100 * (_average(board, entry) or 0.0) for entry in known}
    frame = Scatter((), (), (), "average RER, %" if board.order == "rer" else "mean score")
    sizes = [math.log10(entry.parameters or 1) for entry in known]
    first, last = min(sizes) - 0.08, max(sizes) + 0.08
    y_ticks = nice_ticks(min(values.values()), max(values.values()))
    low, high = y_ticks[0], y_ticks[-1]

    def x_of(parameters: float) -> float:
        return round(frame.left + (math.log10(parameters) - first) / (last - first) * (frame.right - frame.left), 1)

    def y_of(value: float) -> float:
        return round(frame.bottom - (value - low) / (high - low) * (frame.bottom - frame.top), 1)

    points = [Point(entry, x_of(entry.parameters or 1), y_of(values[id(entry)])) for entry in known]
    marks = size_marks(first, last)
    return Scatter(
        tuple(_labelled(points, frame)),
        tuple(Tick(size_text(number), x_of(number)) for number in marks),
        tuple(Tick(_signed(f"{value:g}"), y_of(value)) for value in y_ticks),
        frame.y_label,
    )


def _average(board: Board, entry: Entry) -> float | None:
    return entry.mean_rer if board.order == "rer" else entry.mean


def size_marks(first: float, last: float) -> list[float]:
    """Round numbers of parameters between two powers of ten, no more than an axis has room for.

    >>> [size_text(number) for number in size_marks(6.9, 8.5)]
    ['10M', '20M', '50M', '100M', '200M']
    >>> [size_text(number) for number in size_marks(5, 11)]
    ['100K', '1M', '10M', '100M', '1B', '10B', '100B']
    """
    for leads, stride in (((1, 2, 5), 1), ((1,), 1), ((1,), 2), ((1,), 3)):
        numbers = [lead * 10.0**power for power in range(0, 17, stride) for lead in leads]
        found = [number for number in numbers if first <= math.log10(number) <= last]
        if len(found) <= MOST_MARKS:
            break
    return found


def _labelled(points: Sequence[Point], frame: Scatter) -> list[Point]:
    """Give labels to the points that have room for one, the best first."""
    taken = [Box(point.x - 6, point.y - 6, point.x + 6, point.y + 6) for point in points]
    made = []
    for point in points[:MOST_LABELS]:
        text = cut(point.entry.model)
        wide = len(text) * LETTER
        places = (
            (point.x + 10, point.y + 4, "start", Box(point.x + 9, point.y - 7, point.x + 10 + wide, point.y + 7)),
            (point.x - 10, point.y + 4, "end", Box(point.x - 10 - wide, point.y - 7, point.x - 9, point.y + 7)),
            (point.x, point.y - 11, "middle", Box(point.x - wide / 2, point.y - 23, point.x + wide / 2, point.y - 9)),
            (point.x, point.y + 20, "middle", Box(point.x - wide / 2, point.y + 9, point.x + wide / 2, point.y + 23)),
        )
        for x, y, anchor, box in places:
            inside = (
                box.left >= frame.left
                and box.right <= frame.right
                and frame.top <= box.top
                and box.bottom <= frame.bottom
            )
            if inside and not any(box.meets(other) for other in taken):
                taken.append(box)
                point = Point(point.entry, point.x, point.y, text, round(x, 1), round(y, 1), anchor)
                break
        made.append(point)
    return [*made, *points[MOST_LABELS:]]


def nice_ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers that enclose a range, about ``most`` of them.

    >>> nice_ticks(54.65, 75.82)
    [50.0, 55.0, 60.0, 65.0, 70.0, 75.0, 80.0]
    """
    span = max(high - low, 1e-9)
    power = 10.0 ** math.floor(math.log10(span / most))
    step = next(power * lead for lead in (1, 2, 2.5, 5, 10, 20) if span / (power * lead) <= most)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [round(step * number, 10) for number in range(first, max(last, first + 1) + 1)]


def size_text(parameters: float | None) -> str:
    """A number of parameters as people write it.

    >>> [size_text(number) for number in (None, 560_000_000, 1_230_000_000, 45)]
    ['–', '560M', '1.2B', '45']
    """
    if parameters is None:
        return "–"
    for unit, letter in ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "K")):
        if parameters >= unit:
            return f"{parameters / unit:.{0 if parameters >= 10 * unit else 1}f}".removesuffix(".0") + letter
    return f"{parameters:g}"


def heat(board: Board) -> Heat | None:
    """Pearson's correlation of each pair of tasks over the models; None where no pair has one.

    Relative error reductions are scores on another scale, so theirs are the same.
    """
    models = [entry for entry in board.entries if not entry.trivial]
    names = [task.name for task in board.tasks]
    columns = {name: [entry.cells[name].value if name in entry.cells else None for entry in models] for name in names}
    found: Correlations = correlate(columns)
    if not any(pair.r is not None for row in found.pairs.values() for pair in row.values()):
        return None
    side, left = 58, round(14 + max(len(task.title) for task in board.tasks) * LETTER)
    top = round(26 + 0.65 * (left - 14))
    titles = {task.name: task.title for task in board.tasks}
    at = {name: place * side + side / 2 for place, name in enumerate(names)}
    return Heat(
        tuple(
            Square(left + at[other] - side / 2, top + at[one] - side / 2, *_strength(pair, titles[one], titles[other]))
            for one, row in found.pairs.items()
            for other, pair in row.items()
        ),
        tuple(Tick(titles[name], left + at[name]) for name in names),
        tuple(Tick(titles[name], top + at[name] + 4) for name in names),
        side,
        left,
        top,
        left + side * len(names) + 60,
        top + side * len(names) + 8,
        len(models),
    )


def _strength(pair: Correlation, one: str, other: str) -> tuple[str, int, str]:
    if pair.r is None:
        return "–", 0, f"{one} and {other}: no correlation"
    shade = round(4 * pair.r) if is_significant(pair.p) else 0
    return _signed(f"{pair.r:.2f}"), shade, f"{one} and {other}: r = {pair.r:.2f}, p = {pair.p:.3f}, {pair.n} models"


def strips(board: Board) -> Bars | None:
    """For each task a bar up to the best model, a tick for each other one, and the best trivial baseline."""
    if not any(entry.cells for entry in board.entries):
        return None
    left, right, step = round(16 + max(len(task.title) for task in board.tasks) * LETTER), WIDTH - 214, 30
    bars = []
    for place, task in enumerate(board.tasks):
        cells = [(entry, entry.cells[task.name].value) for entry in board.entries if task.name in entry.cells]
        models = [(entry, value) for entry, value in cells if not entry.trivial]
        floor = [value for entry, value in cells if entry.trivial]
        best = next(((entry, value) for entry, value in models if entry.cells[task.name].best), None)
        if best is None:
            continue

        def x_of(value: float) -> float:
            return round(left + min(max(value, 0.0), 1.0) * (right - left), 1)

        bars.append(
            Bar(
                label=task.title,
                text=f"{100 * best[1]:.1f}  {cut(best[0].model)}",
                title=f"{task.title}: best {100 * best[1]:.2f}, {best[0].model}; {len(models)} models",
                x=left,
                y=8 + place * step,
                width=x_of(best[1]) - left,
                text_x=right + 10,
                anchor="start",
                entry=best[0],
                ticks=tuple(sorted({x_of(value) for _, value in models})),
                floor=x_of(max(floor)) if floor else None,
            )
        )
    ticks = tuple(Tick(str(value), round(left + value / 100 * (right - left), 1)) for value in (0, 25, 50, 75, 100))
    return Bars(tuple(bars), ticks, left, left, right, 8 + step * len(board.tasks) + 28, bar=14)


def rer_bars(board: Board) -> Bars | None:
    """Average relative error reduction of the ranked models, the best first; None where there is no baseline."""
    known = [entry for entry in board.ranked if entry.mean_rer is not None and entry.model != board.baseline]
    if not known:
        return None
    known.sort(key=lambda entry: -(entry.mean_rer or 0.0))
    shown = known[:MOST_BARS]
    left, right, step = round(20 + LONGEST * LETTER), WIDTH - 60, 24
    values = [100 * (entry.mean_rer or 0.0) for entry in shown]
    ticks = nice_ticks(min(0.0, *values), max(0.0, *values))

    def x_of(value: float) -> float:
        return round(left + 46 + (value - ticks[0]) / (ticks[-1] - ticks[0]) * (right - left - 46), 1)

    zero = x_of(0)
    bars = []
    for place, (entry, value) in enumerate(zip(shown, values)):
        ends = sorted((zero, x_of(value)))
        bars.append(
            Bar(
                label=cut(entry.model),
                text=_signed(f"{value:+.1f}"),
                title=f"{entry.model}: {value:+.1f} %",
                x=ends[0],
                y=8 + place * step,
                width=round(ends[1] - ends[0], 1),
                text_x=ends[1] + 6 if value >= 0 else ends[0] - 6,
                anchor="start" if value >= 0 else "end",
                entry=entry,
            )
        )
    marks = tuple(Tick(_signed(f"{value:g}"), x_of(value)) for value in ticks)
    return Bars(tuple(bars), marks, zero, left, right, 8 + step * len(shown) + 30, len(known) - len(shown), bar=14)
