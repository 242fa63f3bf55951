# SPDX-License-Identifier: Apache-2.0
"""Baselines exist for every kind of task and metric, are of the gold's shape, and score what chance must."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from euroglue.choices import choice_names
from euroglue.errors import EuroglueError, PredictionError
from euroglue.predictions import read_predictions, write_predictions
from euroglue.registry import SUITES
from euroglue.scoring import METRICS, metric_for, score
from euroglue.scoring.baselines import baselines, majority, random
from euroglue.task import Kind, Labels, Task
from tests.scoring.conftest import EXAM_TASK, FILMS_TASK, NAMES_TASK, NEWS_TASK, TWEETS_TASK, make_task

MAJORITY = [
    (NAMES_TASK, [[0, 0, 1], [3]], [["O", "O", "O"], ["O"]], "the commonest tag of all tokens"),
    (NAMES_TASK, [["B-PER"], [], ["O"]], [["O"], [], ["O"]], "of equally common tags the first in the label set"),
    (FILMS_TASK, [1.0, 2.0, 4.5], [2.5, 2.5, 2.5], "the mean"),
    (FILMS_TASK, np.array([1.0, 2.0]), [1.5, 1.5], "an array"),
    (TWEETS_TASK, [0, 1, 0], [0.0, 0.0, 0.0], "a constant"),
    (NEWS_TASK, [1, 0, 1], ["fake", "fake", "fake"], "the commonest label"),
    (NEWS_TASK, ["fake", "credible"], ["credible", "credible"], "of equally common labels the first in the label set"),
    (EXAM_TASK, ["Б", "А", "Б"], ["Б", "Б", "Б"], "the commonest answer"),
    (EXAM_TASK, ["Б", "А"], ["А", "А"], "of equally common answers the first in the alphabet"),
]


@pytest.mark.parametrize(("task", "gold", "expected", "why"), MAJORITY, ids=[case[-1] for case in MAJORITY])
def test_the_majority_is_what_is_commonest_in_the_gold(task, gold, expected, why):
    assert majority(task, gold) == expected, why


CHOICES = [["А", "Б"], ["А", "Б", "В", "Г"]] * 100
POSSIBLE = [
    (NAMES_TASK, [[0, 1], [3], []] * 200, None, set(NAMES_TASK.labels), "tags"),
    (NEWS_TASK, [0, 1] * 100, None, {"credible", "fake"}, "labels"),
    (NEWS_TASK, [0] * 200, None, {"credible", "fake"}, "also a label that the gold lacks"),
    (EXAM_TASK, ["А", "В"] * 100, None, {"А", "В"}, "answers of the gold"),
    (EXAM_TASK, ["А", "В"] * 100, CHOICES, {"А", "Б", "В", "Г"}, "answers among the choices"),
]


@pytest.mark.parametrize(("task", "gold", "choices", "possible", "why"), POSSIBLE, ids=[case[-1] for case in POSSIBLE])
def test_random_predictions_are_all_that_is_possible_equally_often(task, gold, choices, possible, why):
    found = random(task, gold, seed=4, choices=choices)
    if task.kind is Kind.TOKEN_CLASSIFICATION:
        assert [len(row) for row in found] == [len(row) for row in gold]
        found = [tag for row in found for tag in row]
    counts = pd.Series(found).value_counts()
    assert set(counts.index) == possible, why
    if choices is None:
        assert counts.min() > 0.6 * len(found) / len(possible), why
    else:
        assert all(answer in options for answer, options in zip(found, choices, strict=True)), "of its own row"


@pytest.mark.parametrize(("task", "low", "high"), [(FILMS_TASK, 0.0, 5.0), (TWEETS_TASK, 0.0, 1.0)])
def test_random_numbers_fill_their_range(task, low, high):
    found = random(task, [1] * 500, seed=0)
    assert low <= min(found) < low + 0.1 * (high - low) and high - 0.1 * (high - low) < max(found) <= high
    assert len(set(found)) == 500


@pytest.mark.parametrize(
    "task", [NAMES_TASK, FILMS_TASK, TWEETS_TASK, NEWS_TASK, EXAM_TASK], ids=lambda task: task.name
)
def test_a_seed_gives_the_same_predictions_and_another_seed_others(task):
    gold = {Kind.TOKEN_CLASSIFICATION: [[0] * 50], Kind.MULTIPLE_CHOICE: ["А", "Б"] * 25}.get(task.kind, [0, 1] * 25)
    assert random(task, gold, seed=0) == random(task, gold, seed=0) != random(task, gold, seed=1)


@pytest.mark.parametrize("name", sorted(METRICS))
def test_every_metric_scores_both_baselines_and_can_keep_them_in_a_file(name, tmp_path):
    tags = (Kind.TOKEN_CLASSIFICATION, [Labels("O", "B-X")], [[0, 1], [1]], None)
    answers = (
        Kind.QUESTION_ANSWERING,
        {"text": ["string"], "answer_start": ["int64"]},
        [{"text": ["Gent"], "answer_start": [3]}, {"text": [], "answer_start": []}],
        None,
    )
    kinds = {
        "average_precision": (Kind.RANKING, Labels("no", "yes"), [0, 1, 0, 1], None),
        **dict.fromkeys(("entity_f1", "entity_f1_no_misc", "token_f1"), tags),
        "upos": (Kind.TOKEN_CLASSIFICATION, [Labels("NOUN", "VERB")], [[0, 1], [1]], None),
        "token_accuracy": (Kind.TOKEN_CLASSIFICATION, [Labels("N|ev", "VZ")], [[0, 1], [1]], None),
        **dict.fromkeys(("squad", "squad_sl"), answers),
        **dict.fromkeys(
            ("accuracy", "binary_f1", "macro_f1", "mcc", "micro_f1", "weighted_f1"),
            (Kind.SEQUENCE_CLASSIFICATION, Labels("no", "yes"), [0, 1, 1], None),
        ),
    }
    kind, target, gold, bounds = kinds.get(name, (Kind.REGRESSION, "float64", [0.5, 2.0, 1.0], (0.0, 5.0)))
    task = make_task("made-up", kind, target, name, bounds)
    for predictions in (majority(task, gold), random(task, gold, seed=1)):
        value, metric = score(task, predictions, gold).value, metric_for(task)
        assert metric.low <= value <= metric.high
        ids = [str(i) for i in range(len(gold))]
        write_predictions(tmp_path / "made.jsonl", task, ids, predictions)
        assert list(read_predictions(tmp_path / "made.jsonl", task).values()) == predictions


def exam(inputs=("question",), **features) -> Task:
    fields = {name: getattr(EXAM_TASK, name) for name in EXAM_TASK.__dataclass_fields__}
    return Task(**{**fields, "features": {**EXAM_TASK.features, **features}, "inputs": inputs})


CHOICE = {"text": "string", "label": "string"}


@pytest.mark.parametrize(
    ("feature", "value", "why"),
    [
        ({"stem": "string", "choices": [CHOICE]}, {"stem": "?", "choices": [{"label": "А"}, {"label": "Б"}]}, "nested"),
        ([CHOICE], [{"label": "А"}, {"label": "Б"}], "a column of its own"),
    ],
)
def test_the_choices_are_found_by_the_features(feature, value, why):
    assert choice_names(exam(question=feature), {"question": [value]}) == [("А", "Б")], why


def test_both_baselines_are_scored_with_a_signature_that_names_them():
    task = exam(question=[CHOICE])
    rows = pd.DataFrame({"question": [[{"label": "А"}]] * 4, "gold": ["А", "А", "А", "Б"]})
    found = baselines(task, rows, seed=9, fingerprint="abc")
    assert {name: result.value for name, result in found.items()} == {"majority": 0.75, "random": 0.75}
    assert "|data:abc|system:majority|" in found["majority"].signature
    assert "|data:abc|system:random|seed:9|" in found["random"].signature


def test_entities_and_ratings_score_nothing_by_majority():
    # Table 3 of the bgGLUE paper prints 0.0 for BSNLP, PAN-X and Cinexio.
    tags = baselines(NAMES_TASK, {"gold": [[0, 0, 1, 2], [0, 0, 3]]})
    ratings = baselines(FILMS_TASK, {"gold": [1.0, 2.0, 5.0]})
    assert tags["majority"].value == ratings["majority"].value == 0.0
    assert "the predictions are constant" in ratings["majority"].warnings[0]


def test_chance_on_three_balanced_labels_is_a_third():
    # Table 3 prints 33.33 for XNLI in both rows.
    task = make_task("nli", Kind.SEQUENCE_CLASSIFICATION, Labels("да", "не", "няма"), "accuracy")
    found = baselines(task, {"gold": [0, 1, 2] * 1670})
    assert found["majority"].value == pytest.approx(1 / 3)
    assert found["random"].value == pytest.approx(1 / 3, abs=0.03)


def test_a_constant_ranking_scores_as_random_ones_do_on_average():
    gold = [1] * 12 + [0] * 48
    constant = score(TWEETS_TASK, majority(TWEETS_TASK, gold), gold).scores
    drawn = [score(TWEETS_TASK, random(TWEETS_TASK, gold, seed), gold).scores for seed in range(400)]
    for key, value in constant.items():
        assert np.mean([scores[key] for scores in drawn]) == pytest.approx(value, abs=0.04), key


HIDDEN = [
    (NAMES_TASK, [[-1, -1]], "example 0, tag 0: the reference is hidden (-1)"),
    (NAMES_TASK, [[], []], "every reference is empty: the gold is hidden"),
    (FILMS_TASK, [float("nan")], "example 0: the reference is hidden (nan)"),
    (TWEETS_TASK, [-1, -1], "example 0: the reference is hidden (-1)"),
    (NEWS_TASK, [-1], "example 0: the reference is hidden (-1)"),
    (EXAM_TASK, ["А", ""], "example 1: the reference is hidden ('')"),
    (FILMS_TASK, [], "there are no examples to score"),
]


@pytest.mark.issue("datasets#5624")
@pytest.mark.parametrize(("task", "gold", "message"), HIDDEN)
def test_hidden_gold_has_no_baseline(task, gold, message):
    for baseline in (lambda: majority(task, gold), lambda: random(task, gold, seed=0)):
        with pytest.raises(PredictionError) as caught:
            baseline()
        assert message in str(caught.value)


@pytest.mark.parametrize("choices", [[["А"]], [["А"], []]])
def test_choices_must_be_there_for_each_example(choices):
    with pytest.raises(PredictionError, match="toy/exam: expected one or more choices for each of 2 examples"):
        random(EXAM_TASK, ["А", "А"], seed=0, choices=choices)


def test_a_task_without_choices_says_so():
    with pytest.raises(EuroglueError, match="toy/exam: expected an input with a list of choices, there is none"):
        baselines(EXAM_TASK, {"text": ["?"], "gold": ["А"]})


PRINTED = [("udep", "official", "test", 0.01, 6.31), ("examsbg", "rebuilt", "test", 25.68, 25.54)]


@pytest.mark.raw
@pytest.mark.parametrize(("name", "edition", "split", "printed", "by_chance"), PRINTED)
def test_the_majority_row_of_table_3_is_reproduced(name, edition, split, printed, by_chance, raw_dir):
    from euroglue.prepare.pipeline import prepare

    task = SUITES["bgglue"].tasks[name]
    if not (raw_dir / "bgglue" / name).is_dir():
        pytest.skip(f"no raw data of bgglue/{name}")
    found = baselines(task, prepare(task, edition).table(split))
    assert 100 * found["majority"].value == pytest.approx(printed, abs=0.0051)
    assert 100 * found["random"].value == pytest.approx(by_chance, abs=2.5), "the paper's seed is not known"
    for result in found.values():
        json.loads(result.to_json())
