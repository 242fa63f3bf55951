# SPDX-License-Identifier: Apache-2.0
"""The modules for ``evaluate``: what they return, what they keep, what they refuse; and their cards."""

from __future__ import annotations

import doctest
import hashlib
import importlib
import importlib.util
import json
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import evaluate
import numpy as np
import pytest

import bgglue_datasets
import dumb_datasets  # noqa: F401  (registers the suite)
from euroglue.errors import EuroglueError, PredictionError, UnknownNameError
from euroglue.modules import MODULES, card, suite_score
from euroglue.modules.bgglue_score import BgglueScore
from euroglue.scoring import score
from euroglue.scoring.signature import format_signature, parse_signature

ROOT = Path(__file__).parents[2]
NINE = bgglue_datasets.SUITE.expected
TAGS = {"predictions": [["B-PER", "O", "O"]], "references": [["B-PER", "O", "B-LOC"]]}
RATINGS = {"predictions": [1.0, 2.0, 4.0], "references": [1.0, 2.5, 3.0]}


class ToyScore(suite_score.SuiteScoreModule):
    suite_name = "toy"


pytestmark = pytest.mark.usefixtures("suite")


@pytest.mark.issue("evaluate#598")
def test_a_task_scores_as_the_library_scores_it(names_task, films_task):
    for task, inputs in ((names_task, TAGS), (films_task, RATINGS)):
        module = ToyScore(task.name)
        scores = module.compute(**inputs)
        assert scores == dict(score(task, **inputs).scores)
        assert json.loads(json.dumps(scores, allow_nan=False)) == scores
        assert module.results[0].signature.startswith(f"metric:{task.metric}|task:{task.path}")


@pytest.mark.parametrize(
    ("predictions", "references", "why"),
    [
        ([[1, 0, 0]], [[1, 0, 3]], "integer ids"),
        (np.array([[1, 0, 0]]), np.array([[1, 0, 3]]), "arrays"),
        ({"a": ["B-PER", "O", "O"]}, {"a": ["B-PER", "O", "B-LOC"]}, "joined by id"),
        (({"b": [0], "a": [1]}), {"a": [1], "b": [3]}, "joined by id, whatever the order"),
    ],
)
def test_predictions_come_in_many_shapes(predictions, references, why):
    assert ToyScore("names").compute(predictions=predictions, references=references)["recall"] == 0.5, why


def test_batches_and_single_examples_add_up_and_are_forgotten():
    module = ToyScore("films-rated")
    module.add_batch(predictions=[1.0], references=[1.0])
    module.add(prediction=2.0, reference=2.5)
    module.add(predictions=4.0, references=3.0)
    assert len(module) == 3
    assert module.compute() == ToyScore("films-rated").compute(**RATINGS)
    assert len(module) == 0
    with pytest.raises(PredictionError, match="toy/films-rated: nothing to score"):
        module.compute()


def test_a_batch_is_kept_as_it_was_when_added():
    module, buffer = ToyScore("films-rated"), np.array([1.0, 2.0, 4.0])
    module.add_batch(predictions=buffer, references=[1.0, 2.5, 3.0])
    buffer[:] = 0.0
    assert module.compute() == ToyScore("films-rated").compute(**RATINGS)


def test_a_failed_compute_leaves_nothing_behind():
    module = ToyScore("names")
    with pytest.raises(PredictionError, match="unknown reference label 'B-XYZ'"):
        module.compute(predictions=[["O"]], references=[["B-XYZ"]])
    assert module.compute(**TAGS)["f1"] == pytest.approx(2 / 3)


def test_the_suite_scores_every_task_and_their_mean():
    inputs = {side: {"names": TAGS[side], "films-rated": RATINGS[side]} for side in ("predictions", "references")}
    module = ToyScore()
    scores = module.compute(**inputs)
    films = ToyScore("films-rated").compute(**RATINGS)["pearson_spearman"]
    assert scores == {
        "toy_score": pytest.approx((2 / 3 + films) / 2),
        "names": pytest.approx(2 / 3),
        "films_rated": films,
        "missing_tasks": [],
    }
    assert [result.task for result in module.results] == ["toy/names", "toy/films-rated"]
    json.dumps(scores, allow_nan=False)


