# SPDX-License-Identifier: Apache-2.0
"""Language models behind any server with OpenAI's interface: vLLM, TGI, llama.cpp, ``transformers serve``, a provider."""

from __future__ import annotations

import logging
import os
import queue
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from euroglue.errors import EuroglueError
from euroglue.prompting.likely import echoed, places, weigh
from euroglue.prompting.request import Answer, Request, cut
from euroglue.prompting.wire import RefusedError, ServerError, UnknownModelError, Wire

LOG = logging.getLogger(__name__)
URL = "http://localhost:8000/v1"
OPTIONAL = ("response_format", "logprobs", "top_logprobs", "chat_template_kwargs", "seed", "stop", "temperature")
"""What a request can do without, if a server does not know it."""
UNSURE = OPTIONAL[:5]
"""What is left out where a server refuses a request without naming what it does not take."""
LIKELIEST, FEWER = 20, 5
"""How many of the likeliest tokens are asked for; some servers tell no more than the smaller number."""
MANY = f"{LIKELIEST} likeliest tokens"
BYTES_A_TOKEN = 2
"""A token is at least so many bytes of text in UTF-8, where no tokenizer tells better."""
CONTEXT_NAMES = ("max_model_len", "context_length", "context_window", "n_ctx", "n_ctx_train")
SHOWN_MODELS = 8


