# SPDX-License-Identifier: Apache-2.0
"""Raw files of the Slovene suite: what each reader reads, and what it says of a broken file."""

import json

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from euroglue.errors import FormatError, MissingRawFileError
from euroglue.prepare.raw import RawFiles
from euroglue.readers import mmlu, prompts, squad, tsv
from euroglue.readers.questions import lettered
from euroglue.readers.tsv import told_apart

HEADER = "nid\tpid\tsid\tcontent\tavg_sentiment\tsd_sentiment\tsentiment\n"
NEWS = tsv({"sentence": "f"}, {"text": "content", "label": "sentiment", "article": "nid"}, key=("nid", "pid", "sid"))
ASKED = {
    "id": "anatomija/3",
    "question": "Koliko prstov ima roka?",
    "choices": ["pet", "štiri", "šest", "dve"],
    "answer": 0,
}
LINES = ["Marko je Petru vrnil knjigo, ker jo je _ prebral.", "Na kaj se nanaša prazno mesto _?", "Možnost A: Marko"]
PROMPT = {"prompt": "\n".join([*LINES, "Možnost B: Peter", "Odgovorite z A ali B.", "Answer:"]), "label": 0}
ANSWERED = {
    "id": "w/Sava",
    "title": "Sava",
    "context": "Sava teče skozi Kranj.",
    "question": "Kje teče Sava?",
    "answers": {"text": ["skozi Kranj"], "answer_start": [10]},
}


NOT_UTF_8 = pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(b"\0\0\0\0\2\0\0\0"), pa.py_buffer(b"\xff\xfe")])


@pytest.fixture
def written(tmp_path):
    """Write members, texts, tables or lists of rows, and give them as raw files; ``.parquet`` by the name."""

    def write(**contents):
        paths = {}
        for name, content in contents.items():
            name = name.replace("__", ".")
            path = paths[name] = tmp_path / name
            if name.endswith(".parquet") and isinstance(content, list):
                pq.write_table(pa.Table.from_pylist(content), path)
            elif isinstance(content, pa.Table):
                pq.write_table(content, path)
            elif isinstance(content, list):
                lines = (json.dumps(row) + "\n" for row in content)
                path.write_text("".join(lines), encoding="utf-8", newline="\n")
            else:
                path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return RawFiles(paths)

    return write


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (HEADER + '5\t1\t1\tDež pada.\t3\t0\tneutral\n5\t1\t2\t„Lepo“, pravi "on".\t4\t0\tpositive\n', "plain"),
        (
            "\ufeff" + HEADER + '5\t1\t1\tDež pada.\t3\t0\tneutral\n5\t1\t2\t„Lepo“, pravi "on".\t4\t0\tpositive',
            "a BOM, no last line end",
        ),
        (
            (HEADER + '5\t1\t1\tDež pada.\t3\t0\tneutral\n5\t1\t2\t„Lepo“, pravi "on".\t4\t0\tpositive\n').replace(
                "\n", "\r\n"
            ),
            "lines end in CRLF",
        ),
    ],
)
@pytest.mark.issue("pandas#4793")
@pytest.mark.issue("torchtext#612")
def test_sentences_of_news_are_read_with_ids_of_article_paragraph_and_sentence(written, text, why):
    table = NEWS(written(f=text))
    assert table[["id", "text", "label", "article"]].values.tolist() == [
        ["5-1-1", "Dež pada.", "neutral", "5"],
        ["5-1-2", '„Lepo“, pravi "on".', "positive", "5"],
    ], why


def test_a_sentence_with_the_numbers_of_another_gets_an_id_of_its_own(written):
    table = NEWS(written(f=HEADER + "5\t1\t1\tA.\t3\t0\tneutral\n5\t1\t1\tB.\t3\t0\tneutral\n"))
    assert table["id"].tolist() == ["5-1-1", "5-1-1#2"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nid\tpid\tsid\tcontent\n5\t1\t1\tA.\n", "f, line 1: expected a column sentiment, got nid, pid, sid, content"),
        (HEADER.replace("sid\t", "") + "5\t1\tA.\t3\t0\tneutral\n", "f, line 1: expected a column sid, got"),
        (HEADER + "5\t1\t1\tA.\tneutral\n", "f, line 2: expected 7 columns, got 5"),
        (b"nid\tpid\xe9", "f, byte 7: expected UTF-8, got 0xe9"),
    ],
)
def test_broken_sentences_of_news_are_refused(written, text, message):
    with pytest.raises(FormatError) as caught:
        NEWS(written(f=text))
    assert message in str(caught.value)


