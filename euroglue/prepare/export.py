# SPDX-License-Identifier: Apache-2.0
"""A prepared suite as a plain folder of Parquet that ``datasets`` loads without our code."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from euroglue.atomic import new_folder
from euroglue.disk import user_path
from euroglue.errors import EuroglueError
from euroglue.prepare.pipeline import MANIFEST, Prepared
from euroglue.task import Suite


def export(suite: Suite, prepared: Sequence[Prepared], out: str | os.PathLike) -> Path:
    """Write ``out/README.md`` and ``out/<task>/{<split>.parquet, manifest.json}``; one edition a task.

    The folder appears whole or not at all. Returns it.

    Raises:
        EuroglueError: ``out`` exists and is not an export of this kind, or a task is given twice.
    """
    from euroglue.publish.card import folder_card

    folder = user_path(out)
    names = [item.task.name for item in prepared]
    if len(set(names)) != len(names):
        raise EuroglueError(f"export of {suite.name}: expected one edition a task, got {', '.join(names)}")
    if folder.exists() and not _replaceable(folder):
        raise EuroglueError(f"{folder}: exists and holds something else than an export; choose a new folder")
    with new_folder(folder) as work:
        for item in prepared:
            (work / item.task.name).mkdir()
            for split in item.splits:
                shutil.copyfile(item.file(split), work / item.task.name / f"{split}.parquet")
            shutil.copyfile(item.folder / MANIFEST, work / item.task.name / MANIFEST)
        (work / "README.md").write_text(folder_card([suite], prepared), encoding="utf-8", newline="\n")
    return folder


def _replaceable(folder: Path) -> bool:
    """Whether a folder is empty or an earlier export, which may be replaced."""
    inside = sorted(entry.name for entry in folder.iterdir()) if folder.is_dir() else ["a file"]
    tasks = [name for name in inside if name != "README.md"]
    return not inside or ("README.md" in inside and all((folder / name / MANIFEST).is_file() for name in tasks))
