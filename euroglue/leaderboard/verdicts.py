# SPDX-License-Identifier: Apache-2.0
"""Of each task in a store of results: which models are not worse than the best, and which are below the baseline.

Runs of a model, such as those of several seeds, count together; results that kept no rows are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from euroglue.errors import EuroglueError
from euroglue.registry import SUITES
from euroglue.scoring import metric_for
from euroglue.scoring.comparable import differences
from euroglue.scoring.correctness import Correctness
from euroglue.scoring.signature import format_signature, parse_signature
from euroglue.scoring.verdict import ALPHA, Verdict, judge

if TYPE_CHECKING:
    from euroglue.results import Record, ResultStore


@dataclass(frozen=True)
class TaskVerdict:
    """The verdict on one task and split; ``runs`` counts the results of each model."""

    suite: str
    task: str
    split: str
    runs: dict[str, int]
    verdict: Verdict

    def to_dict(self) -> dict[str, Any]:
        """The verdict as plain values that JSON can hold."""
        return {
            "suite": self.suite,
            "task": self.task,
            "split": self.split,
            "runs": dict(self.runs),
            **self.verdict.to_dict(),
        }


def verdicts(
    store: ResultStore,
    *,
    suite: str | None = None,
    split: str = "test",
    baseline: str | None = None,
    alpha: float = ALPHA,
) -> tuple[list[TaskVerdict], list[str]]:
    """Judge every task that has results of two models or more (DUMB paper, section 3.3).

    Args:
        store: the results.
        suite: only the tasks of this suite.
        split: the split that was predicted.
        baseline: the model that others should beat; where it has no result of a task there is no such comparison.
        alpha: the level of the tests.

    Returns:
        The verdicts by suite and task, and a sentence for each result or task that had to be left out.
    """
    fields = {"split": split, **({"suite": suite} if suite else {})}
    held: dict[tuple[str, str], list[Record]] = {}
    for record in store.find(**fields):
        held.setdefault((record.suite, record.task), []).append(record)
    found, left_out = [], []
    for (suite_name, task), records in sorted(held.items()):
        runs, reasons = _runs(store, records)
        left_out += reasons
        try:
            counts = Correctness.of_runs([(label, rows) for label, rows in runs])
            known = baseline if baseline in counts.models else None
            verdict = judge(counts, known, alpha=alpha)
        except EuroglueError as error:
            left_out.append(f"{suite_name}/{task}: {error}")
            continue
        if baseline is not None and known is None:
            left_out.append(f"{suite_name}/{task}: the baseline {baseline!r} has no result that kept its rows")
        number = dict(Counter(label for label, _ in runs))
        found.append(TaskVerdict(suite_name, task, split, number, verdict))
    return found, left_out


Run = tuple[str, dict[str, Sequence[float]]]
"""A model's name and, by example id, how much was right and how much there was to get right."""


def _runs(store: ResultStore, records: Sequence[Record]) -> tuple[list[Run], list[str]]:
    """The runs of a task that can be counted together, and why others cannot."""
    task = SUITES[records[0].suite].tasks[records[0].task]
    metric, left_out, kept = metric_for(task), [], []
    names = dict(_names(records))
    reference = _commonest(records)
    for record in records:
        where = f"{task.path}, {names[id(record)]}" + (f", seed {record.seed}" if record.seed is not None else "")
        present = {"metric": metric.name, "task": task.path, **metric.settings()}
        odd = differences(record.signature, reference)
        mine = {
            key: value
            for key, value in parse_signature(record.signature).items()
            if key not in ("n", "data", "version")
        }
        odd += [] if odd else differences(format_signature(mine), format_signature(present))
        rows = None if odd else store.checked_rows(record)
        if odd:
            left_out.append(f"{where}: it cannot be counted with the others: {'; '.join(odd)}")
        elif rows is None:
            left_out.append(f"{where}: its rows were not kept; add the run again with --keep-rows")
        else:
            try:
                counts = metric.correct(np.array(list(rows.values())))
            except EuroglueError as error:
                return [], [f"{task.path}: {error}"]
            kept.append((where, (names[id(record)], dict(zip(rows, counts.tolist(), strict=True)))))
    return _on_the_same_items(kept, left_out)


def _on_the_same_items(kept: Sequence[tuple[str, Run]], left_out: list[str]) -> tuple[list[Run], list[str]]:
    """The runs on the items that most runs are on; one on others, whatever its signature says, is left out."""
    items = Counter(frozenset(run[1]) for _, run in kept)
    usual = max(items, key=items.__getitem__, default=frozenset())
    odd = [f"{where}: its examples are not those of the others" for where, run in kept if set(run[1]) != usual]
    return [run for _, run in kept if set(run[1]) == usual], [*left_out, *odd]


def _commonest(records: Sequence[Record]) -> str:
    """The signature that most of the results are comparable with."""
    return max(
        (one.signature for one in records), key=lambda text: sum(not differences(text, r.signature) for r in records)
    )


def _names(records: Sequence[Record]) -> Iterator[tuple[int, str]]:
    """What each result's model is called: with its revision, method, variant and shots where one name stands for several."""
    kinds = {(one.model, one.revision, one.method, one.variant, one.shots) for one in records}
    several = {model for model, count in Counter(model for model, *_ in kinds).items() if count > 1}
    for one in records:
        shots = "" if one.shots is None else f"{one.shots} shots"
        more = ", ".join(part for part in (one.revision, one.method, one.variant, shots) if part)
        yield id(one), f"{one.model} ({more})" if one.model in several else one.model
