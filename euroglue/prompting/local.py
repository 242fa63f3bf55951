# SPDX-License-Identifier: Apache-2.0
"""Language models in this process, by Transformers: answers weighed by log-probability, or written greedily."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from euroglue.errors import EuroglueError
from euroglue.extras import require
from euroglue.finished_runs import shown_name
from euroglue.prompting.encode import Encoder, Item
from euroglue.prompting.engine import Engine, Prefix
from euroglue.prompting.prefixes import common, group
from euroglue.prompting.request import Answer, Request, TooLongError, cut

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

WINDOW = 256
"""So many requests are held at once, to be parted by their beginnings and lengths."""
SHORTEST_PREFIX = 4
"""The shortest common beginning, in tokens, that is read apart."""
MOST_TOKENS_A_LETTER = 4
"""A letter may be parted into its bytes: so far back a stop text is looked for."""
NORMALISATIONS = ("none", "tokens")
UNLIMITED = 10**9
"""A tokenizer's longest input from here on means that it knows of none."""


class Local:
    """A causal language model, with the common beginning of many requests read once.

    A request with choices is answered by the likeliest: the log-probability of a choice is the sum over its tokens after
    the prompt. A free answer is the likeliest next token until an end token, a stop text or ``max_tokens``. Answers do not
    hang on the size of batches or the order of requests, up to the rounding of floats.

    Args:
        model: a folder or a Hub id, with weights in safetensors.
        revision: of the Hub.
        batch_size: how many requests are read at once; halved for good where memory does not suffice.
        dtype: ``float32``, ``bfloat16``, ``float16``, or ``auto`` for that of the weights; by default 32 bits on a CPU, else
            ``auto``.
        device: such as ``cpu`` or ``cuda:1``; by default a GPU if there is one.
        normalise: ``none``, or ``tokens`` to divide each choice's log-probability by its number of tokens.
        reuse: whether common beginnings are read once.
        thinking: whether a conversation's template may let the model think first.
        chat: whether the model is instruction-tuned; by default whether its tokenizer has a chat template.

    Raises:
        EuroglueError: the model cannot be loaded, or an option is unknown.
    """

    def __init__(
        self,
        model: str,
        *,
        revision: str = "",
        batch_size: int = 16,
        dtype: str = "",
        device: str = "",
        normalise: str = "none",
        reuse: bool = True,
        thinking: bool = False,
        chat: bool | None = None,
    ):
        if batch_size < 1:
            raise EuroglueError(f"batch_size: expected at least 1, got {batch_size}")
        if normalise not in NORMALISATIONS:
            raise EuroglueError(f"normalise: expected one of {', '.join(NORMALISATIONS)}, got {normalise!r}")
        self.tokenizer, loaded = load(model, revision=revision, dtype=dtype, device=device)
        self.name = shown_name(model)
        self.revision: str = revision or getattr(loaded.config, "_commit_hash", None) or ""
        self.chat = self.tokenizer.chat_template is not None if chat is None else chat
        self.context = longest_context(loaded, self.tokenizer)
        self.batch_size, self.normalise, self.reuse = batch_size, normalise, reuse
        self.encoder = Encoder(self.tokenizer, self.name, thinking=thinking)
        self.engine = Engine(loaded, end_tokens(loaded, self.tokenizer), self.tokenizer.pad_token_id or 0)
        self._held: Prefix | None = None

    @property
    def settings(self) -> Mapping[str, Any]:
        """What of the options can change an answer."""
        dtype = str(self.engine.model.dtype).removeprefix("torch.")
        return {
            "backend": "transformers",
            "dtype": dtype,
            "normalise": self.normalise,
            "thinking": self.encoder.thinking,
        }

    def length(self, request: Request) -> int:
        """The request's length in tokens, without its answer."""
        return len(self.encoder.tokens(request))

    def answer(self, requests: Iterable[Request]) -> Iterator[Answer]:
        """Answer the requests, some hundreds at a time.

        Raises:
            TooLongError: a request and its answer are longer than the model's context.
        """
        coming = iter(requests)
        while window := [self._item(request) for request in islice(coming, max(WINDOW, 4 * self.batch_size))]:
            for some in ([item for item in window if item.choices], [item for item in window if not item.choices]):
                yield from self._grouped(some)

    def _item(self, request: Request) -> Item:
        item = self.encoder.item(request)
        length = len(item.context) + item.longest
        if self.context is not None and length > self.context:
            raise TooLongError(
                f"request {request.id!r}: {length} tokens with its answer, {self.name} reads {self.context}: show fewer shots"
            )
        return item

    def _grouped(self, items: Sequence[Item]) -> Iterator[Answer]:
        """Answers to requests of one sort, those with a common beginning together, the longest first."""
        for length, rows in group([item.context for item in items]) if self.reuse else [(0, tuple(range(len(items))))]:
            some = sorted((items[row] for row in rows), key=lambda item: -len(item.context))
            prefix = self._prefix(some, length)
            while some:
                batch, some = some[: self.batch_size], some[self.batch_size :]
                yield from self._batch(prefix, batch)

    def _prefix(self, items: Sequence[Item], length: int) -> Prefix | None:
        """The common beginning of some requests, read; the one before if it is almost as long."""
        if length < SHORTEST_PREFIX:
            return None
        ids, held = items[0].context[:length], self._held
        if held is None or len(held.ids) < 0.9 * length or common(held.ids, ids) < len(held.ids):
            held = self._held = self.engine.prefix(ids)
        if held is None:
            self.reuse = False
            return None
        longest = len(items[0].context) + max(item.longest for item in items)
        return held if longest < self.engine.reach(held) else None

    def _batch(self, prefix: Prefix | None, items: Sequence[Item]) -> list[Answer]:
        """Answer one batch, in halves where memory does not suffice."""
        from euroglue.training.faults import is_out_of_memory

        try:
            return self._answers(prefix, items)
        except (RuntimeError, MemoryError) as error:
            if not is_out_of_memory(error):
                raise
            if len(items) == 1:
                raise EuroglueError(
                    f"request {items[0].request.id!r}: {len(items[0].context)} tokens do not fit into memory with {self.name}: "
                    "show fewer shots, take another dtype, or a server"
                ) from error
        _free_memory()
        half = self.batch_size = (len(items) + 1) // 2
        return [answer for part in (items[:half], items[half:]) for answer in self._batch(prefix, part)]

    def _answers(self, prefix: Prefix | None, items: Sequence[Item]) -> list[Answer]:
        known = len(prefix.ids) if prefix else 0
        contexts = [item.context[known:] for item in items]
        if items[0].choices:
            found = self.engine.score(prefix, contexts, [item.choices for item in items])
            return [self._weighed(item, scores) for item, scores in zip(items, found, strict=True)]
        made = self.engine.generate(prefix, contexts, lambda row, tokens: self._ended(items[row].request, tokens))
        return [
            Answer(id=item.request.id, text=cut(self._text(tokens), item.request.stop))
            for item, tokens in zip(items, made, strict=True)
        ]

    def _weighed(self, item: Item, scores: Sequence[float]) -> Answer:
        if self.normalise == "tokens":
            scores = [score / len(choice) for score, choice in zip(scores, item.choices, strict=True)]
        named = dict(zip(item.request.choices, scores, strict=True))
        return Answer(id=item.request.id, text=max(named, key=named.__getitem__), scores=named)

    def _text(self, tokens: list[int]) -> str:
        return str(self.tokenizer.decode(tokens, skip_special_tokens=True))

    def _ended(self, request: Request, tokens: list[int]) -> bool:
        if len(tokens) >= request.max_tokens:
            return True
        if not request.stop:
            return False
        tail = self._text(tokens[-(MOST_TOKENS_A_LETTER * max(map(len, request.stop)) + 4) :])
        return any(stop in tail for stop in request.stop)