class Server:
    """A model behind a server, asked over several connections at once.

    A request with messages goes to ``/chat/completions``, another to ``/completions``. Choices are weighed where the server
    tells log-probabilities: of a text that it repeats (``echo``), exactly; else by the likeliest tokens of an answer. Where
    it tells none, the model's own words are the answer. What the
    server does not take (a JSON schema, log-probabilities, a seed) is left out from then on, with a warning.

    Args:
        model: what the server calls it.
        url: the server's address with ``/v1``; by default ``$OPENAI_BASE_URL``, else one on this machine.
        key: the name of the variable of the environment that holds the key; never the key itself.
        chat: whether the model is instruction-tuned.
        concurrency: how many requests are on the way at once.
        timeout: how long to wait for one answer, in seconds.
        retries: how often a request is sent again after a failure that may pass.
        seed: of sampling, where the server has any, and of the waits between tries.
        context: the longest request with its answer, in tokens; by default what the server tells.
        tokenizer: a folder or a Hub id, to measure requests with; else they are measured generously by their bytes.
        revision: of the model, for results.
        logprobs: whether to ask for log-probabilities.
        schema: whether to ask for answers after a JSON schema.
        thinking: whether the model may think first; by default what the server does.

    Raises:
        EuroglueError: an option cannot be, or the server cannot be reached or wants another key.
    """

    def __init__(
        self,
        model: str,
        *,
        url: str = "",
        key: str = "OPENAI_API_KEY",
        chat: bool = True,
        concurrency: int = 16,
        timeout: float = 120,
        retries: int = 6,
        seed: int = 0,
        context: int | None = None,
        tokenizer: str = "",
        revision: str = "",
        logprobs: bool = True,
        schema: bool = True,
        thinking: bool | None = None,
    ):
        for name, value, low in (("concurrency", concurrency, 1), ("timeout", timeout, 0.001), ("retries", retries, 0)):
            if not value >= low:
                raise EuroglueError(f"{name}: expected at least {low}, got {value}")
        self.name = self.model = model
        self.revision, self.chat = revision, chat
        self.concurrency, self.seed, self.thinking = concurrency, seed, thinking
        self.asks = {"logprobs": logprobs, "schema": schema}
        self.refused: frozenset[str] = frozenset()
        self.wire = Wire(
            url or os.environ.get("OPENAI_BASE_URL") or URL,
            key_variable=key,
            timeout=timeout,
            retries=retries,
            seed=seed,
        )
        self.offered = _offered(self.wire.get("/models"))
        self.context = context or _context(self.offered.get(model, {}))
        self._encoder = _encoder(tokenizer, model)

    @property
    def settings(self) -> Mapping[str, Any]:
        """What of the options can change an answer."""
        return {"backend": "openai", "seed": self.seed, **self.asks, "thinking": self.thinking}

    def length(self, request: Request) -> int:
        """The request's length in tokens by the tokenizer, else the most tokens that its text can be."""
        if self._encoder is not None:
            return len(self._encoder.tokens(request))
        text = request.shared + request.text + "".join(message.content for message in request.messages)
        return len(text.encode("utf-8", "surrogatepass")) // BYTES_A_TOKEN + 8 * (len(request.messages) + 1)

    def answer(self, requests: Iterable[Request]) -> Iterator[Answer]:
        """Answer the requests as the server does, in any order; no more than twice ``concurrency`` are held at once.

        Raises:
            ServerError: the server refuses, or does not answer after all tries.
            TooLongError: a request is longer than the model's context.
        """
        asked: queue.SimpleQueue[Request | None] = queue.SimpleQueue()
        done: queue.SimpleQueue[Answer | BaseException] = queue.SimpleQueue()
        self.wire.stopped.clear()
        workers = [
            threading.Thread(target=self._work, args=(asked, done), daemon=True) for _ in range(self.concurrency)
        ]
        for worker in workers:
            worker.start()
        try:
            yield from _in_flight(iter(requests), asked, done, 2 * self.concurrency)
        finally:
            self.wire.stopped.set()
            while not asked.empty():
                asked.get_nowait()
            for _ in workers:
                asked.put(None)

    def _work(self, asked: queue.SimpleQueue[Request | None], done: queue.SimpleQueue[Answer | BaseException]) -> None:
        """Answer what is asked until there is None; what goes wrong is handed to the one who asks."""
        while (request := asked.get()) is not None and not self.wire.stopped.is_set():
            try:
                done.put(self._ask(request))
            except Exception as error:
                done.put(error)

    def _ask(self, request: Request) -> Answer:
        """One answer."""
        if request.choices and not request.messages and self.asks["logprobs"]:
            scores = self._echoed(request)
            if scores is not None:
                return Answer(id=request.id, text=max(scores, key=scores.__getitem__), scores=scores)
        return self._read(self._sent(partial(self._body, request)), request)

    def _echoed(self, request: Request) -> dict[str, float] | None:
        """Each choice's log-probability, from a server that repeats what it reads; None where it does not."""
        before, scores = request.shared + request.text, {}
        for choice in request.choices:
            if "echo" in self.refused:
                return None
            found = _first(self._sent(partial(self._repeated, before + choice)))
            score = echoed(found.get("logprobs"), len(before), len(before + choice))
            if score is None or not str(found.get("text")).startswith(before + choice):
                self._leave_out({"echo"})
                return None
            scores[choice] = score
        return scores

    def _repeated(self, text: str, left_out: frozenset[str]) -> tuple[str, dict[str, Any]]:
        """The path and what is sent there, to have a text repeated with its tokens' log-probabilities."""
        echo = {} if "echo" in left_out else {"echo": True, "logprobs": 1}
        return "/completions", {"model": self.model, "prompt": text, "max_tokens": 1, "temperature": 0, **echo}

    def _sent(self, make: Callable[[frozenset[str]], tuple[str, dict[str, Any]]]) -> Any:
        """What the server says to a request; what it does not take is left out, once for each of its refusals."""
        while True:
            left_out = self.refused
            path, body = make(left_out)
            try:
                return self.wire.post(path, body)
            except RefusedError as error:
                if not self._give_way(error, body, left_out):
                    self._tell_models(error)
                    raise
            except UnknownModelError as error:
                self._tell_models(error)
                raise

    def _body(self, request: Request, left_out: frozenset[str]) -> tuple[str, dict[str, Any]]:
        """The path and what is sent there."""
        length = "max_completion_tokens" if "max_tokens" in left_out else "max_tokens"
        body: dict[str, Any] = {"model": self.model, length: request.max_tokens, "temperature": 0, "seed": self.seed}
        if request.stop:
            body["stop"] = list(request.stop)[:4]
        weighed = bool(request.choices) and self.asks["logprobs"]
        likeliest = FEWER if MANY in left_out else LIKELIEST
        if request.messages:
            path, body["messages"] = "/chat/completions", [message._asdict() for message in request.messages]
            if weighed:
                body |= {"logprobs": True, "top_logprobs": likeliest}
            if request.schema is not None and self.asks["schema"]:
                form = {"name": "answer", "schema": dict(request.schema), "strict": True}
                body["response_format"] = {"type": "json_schema", "json_schema": form}
            if self.thinking is not None:
                body["chat_template_kwargs"] = {"enable_thinking": self.thinking}
        else:
            path, body["prompt"] = "/completions", request.shared + request.text
            if weighed:
                body["logprobs"] = likeliest
        return path, {name: value for name, value in body.items() if name not in left_out}

    def _give_way(self, error: RefusedError, body: Mapping[str, Any], left_out: frozenset[str]) -> bool:
        """Note what the server does not take; whether there is something to leave out."""
        if self.refused - left_out:
            return True  # another thread has learnt something meanwhile
        fresh = {name for name in (*OPTIONAL, "max_tokens") if name in body and _names(error.told, name)}
        if "echo" in body:
            fresh = {"echo"}
        elif "logprobs" in body and "logprobs" in error.told:
            fresh = {"logprobs", "top_logprobs"} if MANY in left_out else {MANY}
        fresh = fresh or {name for name in UNSURE if name in body}
        self._leave_out(fresh)
        return bool(fresh)

    def _leave_out(self, names: set[str]) -> None:
        if names - self.refused:
            LOG.warning("%s: the server does not take %s: asked without", self.name, ", ".join(sorted(names)))
        self.refused = self.refused | names

    def _tell_models(self, error: ServerError) -> None:
        """Say which models there are, if ours is none of them.

        Raises:
            ServerError: it is none of them.
        """
        if not self.offered or self.model in self.offered:
            return
        names = sorted(self.offered)
        more = f" and {len(names) - SHOWN_MODELS} more" if len(names) > SHOWN_MODELS else ""
        raise ServerError(
            f"{self.wire.url} has no model {self.model!r}; it offers: {', '.join(names[:SHOWN_MODELS])}{more} ({error})"
        ) from error

    def _read(self, said: Any, request: Request) -> Answer:
        """The answer in what a server said.

        Raises:
            ServerError: there is none.
        """
        if not isinstance(said, dict) or not isinstance(said.get("choices"), list):
            raise ServerError(f"{self.wire.url}: request {request.id!r}: the answer has no text: {str(said)[:120]}")
        choice = _first(said)
        text = cut(_text(choice, chat=bool(request.messages)), request.stop)
        scores = (
            weigh(request.choices, places(choice.get("logprobs")))
            if request.choices and self.asks["logprobs"]
            else None
        )
        return Answer(
            id=request.id, text=text if scores is None else max(scores, key=scores.__getitem__), scores=scores
        )


