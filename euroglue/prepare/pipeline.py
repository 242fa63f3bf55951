# SPDX-License-Identifier: Apache-2.0
"""Run an edition: raw files → reader → table → steps → typed splits → Parquet and ``manifest.json``."""

from __future__ import annotations

import functools
import hashlib
import importlib
import json
import os
import shutil
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from euroglue import strict_json
from euroglue.atomic import new_folder
from euroglue.errors import ContractError, FormatError, MissingRawFileError
from euroglue.prepare.raw import RawFiles, acquire, state
from euroglue.prepare.scratch import home, make_folder
from euroglue.task import SPLITS, Check, Derivation, Edition, Step, Task
from euroglue.version import __version__

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Prepared:
    """A prepared edition on disk: one Parquet file a split, and the manifest beside them."""

    task: Task
    edition: str
    folder: Path
    manifest: Mapping[str, Any]

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of the rows, 64 hex digits."""
        return self.manifest["fingerprint"]

    @property
    def splits(self) -> tuple[str, ...]:
        """The splits there are, in the order train, validation, test."""
        return tuple(self.manifest["splits"])

    def file(self, split: str) -> Path:
        """The Parquet file of a split."""
        return self.folder / f"{split}.parquet"

    def table(self, split: str, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """The rows of a split: columns as in ``task.features`` or those named, labels as ids, lists as Python lists."""
        import pandas as pd

        from euroglue.prepare.columns import read_parquet

        if split not in self.splits:
            raise ContractError(
                f"{self.task.path} ({self.edition}) has no split {split!r}; it has {', '.join(self.splits)}"
            )
        return pd.DataFrame(read_parquet(self.file(split), columns).to_pydict())


def prepare(
    task: Task,
    edition: str | None = None,
    *,
    data_dir: str | os.PathLike | None = None,
    allow_changed_source: bool = False,
    allow_missing_splits: bool = False,
) -> Prepared:
    """Prepare an edition, or find it prepared: the result is keyed by the pins, the steps and the code.

    Safe under concurrent processes and after a kill: a lock keeps builders apart, and a folder appears whole or not at
    all.

    Args:
        edition: ``official``, ``rebuilt`` or ``sample``; by default the task's own default.
        data_dir: folder with the raw files, verified at every call; else ``$EUROGLUE_RAW_DIR/<suite>/<task>`` is looked
            into, else they are downloaded.
        allow_changed_source: accept raw files that differ from the published ones; sizes are then reported only.
        allow_missing_splits: leave out what is not at hand, and the splits made of it; the manifest says what.

    Raises:
        RawFileError: a raw file is missing or not the published one.
        FormatError: a raw file breaks its format.
        ContractError: what comes out is not what the task's literal promises.
    """
    name = task.default_edition if edition is None else edition
    options = {"allow_changed": allow_changed_source, "allow_missing": allow_missing_splits}
    if not any(options.values()) and data_dir is None:
        found = _existing(task, name, prepared_name(task, name))
        if found is not None:
            return found
    with acquire(task, name, data_dir=data_dir, **options) as files:
        folder = prepared_name(task, name, data_dir, **options)
        return _existing(task, name, folder) or _build(task, name, folder, files, strict=not allow_changed_source)


def find_prepared(task: Task, edition: str | None = None) -> Prepared | None:
    """The edition if it is prepared already; nothing is read or fetched for it."""
    name = task.default_edition if edition is None else edition
    return _existing(task, name, prepared_name(task, name))


def prepared_name(
    task: Task,
    edition: str | None = None,
    data_dir: str | os.PathLike | None = None,
    *,
    allow_changed: bool = False,
    allow_missing: bool = False,
) -> str:
    """The name of an edition's prepared folder: edition, key, and the state of raw files that no pin holds fast.

    Where such files are not at hand (any more), the name of what was prepared from them last.
    """
    name = task.default_edition if edition is None else edition
    stem = f"{name}-{cache_key(task, name)[:16]}"
    if not (task.edition(name).loose or allow_changed or allow_missing):
        return stem
    stem += "-changed" * allow_changed + "-missing" * allow_missing
    at_hand = state(task, name, data_dir)
    if at_hand:
        return f"{stem}-{at_hand}"
    states = _root(task).glob(f"{stem}-{'[0-9a-f]' * 16}/{MANIFEST}")  # not those of other options
    made = sorted(states, key=lambda file: file.stat().st_mtime)
    return made[-1].parent.name if made else stem


def cache_key(task: Task, edition: str) -> str:
    """What a prepared folder is named by: a hash of the pins, the steps and the code."""
    literal = task.edition(edition)
    pins = [{"file": source.file, "members": dict(source.members)} for source in literal.sources]
    parts = {
        "task": task.path,
        "edition": edition,
        "sources": pins,
        "reader": str(literal.read),
        "steps": [str(step) for step in literal.steps],
        "hidden": list(literal.hidden),
        "sizes": dict(literal.sizes),
        "features": repr(dict(task.features)),
        "blank": list(task.label_columns),
        "code": code_digest(task.suite),
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()


@functools.cache
def code_digest(suite: str) -> str:
    """A hash of the code that preparation runs through: the vocabulary, readers, steps and the suite's own modules."""
    from euroglue.registry import SUITES

    package = importlib.import_module(SUITES[suite].package)
    root = Path(__file__).parent.parent
    files = [root / "task.py", root / "named.py", *root.glob("readers/*.py"), *root.glob("prepare/*.py")]
    files += [file for folder in package.__path__ for file in Path(folder).glob("*.py")]
    digest = hashlib.sha256()
    for file in sorted(files, key=lambda file: (file.parent.name, file.name)):
        digest.update(f"{file.parent.name}/{file.name}\n".encode() + file.read_bytes())
    return digest.hexdigest()


