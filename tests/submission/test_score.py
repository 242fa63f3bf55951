# SPDX-License-Identifier: Apache-2.0
"""Submissions are scored by id, equal to ``euroglue score``, and never show gold."""

from __future__ import annotations

import dataclasses
import json
import random

import pytest

from euroglue.cli import main
from euroglue.errors import EuroglueError, FormatError
from euroglue.evaluation import score_on_split
from euroglue.prepare import prepare
from euroglue.registry import SUITES, find_task
from euroglue.results import ResultStore
from euroglue.submission.check import check
from euroglue.submission.metadata import TaskData
from euroglue.submission.reference import of_folder
from euroglue.submission.score import from_editions, from_folder, score_submission
from tests.submission.made import archive, full, gold, lines, rows, written

SAMPLE = from_editions("sample", required=True)


def noisy(name, suite="bgglue", seed=0):
    """Predictions of which a third are another example's, in another order."""
    rng = random.Random(seed)
    made = rows(suite, name)
    task = find_task(suite, name)
    tagged = task.kind.value == "token_classification"
    for row in made:
        if rng.random() < 0.3:
            other = rng.choice(made)["label"]
            row["label"] = (
                " ".join(["O" if "O" in task.labels else task.labels[0]] * len(row["label"].split()))
                if tagged
                else other
            )
    rng.shuffle(made)
    return made


@pytest.mark.parametrize("suite", ["bgglue", "dumb"])
def test_scores_are_those_of_the_score_command(tmp_path, suite):
    changed = {name.replace("-", "_"): noisy(name, suite) for name in SUITES[suite].tasks}
    scored = score_submission(check(full(tmp_path / "s.zip", suite, **changed), SAMPLE))
    assert len(scored) == 9
    for one in scored:
        made = prepare(find_task(suite, one.record.task), "sample")
        path = tmp_path / "p.jsonl"
        path.write_text(lines(changed[one.record.task.replace("-", "_")]), encoding="utf-8")
        expected = score_on_split(made, "test", path)
        assert dict(one.record.scores) == dict(expected.scores) and one.record.signature == expected.signature
        assert 0 < one.record.value < 1 and list(one.rows) == list(gold(suite, one.record.task))


