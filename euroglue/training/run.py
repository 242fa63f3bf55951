# SPDX-License-Identifier: Apache-2.0
"""A run from beginning to end: data in, a folder with the best checkpoint, predictions and scores out."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from euroglue import strict_json
from euroglue.errors import EuroglueError
from euroglue.training.data import columns, fingerprint, limited, load_splits, prepared_fingerprint, resampled
from euroglue.training.faults import NotFiniteError
from euroglue.training.features import prepare_features
from euroglue.training.predict import RECORD, feature_outputs, predict_splits
from euroglue.training.processes import environment, make_accelerator, tracked
from euroglue.training.run_folder import CONFIG, ENVIRONMENT, METRICS, TRACKING, RunFolder
from euroglue.training.settings import Settings

if TYPE_CHECKING:
    from accelerate import Accelerator
    from datasets import Dataset
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

    from euroglue.scoring import Result
    from euroglue.task import Task
    from euroglue.training.loop import Trainer
    from euroglue.training.models import Loaded
    from euroglue.training.vocabulary import TrimmedVocabulary
FELL_BACK = "fell_back"
"""The entry of ``environment.json`` that says why a run was begun again in 32-bit floats."""


def train(
    task: Task,
    model: str,
    output: str | os.PathLike[str],
    *,
    edition: str | None = None,
    splits: Mapping[str, Dataset] | None = None,
    source: Mapping[str, Any] | None = None,
    resume: bool = True,
    gradient_accumulation: int = 1,
    save_steps: int | None = None,
    report_to: str | None = None,
    trust_remote_code: bool = False,
    **overrides: Any,
) -> dict[str, Any]:
    """Fine-tune an encoder on a task, keep the checkpoint that is best on validation, predict and score with it.

    Args:
        task: the task; its recipe gives the defaults.
        model: the encoder, a folder or a Hub id.
        output: the run's folder. One that holds the same run is gone on with; one of another run is refused.
        edition: which edition of the data, by default the task's own default.
        splits: the data, if it is not to be loaded by ``datasets.load_dataset``.
        source: options of ``euroglue.prepare.prepare`` for loading it: ``data_dir``, ``allow_missing_splits``.
        resume: go on with an unfinished run, or start it again.
        gradient_accumulation: in how many parts each process works off its share of a batch.
        save_steps: also save the state every so many optimiser steps, not only after each epoch.
        report_to: trackers that are told losses and scores, by commas: ``tensorboard``, ``wandb``, ``trackio``.
        trust_remote_code: whether code that comes with the model may run.
        overrides: any field of ``Settings``: ``learning_rate``, ``epochs``, ``batch_size``, ``seed``, ``limit``, …

    Returns:
        What ``metrics.json`` holds: the scores of each split with labels, the best epoch, signatures.

    Raises:
        EuroglueError: anything the user can mend: settings, model, data, folder, a loss that is not a number.
    """
    settings = Settings.of(task, model, edition, **overrides)
    if save_steps is not None and save_steps < 1:
        raise EuroglueError(f"save steps: expected at least 1, or nothing, got {save_steps}")
    folder, trackers = RunFolder(output), tuple(name.strip() for name in report_to.split(",")) if report_to else ()
    accelerator = make_accelerator(settings, gradient_accumulation, trackers, folder.root / TRACKING)
    settings = replace(settings, mixed_precision=accelerator.mixed_precision)
    splits, whole = _load_data(accelerator, task, settings, splits, source or {})
    rows = {name: columns(task, dataset) for name, dataset in splits.items()}
    _require_splits(task, rows)
    if settings.bootstrap is not None:
        rows = resampled(rows, settings.bootstrap)
    data = {name: fingerprint(table) for name, table in rows.items()}
    config = {**settings.to_json(), "data": data}
    options = (gradient_accumulation, save_steps, trackers, trust_remote_code)
    run = _Run(task, settings, splits, rows, data, whole, folder, *options)
    fallen_back = _open_folder(accelerator, run, config, resume)
    finished = folder.read(METRICS)
    if finished is not None:
        accelerator.print(f"{folder.root} holds this run already, finished: nothing to do", file=sys.stderr)
        return finished
    try:
        if fallen_back:
            return _complete(_in_full_precision(run), run)
        try:
            return _complete(accelerator, run)
        except NotFiniteError as error:
            if accelerator.mixed_precision == "no":
                raise
            reason = str(error)
        return _complete(_fall_back(run, config, reason), run)
    except KeyboardInterrupt:
        if accelerator.is_main_process:
            print(f"stopped; {folder.how_to_go_on()}", file=sys.stderr)
        raise


@dataclass(frozen=True)
class _Run:
    """What one run is about.

    ``rows`` are the columns of each split and ``data`` their fingerprints; ``whole`` is the fingerprint of the prepared
    data if it is all used.
    """

    task: Task
    settings: Settings
    splits: Mapping[str, Dataset]
    rows: Mapping[str, Mapping[str, list[Any]]]
    data: Mapping[str, str]
    whole: str | None
    folder: RunFolder
    parts: int
    save_steps: int | None
    trackers: tuple[str, ...]
    trust_remote_code: bool


def _in_full_precision(run: _Run) -> Accelerator:
    """The same processes in 32-bit floats, for a run whose numbers left the range of its precision."""
    settings = replace(run.settings, mixed_precision="no")
    return make_accelerator(settings, run.parts, run.trackers, run.folder.root / TRACKING)


def _complete(accelerator: Accelerator, run: _Run) -> dict[str, Any]:
    """Train, predict with the best checkpoint, score; the states that only an unfinished run needs are removed."""
    from euroglue.training.models import model_revision

    with tracked(accelerator, run.settings):
        best = _fit(accelerator, run)
    results = predict_splits(
        accelerator,
        run.task,
        run.folder.best,
        run.splits,
        run.folder.root,
        batch_size=run.settings.eval_batch_size,
        data_fingerprint=run.whole,
        trust_remote_code=run.trust_remote_code,
    )
    revision = model_revision(run.settings.model, trust_remote_code=run.trust_remote_code)
    metrics = _write_metrics(accelerator, run.folder, run.settings, results, best=best, revision=revision)
    if accelerator.is_main_process:
        run.folder.drop_checkpoints()
    return metrics


def _fall_back(run: _Run, config: Mapping[str, Any], reason: str) -> Accelerator:
    """Clear the run's folder and note there that it is begun again in 32-bit floats, and why."""
    accelerator = _in_full_precision(run)
    accelerator.print(f"{reason}. Beginning again in 32-bit floats", file=sys.stderr)
    if accelerator.is_main_process:
        run.folder.open(config, resume=False)
        run.folder.write(ENVIRONMENT, {**environment(accelerator, run.parts), FELL_BACK: reason})
        run.folder.log(step=0, event="begun again in 32-bit floats", reason=reason)
    accelerator.wait_for_everyone()
    return accelerator


