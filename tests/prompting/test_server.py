# SPDX-License-Identifier: Apache-2.0
"""A model behind a server: busy, late, broken and refusing servers, and a real one that answers as the model here does."""

from __future__ import annotations

import json
import logging
import math
import os
import socket
import subprocess
import sys
import time
import urllib.request

import pytest

from euroglue.errors import EuroglueError
from euroglue.prepare import prepare
from euroglue.prompting.local import Local
from euroglue.prompting.request import Message, Request
from euroglue.prompting.run import Asking, prompt_task
from euroglue.prompting.server import Server
from euroglue.registry import SUITES, find_task
from tests.prompting.fake_server import FakeServer
from tests.prompting.fakes import knowing

KEY = "sk-secret-4242"
TASKS = [task for suite in SUITES.values() for task in suite.tasks.values()]


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setattr("euroglue.prompting.wire.FIRST_WAIT", 0.01)


def asks(count: int, **more) -> list[Request]:
    turns = (Message("user", "Вали ли?"),)
    return [Request(id=str(number), messages=turns, **more) for number in range(count)]


def by_text(made, prompt, *, chat: bool):
    """The rule that gives the right answer to a body, which is known by what it asks at last."""
    from euroglue.prompting.build import Builder
    from euroglue.prompting.kinds import kind_of
    from euroglue.prompting.shots import Rows

    right, builder = knowing(made, prompt), Builder(kind_of(made.task, prompt), chat)
    known = {}
    for row in Rows(made.table("test")):
        request = builder.request(str(row[made.task.id_column]), row, [])
        known[request.messages[-1].content if chat else request.text] = right(request)
    return lambda body: known[body["messages"][-1]["content"] if chat else body["prompt"].split("\n\n", 1)[1]]


@pytest.mark.parametrize(
    ("task", "chat"),
    [(task, number % 2 == 0) for number, task in enumerate(TASKS)],
    ids=[f"{task.path}-{'base' if number % 2 else 'chat'}" for number, task in enumerate(TASKS)],
)
def test_a_server_that_knows_everything_scores_the_maximum(task, chat, tmp_path):
    made = prepare(task, "sample")
    prompt = task.prompt
    with FakeServer(answer=by_text(made, prompt, chat=chat)) as rules:
        backend = Server("m", url=rules.url, chat=chat)
        record = prompt_task(made, backend, tmp_path, Asking(shots=0)).record
    assert record.value == pytest.approx(1.0)
    assert record.settings["counts"]["unreadable"] == 0


@pytest.mark.parametrize("status", [429, 500, 503, 408])
def test_trouble_that_passes_is_waited_for(status):
    busy = (status, {}, b'{"error": {"message": "busy"}}')
    rules = FakeServer(trouble=lambda number: busy if number in (1, 2, 5) else None)
    with rules:
        answers = list(Server("m", url=rules.url, concurrency=1).answer(asks(4)))
    assert [answer.text for answer in answers] == ["да"] * 4
    assert len(rules.bodies) == 7


def test_the_pause_a_server_names_is_kept():
    rules = FakeServer(trouble=lambda number: (429, {"Retry-After": "0.4"}, b"{}") if number == 1 else None)
    with rules:
        list(Server("m", url=rules.url).answer(asks(1)))
    assert rules.times[1] - rules.times[0] >= 0.4


def test_a_server_that_is_late_is_asked_again():
    rules = FakeServer()
    rules.trouble = lambda number: time.sleep(0.6) if number == 1 else None
    with rules:
        (answer,) = Server("m", url=rules.url, timeout=0.3).answer(asks(1))
    assert (answer.text, len(rules.bodies)) == ("да", 2)


LASTING = [
    (
        lambda number: (401, {}, json.dumps({"error": {"message": f"wrong key {KEY}"}}).encode()),
        r"refuses the key in \$OPENAI_API_KEY \(401\)",
    ),
    (lambda number: (404, {}, b'{"error": {"message": "no such model"}}'), "no such model"),
    (lambda number: (500, {}, b"<html>" * 1000), "no answer after 2 tries: 500 <html>"),
]


