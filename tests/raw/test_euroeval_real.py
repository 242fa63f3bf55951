# SPDX-License-Identifier: Apache-2.0
"""EuroEval's Slovene suite on the real files at hand: the treebank's dev and test, ssj500k's train and dev."""

import pandas as pd
import pytest

from euroeval_datasets import scala_sl, ssj500k_ner
from euroglue.prepare import prepare
from euroglue.prepare.corrupt import join_tokens
from euroglue.prepare.leakage import audit
from euroglue.prepare.raw import acquire
from tests.euroeval.surface import accuracy, labelled

pytestmark = pytest.mark.raw

SIZES = {"train": 1024, "validation": 256, "test": 2048}


def sizes(prepared):
    return {split: about["rows"] for split, about in prepared.manifest["splits"].items()}


@pytest.fixture
def scala(raw_dir):
    """Both editions."""
    return {
        name: prepare(scala_sl.TASK, name, allow_missing_splits=name == "official") for name in ("official", "rebuilt")
    }


@pytest.fixture
def names(raw_dir):
    return {name: prepare(ssj500k_ner.TASK, name, allow_missing_splits=True) for name in ("official", "rebuilt")}


def test_the_filters_leave_the_known_numbers_of_sentences(scala):
    for prepared in scala.values():
        steps = prepared.manifest["steps"][:7]
        assert steps[0]["rows_in"] == 2532
        assert [step["rows_out"] for step in steps] == [2531, 2449, 2303, 2284, 2220, 2220, 2220]


def test_scala_has_its_sizes_in_both_editions_and_tells_what_is_missing(scala):
    assert [sizes(prepared) for prepared in scala.values()] == [SIZES, SIZES]
    missing = "left out, not at hand: sl_ssj-ud-train.conllu"
    told = {name: missing in " ".join(prepared.manifest["findings"]) for name, prepared in scala.items()}
    assert told == {"official": True, "rebuilt": False}


def test_the_rebuilt_labels_do_not_show_on_the_surface_and_the_official_ones_do(scala):
    rows = {name: labelled(prepared) for name, prepared in scala.items()}
    lower = {
        name: (part["label"].to_numpy() == 1)[part["text"].str[0].str.islower()].tolist() for name, part in rows.items()
    }
    assert sum(lower["official"]) > 30 and sum(lower["rebuilt"]) <= 2, "corrupted rows that begin in lower case"
    rebuilt = rows["rebuilt"]
    assert accuracy(rebuilt["text"], rebuilt["label"], rebuilt["sentence"]) < 0.53


def test_about_half_of_the_corruptions_are_deletions(scala):
    for prepared in scala.values():
        kinds = labelled(prepared)["corruption_type"].value_counts()
        assert kinds[""] == 1664 and 0.45 < kinds["delete"] / 1664 < 0.55


def test_only_official_respells_correct_sentences(scala):
    with acquire(scala_sl.TASK, "rebuilt") as files:
        treebank = scala_sl.TASK.editions["rebuilt"].read(files)
    for step in scala_sl.FILTERS:
        treebank = step(treebank)
    respelt = [join_tokens(tokens) != text for tokens, text in zip(treebank["tokens"], treebank["text"])]
    assert sum(respelt) == 140
    texts = dict(zip(treebank["id"], treebank["text"]))
    changed = {}
    for name, prepared in scala.items():
        rows = labelled(prepared)
        correct = rows[rows["label"] == 0]
        changed[name] = sum(texts[key] != text for key, text in zip(correct["sentence"], correct["text"]))
    assert changed["rebuilt"] == 0 and changed["official"] > 80


def test_only_rebuilt_keeps_documents_and_the_treebanks_test_apart(scala):
    leaks = {
        name: {
            finding.splits: finding.count
            for finding in audit(scala_sl.TASK, {split: prepared.table(split) for split in prepared.splits}).leaks
        }
        for name, prepared in scala.items()
    }
    assert leaks["rebuilt"] == {} and len(leaks["official"]) == 3
    with acquire(scala_sl.TASK, "rebuilt") as files:
        source = scala_sl.TASK.editions["rebuilt"].read(files).set_index("id")["split"]
    rows = labelled(scala["rebuilt"])
    assert set(zip(rows["split"], rows["sentence"].map(source))) == {
        ("train", "validation"),
        ("validation", "validation"),
        ("test", "test"),
    }


def test_the_official_names_are_the_rows_that_pandas_draws(names):
    frame = pd.DataFrame({"id": [f"train-{n}" for n in range(7432)] + [f"validation-{n}" for n in range(1164)]})
    for split, count in (("validation", 256), ("test", 2048), ("train", 1024)):
        drawn = frame.sample(n=count, random_state=42)
        assert names["official"].table(split)["id"].tolist() == drawn["id"].tolist()
        frame = frame.drop(drawn.index)


def test_the_rebuilt_names_share_nothing_and_keep_the_source_apart(names):
    rebuilt = names["rebuilt"]
    assert sizes(rebuilt) == {"train": 1024, "validation": 256, "test": 802}
    tables = {split: rebuilt.table(split) for split in rebuilt.splits}
    assert audit(ssj500k_ner.TASK, tables).clean
    official = {split: names["official"].table(split) for split in rebuilt.splits}
    assert len(audit(ssj500k_ner.TASK, official, near_threshold=None).leaks) > 3
    places = {
        split: [int(key.split("-")[1]) for key in table["id"] if key.startswith("v")] for split, table in tables.items()
    }
    assert places["train"] == [] and min(places["test"]) - max(places["validation"]) > 102
    assert "left out, not at hand: test_ner.conll2002" in " ".join(rebuilt.manifest["findings"])


@pytest.mark.issue("ssj500k#tab-in-token")
def test_two_tokens_with_white_space_are_told_and_every_tag_is_read(names):
    with acquire(ssj500k_ner.TASK, "rebuilt", allow_missing=True) as files:
        table = ssj500k_ner.READ(files)
    assert len(table) == 8596 and sum(map(len, table["tokens"])) == 176_728
    tags = table["labels"].explode().value_counts()
    assert (tags["B-deriv-per"], tags["I-deriv-per"], tags["B-per"]) == (147, 1, 2643)
    told = [finding for finding in names["rebuilt"].manifest["findings"] if "white space" in finding]
    assert [finding.split(",")[0] for finding in told] == ["validation-387", "validation-432"]