@pytest.mark.parametrize("name", ["mmlu_SL_test__jsonl", "mmlu_SL_test__parquet"])
@pytest.mark.issue("EuroEval#v17.2.0-label-text")
def test_a_question_has_lettered_choices_and_the_letter_of_the_right_one(written, name):
    table = mmlu({"test": "*SL*test.*"})(written(**{name: [{**ASKED, "answer": 2}, ASKED]}))
    first = table.iloc[0].to_dict()
    assert first == {
        "id": "anatomija/3/test",
        "question": "Koliko prstov ima roka?",
        "choices": lettered(["pet", "štiri", "šest", "dve"]),
        "label": "c",
        "category": "anatomija",
        "split": "test",
    }
    assert table["id"].tolist() == ["anatomija/3/test", "anatomija/3/test#2"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"choices": ["pet", "štiri", "šest"]},
            "f, line 1: expected 4 choices that are texts, got ['pet', 'štiri', 'šest']",
        ),
        ({"choices": ["pet", "štiri", "šest", "dve", "e"]}, "expected 4 choices that are texts"),
        ({"choices": ["pet", "štiri", "šest", 2]}, "expected 4 choices that are texts"),
        ({"choices": "pet"}, "expected 4 choices that are texts, got pet"),
        ({"answer": 4}, "f, line 1: expected 'answer' to be a number from 0 to 3, got '4'"),
        ({"answer": -1}, "expected 'answer' to be a number from 0 to 3"),
        ({"answer": "a"}, "expected 'answer' to be a number from 0 to 3, got 'a'"),
        ({"answer": True}, "expected 'answer' to be a number from 0 to 3, got 'True'"),
        ({"answer": 1.0}, "expected 'answer' to be a number from 0 to 3, got '1.0'"),
        ({"id": 7}, "f, line 1: expected 'id' to be a text, got '7'"),
        ({"id": "anatomija"}, "expected an id such as 'anatomy/12', got 'anatomija'"),
        ({"question": None}, "expected 'question' to be a text"),
        ({"question": "pol \ud800 znaka"}, "f, line 1: expected a JSON object"),
        ({"choices": ["pet", "\udc00", "šest", "dve"]}, "f, line 1: expected a JSON object"),
        ({"id": "anatomija/\udfff"}, "f, line 1: expected a JSON object"),
    ],
)
@pytest.mark.issue("EuroEval#v16.4.0-fifth-option")
@pytest.mark.issue("EuroEval#v6.0.0-ids")
def test_broken_questions_are_refused(written, change, message):
    with pytest.raises(FormatError) as caught:
        mmlu({"test": "f"})(written(f=[{**ASKED, **change}]))
    assert message in str(caught.value)


def test_a_pattern_without_a_file_is_refused(written):
    with pytest.raises(MissingRawFileError, match=r"\*SL\*dev.jsonl: expected it among the raw files, got f"):
        mmlu({"train": "*SL*dev.jsonl"})(written(f=[ASKED]))


@pytest.mark.parametrize("everywhere", [True, False])
@pytest.mark.issue("EuroEval#v16.5.0-double-option")
def test_a_prompt_of_six_lines_gives_a_question_and_two_options_without_their_letters(written, everywhere):
    table = prompts({"test": "f"}, everywhere=everywhere)(written(f=[PROMPT, {**PROMPT, "label": 1}]))
    assert table["question"].tolist() == [" ".join(LINES[:2])] * 2
    assert table["choices"].tolist() == [lettered(["Marko", "Peter"])] * 2
    assert table["label"].tolist() == ["a", "b"] and table["id"].tolist() == ["test-0", "test-1"]


@pytest.mark.parametrize(
    ("option", "everywhere", "expected", "findings"),
    [
        ("Možnost A: Skupina A: prvi", False, "Skupina A: prvi", 0),
        ("Možnost A: Skupina A: prvi", True, "prvi", 0),
        ("Možnost A:Marko", False, "Marko", 0),
        ("Marko", True, "Marko", 0),
        ("Marko", False, None, 1),
        ("A: Marko", False, None, 1),
    ],
)
def test_an_option_loses_its_letter_once_or_as_published_wherever_it_stands(
    written, option, everywhere, expected, findings
):
    row = {**PROMPT, "prompt": PROMPT["prompt"].replace("Možnost A: Marko", option)}
    files = written(f=[row, PROMPT])
    table = prompts({"test": "f"}, everywhere=everywhere)(files)
    texts = [choices[0]["text"] for choices in table["choices"]]
    assert texts == [text for text in (expected, "Marko") if text is not None]
    assert len(files.findings) == findings
    assert table["id"].iloc[-1] == "test-1", "an id is the row's place, whatever was left out"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"prompt": PROMPT["prompt"] + "\n"}, "f, line 1: expected a prompt of 6 lines, got 7"),
        ({"prompt": "\n".join(LINES)}, "expected a prompt of 6 lines, got 3"),
        ({"prompt": None}, "expected 'prompt' to be a text"),
        ({"label": 2}, "expected 'label' to be a number from 0 to 1, got '2'"),
        ({"label": "0"}, "expected 'label' to be a number from 0 to 1, got '0'"),
    ],
)
def test_broken_prompts_are_refused(written, change, message):
    with pytest.raises(FormatError) as caught:
        prompts({"test": "f"})(written(f=[{**PROMPT, **change}]))
    assert message in str(caught.value)