def predict(
    task: Task,
    checkpoint: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    edition: str | None = None,
    splits: Mapping[str, Dataset] | None = None,
    source: Mapping[str, Any] | None = None,
    limit: Mapping[str, int] | None = None,
    mixed_precision: str = "auto",
    batch_size: int = 32,
    max_length: int | None = None,
    trust_remote_code: bool = False,
) -> dict[str, Any]:
    """Predict a task's validation and test split with a trained checkpoint, and score what has labels.

    Args:
        task: the task.
        checkpoint: a model folder with a trained head, such as ``best`` of a run, or a Hub id.
        output: a folder; ``predictions/SPLIT.jsonl`` and ``metrics.json`` are written there.
        edition: which edition of the data, by default the task's own default.
        splits: the data, if it is not to be loaded by ``datasets.load_dataset``.
        source: options of ``euroglue.prepare.prepare`` for loading it: ``data_dir``, ``allow_missing_splits``.
        limit: at most so many examples of a split.
        mixed_precision: ``auto``, ``no``, ``bf16`` or ``fp16``.
        batch_size: examples (or windows) per batch.
        max_length: the longest input in sub-words; what the checkpoint was trained with if not given.
        trust_remote_code: whether code that comes with the model may run.

    Returns:
        What ``metrics.json`` holds.

    Raises:
        EuroglueError: the checkpoint or the data do not fit the task, or the folder holds a training run.
    """
    overrides: dict[str, Any] = {
        "mixed_precision": mixed_precision,
        "eval_batch_size": batch_size,
        "limit": dict(limit or {}),
    }
    settings = Settings.of(task, str(checkpoint), edition, **overrides)
    folder = RunFolder(output)
    if folder.read(CONFIG) is not None:
        raise EuroglueError(f"{folder.root} holds a training run, whose predictions stay: choose another folder")
    accelerator = make_accelerator(settings, 1)
    splits, whole = _load_data(accelerator, task, settings, splits, source or {})
    results = predict_splits(
        accelerator,
        task,
        checkpoint,
        splits,
        output,
        batch_size=batch_size,
        max_length=max_length,
        data_fingerprint=whole,
        trust_remote_code=trust_remote_code,
    )
    return _write_metrics(accelerator, folder, settings, results)


