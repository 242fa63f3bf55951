# SPDX-License-Identifier: Apache-2.0
"""A model in this process answers what the plain computation gives, with and without the shared beginning kept."""

from __future__ import annotations

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, MistralConfig, MistralForCausalLM

from euroglue.errors import EuroglueError
from euroglue.prepare import prepare
from euroglue.prompting.local import Local
from euroglue.prompting.request import Message, Request
from euroglue.prompting.run import Asking, prompt_task
from euroglue.registry import SUITES, find_task

TASKS = [task for suite in SUITES.values() for task in suite.tasks.values()]
SHARED = "Spodaj so dokumenti in njihov ton: dober ali slab.\n\nDokument: Dež pada.\nTon: slab\n\n"
TEXTS = ["Sonce sije.", "Dež pada že tri dni in nič ne kaže, da bi nehal.", "Ne vem", "Sonce sije, a piha."]
CHOICES = (" dober", " slab", " ne vem, kakšen", " x")


def base(choices=(), **more):
    texts = [f"Dokument: {text}\nTon:" for text in TEXTS]
    return [Request(id=str(i), shared=SHARED, text=text, choices=choices, **more) for i, text in enumerate(texts)]


def chat(choices=(), **more):
    turns = [Message("user", "Dež pada."), Message("assistant", "slab")]
    return [
        Request(id=str(i), messages=(*turns, Message("user", text)), choices=choices, **more)
        for i, text in enumerate(TEXTS)
    ]


def token_ids(tokenizer, request):
    if request.messages:
        turns = [message._asdict() for message in request.messages]
        text = tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
        return tokenizer(text, add_special_tokens=False)["input_ids"]
    return tokenizer(request.shared + request.text)["input_ids"]


def plain_score(model, tokenizer, request, word) -> float:
    """The word's log-probability by one forward pass over everything."""
    before = token_ids(tokenizer, request)
    whole = [*before, *tokenizer(word, add_special_tokens=False)["input_ids"]]
    with torch.no_grad():
        shares = torch.log_softmax(model(torch.tensor([whole])).logits[0].double(), dim=-1)
    return float(sum(shares[place - 1, whole[place]] for place in range(len(before), len(whole))))


@pytest.fixture(params=["base", "chat"])
def given(request, tiny, tiny_chat):
    """A folder, and the requests for its form."""
    return (tiny, base) if request.param == "base" else (tiny_chat, chat)


WAYS = [{"batch_size": 1}, {"batch_size": 3}, {"batch_size": 8, "reuse": False}, {"batch_size": 8}]


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_words_have_the_log_probability_of_the_plain_computation(given, way):
    folder, make = given
    model, tokenizer = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    requests = make(CHOICES)
    answers = {answer.id: answer for answer in Local(str(folder), **way).answer(requests)}
    assert set(answers) == {request.id for request in requests}
    for request in requests:
        expected = {word: plain_score(model, tokenizer, request, word) for word in CHOICES}
        assert answers[request.id].scores == pytest.approx(expected, abs=1e-3)
        assert answers[request.id].text == max(expected, key=expected.__getitem__)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_free_answers_are_those_of_greedy_generation(given, way):
    folder, make = given
    model, tokenizer = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    requests = make(max_tokens=12)
    answers = {answer.id: answer.text for answer in Local(str(folder), **way).answer(requests)}
    for request in requests:
        ids = torch.tensor([token_ids(tokenizer, request)])
        made = model.generate(ids, attention_mask=torch.ones_like(ids), do_sample=False, max_new_tokens=12)
        assert answers[request.id] == tokenizer.decode(made[0, ids.shape[1] :], skip_special_tokens=True)


def test_an_answer_ends_where_a_stop_text_begins(tiny):
    (whole,) = Local(str(tiny)).answer(base(max_tokens=12)[:1])
    middle = whole.text.strip()[3:5]
    (cut,) = Local(str(tiny)).answer(base(max_tokens=12, stop=(middle,))[:1])
    assert cut.text == whole.text[: whole.text.index(middle)]


def test_a_model_that_sees_a_window_only_is_weighed_alike_with_and_without_reuse(tiny, tmp_path):
    tokenizer = AutoTokenizer.from_pretrained(tiny)
    torch.manual_seed(0)
    config = MistralConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        sliding_window=600,
        max_position_embeddings=700,
    )
    MistralForCausalLM(config).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    model = AutoModelForCausalLM.from_pretrained(tmp_path)
    for reuse in (True, False):
        for answer, request in zip(
            sorted(Local(str(tmp_path), reuse=reuse).answer(base(CHOICES)), key=lambda one: one.id), base(CHOICES)
        ):
            expected = {word: plain_score(model, tokenizer, request, word) for word in CHOICES}
            assert answer.scores == pytest.approx(expected, abs=1e-3)


def test_the_shared_beginning_is_computed_once(tiny, monkeypatch):
    local, widths = Local(str(tiny), batch_size=2), []
    forward = local.model.forward
    monkeypatch.setattr(
        local.model, "forward", lambda **given: widths.append(given["input_ids"].shape) or forward(**given)
    )
    list(local.answer(base(CHOICES) * 4))
    shared = len(local._kept[0])
    assert shared > 30
    assert [shape for shape in widths if shape[1] >= shared] == [(1, shared)]


def test_memory_that_does_not_do_halves_the_batch(tiny, monkeypatch):
    local, sizes = Local(str(tiny), batch_size=4), []
    weigh = local._weigh

    def short_of_memory(some, prefix):
        sizes.append(len(some))
        if len(some) > 1:
            raise torch.OutOfMemoryError("out of memory")
        return weigh(some, prefix)

    monkeypatch.setattr(local, "_weigh", short_of_memory)
    assert len(list(local.answer(base(CHOICES)))) == 4
    assert sizes == [4, 2, 1, 1, 2, 1, 1]


@pytest.mark.parametrize("form", ["base", "chat"])
@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.path)
def test_a_random_model_runs_every_task(task, form, tmp_path, backends):
    made = prepare(task, "sample")
    record = prompt_task(made, backends[form], tmp_path, Asking(shots=2, limit=3)).record
    assert record.n == 3
    assert record.settings["form"] == {"base": "continuation", "chat": "conversation"}[form]


def test_a_run_gives_the_same_twice(tmp_path, backends):
    made = prepare(find_task("bgglue", "wikiannbg"), "sample")
    one, two = (prompt_task(made, backends["base"], tmp_path / name, Asking(limit=3)).record for name in "ab")
    assert one == two


@pytest.fixture(scope="session")
def backends(tiny, tiny_chat):
    """Both models, loaded once."""
    return {"base": Local(str(tiny)), "chat": Local(str(tiny_chat))}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"batch_size": 0}, "at least 1, got 0"),
        ({"device": "gpu9"}, "expected a device such as cpu"),
        ({"dtype": "float99"}, "expected a type of numbers such as bfloat16"),
    ],
)
def test_a_wrong_option_is_told(tiny, options, message):
    with pytest.raises(EuroglueError, match=message):
        Local(str(tiny), **options)


def test_a_model_that_is_not_there_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(EuroglueError, match="cannot load the language model"):
        Local(str(tmp_path / "nothing"))
