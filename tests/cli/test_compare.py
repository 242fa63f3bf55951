# SPDX-License-Identifier: Apache-2.0
"""``euroglue compare`` on files of predictions and on results of a store."""

from __future__ import annotations

import json

import numpy as np
import pytest

from euroglue.evaluation import rows_on_split, score_on_split
from euroglue.predictions import write_predictions
from euroglue.prepare import prepare
from euroglue.registry import find_task
from euroglue.results import Record, ResultStore
from euroglue.scoring.comparable import differences
from euroglue.scoring.signature import parse_signature
from tests.cli.test_commands import run, run_json

SUITE, TASK, SPLIT = "bgglue", "cinexio", "train"


@pytest.fixture
def made():
    return prepare(find_task(SUITE, TASK), "sample")


@pytest.fixture
def files(made, tmp_path):
    """Predictions of a good and of a bad system."""
    table, rng = made.table(SPLIT), np.random.default_rng(1)
    ids = [str(value) for value in table[made.task.id_column]]
    for name, noise in (("good", 0.5), ("bad", 4.0)):
        write_predictions(
            tmp_path / f"{name}.jsonl", made.task, ids, list(table["label"] + noise * rng.normal(size=len(ids)))
        )
    return str(tmp_path / "good.jsonl"), str(tmp_path / "bad.jsonl")


@pytest.fixture
def store(made, files, tmp_path):
    """A store with the results of both systems, and their rows."""
    store = ResultStore(tmp_path / "results")
    for path, model in zip(files, ("good", "bad")):
        store.add(record(made, path, model), rows_on_split(made, SPLIT, path))
    return store


def record(made, path, model, **other):
    result = score_on_split(made, SPLIT, path)
    given = {
        "suite": SUITE, "task": TASK, "model": model, "method": "fine-tuned", "primary": result.primary,
        "scores": result.scores, "n": result.n, "signature": result.signature, "edition": "sample", "split": SPLIT,
    }  # fmt: skip
    return Record(**{**given, **other})


def test_files_and_stored_results_give_the_same_comparison(files, store, capsys):
    common = ("--split", SPLIT, "--resamples", "200")
    code, one = run_json(capsys, "compare", SUITE, TASK, *files, "--edition", "sample", *common)
    assert code == 0 and one["difference"] > 0.1 and one["interval"][0] > 0
    assert one["bootstrap_p"] < 0.05 and one["randomisation"]["p"] < 0.05 and one["mcnemar"] is None
    code, other = run_json(capsys, "compare", SUITE, TASK, "good", "bad", "--results", str(store.root), *common)
    assert code == 0 and {**other, "systems": 0} == {**one, "systems": 0}


def test_it_is_shown_in_words(files, capsys):
    arguments = ("compare", SUITE, TASK, *files, "--edition", "sample", "--split", SPLIT, "--group", "Cinexio_URL")
    code, out, err = run(capsys, *arguments)
    assert (code, err) == (0, "")
    assert "64 examples in 10 values of Cinexio_URL" in out and "all 1,024 swaps" in out
    assert "95% interval of the difference (bca, 1,000 resamples): +" in out


def test_groups_of_stored_results(store, capsys):
    arguments = ("compare", SUITE, TASK, "good", "bad", "--results", str(store.root), "--split", SPLIT)
    code, found = run_json(capsys, *arguments, "--group", "Cinexio_URL")
    assert code == 0 and found["units"] == 10 and found["randomisation"]["exact"]


def test_a_file_of_gold_and_mcnemar(made_up, capsys, tmp_path):
    gold = {"test-0": "B-PER O O", "test-1": "B-LOC O"}
    paths = []
    for name, rows in (("gold", gold), ("all", gold), ("half", {**gold, "test-1": "O O"})):
        paths.append(tmp_path / f"{name}.jsonl")
        lines = [json.dumps({"id": key, "label": label}) + "\n" for key, label in rows.items()]
        paths[-1].write_text("".join(lines), encoding="utf-8", newline="\n")
    made_up()
    code, found = run_json(
        capsys, "compare", "made-up", "films", str(paths[1]), str(paths[2]), "--references", str(paths[0])
    )
    assert code == 0 and found["mcnemar"]["only_first"] == 1 and found["randomisation"] == {
        "difference": found["difference"], "p": 1.0, "arrangements": 4, "exact": True,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("other", "rows", "message"),
    [
        ({"signature": "data:x|n:64"}, True, "cannot be compared: metric is 'pearson_spearman' and not given"),
        ({}, False, "its rows were not kept; add the run again with --keep-rows"),
        ({"model": "bad", "seed": 2}, True, "2 results of 'bad' on bgglue/cinexio; name one of bad--"),
    ],
    ids=["other data and settings", "no rows", "several runs"],
)
def test_results_that_cannot_be_compared_are_refused(other, rows, message, made, files, store, capsys):
    added = record(made, files[1], **{"model": "third", **other})
    store.add(added, rows_on_split(made, SPLIT, files[1]) if rows else None)
    arguments = ("compare", SUITE, TASK, "good", added.model, "--results", str(store.root), "--split", SPLIT)
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "") and message in err


