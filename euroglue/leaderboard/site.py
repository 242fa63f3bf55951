# SPDX-License-Identifier: Apache-2.0
"""The leaderboard as static pages that open from the disk and from any web server."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from euroglue import strict_json
from euroglue.atomic import new_folder
from euroglue.errors import EuroglueError
from euroglue.leaderboard import downloads, plots
from euroglue.leaderboard.board import Board, Cell, Entry
from euroglue.leaderboard.rendering import environment
from euroglue.scoring import metric_for
from euroglue.version import __version__

if TYPE_CHECKING:
    from jinja2 import Environment

MARK = ".euroglue-leaderboard"
"""A file that tells a site of ours, which may be replaced, from any other folder."""
TEMPLATES = "templates/site"
ASSETS = ("site.css", "site.js", "theme.js")
LANGUAGES = {"bul": "Bulgarian", "nld": "Dutch", "slv": "Slovene"}
LONGEST_SETTINGS = 4000


def write_site(boards: Sequence[Board], out: str | os.PathLike[str]) -> int:
    """Write the site into a folder, which appears whole or not at all; returns the number of pages.

    Args:
        boards: what is shown, in this order.
        out: the folder; an earlier site there is replaced.

    Raises:
        EuroglueError: there is something else in ``out``, or Jinja2 is not installed.
    """
    folder = Path(out)
    if folder.exists() and not (folder.is_dir() and (not any(folder.iterdir()) or (folder / MARK).is_file())):
        raise EuroglueError(f"{folder}: exists and is no leaderboard of euroglue; choose a new folder")
    pages = 0
    with new_folder(folder) as work:
        for name, text in pages_of(boards):
            path = work / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
            pages += name.endswith(".html")
    return pages


def pages_of(boards: Sequence[Board]) -> Iterator[tuple[str, str]]:
    """Every file of the site: its path and its text."""
    made = _environment(boards)
    templates = files("euroglue.leaderboard").joinpath(TEMPLATES)
    for name in ASSETS:
        yield f"assets/{name}", templates.joinpath(name).read_text(encoding="utf-8")
    yield MARK, f"{__version__}\n"
    yield "index.html", made.get_template("index.html").render(root="")
    for board in boards:
        charts: dict[str, Any] = {"scatter": plots.scatter(board), "heat": plots.heat(board)}
        charts |= {"strips": plots.strips(board), "bars": plots.rer_bars(board)}
        yield (
            f"suites/{board.name}.html",
            made.get_template("suite.html").render(root="../", board=board, **charts),
        )
        yield f"data/{board.name}.csv", downloads.as_csv(board)
        yield f"data/{board.name}.json", downloads.as_json(board)
        yield f"data/{board.name}.tex", downloads.as_latex(board)
    model, top = made.get_template("model.html"), {board.name: _best(board) for board in boards}
    for slug, entries in _by_model(boards).items():
        yield f"models/{slug}.html", model.render(root="../", entries=entries, name=entries[0][1].model, best=top)


def _by_model(boards: Iterable[Board]) -> dict[str, list[tuple[Board, Entry]]]:
    found: dict[str, list[tuple[Board, Entry]]] = {}
    for board in boards:
        for entry in board.entries:
            found.setdefault(entry.slug, []).append((board, entry))
    return found


def _environment(boards: Sequence[Board]) -> Environment:
    made = environment(TEMPLATES)
    made.globals.update(boards=boards, version=__version__, language=_language, lower=_lower, metric=_metric)
    made.filters.update(
        score=_score,
        percent=_percent,
        size=plots.size_text,
        size_class=_size_class,
        plainly=_plainly,
        thousands=_thousands,
    )
    return made


def _language(code: str) -> str:
    return LANGUAGES.get(code.partition("-")[0], code)


def _lower(task: Any) -> bool:
    return metric_for(task).high > 1


def _metric(task: Any) -> str:
    return metric_for(task).primary.replace("_", " ")


def _best(board: Board) -> Mapping[str, float]:
    """The best value of each task."""
    pairs = ((name, cell.value) for entry in board.entries for name, cell in entry.cells.items() if cell.best)
    return dict(pairs)


def _score(value: float | None, digits: int = 2) -> str:
    """A score times 100.

    >>> _score(0.8569), _score(None), _score(-0.00001)
    ('85.69', '–', '0.00')
    """
    return "–" if value is None else f"{round(100 * value, digits) + 0.0:.{digits}f}"


def _percent(value: float | None) -> str:
    """A signed share in per cent, with a true minus."""
    return "–" if value is None else f"{round(100 * value, 1) + 0.0:+.1f}".replace("-", "−")


def _thousands(value: int) -> str:
    return f"{value:,}"


def _size_class(parameters: int | None) -> str:
    """What the filter by size calls it."""
    limits = ((150e6, "small"), (350e6, "base"), (1e9, "large"))
    return (
        next((name for most, name in limits if parameters and parameters < most), "huge") if parameters else "unknown"
    )


def _plainly(cell: Cell) -> str:
    """The settings of a cell's records as JSON, shortened."""
    found = [dict(record.settings) for record in cell.records if record.settings]
    text = strict_json.dumps(found[0] if len(found) == 1 else found, indent=1) if found else ""
    return text[:LONGEST_SETTINGS] + ("…" if len(text) > LONGEST_SETTINGS else "")