@pytest.mark.parametrize(("trouble", "message"), LASTING, ids=[message for _, message in LASTING])
def test_trouble_that_lasts_is_told_without_the_key(trouble, message, caplog):
    caplog.set_level(logging.DEBUG)
    with FakeServer(trouble=trouble) as rules, pytest.raises(EuroglueError, match=message) as caught:
        list(Server("m", url=rules.url, retries=1).answer(asks(2)))
    told = str(caught.value)
    assert KEY not in told and KEY not in caplog.text and KEY not in repr(caught.value.__cause__)
    assert "\n" not in told and len(told) < 500


def test_no_server_at_all_is_told():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(EuroglueError, match="the server cannot be reached"):
        list(Server("m", url=f"http://127.0.0.1:{port}/v1", retries=1).answer(asks(1)))


@pytest.mark.issue("EuroEval#v17.4.0")
@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b'{"choices": []}', "no choices"),
        (b'{"choices": [{"message": {"role": "assistant", "content": null}}]}', "no content"),
        (b'{"choices": [{"message": {"role": "assistant", "content": "\\ud83d"}}]}', "half a surrogate pair"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_odd_answer_is_unreadable_and_no_error(body, why, tmp_path):
    made = prepare(find_task("bgglue", "xnlibg"), "sample")
    with FakeServer(trouble=lambda number: (200, {}, body)) as rules:
        record = prompt_task(made, Server("m", url=rules.url), tmp_path, Asking(limit=5, shots=0)).record
    assert (record.value, record.settings["counts"]["unreadable"]) == (0.0, 5)


def test_a_body_that_is_no_json_is_told_and_keeps_the_answers(tmp_path):
    made = prepare(find_task("bgglue", "xnlibg"), "sample")
    rules = FakeServer(trouble=lambda number: (200, {}, b'{"choices": [{"mess') if number > 6 else None)
    with rules:
        with pytest.raises(EuroglueError, match="answers so far are kept"):
            prompt_task(made, Server("m", url=rules.url, concurrency=1, retries=0), tmp_path, Asking(limit=9))
        kept = _said(tmp_path)
        rules.trouble = lambda number: None
        prompt_task(made, Server("m", url=rules.url, concurrency=1), tmp_path, Asking(limit=9))
    (file,) = (tmp_path / "answers").rglob("*.jsonl")
    assert (len(kept), len(_said(tmp_path))) == (6, 9)
    assert len(file.read_text(encoding="utf-8").splitlines()) == 1 + 9  # none was asked and stored twice


def test_what_a_server_does_not_offer_is_left_out_from_then_on():
    rules = FakeServer(refuses=("response_format", "top_logprobs"))
    with rules:
        server = Server("m", url=rules.url, concurrency=1)
        assert len(list(server.answer(asks(3, schema={"type": "object"})))) == 3
        assert len(list(server.answer(asks(3, choices=("да", "не"))))) == 3
    sent = ["response_format" in body or "top_logprobs" in body for body in rules.bodies]
    assert sent == [True, False, False, False, True, True, False, False, False]  # 20 likeliest tokens, 5, none


def test_a_schema_and_the_answer_s_bounds_are_sent():
    rules = FakeServer()
    with rules:
        list(Server("m", url=rules.url).answer(asks(1, schema={"type": "object"}, max_tokens=7, stop=("\n",))))
    (body,) = rules.bodies
    assert body["response_format"]["json_schema"]["schema"] == {"type": "object"}
    assert (body["max_tokens"], body["stop"], body["temperature"], body["model"]) == (7, ["\n"], 0, "m")
    assert rules.headers[0]["authorization"] == f"Bearer {KEY}"


def test_words_are_weighed_by_the_first_token_where_the_server_tells():
    rules = FakeServer(answer=lambda body: "Отговор: не", top={"да": -3.0, " не": -0.2, "x": -5.0})
    with rules:
        (answer,) = Server("m", url=rules.url).answer(asks(1, choices=("да", "не", "може би")))
        (unasked,) = Server("m", url=rules.url, logprobs=False).answer(asks(1, choices=("да", "не")))
    assert answer.scores == {"да": -3.0, "не": -0.2, "може би": -math.inf}
    assert unasked.scores is None
    assert "logprobs" not in rules.bodies[1]


def test_a_base_model_s_words_are_weighed_by_what_the_server_repeats():
    def letters(prompt):
        return {
            "tokens": list(prompt),
            "text_offset": list(range(len(prompt))),
            "token_logprobs": [None, *(-0.5 if char == "д" else -1.0 for char in prompt[1:])],
        }

    request = Request(id="1", shared="a\n\n", text="b:", choices=(" да", " не"))
    with FakeServer(echo=letters) as rules:
        (answer,) = Server("m", url=rules.url, chat=False).answer([request])
    assert answer.scores == {" да": -2.5, " не": -3.0}
    rules = FakeServer(answer=lambda body: " не")
    with rules:
        server = Server("m", url=rules.url, chat=False)
        answers = list(server.answer([request, Request(id="2", text="c:", choices=(" да", " не"))]))
    assert [(one.text, one.scores) for one in answers] == [(" не", None)] * 2
    assert sum("echo" in body for body in rules.bodies) <= 2


def test_no_more_requests_than_allowed_are_under_way_and_none_is_made_long_before():
    rules, made = FakeServer(latency=0.03), []

    def lazily():
        for request in asks(60):
            made.append(len(rules.bodies))
            yield request

    with rules:
        assert len(list(Server("m", url=rules.url, concurrency=5).answer(lazily()))) == 60
    assert rules.most_at_once == 5
    assert all(number - done <= 11 for number, done in enumerate(made))


def test_as_many_requests_are_under_way_as_may_be():
    rules = FakeServer(latency=0.2)
    with rules:
        list(Server("m", url=rules.url, concurrency=20).answer(asks(60)))
    assert rules.most_at_once == 20


@pytest.fixture(scope="module")
def real_server(tiny_chat):
    """The address of ``transformers serve`` with the tiny model."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "transformers.cli.transformers", "serve", str(tiny_chat), "--port", str(port)]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
    process = subprocess.Popen(
        [*command, "--host", "127.0.0.1", "--device", "cpu", "--dtype", "float32"],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield _ready(f"http://127.0.0.1:{port}", process)
    finally:
        process.terminate()
        process.wait(10)


def _ready(address: str, process) -> str:
    for _ in range(240):
        if process.poll() is not None:
            raise RuntimeError(process.stderr.read()[-2000:])
        try:
            urllib.request.urlopen(f"{address}/health", timeout=1).close()
            return f"{address}/v1"
        except OSError:
            time.sleep(0.5)
    raise RuntimeError("the server did not come up")


@pytest.mark.slow
@pytest.mark.parametrize("chat", [True, False], ids=["chat", "base"])
@pytest.mark.parametrize("name", ["bgglue/xnlibg", "dumb/squadnl", "euroeval_sl/scala-sl", "bgglue/wikiannbg"])
def test_a_real_server_answers_as_the_model_here_does(name, chat, real_server, tiny_chat, tmp_path):
    made = prepare(find_task(*name.split("/")), "sample")
    asking = Asking(shots=1, limit=4, weighed=False, chat=chat)
    server = Server(str(tiny_chat), url=real_server, chat=chat, concurrency=2)
    here = prompt_task(made, Local(str(tiny_chat)), tmp_path / "here", asking)
    there = prompt_task(made, server, tmp_path / "there", asking)
    said = [_said(tmp_path / place) for place in ("here", "there")]
    assert said[0] == said[1]
    assert here.record.scores == there.record.scores


def _said(folder) -> dict[str, str]:
    (file,) = (folder / "answers").rglob("*.jsonl")
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()[1:]]
    return {row["id"]: row["text"].strip() for row in rows}
