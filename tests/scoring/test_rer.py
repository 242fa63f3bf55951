# SPDX-License-Identifier: Apache-2.0
"""Relative error reduction: every number of DUMB's leaderboard and paper, and what has none; the module ``rer``."""

from __future__ import annotations

import importlib.util
import json
import math
from dataclasses import replace
from pathlib import Path

import evaluate
import pytest

from euroglue.errors import EuroglueError, FormatError, PredictionError, UnknownNameError
from euroglue.modules import in_memory
from euroglue.modules.dumb_score import DumbScore
from euroglue.modules.rer import RelativeErrorReduction
from euroglue.registry import SUITES
from euroglue.scoring.aggregate import aggregate
from euroglue.scoring.rer import reductions, relative_error_reduction
from euroglue.scoring.results_table import ResultsTable, System, parse_results, published, read_results

ROOT = Path(__file__).parents[2]
TABLE = json.loads((ROOT / "tests/fixtures/dumb/table2.json").read_text(encoding="utf-8"))
TASKS, RER, PRINTED = TABLE["tasks"], TABLE["rer"], TABLE["printed"]
DUMB = published("dumb")
FROM_ROUNDED = {"lassy-pos": 2.0, "dbrd": 1.1}
"""How far, in points, a reduction of printed scores may be from the printed one; 0.7 elsewhere: both are rounded."""


@pytest.mark.parametrize("system", DUMB.systems, ids=lambda system: system.name)
def test_every_number_of_the_leaderboard_is_reproduced(system):
    average, *each = RER[system.name]
    found = DUMB.reductions(system)
    assert list(found) == TASKS
    assert list(found.values()) == pytest.approx(each, abs=1e-12)
    assert math.fsum(found.values()) / 9 == pytest.approx(average, abs=1e-12)


@pytest.mark.parametrize("name", PRINTED)
def test_every_number_of_the_papers_table_is_reproduced(name):
    system = next(one for one in DUMB.systems if one.name == name)
    found = DUMB.reductions(system)
    assert [round(100 * value, 1) for value in found.values()] == PRINTED[name]["rer"]
    assert [round(100 * system.scores[task], 1) for task in TASKS] == PRINTED[name]["scores"]
    assert round(100 * math.fsum(found.values()) / 9, 1) == PRINTED[name]["average"]


@pytest.mark.parametrize("name", PRINTED)
def test_printed_scores_give_nearly_the_printed_reductions(name):
    scores, base = ([value / 100 for value in PRINTED[one]["scores"]] for one in (name, DUMB.baseline))
    found = reductions(dict(zip(TASKS, scores)), dict(zip(TASKS, base)))
    for task, printed in zip(TASKS, PRINTED[name]["rer"]):
        assert 100 * found[task] == pytest.approx(printed, abs=FROM_ROUNDED.get(task, 0.7)), task


def test_the_published_table_is_the_papers_fourteen_and_four_later_systems():
    assert (len(DUMB.systems), len(DUMB.first_published().systems)) == (18, 14)
    assert {system.name for system in DUMB.first_published().systems} == set(PRINTED)
    assert DUMB.base.model_id == "GroNLP/bert-base-dutch-cased" and DUMB.complete == DUMB.systems
    assert "dumbench.nl" in DUMB.source and len({system.model_id for system in DUMB.systems}) == 18


CASES = [
    (0.85, 0.80, 0.25, "the paper's example: 5 of 20 points"),
    (0.80, 0.80, 0.0, "the baseline itself"),
    (1.0, 0.80, 1.0, "no errors"),
    (0.60, 0.80, -1.0, "twice the errors"),
    (0.0, 0.98, -49.0, "no lower bound"),
    (1, 0, 1.0, "whole numbers"),
    (-0.5, 0.0, -0.5, "a correlation"),
]


@pytest.mark.parametrize(("score", "baseline", "expected", "why"), CASES, ids=[case[-1] for case in CASES])
def test_the_share_of_errors_avoided(score, baseline, expected, why):
    assert relative_error_reduction(score, baseline) == pytest.approx(expected), why


REFUSED = [
    (0.9, 1.0, "the baseline scores 1.0: it makes no errors that could be reduced", "no infinity"),
    (1.0, 1.0, "the baseline scores 1.0", "nor 0/0"),
    (85.0, 80.0, "the score: expected a share of at most 1, got 85.0; divide scores out of 100 by 100", "per cent"),
    (0.85, 80.0, "the baseline's score: expected a share of at most 1, got 80.0", "mixed units"),
    (math.nan, 0.8, "the score: expected a finite number, got nan", "NaN"),
    (0.8, -math.inf, "the baseline's score: expected a finite number, got -inf", "infinity"),
    ("0.8", 0.8, "the score: expected a finite number, got '0.8'", "text"),
    (True, 0.8, "the score: expected a finite number, got True", "bool"),
    (None, 0.8, "the score: expected a finite number, got None", "none"),
]


