# SPDX-License-Identifier: Apache-2.0
"""Checks that any task must pass, for this project's tests and for those who plug in suites of their own."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from euroglue.errors import ContractError, PredictionError
from euroglue.prepare.pipeline import prepare
from euroglue.task import HIDDEN_CLASS, Kind, Task

PROMPTED = 20
"""How many examples are asked to see whether the prompt fits the task."""


def check_task(
    task: Task,
    folder: Path,
    edition: str = "sample",
    data_dir: Path | None = None,
    allow_missing_splits: bool = False,
) -> None:
    """Prepare an edition, load it by name in both modes, score its gold against itself, ask it, and write a card.

    The task must be registered with its suite. ``folder`` takes what is written.

    Raises:
        ContractError: the first promise of the literal that does not hold.
    """
    from datasets import load_dataset

    from euroglue.builder import features
    from euroglue.publish.card import task_card

    options: dict[str, Any] = {"edition": edition, "data_dir": str(data_dir) if data_dir else None}
    options["allow_missing_splits"] = allow_missing_splits
    prepared = prepare(task, edition, data_dir=data_dir, allow_missing_splits=allow_missing_splits)
    loaded = load_dataset(task.suite, task.name, **options)
    streamed = load_dataset(task.suite, task.name, streaming=True, **options)
    if not allow_missing_splits:
        _expect("splits", list(prepared.splits), list(task.editions[edition].sizes))
    for split in prepared.splits:
        rows, size = loaded[split], _size(task, edition, split, prepared.manifest)
        _expect(f"{split}: rows", len(rows), size)
        _expect(f"{split}: features", rows.features, features(task))
        _expect(f"{split}: first row, streamed", _plain(next(iter(streamed[split]))), _plain(rows[0]))
        _expect(f"{split}: ids", len(set(rows[task.id_column])), size)
        _expect(f"{split}: table", _plain(prepared.table(split).iloc[-1].to_dict()), _plain(rows[-1]))
        _check_gold(task, split, list(rows[task.target]), split in task.editions[edition].hidden)
    _check_predictions(task, prepared.table("validation"), folder)
    _check_hidden(task, prepared.table("validation"))
    _check_prompt(task, prepared.table("validation"))
    if task.path not in task_card(task):
        raise ContractError(f"{task.path}: the card does not name the task")
    json.dumps(prepared.manifest, allow_nan=False)


def _size(task: Task, edition: str, split: str, manifest: Any) -> int:
    """The literal's size, or where that is not asserted what was prepared."""
    literal = task.editions[edition]
    return literal.sizes[split] if literal.sizes_are_asserted else manifest["splits"][split]["rows"]


def _check_hidden(task: Task, table: Any) -> None:
    """Scoring against hidden gold must be refused."""
    from euroglue.prepare.columns import hidden
    from euroglue.scoring import score
    from euroglue.scoring.baselines import majority

    gold = table[task.target].tolist()
    blank = [hidden(value, task.features[task.target]) for value in gold]
    try:
        score(task, majority(task, gold), blank)
    except PredictionError:
        return
    raise ContractError(f"{task.path}: scoring against hidden labels was not refused")


def _check_prompt(task: Task, table: Any) -> None:
    """Where the task has a prompt, the right answer in its words must be read as the right one; requests are made of it."""
    from euroglue.prompting.build import Builder
    from euroglue.prompting.clean import clean
    from euroglue.prompting.kinds import kind_of
    from euroglue.prompting.shots import Rows

    if task.prompt is None:
        return
    kind, rows = kind_of(task, task.prompt), Rows(table.head(PROMPTED))
    for row in rows:
        for chat in (False, True):
            Builder(kind, chat=chat).request(str(row[task.id_column]), row, [rows[0]])
        words, read = kind.gold(row), kind.read(clean(kind.gold(row)), row)
        if read is None:
            raise ContractError(f"{task.path}: example {row[task.id_column]}: the answer {words!r} cannot be read back")


def _expect(what: str, got: Any, expected: Any) -> None:
    if got != expected:
        raise ContractError(f"{what}: expected {expected!r}, got {got!r}")


def _plain(value: Any) -> Any:
    """The value as JSON text, so that NaN equals NaN and numpy's numbers equal Python's."""
    return json.dumps(value, ensure_ascii=False, default=lambda number: number.item())


def _flat(values: list) -> list:
    return [item for value in values for item in (value if isinstance(value, list) else [value])]


def _check_gold(task: Task, split: str, values: list, hidden: bool) -> None:
    blank = [value in (HIDDEN_CLASS, "") or (isinstance(value, float) and math.isnan(value)) for value in _flat(values)]
    if hidden and not all(blank):
        raise ContractError(f"{split}: expected hidden labels, got {len(blank) - sum(blank)} that show")
    if not hidden and any(blank):
        raise ContractError(f"{split}: expected labels, got {sum(blank)} hidden ones")


def _prediction(task: Task, gold: Any) -> Any:
    """What predicts the gold: of a question the first answer, the empty text where it has none."""
    return next(iter(gold["text"]), "") if task.kind is Kind.QUESTION_ANSWERING else gold


def _check_predictions(task: Task, table: Any, folder: Path) -> None:
    """Gold written as predictions, read back and scored must reach the best score."""
    from euroglue.predictions import join, read_predictions, write_predictions
    from euroglue.scoring import metric_for, score

    ids = [str(key) for key in table[task.id_column]]
    names = task.labels
    gold = table[task.target].tolist()
    if task.kind is Kind.RANKING:
        gold = [float(label) for label in gold]  # the ideal ranking: every positive above every negative
    elif names:
        gold = [[names[i] for i in row] if isinstance(row, list) else names[row] for row in gold]
    path = folder / "predictions.jsonl"
    write_predictions(path, task, ids, [_prediction(task, value) for value in gold])
    predictions, references = join(read_predictions(path, task), dict(zip(ids, gold)))
    result = score(task, predictions, references)
    _expect(
        f"{metric_for(task).primary} of gold against itself", round(result.scores[metric_for(task).primary], 12), 1.0
    )
