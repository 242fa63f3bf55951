# SPDX-License-Identifier: Apache-2.0
"""What a backend is asked and what it answers: the seam between prompts and language models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol


class Message(NamedTuple):
    """One turn of a conversation: ``role`` is ``system``, ``user`` or ``assistant``."""

    role: str
    content: str


@dataclass(frozen=True, kw_only=True)
class Request:
    """One question to a language model.

    Attributes:
        id: the example's id.
        shared: what many requests begin with, word for word: prefix and shots. A base model reads ``shared + text``.
        text: the rest, which ends where the answer begins.
        messages: the same as a conversation, for an instruction-tuned model; empty for a base model.
        choices: the words an answer may be, to be scored by their log-probability; empty where the answer is free.
        schema: the JSON schema of the answer, where it is JSON.
        max_tokens: the longest answer, in tokens.
        stop: texts that end an answer.
    """

    id: str
    shared: str = ""
    text: str = ""
    messages: tuple[Message, ...] = ()
    choices: tuple[str, ...] = ()
    schema: Mapping[str, Any] | None = None
    max_tokens: int = 32
    stop: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What came back: the generated ``text``, or, of a request with choices, each choice's log-probability too."""

    id: str
    text: str
    scores: Mapping[str, float] | None = None


class Backend(Protocol):
    """A language model that can be asked."""

    name: str
    """The model's name for results: a Hub id or a folder's name."""

    revision: str
    """Its commit or version; empty if unknown."""

    def answer(self, requests: Iterable[Request]) -> Iterator[Answer]:
        """Answer the requests, in any order, each as soon as it is done; what is not yet asked may be read lazily."""
