# SPDX-License-Identifier: Apache-2.0
"""Everything that is wrong with a submission is listed at once, by file and line."""

from __future__ import annotations

import json

import pytest

from euroglue.errors import EuroglueError, UnknownNameError
from euroglue.predictions import UNREADABLE
from euroglue.submission.check import MAX_LINE, check
from euroglue.submission.metadata import parse_metadata
from euroglue.submission.reference import Reference
from euroglue.submission.score import from_editions
from tests.submission.made import METADATA, archive, full, gold, lines, rows

SAMPLE = from_editions("sample", required=True)


def told(path, find=SAMPLE, suite=None):
    return [str(problem) for problem in check(path, find, suite).problems]


@pytest.mark.parametrize("suite", ["bgglue", "dumb"])
def test_a_right_submission_has_no_problems(tmp_path, suite):
    checked = check(full(tmp_path / "s.zip", suite), SAMPLE)
    assert checked.problems == () and len(checked.predictions) == 9 and not checked.notes
    assert all(list(found) == list(gold(suite, name)) for name, found in checked.predictions.items())


NER, XNLI, FILMS, EXAMS = "wikiannbg", "xnlibg", "cinexio", "examsbg"
ROWS = [
    (XNLI, lambda r: r[:-2], "predictions/xnlibg/predictions.jsonl: 2 of 45 ids have no prediction: ", "missing"),
    (XNLI, lambda r: [*r, {"id": "no", "label": "neutral"}], "line 46: the id 'no' is not in this split", "extra"),
    (XNLI, lambda r: [*r, r[0]], "line 46: the id '{0}' was already on line 1", "duplicate"),
    (
        XNLI,
        lambda r: [{**r[0], "label": "maybe"}, *r[1:]],
        "line 1: unknown label 'maybe'; known: entailment, neutral",
        "label",
    ),
    (XNLI, lambda r: [{**r[0], "label": 1}, *r[1:]], "line 1: expected a string as 'label', got 1", "an id of a label"),
    (XNLI, lambda r: [{"label": "neutral"}, *r[1:]], 'line 1: expected {"id": …, "label": …}', "no id"),
    (
        XNLI,
        lambda r: [{"id": 1.5, "label": "neutral"}, *r[1:]],
        "line 1: expected a string or a whole number as 'id'",
        "id",
    ),
    (XNLI, lambda r: [{"id": "", "label": "neutral"}, *r[1:]], "as 'id', got ''", "an empty id"),
    (XNLI, lambda r: [[], *r[1:]], 'line 1: expected {"id": …, "label": …}, got []', "a list"),
    (NER, lambda r: [{**r[0], "label": r[0]["label"] + " O"}, *r[1:]], "tags, one per token, got", "too long"),
    (NER, lambda r: [{**r[0], "label": ""}, *r[1:]], "tags, one per token, got 0", "empty"),
    (
        NER,
        lambda r: [{**r[0], "label": r[0]["label"].replace("O", "0", 1)}, *r[1:]],
        "unknown label '0'",
        "a digit for O",
    ),
    (
        NER,
        lambda r: [{**r[0], "label": ["O"]}, *r[1:]],
        "expected a string as 'label', got ['O'] (list)",
        "a list of tags",
    ),
    (FILMS, lambda r: [{**r[0], "label": "5"}, *r[1:]], "expected a finite number as 'label', got '5'", "a text"),
    (
        FILMS,
        lambda r: [{**r[0], "label": True}, *r[1:]],
        "expected a finite number as 'label', got True",
        "a truth value",
    ),
    (FILMS, lambda r: [{**r[0], "label": 10**400}, *r[1:]], "line 1: expected a finite number", "too large"),
    (EXAMS, lambda r: [{**r[0], "label": None}, *r[1:]], "expected a string as 'label', got None", "nothing"),
    (EXAMS, lambda r: [{**r[0], "label": "Z"}, *r[1:]], "expected one of the choices A, B, C, D, got 'Z'", "no choice"),
    (EXAMS, lambda r: [{**r[0], "label": "А"}, *r[1:]], "choices A, B, C, D, got 'А'", "a Cyrillic letter"),
]


