# SPDX-License-Identifier: Apache-2.0
"""DUMB on the real files at hand: SICK-NL whole, Lassy on 26 documents, DALC's labels with made-up texts."""

import csv
import hashlib
import io

import pytest

from dumb_datasets import dalc, lassy_pos, sicknl_nli
from euroglue.errors import FormatError, MissingRawFileError
from euroglue.prepare import prepare
from euroglue.prepare.raw import acquire

pytestmark = pytest.mark.raw


@pytest.fixture
def accepted(monkeypatch, home):
    """The terms of every gated task are accepted, for one test."""
    monkeypatch.setenv("EUROGLUE_ACCEPT_LICENCES", "dumb/lassy-pos,dumb/dalc")


def sizes(prepared):
    return {split: about["rows"] for split, about in prepared.manifest["splits"].items()}


@pytest.mark.parametrize("edition", ["official", "rebuilt"])
def test_sicknl_has_the_published_sizes_and_labels(raw_dir, home, edition):
    prepared = prepare(sicknl_nli.TASK, edition)
    assert sizes(prepared) == {"train": 4439, "validation": 495, "test": 4906}
    counts = {split: about["labels"] for split, about in prepared.manifest["splits"].items()}
    assert counts["train"] == {"neutral": 2524, "entailment": 1274, "contradiction": 641}
    assert counts["test"] == {"neutral": 2790, "entailment": 1404, "contradiction": 712}
    assert prepared.manifest["findings"] == []
    first = prepared.table("train").iloc[0].to_dict()
    assert first["id"] == "1" and first["label"] == 1 and first["sentence1"].startswith("Een groepje kinderen")


def test_lassy_on_26_documents_is_split_by_document_and_known_to_be_partial(raw_dir, accepted):
    prepared = prepare(lassy_pos.TASK)
    tables = {split: prepared.table(split) for split in prepared.splits}
    documents = {split: {key.split(".")[0] for key in table["id"]} for split, table in tables.items()}
    assert {split: len(names) for split, names in documents.items()} == {"train": 24, "validation": 1, "test": 1}
    assert len(set.union(*documents.values())) == 26
    findings = " ".join(prepared.manifest["findings"])
    assert "the document split is not the shared one" in findings
    assert "a partial corpus: 1,552 of 65,165 rows; 92 of 218 labels do not occur in train" in findings


@pytest.mark.issue("dumb#empty-nodes")
def test_lassy_keeps_every_word_and_no_empty_node(raw_dir, accepted):
    with acquire(lassy_pos.TASK, "rebuilt") as files:
        lines = [line for name in files.names("*.conllu") for _, line in files.lines(name)]
    words = [line for line in lines if line and line[0] != "#"]
    empty = [line for line in words if "." in line.split("\t")[0]]
    ranges = [line for line in words if "-" in line.split("\t")[0]]
    prepared = prepare(lassy_pos.TASK)
    tables = [prepared.table(split) for split in prepared.splits]
    assert len(empty) == 47
    assert sum(len(tokens) for table in tables for tokens in table["tokens"]) == len(words) - len(empty) - len(ranges)
    assert sum(len(table) for table in tables) == sum(line.startswith("# sent_id") for line in lines)
    assert all(len(tokens) == len(tags) > 0 for table in tables for tokens, tags in zip(table["tokens"], table["tags"]))


def with_texts(raw_dir, folder, change=""):
    """DALC's full files: the public files of labels with made-up texts put after the id."""
    for name in dalc.LABELS.values():
        rows = list(csv.reader(io.StringIO((raw_dir / "dumb/dalc" / name).read_text(encoding="utf-8"))))
        text = [hashlib.sha256(f"{name}{row[0]}".encode()).hexdigest() for row in rows]
        full = [
            [row[0], "text" if at == 0 else f'Verzonnen, "{text[at][:8]}"', *row[1:]] for at, row in enumerate(rows)
        ]
        if change:
            full[7][2] = change
        with open(folder / name.replace(".csv", "_full.csv"), "w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(full)
    return folder


def test_dalc_joins_texts_and_labels(raw_dir, accepted, tmp_path):
    prepared = prepare(dalc.TASK, data_dir=with_texts(raw_dir, tmp_path))
    assert sizes(prepared) == {"train": 6817, "validation": 1205, "test": 3270}
    train = prepared.table("train")
    assert train["id"].tolist()[:2] == ["train-0", "train-1"] and train["text"].str.startswith('Verzonnen, "').all()
    assert train["label"].tolist()[:4] == [0, 1, 2, 1]
    assert prepared.manifest["findings"] == []


def test_dalc_that_disagrees_with_the_public_labels_is_refused(raw_dir, accepted, tmp_path):
    with pytest.raises(
        FormatError, match="DALC-2_train_full.csv, line 8: abusive: expected 'NOT' as in DALC-2_train.csv"
    ):
        prepare(dalc.TASK, data_dir=with_texts(raw_dir, tmp_path, change="IMPLICIT"))


def test_dalc_without_texts_says_where_to_sign(raw_dir, accepted):
    with pytest.raises(
        MissingRawFileError, match="DALC-2_train_full.csv not found in .*after signing https://github.com"
    ):
        prepare(dalc.TASK)
