# SPDX-License-Identifier: Apache-2.0
"""A server that means ill: whatever it says is an answer or an error in one line, and never holds the key."""

from __future__ import annotations

import gzip
import json

import pytest

from euroglue.errors import EuroglueError
from tests.prompting.fake_server import FakeServer
from tests.prompting.test_server_troubles import KEY, asked, base_request, chat_request, echo


def said(content, logprobs=None):
    return {"choices": [{"message": {"content": content}, "logprobs": logprobs}]}


def likely(token, top):
    return {"content": [{"token": token, "logprob": -1, "top_logprobs": [{"token": top, "logprob": -1}]}]}


HOSTILE = [
    (b'{"choices":' + b"[" * 100_000 + b"]" * 100_000 + b"}", {}, "is no whole JSON", "nested without end"),
    ({"echoed": KEY}, {}, "has no text: {'echoed': '…'}", "the key where no text is"),
    (said(f"the key is {KEY}"), {}, "the key is …", "the key as an answer"),
    ({"choices": [{"message": "da"}]}, {}, "", "a message that is no object"),
    ({"choices": [None]}, {}, "", "a choice that is none"),
    (said([{"type": "text", "text": "d"}, {"type": "text", "text": "a"}, 5]), {}, "da", "an answer in parts"),
    (said("da", likely(5, "da")), {}, "da", "a token that is a number"),
    (said("da", likely("da", 5)), {}, "da", "a likely token that is a number"),
    (gzip.compress(b" " * 70 * 2**20, 1), {"Content-Encoding": "gzip"}, "at most 67,108,864 bytes", "a bomb"),
    (b"no gzip", {"Content-Encoding": "gzip"}, "no answer after 1 tries: DecodeError", "packed otherwise than told"),
]


@pytest.mark.parametrize(("body", "headers", "shown", "why"), HOSTILE, ids=[why for *_, why in HOSTILE])
def test_whatever_a_server_says_is_an_answer_or_an_error_in_one_line(body, headers, shown, why, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    with FakeServer(trouble=lambda number: (200, headers, content)) as fake:
        try:
            told = asked(fake, [chat_request(0, choices=("da", "ne"))], retries=0, timeout=5)["0"].text
        except EuroglueError as error:
            told = str(error)
    assert shown == told or (len(shown) > 2 and shown in told)
    assert "\n" not in told and KEY not in told


@pytest.mark.parametrize(
    "told", [5, {"text_offset": ["a"], "token_logprobs": [1]}, {"text_offset": 5, "token_logprobs": 5}]
)
def test_an_echo_with_odd_log_probabilities_is_none(told):
    body = json.dumps({"choices": [{"text": "Navodilo.\n\nda", "logprobs": told}]}).encode()
    with FakeServer(trouble=lambda number: (200, {}, body)) as fake:
        assert asked(fake, [base_request(0, choices=(" da", " ne"))])["0"].scores is None


def test_a_short_key_is_no_secret_and_stays_in_answers(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with FakeServer(lambda body: "none") as fake:
        assert asked(fake, [chat_request(0)])["0"].text == "none"


@pytest.mark.parametrize("key", ["sk-ключ-0123456789", "sk-0123456789\nX-Evil: 1"])
def test_a_key_that_no_header_can_hold_is_told_without_it(key, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with FakeServer() as fake, pytest.raises(EuroglueError, match="printable ASCII characters") as raised:
        asked(fake, [chat_request(0)])
    assert key not in str(raised.value)


def test_connections_are_kept():
    with FakeServer(echo) as fake:
        asked(fake, [chat_request(number) for number in range(20)], concurrency=2)
        assert len({headers["port"] for headers in fake.headers}) <= 2
