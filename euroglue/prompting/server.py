# SPDX-License-Identifier: Apache-2.0
"""A language model behind any server with OpenAI's interface: vLLM, TGI, llama.cpp, ``transformers serve``, OpenAI's own.

A few requests are under way at a time; those that fail for a reason that passes (429, 5xx, a broken connection, no answer
in time) are sent again after a pause that grows, or that the server names. Log-probabilities and JSON schemas are used
where the server offers them: one that refuses a request with them is asked without from then on. The key is read from the
environment and stands in no message, log or result.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any

from euroglue.errors import EuroglueError
from euroglue.prompting.extract import fold
from euroglue.prompting.request import Answer, Request

if TYPE_CHECKING:
    from openai import APIError

URL = "http://localhost:8000/v1"
NO_KEY = "none"
TOP = 20
"""How many of the likeliest tokens a server is asked for."""
MOST_STOPS = 4
"""How many stop texts the interface allows."""
PAUSE = 0.5
"""Seconds before a request is sent again whose answer was cut off."""
LETTERS_A_TOKEN = 2
"""For an estimate of a request's length: fewer letters a token than in any of the three languages."""


class Server:
    """A model behind a server.

    Args:
        model: the name that the server has for it.
        url: the address that ends with ``/v1``; by default ``$OPENAI_BASE_URL``, else that of a server on this machine.
        chat: whether the model is instruction-tuned and asked in conversations.
        concurrency: how many requests are under way at a time.
        timeout: seconds to wait for one answer.
        retries: how often one request is sent again.
        context: the longest request with its answer in tokens, to drop shots that do not fit; lengths are estimated.
        logprobs: whether words are weighed where the server tells log-probabilities.
        schema: whether the server is sent the schema of a JSON answer.
        key: the environment variable that holds the key; without one none is sent that means anything.
        revision: the model's version, for results.

    Raises:
        EuroglueError: the address is none, or the library ``openai`` is not installed.
    """

    def __init__(
        self,
        model: str,
        *,
        url: str = "",
        chat: bool = True,
        concurrency: int = 16,
        timeout: float = 120.0,
        retries: int = 6,
        context: int = 0,
        logprobs: bool = True,
        schema: bool = True,
        key: str = "OPENAI_API_KEY",
        revision: str = "",
    ):
        try:
            import openai
        except ImportError as error:
            raise EuroglueError("asking a server needs openai: pip install 'euroglue[prompt]'") from error
        self.url = url or os.environ.get("OPENAI_BASE_URL") or URL
        if not self.url.startswith(("http://", "https://")):
            raise EuroglueError(f"expected an address that begins with http:// or https://, got {self.url!r}")
        if concurrency < 1 or retries < 0 or timeout <= 0:
            raise EuroglueError("concurrency is at least 1, retries at least 0, timeout above 0")
        self.name, self.revision, self.chat = model, revision, chat
        self.context = context or None
        self.concurrency = concurrency
        self._key = os.environ.get(key) or NO_KEY
        self._client = openai.OpenAI(base_url=self.url, api_key=self._key, timeout=timeout, max_retries=retries)
        self._offers = {"logprobs": logprobs, "response_format": schema, "echo": logprobs}

    def length(self, request: Request) -> int:
        """The request's length in tokens, estimated from above."""
        letters = (
            len(request.shared) + len(request.text) + sum(len(message.content) + 16 for message in request.messages)
        )
        return -(-letters // LETTERS_A_TOKEN)

    def answer(self, requests: Iterable[Request]) -> Iterator[Answer]:
        """Answer the requests, each as soon as the server has; a request is only made when its turn is near.

        Raises:
            EuroglueError: the server refuses a request, or fails for good; what it answered before that is given out first.
        """
        pool = ThreadPoolExecutor(self.concurrency)
        waiting: set[Future[Answer]] = set()
        try:
            for request in requests:
                waiting.add(pool.submit(self._one, request))
                if len(waiting) >= 2 * self.concurrency:
                    done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                    yield from _results(done)
            while waiting:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                yield from _results(done)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _one(self, request: Request) -> Answer:
        import openai

        for left in range(self._client.max_retries, -1, -1):
            try:
                return self._in_turns(request) if request.messages else self._as_text(request)
            except openai.APIError as error:
                raise EuroglueError(self._told(error)) from None  # the error holds the request, and so the key
            except json.JSONDecodeError as error:  # a body that was cut off: the library does not send again for that
                if not left:
                    raise EuroglueError(self._told(error)) from None
                time.sleep(PAUSE)
        raise AssertionError("the last try answers or raises")

    def _told(self, error: APIError | json.JSONDecodeError) -> str:
        status = getattr(error, "status_code", None)
        broken = isinstance(error, json.JSONDecodeError)
        what = "answered what is no JSON" if broken else f"answered {status}" if status else "did not answer"
        said = " ".join(str(getattr(error, "message", error)).split())
        said = (said if self._key == NO_KEY else said.replace(self._key, "…"))[:200]
        return f"{self.url}: the server {what} about {self.name} ({said}); answers so far are kept: mend it and go on"

    def _sent(self, send: Any, optional: Mapping[str, Mapping[str, Any]], **fields: Any) -> Any:
        """Send a request with what the server may offer; where it refuses that, without it now and ever after."""
        import openai

        offered = [name for name in optional if self._offers[name]]
        extra = {key: value for name in offered for key, value in optional[name].items()}
        try:
            return send(model=self.name, temperature=0, **fields, **extra)
        except (openai.BadRequestError, openai.UnprocessableEntityError):
            if not offered:
                raise
            found = send(model=self.name, temperature=0, **fields)  # raises again where these were not the reason
            self._offers.update(dict.fromkeys(offered, False))
            return found

    def _in_turns(self, request: Request) -> Answer:
        optional: dict[str, dict[str, Any]] = {}
        if request.choices:
            optional["logprobs"] = {"logprobs": True, "top_logprobs": TOP}
        if request.schema is not None:
            schema = {"name": "answer", "schema": dict(request.schema), "strict": True}
            optional["response_format"] = {"response_format": {"type": "json_schema", "json_schema": schema}}
        turns = [{"role": message.role, "content": message.content} for message in request.messages]
        fields: dict[str, Any] = {"messages": turns, "max_tokens": request.max_tokens}
        if request.stop:
            fields["stop"] = list(request.stop[:MOST_STOPS])
        found = self._sent(self._client.chat.completions.create, optional, **fields)
        if not found.choices:
            return Answer(id=request.id, text="")
        first = found.choices[0]
        told = getattr(first.logprobs, "content", None) if request.choices else None
        top = {one.token: one.logprob for one in told[0].top_logprobs} if told else {}
        return Answer(id=request.id, text=first.message.content or "", scores=first_tokens(top, request.choices))

    def _as_text(self, request: Request) -> Answer:
        if request.choices and self._offers["echo"]:
            scores = {word: self._echoed(request.shared + request.text, word) for word in request.choices}
            known = {word: score for word, score in scores.items() if score is not None}
            if len(known) == len(scores):
                return Answer(id=request.id, text=max(known, key=known.__getitem__), scores=known)
        fields: dict[str, Any] = {"prompt": request.shared + request.text, "max_tokens": request.max_tokens}
        if request.stop:
            fields["stop"] = list(request.stop[:MOST_STOPS])
        found = self._sent(self._client.completions.create, {}, **fields)
        return Answer(id=request.id, text=found.choices[0].text or "" if found.choices else "")

    def _echoed(self, before: str, word: str) -> float | None:
        """The log-probability of a word after a text, from a server that repeats what it reads; None where it does not."""
        if not self._offers["echo"]:
            return None
        echo = {"echo": {"echo": True, "logprobs": 1}}
        found = self._sent(self._client.completions.create, echo, prompt=before + word, max_tokens=1)
        told = found.choices[0].logprobs if found.choices else None
        score = None if told is None else echoed(told.text_offset, told.token_logprobs, len(before), len(before + word))
        if score is None:
            self._offers["echo"] = False
        return score


def _results(done: Iterable[Future[Answer]]) -> Iterator[Answer]:
    """The answers of those that have one, then the error of one that has not."""
    failed = [one for one in done if one.exception() is not None]
    yield from (one.result() for one in done if one.exception() is None)
    if failed:
        failed[0].result()


def first_tokens(top: Mapping[str, float], words: Sequence[str]) -> dict[str, float] | None:
    """The log-probability of each word by the first token of an answer: the likeliest of the tokens that begin it alone.

    A word that none of the tokens begins has the least of all their log-probabilities.

    Args:
        top: the likeliest first tokens and their log-probabilities.
        words: the answers there are.

    Returns:
        Word → log-probability; None where a token begins two words, or none begins any.

    >>> first_tokens({" Da": -0.1, "ne": -2.5, "The": -3.0}, ["da", "ne"])
    {'da': -0.1, 'ne': -2.5}
    >>> first_tokens({"ne": -0.1, "po": -2.5}, ["negativno", "nevtralno"]) is None
    True
    """
    found: dict[str, float] = {}
    for token, score in top.items():
        folded = fold(token).strip()
        begun = [word for word in words if folded and fold(word).startswith(folded)]
        if len(begun) > 1:
            return None
        for word in begun:
            found[word] = max(score, found.get(word, score))
    if not found:
        return None
    least = min(top.values())
    return {word: found.get(word, least) for word in words}


def echoed(offsets: Sequence[int] | None, scores: Sequence[float | None] | None, start: int, end: int) -> float | None:
    """The sum of the log-probabilities of the tokens that reach into ``start`` to ``end``; None where they are not told.

    Args:
        offsets: where each token begins in the text that was read.
        scores: their log-probabilities; the first token of a text has none.
        start: where the word begins.
        end: where it ends.

    >>> echoed([0, 4, 8, 11], [None, -1.0, -0.5, -0.25], 8, 11)
    -0.5
    """
    if not offsets or not scores or len(offsets) != len(scores):
        return None
    ends = [*offsets[1:], max(offsets[-1] + 1, end)]
    inside = [score for score, begin, stop in zip(scores, offsets, ends) if stop > start and begin < end]
    known = [score for score in inside if score is not None]
    return sum(known) if known and len(known) == len(inside) else None