@pytest.mark.parametrize(("task", "change", "expected", "why"), ROWS)
def test_a_wrong_row_is_told_by_file_and_line(tmp_path, task, change, expected, why):
    made = rows("bgglue", task)
    problems = told(full(tmp_path / "s.zip", **{task: change(made)}))
    assert any(expected.replace("{0}", made[0]["id"]) in problem for problem in problems), problems
    assert all(problem.startswith(f"predictions/{task}/predictions.jsonl") for problem in problems), problems


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b'{"id": "1", "label": NaN}', "NaN is not a finite number"),
        (b'{"id": "1", "label": -Infinity}', "not a finite number"),
        (b'{"id": "1", "label": 1e999}', "expected a finite number as 'label', got inf"),
        (b"{", "not a JSON row"),
        (b"[" * 100_000, "not a JSON row"),
        (b'{"id": "1", "label": ' + b"1" * 5000 + b"}", "not a JSON row"),
        (b'{"id": "\xff", "label": 1}', "not UTF-8 at byte 8"),
        (b'{"id": "1", "label": "' + b"x" * MAX_LINE + b'"}', "longer than 262,144 bytes; the rest is not read"),
        (b"\x00", "not a JSON row"),
    ],
)
def test_a_line_that_cannot_be_read_is_told(tmp_path, line, expected):
    text = lines(rows("bgglue", FILMS)).encode() + line + b"\n"
    problems = told(archive(tmp_path / "s.zip", {FILMS: text}))
    assert any(expected in problem for problem in problems), problems
    assert all("line 40: " in problem and len(problem) < 500 for problem in problems), problems


CHOICES = [
    (0, "", "a number"),
    ("1", "", "a number in digits"),
    (UNREADABLE, "", "an answer that could not be read"),
    (2, "expected one of the choices 0, 1, got 2", "numbers begin at 0"),
    (10**400, "expected the number of a choice", "too large"),
    ("9" * 5000, "expected the number of a choice", "more digits than Python reads"),
    (1.0, "expected the number of a choice", "no whole number"),
    (-1, "expected the number of a choice", "negative"),
    ("٣", "expected the number of a choice", "digits of another script"),
]


@pytest.mark.parametrize(("label", "expected", "why"), CHOICES)
def test_the_number_of_a_choice_is_one_that_the_example_has(tmp_path, label, expected, why):
    made = rows("dumb", "copanl")
    problems = told(full(tmp_path / "s.zip", "dumb", copanl=[{**made[0], "label": label}, *made[1:]]))
    assert len(problems) == bool(expected) and all(expected in problem for problem in problems), problems


@pytest.mark.parametrize("name", ["xnlibg", "examsbg", "wikiannbg"])
def test_answers_that_could_not_be_read_are_no_unknown_labels(tmp_path, name):
    made = rows("bgglue", name)
    odd = " ".join([UNREADABLE] * len(made[0]["label"].split(" ")))
    assert told(full(tmp_path / "s.zip", **{name: [{**made[0], "label": odd}, *made[1:]]})) == []


def test_a_row_that_says_two_things_is_told(tmp_path):
    made = rows("bgglue", XNLI)
    twice = f'{{"id": "{made[0]["id"]}", "label": "neutral", "label": "entailment"}}\n'
    problems = told(archive(tmp_path / "s.zip", {XNLI: twice + lines(made[1:])}))
    assert len(problems) == 1 and "line 1: not a JSON row (the key 'label' occurs twice)" in problems[0]


