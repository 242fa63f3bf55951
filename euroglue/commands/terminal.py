# SPDX-License-Identifier: Apache-2.0
"""How commands show things: tables and JSON on standard output, progress on standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

if TYPE_CHECKING:
    from rich.table import Table

T = TypeVar("T")

Suite = Annotated[str, typer.Argument(metavar="SUITE", help="A suite, such as bgglue.")]
OneTask = Annotated[str, typer.Argument(metavar="TASK", help="A task of the suite.")]
Tasks = Annotated[list[str] | None, typer.Argument(metavar="[TASK]…", help="Tasks of the suite; all by default.")]
Edition = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="official, rebuilt or sample; by default the edition that each task names."),
]
DataDir = Annotated[
    str | None,
    typer.Option(metavar="DIR", help="Folder with the raw files; else $EUROGLUE_RAW_DIR/SUITE/TASK, else downloaded."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON on standard output, and nothing else there.")]


def print_json(value: Any) -> None:
    """Print strict JSON (no NaN, no Infinity), in letters where the stream can show them."""
    letters = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    sys.stdout.write(json.dumps(value, ensure_ascii=not letters, indent=2, allow_nan=False) + "\n")


def show(*parts: Any) -> None:
    """Print tables and lines to standard output: colours on a terminal only, 80 columns where it is none."""
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=False)
    for part in parts:
        if isinstance(part, str):
            console.print(part, markup=False, soft_wrap=True)
        else:
            console.print(part)


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
    made = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for place, column in enumerate(columns):
        texts = [text for row in cells for text, _ in [row[place]]]
        right = any(numeric for row in cells for _, numeric in [row[place]])
        least = max(map(len, texts), default=0) if column in whole else None
        made.add_column(column, justify="right" if right else "left", overflow="fold", min_width=least)
    for row in cells:
        made.add_row(*(Text(text) for text, _ in row))
    return made


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
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        running = bar.add_task(label, total=len(items))
        for item in items:
            bar.update(running, description=f"{label} {getattr(item, 'path', item)}")
            yield item
            bar.advance(running)
