# SPDX-License-Identifier: Apache-2.0
"""A causal language model read in batches after a beginning that is read once: probabilities of answers, greedy answers."""

from __future__ import annotations

import copy
import dataclasses
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from euroglue.errors import EuroglueError

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel

Row = Sequence[int]


@dataclass
class State:
    """What a model has read.

    Attributes:
        cache: keys and values of ``rows × length`` tokens.
        mask: 1 where a token counts, 0 where it is padding; ``rows × length``.
        position: the next token's position in each row.
        logits: of the next token, 32-bit, ``rows × vocabulary``.
    """

    cache: Any
    mask: torch.Tensor
    position: torch.Tensor
    logits: torch.Tensor


@dataclass(frozen=True)
class Prefix:
    """A beginning that was read: its tokens, and their keys and values in one row."""

    ids: tuple[int, ...]
    cache: Any


class Engine:
    """A model that reads.

    Args:
        model: a causal language model in evaluation mode.
        ends: the tokens that end an answer.
        padding: any token, which is never looked at.
    """

    def __init__(self, model: PreTrainedModel, ends: Sequence[int], padding: int = 0):
        self.model, self.ends, self.padding = model, frozenset(ends), padding
        self._takes = set(inspect.signature(model.forward).parameters)
        self._cache = "cache" if "cache" in self._takes else "past_key_values"

    def prefix(self, ids: Row) -> Prefix | None:
        """Read a beginning; None if this model's keys and values cannot be shared by rows."""
        import torch
        from transformers.cache_utils import DynamicLayer, DynamicSlidingWindowLayer

        with torch.inference_mode():
            cache = self._read(None, [ids]).cache
        kinds = {type(layer) for layer in getattr(cache, "layers", ())}
        return Prefix(tuple(ids), cache) if kinds and kinds <= {DynamicLayer, DynamicSlidingWindowLayer} else None

    @staticmethod
    def reach(prefix: Prefix) -> float:
        """Up to how many tokens a row may be long, padding included, to be read after a shared beginning.

        Layers that look back a number of places only would count padding as places.
        """
        windows = [layer.sliding_window for layer in prefix.cache.layers if getattr(layer, "is_sliding", False)]
        return min(windows, default=float("inf"))

    def score(
        self, prefix: Prefix | None, contexts: Sequence[Row], choices: Sequence[Sequence[Row]]
    ) -> list[list[float]]:
        """The log-probability of each choice after its context: the sum over its tokens.

        Args:
            prefix: what stands before all contexts.
            contexts: one for each row, not empty.
            choices: for each row, the tokens of each choice, not empty.
        """
        import torch

        with torch.inference_mode():
            state = self._read(prefix, contexts)
            first = state.logits.log_softmax(-1)
            found = [[float(first[row, one[0]]) for one in some] for row, some in enumerate(choices)]
            longer = [
                (row, place) for row, some in enumerate(choices) for place, one in enumerate(some) if len(one) > 1
            ]
            for start in range(0, len(longer), max(len(contexts), 1)):
                part = longer[start : start + len(contexts)]
                more = self._score_rest(state, [row for row, _ in part], [choices[row][place] for row, place in part])
                for (row, place), value in zip(part, more, strict=True):
                    found[row][place] += value
        if any(value != value for some in found for value in some):
            raise EuroglueError(f"the model's outputs are no numbers in {self.model.dtype}: take another dtype")
        return found

    def _score_rest(self, state: State, rows: list[int], choices: Sequence[Row]) -> list[float]:
        """The log-probability of each choice's tokens but the first."""
        import torch

        device, width = state.mask.device, max(map(len, choices)) - 1
        read, told = (torch.full((len(rows), width), self.padding, device=device) for _ in range(2))
        valid = torch.zeros((len(rows), width), dtype=state.mask.dtype, device=device)
        for row, one in enumerate(choices):
            read[row, : len(one) - 1] = torch.tensor(one[:-1], device=device)
            told[row, : len(one) - 1] = torch.tensor(one[1:], device=device)
            valid[row, : len(one) - 1] = 1
        _, logits = self._go_on(self._select(state, rows), read, valid)
        each = logits.float().log_softmax(-1).gather(-1, told[..., None])[..., 0]
        return each.where(valid.bool(), 0.0).sum(-1).tolist()

    def generate(
        self, prefix: Prefix | None, contexts: Sequence[Row], ended: Callable[[int, list[int]], bool]
    ) -> list[list[int]]:
        """The likeliest next token, again and again.

        Args:
            prefix: what stands before all contexts.
            contexts: one for each row, not empty.
            ended: whether the row of a number ends with the tokens it has so far; asked after each token.

        Returns:
            The new tokens of each row, without one of ``ends``.
        """
        import torch

        found: list[list[int]] = [[] for _ in contexts]
        alive = list(range(len(contexts)))
        with torch.inference_mode():
            state = self._read(prefix, contexts)
            while True:
                if not bool(state.logits.isfinite().any(-1).all()):
                    raise EuroglueError(f"the model's outputs are no numbers in {self.model.dtype}: take another dtype")
                tokens = state.logits.argmax(-1).tolist()
                kept = [
                    place for place, row in enumerate(alive) if self._takes_on(found[row], tokens[place], row, ended)
                ]
                if not kept:
                    return found
                if len(kept) < len(alive):
                    state, alive = self._select(state, kept), [alive[place] for place in kept]
                fed = torch.tensor([[tokens[place]] for place in kept], device=state.mask.device)
                state, _ = self._go_on(state, fed, torch.ones_like(fed))

    def _takes_on(self, found: list[int], token: int, row: int, ended: Callable[[int, list[int]], bool]) -> bool:
        """Add a token to a row; whether the row goes on."""
        if token in self.ends:
            return False
        found.append(token)
        return not ended(row, found)

    def _read(self, prefix: Prefix | None, rows: Sequence[Row]) -> State:
        """Read rows, their ends aligned, after a beginning."""
        import torch

        device, known, width = self.model.device, len(prefix.ids) if prefix else 0, max(map(len, rows))
        ids = torch.full((len(rows), width), self.padding, device=device)
        mask = torch.zeros((len(rows), known + width), dtype=torch.long, device=device)
        mask[:, :known] = 1
        for row, one in enumerate(rows):
            ids[row, width - len(one) :] = torch.tensor(one, device=device)
            mask[row, known + width - len(one) :] = 1
        places = (mask.cumsum(-1) - 1).clamp(min=0)
        out = self._forward(ids, mask, places[:, known:], self._spread(prefix, len(rows)), last_only=True)
        return State(out[self._cache], mask, mask.sum(-1), out.logits[:, -1].float())

    def _go_on(self, state: State, ids: torch.Tensor, valid: torch.Tensor) -> tuple[State, torch.Tensor]:
        """Read more tokens of each row; padding stands at their end. Returns the state and the logits of all of them."""
        import torch

        mask = torch.cat([state.mask, valid], dim=-1)
        places = state.position[:, None] + torch.arange(ids.shape[1], device=ids.device)
        out = self._forward(ids, mask, places, state.cache, last_only=False)
        after = State(out[self._cache], mask, state.position + valid.sum(-1), out.logits[:, -1].float())
        return after, out.logits

    def _forward(self, ids: Any, mask: Any, places: Any, cache: Any, *, last_only: bool) -> Any:
        given = {"position_ids": places, "logits_to_keep": 1 if last_only else 0}
        known = {name: value for name, value in given.items() if name in self._takes}
        out = self.model(input_ids=ids, attention_mask=mask, use_cache=True, **{self._cache: cache}, **known)
        if getattr(out, self._cache, None) is None:
            raise EuroglueError(
                f"models of the family {self.model.config.model_type!r} keep no keys and values: take a server"
            )
        return out

    @staticmethod
    def _spread(prefix: Prefix | None, rows: int) -> Any:
        """The keys and values of a beginning for so many rows; nothing is copied until more is read."""
        if prefix is None:
            return None
        cache = _copied(prefix.cache)
        for layer in cache.layers:
            layer.keys, layer.values = (one.expand(rows, -1, -1, -1) for one in (layer.keys, layer.values))
        return cache

    @staticmethod
    def _select(state: State, rows: list[int]) -> State:
        """Some rows of a state, each as often as it is named; the state itself stays as it is."""
        import torch

        index = torch.tensor(rows, device=state.mask.device)
        cache = _copied(state.cache)
        for layer in cache.layers:
            layer.reorder_cache(index)
        picked = {name: getattr(state, name)[index] for name in ("mask", "position", "logits")}
        return dataclasses.replace(state, cache=cache, **picked)


def _copied(cache: Any) -> Any:
    """A cache whose layers may be changed without changing the other's; the tensors are the same."""
    made = copy.copy(cache)
    made.layers = [copy.copy(layer) for layer in cache.layers]
    for layer in made.layers:
        vars(layer).update({name: dict(value) for name, value in vars(layer).items() if isinstance(value, dict)})
    return made
