# SPDX-License-Identifier: Apache-2.0
"""Loading encoders and tokenizers, from a folder or the Hub, with one-line errors for what users get wrong."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from euroglue.errors import EuroglueError
from euroglue.training.kinds import KINDS, TaskKind

if TYPE_CHECKING:
    from accelerate import Accelerator
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

    from euroglue.task import Task


class Loaded(NamedTuple):
    """A tokenizer, the kind of task that encodes with it, and the model."""

    tokenizer: PreTrainedTokenizerFast
    kind: TaskKind
    model: PreTrainedModel


def load(
    accelerator: Accelerator,
    task: Task,
    model: str,
    *,
    trained: bool,
    max_length: int,
    stride: int,
    trust_remote_code: bool = False,
) -> Loaded:
    """Load what a task is trained or predicted with; the first process of a machine fetches, the others find it there.

    Args:
        accelerator: the processes.
        task: the task, whose kind says which head the model gets.
        model: a folder or a Hub id.
        trained: the head must be there, too; otherwise it may start fresh, drawn from torch's random numbers.
        max_length: the longest input in sub-words; less where the model takes less.
        stride: the overlap of windows in sub-words.
        trust_remote_code: whether code that comes with the model may run.

    Raises:
        EuroglueError: the model or its tokenizer cannot be loaded or does not fit.
    """
    kind_class = KINDS[task.kind.value]
    with accelerator.local_main_process_first():
        tokenizer = load_tokenizer(model, trust_remote_code=trust_remote_code)
        fits = min(max_length, longest_input(model, tokenizer, trust_remote_code=trust_remote_code))
        kind = kind_class(task, tokenizer, max_length=fits, stride=stride)
        return Loaded(tokenizer, kind, kind.head(model, trained=trained, trust_remote_code=trust_remote_code))


def load_tokenizer(model: str, *, trust_remote_code: bool = False) -> PreTrainedTokenizerFast:
    """The fast tokenizer of ``model``, a folder or a Hub id.

    Raises:
        EuroglueError: it cannot be loaded, or has only a slow tokenizer, which cannot tell which word a sub-word is of.
    """
    from transformers import AutoTokenizer

    try:
        tokenizer: Any = AutoTokenizer.from_pretrained(model, trust_remote_code=trust_remote_code)
    except (OSError, ValueError, ImportError) as error:
        raise EuroglueError(_cannot_load("tokenizer", model, error)) from error
    if not tokenizer.is_fast:
        raise EuroglueError(
            f"the tokenizer of {model} ({type(tokenizer).__name__}) is a slow one, which cannot map sub-words to "
            "words: convert it to a fast tokenizer (a tokenizer.json beside the model) or choose another model"
        )
    return tokenizer


def longest_input(model: str, tokenizer: PreTrainedTokenizerFast, *, trust_remote_code: bool = False) -> int:
    """How many sub-words the tokenizer and the model's position table allow."""
    from transformers import AutoConfig

    try:
        config = AutoConfig.from_pretrained(model, trust_remote_code=trust_remote_code)
    except (OSError, ValueError, ImportError) as error:
        raise EuroglueError(_cannot_load("configuration", model, error)) from error
    positions = getattr(config, "max_position_embeddings", None)
    allowed = int(tokenizer.model_max_length)
    return min(allowed, positions) if positions and positions > 0 else allowed


def load_model(
    auto_class: Any, model: str, *, trained: bool, trust_remote_code: bool = False, **config: Any
) -> PreTrainedModel:
    """The model at ``model`` in 32-bit floats under the head of ``auto_class``.

    Args:
        auto_class: one of Transformers' auto classes.
        model: a folder or a Hub id.
        trained: the head must be stored there, with this number of outputs; otherwise it may start fresh.
        trust_remote_code: whether code that comes with the model may run.
        config: overrides of the model's configuration.

    Raises:
        EuroglueError: the model cannot be loaded, or ``trained`` and its head is missing or of another shape.
    """
    import torch

    try:
        with quiet():
            loaded, report = auto_class.from_pretrained(
                model,
                dtype=torch.float32,
                trust_remote_code=trust_remote_code,
                ignore_mismatched_sizes=True,
                output_loading_info=True,
                **config,
            )
    except (OSError, ValueError, ImportError) as error:
        raise EuroglueError(_cannot_load("model", model, error)) from error
    _require_weights(loaded, report, model, trained)
    return loaded


def _require_weights(loaded: PreTrainedModel, report: Any, model: str, trained: bool) -> None:
    fresh = sorted({*report["missing_keys"], *(key for key, *_ in report["mismatched_keys"])})
    if trained and fresh:
        raise EuroglueError(
            f"{model} holds no trained head for this task ({', '.join(fresh[:3])} missing or of another shape): "
            "give the folder 'best' of a run, or train first"
        )
    encoder = f"{loaded.base_model_prefix}."
    lost = [key for key in fresh if key.startswith(encoder) and "pooler" not in key]
    if lost:
        raise EuroglueError(
            f"{model} lacks {len(lost)} weights of its encoder, such as {', '.join(lost[:3])}: the file is not whole, "
            "or belongs to another architecture than its configuration says"
        )


@contextmanager
def quiet() -> Iterator[None]:
    """Keep Transformers' reports and bars off the terminal while a model is loaded or saved."""
    from transformers.utils import logging

    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def _cannot_load(what: str, model: str, error: Exception) -> str:
    reason = next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
    place = "the folder" if Path(model).is_dir() else "no such folder here; on the Hub:"
    return f"cannot load the {what} of {model!r}: {place} {reason}"
