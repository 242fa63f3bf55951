# SPDX-License-Identifier: Apache-2.0
"""A page of results: what was prepared, how it was scored and what came out."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from euroglue.atomic import write_text
from euroglue.leaderboard.chart import line_chart
from euroglue.leaderboard.rendering import environment


@dataclass(frozen=True, kw_only=True)
class TaskReport:
    """What one model did on one task.

    Attributes:
        task: ``suite/name``.
        title: the task's name as people write it.
        kind: what is predicted.
        model: the model's name.
        method: how it came to its predictions.
        edition: the edition it was trained and scored on.
        split: the split it was scored on.
        metric: the key of the published number.
        score: that number.
        n: examples scored.
        scores: every score of the metric, by key.
        curve: (epoch, score on validation).
        sizes: rows of each split.
        steps: the manifest's records: ``step``, ``rows_in``, ``rows_out``, ``reason``.
        findings: what preparation reported.
        fingerprint: of the prepared data.
        signature: how the number was computed.
        warnings: what the metric said about it.
        seconds: of training and prediction.
    """

    task: str
    title: str
    kind: str
    model: str
    edition: str
    split: str
    metric: str
    score: float
    n: int
    scores: Mapping[str, float]
    sizes: Mapping[str, int]
    fingerprint: str
    signature: str
    seconds: float
    method: str = "fine-tuned"
    curve: Sequence[tuple[int, float]] = ()
    steps: Sequence[Mapping[str, Any]] = ()
    findings: Sequence[str] = ()
    warnings: Sequence[str] = ()

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values that JSON can hold."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class Report:
    """A page's content: a title, a paragraph on what it shows, how it was made, the tasks, and where a leaderboard is."""

    title: str
    summary: str
    command: str
    version: str
    seconds: float
    tasks: Sequence[TaskReport] = field(default_factory=tuple)
    leaderboard: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values that JSON can hold."""
        return asdict(self)


def render(report: Report) -> str:
    """The page as one HTML document: every value escaped, nothing fetched, no script."""
    chart = line_chart({task.title: task.curve for task in report.tasks if task.curve}, "epoch", "score on validation")
    return environment().get_template("report.html").render(report=report, chart=chart)


def write_page(report: Report, path: str | os.PathLike[str]) -> Path:
    """Render the report and put it at ``path`` in one move; folders are made."""
    target = Path(path)
    write_text(target, render(report))
    return target
