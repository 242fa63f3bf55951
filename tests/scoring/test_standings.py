# SPDX-License-Identifier: Apache-2.0
"""Systems are ranked by EuroEval's formula, by mean rank and by Borda's count; ties, gaps and odd scores have a rule."""

from __future__ import annotations

import json

import evaluate
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata

import euroglue  # noqa: F401  (installs the name hooks)
from euroglue.errors import EuroglueError
from euroglue.registry import SUITES
from euroglue.scoring.results_table import published
from euroglue.scoring.standings import RULES, rank_score, standings

SCORE = st.floats(-1, 1).map(lambda value: round(value, 2))
TABLES = st.integers(1, 4).flatmap(
    lambda tasks: st.lists(
        st.lists(st.lists(SCORE, min_size=1, max_size=4), min_size=tasks, max_size=tasks), min_size=1, max_size=6
    )
)


def named(rows):
    return {f"system {i}": {f"task {j}": runs for j, runs in enumerate(row)} for i, row in enumerate(rows)}


def test_the_worked_example_of_the_formula():
    assert rank_score(np.array([0.80, 0.75]), 0.05) == pytest.approx([1.0, 2.0])


@settings(max_examples=150, deadline=None)
@given(TABLES)
def test_rank_scores_are_those_of_the_formula_restated(rows):
    expected = np.zeros(len(rows))
    for task in range(len(rows[0])):
        every = [score for row in rows for score in row[task]]
        middle = sum(every) / len(every)
        spread = (sum((score - middle) ** 2 for score in every) / len(every)) ** 0.5
        means = [sum(row[task]) / len(row[task]) for row in rows]
        alike = len(set(every)) == 1
        expected += [1.0 if alike else 1 + (max(means) - mean) / spread for mean in means]
    found = standings(named(rows)).values
    assert [found[f"system {i}"] for i in range(len(rows))] == pytest.approx(expected / len(rows[0]), rel=1e-6)


@settings(max_examples=150, deadline=None)
@given(TABLES)
def test_mean_rank_is_scipys_and_borda_counts_who_is_beaten(rows):
    rows = [[runs[:1] for runs in row] for row in rows]
    table, scores = named(rows), np.array([[runs[0] for runs in row] for row in rows])
    order = rankdata(-scores, axis=0).mean(axis=1)
    beaten = [sum((row > scores).sum() + ((row == scores).sum() - len(row)) / 2 for row in [each]) for each in scores]
    mean_rank, borda = standings(table, "mean_rank"), standings(table, "borda")
    for i, system in enumerate(table):
        assert mean_rank.values[system] == pytest.approx(order[i])
        assert borda.values[system] == pytest.approx(beaten[i])


@pytest.mark.issue("EuroEval#616")
def test_scores_worse_than_chance_are_kept():
    table = {"A": {"la": [-0.1, 0.1]}, "B": {"la": [0.2, 0.2]}}
    values = standings(table).values
    assert values["A"] == pytest.approx(1 + 0.2 / np.std([-0.1, 0.1, 0.2, 0.2]))


TIES = [
    ({"A": {"t": 0.5}, "B": {"t": 0.5}, "C": {"t": 0.1}}, {"A": 1, "B": 1, "C": 3}, "a shared first place"),
    ({"A": {"t": 0.1}, "B": {"t": 0.5}, "C": {"t": 0.5}}, {"B": 1, "C": 1, "A": 3}, "whatever the order given"),
    ({"A": {"t": 0.5}}, {"A": 1}, "a system alone"),
]


@pytest.mark.parametrize("rule", sorted(RULES))
@pytest.mark.parametrize(("table", "places", "why"), TIES, ids=[case[-1] for case in TIES])
def test_ties_share_the_better_place(table, places, why, rule):
    found = standings(table, rule)
    assert found.places == places, why
    assert list(found.values)[-1] == list(places)[-1], "the best first"


@pytest.mark.parametrize("value", [0.1, 1 / 3, 0.7])
def test_a_task_without_spread_counts_one_for_all_or_is_left_out(value):
    table = {"A": {"same": [value] * 3, "qa": 0.5}, "B": {"same": [value] * 3, "qa": 0.7}}
    assert standings(table).values == {"B": 1.0, "A": pytest.approx((1 + 3) / 2)}
    skipped = standings(table, no_spread="skip")
    assert skipped.values == {"B": 1.0, "A": pytest.approx(3.0)} and skipped.skipped == ("same",)
    assert standings(table, "mean_rank").tasks["A"]["same"] == 1.5, "the order alone has ties there"


