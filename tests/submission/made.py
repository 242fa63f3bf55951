# SPDX-License-Identifier: Apache-2.0
"""Submissions on the made-up sample corpora of a suite."""

from __future__ import annotations

import functools
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from euroglue.prepare import prepare
from euroglue.registry import SUITES, find_task
from euroglue.task import Kind, Task

METADATA = {"suite": "bgglue", "model": "tiny", "method": "fine-tuned", "tasks": {}}


@functools.cache
def gold(suite: str, name: str) -> dict[str, Any]:
    """Id → the sample's gold, in the order of its test split."""
    made = prepare(find_task(suite, name), "sample")
    table = made.table("test")
    return dict(zip(map(str, table[made.task.id_column]), table[made.task.target], strict=True))


def written(task: Task, value: Any) -> Any:
    """A gold value as a prediction file has it."""
    if task.kind is Kind.TOKEN_CLASSIFICATION:
        return " ".join(task.labels[tag] for tag in value)
    if isinstance(value, dict):
        return (value["text"] or [""])[0]
    if task.kind in (Kind.REGRESSION, Kind.RANKING):
        return float(value)
    return task.labels[value] if task.labels else value


def rows(suite: str, name: str) -> list[dict[str, Any]]:
    """Right predictions."""
    task = find_task(suite, name)
    return [{"id": key, "label": written(task, value)} for key, value in gold(suite, name).items()]


def lines(found: list[Any]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in found)


def archive(path: Path, files: Mapping[str, str | bytes], metadata: Any = METADATA) -> Path:
    """A submission; ``files`` are texts by task, or by path where the name has a slash or a dot."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        if metadata is not None:
            packed.writestr("metadata.json", metadata if isinstance(metadata, str) else json.dumps(metadata))
        for name, text in files.items():
            plain = "/" in name or "." in name
            packed.writestr(name if plain else f"predictions/{name}/predictions.jsonl", text)
    return path


def full(path: Path, suite: str = "bgglue", **changed: Any) -> Path:
    """A right submission of every task that has a sample, but for the rows of those that are ``changed``."""
    tasks = [task for task in SUITES[suite].tasks.values() if "sample" in task.editions]
    files = {task.name: lines(changed.get(task.name.replace("-", "_"), rows(suite, task.name))) for task in tasks}
    about = {task.name: {"edition": "sample", "data": prepare(task, "sample").fingerprint} for task in tasks}
    return archive(path, files, {**METADATA, "suite": suite, "tasks": about})
