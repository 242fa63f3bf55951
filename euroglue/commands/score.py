# SPDX-License-Identifier: Apache-2.0
"""``euroglue score``: what a file of predictions is worth."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from euroglue.commands.data import finish
from euroglue.commands.intervals import Group, Interval, Level, Resamples, Seed, bootstrap_of
from euroglue.commands.options import DataDir, Edition, Json, OneTask, Predicted, References, Suite
from euroglue.commands.terminal import print_json, show, table

if TYPE_CHECKING:
    from euroglue.scoring import Result


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("score")(score)


def score(
    suite: Suite,
    name: OneTask,
    predictions: Annotated[
        Path, typer.Option(metavar="FILE", help='JSON Lines, one {"id": …, "label": …} for each example.')
    ],
    references: References = None,
    split: Predicted = None,
    edition: Edition = None,
    data_dir: DataDir = None,
    interval: Interval = None,
    resamples: Resamples = None,
    level: Level = None,
    seed: Seed = None,
    group: Group = None,
    as_json: Json = False,
) -> None:
    """Score a file of predictions, joined to the gold by id; with --interval also bootstrap intervals.

    Exits with 1 if the score comes with a warning: unknown labels or choices, or a score that is undefined and was set by a
    rule. A score that can have no interval, such as a perfect one, comes with a note.
    """
    from euroglue.errors import EuroglueError
    from euroglue.registry import find_task

    task = find_task(suite, name)
    bootstrap = bootstrap_of(interval, resamples, level, seed, group)
    if references is None:
        from euroglue.evaluation import score_on_split
        from euroglue.prepare import prepare

        result = score_on_split(prepare(task, edition, data_dir=data_dir), split or "test", predictions, bootstrap)
    elif split or edition or data_dir:
        raise EuroglueError("give either --references or a split (--split, --edition, --data-dir), not both")
    else:
        from euroglue.evaluation import score_against_file

        result = score_against_file(task, predictions, references, bootstrap)
    if as_json:
        print_json(result.to_dict())
    else:
        _show(result)
    finish(result.warnings)


def _show(result: Result) -> None:
    ends = ("low", "high") if result.intervals else ()
    rows = [
        (
            f"{key} *" if key == result.primary else key,
            value,
            *(result.intervals.get(key, (None, None)) if ends else ()),
        )
        for key, value in result.scores.items()
    ]
    show(table(f"{result.task}: {result.n:,} examples · * the published score", "measure", "score", *ends, rows=rows))
    show(*(f"note: {note}" for note in result.notes), f"signature: {result.signature}")
