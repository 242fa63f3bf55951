# SPDX-License-Identifier: Apache-2.0
"""The options by which commands are told how to make bootstrap intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from euroglue.scoring.bootstrap import Bootstrap

Interval = Annotated[
    str | None, typer.Option("--interval", metavar="KIND", help="bca or percentile: add bootstrap intervals.")
]
Resamples = Annotated[int | None, typer.Option(metavar="N", help="How many resamples; 1,000 by default.")]
Level = Annotated[float | None, typer.Option(metavar="SHARE", help="What an interval holds; 0.95 by default.")]
Seed = Annotated[int | None, typer.Option(metavar="N", help="Of the resamples; 1 by default.")]
Group = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="Draw whole groups of examples, such as films or documents.")
]


def bootstrap_of(
    interval: str | None, resamples: int | None, level: float | None, seed: int | None, group: str | None
) -> Bootstrap | None:
    """How to make intervals, or None where none are asked for.

    Raises:
        EuroglueError: a value is out of range, or is given without ``--interval``.
    """
    from euroglue.errors import EuroglueError
    from euroglue.scoring.bootstrap import Bootstrap

    given = {"resamples": resamples, "level": level, "seed": seed, "over": group}
    chosen = {name: value for name, value in given.items() if value is not None}
    if interval is None:
        if chosen:
            raise EuroglueError("--resamples, --level, --seed and --group are about intervals: give --interval too")
        return None
    return Bootstrap(method=interval, **chosen)  # type: ignore[arg-type]