def test_systems_that_lack_a_task_are_not_ranked_and_do_not_count():
    table = {"A": {"x": 0.5, "y": 0.4}, "B": {"x": 0.4, "y": 0.5}, "C": {"x": 0.9}}
    found = standings(table)
    assert found.unranked == {"C": ("y",)} and set(found.values) == {"A", "B"}
    assert found.values["A"] == pytest.approx(2.0), "C neither leads x nor widens its spread"
    assert standings(table, tasks=["x"]).places == {"C": 1, "A": 2, "B": 3}


REFUSED = [
    ({"A": {"t": float("nan")}}, {}, "A, t: expected a finite number or several as the score, got nan", "NaN"),
    ({"A": {"t": [0.5, float("inf")]}}, {}, "A, t: expected a finite number", "infinity among runs"),
    ({"A": {"t": "0.5"}}, {}, "A, t: expected a finite number", "a text"),
    ({"A": {"t": []}}, {}, "A, t: expected a finite number or several as the score, got None", "no run"),
    ({"A": {"t": True}}, {}, "got True", "a bool"),
    ({}, {}, "there are no scores to rank systems by", "nothing"),
    ({"A": {"x": 1}, "B": {"y": 1}}, {}, "no system has a score for every task: A lacks y; B lacks x", "none whole"),
    ({"A": {"t": 1}}, {"tasks": ["u"]}, "no system has a score for every task: A lacks u", "an unknown task"),
    ({"A": {"t": 1}}, {"rule": "median"}, "there is no way to rank systems 'median'", "an unknown rule"),
    ({"A": {"t": 1}}, {"no_spread": "zero"}, "expected no_spread to be one of one, skip, got 'zero'", "a policy"),
    ({"A": {"t": 1}}, {"no_spread": "skip"}, "all scores are equal on every task (t): no_spread=skip", "nothing left"),
]


@pytest.mark.parametrize(("table", "options", "message", "why"), REFUSED, ids=[case[-1] for case in REFUSED])
def test_what_cannot_be_ranked_is_refused(table, options, message, why):
    with pytest.raises(EuroglueError) as caught:
        standings(table, **options)
    assert message in str(caught.value) and "\n" not in str(caught.value), why


def test_the_published_table_of_dumb_is_ranked():
    table = {system.name: dict(system.scores) for system in published("dumb").complete}
    found = standings(table, "mean_rank", tasks=SUITES["dumb"].expected)
    scores = np.array([[row[task] for task in SUITES["dumb"].expected] for row in table.values()])
    expected = dict(zip(table, rankdata(-scores, axis=0).mean(axis=1)))
    assert len(found.values) == 18 and found.values == pytest.approx(expected)


def test_the_module_takes_a_table_or_single_scores_and_forgets_them():
    table = {"A": {"ner": [0.85, 0.75], "qa": 0.5}, "B": {"ner": [0.70, 0.80], "qa": 0.6}, "C": {"ner": 0.9}}
    rows = [
        {"system": system, "task": task, "score": score}
        for system, row in table.items()
        for task, runs in row.items()
        for score in (runs if isinstance(runs, list) else [runs])
    ]
    module = evaluate.load("mean_rank_score")
    expected = module.compute(predictions=table)
    assert expected == module.compute(predictions=rows) == evaluate.combine([module]).compute(predictions=rows)
    assert expected["mean_rank_score"] == dict(standings(table).values) and expected["unranked"] == {"C": ["qa"]}
    module.add(prediction=rows[0])
    module.add_batch(predictions=rows[1:])
    assert len(module) == len(rows) and module.compute() == expected and len(module) == 0
    assert json.loads(json.dumps(expected, allow_nan=False)) == expected


MISUSED = [
    (
        {"predictions": [{"system": "A", "score": 1}]},
        'expected {"system": …, "task": …, "score": …}',
        "a field missing",
    ),
    ({"predictions": [0.5]}, "without a reference, got 0.5", "a bare score"),
    ({"predictions": {"A": {"t": 1}}, "references": {"A": 1}}, "it takes no references", "references"),
    ({}, "there are no scores to rank systems by", "nothing"),
    ({"predictions": {"A": {"t": 1}}, "average": "mean"}, "unknown arguments average", "an unknown argument"),
]


@pytest.mark.parametrize(("given", "message", "why"), MISUSED, ids=[case[-1] for case in MISUSED])
def test_the_module_refuses_what_is_no_table(given, message, why):
    with pytest.raises(EuroglueError) as caught:
        evaluate.load("mean_rank_score").compute(**given)
    assert message in str(caught.value), why
