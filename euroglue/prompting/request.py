# SPDX-License-Identifier: Apache-2.0
"""What a backend is asked and what it answers: the seam between prompts and language models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from euroglue.errors import EuroglueError


class TooLongError(EuroglueError):
    """A request with its answer is longer than the model's context."""


class Message(NamedTuple):
    """One turn of a conversation: ``role`` is ``system``, ``user`` or ``assistant``."""

    role: str
    content: str


@dataclass(frozen=True, kw_only=True)
class Request:
    """One question to a language model.

    Attributes:
        id: the example's id; no two requests of one call have the same.
        shared: what many requests begin with, word for word: prefix and shots. A base model reads ``shared + text``.
        text: the rest, which ends where the answer begins, without white space at its end.
        messages: the same as a conversation, for an instruction-tuned model; empty for a base model. The turns of
            the shots are the same in all requests where the shots are fixed; the last turn is the user's.
        choices: the texts an answer may be, to be scored by their log-probability as they are: for a base model they
            begin with the space that parts them from ``text``. Empty where the answer is free.
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
    """What came back.

    Attributes:
        id: the request's.
        text: the generated text; of a request with choices that were scored, the likeliest of them.
        scores: each choice's log-probability, where the backend can tell; None where it cannot, and of a free answer.
    """

    id: str
    text: str
    scores: Mapping[str, float] | None = None


def cut(text: str, stop: Iterable[str]) -> str:
    """The text before the first of some stop texts; servers differ in whether they leave it in.

    >>> cut("da\\n\\nBesedilo: …", ("\\n\\n",))
    'da'
    """
    return text[: min((place for one in stop if (place := text.find(one)) >= 0), default=len(text))]


class Backend(Protocol):
    """A language model that can be asked."""

    name: str
    """The model's name for results: a Hub id or a folder's name."""

    revision: str
    """Its commit or version; empty if unknown."""

    chat: bool
    """Whether it is instruction-tuned: it is then asked in conversations."""

    context: int | None
    """The longest request with its answer, in tokens; None if it is not known."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """What of the backend's options can change an answer, for results."""

    def length(self, request: Request) -> int:
        """The request's length in tokens, without its answer. Called only where ``context`` is known."""

    def answer(self, requests: Iterable[Request]) -> Iterator[Answer]:
        """Answer the requests, in any order, each as soon as it is done; what is not yet asked may be read lazily."""
