# SPDX-License-Identifier: Apache-2.0
"""What scoring yields can be copied, pickled (so, sent between processes) and turned into plain values."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle

import evaluate
import pytest

from euroglue.frozen import Frozen
from euroglue.results import Record
from euroglue.scoring import score_with
from euroglue.scoring.aggregate import SuiteScore
from euroglue.scoring.bootstrap import Bootstrap
from euroglue.scoring.labels import Accuracy
from euroglue.scoring.results_table import published
from euroglue.scoring.standings import standings

RESULT = score_with(
    Accuracy(["no", "yes"]), [0, 1, 1, 0], [0, 1, 0, 1], name="toy/news", bootstrap=Bootstrap(resamples=20)
)
VALUES = [
    RESULT,
    SuiteScore("toy", None, {"news": 0.5}, ("other",)),
    standings({"A": {"news": 0.5}, "B": {"news": [0.25, 0.5]}, "C": {}}),
    published("dumb"),
    Record(
        suite="toy", task="news", model="m", method="fine-tuned", primary="accuracy", scores=RESULT.scores, n=4,
        signature=RESULT.signature, edition="sample", split="test",
    ),
]  # fmt: skip


def pickled(value):
    """The value after a way through bytes that the test itself made."""
    return pickle.loads(pickle.dumps(value))  # noqa: S301


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_frozen_values_copy_pickle_and_become_plain(value):
    for other in (copy.copy(value), copy.deepcopy(value), pickled(value)):
        assert other == value
    json.dumps(dataclasses.asdict(value), allow_nan=False)


@pytest.mark.parametrize("value", VALUES[:3], ids=lambda value: type(value).__name__)
def test_frozen_values_hash(value):
    assert len({value, copy.deepcopy(value)}) == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda kept: kept.__setitem__("a", 2),
        lambda kept: kept.__delitem__("a"),
        lambda kept: kept.update(a=2),
        lambda kept: kept.pop("a"),
        lambda kept: kept.popitem(),
        lambda kept: kept.setdefault("b", 2),
        lambda kept: kept.clear(),
        lambda kept: kept.__ior__({"b": 2}),
    ],
)
def test_a_frozen_mapping_cannot_be_changed(change):
    kept = Frozen({"a": 1})
    with pytest.raises(TypeError, match="cannot be changed"):
        change(kept)
    assert kept == {"a": 1}


@pytest.mark.parametrize(
    ("name", "config", "predictions", "references"),
    [
        ("bgglue_score", "cinexio", [1.0, 2.0, 3.0], [1.0, 3.0, 2.0]),
        ("dumb_score", None, {"dbrd": ["positive"]}, {"dbrd": ["positive"]}),
        ("entity_f1", None, [["B-PER", "O"]], [["B-PER", "O"]]),
        ("qa_f1", "normaliser:sl", ["dom"], ["dom"]),
        ("rer", None, {"dpr": 0.7}, None),
    ],
    ids=["task", "suite", "tags", "answers", "reductions"],
)
def test_modules_copy_and_pickle_with_what_they_keep(name, config, predictions, references):
    module = evaluate.load(name, config)
    module.compute(predictions=predictions, references=references)
    for other in (copy.deepcopy(module), pickled(module)):
        scores = other.compute(predictions=predictions, references=references)
        assert scores == module.compute(predictions=predictions, references=references)
