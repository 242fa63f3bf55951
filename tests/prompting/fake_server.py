# SPDX-License-Identifier: Apache-2.0
"""A server with OpenAI's interface on loopback that plays by a rule, and misbehaves as it is told."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Rule = Callable[[dict[str, Any]], str]
Trouble = Callable[[int], "str | tuple[int, dict[str, str], bytes] | None"]
"""What befalls the request of a number, counted from 1: nothing, a state of HTTP or ``cut``, ``drop``, ``drip``, ``html``,
``hang``, ``late`` or ``no choices`` by name, or a state, headers and a body."""


def text_of(body: Mapping[str, Any]) -> str:
    """What a request asks: a prompt, or the last turn of a conversation."""
    return body["prompt"] if "prompt" in body else body["messages"][-1]["content"]


class FakeServer:
    """Serves until it is closed.

    Args:
        answer: from a request's body to the answer.
        trouble: what befalls which request; every request of a body is a new number.
        top: the likeliest first tokens and their log-probabilities; None tells none.
        echo: from a prompt to the log-probabilities of its tokens, of a server that repeats it; None does not.
        refuses: fields that are refused with 400 and named in the message; ``"?"`` for one that is not named.
        most_likely: how many likeliest tokens may be asked for.
        key: the key it wants.
        latency: seconds before each answer.
        models: what ``/models`` lists; None answers 404.
    """

    def __init__(
        self,
        answer: Rule = lambda body: "да",
        *,
        trouble: Trouble = lambda number: None,
        top: dict[str, float] | None = None,
        echo: Callable[[str], dict[str, list[Any]]] | None = None,
        refuses: tuple[str, ...] = (),
        most_likely: int = 20,
        key: str = "",
        latency: float = 0.0,
        retry_after: str = "0.01",
        models: tuple[dict[str, Any], ...] | None = ({"id": "m"},),
        record: bool = True,
    ):
        self.rule, self.trouble, self.top, self.echo = answer, trouble, top, echo
        self.refuses, self.most_likely = refuses, most_likely
        self.key, self.latency, self.retry_after, self.models, self.record = key, latency, retry_after, models, record
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        """The headers of requests, and under ``port`` the connection that one came by."""
        self.times: list[float] = []
        self.seen: Counter[str] = Counter()
        self.at_once = self.most_at_once = self.count = 0
        self._lock = threading.Lock()

    def __enter__(self) -> FakeServer:
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def log_message(self, *args: object) -> None:
                pass

            def do_GET(self) -> None:
                fake.list_models(self)

            def do_POST(self) -> None:
                fake.post(self)

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, request: object, address: object) -> None:
                pass

        self.http = Quiet(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}/v1"
        self.thread = threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.http.shutdown()
        self.http.server_close()

    def say(self, handler: BaseHTTPRequestHandler, status: int, said: Any, **headers: str) -> None:
        """Answer in JSON, or with bytes as they are."""
        data = said if isinstance(said, bytes) else json.dumps(said).encode()
        handler.send_response(status)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(data)

    def list_models(self, handler: BaseHTTPRequestHandler) -> None:
        if self.key and handler.headers.get("Authorization") != f"Bearer {self.key}":
            self.say(handler, 401, {"error": {"message": f"wrong key: {handler.headers.get('Authorization')}"}})
        elif self.models is None:
            self.say(handler, 404, {"detail": "Not Found"})
        else:
            self.say(handler, 200, {"object": "list", "data": list(self.models)})

    def post(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        with self._lock:
            self.count = number = self.count + 1
            if self.record:
                self.bodies.append(body)
                port = str(handler.client_address[1])
                self.headers.append({"port": port, **{name.lower(): value for name, value in handler.headers.items()}})
                self.times.append(time.monotonic())
            self.seen[handler.path] += 1
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            if self.latency:
                time.sleep(self.latency)
            self.respond(handler, body, self.trouble(number))
        finally:
            with self._lock:
                self.at_once -= 1

    def respond(self, handler: BaseHTTPRequestHandler, body: dict[str, Any], trouble: Any) -> None:
        refused = [name for name in self.refuses if name in body]
        asked = body.get("top_logprobs", body.get("logprobs") or 0)
        if isinstance(trouble, tuple):
            status, headers, content = trouble
            self.say(handler, status, content, **{name.replace("-", "_"): value for name, value in headers.items()})
        elif trouble:
            self.misbehave(handler, body, trouble)
        elif self.models and body["model"] not in [one["id"] for one in self.models]:
            self.say(handler, 404, {"error": {"message": f"The model `{body['model']}` does not exist."}})
        elif refused:
            self.say(handler, 400, {"error": {"message": f"Unsupported parameter: '{refused[0]}'"}})
        elif "?" in self.refuses and {"response_format", "logprobs"} & set(body):
            self.say(handler, 422, {"detail": "invalid request"})
        elif asked is not True and asked > self.most_likely:
            self.say(handler, 400, {"error": f"top_logprobs must be at most {self.most_likely}"})
        else:
            self.say(handler, 200, self.completion(body))

    def completion(self, body: dict[str, Any]) -> dict[str, Any]:
        """The answer by the rule, with log-probabilities where they are asked for and told."""
        text = (body["prompt"] if self.echo else "") if body.get("echo") else self.rule(body)
        told: dict[str, Any] | None = None
        if body.get("echo"):
            told = self.echo(body["prompt"]) if self.echo else None
        elif body.get("logprobs") and self.top is not None:
            token = max(self.top, key=self.top.__getitem__)
            if "prompt" in body:
                told = {"tokens": [token], "token_logprobs": [self.top[token]], "top_logprobs": [self.top]}
            else:
                listed = [{"token": name, "logprob": value} for name, value in self.top.items()]
                told = {"content": [{"token": token, "logprob": self.top[token], "top_logprobs": listed}]}
        said = {"text": text} if "prompt" in body else {"message": {"role": "assistant", "content": text}}
        return {"id": "x", "choices": [{"index": 0, "finish_reason": "stop", "logprobs": told, **said}]}

    def misbehave(self, handler: BaseHTTPRequestHandler, body: dict[str, Any], trouble: str) -> None:
        whole = json.dumps(self.completion(body)).encode()
        if trouble == "429":
            self.say(handler, 429, {"error": {"message": "slow down"}}, Retry_After=self.retry_after)
        elif trouble.isdigit():
            echoed = handler.headers.get("Authorization", "")
            self.say(
                handler,
                int(trouble),
                {"error": {"message": f"trouble {trouble} {echoed}"}},
                Location="http://x.invalid/",
            )
        elif trouble == "cut":
            self.say(handler, 200, whole[: len(whole) // 2])
        elif trouble == "drop":
            handler.send_response(200)
            handler.send_header("Content-Length", str(len(whole)))
            handler.end_headers()
            handler.wfile.write(whole[:10])
            handler.wfile.flush()
            handler.connection.shutdown(socket.SHUT_RDWR)
            handler.close_connection = True
        elif trouble == "drip":
            handler.send_response(200)
            handler.send_header("Content-Length", str(len(whole)))
            handler.end_headers()
            for place in range(len(whole)):
                handler.wfile.write(whole[place : place + 1])
                handler.wfile.flush()
                time.sleep(0.05)
        elif trouble == "html":
            self.say(handler, 200, b"<html>proxy</html>")
        elif trouble == "hang":
            time.sleep(1.0)
            self.say(handler, 200, whole)
        elif trouble == "late":
            time.sleep(0.1)
            self.say(handler, 200, whole)
        else:
            self.say(handler, 200, {"object": "error", "message": "no choices"})
