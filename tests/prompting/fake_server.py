# SPDX-License-Identifier: Apache-2.0
"""A server on loopback with OpenAI's interface that plays by rules: late, busy, broken, refusing."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Rules:
    """What the server does. ``trouble`` gives, for the n-th request from 1, a status, headers and a body to send instead."""

    answer: Callable[[dict[str, Any]], str] = lambda body: "да"
    latency: float = 0.0
    trouble: Callable[[int], tuple[int, dict[str, str], bytes] | None] = lambda number: None
    refuses: tuple[str, ...] = ()
    top: dict[str, float] | None = None
    echo: Callable[[str], dict[str, list[Any]]] | None = None
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    most_at_once: int = 0
    times: list[float] = field(default_factory=list)


@contextmanager
def serving(rules: Rules):
    """The address of a server that plays by the rules."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(rules))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


def _handler(rules: Rules) -> type[BaseHTTPRequestHandler]:
    lock, at_once = threading.Lock(), [0]

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                at_once[0] += 1
                rules.most_at_once = max(rules.most_at_once, at_once[0])
                rules.bodies.append(body)
                rules.headers.append({name.lower(): value for name, value in self.headers.items()})
                rules.times.append(time.monotonic())
                number = len(rules.bodies)
            try:
                time.sleep(rules.latency)
                self._reply(*(rules.trouble(number) or self._answered(body)))
            finally:
                with lock:
                    at_once[0] -= 1

        def _answered(self, body: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
            if refused := [name for name in rules.refuses if name in body]:
                return 400, {}, json.dumps({"error": {"message": f"unknown fields: {refused}"}}).encode()
            return 200, {}, json.dumps(self._whole(body)).encode()

        def _whole(self, body: dict[str, Any]) -> dict[str, Any]:
            common = {"id": "x", "created": 0, "model": body["model"]}
            if "messages" in body:
                choice: dict[str, Any] = {"index": 0, "finish_reason": "stop"}
                choice["message"] = {"role": "assistant", "content": rules.answer(body)}
                if rules.top is not None and body.get("logprobs"):
                    listed = [{"token": token, "logprob": score, "bytes": None} for token, score in rules.top.items()]
                    choice["logprobs"] = {
                        "content": [{"token": "", "logprob": 0, "bytes": None, "top_logprobs": listed}]
                    }
                return {**common, "object": "chat.completion", "choices": [choice]}
            text = body["prompt"] if body.get("echo") else rules.answer(body)
            told = rules.echo(body["prompt"]) if body.get("echo") and rules.echo else None
            choice = {"index": 0, "finish_reason": "stop", "text": text, "logprobs": told}
            return {**common, "object": "text_completion", "choices": [choice]}

        def _reply(self, status: int, headers: dict[str, str], content: bytes) -> None:
            self.send_response(status)
            for name, value in {
                "Content-Type": "application/json",
                "Content-Length": str(len(content)),
                **headers,
            }.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *arguments: Any) -> None:
            """Say nothing."""

    return Handler