@pytest.mark.parametrize("name", ["f__jsonl", "f__parquet"])
def test_questions_on_articles_are_read_as_they_are(written, name):
    moved = {**ANSWERED, "answers": {"text": ["skozi Kranj"], "answer_start": [3]}}
    none = {**ANSWERED, "answers": {"text": [""], "answer_start": [0]}}
    table = squad({"train": name.replace("__", ".")}, mend=False)(written(**{name: [ANSWERED, moved, none]}))
    assert table["id"].tolist() == ["w/Sava", "w/Sava#2", "w/Sava#3"]
    assert [answers["answer_start"] for answers in table["answers"]] == [[10], [3], [0]]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"PAR1 cut short", "f.parquet: expected a Parquet file, got: "),
        (b"", "f.parquet: expected a Parquet file, got: "),
        ([{**ANSWERED, "context": None}], "f.parquet, row 0: expected 'context' to be a text"),
        ([{"id": "a", "title": "b"}], "f.parquet, row 0: expected 'context' to be a text"),
        ([{**ANSWERED, "answers": None}], "f.parquet, row 0: expected answers with as many texts as starts"),
        (pa.table({"id": ["a"], "context": NOT_UTF_8}), "f.parquet, from row 0 on: expected UTF-8, got 0xff"),
        (pa.table({"id": pa.array([], pa.string())}), "f.parquet: expected rows, got none"),
        (pa.table({"id": ["a"], "title": [b"\x80\x04K\x01."]}), "f.parquet, row 0: expected 'title' to be a text"),
    ],
)
def test_broken_parquet_is_refused(written, content, message):
    with pytest.raises(FormatError) as caught:
        squad({"train": "f.parquet"}, mend=False)(written(f__parquet=content))
    assert message in str(caught.value)


def test_articles_need_no_title(written):
    item = {name: value for name, value in ANSWERED.items() if name != "title"}
    assert squad({"train": "f.parquet"}, mend=False)(written(f__parquet=[item]))["title"].tolist() == [""]


@pytest.mark.parametrize("content", ["", "\n \n"])
@pytest.mark.parametrize("read", [mmlu({"test": "f"}), prompts({"test": "f"})])
def test_a_file_without_rows_is_refused(written, read, content):
    with pytest.raises(FormatError, match="f: expected rows, got none"):
        read(written(f=content))


@settings(max_examples=50, deadline=None)
@given(st.lists(st.sampled_from(["x", "x#2", "x#3", "x#2#2", "y"]), max_size=8))
def test_ids_are_told_apart_whatever_they_are(ids):
    apart = told_apart(ids)
    assert len(set(apart)) == len(ids)
    assert all(new.startswith(old) for old, new in zip(ids, apart))
    assert {new for old, new in zip(ids, apart) if old == new} == set(ids), "the first of each stays as it is"


TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(TEXTS, st.lists(TEXTS, min_size=4, max_size=4), st.integers(0, 3)), min_size=1, max_size=5))
def test_questions_come_through_json_lines_and_parquet_alike(tmp_path_factory, asked):
    folder = tmp_path_factory.mktemp("rows")
    rows = [{"id": f"s/{n}", "question": q, "choices": c, "answer": a} for n, (q, c, a) in enumerate(asked)]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "f.jsonl").write_text(lines, encoding="utf-8", newline="\n")
    pq.write_table(pa.Table.from_pylist(rows), folder / "f.parquet")
    one, other = (mmlu({"test": name})(RawFiles({name: folder / name})) for name in ("f.jsonl", "f.parquet"))
    pd.testing.assert_frame_equal(one, other)
    assert [choice["text"] for choice in one["choices"][0]] == rows[0]["choices"]
