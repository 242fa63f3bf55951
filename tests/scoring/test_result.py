# SPDX-License-Identifier: Apache-2.0
"""Results are plain and signed, signatures parse back, and importing the package is light."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from euroglue.errors import FormatError, PredictionError, UnknownNameError
from euroglue.scoring import METRICS, Result, score
from euroglue.scoring.metric import plain
from euroglue.scoring.signature import LONG, format_signature, label_set, parse_label_set, parse_signature
from euroglue.version import __version__

TEXT = st.text()


@given(st.dictionaries(TEXT, TEXT))
def test_signatures_parse_back(parts):
    assert parse_signature(format_signature(parts)) == parts


@given(st.dictionaries(TEXT, TEXT))
def test_signatures_are_one_line_of_pairs(parts):
    text = format_signature(parts)
    assert "\n" not in text and "\r" not in text
    assert len(text.split("|")) == max(1, len(parts))


@pytest.mark.parametrize(("text", "message"), [("a:1|b", "got 'b'"), ("a:1|a:2", "'a' occurs twice")])
def test_broken_signatures_are_refused(text, message):
    with pytest.raises(FormatError, match=message):
        parse_signature(text)


def test_label_sets_with_bars_and_commas_stay_apart():
    assert label_set(["a,b", "c"]) != label_set(["a", "b,c"])
    many = label_set(list(map(str, range(100))))
    assert label_set([many]) != many and parse_label_set(label_set([many])) == (many,), "a label named like a digest"
    assert label_set(list(map(str, range(40)))) != label_set(list(map(str, reversed(range(40)))))


def test_a_result_says_what_was_computed_on_what(names_task):
    result = score(names_task, [["B-PER", "O"]], [["B-PER", "O"]], fingerprint="abc123")
    assert parse_signature(result.signature) == {
        "metric": "entity_f1",
        "task": "toy/names",
        "mode": "lenient",
        "average": "micro",
        "zero_division": "0",
        "missing_tags": "O",
        "labels": "O,B-PER,I-PER,B-LOC,I-LOC",
        "n": "1",
        "data": "abc123",
        "version": __version__,
    }
    assert (result.task, result.primary, result.value, result.n) == ("toy/names", "f1", 1.0, 1)


@pytest.mark.issue("evaluate#598")
@pytest.mark.issue("lm-evaluation-harness#3885")
def test_scores_are_plain_numbers_that_json_holds(names_task, films_task):
    results = [score(names_task, [[1, 0]], [[1, 3]]), score(films_task, [1, 2], [2.0, 1.0])]
    for result in results:
        assert {type(value) for value in result.scores.values()} == {float}
        assert json.loads(result.to_json())["scores"] == dict(result.scores)


def test_a_score_that_is_not_finite_never_leaves_a_metric():
    with pytest.raises(ArithmeticError, match="the score f1 is nan"):
        plain({"f1": float("nan")})


def test_errors_name_the_task(names_task):
    with pytest.raises(PredictionError, match="^toy/names: example 0: expected 1 tags, got 2"):
        score(names_task, [["O", "O"]], [["O"]])


def test_a_result_without_its_primary_score_is_refused():
    with pytest.raises(ValueError, match="primary score 'f1'"):
        Result("toy/names", "f1", {"recall": 1.0}, 1, "")


def test_an_unknown_metric_suggests_the_nearest():
    with pytest.raises(UnknownNameError, match="did you mean 'entity_f1'"):
        METRICS["entityf1"]


@pytest.mark.parametrize("name", sorted(METRICS))
def test_every_metric_is_registered_under_its_own_name(name, names_task):
    metric = METRICS[name]
    assert metric.name == name
    assert metric.low < metric.high
    assert METRICS[name].for_task(names_task).settings() is not None


def test_a_signature_holds_what_the_caller_adds(films_task):
    result = score(films_task, [1, 2], [2.0, 1.0], fingerprint="abc", about={"system": "random", "seed": "3"})
    assert result.signature.endswith(f"|n:2|data:abc|system:random|seed:3|version:{__version__}")


def test_importing_scoring_is_light():
    heavy = ("evaluate", "datasets", "torch", "sklearn", "seqeval", "pandas", "scipy", "transformers")
    code = (
        "import sys, euroglue.scoring.baselines, euroglue.predictions, euroglue.scoring as s; list(s.METRICS.values());"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"


@given(st.lists(TEXT, min_size=1, max_size=LONG))
def test_label_sets_read_back_through_a_signature(names):
    line = format_signature({"labels": label_set(names)})
    assert len(line.splitlines()) == 1 and line.isprintable()
    assert parse_label_set(parse_signature(line)["labels"]) == tuple(names)