def load(
    model: str, *, revision: str = "", dtype: str = "", device: str = ""
) -> tuple[PreTrainedTokenizerBase, PreTrainedModel]:
    """The tokenizer and the causal language model of a folder or a Hub id; no code that comes with it runs.

    Raises:
        EuroglueError: Transformers is missing, the model cannot be loaded, dtype or device are unknown.
    """
    require("the backend transformers", prompt=("torch", "transformers", "safetensors", "jinja2"))
    import torch
    from safetensors import SafetensorError
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from euroglue.training.models import quiet

    usual = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    dtypes = {"auto": "auto", **{name: getattr(torch, name) for name in ("float32", "bfloat16", "float16")}}
    dtype = dtype or ("float32" if (device or usual) == "cpu" else "auto")
    if dtype not in dtypes:
        raise EuroglueError(f"dtype: expected one of {', '.join(dtypes)}, got {dtype!r}")
    place: Any = {"revision": revision or None, "trust_remote_code": False}
    try:
        target = torch.device(device or usual)
    except RuntimeError as error:
        raise EuroglueError(f"device: expected one such as cpu or cuda:0, got {device!r}") from error
    try:
        with quiet():
            tokenizer: Any = AutoTokenizer.from_pretrained(model, **place)
            loaded: Any = AutoModelForCausalLM.from_pretrained(
                model, dtype=dtypes[dtype], use_safetensors=True, **place
            )
    except (OSError, ValueError, KeyError, ImportError, RuntimeError, SafetensorError) as error:
        reason = next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
        where = "the folder" if Path(model).is_dir() else "no such folder here; on the Hub:"
        raise EuroglueError(f"cannot load the language model {model!r}: {where} {reason}") from error
    if loaded.config.is_encoder_decoder or getattr(loaded, "_is_stateful", False):
        raise EuroglueError(f"models of the family {loaded.config.model_type!r} keep no keys and values: take a server")
    return tokenizer, loaded.eval().to(target)


def longest_context(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> int | None:
    """The longest input with its answer in tokens, by the model's configuration and the tokenizer's; None if neither says."""
    config: Any = model.config.get_text_config()
    known = [getattr(config, name, None) for name in ("max_position_embeddings", "max_seq_len", "n_positions")]
    limits = [int(one) for one in (*known, tokenizer.model_max_length) if one and 0 < one < UNLIMITED]
    return min(limits, default=None)


def end_tokens(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> list[int]:
    """The tokens that end an answer: those of the model's configuration and the tokenizer's own."""
    named: Any = getattr(model.generation_config, "eos_token_id", None)
    several = named if isinstance(named, list) else [named]
    return sorted({int(one) for one in (*several, tokenizer.eos_token_id) if one is not None})


def _free_memory() -> None:
    import gc

    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
