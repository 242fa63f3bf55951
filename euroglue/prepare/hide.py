# SPDX-License-Identifier: Apache-2.0
"""A variant of a prepared edition with the labels of some splits hidden, to be given away without the gold."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from euroglue import strict_json
from euroglue.errors import ContractError
from euroglue.prepare.pipeline import MANIFEST, Prepared


def hide(prepared: Prepared, splits: Collection[str], folder: str | os.PathLike[str]) -> Prepared:
    """Write the edition into ``folder`` with every label column of ``splits`` blanked; the manifest says so.

    Args:
        prepared: the edition; splits whose labels it hides already stay as they are.
        splits: names of its splits.
        folder: a new or empty folder.

    Raises:
        ContractError: the edition has no such split.
    """

    from euroglue.prepare.columns import fingerprint, read_parquet, typed_table, write_parquet

    task, target = prepared.task, Path(folder)
    for split in splits:
        if split not in prepared.splits:
            known = ", ".join(prepared.splits)
            raise ContractError(f"{task.path} ({prepared.edition}) has no split {split!r} to hide; it has {known}")
    target.mkdir(parents=True, exist_ok=True)
    already = set(task.edition(prepared.edition).hidden)
    typed = {}
    for split in prepared.splits:
        if split in splits and split not in already:
            typed[split] = typed_table(prepared.table(split), task.features, task.id_column, task.label_columns)
            write_parquet(typed[split], target / f"{split}.parquet")
        else:
            shutil.copyfile(prepared.file(split), target / f"{split}.parquet")
            typed[split] = read_parquet(target / f"{split}.parquet")
    hidden = [split for split in prepared.splits if split in splits or split in already]
    counts = {
        split: {**about, "labels": None if split in hidden else about["labels"]}
        for split, about in prepared.manifest["splits"].items()
    }
    manifest = {**prepared.manifest, "splits": counts, "hidden": hidden, "fingerprint": fingerprint(typed)}
    strict_json.write(target / MANIFEST, manifest)
    return replace(prepared, folder=target, manifest=manifest)
