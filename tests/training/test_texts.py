# SPDX-License-Identifier: Apache-2.0
"""What an encoder reads of an example."""

from __future__ import annotations

import pytest

from euroglue.errors import ContractError
from euroglue.registry import find_task
from euroglue.task import Kind, Labels
from euroglue.training.texts import choices_of, segments_of
from tests.training.made_tasks import make_task

EXAMS = {
    "id": ["q"],
    "question": [
        {
            "stem": "Кое е вярно?",
            "choices": [{"text": "едно", "label": "A", "para": "Пасаж."}, {"text": "две", "label": "Б", "para": ""}],
        }
    ],
}
COPA = {"id": ["1"], "choices": [[{"sentence1": "a", "sentence2": "b"}, {"sentence1": "c", "sentence2": "b"}]]}


@pytest.mark.parametrize(
    ("suite", "name", "rows", "expected", "why"),
    [
        ("bgglue", "xnlibg", {"premise": ["p"], "hypothesis": ["h"]}, [["h"], ["p"]], "table 6: hypothesis first"),
        ("bgglue", "fakenews", {"title": ["t"], "content": ["c"]}, [["t"], ["c"]], "table 6: title, then article"),
        ("bgglue", "ct21t1", {"tweet_text": ["x {y}"]}, [["x {y}"]], "a text is no template"),
        ("dumb", "sicknl-nli", {"sentence1": ["a"], "sentence2": ["b"]}, [["a"], ["b"]], "in the order of the inputs"),
    ],
)
def test_the_segments_are_those_of_the_paper(suite, name, rows, expected, why):
    assert segments_of(find_task(suite, name), rows) == expected, why


def test_of_a_question_context_comes_before_question_and_option():
    (found,) = choices_of(find_task("bgglue", "examsbg"), EXAMS)
    assert found.segments == [("Пасаж.", "Кое е вярно? едно"), ("", "Кое е вярно? две")]
    assert found.names == ("A", "Б")


def test_numbered_choices_are_named_by_their_number():
    (found,) = choices_of(find_task("dumb", "copanl"), COPA)
    assert found == ([("a", "b"), ("c", "b")], ("0", "1"))


def lettered(**changes):
    features = {
        "id": "string",
        "question": "string",
        "choices": [{"label": "string", "text": "string"}],
        "label": Labels("a", "b", "c"),
    }
    values = {"features": features, "inputs": ("question", "choices"), "target": "label", "metric": "accuracy"}
    return make_task(Kind.MULTIPLE_CHOICE, **{"bounds": None, **values, **changes})


def test_without_segments_the_texts_come_before_the_choice():
    rows = {
        "id": ["1"],
        "question": ["Kaj?"],
        "choices": [[{"label": "a", "text": "da"}, {"label": "b", "text": "ne"}]],
    }
    (found,) = choices_of(lettered(), rows)
    assert found == ([("Kaj?", "da"), ("Kaj?", "ne")], ("a", "b"))


@pytest.mark.parametrize(
    ("listed", "message"),
    [
        ([{"label": "a", "text": "da"}], "example 1: expected 2 to 3 choices, got 1"),
        ([{"label": letter, "text": "da"} for letter in "abcd"], "example 1: expected 2 to 3 choices, got 4"),
    ],
)
def test_too_few_or_too_many_choices_are_refused(listed, message):
    with pytest.raises(ContractError, match=message):
        choices_of(lettered(), {"id": ["1"], "question": ["Kaj?"], "choices": [listed]})


def test_inputs_that_make_no_one_or_two_texts_are_refused():
    features = {"id": "string", "a": "string", "b": "string", "c": "string", "label": "float64"}
    task = make_task(Kind.REGRESSION, features=features, inputs=("a", "b", "c"))
    with pytest.raises(ContractError, match="reads one or two texts, the inputs have 3"):
        segments_of(task, {"a": [""], "b": [""], "c": [""]})
    with pytest.raises(ContractError, match="expected an input with a list of choices"):
        choices_of(lettered(inputs=("question",)), {"id": ["1"], "question": ["Kaj?"]})


@pytest.mark.parametrize(
    ("segments", "message"),
    [
        (("{texd}",), r"the segments name \{texd\}, which is not among the inputs text"),
        (("{text}", "{text}", "{text}"), "reads one or two segments, got 3"),
    ],
)
def test_a_literal_with_other_segments_is_refused(segments, message):
    with pytest.raises(ValueError, match=message):
        make_task(Kind.REGRESSION, segments=segments)
