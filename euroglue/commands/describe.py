# SPDX-License-Identifier: Apache-2.0
"""``euroglue describe``: what the splits of a task look like."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from euroglue.commands.data import finish, prepare_all
from euroglue.commands.options import AcceptLicence, AllowMissing, DataDir, Edition, Json, Suite, Tasks
from euroglue.commands.terminal import print_json, progress, show, table

if TYPE_CHECKING:
    from euroglue.prepare.groupings import Group
    from euroglue.prepare.statistics import Statistics

FEW_VALUES = 12
"""Of a grouping with more values only their number is shown; JSON holds the most frequent ones."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("describe")(describe)


def describe(
    suite: Suite,
    names: Tasks = None,
    edition: Edition = None,
    data_dir: DataDir = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN[=REGEX]", help="Group by a column too, by column.field or by the pattern's match."
        ),
    ] = None,
    png: Annotated[Path | None, typer.Option(metavar="DIR", help="Also draw each task as DIR/TASK.png.")] = None,
    accept_licence: AcceptLicence = False,
    allow_missing_splits: AllowMissing = False,
    as_json: Json = False,
) -> None:
    """Show sizes, labels, lengths, vocabulary and groups of each split.

    Where no task is named, tasks whose raw files cannot be had are left out with a warning, and the exit code is 1.
    """
    from euroglue.prepare.statistics import describe as describe_tables

    made, warnings = prepare_all(
        suite,
        names,
        edition,
        data_dir=data_dir,
        allow_missing_splits=allow_missing_splits,
        accept_licence=accept_licence,
    )
    found = [
        describe_tables(one.task, {split: one.table(split) for split in one.splits}, edition=one.edition, by=by or [])
        for one in progress(made, "describing")
    ]
    if png is not None:
        _draw(found, png)
    if as_json:
        print_json([one.to_dict() for one in found])
    else:
        for one in found:
            _show(one)
    finish(warnings)


def _draw(found: list[Statistics], folder: Path) -> None:
    from euroglue.prepare.figure import draw

    folder.mkdir(parents=True, exist_ok=True)
    for one in found:
        draw(one, folder / f"{one.task.partition('/')[2]}.png")


def _show(one: Statistics) -> None:
    title = f"{one.task} ({one.edition})"
    splits = list(one.splits)
    columns = ["split", "rows", "no label", "words:\nmean", "\nmedian", "\nlongest", "vocabulary"]
    if any(about.choices for about in one.splits.values()):
        columns.append("choices:\nmean")
    rows = []
    for split, about in one.splits.items():
        words, choices = about.words, about.choices
        cells = [about.rows, about.unlabelled or None, words and f"{words.mean:,.1f}", words and f"{words.median:,.1f}"]
        cells += [words and words.most, about.vocabulary, choices and f"{choices.mean:.2f}"]
        rows.append((split, *cells[: len(columns) - 1]))
    show(_right(table(title, *columns, rows=rows, whole=columns)))
    _show_labels(one, title, splits)
    shares = [(row, *(_percent(one.overlap[row][column]) for column in splits)) for row in splits]
    headed = f"{title}: % of the row's distinct words that the column has"
    show("", _right(table(headed, "", *splits, rows=shares, whole=splits)))
    _show_groups(one.groups, title, splits)
    show("")


def _show_labels(one: Statistics, title: str, splits: list[str]) -> None:
    known = [(split, about.labels) for split, about in one.splits.items() if about.labels]
    if not known:
        return
    rows = [(name, *(_share(dict(known).get(split), name) for split in splits)) for name in known[0][1]]
    means = [about.target_mean for about in one.splits.values()]
    if any(mean is not None for mean in means):
        rows.append(("mean", *(None if mean is None else f"{mean:.3f}" for mean in means)))
    show("", _right(table(f"{title}: {one.unit} by label", "label", *splits, rows=rows, whole=splits)))


def _show_groups(groups: tuple[Group, ...], title: str, splits: list[str]) -> None:
    if groups:
        rows = [(group.name, *(group.distinct[split] for split in splits), group.total) for group in groups]
        show("", _right(table(f"{title}: distinct values", "of", *splits, "all", rows=rows, whole=[*splits, "all"])))
    for group in groups:
        if 1 < group.total <= FEW_VALUES:
            rows = [
                (value, *(counts[split] for split in splits), sum(counts.values()))
                for value, counts in group.values.items()
            ]
            columns = (group.name, *splits, "all")
            show("", _right(table(f"{title}: examples by {group.name}", *columns, rows=rows, whole=[*splits, "all"])))


def _share(counts: Mapping[str, int] | None, name: str) -> str | None:
    if counts is None:
        return None
    return f"{counts[name]:,} {_percent(counts[name] / (sum(counts.values()) or 1)):>5} %"


def _percent(share: float | None) -> str | None:
    return None if share is None else f"{100 * share:.1f}"


def _right(made: Any) -> Any:
    """The table with every column but the first to the right."""
    for column in made.columns[1:]:
        column.justify = "right"
    return made
