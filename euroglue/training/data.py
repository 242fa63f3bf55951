# SPDX-License-Identifier: Apache-2.0
"""The splits that a run reads: loading, limiting, identifying."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from euroglue.errors import ContractError
from euroglue.task import Task

if TYPE_CHECKING:
    from datasets import Dataset

LIMIT_SEED = 0


def load_splits(task: Task, edition: str | None = None, **source: Any) -> Mapping[str, Dataset]:
    """The prepared splits of a task, through ``datasets.load_dataset``; ``source`` holds options of ``prepare``."""
    import datasets

    import euroglue  # noqa: F401  (makes the names of the suites known to datasets)

    return datasets.load_dataset(task.suite, task.name, edition=edition or task.default_edition, **source)


def prepared_fingerprint(task: Task, edition: str | None = None, **source: Any) -> str:
    """The fingerprint of the prepared edition, as its manifest has it and signatures show it."""
    from euroglue.prepare import prepare

    return prepare(task, edition, **source).fingerprint


def limited(dataset: Dataset, count: int | None) -> Dataset:
    """At most ``count`` examples, drawn by a fixed seed and kept in their order: the same ones in every run."""
    if count is None or count >= len(dataset):
        return dataset
    chosen = np.random.default_rng(LIMIT_SEED).permutation(len(dataset))[:count]
    return dataset.select(sorted(chosen.tolist()))


def resampled(splits: Mapping[str, dict[str, list[Any]]], number: int) -> dict[str, dict[str, list[Any]]]:
    """The columns with train and validation resampled as EuroEval does; test stays, its scores can be resampled later.

    Args:
        splits: the columns by split.
        number: which of EuroEval's ten resamples, from 0.
    """
    from euroglue.scoring.monte_carlo import euroeval_draws

    drawn = [name for name in ("train", "validation") if name in splits]
    draws = euroeval_draws({name: len(next(iter(splits[name].values()))) for name in drawn})
    rows = {name: draws[name][number].tolist() for name in drawn}
    chosen = {name: {key: [values[i] for i in rows[name]] for key, values in splits[name].items()} for name in drawn}
    return {**splits, **chosen}


def columns(task: Task, dataset: Dataset) -> dict[str, list[Any]]:
    """The id, inputs and target of every example as plain lists.

    Raises:
        ContractError: a column is missing, two examples share an id, or a label is none of the task's.
    """
    names = (task.id_column, *task.inputs, task.target)
    missing = [name for name in names if name not in dataset.column_names]
    if missing:
        raise ContractError(
            f"{task.path}: the data has no column {missing[0]!r}; it has: {', '.join(dataset.column_names)}"
        )
    rows = {name: dataset[name][:] for name in names}  # a slice: a column is walked an example at a time
    ids = [str(example) for example in rows[task.id_column]]
    if len(set(ids)) < len(ids):
        twice = sorted(example for example, count in Counter(ids).items() if count > 1)[:3]
        raise ContractError(f"{task.path}: ids must be distinct, but {', '.join(twice)} occur more than once")
    _require_labels(task, ids, rows[task.target])
    return rows


def _require_labels(task: Task, ids: Sequence[str], values: Sequence[Any]) -> None:
    """Refuse label ids that the task has not, such as those of other data of the same columns."""
    count = len(task.labels)
    for example, value in zip(ids, values) if count else ():
        for label in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(label, int) and label >= count:
                raise ContractError(
                    f"{task.path}, example {example}: expected {task.target} from 0 to {count - 1}, got {label}"
                )


def fingerprint(rows: Mapping[str, list[Any]]) -> str:
    """A digest of columns' content, 16 hex digits, the same on every machine; hidden numbers count as such.

    >>> fingerprint({"id": ["a"], "label": [1]}) == fingerprint({"label": [1], "id": ["a"]})
    True
    """
    digest = hashlib.sha256()
    for name in sorted(rows):
        digest.update(json.dumps([name, rows[name]], ensure_ascii=False).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:16]
