# SPDX-License-Identifier: Apache-2.0
"""The Slovene tasks made of questions and news: the steps, both editions, and the report that compares them."""

import json
import runpy
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from euroeval_datasets import SUITE
from euroglue.cli import main
from euroglue.errors import ContractError, EuroglueError, MissingRawFileError
from euroglue.prepare import prepare
from euroglue.prepare.comparison import compare
from euroglue.prepare.corrupt_checked import corrupt_checked
from euroglue.prepare.leakage import audit
from euroglue.prepare.near import drop_near
from euroglue.prepare.pipeline import run_steps
from euroglue.prepare.questions import (
    drop_contradictory,
    drop_misaligned,
    drop_repetitive,
    keep_lengths,
    report_misaligned,
    text_with_choices,
)
from euroglue.prepare.raw import acquire
from euroglue.prepare.text import same_choices, same_in_all, same_right_choice, same_text, same_words
from euroglue.readers.questions import lettered

NAMES = ("sentinews", "multi-wiki-qa-sl", "mmlu-sl", "winogrande-sl")
EDITIONS = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "editions.py"))
ITEM = same_in_all(same_text("question"), same_choices("choices"))


def asked(*rows):
    """A table of questions: question, choices, letter."""
    table = pd.DataFrame([(q, lettered(c), y) for q, c, y in rows], columns=["question", "choices", "label"])
    return table.assign(id=[f"i{n}" for n in range(len(table))])


@pytest.mark.parametrize(
    ("length", "kept", "why"),
    [(29, False, "one less"), (30, True, "the least"), (2000, True, "the most"), (2001, False, "one more")],
)
def test_bounds_of_length_are_inclusive(length, kept, why):
    table = asked(("x" * length, ["a", "b"], "a"))
    assert len(keep_lengths("question", 30, 2000)(table)) == kept, why


def test_every_choice_must_have_a_length_within_bounds():
    table = asked(("q", ["da", ""], "a"), ("q", ["da", " "], "a"))
    assert keep_lengths("choices", 1, 1000)(table)["id"].tolist() == ["i1"]


@pytest.mark.issue("EuroEval#white-space-choice")
@pytest.mark.parametrize(
    ("question", "choice", "kept"),
    [("da " * 50, "ne", True), ("da " * 51, "ne", False), ("ne", "da " * 51, False), ("q", " ", True), ("", "", True)],
)
def test_repetitions_are_counted_by_word_and_white_space_has_none(question, choice, kept):
    assert len(drop_repetitive(("question", "choices"), most=50)(asked((question, [choice, "x"], "a")))) == kept


@given(st.text(max_size=30), st.lists(st.text(max_size=20), min_size=2, max_size=4))
def test_a_text_has_one_line_for_each_choice(question, choices):
    text = text_with_choices("question", "choices", word="Možnosti")(asked((question, choices, "a")))["text"][0]
    first, word, *lines = text.split("\n")
    assert word == "Možnosti:" and first == question.replace("\n", " ").strip()
    assert [line[:3] for line in lines] == ["a. ", "b. ", "c. ", "d. "][: len(choices)]


def test_a_question_with_two_keys_goes_whatever_the_order_of_its_choices():
    table = asked(
        ("Kaj?", ["da", "ne"], "a"),
        ("kaj? ", ["ne", "da"], "b"),
        ("Kdo?", ["jaz", "ti"], "a"),
        ("Kdo?", ["ti", "jaz"], "a"),
        ("Kdo?", ["jaz", "on"], "b"),
    )
    kept = drop_contradictory(by=ITEM, gold=same_right_choice("choices", "label"))(table)
    assert kept["id"].tolist() == ["i0", "i1", "i4"]


@pytest.mark.parametrize(
    ("start", "text", "aligned"),
    [(5, "teče", True), (4, "teče", False), (-4, "teče", False), (99, "teče", False), (0, "Sava", True)],
)
def test_answers_that_do_not_stand_at_their_place_are_told_and_dropped(start, text, aligned):
    table = pd.DataFrame({"id": ["x"], "c": ["Sava teče"], "a": [{"text": [text], "answer_start": [start]}]})
    assert len(drop_misaligned("c", "a")(table)) == aligned
    assert bool(report_misaligned("id", "c", "a")(table)) != aligned


@pytest.mark.parametrize(
    "step",
    [
        drop_misaligned("c", "a"),
        drop_repetitive(("c",), most=2),
        drop_near(same_words("c")),
        corrupt_checked("id", "c", "c", "c", "c", "c", seed=1),
    ],
)
def test_a_step_keeps_the_columns_of_a_table_without_rows(step):
    rows = pd.DataFrame({name: [] for name in ("id", "c", "a", "split")}, dtype=object)
    assert set(rows) <= set(step(rows)) and len(step(rows)) == 0


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.issue("datasets#240")
def test_the_order_of_raw_rows_does_not_change_a_rebuilt_split(name):
    task = SUITE.task(name)
    literal = task.editions["sample"]
    with acquire(task, "sample") as files:
        table = literal.read(files)
    results = []
    for one in (table, table[::-1], table.sample(frac=1, random_state=5)):
        made, _, _ = run_steps(task, literal, one)
        results.append({split: set(rows["id"]) for split, rows in made.groupby("split")})
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.issue("EuroEval#1907")
def test_no_sample_has_a_leak(name):
    task = SUITE.task(name)
    made = prepare(task, "sample")
    found = audit(task, {split: made.table(split) for split in made.splits}, near_threshold=None)
    assert found.leaks == ()


