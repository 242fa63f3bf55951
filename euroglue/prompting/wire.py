# SPDX-License-Identifier: Apache-2.0
"""Questions to a server over HTTP: tried again where that may help, told in one line where it does not; keys stay secret."""

from __future__ import annotations

import email.utils
import json
import os
import random
import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from euroglue.errors import EuroglueError
from euroglue.prompting.request import TooLongError

if TYPE_CHECKING:
    import requests

PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
"""The states of HTTP that may pass."""
FIRST_WAIT, LONGEST_WAIT, LONGEST_RETRY_AFTER = 0.5, 30.0, 600.0
"""Seconds."""
TOO_LONG_SIGNS = (
    "context length",
    "context size",
    "context_length",
    "context window",
    "max_model_len",
    "prompt is too long",
)
"""How servers say that a request is longer than the model's context, in lower case."""
SHOWN = 300
"""So many characters of a server's message are shown."""
LARGEST, PIECE = 64 * 2**20, 2**16
"""The most bytes of an answer, unpacked, and how many are read at once."""
TELLING = 12
"""A key of fewer characters, such as "none", is no secret and may be a word of an answer."""


class ServerError(EuroglueError):
    """A server cannot be reached, refuses, or does not answer as it should."""


class RefusedError(ServerError):
    """A server refuses a request as it is (400 or 422); ``told`` is what it says."""

    def __init__(self, message: str, told: str):
        super().__init__(message)
        self.told = told


class UnknownModelError(ServerError):
    """A server has no such address or no such model (404)."""


class _PassingError(Exception):
    """What may go better next time, and how long to wait at least, in seconds."""

    def __init__(self, message: str, after: float = 0.0):
        super().__init__(message)
        self.after = after


