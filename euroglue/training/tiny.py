# SPDX-License-Identifier: Apache-2.0
"""A tiny encoder made from scratch, for demonstrations and tests without a network."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

SPECIAL = {
    "pad_token": "[PAD]",
    "unk_token": "[UNK]",
    "cls_token": "[CLS]",
    "sep_token": "[SEP]",
    "mask_token": "[MASK]",
}


def build_tiny_encoder(
    texts: Iterable[str],
    folder: str | os.PathLike[str],
    *,
    vocab_size: int = 2000,
    hidden: int = 64,
    layers: int = 2,
    max_length: int = 512,
    seed: int = 0,
) -> Path:
    """Train a BPE vocabulary on ``texts`` and write it with a randomly initialised BERT as a Hugging Face folder.

    The same texts give the same bytes, which a WordPiece vocabulary would not: its trainer follows a hash table's order.

    Args:
        texts: the texts; case and accents are kept, since й without its accent is another letter.
        folder: where the model folder is made.
        vocab_size: the largest vocabulary, special tokens included.
        hidden: the width of the encoder; a multiple of 16.
        layers: its layers.
        max_length: the longest input in sub-words.
        seed: of the weights.

    Returns:
        ``folder``, which ``AutoModel`` and ``AutoTokenizer`` load.
    """
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=_train_tokenizer(texts, vocab_size),
        model_max_length=max_length,
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
        **SPECIAL,
    )
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=hidden,
        num_hidden_layers=layers,
        num_attention_heads=hidden // 16,
        intermediate_size=4 * hidden,
        max_position_embeddings=max_length,
        pad_token_id=tokenizer.pad_token_id,
    )
    return write_random(lambda: BertModel(config, add_pooling_layer=False), tokenizer, folder, seed)


def write_random(
    make: Callable[[], PreTrainedModel], tokenizer: PreTrainedTokenizerBase, folder: str | os.PathLike[str], seed: int
) -> Path:
    """Make a model whose random weights the seed decides, and write it with its tokenizer; returns the folder."""
    import torch

    from euroglue.training.models import quiet

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = make()
    with quiet():
        model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return Path(folder)


def _train_tokenizer(texts: Iterable[str], vocab_size: int) -> Tokenizer:
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.BPE(unk_token=SPECIAL["unk_token"]))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFC(), normalizers.BertNormalizer(lowercase=False, strip_accents=False)]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    tokenizer.decoder = decoders.Metaspace(prepend_scheme="always")
    trainer = trainers.BpeTrainer(vocab_size=vocab_size, special_tokens=list(SPECIAL.values()), show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    cls_token, sep_token = SPECIAL["cls_token"], SPECIAL["sep_token"]
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{cls_token} $A {sep_token}",
        pair=f"{cls_token} $A {sep_token} $B:1 {sep_token}:1",
        special_tokens=[(token, tokenizer.token_to_id(token)) for token in (cls_token, sep_token)],
    )
    return tokenizer