@pytest.mark.parametrize(("score", "baseline", "message", "why"), REFUSED, ids=[case[-1] for case in REFUSED])
def test_what_has_no_reduction_is_refused(score, baseline, message, why):
    with pytest.raises(PredictionError) as caught:
        reductions({"dpr": score}, {"dpr": baseline})
    assert str(caught.value).startswith(f"dpr: {message}"), why


def test_a_baseline_without_the_task_is_refused():
    with pytest.raises(PredictionError, match="the baseline has no score for wicnl; it has: dpr"):
        reductions({"wicnl": 0.5}, {"dpr": 0.5})


@pytest.fixture
def rer_suite(make_suite):
    return replace(make_suite(("names", "films-rated")), aggregate="rer")


def test_a_suite_may_be_scored_by_reductions(rer_suite):
    total = aggregate(rer_suite, {"films-rated": 0.9, "names": 0.4}, {"names": 0.5, "films-rated": 0.8, "more": 0.1})
    assert dict(total.contributions) == pytest.approx({"names": -0.2, "films-rated": 0.5})
    assert (total.value, total.aggregate, dict(total.tasks)) == (
        pytest.approx(0.15),
        "rer",
        {"names": 0.4, "films-rated": 0.9},
    )


def test_an_incomplete_suite_has_reductions_but_no_average(rer_suite):
    total = aggregate(rer_suite, {"names": 0.75}, {"names": 0.5, "films-rated": 0.8})
    assert (total.value, total.missing, dict(total.contributions)) == (None, ("films-rated",), {"names": 0.5})


@pytest.mark.parametrize(
    ("way", "scores", "baseline", "message"),
    [
        ("rer", {"names": 0.5}, None, "toy: its score (rer) needs a baseline: give the baseline's scores by task"),
        ("rer", {"names": 0.5}, {"names": 1.0}, "toy/names: the baseline scores 1.0"),
        ("rer", {"names": 0.5}, {"film": 0.5}, "toy/the baseline has no score for names"),
        ("rer", {"names": 50}, {"names": 0.5}, "toy/names: the score: expected a share of at most 1, got 50.0"),
        ("mean", {"names": 0.5}, {"names": 0.5}, "toy: its score is the mean of its tasks and takes no baseline"),
        ("maen", {"names": 0.5}, None, "there is no aggregate 'maen'; did you mean 'mean'"),
    ],
)
def test_what_a_suite_cannot_be_scored_against_is_refused(make_suite, way, scores, baseline, message):
    with pytest.raises(EuroglueError) as caught:
        aggregate(replace(make_suite(), aggregate=way), scores, baseline)
    assert message in str(caught.value)


@pytest.fixture
def as_dumb(make_suite):
    """A suite with DUMB's name and tasks, without their data, in place of the real one while the test runs."""
    real = SUITES["dumb"] if "dumb" in SUITES else None
    SUITES.unregister("dumb")
    SUITES.register("dumb", replace(make_suite(tuple(TASKS)), name="dumb", aggregate="rer"))
    yield
    SUITES.unregister("dumb")
    if real is not None:
        SUITES.register("dumb", real)


@pytest.mark.usefixtures("as_dumb")
def test_the_suites_module_gives_average_scores_and_reductions():
    system = next(one for one in DUMB.systems if one.name == "DeBERTa v3 large")
    scores = DumbScore().compute(tasks=TASKS, scores=list(system.scores.values()))
    average, *each = RER[system.name]
    assert scores["dumb_score"] == pytest.approx(average, abs=1e-12)
    assert [scores[f"{task.replace('-', '_')}_rer"] for task in TASKS] == pytest.approx(each, abs=1e-12)
    assert scores["lassy_pos"] == system.scores["lassy-pos"] and scores["missing_tasks"] == []
    part = DumbScore().compute(tasks=["dpr"], scores=[0.75], baseline={"dpr": 0.5})
    assert (part["dumb_score"], part["dpr_rer"], len(part["missing_tasks"])) == (None, 0.5, 8)
    json.dumps(scores, allow_nan=False)


