# SPDX-License-Identifier: Apache-2.0
"""Tiny models of the families of encoders, from scratch, each with a tokenizer of its family's make."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
import transformers
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

FAMILIES = ("bert", "distilbert", "roberta", "xlm-roberta", "deberta", "deberta-v2", "modernbert")
BYTES = ("roberta", "deberta", "modernbert")
ANGLED = ("roberta", "xlm-roberta")
SMALL = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 64}
POSITIONS = 80


def build(family: str, texts: Sequence[str], folder: Path) -> Path:
    """Write a model folder that AutoModel and AutoTokenizer load."""
    tokenizer = make_tokenizer(family, texts)
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    make_model(family, len(tokenizer), tokenizer.pad_token_id).save_pretrained(folder)
    return folder


def make_tokenizer(family: str, texts: Sequence[str]) -> PreTrainedTokenizerFast:
    """WordPiece for BERT, byte-level BPE for RoBERTa and its like, Unigram over SentencePiece's spaces for the others."""
    start, end, pad, unknown = (
        ("<s>", "</s>", "<pad>", "<unk>") if family in ANGLED else ("[CLS]", "[SEP]", "[PAD]", "[UNK]")
    )
    special = [start, pad, end, unknown]
    common = {"special_tokens": special, "vocab_size": 600, "show_progress": False}
    if family in ("bert", "distilbert"):
        tokenizer = Tokenizer(models.WordPiece(unk_token=unknown))
        tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        trainer = trainers.WordPieceTrainer(**common)
    elif family in BYTES:
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        trainer = trainers.BpeTrainer(**common, initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    else:
        tokenizer = Tokenizer(models.Unigram())
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
        trainer = trainers.UnigramTrainer(**common, unk_token=unknown)
    tokenizer.train_from_iterator(texts, trainer)
    ids = [(token, tokenizer.token_to_id(token)) for token in (start, end)]
    between = f"{end} {end}" if family in ANGLED else end
    second = "" if family in (*ANGLED, "modernbert") else ":1"
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{start} $A {end}", pair=f"{start} $A {between} $B{second} {end}{second}", special_tokens=ids
    )
    typed = ["token_type_ids"] if family in ("bert", "deberta", "deberta-v2") else []
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, cls_token=start, sep_token=end, pad_token=pad, unk_token=unknown,
        model_input_names=["input_ids", *typed, "attention_mask"],
    )  # fmt: skip


def make_model(family: str, vocabulary: int, padding: int) -> transformers.PreTrainedModel:
    """A randomly initialised encoder."""
    common = {"vocab_size": vocabulary, "pad_token_id": padding, "max_position_embeddings": POSITIONS}
    if family == "distilbert":
        config = transformers.DistilBertConfig(**common, dim=32, n_layers=1, n_heads=2, hidden_dim=64)
    else:
        more = {"type_vocab_size": 2, "pos_att_type": ["c2p", "p2c"], "relative_attention": True}
        more = more if family.startswith("deberta") else {"type_vocab_size": 1 if family in ANGLED else 2}
        more = {} if family == "modernbert" else more
        more |= {"cls_token_id": 0, "sep_token_id": 2} if family == "modernbert" else {}
        config = transformers.AutoConfig.for_model(family, **common, **SMALL, **more)
    return transformers.AutoModel.from_config(config)