@pytest.mark.parametrize(
    ("name", "published", "labels"),
    [
        ("sentinews", {"text", "label"}, ("negative", "neutral", "positive")),
        ("multi-wiki-qa-sl", {"id", "title", "context", "question", "answers"}, ()),
        ("mmlu-sl", {"text", "label", "category"}, ("a", "b", "c", "d")),
        ("winogrande-sl", {"text", "label"}, ("a", "b")),
    ],
)
def test_a_task_has_the_published_columns_and_label_names(name, published, labels):
    task = SUITE.task(name)
    assert published <= set(task.features) and task.labels == labels


def test_labels_of_the_rebuilt_news_are_equally_often_within_one():
    counts = prepare(SUITE.task("sentinews"), "sample").manifest["splits"]
    for split in counts.values():
        assert max(split["labels"].values()) - min(split["labels"].values()) <= 1


@pytest.mark.issue("EuroEval#sentinews-index")
@pytest.mark.issue("EuroEval#winogrande-index")
@pytest.mark.parametrize(
    "arguments", [["winogrande-sl"], ["--share", "0.08", "sentinews"], pytest.param([], marks=pytest.mark.slow)]
)
def test_made_up_raw_files_show_the_published_faults_and_none_of_ours(arguments, monkeypatch, capsys):
    monkeypatch.setenv("EUROGLUE_HOME", "set back afterwards")
    assert EDITIONS["main"](arguments) == 0, capsys.readouterr().out
    told = capsys.readouterr().out
    if "winogrande-sl" in told:
        assert "official 110 (110 of 128 in validation, 110 of 1,085 in test), rebuilt 0" in told
    if "sentinews" in told:
        assert "official 256 (256 of 1,024 in train, 256 of 256 in validation), rebuilt 0" in told


@pytest.fixture
def winogrande(tmp_path, home):
    """Made-up raw files of the original number of sentences."""
    import random

    folder = tmp_path / "raw"
    folder.mkdir()
    EDITIONS["winogrande"](folder, 1.0, random.Random(3))
    return folder


def test_the_command_shows_two_editions_side_by_side(winogrande, capsys):
    command = ["audit", "euroeval_sl", "winogrande-sl", "--data-dir", str(winogrande), "--edition", "official"]
    assert main([*command, "--against", "rebuilt"]) == 1
    text = capsys.readouterr().out
    assert "official against rebuilt" in text and "110 of 128 in validation" in " ".join(text.split())
    assert main([*command, "--against", "rebuilt", "--json"]) == 1
    (found,) = json.loads(capsys.readouterr().out)
    assert list(found["editions"]) == ["official", "rebuilt"] and not found["clean"]
    exact = {"kind": "exact", "splits": ["validation", "test"]}
    both = {"official": {"count": 110, "rows": [110, 110]}, "rebuilt": {"count": 0, "rows": [0, 0]}}
    assert exact | both in found["differences"]


@pytest.mark.parametrize(
    ("against", "message"),
    [("official", "expected two editions of one task to compare"), ("mine", "has no edition 'mine'")],
)
def test_an_edition_that_cannot_be_compared_is_a_mistake_of_the_user(winogrande, against, message, capsys):
    command = ["audit", "euroeval_sl", "winogrande-sl", "--data-dir", str(winogrande), "--edition", "official"]
    assert main([*command, "--against", against]) == 2
    assert message in capsys.readouterr().err


def test_editions_of_two_tasks_are_not_compared():
    one, other = (prepare(SUITE.task(name), "sample") for name in NAMES[:2])
    with pytest.raises(EuroglueError, match="expected two editions of one task"):
        compare(one, other)


@pytest.mark.issue("EuroEval#winogrande-index")
def test_a_row_in_two_splits_has_two_ids_and_the_manifest_counts_it(winogrande):
    made = prepare(SUITE.task("winogrande-sl"), "official", data_dir=winogrande)
    (step,) = [one for one in made.manifest["steps"] if one["step"].startswith("draw_in_turn")]
    assert (step["rows_in"], step["rows_out"], step["added"], step["dropped"]) == (1260, 1260, 110, 110)
    ids = [key for split in made.splits for key in made.table(split)["id"]]
    assert len(ids) == len(set(ids)) and sum(key.endswith("@test") for key in ids) == 110


def test_a_file_that_is_wanted_is_named_as_it_is_called_there(tmp_path, monkeypatch):
    monkeypatch.delenv("EUROGLUE_RAW_DIR", raising=False)
    with pytest.raises(
        MissingRawFileError, match=r"Then put \*SL\*dev.jsonl, \*SL\*validation.jsonl, \*SL\*test.jsonl into"
    ):
        prepare(SUITE.tasks["mmlu-sl"], "rebuilt", data_dir=tmp_path)


def test_a_draw_that_fails_for_want_of_a_file_left_out_names_the_file(tmp_path, monkeypatch):
    monkeypatch.delenv("EUROGLUE_RAW_DIR", raising=False)
    name = "sl_ssj-ud-dev.conllu"
    made_up = Path(__file__).parents[2] / "euroeval_datasets" / "sample" / "scala-sl" / name
    (tmp_path / name).write_bytes(made_up.read_bytes())
    options = {"data_dir": tmp_path, "allow_changed_source": True, "allow_missing_splits": True}
    with pytest.raises(
        ContractError, match="the raw files have too few; not at hand: .*sl_ssj-ud-test.conllu; put what"
    ):
        prepare(SUITE.tasks["scala-sl"], "official", **options)