def test_one_of_several_runs_is_named_by_its_file(made, files, store, capsys):
    stem = store.add(record(made, files[0], "bad", seed=2), rows_on_split(made, SPLIT, files[0])).stem
    arguments = ("compare", SUITE, TASK, "good", stem, "--results", str(store.root), "--split", SPLIT)
    code, found = run_json(capsys, *arguments)
    assert code == 0 and found["difference"] == 0 and "all resamples give the same" in found["notes"][0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--results", "none", "--references", "x"), "leave out --references and --edition"),
        (("--results", "none"), "none: expected a folder of results"),
        (("--edition", "sample", "--split", SPLIT, "--score", "f2"), "has no score 'f2'; it has: pearson_spearman"),
        (("--references", "gold.jsonl", "--split", SPLIT), "give either --references or a split"),
        (("--references", "gold.jsonl", "--group", "film"), "a file of gold has no column 'film'"),
    ],
)
def test_mistakes_are_told(options, message, files, capsys):
    code, out, err = run(capsys, "compare", SUITE, TASK, *files, *options)
    assert (code, out) == (2, "") and message in err


def test_an_unknown_model_is_told_with_those_there_are(store, capsys):
    code, out, err = run(capsys, "compare", SUITE, TASK, "good", "x", "--results", str(store.root), "--split", SPLIT)
    assert (code, out) == (2, "") and "no result of 'x' on bgglue/cinexio (train); models: bad, good" in err


def test_several_others_are_corrected_for_by_holm(made, files, store, capsys):
    third = store.add(record(made, files[1], "bad", seed=2), rows_on_split(made, SPLIT, files[1])).stem
    second = next(store.path(one).stem for one in store if one.model == "bad" and one.seed is None)
    arguments = ("compare", SUITE, TASK, "good", second, third, "--results", str(store.root), "--split", SPLIT)
    code, found = run_json(capsys, *arguments)
    (one, other), p = found["comparisons"], found["comparisons"][0]["randomisation"]["p"]
    assert code == 0 and one["systems"] == ["good", second] and other["systems"] == ["good", third]
    assert found["holm"] == {second: 2 * p, third: 2 * p}
    code, out, _ = run(capsys, *arguments)
    assert code == 0 and "by Holm's correction" in out


def test_a_system_is_not_compared_with_itself(files, capsys):
    code, out, err = run(capsys, "compare", SUITE, TASK, files[0], files[1], files[0], "--edition", "sample")
    assert (code, out) == (2, "") and "give each system once" in err


@pytest.fixture
def tagged(made_up, tmp_path):
    """A made-up split, and files that predict it rightly (twice), with a tag too few, and with a tag too many."""
    folder = made_up()
    labels = {
        "a": ["B-PER O O", "B-LOC O"],
        "b": ["B-PER O O", "B-LOC O"],
        "few": ["B-PER O", "B-LOC O"],
        "many": ["O O O O", "O O"],
    }
    for name, tags in labels.items():
        lines = [json.dumps({"id": f"test-{i}", "label": text}) + "\n" for i, text in enumerate(tags)]
        (tmp_path / name).write_text("".join(lines), encoding="utf-8", newline="\n")
    return lambda name: str(tmp_path / name), ("--data-dir", folder)


def test_systems_that_never_differ_are_no_cause_for_alarm(tagged, capsys):
    path, where = tagged
    code, found = run_json(capsys, "compare", "made-up", "films", path("a"), path("b"), *where)
    assert code == 0 and found["interval"] == [None, None] and found["warnings"] == []
    assert [note.partition(":")[0] for note in found["notes"]] == ["the interval of the difference", "McNemar's test"]
    code, out, _ = run(capsys, "compare", "made-up", "films", path("a"), path("b"), *where)
    assert code == 0 and "note: the interval of the difference: all resamples give the same" in out


def test_missing_tags_are_filled_as_the_score_has_it_and_told_once(tagged, capsys):
    path, where = tagged
    code, found = run_json(capsys, "compare", "made-up", "films", path("few"), path("a"), *where)
    assert code == 1 and found["first"] == 1.0
    assert found["warnings"] == [
        f"{path('few')}: 1 examples have fewer predicted tags than words: 1 missing tags count as O"
    ]
    _, _, err = run(capsys, "compare", "made-up", "films", path("few"), path("a"), path("b"), *where)
    assert err.count("missing tags") == 1


def test_a_mistake_is_told_with_its_file(tagged, capsys):
    path, where = tagged
    code, _, err = run(capsys, "compare", "made-up", "films", path("a"), path("many"), *where)
    assert code == 2 and err.startswith(f"euroglue: {path('many')}: id 'test-0': expected 3 tags, got 4")
    code, _, err = run(capsys, "compare", "made-up", "films", path("a"), path("b"), "--references", path("a"), *where)
    assert code == 2 and "give either --references or a split" in err


def test_scores_against_other_files_of_gold_cannot_be_compared(tagged, capsys):
    path, _ = tagged
    signed = []
    for gold in ("a", "b", "few"):
        code, found = run_json(
            capsys, "score", "made-up", "films", "--predictions", path("few"), "--references", path(gold)
        )
        signed.append(found["signature"])
    assert differences(signed[0], signed[1]) == []
    assert [text.partition(" ")[0] for text in differences(signed[0], signed[2])] == ["gold"]
    _, found = run_json(capsys, "compare", "made-up", "films", path("a"), path("b"), "--references", path("a"))
    assert parse_signature(found["signature"])["gold"] == parse_signature(signed[0])["gold"]
