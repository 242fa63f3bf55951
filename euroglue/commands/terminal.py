# SPDX-License-Identifier: Apache-2.0
"""How commands show things: tables and JSON on standard output, progress on standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar

if TYPE_CHECKING:
    from rich.table import Table

T = TypeVar("T")


def print_json(value: Any) -> None:
    """Print strict JSON (no NaN, no Infinity), in letters where the stream can show them."""
    letters = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    sys.stdout.write(json.dumps(value, ensure_ascii=not letters, indent=2, allow_nan=False) + "\n")


def show(*parts: Any) -> None:
    """Print tables and lines to standard output: colours on a terminal only, 80 columns where it is none.

    A table that cannot be narrower is printed as wide as it is: nothing is cut off.
    """
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    width = console.width
    for part in parts:
        if isinstance(part, str):
            console.print(part, markup=False, soft_wrap=True)
        else:
            console.print(Text(part.title, style="bold"), soft_wrap=True)
            part.title = None
            console.width = max(width, part.min_width)
            _fit(part, console.width)
            console.print(part)


def _fit(part: Table, width: int) -> None:
    """Set the widths of the columns where not all have room: the least each needs, and of the rest by what it lacks.

    Left to itself, rich takes from columns more than they can give, and then cuts the last one off.
    """
    lacking = [(column.max_width or 0) - (column.min_width or 0) for column in part.columns]
    spare = width - (part.min_width or 0)
    if sum(lacking) > spare:
        for column, lacks in zip(part.columns, lacking):
            column.width = (column.min_width or 0) + spare * lacks // sum(lacking)


def table(title: str, *columns: str, rows: Iterable[Sequence[Any]], whole: Sequence[str] = ()) -> Table:
    """A table of rows: numbers to the right with thousands separated, long texts folded, none cut.

    Args:
        title: the line above.
        columns: the headings.
        rows: a value for each column; ``None`` is shown as a dash.
        whole: the columns, names for instance, that are never broken over lines.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    cells = [[_cell(value) for value in row] for row in rows]
    made = Table(title=title, box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    for place, column in enumerate(columns):
        held = [row[place] for row in cells]
        texts = [column, *(text for text, _ in held)]
        least = _longest(texts) if column in whole else min(LONGEST_WORD, _longest(" ".join(texts).split()))
        right = any(numeric for _, numeric in held)
        justify: Literal["right", "left"] = "right" if right else "left"
        made.add_column(
            column,
            justify=justify,
            overflow="fold",
            min_width=least,
            max_width=_longest(texts),
            no_wrap=column in whole,
        )
    for row in cells:
        made.add_row(*(Text(text) for text, _ in row))
    made.min_width = sum(column.min_width or 0 for column in made.columns) + 2 * (len(columns) - 1)
    return made


LONGEST_WORD = 16
"""A longer word, a path for instance, may be broken over lines where a column is not ``whole``."""


def _longest(texts: Iterable[str]) -> int:
    return max((len(line) for text in texts for line in text.split("\n")), default=0)


def _cell(value: Any) -> tuple[str, bool]:
    if value is None:
        return "–", False
    if isinstance(value, float):
        return f"{value:.4f}", True
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}", True
    return str(value), False


def progress(items: Sequence[T], label: str) -> Iterator[T]:
    """The items one by one, with a bar on standard error if that is a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        running = bar.add_task(label, total=len(items))
        for item in items:
            bar.update(running, description=f"{label} {getattr(item, 'path', item)}")
            yield item
            bar.advance(running)