def as_files(folder, suite, layout):
    for name in SUITES[suite].tasks:
        task = find_task(suite, name)
        values = gold(suite, name)
        ranking = task.kind.value == "ranking"
        labels = [
            task.labels[v] if ranking else v["text"] if isinstance(v, dict) else written(task, v)
            for v in values.values()
        ]
        path = folder / layout.format(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".txt":
            text = "".join(f"topic\t{key}\t{label}\n" for key, label in zip(values, labels))
        else:
            text = lines([{"id": key, "label": label} for key, label in zip(values, labels)])
        path.write_text(text, encoding="utf-8")
    return folder


LAYOUTS = ["{}.jsonl", "{}/predictions.jsonl", "predictions/{}/predictions.jsonl"]


@pytest.mark.parametrize(
    ("suite", "layout"), [("bgglue", one) for one in [*LAYOUTS, "{}/labels.txt"]] + [("dumb", LAYOUTS[0])]
)
def test_every_layout_of_private_gold_gives_the_same_scores(tmp_path, suite, layout):
    changed = {name.replace("-", "_"): noisy(name, suite) for name in SUITES[suite].tasks}
    path = full(tmp_path / "s.zip", suite, **changed)
    mine = score_submission(check(path, from_folder(as_files(tmp_path / "gold", suite, layout))))
    theirs = score_submission(check(path, SAMPLE))
    assert [dict(one.record.scores) for one in mine] == [dict(one.record.scores) for one in theirs]
    assert [one.record.edition for one in mine] == ["sample"] * 9


def test_an_exported_edition_is_gold_too(tmp_path):
    assert main(["prepare", "bgglue", "xnlibg", "--edition", "sample", "--out", str(tmp_path / "gold")]) == 0
    found = of_folder(tmp_path / "gold", find_task("bgglue", "xnlibg"), "test")
    assert (
        found.ids == tuple(gold("bgglue", "xnlibg"))
        and found.fingerprint == prepare(find_task("bgglue", "xnlibg"), "sample").fingerprint
    )


def test_labels_by_position_score_bgglues_own_submissions(tmp_path):
    task = find_task("bgglue", "xnlibg")
    folder = tmp_path / "gold" / "xnlibg"
    folder.mkdir(parents=True)
    (folder / "labels.txt").write_text(
        "\n".join(written(task, value) for value in gold("bgglue", "xnlibg").values()), encoding="utf-8"
    )
    found = [{"index": place, "label": row["label"]} for place, row in enumerate(rows("bgglue", "xnlibg"))]
    checked = check(archive(tmp_path / "s.zip", {"xnlibg": lines(found)}), from_folder(tmp_path / "gold"))
    assert score_submission(checked)[0].record.value == 1.0


GOLD_CHOICES = [
    ("dumb", "copanl", 1, 2, 0, "", "numbers below their number"),
    ("dumb", "copanl", 1, 2, 2, "expected one of the choices 0, 1, got 2", "a number beyond them"),
    ("dumb", "copanl", 1, None, 2, "", "a gold that says nothing of choices"),
    ("bgglue", "examsbg", "B", ["A", "B", "C"], "C", "", "one of the names"),
    (
        "bgglue",
        "examsbg",
        "B",
        ["A", "B", "C"],
        "D",
        "expected one of the choices A, B, C, got 'D'",
        "none of the names",
    ),
    (
        "bgglue",
        "examsbg",
        "B",
        [{"label": "A"}, {"label": "B"}],
        "C",
        "choices A, B, got 'C'",
        "choices as examples have",
    ),
    ("euroeval_sl", "mmlu-sl", "b", 3, "d", "expected one of the choices a, b, c, got 'd'", "a label of three choices"),
]


@pytest.mark.parametrize(
    ("suite", "name", "label", "choices", "guess", "problem", "why"),
    GOLD_CHOICES,
    ids=[case[-1] for case in GOLD_CHOICES],
)
def test_gold_may_say_which_choices_an_example_has(tmp_path, suite, name, label, choices, guess, problem, why):
    row = {"id": "1", "label": label, **({} if choices is None else {"choices": choices})}
    (tmp_path / f"{name}.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    made = archive(tmp_path / "s.zip", {name: lines([{"id": "1", "label": guess}])})
    checked = check(made, from_folder(tmp_path), suite)
    found = [one.what for one in checked.problems if one.line == 1]
    assert (len(found) == 1 and problem in found[0]) if problem else not found


@pytest.mark.parametrize(
    ("name", "label", "choices", "message"),
    [
        ("copanl", 1, 1, "the gold label is none of its 1 choices"),
        ("copanl", 1, "two", "expected the names of its choices, or their number"),
        ("copanl", 1, {"n": 2}, "expected the names of its choices, or their number"),
        ("copanl", 1, 10**30, None),
        ("copanl", 1.5, 2, "no gold label of dumb/copanl"),
        ("copanl", 10**400, 2, "no gold label of dumb/copanl"),
    ],
)
def test_gold_that_is_none_of_its_choices_is_refused(tmp_path, name, label, choices, message):
    row = {"id": "1", "label": label, "choices": choices}
    (tmp_path / f"{name}.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    if message is None:
        assert of_folder(tmp_path, find_task("dumb", name), "test").gold == (1,)
        return
    with pytest.raises(FormatError, match=f"line 1: {message}"):
        of_folder(tmp_path, find_task("dumb", name), "test")


SECRET = "GEHEIM"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("xnlibg", '{"id": "1", "label": "GEHEIM"}\n'),
        ("xnlibg", '{"id": "1", "label": "neutral", GEHEIM\n'),
        ("xnlibg", "GEHEIM\n"),
        ("cinexio", '{"id": "1", "label": "GEHEIM"}\n'),
        ("wikiannbg", '{"id": "1", "label": "O GEHEIM"}\n'),
        ("wikiannbg", '{"id": "1", "label": [["GEHEIM"]]}\n'),
        ("ct21t1", '{"id": "1", "label": "GEHEIM"}\n'),
        ("xnlibg", '["GEHEIM"]\n'),
        ("xnlibg", '{"id": "1", "label": "neutral"}\n{"id": "1", "label": "GEHEIM"}\n'),
    ],
)
def test_wrong_gold_is_told_by_line_and_not_shown(tmp_path, capsys, name, text):
    (tmp_path / "gold").mkdir()
    (tmp_path / "gold" / f"{name}.jsonl").write_text(text, encoding="utf-8")
    assert main(["submit", "score", str(full(tmp_path / "s.zip")), "--gold", str(tmp_path / "gold")]) == 2
    shown = "".join(capsys.readouterr())
    assert SECRET not in shown and shown
    with pytest.raises(FormatError, match="line [12]") as error:
        of_folder(tmp_path / "gold", find_task("bgglue", name), "test")
    assert SECRET not in str(error.value)


def test_gold_that_cannot_be_scored_is_not_shown(tmp_path):
    checked = check(full(tmp_path / "s.zip"), SAMPLE)
    odd = dataclasses.replace(checked.references["xnlibg"], gold=(SECRET,) * 45)
    with pytest.raises(EuroglueError, match="cannot be scored") as error:
        score_submission(dataclasses.replace(checked, references={**checked.references, "xnlibg": odd}))
    assert SECRET not in str(error.value) and error.value.__cause__ is None
    assert SECRET not in repr(odd)


def test_no_command_shows_gold(tmp_path, capsys, monkeypatch):
    """Every gold label is a word that occurs nowhere else: it must not be seen in any output."""
    folder = tmp_path / "gold"
    folder.mkdir()
    answers = {key: f"геhеim{place}" for place, key in enumerate(gold("bgglue", "examsbg"))}
    (folder / "examsbg.jsonl").write_text(lines([{"id": k, "label": v} for k, v in answers.items()]), encoding="utf-8")
    for change in (lambda r: r, lambda r: r[1:], lambda r: [{**r[0], "label": 5}, *r[1:]]):
        path = archive(tmp_path / "s.zip", {"examsbg": lines(change(rows("bgglue", "examsbg")))})
        for command in (
            ["score", "--results", str(tmp_path / "store"), "--replace"],
            ["score", "--json"],
            ["check"],
            ["check", "--json"],
        ):
            main(["submit", command[0], str(path), "--gold", str(folder), *command[1:]])
    shown = "".join(capsys.readouterr())
    kept = "".join(file.read_text(encoding="utf-8") for file in tmp_path.glob("store/**/*.json"))
    assert "examsbg" in shown and "examsbg" in kept
    assert "геhеim" not in shown + kept


def test_hidden_labels_are_told(tmp_path, monkeypatch):
    task = find_task("bgglue", "xnlibg")
    edition = dataclasses.replace(task.editions["sample"], hidden=("test",))
    hidden = dataclasses.replace(task, editions={**task.editions, "sample": edition})
    found = from_editions("sample")(hidden, TaskData(), "test")
    assert found.gold is None and len(found.ids) == 45
    checked = check(full(tmp_path / "s.zip"), SAMPLE)
    with pytest.raises(EuroglueError, match="hidden or not at hand: give --gold"):
        score_submission(dataclasses.replace(checked, references={"xnlibg": found}))


def test_scores_go_into_the_store_and_rows_only_when_asked_for(tmp_path, capsys):
    path = full(tmp_path / "s.zip")
    assert main(["submit", "score", str(path), "--results", str(tmp_path / "a")]) == 0
    assert main(["submit", "score", str(path), "--results", str(tmp_path / "b"), "--keep-rows", "--json"]) == 0
    plain, kept = ResultStore(tmp_path / "a"), ResultStore(tmp_path / "b")
    assert len(list(plain)) == 9 and list(plain) == list(kept)
    assert all(plain.rows(record) is None for record in plain)
    assert all(len(kept.rows(record)) == record.n for record in kept)
    assert {record.edition for record in plain} == {"sample"}


def test_a_submission_with_problems_is_not_scored(tmp_path, capsys):
    path = full(tmp_path / "s.zip", xnlibg=rows("bgglue", "xnlibg")[1:])
    assert main(["submit", "score", str(path), "--results", str(tmp_path / "store")]) == 1
    assert "1 of 45 ids have no prediction" in capsys.readouterr().out
    assert not (tmp_path / "store").exists()
    with pytest.raises(EuroglueError, match="1 problems"):
        score_submission(check(path, SAMPLE))


def test_checks_by_command(tmp_path, capsys):
    assert main(["submit", "check", str(full(tmp_path / "s.zip")), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["problems"] == []
    assert main(["submit", "check", str(full(tmp_path / "s.zip", cinexio=[]))]) == 1
    assert "predictions/cinexio/predictions.jsonl: no rows" in capsys.readouterr().out
    assert main(["submit", "check", str(tmp_path / "s.zip"), "--gold", "nowhere"]) == 2
    assert main(["submit", "check", str(tmp_path / "s.zip"), "--gold", ".", "--edition", "sample"]) == 2


def test_intervals_are_kept_when_asked_for(tmp_path):
    path = full(tmp_path / "s.zip", **{name: noisy(name) for name in SUITES["bgglue"].tasks})
    assert main(["submit", "score", str(path), "--results", str(tmp_path / "a"), "--interval", "percentile"]) == 0
    for record in ResultStore(tmp_path / "a"):
        low, high = record.intervals[record.primary]
        assert low <= record.value <= high and "interval:percentile" in record.signature
