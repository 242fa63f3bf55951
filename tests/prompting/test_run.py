# SPDX-License-Identifier: Apache-2.0
"""A run asks each example once, survives a kill, and scores what it was told: perfectly, wrongly, or not readable."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace

import numpy as np
import pytest

from euroglue.errors import EuroglueError, FormatError, UnknownNameError
from euroglue.evaluation import score_on_split
from euroglue.prepare import prepare
from euroglue.prompting.answers import AnswerFile
from euroglue.prompting.request import Answer
from euroglue.prompting.run import Asking, prompt_task
from euroglue.registry import SUITES, find_task
from euroglue.results import ResultStore
from euroglue.scoring import metric_for
from euroglue.task import Kind
from tests.prompting.fakes import Fake, knowing

TASKS = [task for suite in SUITES.values() for task in suite.tasks.values()]
each_task = pytest.mark.parametrize("task", TASKS, ids=lambda task: task.path)
GARBAGE = ["", "???", "<think>da", '{"x": ', "\ud83d", "\u202eab", "1000000", "{[(" * 50]


@pytest.fixture
def cinexio():
    return prepare(find_task("bgglue", "cinexio"), "sample")


@pytest.fixture
def xnli():
    return prepare(find_task("bgglue", "xnlibg"), "sample")


@each_task
@pytest.mark.parametrize("form", ["base", "chat", "weighed"])
def test_a_model_that_knows_everything_scores_the_maximum(task, form, tmp_path):
    made, store = prepare(task, "sample"), ResultStore(tmp_path / "results")
    backend = Fake(knowing(made, task.prompt), chat=form == "chat", scores=form == "weighed", shuffle=True)
    outcome = prompt_task(made, backend, tmp_path, Asking(shots=2), store=store)
    assert outcome.record.value == pytest.approx(1.0)
    assert (outcome.counts["unreadable"], outcome.counts["requests"]) == (0, outcome.record.n)
    assert sorted(backend.asked) == sorted(set(backend.asked))
    again = score_on_split(made, "test", outcome.predictions[0])
    assert dict(again.scores) == pytest.approx(dict(outcome.record.scores))
    (held,) = store
    assert (held.method, held.shots, held.seed, held.fingerprint) == ("prompted", 2, 4242, made.fingerprint)
    assert len(store.rows(held)) == held.n
    assert held.primary not in held.intervals, (
        "all resamples of right answers are right: they do not tell how sure it is"
    )


def test_a_model_that_is_right_now_and_then_has_an_interval_around_its_score(xnli, tmp_path):
    right, places = knowing(xnli, xnli.task.prompt), itertools.count()
    backend = Fake(lambda request: right(request) if next(places) % 3 else "???")
    record = prompt_task(xnli, backend, tmp_path, Asking(shots=0)).record
    low, high = record.intervals[record.primary]
    assert 0.4 < low < record.value < high < 0.9


@each_task
def test_garbage_is_counted_and_scores_no_better_than_nothing(task, tmp_path):
    made = prepare(task, "sample")
    backend = Fake(lambda request: GARBAGE[len(request.text) % 3], chat=False)
    record = prompt_task(made, backend, tmp_path, Asking(shots=0)).record
    chance = 0.5 if task.kind is Kind.RANKING else max(metric_for(task).low, 0)
    assert record.value <= chance
    if task.kind is not Kind.QUESTION_ANSWERING:
        assert record.settings["counts"]["unreadable"] == record.n
        assert f"{record.n} of {record.n} answers could not be read" in record.warnings[0]


@pytest.mark.parametrize("text", GARBAGE)
@each_task
def test_no_answer_whatever_breaks_a_run(task, text, tmp_path):
    made = prepare(task, "sample")
    outcome = prompt_task(made, Fake(lambda _: text), tmp_path, Asking(shots=0, limit=4))
    assert outcome.record.n == 4


def test_wrong_answers_are_wrong(xnli, tmp_path):
    turned = {"да": "не", "не": "може би", "може би": "да"}
    right = knowing(xnli, xnli.task.prompt)
    record = prompt_task(xnli, Fake(lambda request: turned[right(request)]), tmp_path).record
    assert (record.value, record.settings["counts"]["unreadable"], record.warnings) == (0.0, 0, ())


def test_a_killed_run_goes_on_and_asks_nothing_twice(xnli, tmp_path):
    right, asking = knowing(xnli, xnli.task.prompt), Asking(shots=3)
    first = Fake(right, dies=13, shuffle=True)
    with pytest.raises(KeyboardInterrupt):
        prompt_task(xnli, first, tmp_path / "killed", asking)
    second, whole = Fake(right), Fake(right)
    record = prompt_task(xnli, second, tmp_path / "killed", asking).record
    assert len(first.asked) == 13
    assert record == prompt_task(xnli, whole, tmp_path / "whole", asking).record
    assert sorted(first.asked + second.asked) == sorted(whole.asked)
    third = Fake(right)
    assert prompt_task(xnli, third, tmp_path / "killed", asking).record == record
    assert third.asked == []


@pytest.mark.issue("EuroEval#v17.5.0")
@pytest.mark.parametrize("cut", [1, 7, 60])
def test_a_torn_last_line_is_cut_off_and_its_question_asked_again(xnli, tmp_path, cut):
    right = knowing(xnli, xnli.task.prompt)
    record = prompt_task(xnli, Fake(right), tmp_path).record
    (file,) = (tmp_path / "answers").rglob("*.jsonl")
    whole = file.read_bytes()
    file.write_bytes(whole[:-cut])
    again = Fake(right)
    assert prompt_task(xnli, again, tmp_path).record == record
    assert len(again.asked) == 1
    assert sorted(file.read_bytes().splitlines()) == sorted(whole.splitlines())


@pytest.mark.parametrize("change", [{"name": "other"}, {"revision": "r2"}, {"chat": True}])
def test_answers_of_another_model_do_not_count(xnli, tmp_path, change):
    right = knowing(xnli, xnli.task.prompt)
    prompt_task(xnli, Fake(right), tmp_path)
    other = Fake(right, **change)
    prompt_task(xnli, other, tmp_path)
    assert len(other.asked) == len(xnli.table("test"))


@pytest.mark.issue("lm-evaluation-harness#1308")
def test_more_examples_are_a_superset_of_fewer_and_get_the_same_requests(xnli, tmp_path):
    right = knowing(xnli, xnli.task.prompt)
    few, more = Fake(right), Fake(right)
    prompt_task(xnli, few, tmp_path, Asking(limit=10))
    prompt_task(xnli, more, tmp_path, Asking(limit=25))
    assert len(few.asked) == 10
    assert len(more.asked) == 15  # the first ten were answered by the very same requests


def test_two_runs_that_differ_have_two_records(xnli, tmp_path):
    store, right = ResultStore(tmp_path / "results"), knowing(xnli, xnli.task.prompt)
    for asking in (
        Asking(),
        Asking(shots=0),
        Asking(limit=5),
        Asking(weighed=False),
        Asking(chat=True),
        Asking(seed=1),
    ):
        prompt_task(xnli, Fake(right), tmp_path, asking, store=store)
    assert len(list(store)) == 6
    with pytest.raises(EuroglueError, match="differ"):
        prompt_task(xnli, Fake(lambda _: "да"), tmp_path / "other", store=store)


@pytest.mark.issue("lm-evaluation-harness#3115")
def test_whole_shots_are_dropped_where_the_context_is_full(xnli, tmp_path):
    lengths: list[int] = []
    right = knowing(xnli, xnli.task.prompt)
    backend = Fake(right, context=120)
    backend.rule = lambda request: lengths.append(backend.length(request)) or right(request)
    record = prompt_task(xnli, backend, tmp_path).record
    counts = record.settings["counts"]
    assert max(lengths) <= 120 - xnli.task.prompt.max_tokens
    assert counts["dropped_shots"] > 0
    assert (counts["requests_with_fewer_shots"], counts["requests_with_cut_texts"]) == (record.n, 0)
    assert record.value == 1.0


def test_an_example_that_is_too_long_alone_is_cut_and_keeps_its_question(tmp_path):
    made = prepare(find_task("dumb", "squadnl"), "sample")
    seen: list[str] = []
    right = knowing(made, made.task.prompt)
    backend = Fake(right, context=95)
    backend.rule = lambda request: seen.append(request.text) or right(request)
    record = prompt_task(made, backend, tmp_path, Asking(shots=1)).record
    assert record.settings["counts"]["requests_with_cut_texts"] > 0
    assert all("Vraag: " in text and text.endswith("Antwoord:") for text in seen)


def test_iterations_are_euroeval_s_draws_scored_with_their_multiplicity(xnli, tmp_path):
    task, size = xnli.task, {split: len(xnli.table(split)) for split in xnli.splits}
    record = prompt_task(xnli, Fake(lambda _: "да"), tmp_path, Asking(iterations=3, shots=2)).record
    rng = np.random.default_rng(4242)
    drawn = [rng.integers(0, size[split], size=(3, size[split])) for split in ("train", "validation", "test")][2]
    gold = np.array(xnli.table("test")[task.target].tolist())
    expected = [(gold[places] == task.labels.index("entailment")).mean() for places in drawn]
    assert record.settings["iteration_scores"] == pytest.approx(expected)
    assert record.value == pytest.approx(np.mean(expected))
    half = 1.96 * np.std(expected, ddof=1) / np.sqrt(3)
    assert record.settings["monte_carlo_half_width"]["accuracy"] == pytest.approx(half)
    assert (record.intervals, record.variant) == ({}, "3 iterations")
    assert len(list((tmp_path / "answers").rglob("*.jsonl"))) == 3


def test_hidden_labels_give_predictions_and_no_record(tmp_path, cinexio):
    editions = dict(cinexio.task.editions)
    editions["sample"] = replace(editions["sample"], hidden=("test",))
    made = replace(cinexio, task=replace(cinexio.task, editions=editions))
    store = ResultStore(tmp_path / "results")
    outcome = prompt_task(made, Fake(lambda _: "3"), tmp_path, store=store)
    assert (outcome.record, list(store)) == (None, [])
    assert len(outcome.predictions[0].read_text(encoding="utf-8").splitlines()) == len(cinexio.table("test"))
    with pytest.raises(EuroglueError, match="labels of test are hidden"):
        prompt_task(made, Fake(lambda _: "3"), tmp_path, Asking(iterations=2))


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        (lambda requests: [Answer(id="nobody", text="да")], "'nobody', which was not asked"),
        (lambda requests: [Answer(id=r.id, text="да") for r in requests][:-1], "left 1 requests open"),
        (lambda requests: [Answer(id=r.id, text="да") for r in requests] * 2, "which was not asked"),
    ],
)
def test_a_backend_that_answers_something_else_is_refused(xnli, tmp_path, answers, message):
    backend = Fake(lambda _: "да")
    backend.answer = lambda requests: iter(answers(list(requests)))
    with pytest.raises(EuroglueError, match=message):
        prompt_task(xnli, backend, tmp_path)


@pytest.mark.parametrize(
    ("fields", "error", "message"),
    [
        ({"prompts": "euroevl"}, UnknownNameError, "did you mean 'euroeval'"),
        ({"shots": -1}, EuroglueError, "shots: expected at least 0"),
        ({"limit": 0}, EuroglueError, "limit: expected at least 1"),
    ],
)
def test_a_wrong_way_of_asking_is_refused(fields, error, message):
    with pytest.raises(error, match=message):
        Asking(**fields)


def test_probabilities_that_are_no_numbers_are_unreadable(xnli, tmp_path):
    backend = Fake(lambda _: "да")
    backend.answer = lambda requests: (
        Answer(id=r.id, text="да", scores=dict.fromkeys(r.choices, float("nan"))) for r in requests
    )
    record = prompt_task(xnli, backend, tmp_path, Asking(shots=0)).record
    assert record.settings["counts"]["unreadable"] == record.n


def test_an_answer_file_refuses_two_writers_another_run_and_lines_that_are_no_answers(tmp_path):
    path = tmp_path / "answers.jsonl"
    with AnswerFile(path, {"model": "a"}) as answers:
        answers.add("d1", Answer(id="1", text="да\n", scores={"да": -1.5, "не": float("-inf")}))
        with pytest.raises(EuroglueError, match="another process"), AnswerFile(path, {"model": "a"}):
            pass
        assert answers.get("1").text == "да\n"
    with pytest.raises(EuroglueError, match=r"another run \(model\)"), AnswerFile(path, {"model": "b"}):
        pass
    with AnswerFile(path, {"model": "a"}) as answers:
        assert (len(answers), answers.get("1").scores["да"]) == (1, -1.5)
        with pytest.raises(EuroglueError, match="no answer of '2'"):
            answers.get("2")
    path.write_bytes(path.read_bytes() + b'{"id": "2"}\n')
    with pytest.raises(FormatError, match="line 3: expected an answer"), AnswerFile(path, {"model": "a"}):
        pass


def test_every_line_of_the_answers_is_json_and_whole(xnli, tmp_path):
    prompt_task(xnli, Fake(lambda _: "\u2028да\r\n\u0085"), tmp_path, Asking(shots=0))
    (file,) = (tmp_path / "answers").rglob("*.jsonl")
    rows = [json.loads(line) for line in file.read_bytes().split(b"\n")[:-1]]
    assert len(rows) == 1 + len(xnli.table("test"))
    assert rows[0]["about"]["model"] == "org/fake"