def _in_flight(
    requests: Iterator[Request],
    asked: queue.SimpleQueue[Request | None],
    done: queue.SimpleQueue[Answer | BaseException],
    most: int,
) -> Iterator[Answer]:
    """Hand requests on, never more than ``most`` that are not answered; the answers as they come."""
    waiting, more = 0, True
    while more or waiting:
        while more and waiting < most:
            request = next(requests, None)
            if request is None:
                more = False
            else:
                asked.put(request)
                waiting += 1
        if not waiting:
            return
        found = done.get()
        waiting -= 1
        if isinstance(found, BaseException):
            raise found
        yield found


def _offered(said: Any) -> dict[str, Mapping[str, Any]]:
    """The models of a server by name, as ``/models`` lists them."""
    listed = said.get("data") if isinstance(said, dict) else None
    rows = [row for row in listed if isinstance(row, dict)] if isinstance(listed, list) else []
    return {str(row["id"]): row for row in rows if "id" in row}


def _context(row: Mapping[str, Any]) -> int | None:
    """The context that a server tells of a model."""
    nested = [row, *(value for value in row.values() if isinstance(value, dict))]
    known = [one[name] for one in nested for name in CONTEXT_NAMES if isinstance(one.get(name), int)]
    return min((one for one in known if one > 0), default=None)


def _first(said: Any) -> dict[str, Any]:
    """The first of an answer's choices; an empty one if there is none."""
    listed = said.get("choices") if isinstance(said, dict) else None
    return listed[0] if isinstance(listed, list) and listed and isinstance(listed[0], dict) else {}


def _text(choice: Mapping[str, Any], *, chat: bool) -> str:
    """The text of a choice, of several parts the texts joined; the empty text if there is none."""
    message = choice.get("message")
    told = (message.get("content") if isinstance(message, dict) else None) if chat else choice.get("text")
    parts = told if isinstance(told, list) else [{"text": told}]
    texts = [part.get("text") for part in parts if isinstance(part, dict)]
    return "".join(text for text in texts if isinstance(text, str))


def _names(told: str, field: str) -> bool:
    return re.search(rf"\b{field}\b", told) is not None


def _encoder(tokenizer: str, model: str) -> Any:
    if not tokenizer:
        return None
    from euroglue.prompting.encode import Encoder
    from euroglue.training.models import load_tokenizer

    return Encoder(load_tokenizer(tokenizer), model)
