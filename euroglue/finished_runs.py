# SPDX-License-Identifier: Apache-2.0
"""What a finished run left behind: its scores as records of the results store, its predictions for a submission.

A run's folder holds ``metrics.json`` (``task``, ``edition``, ``model`` and by split the ``splits``' scores) and
``predictions/SPLIT.jsonl``, as training and prediction write them. ``config.json`` of a training run adds its settings;
``best`` its weights. Where ``metrics.json`` has ``method``, ``revision``, ``shots``, ``seed``, ``parameters`` or
``settings``, they are taken from there.

A language model's run is named by its file ``predictions/SUITE/TASK/NAME.jsonl``; who answered stands in the first line
of ``answers/SUITE/TASK/NAME.jsonl`` beside it.
"""

from __future__ import annotations

import json
import os
import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from euroglue import strict_json
from euroglue.errors import EuroglueError, FormatError
from euroglue.registry import find_task
from euroglue.results import Record
from euroglue.scoring.signature import parse_signature

if TYPE_CHECKING:
    from euroglue.task import Task

CONFIG, METRICS, PREDICTIONS, WEIGHTS = "config.json", "metrics.json", "predictions", "best"
LEFT_OUT = ("task", "edition", "model", "seed", "data", "weights")
"""Fields of a configuration that a record has anyway, or that say nothing to a reader of results."""
TOLD = ("model", "revision", "edition", "fingerprint", "shots", "seed")
"""What the first line of a file of answers says of a run."""
MAX_HEADER = 64 * 2**20
OF_EVERY_RUN = re.compile(r"best|last|final|model|checkpoints|(?:checkpoint|step|epoch)[-_]?\d+")
"""How runs, ours and others', name the folders in them."""
CACHED = re.compile(r"models--(.+)")
"""How the Hub's cache names the folder of a model."""


@dataclass(frozen=True, kw_only=True)
class FinishedRun:
    """One model on one task: who, on what, with which scores.

    ``scores`` maps a split to what a metric said of it (``Result.to_dict``); ``fingerprint`` is that of the prepared data,
    empty where the run did not use all of it; ``answered`` is the split whose predictions ``folder`` itself is, where that
    is a file. The rest is as in ``Record``.
    """

    folder: Path
    task: Task
    edition: str
    model: str
    scores: Mapping[str, Mapping[str, Any]]
    method: str = "fine-tuned"
    fingerprint: str = ""
    revision: str = ""
    shots: int | None = None
    seed: int | None = None
    parameters: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    answered: str = ""

    def predictions(self, split: str) -> Path:
        """The file of predictions of a split.

        Raises:
            EuroglueError: there is none.
        """
        path = self.folder if self.answered == split else self.folder / PREDICTIONS / f"{split}.jsonl"
        if not path.is_file():
            raise EuroglueError(f"{path}: there are no predictions for the split {split}: let the run predict it first")
        return path

    def record(self, split: str) -> Record:
        """The scores of a split as a record.

        Raises:
            EuroglueError: the run has none: the labels of that split may be hidden.
            FormatError: they are not valid.
        """
        if split not in self.scores:
            known = ", ".join(self.scores) or "none"
            raise EuroglueError(
                f"{self.folder}: no scores for the split {split} (its labels may be hidden); it has: {known}"
            )
        found = self.scores[split]
        fields: dict[str, Any] = {name: found.get(name) for name in ("primary", "scores", "n", "signature", "warnings")}
        fields["intervals"] = found.get("intervals", {})
        about = {name: getattr(self, name) for name in ("model", "method", "revision", "edition", "shots", "seed")}
        more = {"parameters": self.parameters, "settings": dict(self.settings)}
        plain = {"suite": self.task.suite, "task": self.task.name, "split": split, **about, **fields, **more}
        return Record.from_dict(plain, f"{self.folder / METRICS}, {split}")


def read_run(folder: str | os.PathLike[str], *, model: str | None = None) -> FinishedRun:
    """Read a run's folder.

    Args:
        folder: where the run is, or the file of a language model's predictions.
        model: the model's name in results; by default the one the run was started with, of a folder as
            ``shown_name`` has it.

    Raises:
        EuroglueError: there is no finished run.
        FormatError: its files are not what a run writes.
        UnknownNameError: its task is not known here.
    """
    root = Path(folder)
    if root.is_file():
        return _asked(root, model)
    metrics, config = _read(root / METRICS), _read(root / CONFIG) or {}
    if metrics is None:
        raise EuroglueError(f"{root}: expected the folder of a finished run, but {METRICS} is missing")
    for name, shape in (("task", str), ("edition", str), ("model", str), ("splits", dict)):
        if not isinstance(metrics.get(name), shape):
            raise FormatError(
                f"{root / METRICS}: expected {shape.__name__} as {name!r}, got {metrics.get(name)!r}"[:300]
            )
    for split, found in metrics["splits"].items():
        if not isinstance(found, dict):
            raise FormatError(f"{root / METRICS}: splits, {split}: expected an object, got {found!r}"[:300])
    suite, _, name = metrics["task"].partition("/")
    given = str(metrics["model"])
    chosen = {key: value for key, value in config.items() if key not in LEFT_OUT and value is not None}
    return FinishedRun(
        folder=root,
        task=find_task(suite, name),
        edition=metrics["edition"],
        model=model or shown_name(given),
        scores=metrics["splits"],
        method=metrics.get("method", "fine-tuned"),
        fingerprint=metrics.get("fingerprint")
        or ("" if config.get("limit") else _fingerprint(metrics["splits"], root / METRICS)),
        revision=metrics.get("revision", ""),
        shots=metrics.get("shots"),
        seed=metrics.get("seed", config["seed"] if "seed" in config else _seed_of(given)),
        parameters=metrics.get("parameters") or count_parameters(root / WEIGHTS) or count_parameters(Path(given)),
        settings=metrics.get("settings", chosen),
    )