FORMS = [
    ({"predictions": [0.85, 0.5], "references": [0.80, 0.6]}, {"reductions": [0.25, -0.25], "rer": 0.0}, "lists"),
    (
        {"tasks": ["a-b", "c"], "predictions": [0.85, 0.5], "references": [0.80, 0.6]},
        {"a_b_rer": 0.25, "c_rer": -0.25, "rer": 0.0},
        "lists with names",
    ),
    ({"predictions": {"a": 0.85}, "references": {"a": 0.80}}, {"a_rer": 0.25, "rer": 0.25}, "mappings"),
    (
        {"predictions": {"a": 0.85}, "references": {"a": 0.80, "b": 0.5}},
        {"a_rer": 0.25, "rer": None, "missing_tasks": ["b"]},
        "no average while a task of the baseline is missing",
    ),
    (
        {"predictions": dict(DUMB.systems[1].scores)},
        {"rer": RER["RobBERT v1 base"][0], "dbrd_rer": RER["RobBERT v1 base"][7], "missing_tasks": []},
        "against the published baseline",
    ),
]


@pytest.mark.parametrize(("inputs", "expected", "why"), FORMS, ids=[case[-1] for case in FORMS])
def test_the_module_takes_scores_in_many_forms(inputs, expected, why):
    scores = evaluate.load("rer").compute(**inputs)
    for key, value in expected.items():
        assert scores[key] == (
            pytest.approx(value, abs=1e-12) if key != "missing_tasks" and value is not None else value
        )
    json.dumps(scores, allow_nan=False)


def test_added_scores_are_kept_and_forgotten():
    module = RelativeErrorReduction()
    module.add(prediction=0.85, reference=0.80)
    module.add_batch(predictions=[0.5], references=[0.6])
    assert len(module) == 2 and module.compute(tasks=["a", "b"])["b_rer"] == pytest.approx(-0.25)
    assert len(module) == 0


MISTAKES = [
    ({}, "rer: expected a list or a mapping of scores as predictions, got NoneType", "nothing"),
    (
        {"predictions": [0.5]},
        "rer: scores without tasks have no published baseline; give tasks, or references",
        "names",
    ),
    ({"predictions": [0.5], "references": [1.0]}, "score 0: the baseline scores 1.0", "a perfect baseline"),
    ({"predictions": [0.5], "references": [0.5, 0.5]}, "expected 2 scores, one per baseline score, got 1", "lengths"),
    ({"predictions": [0.5, 0.5], "references": [0.5]}, "expected 1 scores, one per baseline score, got 2", "too many"),
    ({"predictions": {"dpx": 0.5}}, "the baseline has no score for dpx; it has: lassy-pos", "an unknown task"),
    ({"predictions": [0.5], "tasks": ["a", "b"]}, "rer: expected 2 predictions, one for each", "tasks and scores"),
    ({"predictions": [0.5, 0.6], "tasks": ["dpr", "dpr"]}, "one for each of distinct tasks, got 2", "a task twice"),
    ({"predictions": {}}, "rer: there are no predictions to compare", "an empty mapping"),
    ({"predictions": 0.5, "tasks": ["dpr"]}, "a list or a mapping of scores as predictions, got float", "one number"),
    ({"predictions": {"dpr": 0.5}, "average": "x"}, "unknown arguments average; known: predictions", "arguments"),
]


@pytest.mark.parametrize(("inputs", "message", "why"), MISTAKES, ids=[case[-1] for case in MISTAKES])
def test_what_the_module_cannot_compare_is_refused(inputs, message, why):
    with pytest.raises(EuroglueError) as caught:
        RelativeErrorReduction().compute(**inputs)
    assert message in str(caught.value), why


def test_scores_both_added_and_given_are_refused():
    module = RelativeErrorReduction()
    module.add(prediction=0.5, reference=0.4)
    with pytest.raises(PredictionError, match="added and given to compute as well"):
        module.compute(predictions=[0.5], references=[0.4])
    with pytest.raises(PredictionError, match="rer: expected 0 predictions, one per reference, got 1"):
        module.add_batch(predictions=[0.5], references=[])


def test_a_suite_without_published_results_is_refused():
    with pytest.raises(UnknownNameError, match="there is no published table of results 'domb'; did you mean 'dumb'"):
        RelativeErrorReduction("domb")
    with pytest.raises(EuroglueError, match="expected num_process=1, got 2"):
        RelativeErrorReduction(num_process=2)
    assert issubclass(RelativeErrorReduction, in_memory.InMemoryModule)


def test_the_spaces_page_answers_with_reductions_or_one_line():
    spec = importlib.util.spec_from_file_location("space_rer", ROOT / "metrics" / "rer" / "app.py")
    app = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(app)
    assert json.loads(app.scores('{"a": 0.85}', '{"a": 0.8}'))["a_rer"] == pytest.approx(0.25)
    assert "the baseline scores 1.0" in app.scores('{"a": 0.85}', '{"a": 1.0}')


