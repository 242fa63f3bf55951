# SPDX-License-Identifier: Apache-2.0
"""Each reader on faithful small files: what it reads, and what it says of a broken one."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from euroglue.errors import FormatError
from euroglue.prepare.raw import RawFiles
from euroglue.readers import film_blocks, iob, jsonl, offsets
from euroglue.readers.offsets import Entity, bio_tags, locate


def read_iob(raw_files, name, **options):
    return iob({"train": name}, prefix="bg:", **options)(raw_files("iob"))


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("no_final_blank_line.tsv", marks=pytest.mark.issue("bgGLUE#last-sentence")),
        pytest.param("bom.tsv", marks=pytest.mark.issue("pandas#4793")),
        "crlf.tsv",
    ],
)
def test_iob_reads_every_sentence_whatever_the_line_ends(raw_files, name):
    table = read_iob(raw_files, name)
    assert table["id"].tolist() == ["train-0", "train-1"]
    for tokens, tags in zip(table["tokens"], table["ner_tags"]):
        assert len(tokens) == len(tags) > 0
        assert not any(character in "".join(tokens + tags) for character in "\r\ufeff\t")


def test_iob_cuts_the_prefix_once(raw_files):
    tokens = [token for row in read_iob(raw_files, "colon_in_token.tsv")["tokens"] for token in row]
    assert {":", "2:1", "19:30"} <= set(tokens)


def test_iob_names_the_line_with_the_wrong_number_of_columns(raw_files):
    with pytest.raises(FormatError, match=r"wrong_columns.tsv, line 6: expected 2 tab-separated column\(s\), got 3"):
        read_iob(raw_files, "wrong_columns.tsv")


def test_iob_names_a_token_without_the_prefix(raw_files):
    with pytest.raises(FormatError, match=r"line 1: expected a token after 'nl:', got 'bg:"):
        iob({"train": "bom.tsv"}, prefix="nl:")(raw_files("iob"))


@pytest.mark.parametrize("prefix", ["", "bg:"])
def test_iob_refuses_an_empty_token(tmp_path, prefix):
    (tmp_path / "t").write_text(f"{prefix}виж\tO\n{prefix}\tO\n", encoding="utf-8", newline="\n")
    with pytest.raises(FormatError, match="t, line 2: expected a token, got an empty one"):
        iob({"train": "t"}, prefix=prefix)(RawFiles({"t": tmp_path / "t"}, []))


def test_iob_reads_untagged_splits_as_o(tmp_path):
    (tmp_path / "t").write_text("виж\nтам\n\nда", encoding="utf-8", newline="\n")
    table = iob({"test": "t"}, untagged=("test",))(RawFiles({"t": tmp_path / "t"}, []))
    assert table["ner_tags"].tolist() == [["O", "O"], ["O"]]


TEXT = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0\t\n\r\ufeff"), min_size=1)


@given(
    st.lists(st.lists(st.tuples(TEXT, st.sampled_from(["O", "B-PER", "I-PER"])), min_size=1), min_size=1), st.booleans()
)
def test_iob_returns_what_was_written(tmp_path_factory, sentences, blank_at_end):
    path = tmp_path_factory.mktemp("iob") / "train"
    text = "\n\n".join("\n".join(f"bg:{token}\t{tag}" for token, tag in sentence) for sentence in sentences)
    path.write_text(text + ("\n\n" if blank_at_end else ""), encoding="utf-8", newline="\n")
    table = iob({"train": "train"}, prefix="bg:")(RawFiles({"train": path}, []))
    assert [list(zip(*row)) for row in zip(table["tokens"], table["ner_tags"])] == sentences


def test_film_blocks_drops_the_reviewers_names(raw_files):
    for name in ("ok.tsv", "bom_crlf.tsv"):
        table = film_blocks(name)(raw_files("film_blocks"))
        assert list(table) == ["ID", "Cinexio_URL", "Comment", "Date", "User_Rating"]
        assert len(table) == 3 and table["ID"].is_unique
        raw = raw_files("film_blocks").text(name)
        reviews = [line.split("\t") for line in raw.split("\n") if line.count("\t") == 3]
        assert [row[1] for row in reviews] == table["Comment"].tolist()
        for name_of_reviewer, *_ in reviews:
            assert name_of_reviewer not in table.to_csv()


def test_film_blocks_reads_dates_day_first_as_utc_milliseconds(tmp_path):
    film = "\t".join(["Филм", "4", "http://x/movie/7", *["-"] * 8])
    (tmp_path / "f").write_text(f"{film}\n1\nИме\t5\t4.5\t03.12.2013\n", encoding="utf-8", newline="\n")
    row = film_blocks("f")(RawFiles({"f": tmp_path / "f"}, [])).iloc[0]
    assert row.to_dict() == {
        "ID": "7-0",
        "Cinexio_URL": "http://x/movie/7",
        "Comment": "5",
        "Date": str(int(pd.Timestamp("2013-12-03", tz="UTC").timestamp() * 1000)),
        "User_Rating": 4.5,
    }


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("wrong_columns.tsv", "line 4: expected a review of 4 columns, got 3"),
        ("truncated_block.tsv", "is cut short"),
        ("not_a_count.tsv", "line 2: expected the number of reviews, got 'два'"),
    ],
)
def test_film_blocks_names_what_is_broken(raw_files, name, message):
    with pytest.raises(FormatError, match=message):
        film_blocks(name)(raw_files("film_blocks"))


@pytest.mark.parametrize(
    ("review", "message"),
    [
        ("И\tк\tпет\t01.01.2014", "expected a rating"),
        ("И\tк\t5.0\t31.02.2014", "expected a date"),
        ("И\tк\t5.0\t2014", "date"),
    ],
)
def test_film_blocks_refuses_ratings_and_dates_that_are_none(tmp_path, review, message):
    film = "\t".join(["Филм", "4", "http://x/movie/7", *["-"] * 8])
    (tmp_path / "f").write_text(f"{film}\n1\n{review}\n", encoding="utf-8", newline="\n")
    with pytest.raises(FormatError, match=f"f, line 3: .*{message}"):
        film_blocks("f")(RawFiles({"f": tmp_path / "f"}, []))


def test_film_blocks_refuses_a_count_of_thousands_of_digits(tmp_path):
    film = "\t".join(["Филм", "4", "http://x/movie/7", *["-"] * 8])
    (tmp_path / "f").write_text(f"{film}\n{'9' * 5000}\n", encoding="utf-8", newline="\n")
    with pytest.raises(FormatError, match="f, line 2: expected the number of reviews, got '999"):
        film_blocks("f")(RawFiles({"f": tmp_path / "f"}, []))


def test_offsets_tags_every_mention(raw_files):
    table = offsets("raw/*/bg/*.txt", "ner/*/bg/*.tsv")(raw_files("offsets/ok"))
    assert len(table) == 2 and table["ID"].is_unique
    begins = sum(tag.startswith("B-") for tags in table["ner_tags"] for tag in tags)
    assert begins == 10
    for text, tokens in zip(table["text"], table["tokens"]):
        assert "".join(tokens) == "".join(text.split())


def test_offsets_refuses_a_mention_that_is_not_there(raw_files):
    with pytest.raises(FormatError, match=r"line 2: expected the mention 'Райънеър' at \d+–\d+, the text holds"):
        offsets("raw/*/bg/*.txt", "ner/*/bg/*.tsv")(raw_files("offsets/bad_offset"))


def test_offsets_refuses_a_text_without_annotations(raw_files):
    files = raw_files("offsets/ok")
    missing = files.names("ner/*")[0]
    del files._paths[missing]
    with pytest.raises(FormatError, match="expected annotations in a file that matches"):
        offsets("raw/*/bg/*.txt", "ner/*/bg/*.tsv")(files)


@pytest.mark.parametrize(
    ("spans", "entities", "tags", "why"),
    [
        ([(0, 2), (3, 5)], [Entity(0, 5, "PER")], "B-PER I-PER", "two words"),
        ([(0, 2), (3, 5)], [Entity(0, 2, "LOC"), Entity(3, 5, "LOC")], "B-LOC B-LOC", "neighbours"),
        ([(0, 9)], [Entity(2, 5, "ORG")], "B-ORG", "a mention inside a token"),
        ([(0, 2), (2, 3), (3, 5)], [Entity(3, 5, "EVT")], "O O B-EVT", "touching tokens"),
        ([(0, 2)], [], "O", "none"),
        ([], [Entity(0, 1, "PER")], "", "no token"),
    ],
)
def test_bio_tags(spans, entities, tags, why):
    assert bio_tags(spans, entities) == tags.split(), why


@given(st.lists(st.text(st.characters(exclude_categories=("Cs",)), min_size=1).filter(lambda t: t.strip()), max_size=8))
def test_locate_finds_every_token_again(tokens):
    text = "  ".join(tokens)
    spans = locate(text, tokens)
    assert spans is not None
    assert ["".join(text[start:end].split()) for start, end in spans] == ["".join(token.split()) for token in tokens]


@pytest.mark.parametrize("name", ["ok.jsonl", "bom.jsonl"])
def test_jsonl_reads_objects(raw_files, name):
    table = jsonl({"train": name})(raw_files("jsonl"))
    assert {"ID", "tokens", "ner_tags", "langs", "split"} == set(table)


@pytest.mark.parametrize(("name", "line"), [("not_json.jsonl", 2), ("not_object.jsonl", 2)])
def test_jsonl_names_the_line(raw_files, name, line):
    with pytest.raises(FormatError, match=f"{name}, line {line}: expected a JSON object"):
        jsonl({"train": name})(raw_files("jsonl"))


@pytest.mark.issue("pandas#33766")
def test_jsonl_keeps_every_digit_and_leaves_dates_alone(tmp_path):
    rows = '{"id": 1264909985177362438, "date": 1358726400000}\n{"id": null, "date": null}\n'
    (tmp_path / "a").write_text(rows, encoding="utf-8", newline="\n")
    row = jsonl({"train": "a"})(RawFiles({"a": tmp_path / "a"}, [])).iloc[0]
    assert (row["id"], row["date"]) == (1264909985177362438, 1358726400000)


@pytest.mark.issue("datasets#2418")
def test_text_that_is_not_utf8_is_named_with_its_place(tmp_path):
    (tmp_path / "a").write_bytes('{"a": "ж"}'.encode("cp1251"))
    with pytest.raises(FormatError, match="a, byte 7: expected UTF-8, got 0xe6"):
        jsonl({"train": "a"})(RawFiles({"a": tmp_path / "a"}, []))


def test_lines_split_at_line_feeds_only(tmp_path):
    (tmp_path / "a").write_bytes("едно\u2028две\x85три\x0cчетири\r\nпет".encode())
    assert list(RawFiles({"a": tmp_path / "a"}, []).lines("a")) == [(1, "едно\u2028две\x85три\x0cчетири"), (2, "пет")]
