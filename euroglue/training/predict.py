# SPDX-License-Identifier: Apache-2.0
"""Predictions of a checkpoint, the same by one process as by many, written and scored."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from euroglue import strict_json
from euroglue.disk import saving
from euroglue.errors import EuroglueError
from euroglue.training.batching import prediction_batches
from euroglue.training.faults import NotFiniteError, is_out_of_memory
from euroglue.training.features import Features, prepare_features
from euroglue.training.kinds import Feature, TaskKind
from euroglue.training.settings import STRIDE

if TYPE_CHECKING:
    from accelerate import Accelerator
    from datasets import Dataset
    from transformers import PreTrainedModel

    from euroglue.scoring import Result
    from euroglue.task import Task

RECORD = "euroglue.json"
"""The file in a checkpoint that says of which task it is and how its inputs were encoded."""
SPLITS_PREDICTED = ("validation", "test")


class Outputs(NamedTuple):
    """A model's logits for each feature, in their order, and its mean loss per label, NaN where that was not asked for."""

    logits: list[np.ndarray]
    loss: float


def feature_outputs(
    accelerator: Accelerator,
    model: PreTrainedModel,
    kind: TaskKind,
    features: Sequence[Feature],
    *,
    batch_size: int,
    title: str = "predicting",
    with_loss: bool = False,
) -> Outputs:
    """Run the model on every feature, shared among the processes by whole batches; all of them get the whole result.

    Batches are the same however many processes there are, so that each is computed in the same shape and to the same
    bits; results are gathered as objects with their places and counted, so that none is doubled or lost.

    Args:
        accelerator: the processes.
        model: the model, on its device, without a wrapper for training.
        kind: how features become tensors and outputs predictions.
        features: the features of whole examples, the same on all processes.
        batch_size: features per batch.
        title: what the progress bar says.
        with_loss: whether to compute the loss, for which some features must have labels.

    Raises:
        NotFiniteError: the model's outputs are not finite numbers.
        EuroglueError: a single feature does not fit the memory.
    """
    from accelerate.utils import gather_object

    features = Features.of(features)
    batches = prediction_batches(features.lengths, batch_size)
    mine = batches[accelerator.process_index :: accelerator.num_processes]
    found = [*_outputs(accelerator, model, kind, features, mine, title, with_loss)]
    outputs = {i: (logits, loss) for i, logits, loss in gather_object(found)}
    if len(outputs) != len(features):
        raise RuntimeError(f"gathered {len(outputs)} outputs for {len(features)} features")
    for i, (logits, _) in sorted(outputs.items()):  # after gathering, so that all processes raise the same
        if not np.isfinite(logits).all():
            raise NotFiniteError(
                f"example {features[i].id}: the model's outputs are not finite numbers under mixed precision "
                f"{accelerator.mixed_precision!r}: try --mixed-precision no"
            )
    weight = int(features.weights.sum())
    loss = math.fsum(part for _, part in outputs.values()) / weight if with_loss and weight else math.nan
    return Outputs([outputs[i][0] for i in range(len(features))], loss)


def _outputs(
    accelerator: Accelerator,
    model: PreTrainedModel,
    kind: TaskKind,
    features: Sequence[Feature],
    batches: Sequence[Sequence[int]],
    title: str,
    with_loss: bool,
) -> Iterator[tuple[int, np.ndarray, float]]:
    """Each feature's index, logits and share of the summed loss."""
    import torch
    from tqdm.auto import tqdm

    model.eval()
    bar = tqdm(batches, desc=title, unit="batch", leave=False, disable=None if accelerator.is_main_process else True)
    most = max(map(len, batches), default=1)
    with torch.inference_mode():
        for batch in bar:
            todo = [batch[i : i + most] for i in range(0, len(batch), most)]
            while todo:
                now = todo.pop(0)
                found = _batch_outputs(accelerator, model, kind, [features[i] for i in now], with_loss)
                if found is None:
                    most = _fewer(accelerator, now, features)
                    todo[:0] = [now[:most], now[most:]]
                    continue
                logits, loss = found
                for i, row in zip(now, logits, strict=True):
                    kept = row[: len(features[i].input_ids)] if row.ndim > 1 else row
                    yield i, kept, loss * features[i].weight


def _batch_outputs(
    accelerator: Accelerator, model: PreTrainedModel, kind: TaskKind, features: Sequence[Feature], with_loss: bool
) -> tuple[np.ndarray, float] | None:
    """The logits and the mean loss of one batch, or None where the memory ended."""
    try:
        inputs = kind.collate(features)
        weight = sum(feature.weight for feature in features) if with_loss else 0
        kept = {name: tensor for name, tensor in inputs.items() if weight or name not in kind.label_inputs}
        moved = {name: tensor.to(accelerator.device, non_blocking=True) for name, tensor in kept.items()}
        output = kind.run(model, moved)
        return output.logits.float().cpu().numpy(), float(output.loss) if weight else 0.0
    except Exception as error:
        if not is_out_of_memory(error):
            raise
        return None


def _fewer(accelerator: Accelerator, batch: Sequence[int], features: Sequence[Feature]) -> int:
    """How many features to try next where a batch did not fit the memory."""
    from accelerate.utils.memory import clear_device_cache

    clear_device_cache()
    if len(batch) == 1:
        raise EuroglueError(
            f"example {features[batch[0]].id}: its {len(features[batch[0]].input_ids)} sub-words do not fit the memory "
            f"of {accelerator.device}: lower the maximum length, take a smaller model or another device"
        )
    return (len(batch) + 1) // 2


