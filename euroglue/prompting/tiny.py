# SPDX-License-Identifier: Apache-2.0
"""A tiny causal language model with random weights, for demonstrations and tests without a network."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tokenizers import Tokenizer

BEGIN, END = "<s>", "</s>"
CHAT = (
    "{% for message in messages %}[{{ message['role'] }}] {{ message['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}[assistant] {% endif %}"
)
"""A plain chat template: a line for each turn."""


def build_tiny_decoder(
    texts: Iterable[str],
    folder: str | os.PathLike[str],
    *,
    family: str = "llama",
    vocab_size: int = 1000,
    hidden: int = 64,
    layers: int = 2,
    context: int = 4096,
    chat: bool = False,
    seed: int = 0,
    **more: Any,
) -> Path:
    """Train a byte-level BPE vocabulary on texts and write it with a randomly initialised decoder as a model folder.

    Args:
        texts: the texts; any other text can be written in this vocabulary too.
        folder: where the model folder is made.
        family: the architecture, a ``model_type`` of Transformers such as ``llama``, ``qwen2`` or ``gpt_neox``.
        vocab_size: the largest vocabulary.
        hidden: the width; a multiple of 16.
        layers: its layers.
        context: the longest input, in tokens.
        chat: whether the tokeniser has a chat template, as those of instruction-tuned models.
        seed: of the weights.
        more: of the family's configuration.

    Returns:
        ``folder``, which ``AutoModelForCausalLM`` and ``AutoTokenizer`` load.
    """
    from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedTokenizerFast

    from euroglue.training.tiny import write_random

    core = _train_tokenizer(texts, vocab_size)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=core, bos_token=BEGIN, eos_token=END, pad_token=END, model_max_length=context
    )
    if chat:
        tokenizer.chat_template = CHAT
    heads: dict[str, Any] = {"num_attention_heads": hidden // 16, "num_key_value_heads": hidden // 16, "head_dim": 16}
    config = AutoConfig.for_model(
        family,
        vocab_size=len(tokenizer),
        hidden_size=hidden,
        intermediate_size=4 * hidden,
        num_hidden_layers=layers,
        max_position_embeddings=context,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        **({"num_attention_heads": hidden // 16} if family == "gpt_neox" else heads),
        **more,
    )
    return write_random(lambda: AutoModelForCausalLM.from_config(config, dtype="float32"), tokenizer, folder, seed)


def _train_tokenizer(texts: Iterable[str], vocab_size: int) -> Tokenizer:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size, special_tokens=[BEGIN, END], initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{BEGIN} $A", special_tokens=[(BEGIN, tokenizer.token_to_id(BEGIN))]
    )
    return tokenizer
