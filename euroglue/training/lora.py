# SPDX-License-Identifier: Apache-2.0
"""Low-rank adapters (Hu et al. 2022) through peft: few weights are trained, and what is saved is a plain model."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from euroglue.errors import EuroglueError

if TYPE_CHECKING:
    from transformers import PreTrainedModel

POOLER = "pooler"


def with_lora(model: PreTrainedModel, rank: int) -> Any:
    """The model with an adapter of ``rank`` at every linear layer of its encoder.

    Trained are the adapters and what the encoder did not learn before: the head and the pooler. The adapters' scale is
    2 (alpha = 2 * rank). Embeddings stay as they are, those of a task's extra tokens as they were drawn.

    Args:
        model: an encoder under a head; it is changed.
        rank: of the adapters, at least 1.

    Raises:
        EuroglueError: peft is not installed, or the encoder has no linear layers.
    """
    import torch

    try:
        from peft import LoraConfig, get_peft_model
    except ImportError as error:
        raise EuroglueError("adapters (--lora) need peft: pip install peft") from error
    inside = f"{model.base_model_prefix}."
    layers = [
        name
        for name, module in model.named_modules()
        if isinstance(module, torch.nn.Linear) and name.startswith(inside) and POOLER not in name.split(".")
    ]
    if not layers:
        raise EuroglueError(f"adapters (--lora): the encoder of {type(model).__name__} has no linear layers")
    config = LoraConfig(r=rank, lora_alpha=2 * rank, lora_dropout=0.0, target_modules=layers)
    adapted = get_peft_model(model, config)
    for name, parameter in model.named_parameters():
        if not name.startswith(inside) or POOLER in name.split("."):
            parameter.requires_grad = True
    return adapted


def merged(model: Any) -> PreTrainedModel:
    """A copy of the adapted model in which the adapters are added to the weights: a plain model; the original stays."""
    return copy.deepcopy(model).merge_and_unload()


def is_adapted(model: Any) -> bool:
    """Whether the model has adapters."""
    return hasattr(model, "merge_and_unload")
