# SPDX-License-Identifier: Apache-2.0
"""A model in this process answers what the plain computation gives, with and without the shared beginning kept."""

from __future__ import annotations

import shutil

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from euroglue.errors import EuroglueError
from euroglue.prepare import prepare
from euroglue.prompting.local import WINDOW, Local
from euroglue.prompting.prefixes import group
from euroglue.prompting.request import Message, Request, TooLongError
from euroglue.prompting.run import Asking, prompt_task
from euroglue.prompting.tiny import build_tiny_decoder
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


@pytest.mark.issue("EuroEval#v15.5.0")
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


FAMILIES = [
    ("qwen2", {}),
    ("gpt_neox", {}),
    ("gpt2", {}),
    ("bloom", {}),
    ("mistral", {"sliding_window": 600}),
    ("mistral", {"sliding_window": 40}),
    ("gemma3_text", {"sliding_window": 40}),
]


@pytest.mark.parametrize(("family", "more"), FAMILIES, ids=str)
def test_every_family_answers_alike_with_and_without_reuse_in_any_batch(family, more, tmp_path):
    folder = build_tiny_decoder(TEXTS * 5, tmp_path, family=family, vocab_size=300, hidden=32, context=700, **more)
    model, tokenizer = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    plain = list(Local(str(folder), batch_size=1, reuse=False).answer(base(max_tokens=8)))
    for way in ({"batch_size": 4}, {"batch_size": 3, "reuse": False}):
        local = Local(str(folder), **way)
        assert {one.id: one.text for one in local.answer(base(max_tokens=8))} == {one.id: one.text for one in plain}
        for answer in local.answer(reversed(base(CHOICES))):
            request = base(CHOICES)[int(answer.id)]
            expected = {word: plain_score(model, tokenizer, request, word) for word in CHOICES}
            assert answer.scores == pytest.approx(expected, abs=1e-4)


def test_a_word_that_makes_one_token_with_the_text_before_it_is_as_likely_as_that_text(tmp_path):
    folder = build_tiny_decoder(["odgovorda odgovorne odgovor"] * 30, tmp_path, vocab_size=300, hidden=32, context=100)
    model, tokenizer = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    before, words = "odgovor", ("da", "ne")
    ids = {text: tokenizer(text)["input_ids"] for text in (before, *(before + word for word in words))}
    assert ids[before + "da"][: len(ids[before])] != ids[before]
    (answer,) = Local(str(folder)).answer([Request(id="1", text=before, choices=words)])
    for word in words:
        whole = ids[before + word]
        with torch.no_grad():
            shares = model(torch.tensor([whole])).logits[0].double().log_softmax(-1)
        expected = float(sum(shares[place - 1, whole[place]] for place in range(1, len(whole))))
        assert answer.scores[word] == pytest.approx(expected, abs=1e-4)


def test_a_model_without_keys_and_values_is_told(tmp_path):
    folder = build_tiny_decoder(TEXTS, tmp_path, family="mamba", vocab_size=300, hidden=32)
    with pytest.raises(EuroglueError, match="'mamba' keep no keys and values"):
        list(Local(str(folder)).answer(base(CHOICES)))


def test_normalised_scores_are_those_by_token(tiny):
    (plain,), (each,) = (Local(str(tiny), normalise=how).answer(base(CHOICES)[:1]) for how in ("none", "tokens"))
    lengths = [len(one) for one in Local(str(tiny)).encoder.item(base(CHOICES)[0]).choices]
    assert max(lengths) > min(lengths)
    assert list(each.scores.values()) == pytest.approx([s / n for s, n in zip(plain.scores.values(), lengths)])


def test_a_request_beyond_the_context_is_an_error_of_its_own(tiny):
    with pytest.raises(TooLongError, match="tokens with its answer, tiny-base reads 700: show fewer shots"):
        list(Local(str(tiny)).answer([Request(id="1", text="да не " * 700)]))


def test_requests_are_read_a_window_at_a_time(tiny):
    read = []

    def lazily():
        for number in range(2000):
            read.append(number)
            yield Request(id=str(number), text="Ton:", choices=(" a",))

    next(Local(str(tiny), batch_size=4).answer(lazily()))
    assert len(read) <= WINDOW