def test_all_problems_are_listed_at_once(tmp_path):
    odd = rows("bgglue", XNLI)
    odd[3]["label"], odd[7]["label"] = "maybe", 1
    films = rows("bgglue", FILMS)[1:]
    files = {XNLI: lines(odd), FILMS: lines(films), "xnli": "", "notes.txt": "x", "predictions/cinexio/other": "x"}
    problems = told(
        archive(tmp_path / "s.zip", files, {**METADATA, "tasks": {XNLI: {"data": "0" * 64}, "fakenews": {}}})
    )
    assert len(problems) == 8, problems
    for expected in (
        "predictions/xnlibg/predictions.jsonl, line 4: unknown label 'maybe'",
        "predictions/xnlibg/predictions.jsonl, line 8: expected a string",
        "predictions/cinexio/other: unexpected",
        "1 of 39 ids have no prediction",
        "did you mean 'xnlibg'",
        "notes.txt: unexpected; expected predictions/TASK/predictions.jsonl and metadata.json",
        "metadata.json: bgglue/xnlibg: the predictions were made on other data",
        "metadata.json: the task 'fakenews' has no predictions",
    ):
        assert any(expected in problem for problem in problems), (expected, problems)


def test_positions_in_the_split_do_for_ids_as_bgglue_has_it(tmp_path):
    found = [{"index": place, "label": row["label"]} for place, row in enumerate(rows("bgglue", XNLI))]
    checked = check(
        archive(tmp_path / "s.zip", {f"my/predictions/{XNLI}/predictions.jsonl": lines(found)}, None), SAMPLE, "bgglue"
    )
    assert [str(problem) for problem in checked.problems] == [
        "metadata.json: missing: it says which model predicted, and on what data"
    ]
    assert list(checked.predictions[XNLI]) == list(gold("bgglue", XNLI)), "the one folder around all is taken off"


def test_the_files_that_systems_leave_behind_are_passed_over(tmp_path):
    files = {XNLI: lines(rows("bgglue", XNLI)), "__MACOSX/._a": "x", "predictions/.DS_Store": "x", "._b": "x"}
    assert told(archive(tmp_path / "s.zip", files)) == []


def test_without_the_split_at_hand_rows_are_checked_and_ids_are_not(tmp_path):
    path = archive(tmp_path / "s.zip", {XNLI: lines([{"id": "x", "label": "neutral"}, {"id": "y", "label": "no"}])})
    checked = check(path, lambda task, about, split: None)
    assert [str(problem) for problem in checked.problems] == [
        "predictions/xnlibg/predictions.jsonl, line 2: unknown label 'no'; known: entailment, neutral, contradiction"
    ]
    assert any("ids and lengths are not compared" in note for note in checked.notes)


def test_rows_beyond_four_times_the_split_are_not_read(tmp_path):
    text = lines([{"id": str(number), "label": "neutral"} for number in range(2000)])
    problems = check(archive(tmp_path / "s.zip", {XNLI: text}), SAMPLE).problems
    assert [problem.line for problem in problems if "the rest is not read" in problem.what] == [1181], (
        "4 · 45 + 1000 + 1"
    )
    empty = Reference(ids=())
    assert "no rows" in told(archive(tmp_path / "e.zip", {XNLI: "\n\n"}), lambda *_: empty)[0]


