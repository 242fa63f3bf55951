# SPDX-License-Identifier: Apache-2.0
"""ScaLA's Slovene task on its sample: what must hold of the rebuilt edition whatever the treebank."""

import dataclasses
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from euroeval_datasets import scala_sl
from euroglue.prepare import prepare
from euroglue.prepare.leakage import audit
from euroglue.prepare.pipeline import run_steps
from euroglue.prepare.published_draws import draw_in_turn, shuffle
from euroglue.prepare.raw import acquire
from euroglue.readers import conllu_text
from tests.euroeval.surface import accuracy, labelled

PARTS = {"train": "sl_ssj-ud-train.conllu", "dev": "sl_ssj-ud-dev.conllu", "test": "sl_ssj-ud-test.conllu"}


@pytest.fixture(scope="module")
def rows():
    return labelled(prepare(scala_sl.TASK, "sample"))


def test_a_sentence_and_its_corruption_stand_in_one_split_and_the_classes_are_even(rows):
    pairs = rows.groupby("sentence")
    assert (pairs.size() == 2).all() and (pairs["split"].nunique() == 1).all() and (pairs["label"].sum() == 1).all()
    assert (rows.groupby("split")["label"].mean() == 0.5).all()
    assert set(rows.loc[rows["label"] == 1, "corruption_type"]) == {"delete", "flip_neighbours"}
    assert set(rows.loc[rows["label"] == 0, "corruption_type"]) == {""}


def test_the_labels_are_mixed_in_the_order_of_rows(rows):
    for _, part in rows.groupby("split"):
        half = part["label"].iloc[: len(part) // 2]
        assert 0.2 < half.mean() < 0.8


def test_no_two_splits_share_a_text_or_a_document():
    prepared = prepare(scala_sl.TASK, "sample")
    found = audit(scala_sl.TASK, {split: prepared.table(split) for split in prepared.splits})
    assert found.leaks == ()
    assert {finding.kind for finding in found.repeats} == {"near"}, "only a sentence and its own corruption"


def test_correct_rows_are_the_text_of_the_treebank(rows):
    with acquire(scala_sl.TASK, "sample") as files:
        texts = dict(scala_sl.TASK.editions["sample"].read(files)[["id", "text"]].values)
    correct = rows[rows["label"] == 0]
    assert all(texts[key] == text for key, text in zip(correct["id"].str.removesuffix("@2"), correct["text"]))
    assert not set(rows.loc[rows["label"] == 1, "text"]) & set(texts.values())


def test_the_first_character_length_and_spacing_do_not_tell_the_label(rows):
    """Over 180 rows chance itself goes up to three standard deviations, 11 points; the real file is held to three points."""
    assert accuracy(rows["text"], rows["label"], rows["sentence"]) < 0.5 + 3 * np.sqrt(0.25 / len(rows))


def test_the_classifier_would_tell_a_label_that_shows(rows):
    shown = [text[0].lower() + text[1:] if label else text for text, label in zip(rows["text"], rows["label"])]
    assert accuracy(shown, rows["label"], rows["sentence"]) > 0.95


def official(counts):
    """The official edition of the sample's treebank, with small counts in place of the published ones."""
    steps = tuple(
        draw_in_turn("id", from_="", seed=4242, **counts) if step.name == "draw_in_turn" else step
        for step in scala_sl.TASK.editions["official"].steps
    )
    read = conllu_text({name: PARTS[name] for name in ("dev", "test")}, into="part")
    return dataclasses.replace(scala_sl.TASK.editions["sample"], read=read, steps=steps)


def test_official_draws_and_shuffles_as_pandas_does():
    edition = official({"validation": 12, "test": 40, "train": 36})
    with acquire(scala_sl.TASK, "sample") as files:
        start = edition.read(files)
    table, records, _ = run_steps(scala_sl.TASK, edition, start)
    filtered = start
    for step in edition.steps[:7]:
        filtered = step(filtered)
    pool, expected = filtered, {}
    for split, count in (("validation", 12), ("test", 40), ("train", 36)):
        drawn = pool.sample(n=count, random_state=4242)
        both = pd.concat([drawn["id"] + " correct", drawn["id"] + " incorrect"], ignore_index=True)
        expected[split] = both.sample(frac=1.0, random_state=4242).tolist()
        pool = pool.drop(drawn.index)
    made = table["id"].str.removesuffix("@2") + " " + table["label"]
    assert {split: made[part.index].tolist() for split, part in table.groupby("split")} == expected
    made = next(record for record in records if record["step"].startswith("correct_and_incorrect"))
    assert (made["rows_in"], made["rows_out"], made["added"], made["dropped"]) == (88, 176, 88, 0)


def test_shuffle_goes_split_by_split():
    rows = pd.DataFrame({"id": [str(n) for n in range(9)], "split": ["test"] * 4 + ["train"] * 5})
    out = shuffle(seed=7)(rows)
    for split, part in rows.groupby("split"):
        oracle = part.sample(frac=1.0, random_state=7)["id"].tolist()
        assert out.loc[out["split"] == split, "id"].tolist() == oracle


def test_the_rows_are_the_same_under_another_hash_seed(tmp_path):
    code = "from euroeval_datasets import scala_sl, ssj500k_ner; from euroglue.prepare import prepare\n"
    code += "for one in (scala_sl, ssj500k_ner): print(prepare(one.TASK, 'sample').fingerprint)"
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            check=True,
            capture_output=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "EUROGLUE_HOME": str(tmp_path / seed)},
        ).stdout
        for seed in ("1", "4242")
    }
    assert len(outputs) == 1 and len(outputs.pop().split()) == 2
