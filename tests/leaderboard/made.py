# SPDX-License-Identifier: Apache-2.0
"""Made-up results for leaderboards."""

from __future__ import annotations

from typing import Any

from euroglue.registry import SUITES
from euroglue.results import Record
from euroglue.scoring import metric_for

HOSTILE = "<img src=x onerror=\"document.title='owned'\">"
"""A model's name that must stay text."""


def record(task: str, value: float, model: str = "tiny", suite: str = "dumb", **more: Any) -> Record:
    """A result by the task's own metric."""
    key = metric_for(SUITES[suite].tasks[task]).primary
    plain = {"method": "fine-tuned", "n": 10, "signature": "metric:x|n:10", "primary": key, "scores": {key: value}}
    return Record(suite=suite, task=task, model=model, **{**plain, **more})


def records(model: str, first: float, suite: str = "dumb", step: float = 0.01, **more: Any) -> list[Record]:
    """A result on every task, from ``first`` upwards by ``step``."""
    names = SUITES[suite].expected
    return [record(name, first + step * place, model, suite, **more) for place, name in enumerate(names)]