GROUPS = [
    ([[1, 2], [1, 2]], [1], "the last token is never shared"),
    ([[5] * 100 + [n] for n in range(4)], [100], "one beginning"),
    ([[a] * 100 + [n] for a in (5, 6) for n in range(3)], [100, 100], "two beginnings"),
    ([[5] * 100 + [n] for n in range(5)] + [[5] * 50 + [7, 8]], [0, 100], "a short one alone"),
    ([[n, 1] for n in range(5)], [0], "nothing in common"),
]


@pytest.mark.parametrize(("rows", "lengths", "why"), GROUPS, ids=[why for *_, why in GROUPS])
def test_requests_are_grouped_by_what_they_begin_with(rows, lengths, why):
    found = group(rows)
    assert sorted(one.length for one in found) == lengths
    assert sorted(row for one in found for row in one.rows) == list(range(len(rows)))
    for length, members in found:
        assert len({tuple(rows[row][:length]) for row in members}) == 1


def test_the_shared_beginning_is_computed_once(tiny, monkeypatch):
    local, widths = Local(str(tiny), batch_size=2), []
    forward = local.engine._forward
    monkeypatch.setattr(
        local.engine, "_forward", lambda ids, *a, **k: widths.append(ids.shape) or forward(ids, *a, **k)
    )
    list(local.answer([*base(CHOICES), *base()]))
    shared = len(local._held.ids)
    assert shared > 30
    assert [tuple(shape) for shape in widths if shape[1] >= shared] == [(1, shared)]


OUT_OF_MEMORY = [torch.OutOfMemoryError("out of memory"), RuntimeError("DefaultCPUAllocator: can't allocate memory")]


@pytest.mark.parametrize("error", OUT_OF_MEMORY, ids=["gpu", "cpu"])
def test_memory_that_does_not_do_halves_the_batch_for_good(tiny, monkeypatch, error):
    local, sizes = Local(str(tiny), batch_size=4), []
    score = local.engine.score

    def short_of_memory(prefix, contexts, choices):
        sizes.append(len(contexts))
        if len(contexts) > 1:
            raise error
        return score(prefix, contexts, choices)

    monkeypatch.setattr(local.engine, "score", short_of_memory)
    assert len(list(local.answer(base(CHOICES)))) == 4
    assert sizes == [4, 2, 1, 1, 2, 1, 1]
    list(local.answer(base(CHOICES)))
    assert sizes[7:] == [1] * 4


def test_memory_that_does_not_do_for_one_request_is_told(tiny, monkeypatch):
    local = Local(str(tiny))

    def no_memory(*given):
        raise OUT_OF_MEMORY[0]

    monkeypatch.setattr(local.engine, "generate", no_memory)
    with pytest.raises(EuroglueError, match="do not fit into memory"):
        list(local.answer(base()[:1]))


@pytest.mark.parametrize("kind", ["half", "pickle"])
def test_weights_that_cannot_be_had_safely_are_refused(tiny, tmp_path, kind):
    shutil.copytree(tiny, tmp_path / "m")
    (weights,) = (tmp_path / "m").glob("*.safetensors")
    if kind == "half":
        weights.write_bytes(weights.read_bytes()[:1000])
    else:
        torch.save({}, tmp_path / "m" / "pytorch_model.bin")
        weights.unlink()
    with pytest.raises(EuroglueError, match="cannot load the language model") as raised:
        Local(str(tmp_path / "m"))
    assert "\n" not in str(raised.value)


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
        ({"device": "gpu9"}, "device: expected one such as cpu or cuda:0, got 'gpu9'"),
        ({"dtype": "float99"}, "dtype: expected one of auto, float32"),
        ({"normalise": "words"}, "normalise: expected one of none, tokens"),
    ],
)
def test_a_wrong_option_is_told(tiny, options, message):
    with pytest.raises(EuroglueError, match=message):
        Local(str(tiny), **options)


def test_a_model_that_is_not_there_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(EuroglueError, match="cannot load the language model"):
        Local(str(tmp_path / "nothing"))
