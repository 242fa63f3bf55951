# SPDX-License-Identifier: Apache-2.0
"""Requests as tokens: what a model reads, and the tokens of each answer it may give."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from euroglue.errors import EuroglueError
from euroglue.prompting.prefixes import common
from euroglue.prompting.request import Request

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


@dataclass(frozen=True)
class Item:
    """A request as tokens.

    Attributes:
        request: the request.
        context: what is read, at least one token.
        choices: for each of the request's choices the tokens that follow ``context``, at least one.
    """

    request: Request
    context: tuple[int, ...]
    choices: tuple[tuple[int, ...], ...] = ()

    @property
    def longest(self) -> int:
        """The longest answer in tokens."""
        return max(map(len, self.choices)) if self.choices else self.request.max_tokens


class Encoder:
    """Turns requests into tokens, as a server with the same tokenizer would.

    Args:
        tokenizer: the model's.
        name: the model's name, for messages.
        thinking: whether a conversation's template may ask the model to think first, where it knows of that.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerBase, name: str, *, thinking: bool = False):
        self.tokenizer, self.name, self.thinking = tokenizer, name, thinking
        self._ids: Callable[[str, bool], tuple[int, ...]] = lru_cache(maxsize=64)(self._encode)
        ends = self._encode("a", True)[-1:]
        self._closed = bool(ends) and ends[0] in (tokenizer.eos_token_id, getattr(tokenizer, "sep_token_id", None))

    def _encode(self, text: str, special: bool) -> tuple[int, ...]:
        made: Any = self.tokenizer(text, add_special_tokens=special, verbose=False)
        return tuple(made["input_ids"])

    def text(self, request: Request) -> str:
        """What a model reads, as text; for a conversation by the tokenizer's template.

        Raises:
            EuroglueError: there is no template, or it takes no such conversation.
        """
        if not request.messages:
            return request.shared + request.text
        messages = [message._asdict() for message in request.messages]
        if self.tokenizer.chat_template is None:
            raise EuroglueError(f"{self.name} has no chat template: ask it as a base model (--base)")
        from jinja2 import TemplateError

        try:
            made: Any = self.tokenizer.apply_chat_template(
                messages, tokenize=False, add_generation_prompt=True, enable_thinking=self.thinking
            )
        except TemplateError as error:
            raise EuroglueError(f"the chat template of {self.name} refuses a conversation: {error}") from error
        return made

    def tokens(self, request: Request, choice: str = "") -> tuple[int, ...]:
        """The tokens that a model reads, with an answer after them."""
        special = not request.messages
        ids = self._ids(self.text(request) + choice, special)
        ids = ids[:-1] if special and self._closed else ids
        if ids:
            return ids
        first = self.tokenizer.bos_token_id if self.tokenizer.bos_token_id is not None else self.tokenizer.eos_token_id
        return (first or 0,)

    def item(self, request: Request) -> Item:
        """A request and its choices.

        An answer is tokenised together with what stands before it: where its first letters and the text's last make one
        token, that token counts to all the choices, so that each is as likely as the text that it makes.
        """
        context = self.tokens(request)
        if not request.choices:
            return Item(request, context)
        wholes = [self.tokens(request, choice) for choice in request.choices]
        start = min(min(common(context, whole), len(whole) - 1) for whole in wholes)
        if start < 1:
            raise EuroglueError(f"request {request.id!r}: nothing stands before its choices")
        return Item(request, context[:start], tuple(whole[start:] for whole in wholes))