def _root(task: Task) -> Path:
    return home() / "prepared" / task.suite / task.name


def _existing(task: Task, edition: str, name: str) -> Prepared | None:
    """What is prepared under a name; None where nothing is, or where one of its files is gone or was cut short since."""
    folder = _root(task) / name
    try:
        manifest = strict_json.read(folder / MANIFEST)
        complete = len(manifest["fingerprint"]) == 64 and all(
            _is_complete(folder / f"{split}.parquet") for split in manifest["splits"]
        )
    except (FileNotFoundError, NotADirectoryError, ValueError, KeyError, TypeError):
        return None
    return Prepared(task, edition, folder, manifest) if complete else None


def _is_complete(file: Path) -> bool:
    """Whether a Parquet file has its beginning and its end."""
    with open(file, "rb") as parquet:
        head, size = parquet.read(4), parquet.seek(0, os.SEEK_END)
        parquet.seek(max(size - 4, 0))
        return size > 8 and head == parquet.read() == b"PAR1"


def _build(task: Task, edition: str, name: str, files: RawFiles, strict: bool) -> Prepared:
    from filelock import FileLock

    folder = _root(task) / name
    make_folder(folder.parent)
    with FileLock(f"{folder}.lock"):
        if (found := _existing(task, edition, name)) is not None:
            return found
        for left in [*folder.parent.glob(f".{name}~*"), *folder.parent.glob(name)]:  # of killed runs; spoilt since
            shutil.rmtree(left)
        with new_folder(folder) as work:
            manifest = write(task, edition, files, work, strict=strict)
    return Prepared(task, edition, folder, manifest)


def write(task: Task, edition: str, files: RawFiles, folder: Path, *, strict: bool = True) -> dict:
    """Run the edition over its raw files and write Parquet and manifest into ``folder``; returns the manifest."""
    from euroglue.prepare import columns

    literal = task.edition(edition)
    where = f"{task.path} ({edition})"
    partial = any(source.file in files.missing and not source.optional for source in literal.sources)
    try:
        table, steps, findings = run_steps(task, literal, literal.read(files))
        typed = _typed_splits(task, literal, table, partial, files.incomplete)
    except ContractError as error:
        lacking = f"; not at hand: {', '.join(files.missing)}; put what is missing there too" if files.missing else ""
        raise ContractError(f"{where}: {error}{lacking}") from error
    except FormatError as error:
        raise FormatError(f"{where}: {error}; mend the raw file or fetch it again{_lies(files)}") from error
    asserted = strict and literal.sizes_are_asserted and not partial
    findings = [*files.findings, *findings, *_compare_sizes(where, literal, typed, asserted, partial)]
    findings += [f"{where}: left out, not at hand: {name}" for name in files.missing]
    for split, part in typed.items():
        columns.write_parquet(part, folder / f"{split}.parquet")
    counts = {
        split: {"rows": part.num_rows, "bytes": part.nbytes, "labels": _counts(task, literal, table, split)}
        for split, part in typed.items()
    }
    manifest = {
        **_about(task, edition),
        "sources": files.sources,
        "reader": str(literal.read),
        "steps": steps,
        "splits": counts,
        "findings": findings,
        "notes": list(literal.notes),
        "fingerprint": columns.fingerprint(typed),
    }
    strict_json.write(folder / MANIFEST, manifest)
    return manifest


def _lies(files: RawFiles) -> str:
    """Where the raw files were found, and that one of our own downloads must go before it is fetched again."""
    if not files.places:
        return ""
    told = ", ".join(map(str, files.places))
    kept = any(home() / "downloads" in place.parents for place in files.places)
    return f" (read from {told}{'; what lies in downloads is fetched again once it is removed' if kept else ''})"


def _about(task: Task, edition: str) -> dict[str, Any]:
    licence = {"id": task.licence.id.value, "terms": task.licence.terms, "redistribute": task.licence.redistribute}
    return {
        "suite": task.suite,
        "task": task.name,
        "edition": edition,
        "version": __version__,
        "licence": licence,
    }