def _load_data(
    accelerator: Accelerator,
    task: Task,
    settings: Settings,
    splits: Mapping[str, Dataset] | None,
    source: Mapping[str, Any],
) -> tuple[dict[str, Dataset], str | None]:
    """The splits, and the fingerprint of the prepared data if they are that, whole."""
    whole = None
    if splits is None:
        with accelerator.local_main_process_first():
            splits = load_splits(task, settings.edition, **source)
            whole = None if settings.limit else prepared_fingerprint(task, settings.edition, **source)
    return {name: limited(dataset, settings.limit.get(name)) for name, dataset in splits.items()}, whole


def _write_metrics(
    accelerator: Accelerator, folder: RunFolder, settings: Settings, results: Mapping[str, Result], **more: Any
) -> dict[str, Any]:
    scores = {split: result.to_dict() for split, result in results.items()}
    named = {"task": settings.task, "edition": settings.edition, "model": settings.model}
    metrics = {**named, **more, "splits": scores}
    if accelerator.is_main_process:
        folder.write(METRICS, metrics)
    accelerator.wait_for_everyone()
    return metrics


def _require_splits(task: Task, rows: Mapping[str, Mapping[str, list[Any]]]) -> None:
    for split in ("train", "validation"):
        if split not in rows or not rows[split][task.id_column]:
            raise EuroglueError(
                f"{task.path}: the split {split!r} is missing or empty; there are: {', '.join(sorted(rows))}"
            )


def _open_folder(accelerator: Accelerator, run: _Run, config: Mapping[str, Any], resume: bool) -> bool:
    """Check and open the run's folder; whether the run that it holds fell back to 32-bit floats."""
    folder = run.folder
    folder.check(config)
    held = (folder.read(ENVIRONMENT) or {}).get(FELL_BACK) if resume else None
    finished = resume and folder.read(METRICS) is not None
    accelerator.wait_for_everyone()
    if accelerator.is_main_process:
        folder.open(config, resume=resume)
        if not finished:
            here = environment(accelerator, run.parts)
            folder.write(ENVIRONMENT, {**here, "mixed_precision": "no", FELL_BACK: held} if held else here)
    accelerator.wait_for_everyone()
    return held is not None