class Wire:
    """A server's address, with a connection for each thread.

    Args:
        url: of the interface, with its ``/v1``.
        key_variable: the variable of the environment that holds the key, if it takes one.
        timeout: how long to wait for an answer, in seconds.
        retries: how often a question is asked again.
        seed: of the waits' random part.

    Raises:
        EuroglueError: the address is none, or holds a name and password.
    """

    def __init__(
        self, url: str, *, key_variable: str = "OPENAI_API_KEY", timeout: float = 120, retries: int = 6, seed: int = 0
    ):
        try:
            parts = urlsplit(url)
            known = parts.scheme in ("http", "https") and bool(parts.hostname)
        except ValueError:
            known = False
        if not known:
            raise EuroglueError("url: expected an address such as http://localhost:8000/v1")
        if parts.username or parts.password or parts.query:
            raise EuroglueError(f"url: expected no name, password or query in it; put the key into ${key_variable}")
        self.url, self.key_variable = url.rstrip("/"), key_variable
        self.timeout, self.retries, self.seed = timeout, retries, seed
        self.stopped = threading.Event()
        self._local = threading.local()

    def get(self, path: str) -> Any:
        """What the server says at a path; None if it has none such."""
        try:
            return self._patiently("GET", path, None, min(self.retries, 1))
        except (UnknownModelError, RefusedError):
            return None

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """What the server answers.

        Raises:
            ServerError: as its kinds say, after all tries.
            TooLongError: the model's context is shorter than the request.
        """
        return self._patiently("POST", path, body, self.retries)

    def _patiently(self, method: str, path: str, body: Mapping[str, Any] | None, retries: int) -> Any:
        for attempt in range(retries + 1):
            try:
                return self._once(method, path, body)
            except _PassingError as error:
                last = error
            if attempt < retries and self.stopped.wait(self._pause(path, body, attempt, last.after)):
                break
        kept = "; answers so far are kept, the same command goes on" if body else ""
        raise ServerError(f"{self.url}: no answer after {retries + 1} tries: {last}{kept}")

    def _pause(self, path: str, body: Mapping[str, Any] | None, attempt: int, after: float) -> float:
        """How long to wait before the next try, in seconds: what the server asks for, else longer each time."""
        chance = random.Random(f"{self.seed} {path} {body} {attempt}")
        if after:
            return after + FIRST_WAIT * chance.random()
        return min(FIRST_WAIT * 2**attempt, LONGEST_WAIT) * chance.uniform(0.5, 1.0)

    def _once(self, method: str, path: str, body: Mapping[str, Any] | None) -> Any:
        import requests
        import urllib3

        how: dict[str, Any] = {"timeout": (10, self.timeout), "allow_redirects": False, "stream": True}
        try:
            with self._session().request(method, self.url + path, json=body, auth=self._sign, **how) as answer:
                content = self._content(answer)
        except (requests.Timeout, urllib3.exceptions.TimeoutError) as error:
            raise _PassingError(f"nothing came within {self.timeout:g} s") from error
        except (requests.ConnectionError, urllib3.exceptions.ProtocolError) as error:
            reason = "the server cannot be reached (is it running?)" if _is_refused(error) else "the connection broke"
            raise _PassingError(reason) from error
        except (requests.RequestException, urllib3.exceptions.HTTPError) as error:
            raise _PassingError(self._hidden(f"{type(error).__name__}: {error}")) from error
        if answer.status_code != 200:
            raise self._failure(answer, path, content)
        try:
            return self._without_key(json.loads(content))
        except (ValueError, RecursionError) as error:
            raise _PassingError("the answer is no whole JSON") from error

    def _content(self, answer: requests.Response) -> str:
        """What a server sends, as it comes: bounded in size and, however slowly it comes, in time."""
        pieces, size, end = [], 0, time.monotonic() + self.timeout
        while piece := answer.raw.read1(PIECE, decode_content=True):
            size += len(piece)
            if size > LARGEST:
                raise ServerError(f"{self.url}: expected an answer of at most {LARGEST:,} bytes, got more")
            if time.monotonic() > end:
                raise _PassingError(f"the answer was not whole after {self.timeout:g} s more")
            pieces.append(piece)
        return b"".join(pieces).decode("utf-8-sig", "replace")

    def _session(self) -> requests.Session:
        import requests

        if not hasattr(self._local, "session"):
            self._local.session = requests.Session()
        session: requests.Session = self._local.session
        return session

    def _sign(self, prepared: requests.PreparedRequest) -> requests.PreparedRequest:
        """Put the key onto a request; given to ``requests`` so that it looks for no other, in a .netrc or elsewhere."""
        key = self._key()
        if key and not (key.isascii() and key.isprintable()):
            raise ServerError(f"the key in ${self.key_variable}: expected printable ASCII characters on one line")
        if key:
            prepared.headers["Authorization"] = f"Bearer {key}"
        return prepared

    def _key(self) -> str:
        return os.environ.get(self.key_variable, "").strip() if self.key_variable else ""

    def _failure(self, answer: requests.Response, path: str, content: str) -> Exception:
        status, told = answer.status_code, self._told(content)
        message = f"{self.url}{path}: {status} {told[:SHOWN]}"
        if status in PASSING:
            if _is_spent(told):
                return ServerError(message)
            return _PassingError(f"{status} {told[:SHOWN]}", retry_after(answer.headers.get("Retry-After")))
        if any(sign in told.lower() for sign in TOO_LONG_SIGNS):
            return TooLongError(f"{message}: show fewer shots, or tell the context with --option context=TOKENS")
        if status in (401, 403):
            what = "refuses the key in" if self._key() else "wants a key; put it into"
            return ServerError(f"{self.url} {what} ${self.key_variable or 'OPENAI_API_KEY'} ({status})")
        if 300 <= status < 400:
            return ServerError(f"{self.url}{path}: sends elsewhere ({status}); give the address itself")
        kind = {400: RefusedError, 422: RefusedError, 404: UnknownModelError}.get(status, ServerError)
        return RefusedError(message, told) if kind is RefusedError else kind(message)

    def _told(self, content: str) -> str:
        """A server's message in one line, without the key."""
        said: Any = content
        try:
            said = json.loads(content)
        except (ValueError, RecursionError):
            said = content[: 4 * SHOWN]
        for name in ("error", "message", "detail"):
            said = said.get(name, said) if isinstance(said, dict) else said
        return self._hidden(" ".join(str(said).split()))

    def _hidden(self, text: str) -> str:
        key = self._key()
        return text.replace(key, "…") if key else text

    def _without_key(self, said: Any) -> Any:
        """What a server said, without the key, which some repeat: answers are written to files."""
        key = self._key()
        if len(key) < TELLING:
            return said
        if isinstance(said, str):
            return said.replace(key, "…")
        if isinstance(said, dict):
            return {self._without_key(name): self._without_key(value) for name, value in said.items()}
        return [self._without_key(one) for one in said] if isinstance(said, list) else said


def _is_spent(told: str) -> bool:
    """Whether a 429 says that there is no money left, which no waiting helps."""
    return "insufficient_quota" in told or "exceeded your current quota" in told


def _is_refused(error: BaseException) -> bool:
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, (ConnectionRefusedError, OSError)) and "refused" in str(seen).lower():
            return True
        seen = seen.__cause__ or seen.__context__
    return any(sign in str(error) for sign in ("NameResolution", "getaddrinfo", "unreachable"))


def retry_after(value: str | None) -> float:
    """The seconds that a ``Retry-After`` asks for, at most ten minutes; 0 if it says nothing that can be read.

    >>> retry_after("2"), retry_after("soon"), retry_after(None), retry_after("999999")
    (2.0, 0.0, 0.0, 600.0)
    """
    if not value:
        return 0.0
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(value).timestamp() - time.time()
        except ValueError:
            return 0.0
    return min(max(seconds, 0.0), LONGEST_RETRY_AFTER) if seconds == seconds else 0.0