def test_an_incomplete_suite_has_no_score_and_says_what_is_missing():
    scores = ToyScore().compute(predictions={"names": TAGS["predictions"]}, references={"names": TAGS["references"]})
    assert scores == {"toy_score": None, "names": pytest.approx(2 / 3), "missing_tasks": ["films-rated"]}
    json.dumps(scores, allow_nan=False)


def test_the_suite_keeps_batches_per_task():
    module = ToyScore()
    module.add_batch(predictions={"films-rated": [1.0, 2.0]}, references={"films-rated": [1.0, 2.5]})
    module.add(prediction={"films-rated": 4.0}, reference={"films-rated": 3.0})
    scores = module.compute(tasks=["names"], scores=[0.5])
    films = ToyScore("films-rated").compute(**RATINGS)["pearson_spearman"]
    assert scores["films_rated"] == films and scores["toy_score"] == pytest.approx((0.5 + films) / 2)


def test_bgglue_is_the_mean_of_its_nine_tasks():
    # Table 3 of the bgGLUE paper, XLM-R large; the printed average is 75.82.
    printed = [63.81, 85.69, 69.45, 79.73, 36.41, 70.31, 99.30, 92.96, 84.71]
    module = BgglueScore()
    assert module.compute(tasks=list(NINE), scores=printed)["bgglue_score"] == pytest.approx(75.82, abs=0.01)
    part = module.compute(tasks=NINE[:-1], scores=printed[:-1])
    assert part["bgglue_score"] is None and part["missing_tasks"] == [NINE[-1]]


REFUSED = [
    ("names", {"predictions": [["O"]]}, "toy/names: expected lists of predictions and references", "no references"),
    (
        "names",
        {"predictions": [["O"]], "references": []},
        "expected 0 predictions, one per reference, got 1",
        "lengths",
    ),
    ("names", {**TAGS, "average": "macro"}, "unknown arguments average; known: predictions, references", "arguments"),
    ("names", {"tasks": ["names"], "scores": [0.5]}, "load it without a config", "scores under a config"),
    ("names", {}, "toy/names: nothing to score", "nothing"),
    (None, {}, "toy: nothing to score", "nothing at all"),
    (None, TAGS, "expected mappings of task names", "lists for a suite"),
    (None, {"predictions": {"names": [["O"]]}, "references": {}}, "or the reverse: names", "one side only"),
    (None, {"tasks": ["names"], "scores": [0.5, 0.5]}, "expected as many tasks as scores, got 1 and 2", "counts"),
    (None, {"tasks": ["names"]}, "expected as many tasks as scores, got 1 and none", "no scores"),
    (None, {"tasks": ["names", "names"], "scores": [0.5, 0.5]}, "tasks given twice: names", "a task twice"),
    (None, {"tasks": ["nmaes"], "scores": [0.5]}, "toy scores no task 'nmaes'; did you mean 'names'", "unknown task"),
    (None, {"tasks": ["names"], "scores": [float("nan")]}, "expected a finite number as the score, got nan", "NaN"),
]


@pytest.mark.parametrize(("config", "inputs", "message", "why"), REFUSED, ids=[case[-1] for case in REFUSED])
def test_what_cannot_be_computed_is_refused(config, inputs, message, why):
    with pytest.raises(EuroglueError) as caught:
        ToyScore(config).compute(**inputs)
    assert message in str(caught.value), why


def test_an_unknown_config_lists_the_configs_nearest_first():
    with pytest.raises(UnknownNameError, match="bgglue: there is no task 'cinexo'; did you mean 'cinexio'.*cinexio, "):
        BgglueScore("cinexo")


def test_more_than_one_process_is_refused_with_advice():
    with pytest.raises(EuroglueError, match="expected num_process=1, got 2; gather the predictions first"):
        ToyScore("names", num_process=2, process_id=1)


@pytest.mark.issue("evaluate#382")
@pytest.mark.issue("evaluate#481")
@pytest.mark.issue("EuroEval#v16.5.0-open-files")
def test_thousands_of_computes_leave_no_file_no_lock_and_no_handle(tmp_path):
    cache = tmp_path / "never-made"
    handles = Path("/proc/self/fd")
    before = len(list(handles.iterdir())) if handles.exists() else 0
    module = ToyScore("names", cache_dir=str(cache))
    for _ in range(2100):
        module.compute(**TAGS)
    assert not cache.exists()
    if handles.exists():
        assert len(list(handles.iterdir())) <= before + 2