def _fit(accelerator: Accelerator, run: _Run) -> dict[str, Any]:
    """Train, from the latest saved state if there is one; returns the best epoch, step and scores."""
    import torch

    from euroglue.scoring import metric_for
    from euroglue.training.loop import Trainer
    from euroglue.training.models import load

    task, settings, rows, folder = run.task, run.settings, run.rows, run.folder
    torch.manual_seed(settings.seed)
    loaded = load(
        accelerator,
        task,
        settings.model,
        trained=False,
        max_length=settings.max_length,
        stride=settings.stride,
        choice_loss=settings.choice_loss,
        dropout=settings.dropout,
        trust_remote_code=run.trust_remote_code,
    )
    kind = loaded.kind
    features, validation = (prepare_features(kind, rows[name], run.data[name]) for name in ("train", "validation"))
    vocabulary = _trim(accelerator, settings, loaded, np.union1d(features.used_ids(), validation.used_ids()))
    trainer = Trainer(accelerator, settings, kind, _as_set(loaded.model, settings), features, run.parts)
    ids, references = map(str, rows["validation"][task.id_column]), rows["validation"][task.target]
    order, metric, size = list(ids), metric_for(task), settings.eval_batch_size
    gold, by_loss = dict(zip(order, references, strict=True)), settings.criterion == "loss"

    def evaluate() -> dict[str, float]:
        model = trainer.bare_model
        outputs = feature_outputs(
            accelerator, model, kind, validation, batch_size=size, title="validating", with_loss=by_loss
        )
        kind.tune(outputs.logits, validation, gold, metric)
        found = kind.decode(outputs.logits, validation)
        scores = metric.compute([found[example] for example in order], references)
        return {**scores, "loss": outputs.loss} if by_loss else scores

    checkpoint = folder.latest_checkpoint()
    if checkpoint is not None:
        trainer.restore(checkpoint)
        accelerator.print(f"going on after step {trainer.step} of {trainer.total}", file=sys.stderr)
    if accelerator.is_main_process:
        folder.rewind_log(trainer.step)
    save_best = partial(_save_best, task, settings, trainer, loaded.tokenizer, vocabulary)
    primary, less_is_better = ("loss", True) if by_loss else (metric.primary, math.isinf(metric.high))
    sign = -1 if less_is_better else 1
    best = trainer.fit(folder, evaluate, save_best, primary=primary, sign=sign, save_steps=run.save_steps)
    accelerator.free_memory()
    return best


def _as_set(model: PreTrainedModel, settings: Settings) -> Any:
    """The model with the adapters, the attention and the compilation that the settings name."""
    from euroglue.training.lora import with_lora
    from euroglue.training.models import set_attention

    if settings.attention:
        set_attention(model, settings.attention)
    made: Any = with_lora(model, settings.lora) if settings.lora else model
    if settings.compile:
        made.compile(dynamic=True)
    return made


def _trim(accelerator: Accelerator, settings: Settings, loaded: Loaded, used: np.ndarray) -> TrimmedVocabulary | None:
    """Trim the model to the vocabulary that training and validation use, if that is wanted and can be done."""
    from euroglue.training.vocabulary import TrimmedVocabulary, obstacle

    if not settings.trim_vocabulary or settings.lora:  # adapters leave the vocabulary as it is
        return None
    if reason := obstacle(loaded.model):
        accelerator.print(f"training on the whole vocabulary: {reason}", file=sys.stderr)
        return None
    vocabulary = TrimmedVocabulary(loaded.model, loaded.tokenizer, used)
    accelerator.print(
        f"training on {len(vocabulary.kept):,} of the vocabulary's {vocabulary.size:,} rows", file=sys.stderr
    )
    return vocabulary


def _save_best(
    task: Task,
    settings: Settings,
    trainer: Trainer,
    tokenizer: PreTrainedTokenizerFast,
    vocabulary: TrimmedVocabulary | None,
    target: Path,
) -> None:
    from euroglue.training.lora import is_adapted, merged
    from euroglue.training.models import quiet

    model: Any = trainer.bare_model
    with quiet(), vocabulary.whole() if vocabulary else nullcontext():
        (merged(model) if is_adapted(model) else model).save_pretrained(target)
    tokenizer.save_pretrained(target)
    record = {
        "task": task.path,
        "labels": list(task.labels),
        "bounds": task.bounds,
        "edition": settings.edition,
        "base_model": settings.model,
        "max_length": settings.max_length,
        "stride": settings.stride,
        "tuned": trainer.kind.tuned,
        "best": trainer.best,
    }
    strict_json.write(target / RECORD, record)
