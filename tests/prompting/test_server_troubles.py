# SPDX-License-Identifier: Apache-2.0
"""A server's answers arrive whole whatever befalls them on the way; what does not help is told in one line, without keys."""

from __future__ import annotations

import math
import time

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from euroglue.errors import EuroglueError
from euroglue.prompting import wire
from euroglue.prompting.likely import Place, places, weigh
from euroglue.prompting.local import Local
from euroglue.prompting.request import Message, Request, TooLongError
from euroglue.prompting.server import Server
from tests.prompting.fake_server import FakeServer, text_of

KEY = "sk-very-secret-0123456789"


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """No long waits, no key and no proxy of the machine's own."""
    monkeypatch.setattr(wire, "FIRST_WAIT", 0.01)
    for name in ("OPENAI_API_KEY", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


def chat_request(number, **more):
    return Request(id=str(number), messages=(Message("user", f"Vprašanje {number}"),), **more)


def base_request(number, **more):
    return Request(id=str(number), shared="Navodilo.\n\n", text=f"Vprašanje {number}\nOdgovor:", **more)


def asked(fake, requests, model="m", **options):
    backend = Server(model, url=fake.url, **{"concurrency": 4, "timeout": 0.5, **options})
    return {one.id: one for one in backend.answer(requests)}


def echo(body):
    return f"<{text_of(body)}>"


@pytest.mark.parametrize("make", [chat_request, base_request])
def test_every_request_gets_its_own_answer(make):
    with FakeServer(echo) as fake:
        found = asked(fake, (make(number) for number in range(50)))
    shown = {
        str(n): f"<Vprašanje {n}>" if make is chat_request else f"<Navodilo.\n\nVprašanje {n}\nOdgovor:>"
        for n in range(50)
    }
    assert {key: one.text for key, one in found.items()} == shown
    assert set(fake.seen) == {"/v1/chat/completions" if make is chat_request else "/v1/completions"}
    assert fake.most_at_once <= 4


TROUBLES = [
    ("429", "too many requests, with Retry-After"),
    ("500", "an error of the server"),
    ("503", "an overloaded server"),
    ("cut", "truncated JSON"),
    ("drop", "a connection that breaks"),
    ("html", "a proxy's page"),
    ("late", "a slow answer"),
    ("hang", "no answer within the timeout"),
]


@pytest.mark.parametrize(("trouble", "why"), TROUBLES, ids=[why for _, why in TROUBLES])
def test_what_passes_is_tried_again(trouble, why):
    every = 13 if trouble == "hang" else 3
    with FakeServer(echo, trouble=lambda number: trouble if number % every == 2 else "") as fake:
        found = asked(fake, [chat_request(number) for number in range(12)], timeout=0.3)
    assert {key: one.text for key, one in found.items()} == {str(n): f"<Vprašanje {n}>" for n in range(12)}
    assert fake.count > 12 or trouble == "late"


LASTING = [
    ("500", "no answer after 3 tries: 500 trouble 500"),
    ("cut", "no answer after 3 tries: the answer is no whole JSON"),
    ("drop", "no answer after 3 tries: the connection broke"),
    ("drip", "no answer after 3 tries: the answer was not whole after 0.5 s more"),
    ("401", "refuses the key in $EURO_KEY (401)"),
    ("301", "sends elsewhere (301)"),
    ("404", "404 trouble 404"),
    ("400", "400 trouble 400"),
    ("no choices", "request '0': the answer has no text"),
]


@pytest.mark.parametrize(("trouble", "message"), LASTING, ids=[trouble for trouble, _ in LASTING])
def test_what_lasts_is_told_in_one_line_without_the_key(trouble, message, monkeypatch, caplog):
    monkeypatch.setenv("EURO_KEY", KEY)
    with FakeServer(trouble=lambda number: trouble, key=KEY) as fake:
        with pytest.raises(EuroglueError) as raised:
            asked(fake, [chat_request(0)], retries=2, key="EURO_KEY")
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)
    seen: BaseException | None = raised.value
    while seen is not None:
        assert KEY not in str(seen) + repr(seen)
        seen = seen.__cause__ or seen.__context__
    assert KEY not in caplog.text


