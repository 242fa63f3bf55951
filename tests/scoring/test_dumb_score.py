# SPDX-License-Identifier: Apache-2.0
"""Each task of DUMB has the score that the paper publishes, and together they make the average of reductions."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

import dumb_datasets
from euroglue.errors import PredictionError
from euroglue.modules.dumb_score import CARD, DumbScore
from euroglue.scoring.results_table import published

ROOT = Path(__file__).parents[2]
ANSWER = {"text": ["het huis"], "answer_start": [0]}
NO_ANSWER = {"text": [], "answer_start": []}
TWO_THIRDS = pytest.approx(2 / 3)
GOLD = [
    ("lassy-pos", [["LET", "BW"], ["LET"]], [["LET", "LET"], ["LET"]], {"accuracy": TWO_THIRDS}),
    ("sonar-ne", [["B-PER", "O"]], [["B-PER", "B-LOC"]], {"f1": TWO_THIRDS, "precision": 1.0, "recall": 0.5}),
    ("wicnl", [0, 1], [0, 0], {"accuracy": 0.5}),
    ("dpr", [0, 1], [0, 0], {"accuracy": 0.5}),
    ("copanl", [0, 1], [0, 0], {"accuracy": 0.5}),
    ("copanl", ["0", "1"], [0, 0], {"accuracy": 0.5}),
    ("sicknl-nli", ["neutral", "entailment"], ["neutral", "neutral"], {"accuracy": 0.5}),
    ("dbrd", [1, 1], [1, 0], {"accuracy": 0.5, "mcc": 0.0}),
    ("dalc", [0, 0, 0], [0, 0, 1], {"f1_macro": pytest.approx(0.8 / 3), "accuracy": TWO_THIRDS}),
    ("squadnl", ["huis", ""], [ANSWER, NO_ANSWER], {"f1": pytest.approx(5 / 6), "exact": 0.5, "exact_nl": 1.0}),
]


@pytest.mark.parametrize(("config", "predictions", "references", "expected"), GOLD)
def test_each_task_has_its_published_score(config, predictions, references, expected):
    module = DumbScore(config)
    scores = module.compute(predictions=predictions, references=references)
    assert {key: scores[key] for key in expected} == expected
    (result,) = module.results
    assert result.primary == next(iter(expected)), "the first is the published one"
    whole = DumbScore().compute(predictions={config: predictions}, references={config: references})
    name, base = config.replace("-", "_"), published("dumb").base.scores[config]
    assert whole[name] == result.value
    assert whole[f"{name}_rer"] == pytest.approx((result.value - base) / (1 - base))
    json.dumps([scores, whole], allow_nan=False)


def test_the_baselines_score_is_zero():
    base = published("dumb").base.scores
    scores = DumbScore().compute(tasks=list(base), scores=list(base.values()))
    assert scores["dumb_score"] == 0.0 and scores["missing_tasks"] == []
    assert tuple(base) == dumb_datasets.SUITE.expected


def test_answers_are_added_one_by_one_and_joined_by_id():
    module = DumbScore("squadnl")
    module.add(prediction="huis", reference=ANSWER)
    module.add_batch(predictions=[""], references=[NO_ANSWER])
    assert module.compute()["exact_nl"] == 1.0
    joined = module.compute(predictions={"b": "", "a": "huis"}, references={"a": ANSWER, "b": NO_ANSWER})
    assert joined["exact_nl"] == 1.0


@pytest.mark.parametrize(
    ("inputs", "message", "why"),
    [
        ({"tasks": ["dpr"], "scores": [70.0]}, "dumb/dpr: the score: expected a share of at most 1, got 70.0", "units"),
        ({"tasks": ["dpr"], "scores": [0.7], "baseline": {"dpr": 1.0}}, "dumb/dpr: the baseline scores 1.0", "perfect"),
        ({"tasks": ["dpr"], "scores": [0.7], "baseline": {"dbrd": 0.5}}, "has no score for dpr; it has: dbrd", "gap"),
    ],
)
def test_scores_without_a_reduction_are_refused(inputs, message, why):
    with pytest.raises(PredictionError) as caught:
        DumbScore().compute(**inputs)
    assert message in str(caught.value), why


def test_a_baseline_belongs_to_the_whole_suite():
    with pytest.raises(PredictionError, match="a baseline make the suite's score: load it without a config"):
        DumbScore("dpr").compute(predictions=[0], references=[0], baseline={"dpr": 0.5})


def test_the_card_explains_every_metric_of_the_suite():
    assert {task.metric for task in dumb_datasets.SUITE.tasks.values()} == set(CARD.metrics)


def test_the_spaces_page_answers_with_scores_or_one_line():
    spec = importlib.util.spec_from_file_location("space_dumb", ROOT / "metrics" / "dumb_score" / "app.py")
    app = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(app)
    assert json.loads(app.scores("copanl", "[0, 1]", "[0, 0]")) == {"accuracy": 0.5}
    assert "expected 0 predictions" in app.scores("copanl", "[0]", "[]")
