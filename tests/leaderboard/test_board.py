# SPDX-License-Identifier: Apache-2.0
"""Who stands where on a leaderboard, by numbers that the papers and scipy give too."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import statistics
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import rankdata

from euroglue.leaderboard.board import make_boards
from euroglue.leaderboard.downloads import as_csv, as_json, as_latex
from euroglue.leaderboard.marks import RowTests
from euroglue.leaderboard.plots import Box, heat, nice_ticks, rer_bars, scatter, size_text, strips
from euroglue.registry import SUITES
from euroglue.results import Record, ResultStore
from euroglue.scoring import metric_for
from tests.leaderboard.made import HOSTILE, record, records

ROOT = Path(__file__).parents[2]
DUMB, BGGLUE = SUITES["dumb"], SUITES["bgglue"]
PAPER = json.loads((ROOT / "tests/fixtures/dumb/table2.json").read_text(encoding="utf-8"))


def board(found=(), suite=DUMB, **options):
    return make_boards(suite, found, **options)[0]


def entry(made, model):
    (found,) = (one for one in made.entries if one.model == model)
    return found


def test_the_published_boards_stand_as_published():
    dumb, bgglue = board(), board(suite=BGGLUE)
    assert [one.model for one in dumb.ranked][:4] == [
        "RobBERT 2023 large",
        "DeBERTa v3 large",
        "XLM-R large",
        "mDeBERTa v3 base",
    ]
    assert [one.rank for one in dumb.ranked] == list(range(1, 19)) and dumb.order == "rer"
    printed = {"XLM-R large": 75.82, "mDeBERTa v3 base": 73.78, "XLM-R base": 73.04, "BulBERT chitanka": 54.65}
    found = {one.model: 100 * one.mean for one in bgglue.ranked}
    assert list(found)[:3] == list(printed)[:3] and len(found) == 8 and bgglue.order == "mean"
    assert {name: found[name] for name in printed} == pytest.approx(printed, abs=0.01)
    assert [one.model for one in bgglue.entries if one.trivial] == ["Majority", "Random"]
    assert all(one.rank is None and one.mean_rer is None for one in bgglue.entries if one.trivial)
    assert all(one.published for one in (*dumb.entries, *bgglue.entries))


def test_reductions_are_those_of_dumbs_leaderboard():
    made = board()
    assert len(PAPER["rer"]) == len(made.entries)
    for name, (average, *by_task) in PAPER["rer"].items():
        found = entry(made, name)
        assert [found.rer[task] for task in PAPER["tasks"]] == pytest.approx(by_task, abs=1e-12)
        assert found.mean_rer == pytest.approx(average, abs=1e-12)


def test_mean_ranks_are_scipys():
    made = board()
    columns = [[-one.cells[name].value for one in made.ranked] for name in DUMB.expected]
    expected = np.mean([rankdata(column) for column in columns], axis=0)
    assert [one.mean_rank for one in made.ranked] == pytest.approx(expected.tolist())


def test_what_lacks_a_task_is_shown_below_without_a_rank():
    made = board([*records("whole", 0.99, step=0.0), *records("part", 1.0, step=0.0)[:8]])
    assert entry(made, "whole").rank == 1
    part = entry(made, "part")
    assert (part.rank, part.mean, part.mean_rer, part.mean_rank, len(part.cells)) == (None, None, None, None, 8)
    assert made.entries[-1] == part and made.ranked[-1] == made.entries[-2]
    assert part.cells["dpr"].best, "it may lead a task all the same"


def test_equal_averages_share_a_place():
    made = board([*records("a", 0.5), *records("b", 0.5), *records("c", 0.4)], with_published=False)
    assert [(one.model, one.rank, one.mean_rank) for one in made.entries] == [
        ("a", 1, 1.5),
        ("b", 1, 1.5),
        ("c", 3, 3.0),
    ]
    assert all(one.cells[name].best for one in made.entries[:2] for name in DUMB.expected)


def test_seeds_are_averaged_with_their_standard_deviation():
    values = [0.80, 0.84, 0.85]
    found = [record("dpr", value, seed=seed, intervals={"accuracy": (0.1, 0.9)}) for seed, value in enumerate(values)]
    cell = board(found).entries[-1].cells["dpr"]
    assert cell.value == pytest.approx(statistics.mean(values)) and cell.spread == pytest.approx(
        statistics.stdev(values)
    )
    assert (cell.low, cell.high, len(cell.records)) == (None, None, 3), "an interval is of one run"
    alone = board(found[:1]).entries[-1].cells["dpr"]
    assert (alone.low, alone.high, alone.spread) == (0.1, 0.9, None)


@pytest.mark.issue("EuroEval#1970")
def test_methods_shots_and_revisions_are_entries_of_their_own():
    ways = [
        {"method": "prompted", "shots": 0},
        {"method": "prompted", "shots": 5},
        {"revision": "a"},
        {"revision": "b"},
        {"variant": "v"},
    ]
    made = board([one for way in ways for one in records("m", 0.5, **way)], with_published=False)
    assert len(made.entries) == 5 and len({one.slug for one in made.entries}) == 1


def test_a_prompted_run_with_each_task_s_own_number_of_shots_is_one_entry():
    found = [
        dataclasses.replace(one, shots=number)
        for number, one in enumerate(records("m", 0.5, method="prompted", shots=0))
    ]
    (whole,) = board(found, with_published=False).entries
    assert (len(whole.cells), whole.shots, whole.rank) == (len(DUMB.expected), None, 1)
    apart = board([*found, dataclasses.replace(found[0], shots=99)], with_published=False).entries
    cells = [cell for one in apart for cell in one.cells.values()]
    assert len(cells) == len(found) + 1, "no mean over numbers of shots"


def test_editions_and_splits_are_kept_apart():
    found = [*records("a", 0.5, edition="sample"), *records("b", 0.6), record("dpr", 0.1, "c", split="validation")]
    boards = make_boards(DUMB, found, with_published=False)
    assert [(made.name, [one.model for one in made.entries]) for made in boards] == [
        ("dumb", ["b"]),
        ("dumb-sample", ["a"]),
    ]
    default = DUMB.tasks["dpr"].default_edition
    assert board([record("dpr", 0.5, edition=default)]).name == "dumb", "the default edition by name"
    assert [one.model for one in board(found, split="validation", with_published=False).entries] == ["c"]


def test_what_is_below_the_trivial_baseline_is_marked():
    made = board(suite=BGGLUE)
    below = {one.model: [name for name, cell in one.cells.items() if cell.below] for one in made.entries}
    assert below["BulBERT chitanka"] == ["wikiannbg"] and not any(
        marks for name, marks in below.items() if "Bul" not in name
    )


@pytest.mark.parametrize("name", ["nobody", "part"])
def test_a_baseline_that_lacks_a_task_is_none(name):
    assert board(records("part", 0.5)[:3], baseline=name).baseline == "BERTje base"
    assert board(records("part", 0.5, "bgglue")[:3], BGGLUE, baseline=name).baseline == "mBERT base"


def test_another_baseline_and_none():
    made = board([*records("a", 0.5), *records("b", 0.75, step=0.005)], baseline="a", with_published=False)
    assert entry(made, "b").mean_rer == pytest.approx(0.5) and entry(made, "a").mean_rer == 0
    alone = board(records("a", 0.5), with_published=False)
    assert (alone.order, alone.baseline) == ("rer", "BERTje base"), (
        "the published baseline counts though it is not shown"
    )
    sample = make_boards(DUMB, records("a", 0.5, edition="sample"), with_published=False)[1]
    assert (sample.order, sample.baseline, sample.entries[0].mean_rer) == ("mean", "", None)


def test_results_on_different_data_are_told():
    found = [record("dpr", 0.5, name, signature=f"n:1|data:{data * 64}") for name, data in (("a", "0"), ("b", "1"))]
    (note,) = board(found).notes
    assert "dpr" in note and "000000000000" in note and "111111111111" in note
    assert not board(found[:1]).notes


def rows_of(values):
    return {str(place): [float(value), 1.0] for place, value in enumerate(values)}


def stored(tmp_path, right):
    """Accuracy on COPA-NL with rows; ``right`` maps a model to its right answers."""
    store = ResultStore(tmp_path)
    for model, values in right.items():
        store.add(
            record("copanl", sum(values) / len(values), model, n=len(values), signature="n:1|data:0"), rows_of(values)
        )
    return store


def test_what_cannot_be_told_from_the_best_is_marked(tmp_path):
    best = [1] * 90 + [0] * 10
    right = {"best": best, "near": [0, 1] + best[2:], "far": [1] * 40 + [0] * 60}
    store = stored(tmp_path, right)
    store.add(record("copanl", 0.895, "no rows", signature="n:1|data:0"))
    made = board(list(store), with_published=False, same=RowTests(store))
    assert {one.model: one.cells["copanl"].same for one in made.entries} == {
        "best": False, "near": True, "far": False, "no rows": False,
    }  # fmt: skip
    assert entry(made, "best").cells["copanl"].best


def test_only_the_same_examples_of_the_same_data_are_compared(tmp_path):
    store = stored(tmp_path, {"best": [1, 1, 1, 1], "same": [1, 1, 1, 0]})
    other = record("copanl", 0.5, "other data", n=4, signature="n:1|data:1")
    store.add(other, rows_of([1, 1, 0, 0]))
    settings = record("copanl", 0.75, "other settings", n=4, signature="ties:first|n:1|data:0")
    store.add(settings, rows_of([1, 1, 1, 0]))
    store.add(record("copanl", 0.5, "fewer", n=2, signature="n:1|data:0"), rows_of([1, 0]))
    made = board(list(store), with_published=False, same=RowTests(store))
    assert [one.model for one in made.entries if one.cells["copanl"].same] == ["same"]


def test_error_rates_lead_from_below(monkeypatch):
    errors = dataclasses.replace(DUMB.tasks["dpr"], metric="rmse")
    monkeypatch.setitem(DUMB.tasks._values, "dpr", errors)
    key = metric_for(errors).primary
    found = [
        Record(
            suite="dumb",
            task="dpr",
            model=name,
            method="fine-tuned",
            primary=key,
            scores={key: value},
            n=1,
            signature="n:1",
        )
        for name, value in (("good", 0.2), ("bad", 3.0))
    ]
    made = board(found, with_published=False)
    assert entry(made, "good").cells["dpr"].best and not entry(made, "bad").cells["dpr"].best
    assert entry(made, "good").cells["dpr"].shade > entry(made, "bad").cells["dpr"].shade


def test_downloads_hold_what_the_board_shows():
    made = board([*records(HOSTILE, 0.5), *records("=1+1", 0.4), record("dpr", 0.5, 'part, "one"')])
    table = list(csv.DictReader(io.StringIO(as_csv(made))))
    assert [row["model"] for row in table[:2]] == [one.model for one in made.entries[:2]] and len(table) == len(
        made.entries
    )
    by_name = {row["model"]: row for row in table}
    assert float(by_name["BERTje base"]["dpr"]) == entry(made, "BERTje base").cells["dpr"].value
    assert "'=1+1" in by_name and "=1+1" not in by_name, "no formula"
    assert by_name['part, "one"']["rank"] == "" and by_name['part, "one"']["tasks"] == "1"
    plain = json.loads(as_json(made))
    assert [one["model"] for one in plain["entries"]] == [one.model for one in made.entries]
    assert (
        Record.from_dict(plain["entries"][0]["tasks"]["dpr"]["records"][0]).value == made.entries[0].cells["dpr"].value
    )
    text = as_latex(made)
    assert text.count(r" \\") == len(made.entries) + 1 and r"$<$img src=x" in text and "80.47" in text


def test_charts_have_every_model_and_stay_in_their_frames():
    made = board(records(HOSTILE, 0.5, parameters=7_000_000_000))
    plot = scatter(made)
    assert len(plot.points) == 14 and all(plot.left <= point.x <= plot.right for point in plot.points)
    assert all(plot.top <= point.y <= plot.bottom for point in plot.points)
    boxes = [Box(p.label_x, p.label_y - 6, p.label_x + 1, p.label_y + 2) for p in plot.points if p.label]
    assert len(boxes) > 5 and not any(a.meets(b) for i, a in enumerate(boxes) for b in boxes[:i])
    assert [tick.text for tick in plot.x_ticks] == ["100M", "200M", "500M", "1B", "2B", "5B"]
    assert len(strips(made).bars) == 9 and len(rer_bars(made).bars) == 18
    squares = {square.title: square.text for square in heat(board()).squares}
    assert squares[next(title for title in squares if title.startswith("POS (Lassy) and NER"))] == "0.86"
    empty = board(with_published=False)
    assert scatter(empty) is strips(empty) is rer_bars(empty) is heat(empty) is None


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (-42.8, 18.6, [-60, -40, -20, 0, 20]),
        (5, 5, [5, 5.0]),
        (0.1, 99, [0, 20, 40, 60, 80, 100]),
    ],
)
def test_ticks_are_round_and_enclose(low, high, expected):
    found = nice_ticks(low, high)
    assert found[0] <= low and found[-1] >= high and len(found) >= 2
    if low != high:
        assert found == expected


@pytest.mark.parametrize(
    ("value", "text"), [(None, "–"), (999, "999"), (1_500, "1.5K"), (7_241_732_096, "7.2B"), (1.8e12, "1.8T")]
)
def test_sizes_are_written_short(value, text):
    assert size_text(value) == text