def predict_splits(
    accelerator: Accelerator,
    task: Task,
    checkpoint: str | os.PathLike[str],
    splits: Mapping[str, Dataset],
    output: str | os.PathLike[str],
    *,
    batch_size: int = 32,
    max_length: int | None = None,
    data_fingerprint: str | None = None,
    trust_remote_code: bool = False,
) -> dict[str, Result]:
    """Predict the validation and test split with a trained checkpoint; write ``predictions/SPLIT.jsonl`` for each.

    Args:
        accelerator: the processes.
        task: the task.
        checkpoint: a model folder with a trained head, such as ``best`` of a run, or a Hub id.
        splits: the data; other splits than these two are left alone.
        output: the folder under which ``predictions`` is made.
        batch_size: features per batch.
        max_length: the longest input in sub-words; what the checkpoint was trained with if not given.
        data_fingerprint: what signatures say of the data; a digest of the split if not given.
        trust_remote_code: whether code that comes with the model may run.

    Returns:
        The scores of those splits whose labels are not hidden.

    Raises:
        EuroglueError: the checkpoint has no head for this task.
    """
    from euroglue.predictions import write_predictions
    from euroglue.scoring import score
    from euroglue.training.data import columns, fingerprint
    from euroglue.training.models import load

    record = checkpoint_record(task, checkpoint)
    _, kind, model = load(
        accelerator,
        task,
        str(checkpoint),
        trained=True,
        max_length=max_length or record.get("max_length", task.recipe.max_length),
        stride=record.get("stride", STRIDE),
        trust_remote_code=trust_remote_code,
    )
    if kind.needs_record and not record:
        raise EuroglueError(
            f"{checkpoint} has no {RECORD}, which says what its outputs mean: give the folder 'best' of a run"
        )
    kind.restore(record.get("tuned", {}))
    model = accelerator.prepare_model(model, evaluation_mode=True)
    results: dict[str, Result] = {}
    for split in (split for split in SPLITS_PREDICTED if split in splits):
        rows = columns(task, splits[split])
        digest = fingerprint(rows)
        features = prepare_features(kind, rows, digest)
        title = f"predicting {split}"
        outputs = feature_outputs(accelerator, model, kind, features, batch_size=batch_size, title=title)
        found = kind.decode(outputs.logits, features)
        ids = [str(example) for example in rows[task.id_column]]
        predictions = [found[example] for example in ids]
        if accelerator.is_main_process:
            with saving(Path(output), f"the predictions of {split}"):
                write_predictions(Path(output) / "predictions" / f"{split}.jsonl", task, ids, predictions)
        if features.weights.any():
            results[split] = score(task, predictions, rows[task.target], fingerprint=data_fingerprint or digest)
    accelerator.wait_for_everyone()
    return results


def checkpoint_record(task: Task, checkpoint: str | os.PathLike[str]) -> dict[str, Any]:
    """What a checkpoint of ours, in a folder or on the Hub, says of itself; empty for one from elsewhere.

    Raises:
        EuroglueError: it is of another task, or of this one with other labels, or damaged; the Hub cannot be asked.
    """
    path = _record_file(str(checkpoint))
    if path is None:
        return {}
    try:
        record: dict[str, Any] = strict_json.loads(path.read_text(encoding="utf-8"))
        known = {"task": record["task"], "labels": record["labels"]}
        numbers = [record.get("max_length", 1), record.get("stride", 0), *record.get("tuned", {}).values()]
        if not all(isinstance(number, (int, float)) for number in numbers):
            raise TypeError("a length or threshold that is no number")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise EuroglueError(f"{path} is damaged ({error!r}): take another checkpoint or train again") from error
    for name, expected in (("task", task.path), ("labels", list(task.labels))):
        if known[name] != expected:
            raise EuroglueError(
                f"{checkpoint} was trained for another task: its {name} is {known[name]}, not {expected}"
            )
    return record


def _record_file(checkpoint: str) -> Path | None:
    """Where the record is, fetched from the Hub if the checkpoint is there; None where there is none."""
    if os.path.isdir(checkpoint):
        here = Path(checkpoint) / RECORD
        return here if here.is_file() else None
    from huggingface_hub import hf_hub_download, try_to_load_from_cache
    from huggingface_hub.errors import (
        EntryNotFoundError,
        HFValidationError,
        LocalEntryNotFoundError,
        RepositoryNotFoundError,
    )

    try:
        return Path(hf_hub_download(checkpoint, RECORD))
    except (EntryNotFoundError, HFValidationError, RepositoryNotFoundError) as error:
        unknown = isinstance(error, LocalEntryNotFoundError) and try_to_load_from_cache(checkpoint, RECORD) is None
        if not unknown:  # where the Hub was asked before, the cache knows that there is none
            return None  # of a model that is not there loading says more
        raise EuroglueError(f"cannot ask the Hub for {RECORD} of {checkpoint}: {error}") from error
    except OSError as error:
        raise EuroglueError(f"cannot ask the Hub for {RECORD} of {checkpoint}: {error}") from error
