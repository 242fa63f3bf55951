# SPDX-License-Identifier: Apache-2.0
"""From the data of a run to its best checkpoint: what is loaded, trimmed, trained and saved."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from euroglue import strict_json
from euroglue.errors import EuroglueError
from euroglue.training.features import prepare_features
from euroglue.training.predict import RECORD, feature_outputs
from euroglue.training.run_folder import RunFolder
from euroglue.training.settings import Settings

if TYPE_CHECKING:
    from accelerate import Accelerator
    from datasets import Dataset
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

    from euroglue.task import Task
    from euroglue.training.loop import Trainer
    from euroglue.training.models import Loaded
    from euroglue.training.vocabulary import TrimmedVocabulary


@dataclass(frozen=True)
class Run:
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


def fit(accelerator: Accelerator, run: Run) -> dict[str, Any]:
    """Train, from the latest saved state if there is one; returns the best epoch, step and scores."""
    import torch

    from euroglue.scoring import metric_for
    from euroglue.training.loop import Trainer
    from euroglue.training.models import load_fresh

    task, settings, rows, folder = run.task, run.settings, run.rows, run.folder
    torch.manual_seed(settings.seed)
    loaded = load_fresh(accelerator, task, settings, trust_remote_code=run.trust_remote_code)
    kind = loaded.kind
    features, validation = (prepare_features(kind, rows[name], run.data[name]) for name in ("train", "validation"))
    if not validation.weights.any():
        raise EuroglueError(
            f"{task.path}: there is nothing to choose a checkpoint by, the validation split has no labels"
        )
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
        if trainer.best is not None and not folder.best.is_dir():
            raise EuroglueError(
                f"{folder.best}, the best checkpoint so far, is gone: give the same command with --no-resume"
            )
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