def test_modules_combine():
    both = evaluate.combine({"first": ToyScore("names"), "second": ToyScore("names")})
    both.add_batch(**TAGS)
    both.add(prediction=["B-LOC"], reference=["B-LOC"])
    scores = both.compute()
    assert scores["first_recall"] == scores["second_recall"] == pytest.approx(2 / 3)


def test_the_description_comes_from_the_literals(names_task):
    for module in (ToyScore("names"), ToyScore()):
        assert set(module._feature_names()) == {"predictions", "references"}
        assert module.citation and module.homepage and module.description
        assert "names or integer ids" in module.compute.__doc__ and repr(module)
    assert (BgglueScore("cinexio").name, BgglueScore.suite_name) == ("bgglue_score", "bgglue")


GOLD_OF_BGGLUE = [
    ("ct21t1", [0.7, 0.1], ["check-worthy", "normal"], {"average_precision": 1.0, "precision_at_50": 0.02}),
    ("ct21t1", [0.1, 0.7], [1, 0], {"average_precision": 0.5, "reciprocal_rank": 0.5}),
    ("crediblenews", ["humorous", "credible"], [1, 1], {"f1": pytest.approx(2 / 3), "precision": 1.0, "recall": 0.5}),
    ("examsbg", ["А", "Б"], ["А", "В"], {"accuracy": 0.5}),
    ("fakenews", [1, 1], ["fake", "credible"], {"f1": pytest.approx(2 / 3), "precision": 0.5, "recall": 1.0}),
    (
        "udep",
        [["SCONJ", "X", "CCONJ"]],
        [["CCONJ", "X", "SCONJ"]],
        {"seqeval_f1": 1.0, "accuracy": pytest.approx(1 / 3)},
    ),
    ("xnlibg", ["neutral", "entailment"], [1, 2], {"accuracy": 0.5}),
]


@pytest.mark.parametrize(("config", "predictions", "references", "expected"), GOLD_OF_BGGLUE)
def test_each_task_of_bgglue_has_its_published_score(config, predictions, references, expected):
    scores = BgglueScore(config).compute(predictions=predictions, references=references)
    assert {key: scores[key] for key in expected} == expected
    whole = BgglueScore().compute(predictions={config: predictions}, references={config: references})
    assert whole[config] == next(iter(expected.values())), "the first is the primary one"
    json.dumps(scores, allow_nan=False)


@pytest.mark.issue("evaluate#473")
@pytest.mark.parametrize("name", sorted(MODULES))
def test_a_module_loads_by_name_and_by_folder_offline(name):
    for path in (name, f"metrics/{name}", str(ROOT / "metrics" / name)):
        assert type(evaluate.load(path)).__module__ == MODULES[name]


@pytest.mark.parametrize("name", sorted(MODULES))
def test_the_folder_holds_a_script_with_the_one_class(name):
    spec = importlib.util.spec_from_file_location(f"space_{name}", ROOT / "metrics" / name / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    classes = [value for value in vars(module).values() if isinstance(value, type)]
    assert len(classes) == 1 and issubclass(classes[0], evaluate.EvaluationModule)


@pytest.mark.parametrize("name", sorted(MODULES))
def test_the_card_is_what_the_literals_render(name):
    readme = (ROOT / "metrics" / name / "README.md").read_text(encoding="utf-8")
    assert readme == card.render(name), "write it anew: python -m euroglue.modules.card"


@pytest.mark.parametrize("name", sorted(MODULES))
def test_the_cards_examples_run(name):
    readme = (ROOT / "metrics" / name / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, name, None, 0)
    outcome = doctest.DocTestRunner().run(test)
    assert outcome.attempted > 5 and outcome.failed == 0


@pytest.mark.parametrize("name", sorted(MODULES))
def test_the_card_explains_the_metric_of_every_task(name):
    literal = importlib.import_module(MODULES[name]).CARD
    used = {task.metric for task in suite_score.SUITES[literal.suite].tasks.values()} if literal.suite else set()
    assert used <= set(literal.metrics)


def test_the_spaces_page_answers_with_scores_or_one_line():
    spec = importlib.util.spec_from_file_location("space_app", ROOT / "metrics" / "bgglue_score" / "app.py")
    app = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(app)
    assert json.loads(app.scores("wikiannbg", '[["B-PER"]]', '[["B-PER"]]'))["f1"] == 1.0
    assert "expected 1 predictions" in app.scores("wikiannbg", "[]", '[["O"]]')
    assert "Expecting value" in app.scores("wikiannbg", "nonsense", '[["O"]]')


def test_ids_that_do_not_fit_are_told_with_their_task():
    with pytest.raises(PredictionError, match="bgglue/xnlibg: 1 ids have no prediction: 'b'"):
        evaluate.load("bgglue_score", "xnlibg").compute(predictions={"a": 1}, references={"a": 1, "b": 2})


def sha(text: str) -> str:
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]