def test_the_key_comes_from_the_environment_and_goes_nowhere_else(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with FakeServer(key=KEY) as fake:
        backend = Server("m", url=fake.url)
        assert [one.text for one in backend.answer([chat_request(0)])] == ["да"]
        assert KEY not in repr(vars(backend)) + repr(vars(backend.wire)) + repr(backend.settings) + repr(fake.bodies)
        monkeypatch.delenv("OPENAI_API_KEY")
        with pytest.raises(EuroglueError, match=r"wants a key; put it into \$OPENAI_API_KEY"):
            Server("m", url=fake.url)


def test_no_key_is_taken_from_a_netrc(tmp_path, monkeypatch):
    (tmp_path / ".netrc").write_text("machine 127.0.0.1\nlogin me\npassword secret\n", encoding="utf-8")
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    with FakeServer(trouble=lambda number: "400") as fake, pytest.raises(EuroglueError) as raised:
        asked(fake, [chat_request(0)])
    assert str(raised.value).rstrip().endswith("trouble 400")


MISTAKES = [
    ({"url": "localhost:8000"}, "expected an address such as"),
    ({"url": "http://[bad/v1"}, "expected an address such as"),
    ({"url": f"http://me:{KEY}@127.0.0.1/v1"}, "expected no name, password or query"),
    ({"url": "http://127.0.0.1:9/v1"}, "the server cannot be reached"),
    ({"concurrency": 0}, "concurrency: expected at least 1, got 0"),
    ({"timeout": math.nan}, "timeout: expected at least"),
    ({"retries": -1}, "retries: expected at least 0"),
]


@pytest.mark.parametrize(("options", "message"), MISTAKES)
def test_a_wrong_option_is_told_at_once(options, message):
    with pytest.raises(EuroglueError, match=message) as raised:
        Server("m", **options)
    assert KEY not in str(raised.value)


def test_an_unknown_model_is_told_with_those_that_there_are():
    with FakeServer(models=({"id": "beta"}, {"id": "alfa"})) as fake:
        with pytest.raises(EuroglueError, match=r"has no model 'gama'; it offers: alfa, beta \(.*does not exist"):
            asked(fake, [chat_request(0)], model="gama")


def test_a_server_without_a_list_of_models_is_asked_all_the_same():
    with FakeServer(models=None) as fake:
        assert asked(fake, [chat_request(0)])["0"].text == "да"


SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}
REFUSALS = [
    (("response_format",), {"schema": SCHEMA}, "a JSON schema"),
    (("seed",), {}, "a seed"),
    (("temperature",), {}, "a temperature"),
    (("max_tokens",), {}, "the old name of max_completion_tokens"),
    (("logprobs",), {"choices": ("da", "ne")}, "log-probabilities"),
    (("?",), {"schema": SCHEMA, "choices": ("da", "ne")}, "something it does not name"),
    (("seed", "response_format", "temperature"), {"schema": SCHEMA}, "three things"),
]


@pytest.mark.parametrize(("refused", "more", "why"), REFUSALS, ids=[why for *_, why in REFUSALS])
def test_what_a_server_does_not_take_is_left_out_and_told(refused, more, why, caplog):
    with FakeServer(refuses=refused) as fake:
        backend = Server("m", url=fake.url, concurrency=1)
        found = list(backend.answer(chat_request(number, **more) for number in range(10)))
    assert [one.text for one in found] == ["да"] * 10
    assert fake.count <= 10 + len(refused) + 1
    assert "the server does not take" in caplog.text
    assert backend.refused
    if "max_tokens" in refused:
        assert fake.bodies[-1]["max_completion_tokens"] == 32