def _compare_sizes(
    where: str, edition: Edition, typed: Mapping[str, pa.Table], asserted: bool, partial: bool
) -> list[str]:
    """Compare sizes with those of the literal; a difference is an error where they are asserted, else a finding."""
    if not typed:
        raise MissingRawFileError(f"{where}: no split can be made of the raw files at hand alone; put the others there")
    sizes = {split: part.num_rows for split, part in typed.items()}
    expected = {split: size for split, size in edition.sizes.items() if split in sizes or not partial}
    for split, size in expected.items():
        if size and not sizes.get(split):
            raise ContractError(f"{where}: expected {size:,} examples in {split}, got none; fetch the raw files again")
    if sizes == expected:
        return []
    message = f"{where}: expected {_sizes(expected)} examples, got {_sizes(sizes)}"
    if asserted:
        raise ContractError(f"{message}; report this")
    return [message]


def run_steps(task: Task, edition: Edition, table: pd.DataFrame) -> tuple[pd.DataFrame, list[dict], list[str]]:
    """Apply the steps; returns the last table, a record per step (rows in, out, dropped by split, reason) and findings.

    Raises:
        ContractError: ids are missing or doubled, a step invents ids, or rows end up without a split.
    """
    _check_ids(task, table, str(edition.read))
    records, findings = [], []
    for step in edition.steps:
        if isinstance(step, Check):
            findings += step(table)
            continue
        after = step(table)
        _check_ids(task, after, str(step))
        records.append(_record(task, step, table, after))
        table = after
    unknown = set(table.get("split", [None])) - set(SPLITS)
    if unknown:
        raise ContractError(
            f"after the last step every row needs a split of {', '.join(SPLITS)}, got {sorted(map(str, unknown))}"
        )
    return table, records, findings


def _check_ids(task: Task, table: pd.DataFrame, maker: str) -> None:
    if task.id_column not in table:
        raise ContractError(
            f"{maker}: expected the id column {task.id_column!r}, got {', '.join(table.columns) or 'no rows'}"
        )
    ids = table[task.id_column].map(str)
    if ids.duplicated().any():
        twice = ids[ids.duplicated()].iloc[0]
        raise ContractError(
            f"{maker}: the id {twice!r} occurs {int((ids == twice).sum())} times; expected every id once"
        )


def _record(task: Task, step: Step, before: pd.DataFrame, after: pd.DataFrame) -> dict:
    kept, had = {str(key) for key in after[task.id_column]}, [str(key) for key in before[task.id_column]]
    gone = before.iloc[[place for place, key in enumerate(had) if key not in kept]]
    invented = kept.difference(had)
    derives = isinstance(step, Derivation)
    if invented and not derives:
        raise ContractError(
            f"{step}: made up {len(invented)} ids, such as {min(invented)!r}; a step may only drop rows"
        )
    splits = Counter(str(split) for split in gone.get("split", []) if split is not None)
    return {
        "step": str(step),
        "rows_in": len(before),
        "rows_out": len(after),
        **({"added": len(invented)} if derives else {}),
        "dropped": len(gone),
        "dropped_by_split": dict(sorted(splits.items())),
        "changed": _changed(before, after),
        "reason": step.reason,
    }


def _changed(before: pd.DataFrame, after: pd.DataFrame) -> int:
    """How many of the rows that stay have another value in a column that was there before."""
    import numpy as np

    after = after[after.index.isin(before.index)]
    changed = np.zeros(len(after), dtype=bool)
    old = before.loc[after.index]
    for column in set(before) & set(after) - {"split"}:
        pairs = zip(old[column], after[column])
        changed |= np.fromiter((one is not other and one != other for one, other in pairs), bool, len(after))
    return int(changed.sum())


def _typed_splits(
    task: Task, edition: Edition, table: pd.DataFrame, partial: bool, incomplete: Collection[str]
) -> dict[str, pa.Table]:
    from euroglue.prepare.columns import typed_table

    typed = {}
    for split in SPLITS:
        rows = table[table["split"] == split]
        if split not in incomplete and (len(rows) or (split in edition.sizes and not partial)):
            blank = task.label_columns if split in edition.hidden else ()
            typed[split] = typed_table(rows, task.features, task.id_column, blank)
            if task.bounds is not None and not blank:
                _check_bounds(task, rows, task.bounds)
    return typed


def _check_bounds(task: Task, rows: pd.DataFrame, bounds: tuple[float, float]) -> None:
    for key, value in zip(rows[task.id_column], rows[task.target]):
        if not bounds[0] <= value <= bounds[1]:
            raise ContractError(
                f"example {key}: {task.target}: expected a number from {bounds[0]:g} to {bounds[1]:g}, got {value!r}; "
                "mend the raw file or the task's bounds"
            )


def _sizes(sizes: Mapping[str, int]) -> str:
    return ", ".join(f"{split} {count:,}" for split, count in sizes.items())


def _counts(task: Task, edition: Edition, table: pd.DataFrame, split: str) -> dict | None:
    """How often each label occurs; None where the labels are hidden or are no classes."""
    from euroglue.prepare.steps import label_counts

    if split in edition.hidden or not task.labels:
        return None
    values = table.loc[table["split"] == split, task.target]
    return dict(label_counts(values))
