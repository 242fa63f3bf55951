# SPDX-License-Identifier: Apache-2.0
"""Shots: balanced, never the tested example, the same whatever else is run, in whatever order and process."""

from __future__ import annotations

import multiprocessing
from collections import Counter

import pytest

from euroglue.errors import EuroglueError
from euroglue.prepare import prepare
from euroglue.prompting.kinds import kind_of
from euroglue.prompting.shots import Rows, Shots, text_key
from euroglue.registry import SUITES, find_task
from euroglue.task import Kind

TASKS = [task for suite in SUITES.values() for task in suite.tasks.values()]
each_task = pytest.mark.parametrize("task", TASKS, ids=lambda task: task.path)


def made(suite, name):
    task = find_task(suite, name)
    prepared = prepare(task, "sample")
    return kind_of(task, task.prompt), Rows(prepared.table("train")), Rows(prepared.table("test"))


def ids(kind, rows):
    return [row[kind.task.id_column] for row in rows]


def drawn(name: str, keys: list[str], fixed: bool = False) -> dict[str, list[str]]:
    """The ids of the shots of each example; run in other processes too."""
    kind, train, test = made("bgglue", name)
    shots = Shots(kind, train, count=6, seed=7, fixed=fixed)
    by_id = {str(row[kind.task.id_column]): row for row in test}
    return {key: ids(kind, shots.of(key, by_id[key])) for key in keys}


@pytest.mark.issue("lm-evaluation-harness#1308")
@pytest.mark.parametrize("fixed", [False, True], ids=["drawn", "fixed"])
@pytest.mark.parametrize("name", ["xnlibg", "wikiannbg"])
def test_order_and_number_change_nothing(name, fixed):
    kind, _, test = made("bgglue", name)
    keys = [str(row[kind.task.id_column]) for row in test]
    whole = drawn(name, keys, fixed)
    assert drawn(name, keys[::-1], fixed) == whole
    assert drawn(name, keys[5:8], fixed) == {key: whole[key] for key in keys[5:8]}
    assert len({tuple(found) for found in whole.values()}) == (1 if fixed else len(whole))


@pytest.mark.issue("lm-evaluation-harness#1308")
def test_two_processes_draw_what_one_draws():
    kind, _, test = made("bgglue", "wikiannbg")
    keys = [str(row[kind.task.id_column]) for row in test]
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        parts = pool.starmap(drawn, [("wikiannbg", keys[::2]), ("wikiannbg", keys[1::2])])
    assert {**parts[0], **parts[1]} == drawn("wikiannbg", keys)


@each_task
def test_every_label_is_shown_equally_often_and_no_text_twice(task):
    prepared = prepare(task, "sample")
    kind, train = kind_of(task, task.prompt), Rows(prepared.table("train"))
    groups = {group for row in train for group in kind.groups(row)}
    count = min(2 * len(groups), 10)
    shots = Shots(kind, train, count=count, seed=3, fixed=False)
    for row in list(Rows(prepared.table("test")))[:5]:
        found = shots.of(str(row[task.id_column]), row)
        assert len(found) == len({text_key(kind, shot) for shot in found}) == count
        shown = Counter(group for shot in found for group in kind.groups(shot))
        if task.kind is Kind.TOKEN_CLASSIFICATION:
            assert set(shown) >= groups if count >= len(groups) else shown
        else:
            assert max(shown.values()) - min([shown[group] for group in groups]) <= 1


@pytest.mark.issue("EuroEval#shots-without-tags")
def test_sentences_without_an_entity_are_shown():
    kind, train, test = made("bgglue", "wikiannbg")
    shots = Shots(kind, train, count=4, seed=1, fixed=False)
    shown = [kind.groups(shot) for shot in shots.of("x", test[0])]
    assert ("none",) in shown


def test_no_letter_is_always_shown_once_more_than_others():
    kind, train, test = made("bgglue", "examsbg")
    shots = Shots(kind, train, count=5, seed=1, fixed=False)
    most = Counter(
        max(Counter(map(kind.gold, shots.of(str(number), test[0]))).items(), key=lambda pair: pair[1])[0]
        for number in range(200)
    )
    assert set(most) == {"A", "B", "C", "D"}
    assert max(most.values()) < 100


@pytest.mark.issue("lm-evaluation-harness#4145")
@pytest.mark.parametrize("fixed", [False, True], ids=["drawn", "fixed"])
def test_the_tested_example_is_never_a_shot_even_if_it_is_in_train(fixed):
    kind, train, _ = made("bgglue", "xnlibg")
    shots = Shots(kind, list(train)[:12], count=6, seed=1, fixed=fixed)
    for row in list(train)[:12]:
        altered = {**row, "premise": row["premise"].upper() + " !", "id": "test-0"}
        found = shots.of("test-0", altered)
        assert len(found) == 6
        assert text_key(kind, row) not in [text_key(kind, shot) for shot in found]


def test_a_seed_changes_the_shots():
    kind, train, test = made("bgglue", "xnlibg")
    draws = {tuple(ids(kind, Shots(kind, train, count=4, seed=seed, fixed=True).of("", test[0]))) for seed in range(5)}
    assert len(draws) == 5


def test_short_examples_are_taken_until_there_are_too_few():
    kind, train, test = made("dumb", "dbrd")
    long = [{**row, "text": f"{row['text']} " * 40} for row in train]
    mixed = [one if place % 2 else other for place, (one, other) in enumerate(zip(long, train))]
    found = Shots(kind, mixed, count=6, seed=1, fixed=False).of("x", test[0])
    assert max(len(shot["text"]) for shot in found) <= 512
    assert len(Shots(kind, long, count=6, seed=1, fixed=False).of("x", test[0])) == 6


def test_fewer_examples_than_shots_are_all_shown_once():
    kind, train, test = made("bgglue", "xnlibg")
    few = list(train)[:3]
    found = Shots(kind, [*few, *few], count=8, seed=1, fixed=False).of("x", test[0])
    assert sorted(ids(kind, found)) == sorted(ids(kind, few))


def test_no_shots_need_no_training_data_and_shots_do():
    kind, _, test = made("bgglue", "xnlibg")
    assert Shots(kind, [], count=0, seed=1, fixed=False).of("x", test[0]) == []
    with pytest.raises(EuroglueError, match="shots are drawn from train, which is not there"):
        Shots(kind, [], count=1, seed=1, fixed=False)
