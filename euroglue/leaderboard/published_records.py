# SPDX-License-Identifier: Apache-2.0
"""The rows of published tables as records, so that a leaderboard shows them beside its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from euroglue.results import Record
from euroglue.scoring import metric_for
from euroglue.scoring.results_table import PUBLISHED, published

if TYPE_CHECKING:
    from euroglue.task import Suite

HUB = "https://huggingface.co/"


def published_records(suite: Suite) -> list[Record]:
    """What was published with a suite: a record for each system and task; none where nothing was.

    How many examples were scored is not known, so ``n`` is 0; the signature says where the numbers are from.
    """
    if suite.name not in PUBLISHED:
        return []
    table = published(suite.name)
    keys = {name: metric_for(suite.tasks[name]).primary for name in table.tasks if name in suite.tasks}
    return [
        Record(
            suite=suite.name,
            task=name,
            model=system.name,
            method="baseline" if system.trivial else "as published",
            primary=keys[name],
            scores={keys[name]: score},
            n=0,
            signature="source:published",
            edition="",
            parameters=system.parameters,
            link=f"{HUB}{system.model_id}" if system.model_id else "",
        )
        for system in table.systems
        for name, score in system.scores.items()
        if name in keys
    ]
