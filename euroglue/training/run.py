# SPDX-License-Identifier: Apache-2.0
"""A run from beginning to end: data in, a folder with the best checkpoint, predictions and scores out."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from euroglue.errors import EuroglueError
from euroglue.training.data import columns, fingerprint, limited, load_splits, prepared_fingerprint, resampled
from euroglue.training.faults import NotFiniteError
from euroglue.training.fit import Run, fit
from euroglue.training.predict import predict_splits
from euroglue.training.processes import environment, make_accelerator, tracked
from euroglue.training.run_folder import ENVIRONMENT, METRICS, TRACKING, RunFolder
from euroglue.training.settings import Settings

if TYPE_CHECKING:
    from accelerate import Accelerator
    from datasets import Dataset

    from euroglue.scoring import Result
    from euroglue.task import Task

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
    wait: float = 0.0,
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
        wait: seconds to wait for another process to let go of the folder.
        overrides: any field of ``Settings``: ``learning_rate``, ``epochs``, ``batch_size``, ``seed``, ``limit``, …

    Returns:
        What ``metrics.json`` holds: the scores of each split with labels, the best epoch, signatures.

    Raises:
        EuroglueError: anything the user can mend: settings, model, data, folder, a loss that is not a number.
    """
    from euroglue.training.models import model_identity

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
    with accelerator.local_main_process_first():
        weights = model_identity(model, trust_remote_code=trust_remote_code)
    config = {**settings.to_json(), "data": data, "weights": weights}
    options = (gradient_accumulation, save_steps, trackers, trust_remote_code)
    run = Run(task, settings, splits, rows, data, whole, folder, *options)
    folder.check(config)
    if (finished := _finished(accelerator, folder, resume)) is not None:
        return finished
    with folder.locked(accelerator, wait=wait):
        folder.check(config)  # another process may have been here first
        if (finished := _finished(accelerator, folder, resume)) is not None:
            return finished
        return _carry_out(accelerator, run, config, resume)


def _finished(accelerator: Accelerator, folder: RunFolder, resume: bool) -> dict[str, Any] | None:
    """What a finished run in the folder has brought, or None if there is none to be kept."""
    accelerator.wait_for_everyone()
    finished: dict[str, Any] | None = folder.read(METRICS) if resume else None
    if finished is not None:
        accelerator.print(f"{folder.root} holds this run already, finished: nothing to do", file=sys.stderr)
        if accelerator.is_main_process:
            folder.drop_checkpoints()  # a kill may have come before
    return finished


def _carry_out(accelerator: Accelerator, run: Run, config: Mapping[str, Any], resume: bool) -> dict[str, Any]:
    """Make the run in its folder, which this process holds; a run that does not come to a step leaves nothing there."""
    fallen_back = _open_folder(accelerator, run, config, resume)
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
            print(f"stopped; {run.folder.how_to_go_on()}", file=sys.stderr)
        raise
    except Exception:
        if accelerator.is_main_process:
            run.folder.discard_intention()
        raise


def _in_full_precision(run: Run) -> Accelerator:
    """The same processes in 32-bit floats, for a run whose numbers left the range of its precision."""
    settings = replace(run.settings, mixed_precision="no")
    return make_accelerator(settings, run.parts, run.trackers, run.folder.root / TRACKING)


def _complete(accelerator: Accelerator, run: Run) -> dict[str, Any]:
    """Train, predict with the best checkpoint, score; the states that only an unfinished run needs are removed."""
    from euroglue.training.models import model_revision

    with tracked(accelerator, run.settings):
        best = fit(accelerator, run)
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


def _fall_back(run: Run, config: Mapping[str, Any], reason: str) -> Accelerator:
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
        "max_length": max_length,
    }
    settings, folder = Settings.of(task, str(checkpoint), edition, **overrides), RunFolder(output)
    folder.check_predictions(_about(settings))
    accelerator = make_accelerator(settings, 1)
    splits, whole = _load_data(accelerator, task, settings, splits, source or {})
    with folder.locked(accelerator):
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


def _about(settings: Settings) -> dict[str, str]:
    """Of what the scores in a folder are: entries of its ``metrics.json``."""
    return {"task": settings.task, "edition": settings.edition, "model": settings.model}


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
    metrics = {**_about(settings), **more, "splits": scores}
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


def _open_folder(accelerator: Accelerator, run: Run, config: Mapping[str, Any], resume: bool) -> bool:
    """Open the run's folder; whether the run that it holds fell back to 32-bit floats."""
    folder = run.folder
    before = folder.read(ENVIRONMENT) if resume else None
    held = before.get(FELL_BACK) if isinstance(before, dict) else None
    accelerator.wait_for_everyone()
    if accelerator.is_main_process:
        folder.open(config, resume=resume)
        here = environment(accelerator, run.parts)
        folder.write(ENVIRONMENT, {**here, "mixed_precision": "no", FELL_BACK: held} if held else here)
    accelerator.wait_for_everyone()
    return held is not None
