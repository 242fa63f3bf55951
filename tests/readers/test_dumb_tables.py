# SPDX-License-Identifier: Apache-2.0
"""DUMB's tables, folders and JSON: what each reader reads, what it mends, and what it says of a broken file."""

import re

import pytest

from dumb_datasets import dalc, dbrd
from euroglue.errors import ContractError, FormatError
from euroglue.prepare.columns import typed_table
from euroglue.prepare.raw import RawFiles
from euroglue.readers import csv_table, jsonl, squad

TWEETS = csv_table({"train": "f"}, {"text": "text", "label": "abusive_offensive_not"}, key="id")


def named(folder, raw_files, name):
    """The one file of a folder of fixtures, under the name ``f``."""
    return RawFiles({"f": raw_files(folder).path(name)})


@pytest.mark.parametrize(
    ("name", "starts", "findings"),
    [
        ("ok.json", [[15], [], [42, 46]], 0),
        ("second_occurrence.json", [[30]], 0),
        ("offset_elsewhere.json", [[15], []], 1),
        ("decomposed.json", [[16]], 1),
        ("answer_not_in_context.json", [], 1),
    ],
)
@pytest.mark.issue("tokenizers#1201")
def test_squad_finds_every_answer_where_its_place_says(raw_files, name, starts, findings):
    files = named("squad", raw_files, name)
    table = squad({"train": "f"})(files)
    assert [answers["answer_start"] for answers in table["answers"]] == starts
    assert len(files.findings) == findings
    for context, answers in zip(table["context"], table["answers"]):
        assert all(context[at : at + len(text)] == text for text, at in zip(answers["text"], answers["answer_start"]))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("cut_in_half.json", "f: expected a JSON object, got"),
        ("lengths_differ.json", "f, item 0: expected answers with as many texts as starts"),
        ("missing_field.json", "f, item 0: expected answers"),
        ("nested.json", "f, item 0: expected one question per item, got SQuAD's nested paragraphs"),
        ("not_utf8.json", "f, byte 59: expected UTF-8, got 0xe9"),
    ],
)
def test_squad_names_the_broken_place(raw_files, name, message):
    with pytest.raises(FormatError, match=re.escape(message)):
        squad({"train": "f"})(named("squad", raw_files, name))


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("ok.csv", ["NOT", "ABUSIVE", "OFFENSIVE"]),
        ("columns_reordered.csv", ["NOT", "ABUSIVE"]),
        ("bom_crlf.csv", ["NOT", "ABUSIVE"]),
    ],
)
@pytest.mark.issue("dumb#columns-by-position")
def test_csv_knows_columns_by_name(raw_files, name, labels):
    assert TWEETS(named("csv", raw_files, name))["label"].tolist() == labels


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("column_missing.csv", "f, line 1: expected one column text, got id, abusive"),
        ("column_twice.csv", "f, line 1: expected one column text, got id, text, text"),
        ("no_header.csv", "f, line 1: expected one column id"),
        ("empty.csv", "f, line 1: expected one column id, got an empty file"),
        ("short_row.csv", "f, line 2: expected 14 columns, got 4"),
        ("long_row.csv", "f, line 2: expected 14 columns, got 15"),
        ("open_quote.csv", "f, line 2: expected comma-separated values"),
        ("duplicate_id.csv", "f, line 3: the id '0' is also that of line 2"),
        ("not_utf8.csv", "f, byte 166: expected UTF-8, got 0xe9"),
    ],
)
def test_csv_names_the_broken_place(raw_files, name, message):
    with pytest.raises(FormatError, match=re.escape(message)):
        TWEETS(named("csv", raw_files, name))


@pytest.mark.parametrize("name", ["empty_label.csv", "unknown_label.csv"])
def test_csv_with_a_label_that_is_none_does_not_become_an_example(raw_files, name):
    table = dalc.STEPS[0](TWEETS(named("csv", raw_files, name)))
    with pytest.raises(ContractError, match="label: expected one of not, abusive, offensive"):
        typed_table(table, dalc.TASK.features, "id", ())


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (
            "id,abusive_offensive_not\n0,NOT\n1,NOT\n2,OFFENSIVE\n",
            "line 3: abusive_offensive_not: expected 'NOT' as in g",
        ),
        ("id,abusive_offensive_not\n0,NOT\n", "expected the same rows as g; 2 stand in one only, such as '1'"),
    ],
)
def test_csv_must_agree_with_the_public_file(raw_files, tmp_path, other, message):
    (tmp_path / "g").write_text(other, encoding="utf-8")
    files = RawFiles({"f": raw_files("csv").path("ok.csv"), "g": tmp_path / "g"})
    read = csv_table({"train": "f"}, {"text": "text"}, key="id", agree={"train": "g"})
    with pytest.raises(FormatError, match=re.escape(message)):
        read(files)


def test_folders_come_in_the_order_of_their_paths(raw_files):
    table = dbrd.READ(raw_files("folders/ok"))
    assert table["id"].tolist() == ["2", "3", "10", "1", "5", "4"]
    assert table["label"].tolist()[:3] == ["negative", "negative", "positive"]
    assert dbrd.READ(raw_files("folders/line_ends"))["text"][4] == "Eerste regel.\nTweede regel."
    assert dbrd.READ(raw_files("folders/stray_file")).equals(table)


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ("empty_review", "DBRD/train/pos/7_5.txt: expected a text, got an empty file"),
        ("missing_folder", "DBRD/test/neg: expected texts in it, there are none"),
        ("name_without_rating", "DBRD/train/pos/zeven.txt: expected a name such as"),
        ("rating_disagrees", "DBRD/train/neg/7_5.txt: expected a name such as"),
        ("rating_of_three", "DBRD/train/pos/7_3.txt: expected a name such as"),
        ("same_id_twice", "DBRD/test/pos/1_5.txt: the id 1 is also that of DBRD/train/pos/1_5.txt"),
        ("not_utf8", "DBRD/train/pos/7_5.txt, byte 12: expected UTF-8, got 0xe9"),
    ],
)
def test_folders_name_the_broken_file(raw_files, case, message):
    with pytest.raises(FormatError, match=re.escape(message)):
        dbrd.READ(raw_files(f"folders/{case}"))


def test_jsonl_puts_the_split_before_a_published_id(tmp_path):
    (tmp_path / "f").write_text('{"id": 7, "premise": "Het regent."}\n', encoding="utf-8")
    assert jsonl({"test": "f"}, number="id")(RawFiles({"f": tmp_path / "f"}))["id"].tolist() == ["test-7"]
