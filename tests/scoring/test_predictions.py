# SPDX-License-Identifier: Apache-2.0
"""Prediction files go there and back, say what is wrong with them by file and line, and are joined by id."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from euroglue.disk import DiskFullError
from euroglue.errors import FormatError, PredictionError
from euroglue.predictions import join, read_predictions, write_predictions

ID = st.text(st.characters(codec="utf-8"), min_size=1)
FINITE = st.floats(allow_nan=False, allow_infinity=False)
TAG = st.text(st.characters(codec="utf-8"), min_size=1).filter(lambda tag: tag.split() == [tag])
SAME_FIXTURES = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@SAME_FIXTURES
@given(st.dictionaries(ID, FINITE, min_size=1))
def test_ratings_go_there_and_back(tmp_path, films_task, ratings):
    path = tmp_path / "films.jsonl"
    write_predictions(path, films_task, list(ratings), list(ratings.values()))
    assert read_predictions(path, films_task) == ratings


@pytest.mark.issue("GLiNER#394")
@SAME_FIXTURES
@given(st.dictionaries(ID, st.lists(TAG, max_size=5), min_size=1))
def test_tags_go_there_and_back(tmp_path, names_task, tags):
    path = tmp_path / "names.jsonl"
    write_predictions(path, names_task, list(tags), list(tags.values()))
    assert read_predictions(path, names_task) == tags


@pytest.mark.parametrize(
    ("task", "prediction", "label", "why"),
    [
        ("names_task", [1, 2, 0], "B-PER I-PER O", "ids become names"),
        ("names_task", np.array([3, 0]), "B-LOC O", "arrays too"),
        ("names_task", ["B-LOC", "O"], "B-LOC O", "names stay"),
        ("films_task", np.float32(2.5), 2.5, "numpy numbers become plain ones"),
        ("topic_task", 1, "път", "an id becomes the name, in its own script"),
        ("topic_task", "дом", "дом", "a name stays"),
        ("tweets_task", np.float64(-1.5), -1.5, "a ranking is by numbers though its gold has names"),
        ("exam_task", "Б", "Б", "the name of a choice"),
    ],
)
def test_a_row_is_an_id_and_a_label(tmp_path, request, task, prediction, label, why):
    path = tmp_path / "new" / "out.jsonl"
    write_predictions(path, request.getfixturevalue(task), ["1264909985177362438"], [prediction])
    raw = path.read_bytes()
    assert raw == (json.dumps({"id": "1264909985177362438", "label": label}, ensure_ascii=False) + "\n").encode(), why


UNWRITABLE = [
    ("films_task", ["a", "b"], [1.0], "expected one prediction per id, got 1 for 2 ids"),
    ("films_task", ["a", "b", "a"], [1.0, 2.0, 3.0], "1 ids occur more than once: 'a'"),
    ("films_task", ["a", "b"], [1.0, float("nan")], "id 'b': expected a finite number, got nan"),
    ("films_task", ["a"], [True], "id 'a': expected a finite number, got True"),
    ("films_task", ["a"], ["4"], "id 'a': expected a finite number, got '4'"),
    ("names_task", ["a"], [["B PER"]], "a tag must be a word without spaces, got 'B PER'"),
    ("names_task", ["a"], [["B-PER", ""]], "a tag must be a word without spaces, got ''"),
    ("names_task", ["a"], [[9]], "id 'a': expected a name or an id from 0 to 4, got 9"),
    ("names_task", ["a"], ["B-PER O"], "id 'a': expected a list of tags, got 'B-PER O'"),
    ("topic_task", ["a"], [0.9], "id 'a': expected a name or an id from 0 to 1, got 0.9"),
    ("tweets_task", ["a"], ["check-worthy"], "id 'a': expected a finite number, got 'check-worthy'"),
    ("exam_task", ["a"], [1], "id 'a': expected a text, got 1"),
]


@pytest.mark.parametrize(("task", "ids", "predictions", "message"), UNWRITABLE)
def test_a_refused_prediction_leaves_the_old_file_whole(tmp_path, request, task, ids, predictions, message):
    path = tmp_path / "out.jsonl"
    path.write_text("old\n", encoding="utf-8")
    with pytest.raises(PredictionError) as caught:
        write_predictions(path, request.getfixturevalue(task), ids, predictions)
    assert message in str(caught.value)
    assert path.read_text(encoding="utf-8") == "old\n" and os.listdir(tmp_path) == ["out.jsonl"]


def test_a_crash_while_writing_leaves_the_old_file_whole(tmp_path, films_task, monkeypatch):
    path = tmp_path / "out.jsonl"
    path.write_text("old\n", encoding="utf-8")

    def full(handle):
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DiskFullError, match="no space left"):
        write_predictions(path, films_task, ["a"], [1.0])
    assert path.read_text(encoding="utf-8") == "old\n" and os.listdir(tmp_path) == ["out.jsonl"]


def read(tmp_path, task, text, ids=None):
    path = tmp_path / "sub.jsonl"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_predictions(path, task, ids)


@pytest.mark.parametrize(
    ("text", "ids", "expected", "why"),
    [
        ('{"id": "a", "label": 1}', None, {"a": 1.0}, "no final newline, an integer rating"),
        ('\ufeff{"id": "a", "label": 1.5}\r\n\r\n{"id": "b", "label": 2}\r\n', None, {"a": 1.5, "b": 2.0}, "BOM, CRLF"),
        ('{"id": 1264909985177362438, "label": 1}', None, {"1264909985177362438": 1.0}, "long integer ids keep digits"),
        ('{"index": 1, "label": 1}\n{"index": 0, "label": 2}', ["x", "y"], {"y": 1.0, "x": 2.0}, "index is a position"),
        ('{"index": 1, "label": 1}\n{"index": 0, "label": 2}', ["1", "0"], {"1": 1.0, "0": 2.0}, "index is an id"),
        ('{"index": "x", "label": 1}', ["x", "y"], {"x": 1.0}, "index holds an id"),
        ('{"index": 1, "label": 1}\n{"index": 2, "label": 2}', ["1", "2"], {"1": 1.0, "2": 2.0}, "ids from 1"),
        ('{"index": 0, "label": 1}', None, {"0": 1.0}, "without ids an index is an id"),
    ],
)
@pytest.mark.issue("pandas#4793")
@pytest.mark.issue("pandas#33766")
def test_rows_are_read_by_id_or_index(tmp_path, films_task, text, ids, expected, why):
    assert read(tmp_path, films_task, text, ids) == expected, why


GOOD = '{"id": "a", "label": 1.0}\n'
UNREADABLE = [
    (GOOD + "{'id': 'b'}", FormatError, "sub.jsonl, line 2: not a JSON row", "no JSON"),
    ("[" * 100_000, FormatError, "line 1: not a JSON row", "nested without end"),
    (GOOD + '{"id": "b"}', FormatError, 'line 2: expected {"id": …, "label": …}, got {"id": "b"}', "no label"),
    (GOOD + '{"label": 1}', FormatError, "line 2: expected", "no id"),
    (GOOD + "[1, 2]", FormatError, "line 2: expected", "no object"),
    (GOOD + '{"id": "b", "label": NaN}', FormatError, "line 2: not a JSON row (NaN is not a finite number)", "NaN"),
    (GOOD + '{"id": "b", "label": 1e999}', FormatError, "line 2: expected a finite number as 'label', got inf", "inf"),
    (GOOD + '{"id": "b", "label": "4"}', FormatError, "line 2: expected a finite number as 'label', got '4'", "string"),
    (GOOD + '{"id": "b", "label": true}', FormatError, "got True", "bool"),
    (GOOD + '{"id": "b", "label": null}', FormatError, "got None", "null"),
    (GOOD + '{"id": 1.5, "label": 1}', FormatError, "expected a string or a whole number as 'id', got 1.5", "float id"),
    (GOOD + '{"id": true, "label": 1}', FormatError, "as 'id', got True", "bool id"),
    (GOOD + GOOD, PredictionError, "line 2: the id 'a' was already on line 1", "duplicate"),
    (GOOD + '{"x": 1}\n{"x": 2}\n', FormatError, "(and 1 more lines at fault)", "several"),
    ("\n \n", FormatError, "no rows", "empty"),
    (b'{"id": "\xff", "label": 1}', FormatError, "not UTF-8 at byte 8", "another encoding"),
]


@pytest.mark.parametrize(("text", "error", "message", "why"), UNREADABLE, ids=[case[-1] for case in UNREADABLE])
def test_a_faulty_file_is_refused_by_file_and_line(tmp_path, films_task, text, error, message, why):
    with pytest.raises(error) as caught:
        read(tmp_path, films_task, text)
    assert message in str(caught.value), why
    assert "sub.jsonl" in str(caught.value) and "\n" not in str(caught.value)


def test_rows_of_a_ranking_may_name_their_topic(tmp_path, tweets_task):
    rows = '{"topic": "covid-19", "id": 1264909985177362438, "label": -0.25}\n{"topic": "x", "id": "b", "label": 1}'
    assert read(tmp_path, tweets_task, rows) == {"1264909985177362438": -0.25, "b": 1.0}
    with pytest.raises(FormatError, match="expected a finite number as 'label', got 'check-worthy'"):
        read(tmp_path, tweets_task, '{"topic": "x", "id": "b", "label": "check-worthy"}')


def test_an_index_given_twice_is_refused(tmp_path, films_task):
    with pytest.raises(PredictionError, match="line 2: the index 0 was already on line 1"):
        read(tmp_path, films_task, '{"index": 0, "label": 1}\n{"index": 0, "label": 2}', ["x", "y"])


def test_a_missing_file_is_a_clear_error(tmp_path, films_task):
    with pytest.raises(FormatError, match="absent.jsonl: cannot be read"):
        read_predictions(tmp_path / "absent.jsonl", films_task)


def test_tag_rows_are_strings_of_names(tmp_path, names_task):
    rows = '{"id": "a", "label": "B-PER O"}\n{"id": "b", "label": ""}\n{"id": "c", "label": "O\u00a0O"}'
    assert read(tmp_path, names_task, rows) == {"a": ["B-PER", "O"], "b": [], "c": ["O\u00a0O"]}
    with pytest.raises(FormatError, match="line 1: expected a string as 'label', got \\['O'\\] \\(list\\)"):
        read(tmp_path, names_task, '{"id": "a", "label": ["O"]}')


@pytest.mark.issue("bgGLUE#file-order")
def test_predictions_meet_references_by_id_whatever_the_order():
    assert join({"b": ["O"], "a": ["B-PER"]}, {"a": ["B-LOC"], "b": ["O"]}) == ([["B-PER"], ["O"]], [["B-LOC"], ["O"]])


@pytest.mark.parametrize(
    ("predictions", "references", "message"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, "1 ids have no prediction: 'b' (predictions: 1, split: 2)"),
        ({"a": 1, "c": 1}, {"a": 1}, "1 ids are not in this split: 'c'"),
        ({"c": 1}, {"a": 1}, "1 ids have no prediction: 'a'; 1 ids are not in this split: 'c'"),
        ({}, dict.fromkeys("abcdefg", 1), "7 ids have no prediction: 'a', 'b', 'c', 'd', 'e', …"),
        ({"a": ["O"], "b": ["O"]}, {"a": ["O"], "b": ["O", "O"]}, "id 'b': expected 2 tags, got 1 tags"),
        ({"a": [], "b": []}, {"a": ["O"], "b": ["O"]}, "id 'a': expected 1 tags, got 0 tags (and 1 more: 'b')"),
        ({"a": ["O"]}, {"a": []}, "id 'a': expected 0 tags, got 1 tags, and the gold may be hidden"),
        ({"a": 1.0}, {"a": ["O"]}, "id 'a': expected 1 tags, got one value (1.0)"),
    ],
)
def test_what_does_not_join_is_named(predictions, references, message):
    with pytest.raises(PredictionError) as caught:
        join(predictions, references)
    assert message in str(caught.value)
