# SPDX-License-Identifier: Apache-2.0
"""A causal language model of transformers in this process: the beginning that requests share is computed once.

Requests are taken in windows. In each the longest common beginning of their tokens (prefix and shots, where the shots are
fixed) is run through the model once; its keys and values are kept and every request goes on from there, in batches of
about equal length. Words are weighed by their log-probability, free answers are written greedily.
"""

from __future__ import annotations

import copy
import inspect
import itertools
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from euroglue.errors import EuroglueError
from euroglue.prompting.request import Answer, Request

if TYPE_CHECKING:
    import torch

WINDOW = 16
"""How many batches are looked at together for a common beginning and for requests of about equal length."""
WORTH = 8
"""A common beginning of fewer tokens is not worth keeping."""
TAIL = 8
"""In how many of the last tokens a stop text is looked for."""
UNLIMITED = 10**7
"""What tokenisers give as the longest input, or more, where they know none."""


@dataclass(frozen=True)
class _Asked:
    """A request in tokens: all of it, and where it weighs words, the tokens of each word after ``tokens``."""

    request: Request
    tokens: tuple[int, ...]
    words: tuple[tuple[int, ...], ...] = ()


class Local:
    """A model in this process.

    Args:
        model: a folder or a Hub id.
        revision: of the Hub id; by default the newest.
        batch_size: how many requests are computed together; halved where memory does not do.
        device: such as ``cpu`` or ``cuda:0``; by default a GPU where there is one.
        dtype: such as ``float32`` or ``bfloat16``; by default the model's own on a GPU, ``float32`` else.
        reuse: whether the common beginning is computed once.

    Raises:
        EuroglueError: there is no such model, or it is no causal language model that keeps keys and values.
    """

    def __init__(
        self,
        model: str,
        *,
        revision: str = "",
        batch_size: int = 16,
        device: str = "",
        dtype: str = "",
        reuse: bool = True,
    ):
        torch = _torch()
        if batch_size < 1:
            raise EuroglueError(f"the batch size must be at least 1, got {batch_size}")
        self.device = _device(device)
        kind = getattr(torch, dtype, None) if dtype else ("auto" if self.device.type == "cuda" else torch.float32)
        if not (kind == "auto" or isinstance(kind, torch.dtype)):
            raise EuroglueError(f"expected a type of numbers such as bfloat16, got {dtype!r}")
        self.model, self.tokenizer = _load(model, revision, kind)
        self.model.to(self.device).eval()
        self.name = os.path.basename(os.path.normpath(model)) if os.path.isdir(model) else model
        self.revision = getattr(self.model.config, "_commit_hash", None) or revision
        self.chat = getattr(self.tokenizer, "chat_template", None) is not None
        self.context = _longest(self.model.config, self.tokenizer)
        self.batch_size, self.reuse = batch_size, reuse
        self._ends = _end_ids(self.model, self.tokenizer)
        named = inspect.signature(self.model.forward).parameters
        self._cache = "cache" if "cache" in named else "past_key_values"  # its name before transformers 5.24
        self._kept: tuple[tuple[int, ...], Any] = ((), None)

    def length(self, request: Request) -> int:
        """The request's length in tokens."""
        return len(self._tokens(request))

    def answer(self, requests: Iterable[Request]) -> Iterator[Answer]:
        """Answer the requests, window by window, in each the shorter ones first."""
        left = iter(requests)
        while window := list(itertools.islice(left, self.batch_size * WINDOW)):
            asked = [self._asked(request) for request in window]
            for scored in (True, False):
                some = sorted((one for one in asked if bool(one.words) is scored), key=lambda one: len(one.tokens))
                if some:
                    prefix = self._prefix([one.tokens for one in some])
                    for start in range(0, len(some), self.batch_size):
                        yield from self._batch(some[start : start + self.batch_size], prefix, scored)

    def _batch(self, some: Sequence[_Asked], prefix: tuple[int, ...], scored: bool) -> Iterator[Answer]:
        """Answer one batch; where memory does not do, its two halves."""
        import torch

        try:
            with torch.inference_mode():
                answers = self._weigh(some, prefix) if scored else self._write(some, prefix)
        except torch.OutOfMemoryError as error:
            if len(some) == 1:
                raise EuroglueError(
                    f"{self.name}: the request about {some[0].request.id!r} ({len(some[0].tokens)} tokens) does not fit "
                    f"into the memory of {self.device}: ask with fewer shots, or another device"
                ) from error
            answers = None
        if answers is not None:
            yield from answers
            return
        torch.cuda.empty_cache()
        half = len(some) // 2
        yield from self._batch(some[:half], prefix, scored)
        yield from self._batch(some[half:], prefix, scored)

    def _tokens(self, request: Request) -> tuple[int, ...]:
        if request.messages:
            turns = [{"role": message.role, "content": message.content} for message in request.messages]
            text = self.tokenizer.apply_chat_template(turns, add_generation_prompt=True, tokenize=False)
            return tuple(self.tokenizer(text, add_special_tokens=False)["input_ids"])
        return self._text_tokens(request.shared + request.text)

    def _text_tokens(self, text: str) -> tuple[int, ...]:
        """The tokens of a text with those that the tokeniser puts before it, without those that would end it."""
        tokens = list(self.tokenizer(text)["input_ids"])
        while tokens and tokens[-1] in self._ends:
            tokens.pop()
        return tuple(tokens)

    def _asked(self, request: Request) -> _Asked:
        """The request in tokens. A word is split into tokens together with the text before it, where that is a text."""
        tokens = self._tokens(request)
        if not request.choices:
            return _Asked(request, tokens)
        if request.messages:
            words = [tuple(self.tokenizer(word, add_special_tokens=False)["input_ids"]) for word in request.choices]
            return _Asked(request, tokens, tuple(words))
        before = request.shared + request.text
        wholes = [self._text_tokens(before + word) for word in request.choices]
        common = min(_common((tokens, whole)) for whole in wholes)
        return _Asked(request, tokens[:common], tuple(whole[common:] for whole in wholes))

    def _prefix(self, sequences: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
        """The common beginning to go on from: what is kept, where it still is nearly the longest one."""
        if not self.reuse or len(sequences) < 2:
            return ()
        longest = min(_common((min(sequences), max(sequences))), min(map(len, sequences)) - 1)
        kept = len(self._kept[0])
        if longest >= kept >= WORTH and longest - kept < WORTH and sequences[0][:kept] == self._kept[0]:
            return self._kept[0]
        return sequences[0][:longest] if longest >= WORTH else ()

    def _begun(self, prefix: tuple[int, ...], rows: int) -> Any:
        """Keys and values of the prefix for so many rows; computed anew only where it is another prefix."""
        import torch
        from transformers import DynamicCache

        if not prefix:
            return DynamicCache(config=self.model.config)
        if self._kept[0] != prefix:
            cache = DynamicCache(config=self.model.config)
            with torch.inference_mode():
                tokens = torch.tensor([prefix], device=self.device)
                self.model(input_ids=tokens, use_cache=True, logits_to_keep=1, **{self._cache: cache})
            self._kept = (prefix, cache)
        cache = _same(self._kept[1])
        cache.batch_repeat_interleave(rows)
        return cache

    def _run(self, sequences: Sequence[Sequence[int]], mask: torch.Tensor, cache: Any) -> tuple[Any, torch.Tensor]:
        """Run rows of tokens on, shorter rows padded at their end.

        ``mask`` tells which of the places in the cache count, shape (rows, places).

        Returns:
            The logits after each row's last token, shape (rows, vocabulary), and the mask with the new tokens.
        """
        import torch

        width = max(map(len, sequences))
        padded = [[*tokens, *[0] * (width - len(tokens))] for tokens in sequences]
        real = [[1] * len(tokens) + [0] * (width - len(tokens)) for tokens in sequences]
        tokens = torch.tensor(padded, device=self.device)
        new = torch.tensor(real, device=self.device)
        before = mask.sum(dim=1, keepdim=True)
        places = before + torch.arange(width, device=self.device)[None, :]
        whole = torch.cat([mask, new], dim=1)
        given = {"input_ids": tokens, "attention_mask": whole, "position_ids": places, self._cache: cache}
        last = torch.tensor([len(tokens) - 1 for tokens in sequences], device=self.device)
        kept, which = torch.unique(last, return_inverse=True)  # logits of a whole vocabulary take memory
        logits = self.model(**given, use_cache=True, logits_to_keep=kept).logits
        return logits[torch.arange(len(sequences), device=self.device), which], whole

    def _continued(self, some: Sequence[_Asked], prefix: tuple[int, ...]) -> tuple[torch.Tensor, torch.Tensor, Any]:
        """Read the requests; returns the logits after each, shape (rows, vocabulary), the mask and the cache."""
        import torch

        cache = self._begun(prefix, len(some))
        mask = torch.ones((len(some), len(prefix)), dtype=torch.long, device=self.device)
        logits, mask = self._run([one.tokens[len(prefix) :] for one in some], mask, cache)
        return logits, mask, cache

    def _weigh(self, some: Sequence[_Asked], prefix: tuple[int, ...]) -> list[Answer]:
        """Answer by the log-probability of each word: the sum over its tokens."""
        import torch

        logits, mask, cache = self._continued(some, prefix)
        first = torch.log_softmax(logits.float(), dim=-1)
        totals = [[float(first[row, word[0]]) for word in one.words] for row, one in enumerate(some)]
        width = max(sum(len(word) - 1 for word in one.words) for one in some)
        if width and any(layer.is_sliding for layer in cache.layers):
            self._one_by_one(some, mask, cache, totals)
        elif width:
            self._side_by_side(some, mask, cache, totals, width)
        return [_weighed(one.request, weights) for one, weights in zip(some, totals, strict=True)]

    def _side_by_side(
        self, some: Sequence[_Asked], mask: torch.Tensor, cache: Any, totals: list[list[float]], width: int
    ) -> None:
        """Add the later tokens of words: a row holds all words, each of which sees itself and the text before it only."""
        import torch

        shape = (len(some), width)
        tokens, places = torch.zeros(shape, dtype=torch.long), torch.zeros(shape, dtype=torch.long)
        seen = torch.eye(width, dtype=torch.bool).repeat(len(some), 1, 1)
        begins = [list(itertools.accumulate((len(word) - 1 for word in one.words), initial=0)) for one in some]
        for row, one in enumerate(some):
            for begin, word in zip(begins[row], one.words):
                own = slice(begin, begin + len(word) - 1)
                tokens[row, own] = torch.tensor(word[:-1], dtype=torch.long)
                places[row, own] = torch.arange(len(word) - 1)
                seen[row, own, own] = torch.ones((len(word) - 1, len(word) - 1)).tril().bool()
        before = mask.bool()[:, None, :].expand(-1, width, -1)
        allowed = torch.cat([before, seen.to(self.device)], dim=2)[:, None]
        barred = torch.zeros(allowed.shape, dtype=self.model.dtype, device=self.device)
        barred.masked_fill_(~allowed, torch.finfo(self.model.dtype).min)
        places = places.to(self.device) + mask.sum(dim=1, keepdim=True)
        given = {
            "input_ids": tokens.to(self.device),
            "attention_mask": barred,
            "position_ids": places,
            self._cache: cache,
        }
        rest = torch.log_softmax(self.model(**given, use_cache=True).logits.float(), dim=-1)
        for row, one in enumerate(some):
            for place, (begin, word) in enumerate(zip(begins[row], one.words)):
                totals[row][place] += sum(float(rest[row, begin + i, token]) for i, token in enumerate(word[1:]))

    def _one_by_one(self, some: Sequence[_Asked], mask: torch.Tensor, cache: Any, totals: list[list[float]]) -> None:
        """The same for models that see a window of the text only: a row for each word, a token at a time."""
        import torch

        longer = [(row, place) for row, one in enumerate(some) for place, word in enumerate(one.words) if len(word) > 1]
        rows = torch.tensor([row for row, _ in longer], device=self.device)
        held, mask = _same(cache), mask[rows]
        held.batch_select_indices(rows)
        words = [some[row].words[place] for row, place in longer]
        for step in range(1, max(map(len, words))):
            logits, mask = self._run([[word[min(step, len(word)) - 1]] for word in words], mask, held)
            shares = torch.log_softmax(logits.float(), dim=-1)
            for number, ((row, place), word) in enumerate(zip(longer, words)):
                if step < len(word):
                    totals[row][place] += float(shares[number, word[step]])

    def _write(self, some: Sequence[_Asked], prefix: tuple[int, ...]) -> list[Answer]:
        """Answer by the likeliest next token, until an end token, a stop text or the longest answer."""

        logits, mask, cache = self._continued(some, prefix)
        written: list[list[int]] = [[] for _ in some]
        texts: list[str | None] = [None] * len(some)
        for _ in range(max(one.request.max_tokens for one in some)):
            tokens = logits.argmax(dim=-1).tolist()
            for row, token in enumerate(tokens):
                if texts[row] is None:
                    texts[row] = self._ended(some[row].request, written[row], token)
            if None not in texts:
                break
            logits, mask = self._run([[token] for token in tokens], mask, cache)
        decoded = [self._decode(tokens) if text is None else text for text, tokens in zip(texts, written)]
        return [Answer(id=one.request.id, text=text) for one, text in zip(some, decoded, strict=True)]

    def _ended(self, request: Request, written: list[int], token: int) -> str | None:
        """Take a token up; the answer's text where it ends with it."""
        if token in self._ends:
            return self._decode(written)
        written.append(token)
        if request.stop and any(stop in self._decode(written[-TAIL:]) for stop in request.stop):
            text = self._decode(written)
            ends = [place for stop in request.stop if (place := text.find(stop, len(text) - len(text.lstrip()))) >= 0]
            if ends:
                return text[: min(ends)]
        return self._decode(written) if len(written) >= request.max_tokens else None

    def _decode(self, tokens: Sequence[int]) -> str:
        return self.tokenizer.decode(tokens, skip_special_tokens=False, clean_up_tokenization_spaces=False)


def _weighed(request: Request, weights: Sequence[float]) -> Answer:
    scores = dict(zip(request.choices, weights, strict=True))
    return Answer(id=request.id, text=max(scores, key=scores.__getitem__), scores=scores)


def _same(cache: Any) -> Any:
    """A cache of the same tensors, which can be put into another shape without a change to the first."""
    made = copy.copy(cache)
    made.layers = [copy.copy(layer) for layer in cache.layers]
    return made


def _common(sequences: Sequence[Sequence[int]]) -> int:
    """How many tokens two sequences begin with in common."""
    one, other = sequences
    return next((place for place, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))


def _torch() -> Any:
    try:
        import torch
        import transformers  # noqa: F401
    except ImportError as error:
        raise EuroglueError(
            "a model in this process needs torch and transformers: pip install 'euroglue[prompt]'"
        ) from error
    return torch


def _device(name: str) -> torch.device:
    import torch

    try:
        return torch.device(name or ("cuda" if torch.cuda.is_available() else "cpu"))
    except RuntimeError as error:
        raise EuroglueError(f"expected a device such as cpu or cuda:0, got {name!r}") from error


def _load(model: str, revision: str, dtype: Any) -> tuple[Any, Any]:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from euroglue.training.models import quiet

    named = {"revision": revision or None, "trust_remote_code": False}
    try:
        with quiet():
            tokenizer = AutoTokenizer.from_pretrained(model, **named)
            loaded = AutoModelForCausalLM.from_pretrained(model, dtype=dtype, **named)
    except (OSError, ValueError, ImportError, KeyError) as error:
        raise EuroglueError(f"cannot load the language model {model}: {str(error).splitlines()[0]}") from error
    if loaded.config.is_encoder_decoder or getattr(loaded, "_is_stateful", False):
        raise EuroglueError(f"{model} keeps no keys and values that requests can share: ask it through a server")
    return loaded, tokenizer


def _longest(config: Any, tokenizer: Any) -> int | None:
    """The longest input, in tokens; None if neither model nor tokeniser knows it."""
    text = config.get_text_config()
    known = [getattr(text, name, None) for name in ("max_position_embeddings", "n_positions", "max_seq_len")]
    known.append(tokenizer.model_max_length)
    return min((int(one) for one in known if one is not None and one < UNLIMITED), default=None)


def _end_ids(model: Any, tokenizer: Any) -> frozenset[int]:
    """The tokens that end an answer."""
    named = getattr(model.generation_config, "eos_token_id", None)
    listed = named if isinstance(named, list) else [named]
    return frozenset(one for one in [*listed, tokenizer.eos_token_id] if one is not None)
