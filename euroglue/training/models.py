# SPDX-License-Identifier: Apache-2.0
"""Loading encoders and tokenizers, from a folder or the Hub, with one-line errors for what users get wrong."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from euroglue.errors import EuroglueError

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerFast


def load_tokenizer(model: str, *, trust_remote_code: bool = False) -> PreTrainedTokenizerFast:
    """The fast tokenizer of ``model``, a folder or a Hub id.

    Raises:
        EuroglueError: it cannot be loaded, or has only a slow tokenizer, which cannot tell which word a sub-word is of.
    """
    from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(model, trust_remote_code=trust_remote_code)
    except (OSError, ValueError, ImportError) as error:
        raise EuroglueError(_cannot_load("tokenizer", model, error)) from error
    if not tokenizer.is_fast:
        raise EuroglueError(
            f"the tokenizer of {model} ({type(tokenizer).__name__}) is a slow one, which cannot map sub-words to words: "
            "convert it to a fast tokenizer (a tokenizer.json beside the model) or choose another model"
        )
    return tokenizer


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
    fresh = sorted({*report["missing_keys"], *(key for key, *_ in report["mismatched_keys"])})
    if trained and fresh:
        raise EuroglueError(
            f"{model} holds no trained head for this task ({', '.join(fresh[:3])} missing or of another shape): "
            "give the folder 'best' of a run, or train first"
        )
    return loaded


def longest_input(model_config: Any, tokenizer: PreTrainedTokenizerFast, asked: int) -> int:
    """How many sub-words fit: ``asked``, but no more than the tokenizer and the position table allow."""
    limits = [asked, int(tokenizer.model_max_length)]
    positions = getattr(model_config, "max_position_embeddings", None)
    if positions and positions > 0:
        limits.append(positions)
    return min(limits)


def _cannot_load(what: str, model: str, error: Exception) -> str:
    reason = next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
    place = "the folder" if Path(model).is_dir() else "no such folder here; on the Hub:"
    return f"cannot load the {what} of {model!r}: {place} {reason}"
