# SPDX-License-Identifier: Apache-2.0
"""From a store of results to a site."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from euroglue.errors import EuroglueError
from euroglue.leaderboard.board import Board, make_boards
from euroglue.leaderboard.marks import RowTests
from euroglue.leaderboard.site import write_site
from euroglue.registry import SUITES
from euroglue.results import Record, ResultStore


class Built(NamedTuple):
    """How many pages and entries there are, and a sentence for each group of results that has no place."""

    pages: int
    entries: int
    left_out: tuple[str, ...]


def build_site(
    results: str | os.PathLike[str] | None,
    out: str | os.PathLike[str],
    *,
    suites: Sequence[str] = (),
    split: str = "test",
    baseline: str = "",
    with_published: bool = True,
    tests: bool = True,
) -> Built:
    """Build the site of a store.

    Args:
        results: the store; None for what was published alone.
        out: the folder of the site.
        suites: those that are shown; all by default.
        split: the split whose scores count.
        baseline: the model that relative error reductions are measured against; by default the published baselines.
        with_published: whether published results are shown too.
        tests: whether models are tested against the best one, where the store keeps their rows.

    Raises:
        EuroglueError: there is no such store or baseline, or ``out`` holds something else.
        FormatError: a result is spoilt.
        UnknownNameError: there is no such suite.
    """
    store = None if results is None else ResultStore.existing(results)
    records = [] if store is None else list(store)
    chosen = [SUITES[name] for name in (suites or SUITES)]
    same = RowTests(store) if store is not None and tests else None
    boards: list[Board] = []
    for suite in chosen:
        boards += make_boards(suite, records, split=split, with_published=with_published, baseline=baseline, same=same)
    if baseline and all(board.baseline != baseline for board in boards):
        raise EuroglueError(f"the baseline {baseline!r} is none of the models with a score on every task of a suite")
    pages = write_site(boards, out)
    return Built(
        pages, sum(len(board.entries) for board in boards), _left_out(records, [suite.name for suite in chosen], split)
    )


def _left_out(records: Sequence[Record], shown: Sequence[str], split: str) -> tuple[str, ...]:
    """Why results have no place; those of a model on another split are passed over where it has one on this split."""
    reasons: Counter[str] = Counter()
    placed = {(record.suite, record.task, record.model) for record in records if record.split == split}
    for record in records:
        if record.suite not in SUITES:
            reasons[f"of the suite {record.suite}, which is not installed"] += 1
        elif record.suite in shown and record.task not in SUITES[record.suite].expected:
            reasons[f"on {record.suite}/{record.task}, which does not count for the suite"] += 1
        elif record.suite in shown and (record.suite, record.task, record.model) not in placed:
            reasons[f"on the split {record.split}"] += 1
    return tuple(f"left out: {count:,} results {why}" for why, count in sorted(reasons.items()))
