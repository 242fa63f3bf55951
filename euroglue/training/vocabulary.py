# SPDX-License-Identifier: Apache-2.0
"""Training on the rows of the vocabulary that the data uses; the others wait outside the model and are saved with it.

A multilingual encoder has a quarter of a million rows of input embeddings, of which a task uses a few thousand, and the
optimiser walks over all of them at every step. A row that no input uses has a gradient of zero, and AdamW moves it by
decay alone: where the embeddings do not decay (``loop.make_optimizer`` leaves them out), training on the rows in use is
the same training.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
import torch

from euroglue.errors import EuroglueError

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerFast


class TrimmedEmbedding(torch.nn.Embedding):
    """Some rows of an embedding, looked up by their places in the whole one; any other place raises IndexError on CPU."""

    place: torch.Tensor

    def __init__(self, whole: torch.nn.Embedding, kept: torch.Tensor):
        """``kept`` are the places (rows,) of the rows to hold, rising, the one of padding among them if there is one."""
        place = torch.full((whole.num_embeddings,), -1, dtype=torch.int64)
        place[kept] = torch.arange(len(kept))
        padding = None if whole.padding_idx is None else int(place[whole.padding_idx])
        rows = whole.weight.detach()[kept.to(whole.weight.device)]
        super().__init__(len(kept), whole.embedding_dim, padding_idx=padding, _weight=rows)
        self.register_buffer("place", place.to(whole.weight.device), persistent=False)

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """The rows at ``input``, places in the whole embedding."""
        return super().forward(self.place[input])


def input_embeddings(model: torch.nn.Module) -> torch.nn.Module | None:
    """The module that turns token ids into vectors, or None for a model that has none such (characters, bytes)."""
    try:
        return model.get_input_embeddings()  # type: ignore[operator]
    except (AttributeError, NotImplementedError):
        return None


def obstacle(model: torch.nn.Module) -> str | None:
    """Why the model's vocabulary cannot be trimmed, in words; None where it can.

    Embeddings that are tied to one another (encoder and decoder) are trimmed together; a matrix that is an output layer
    too would lose the words it may say.
    """
    embedding = input_embeddings(model)
    if type(embedding) is not torch.nn.Embedding:
        return "the model has no plain input embeddings"
    if embedding.max_norm is not None or embedding.scale_grad_by_freq or embedding.sparse:
        return "its input embeddings are rescaled or sparse"
    for name, module in model.named_modules():
        if not isinstance(module, torch.nn.Embedding):
            if any(one is embedding.weight for one in module.parameters(recurse=False)):
                return f"its input embeddings are {name} too"
        elif module.weight is embedding.weight and type(module) is not torch.nn.Embedding:
            return f"its input embeddings are {name} too, a {type(module).__name__}"
    return None


class TrimmedVocabulary:
    """A model that holds the rows in use, and the whole embedding, on the CPU, into which they are put back."""

    def __init__(self, model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, used: np.ndarray):
        """Trim ``model`` in place to the token ids ``used`` and the tokenizer's special and added ones.

        Raises:
            EuroglueError: an id is beyond the model's vocabulary.
        """
        reason, embedding = obstacle(model), input_embeddings(model)
        if reason or not isinstance(embedding, torch.nn.Embedding):
            raise ValueError(f"this vocabulary cannot be trimmed: {reason}")
        kept = np.union1d(used, np.array(_always(model, tokenizer, embedding), dtype=np.int64))
        kept = kept[kept < embedding.num_embeddings]
        if len(used) and used.max() >= embedding.num_embeddings:
            raise EuroglueError(
                f"the tokenizer yields the id {used.max()}, but the model has {embedding.num_embeddings} embeddings: "
                "they do not belong together"
            )
        self.kept = torch.from_numpy(kept)
        self.size = embedding.num_embeddings
        self._model = model
        self._whole = embedding
        self._trimmed = TrimmedEmbedding(embedding, self.kept)
        self._put(self._whole, self._trimmed)
        self._whole.to("cpu")

    @contextmanager
    def whole(self) -> Iterator[None]:
        """Within, the model has all its rows, those trained in their places: a plain model, to be saved."""
        with torch.no_grad():
            self._whole.weight[self.kept] = self._trimmed.weight.to(self._whole.weight)
        self._put(self._trimmed, self._whole)
        try:
            yield
        finally:
            self._put(self._whole, self._trimmed)

    def _put(self, old: torch.nn.Embedding, new: torch.nn.Embedding) -> None:
        """Put ``new`` wherever ``old``, or an embedding that shares its weight, stands."""
        for parent in list(self._model.modules()):
            for name, child in list(parent.named_children()):
                if isinstance(child, torch.nn.Embedding) and child.weight is old.weight:
                    setattr(parent, name, new)


def _always(model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, embedding: torch.nn.Embedding) -> list[int]:
    """The ids that must be there whatever the data: special and added tokens, padding of tokenizer, model, embedding."""
    padding = (tokenizer.pad_token_id, getattr(model.config, "pad_token_id", None), embedding.padding_idx)
    named = {*tokenizer.all_special_ids, *tokenizer.added_tokens_decoder, *padding} - {None}
    return sorted({0, *named})  # collating pads with 0 where the tokenizer names no padding
