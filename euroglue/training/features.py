# SPDX-License-Identifier: Apache-2.0
"""Features as columns of arrays: encoded in batches by several processes, kept in ``$EUROGLUE_HOME``, mapped into memory.

The second start of a run on many examples finds its features on disk. What they are named by is all that they depend
on: the data, the tokenizer, the kind and its settings, the code. No entry is ever changed; old ones may be removed.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import multiprocessing
import os
import shutil
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from euroglue.atomic import new_folder
from euroglue.disk import saving
from euroglue.prepare.scratch import home, make_folder
from euroglue.training.columnar import Part
from euroglue.training.kinds import Feature, TaskKind

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

KEPT_FROM = 4096
"""The least number of examples whose features are worth keeping on disk."""
CHUNK = 16_384
"""How many examples are encoded at once, and lie in one part of what is kept."""
APART = ("editions", "recipe", "metric", "title", "description", "homepage", "citation", "licence")
"""Fields of a task that features do not depend on."""
Rows = Mapping[str, Sequence[Any]]


class Features(Sequence[Feature]):
    """Features in parts of columns; one is made when it is asked for."""

    def __init__(self, parts: Sequence[Part]):
        self._parts = list(parts)
        self._ends = np.cumsum([0, *map(len, self._parts)])
        self.lengths = np.concatenate([np.zeros(0, np.int64), *(part.lengths() for part in self._parts)])
        """How many sub-words each feature has."""
        self.weights = np.concatenate([np.zeros(0, np.int64), *(part.numbers("weight") for part in self._parts)])
        """How many labels of each feature enter the loss."""

    @classmethod
    def of(cls, features: Sequence[Feature]) -> Features:
        """The same features as columns, in memory."""
        return features if isinstance(features, Features) else cls([Part.of(features)] if len(features) else [])

    def __len__(self) -> int:
        return int(self._ends[-1])

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        place = index + len(self) if index < 0 else index
        if not 0 <= place < len(self):
            raise IndexError(index)
        part = int(np.searchsorted(self._ends, place, side="right")) - 1
        return self._parts[part][place - int(self._ends[part])]

    def __iter__(self) -> Iterator[Feature]:
        for part in self._parts:
            yield from (part[i] for i in range(len(part)))

    def used_ids(self) -> np.ndarray:
        """The token ids that occur, each once, rising."""
        return np.unique(np.concatenate([np.zeros(0, np.int64), *(part.used_ids() for part in self._parts)]))


def prepare_features(kind: TaskKind, rows: Rows, digest: str, *, processes: int | None = None) -> Features:
    """Encode the examples of a split, or find them encoded; the same features either way.

    Args:
        kind: how examples become features, each by itself.
        rows: the columns of the split.
        digest: the fingerprint of ``rows``.
        processes: how many encode; by default as many as there are cores for this process.

    Raises:
        DiskFullError: there is no space to keep them.
    """
    count = len(rows[kind.task.id_column])
    if count < KEPT_FROM:
        return Features.of(kind.encode(rows))
    folder = home() / "features" / features_key(kind, digest)
    found = _existing(folder)
    return _build(folder, kind, rows, count, processes) if found is None else found


def features_key(kind: TaskKind, digest: str) -> str:
    """What kept features are named by, 32 hex digits."""
    named = {name: value for name, value in vars(kind).items() if name not in kind.tuned}  # that is of decoding
    plain = {name: value for name, value in named.items() if isinstance(value, (int, float, str, type(None)))}
    about = {one.name: repr(getattr(kind.task, one.name)) for one in dataclasses.fields(kind.task)}
    parts = {
        "data": digest,
        "kind": f"{type(kind).__module__}.{type(kind).__qualname__}",
        "settings": plain,
        "task": {name: value for name, value in about.items() if name not in APART},
        "tokenizer": tokenizer_digest(kind.tokenizer),
        "code": _code_digest(),
        "libraries": [version("tokenizers"), version("transformers")],
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]


def tokenizer_digest(tokenizer: PreTrainedTokenizerFast) -> str:
    """A hash of what a tokenizer does, whatever it was last called with (calls leave their truncation in it)."""
    described = json.loads(tokenizer.backend_tokenizer.to_str())
    for left in ("truncation", "padding"):
        described.pop(left, None)
    about = [type(tokenizer).__name__, described, tokenizer.model_input_names, tokenizer.padding_side]
    about += [tokenizer.truncation_side, {name: str(token) for name, token in tokenizer.special_tokens_map.items()}]
    return hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()


@cache
def _code_digest() -> str:
    here = Path(__file__).parent
    digest = hashlib.sha256()
    more = [*(here / f"{name}.py" for name in ("encode", "texts", "columnar")), here.parent / "template.py"]
    for file in sorted([*here.glob("kinds/*.py"), *more]):
        digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()


def _existing(folder: Path) -> Features | None:
    """What is kept there, or None where nothing is or it was spoilt since."""
    try:
        return Features([Part.load(part) for part in sorted(folder.glob("part-*"))]) if folder.is_dir() else None
    except (OSError, ValueError, KeyError):
        return None


def _build(folder: Path, kind: TaskKind, rows: Rows, count: int, processes: int | None) -> Features:
    from filelock import FileLock

    make_folder(folder.parent)
    with FileLock(f"{folder}.lock"):
        if (found := _existing(folder)) is not None:
            return found
        for left in [*folder.parent.glob(f".{folder.name}~*"), *folder.parent.glob(folder.name)]:
            shutil.rmtree(left)
        with new_folder(folder) as work, saving(folder.parent, "prepared features"):
            _encode_parts(kind, rows, count, work, processes)
    return Features([Part.load(part) for part in sorted(folder.glob("part-*"))])


_job: tuple[TaskKind, Rows, Path]
"""What the forked processes work at; they inherit it, so that nothing of it is sent."""


def _encode_part(start: int) -> None:
    kind, rows, work = _job
    chunk = {name: column[start : start + CHUNK] for name, column in rows.items()}
    Part.of(kind.encode(chunk)).save(work / f"part-{start // CHUNK:06d}")


def _encode_parts(kind: TaskKind, rows: Rows, count: int, work: Path, processes: int | None) -> None:
    global _job
    _job = (kind, rows, work)
    starts = range(0, count, CHUNK)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    workers = min(processes or cores, len(starts))
    try:
        if workers == 1 or not sys.platform.startswith("linux"):  # elsewhere forking is not safe
            for start in starts:
                _encode_part(start)
            return
        with multiprocessing.get_context("fork").Pool(workers, initializer=_at_work) as pool:
            for _ in pool.imap_unordered(_encode_part, starts):
                pass
    finally:
        del _job


def _at_work() -> None:
    """One thread each; Ctrl-C goes to all, and the process that shares out the work ends the others."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    signal.signal(signal.SIGINT, signal.SIG_IGN)