@pytest.mark.parametrize(
    ("module", "given", "expected"),
    [
        (
            "bgglue_score",
            {"tasks": ["bsnlp", "cinexio"], "scores": [0.5, 0.7]},
            "metric:mean|tasks:bsnlp,cinexio|suite:bgglue",
        ),
        ("rer", {"predictions": {"dpr": 0.7}}, "metric:rer|tasks:dpr|baseline:BERTje base|n:9"),
        (
            "rer",
            {"predictions": [0.7], "references": [0.5]},
            "metric:rer|tasks:score 0|baseline:given~" + sha('{"score 0": 0.5}') + "|n:1",
        ),
        ("dumb_score", {"tasks": ["dpr"], "scores": [0.7]}, "metric:rer|tasks:dpr|suite:dumb|baseline:BERTje base"),
        (
            "dumb_score",
            {"tasks": ["dpr"], "scores": [0.7], "baseline": {"dpr": 0.6}},
            "metric:rer|tasks:dpr|suite:dumb|baseline:given~" + sha('{"dpr": 0.6}'),
        ),
        (
            "mean_rank_score",
            {"predictions": {"a": {"x": 0.5}, "b": {"x": 0.25}}},
            "metric:mean_rank_score|tasks:x|systems:2~"
            + sha('{"a": {"x": [0.5]}, "b": {"x": [0.25]}}')
            + "|no_spread:one",
        ),
    ],
)
def test_one_number_of_many_scores_tells_how_it_was_made(module, given, expected):
    metric = evaluate.load(module)
    assert metric.signature == ""
    metric.compute(**given)
    assert metric.signature.startswith(f"{expected}|version:")
    assert format_signature(parse_signature(metric.signature)) == metric.signature


@pytest.mark.parametrize(
    ("module", "one", "other", "alike", "why"),
    [
        ("rer", {"references": {"a": 0.5}}, {"references": {"a": 0.6}}, False, "another baseline"),
        ("rer", {"references": {"a": 0.5, "b": 0.1}}, {"references": {"b": 0.1, "a": 0.5}}, True, "the order of tasks"),
        ("dumb_score", {"baseline": {"dpr": 0.5}}, {"baseline": {"dpr": 0.6}}, False, "another baseline"),
        ("dumb_score", {}, {"baseline": {"dpr": 0.6}}, False, "the published baseline and a given one"),
        ("mean_rank_score", {"c": {"x": 0.3}}, {"c": {"x": 0.4}}, False, "another score of a competitor"),
        ("mean_rank_score", {"c": {"x": 0.3}}, {}, False, "another competitor"),
        ("mean_rank_score", {"c": {"x": [0.3, 0.5]}}, {"c": {"x": [0.5, 0.3]}}, True, "the order of runs"),
    ],
)
def test_numbers_against_others_are_signed_with_the_others(module, one, other, alike, why):
    given = {
        "rer": lambda more: {"predictions": {"a": 0.7, **({"b": 0.2} if "b" in more["references"] else {})}, **more},
        "dumb_score": lambda more: {"tasks": ["dpr"], "scores": [0.7], **more},
        "mean_rank_score": lambda more: {"predictions": {"a": {"x": 0.5}, "b": {"x": 0.25}, **more}},
    }[module]
    metric, signatures = evaluate.load(module), []
    for more in (one, other):
        metric.compute(**given(more))
        signatures.append(metric.signature)
    assert (signatures[0] == signatures[1]) is alike, why


def test_a_module_in_many_threads_keeps_their_examples_apart():
    module, wrong = evaluate.load("bgglue_score", "xnlibg"), []

    def work(right: int) -> None:
        for _ in range(80):
            found = module.compute(predictions=[0] * right + [1] * (4 - right), references=[0] * 4)["accuracy"]
            if found != right / 4:
                wrong.append((right, found))

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(5) as pool:
            list(pool.map(work, range(5)))
    finally:
        sys.setswitchinterval(before)
    assert not wrong