WRONG_METADATA = [
    ("", "expected JSON"),
    ("{", "line 1: expected JSON"),
    ("[" * 100_000, "expected JSON"),
    ("[]", "expected a JSON object"),
    ('{"model": NaN}', "NaN is not a finite number"),
    ({"model": ""}, "model: expected a name"),
    ({"model": "a\nb"}, "model: expected a name"),
    ({"model": "\ud800"}, "model: expected a name"),
    ({"model": "x" * 300}, "model: expected a name"),
    ({"method": "magic"}, "method: expected one of fine-tuned"),
    ({"method": "as published"}, "method: expected one of fine-tuned"),
    ('{"model": "a", "model": "b"}', "the key 'model' occurs twice"),
    ({"parameters": 10**400}, "parameters: expected a whole number"),
    ({"seed": 2**53 + 1}, "seed: expected a whole number"),
    ({"split": "../x"}, "split: expected a split"),
    ({"split": ""}, "split: expected a split"),
    ({"tasks": {"xnlibg": {"edition": "/../../evil"}}}, "tasks: expected an object of tasks"),
    ({"tasks": {"xnlibg": {"edition": "ofical"}}}, "there is no edition 'ofical'; known: official"),
    ({"link": "javascript:alert(1)"}, "link: expected an address"),
    ({"link": 'https://a" onclick="b\n'}, "link: expected an address"),
    ({"shots": -1}, "shots: expected a whole number"),
    ({"parameters": "1M"}, "parameters: expected a whole number"),
    ({"parameters": True}, "parameters: expected a whole number"),
    ({"tasks": []}, "tasks: expected an object of tasks"),
    ({"tasks": {"xnlibg": {"gold": "x"}}}, "tasks: expected an object of tasks"),
    ({"settings": {"a": "x" * 20_000}}, "settings: expected an object"),
    ({"settings": {"a": "\ud800"}}, "settings: expected an object"),
    (
        '{"suite": "bgglue", "model": "m", "method": "prompted", "tasks": {}, "settings": '
        + '{"a":' * 900
        + "1"
        + "}" * 901,
        "settings: expected an object",
    ),
    ({"model": "a\u3164"}, "model: expected a name of at most 200 characters, none of them unseen"),
    ({"link": "https://example.org@evil.test/"}, "link: expected an address"),
    ({"team": "us"}, "unknown field 'team'; known: suite, model"),
    ({"suite": "bgglu"}, "did you mean 'bgglue'"),
]


@pytest.mark.parametrize(("change", "expected"), WRONG_METADATA)
def test_wrong_metadata_is_told(tmp_path, change, expected):
    metadata = change if isinstance(change, str) else {**METADATA, **change}
    problems = told(archive(tmp_path / "s.zip", {XNLI: lines(rows("bgglue", XNLI))}, metadata))
    assert len(problems) == 1 and problems[0].startswith("metadata.json") and expected in problems[0], problems


def test_a_submission_that_calls_itself_a_baseline_is_noted(tmp_path):
    sent = {**METADATA, "method": "baseline"}
    checked = check(archive(tmp_path / "s.zip", {XNLI: lines(rows("bgglue", XNLI))}, sent), SAMPLE)
    assert any("a baseline is shown without a rank" in note for note in checked.notes)


def test_what_metadata_lacks_is_told_at_once():
    found, problems = parse_metadata('{"shots": "5"}')
    assert found is None and [problem.what.partition(":")[0] for problem in problems] == [
        "suite", "model", "method", "tasks", "shots",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "content", "told_"),
    [("s.tar.gz", b"x", "ends in .zip"), (None, b"", "there is none"), ("s.zip", b"", "an empty file")],
)
def test_what_is_no_zip_file_is_refused(tmp_path, name, content, told_):
    path = tmp_path / (name or "none.zip")
    if name:
        path.write_bytes(content)
    with pytest.raises(EuroglueError, match=told_):
        check(path, SAMPLE)


def test_an_unknown_suite_by_option_is_a_mistake(tmp_path):
    with pytest.raises(UnknownNameError, match="did you mean 'dumb'"):
        check(full(tmp_path / "s.zip"), SAMPLE, "dum")


def test_labels_in_messages_are_cut(tmp_path):
    odd = [
        {"id": row["id"], "label": "x" * 5000 if place == 0 else row["label"]}
        for place, row in enumerate(rows("bgglue", XNLI))
    ]
    problems = told(archive(tmp_path / "s.zip", {XNLI: lines(odd)}))
    assert len(problems) == 1 and len(problems[0]) < 400 and json.dumps(problems)