def test_a_schema_is_asked_for_where_the_answer_is_json():
    with FakeServer(lambda body: '{"a": "x"}') as fake:
        assert asked(fake, [chat_request(0, schema=SCHEMA)])["0"].text == '{"a": "x"}'
        asked(fake, [chat_request(1, schema=SCHEMA)], schema=False)
    assert fake.bodies[0]["response_format"]["json_schema"]["schema"] == SCHEMA
    assert "response_format" not in fake.bodies[1]
    assert {"temperature": 0, "seed": 0, "max_tokens": 32}.items() <= fake.bodies[0].items()


@pytest.mark.parametrize("make", [chat_request, base_request])
def test_choices_are_weighed_where_log_probabilities_are_told(make):
    tops = {" da": -2.0, " ne": -0.5, "Ne": -4.0, " morda": -3.0}
    with FakeServer(lambda body: "ne vem", top=tops, most_likely=5) as fake:
        one = asked(fake, [make(0, choices=(" da", " ne"))])["0"]
        plain = asked(fake, [make(0, choices=(" da", " ne"))], logprobs=False)["0"]
    assert one.text == " ne"
    assert one.scores == pytest.approx({" da": -2.0, " ne": math.log(math.exp(-0.5) + math.exp(-4.0))})
    assert (plain.text, plain.scores) == ("ne vem", None)
    last = fake.bodies[-2]
    assert last.get("top_logprobs", last["logprobs"]) == 5


def test_a_server_that_repeats_what_it_reads_weighs_as_the_model_here_does(tiny):
    model, tokenizer = AutoModelForCausalLM.from_pretrained(tiny), AutoTokenizer.from_pretrained(tiny)

    def repeated(prompt):
        made = tokenizer(prompt, return_offsets_mapping=True)
        with torch.no_grad():
            shares = model(torch.tensor([made["input_ids"]])).logits[0].log_softmax(-1)
        told = [float(shares[place, token]) for place, token in enumerate(made["input_ids"][1:])]
        return {"text_offset": [start for start, _ in made["offset_mapping"]], "token_logprobs": [None, *told]}

    requests = [base_request(number, choices=(" dober", " slab, a ne vedno", " č")) for number in range(4)]
    with FakeServer(echo=repeated) as fake:
        there = asked(fake, requests)
    for here in Local(str(tiny)).answer(requests):
        assert there[here.id].scores == pytest.approx(here.scores, abs=1e-4)
        assert there[here.id].text == here.text


def test_results_may_call_the_model_otherwise_than_the_server_does():
    with FakeServer() as fake:
        backend = Server("m", url=fake.url)
        backend.name = "team/model"
        assert [one.text for one in backend.answer([chat_request(0)])] == ["да"]
    assert fake.bodies[0]["model"] == "m"


def test_without_log_probabilities_the_words_are_the_answer():
    with FakeServer(lambda body: "nedvomno da") as fake:
        one = asked(fake, [chat_request(0, choices=("da", "ne"))])["0"]
    assert (one.text, one.scores) == ("nedvomno da", None)