GOOD = {"suite": "toy", "baseline": "b", "systems": [{"name": "b", "scores": {"x": 0.5}}, {"name": "c", "scores": {}}]}
BAD = [
    ("{", "not JSON (Expecting property name", "cut off"),
    ('{"suite": "a", "suite": "b"}', "not JSON (the key 'suite' occurs twice)", "which of the two?"),
    ("[]", "the table: expected an object, got list", "a list"),
    ({**GOOD, "baseline": "d"}, "the baseline 'd' is none of the systems: b, c", "no baseline"),
    ({**GOOD, "sytsems": []}, "the table: unknown fields sytsems; expected suite, baseline, systems, source", "a typo"),
    ({"suite": "toy", "systems": []}, "the table: baseline missing", "a field missing"),
    ({**GOOD, "systems": {}}, "the table: expected list as 'systems', got {} (dict)", "a wrong type"),
    ({**GOOD, "systems": [{"name": "b"}]}, "system 0: scores missing; expected name, scores", "no scores"),
    ({**GOOD, "systems": [*GOOD["systems"]] * 2}, "systems occur more than once: b, c", "twice"),
    ({**GOOD, "systems": [{"name": "b", "scores": {"x": 50}}]}, "b, x: expected a share of at most 1, got 50", "units"),
    ({**GOOD, "systems": [{"name": "b", "scores": {"x": "1"}}]}, "b, x: expected a finite number, got '1'", "text"),
    (
        '{"suite": "t", "baseline": "b", "systems": [{"name": "b", "scores": {"x": NaN}}]}',
        "not JSON (NaN is not a finite number)",
        "NaN",
    ),
    (
        '{"suite": "t", "baseline": "b", "systems": [{"name": "b", "scores": {"x": 0.5, "x": 0.6}}]}',
        "the key 'x' occurs twice",
        "two scores of one task",
    ),
    (
        '{"suite": "t", "baseline": "b", "systems": [{"name": "b", "scores": {"x": 1' + "0" * 400 + "}}]}",
        "expected a finite number, got 1000",
        "a number beyond the largest float",
    ),
    (
        {**GOOD, "systems": [{"name": "b", "scores": {}, "factors": {"size": 3}}]},
        "b: expected a text as the factor 'size', got 3",
        "a number for a level",
    ),
]


@pytest.mark.parametrize(("content", "message", "why"), BAD, ids=[case[-1] for case in BAD])
def test_a_file_that_is_no_table_is_refused_in_one_line(tmp_path, content, message, why):
    file = tmp_path / "results.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        read_results(file)
    assert str(caught.value).startswith(f"{file}: ") and message in str(caught.value), why
    assert "\n" not in str(caught.value)


def test_files_that_cannot_be_read_are_told(tmp_path):
    with pytest.raises(FormatError, match="cannot be read .*expected a JSON file of results"):
        read_results(tmp_path / "none.json")
    (tmp_path / "old.json").write_bytes('{"suite": "ë"}'.encode("latin-1"))
    with pytest.raises(FormatError, match="not UTF-8 at byte 11"):
        read_results(tmp_path / "old.json")


def test_a_table_keeps_what_the_file_says(tmp_path):
    file = tmp_path / "results.json"
    file.write_text("\ufeff" + json.dumps(GOOD), encoding="utf-8")
    table = read_results(file)
    assert table == ResultsTable("toy", "b", (System("b", {"x": 0.5}), System("c", {})))
    assert (table.tasks, [system.name for system in table.complete]) == (("x",), ["b"])
    assert table.reductions(table.systems[1]) == {}
    more = parse_results(
        json.dumps({**GOOD, "systems": [*GOOD["systems"], {"name": "d", "scores": {"y": 0.1}}]}), "here"
    )
    with pytest.raises(PredictionError, match="d: the baseline has no score for y; it has: x"):
        more.reductions(more.systems[2])


def test_bgglues_published_table_is_its_leaderboard_with_two_trivial_baselines():
    table = published("bgglue")
    assert (len(table.models), len(table.systems), len(table.first_published().models)) == (8, 10, 6)
    means = {system.name: round(100 * sum(system.scores.values()) / 9, 2) for system in table.systems}
    printed = {"XLM-R large": 75.82, "mDeBERTa v3 base": 73.78, "mBERT base": 71.08, "Majority": 18.52}
    assert {name: means[name] for name in printed} == pytest.approx(printed, abs=0.0101)
    assert means["Random"] == 17.52, "the paper prints 17.59"
    assert set(table.tasks) == set(SUITES["bgglue"].expected)
    assert {system.parameters for system in table.models} >= {560_000_000, 118_000_000, None}