def _asked(file: Path, model: str | None) -> FinishedRun:
    """The run of a language model, by its file of predictions."""
    parts = file.absolute().parts
    answers = Path(*parts[:-4], "answers", *parts[-3:])
    if len(parts) < 4 or parts[-4] != PREDICTIONS or not answers.is_file():
        raise EuroglueError(
            f"{file}: expected predictions/SUITE/TASK/NAME.jsonl, and the answers' file beside it ({answers})"
        )
    try:
        with open(answers, encoding="utf-8") as lines:
            about = json.loads(lines.readline())["about"]
        task, told = find_task(about["suite"], about["task"]), {name: about[name] for name in TOLD}
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        if isinstance(error, EuroglueError):
            raise
        raise FormatError(f"{answers}, line 1: expected who answered: {error!r}") from error
    rest = {name: value for name, value in about.items() if name not in (*TOLD, "suite", "task", "split")}
    named = {**told, "model": model or told["model"]}
    return FinishedRun(
        folder=file,
        task=task,
        scores={},
        method="prompted",
        settings=rest,
        answered=about.get("split", "test"),
        **named,
    )


def shown_name(model: str) -> str:
    """A model's name in results: a Hub id as it is, of a folder its own name alone.

    Folders that every run has are named with their run, so that two runs are two models: ``best`` of the run ``first``, which
    began with the model ``encoder``, is ``encoder (first)``; without a configuration there it is ``first/best``. A snapshot
    in the Hub's cache is named by its Hub id.
    """
    folder = _folder(model)
    if folder is None:
        return model
    if folder.parent.name == "snapshots" and (cached := CACHED.fullmatch(folder.parent.parent.name)):
        return cached[1].replace("--", "/")
    run = _run_of(folder)
    if run == folder:
        return folder.name
    begun, rest = (_read(run / CONFIG) or {}).get("model"), folder.relative_to(run).as_posix()
    if not isinstance(begun, str) or not begun or _folder(begun) == folder:
        return f"{run.name}/{rest}"
    return f"{shown_name(begun)} ({run.name if rest == WEIGHTS else f'{run.name}/{rest}'})"


def _folder(model: str) -> Path | None:
    """Where a model lies, None for a Hub id."""
    local = Path(model).is_absolute() or model[:1] in (".", "~") or model.count("/") > 1 or Path(model).is_dir()
    return Path(os.path.abspath(Path(model).expanduser())) if local else None


def _run_of(folder: Path) -> Path:
    """The folder of the run that a checkpoint belongs to; the folder itself where its name tells it."""
    while OF_EVERY_RUN.fullmatch(folder.name) and folder.parent.name:
        folder = folder.parent
    return folder


def _seed_of(model: str) -> Any:
    """The seed of the run that a model folder came from; None for another model."""
    folder = _folder(model)
    run = None if folder is None else _run_of(folder)
    return None if run is None or run == folder else (_read(run / CONFIG) or {}).get("seed")


def _read(path: Path) -> dict[str, Any] | None:
    if not path.is_file():
        return None
    plain = strict_json.read(path)
    if not isinstance(plain, dict):
        raise FormatError(f"{path}: expected a JSON object, got {type(plain).__name__}")
    return plain


def _fingerprint(splits: Mapping[str, Any], where: Path) -> str:
    """The fingerprint that the signatures of all splits show."""
    shown = [split.get("signature", "") for split in splits.values() if isinstance(split, dict)]
    found = {parse_signature(text).get("data", "") for text in shown}
    if len(found) > 1:
        raise FormatError(f"{where}: its splits were scored on different data: {', '.join(sorted(found))}")
    return found.pop() if found else ""


def count_parameters(folder: Path) -> int | None:
    """The number of parameters in a model folder's safetensors files, by their headers; None where there are none.

    Raises:
        FormatError: such a file is damaged.
    """
    total = 0
    for file in sorted(folder.glob("*.safetensors")):
        try:
            with open(file, "rb") as weights:
                (size,) = struct.unpack("<Q", weights.read(8))
                if size > MAX_HEADER:
                    raise ValueError(f"a header of {size:,} bytes")
                header = json.loads(weights.read(size))
            shapes = [tensor["shape"] for name, tensor in header.items() if name != "__metadata__"]
        except (struct.error, ValueError, KeyError, TypeError, AttributeError) as error:
            raise FormatError(f"{file}: damaged or no safetensors file ({error})") from error
        for shape in shapes:
            count = 1
            for side in shape:
                count *= side
            total += count
    return total or None