WEIGHED = [
    (("da", "ne"), [Place("da", {"da": -0.1, "ne": -3.0})], {"da": -0.1, "ne": -3.0}, "one token each"),
    (("da", "ne"), [Place("da", {"da": -0.1})], {"da": -0.1, "ne": -math.inf}, "one is not among the likeliest"),
    (("da", "ne"), [Place("Morda", {"Morda": -0.1})], None, "neither"),
    (
        ("da", "ne"),
        [Place("\n", {"\n": -0.1}), Place("ne", {"ne": -1.0, "da": -2.0})],
        {"da": -2.0, "ne": -1.0},
        "a line feed",
    ),
    (
        ("pozitivno", "pomembno"),
        [Place("po", {"po": -0.1}), Place("mem", {"mem": -0.2, "zit": -1.7})],
        {"pozitivno": -1.8, "pomembno": -0.3},
        "a beginning of two choices",
    ),
    (("pozitivno", "pomembno"), [Place("po", {"po": -0.1})], None, "cut off before it can be told"),
    (("a", "b"), [Place("Answer", {"Answer": -0.1, "b": -9.0})], {"a": -math.inf, "b": -9.0}, "a word is no letter"),
    (("a", "b"), [Place("B.", {"B.": -0.1, "A": -2.0})], {"a": -2.0, "b": -0.1}, "a letter with a full stop"),
    (("А", "Б"), [Place(" Б", {" Б": -0.1, " А": -2.0})], {"А": -2.0, "Б": -0.1}, "Cyrillic"),
    (("1", "10"), [Place("1", {"1": -0.1, "10": -3.0})], {"1": -0.1, "10": -3.0}, "one choice begins the other"),
    (("da", "ne"), [], None, "nothing told"),
]


@pytest.mark.parametrize(("choices", "told", "expected", "why"), WEIGHED, ids=[why for *_, why in WEIGHED])
def test_the_likeliest_tokens_speak_for_choices(choices, told, expected, why):
    found = weigh(choices, told)
    assert found == (None if expected is None else pytest.approx(expected))


@pytest.mark.parametrize(
    "told",
    [None, [], {}, {"content": None}, {"content": [{}]}, {"tokens": None, "top_logprobs": [{}]}, {"content": [3]}, "x"],
)
def test_log_probabilities_that_are_none_are_left_alone(told):
    assert places(told) == []


def test_traps_of_unicode_arrive_as_they_are():
    trap = "Č\u030c\u202e\u2028\x00\ud83d 😀 \u0085</s>"
    with FakeServer(lambda body: trap) as fake:
        one = asked(fake, [Request(id="0", text=trap)])["0"]
    assert one.text == trap
    assert fake.bodies[0]["prompt"] == trap


def test_stop_texts_end_an_answer_whatever_the_server_does():
    with FakeServer(lambda body: "da\n\nBesedilo: še eno") as fake:
        assert asked(fake, [base_request(0, stop=("\n\n",))])["0"].text == "da"
    assert fake.bodies[0]["stop"] == ["\n\n"]


def test_the_context_is_the_servers_or_the_users():
    with FakeServer(models=({"id": "m", "max_model_len": 512},)) as fake:
        assert Server("m", url=fake.url).context == 512
        assert Server("m", url=fake.url, context=99).context == 99
    nested = ({"id": "m", "meta": {"n_ctx_train": 4096}},)
    with FakeServer(models=nested) as fake:
        assert Server("m", url=fake.url).context == 4096
        assert Server("other", url=fake.url).context is None


def test_a_request_that_is_too_long_is_an_error_of_its_own():
    class Strict(FakeServer):
        def respond(self, handler, body, trouble):
            self.say(handler, 400, {"message": "This model's maximum context length is 512 tokens. You have 900."})

    with Strict() as fake, pytest.raises(TooLongError, match="show fewer shots"):
        asked(fake, [chat_request(0)])


def test_requests_are_read_no_further_than_needed():
    made = []

    def requests():
        for number in range(200):
            made.append(number)
            yield chat_request(number)

    with FakeServer(latency=0.005) as fake:
        backend = Server("m", url=fake.url, concurrency=4)
        for count, _ in enumerate(backend.answer(requests()), 1):
            assert len(made) - count < 8
    assert fake.most_at_once == 4


def test_an_end_in_the_middle_leaves_nothing_running():
    with FakeServer(latency=0.01) as fake:
        backend = Server("m", url=fake.url, concurrency=4)
        answers = backend.answer(chat_request(number) for number in range(1000))
        next(answers)
        answers.close()
        time.sleep(0.2)
        before = fake.count
        time.sleep(0.1)
        assert fake.count == before < 30
        assert len(list(backend.answer([chat_request(0)]))) == 1
