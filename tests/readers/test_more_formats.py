# SPDX-License-Identifier: Apache-2.0
"""CoNLL-U, TSV, exam questions and spreadsheets: what each reader reads, and what it says of a broken file."""

import csv
import io
import json

import openpyxl
import pytest

from euroglue.errors import ContractError, FormatError, MissingRawFileError
from euroglue.prepare.raw import RawFiles
from euroglue.prepare.steps import require_answer_among_choices
from euroglue.readers import arc, bg_rc, conllu, csv_table, jsonl, sheet, squad, tsv
from euroglue.readers.dcoi import read_lemma_lists

UPOS = {"tokens": "FORM", "pos_tags": "UPOS"}
TWEETS = {
    "tweet_id": "tweet_id",
    "tweet_text": "tweet_text",
    "labels": ("check_worthiness", "claim_worthiness"),
}


def one(tmp_path, text, name="f"):
    (tmp_path / name).write_text(text, encoding="utf-8", newline="")
    return RawFiles({name: tmp_path / name})


@pytest.mark.issue("bgGLUE#last-sentence")
def test_conllu_keeps_the_last_sentence(raw_files):
    table = conllu({"train": "no_final_blank_line.conllu"}, UPOS)(raw_files("conllu"))
    assert table["tokens"].tolist() == [["Вали", "сняг", "."], ["Котката", "спи", "."]]
    assert table["id"].tolist() == ["train-0", "train-1"]


@pytest.mark.issue("EuroEval#1296")
def test_conllu_skips_ranges_and_empty_nodes(raw_files):
    table = conllu({"train": "ranges_and_empty_nodes.conllu"}, UPOS)(raw_files("conllu"))
    assert table["tokens"][0] == ["Кажи", "де", "е", "ключът", "."]
    assert all("_" not in tags for tags in table["pos_tags"])
    assert all(len(tokens) == len(tags) for tokens, tags in zip(table["tokens"], table["pos_tags"]))


@pytest.mark.issue("datasets#conll-delimiter")
def test_conllu_keeps_a_space_within_a_form(raw_files):
    table = conllu({"train": "space_in_form.conllu"}, UPOS)(raw_files("conllu"))
    assert "1 200 000" in table["tokens"][0]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1\tа\tа\tX", "line 1: expected 10 tab-separated columns, got 4"),
        ("x\tа" + "\t_" * 8, "line 1: expected a word's number as its id, got 'x'"),
        ("1\tа" + "\t_" * 8, "line 1: expected UPOS, got '_'"),
        ("1\t\tа\tX" + "\t_" * 6, "line 1: expected FORM, got ''"),
    ],
)
def test_conllu_names_a_broken_line(tmp_path, line, message):
    with pytest.raises(FormatError, match=f"f, {message}"):
        conllu({"train": "f"}, UPOS)(one(tmp_path, line + "\n"))


@pytest.mark.issue("torchtext#612")
def test_tsv_takes_a_quotation_mark_for_what_it_is(raw_files):
    table = tsv({"train": "lone_quotes.tsv"}, TWEETS)(raw_files("tsv"))
    text = raw_files("tsv").text("lone_quotes.tsv")
    assert len(table) == text.count("\n") - 1 == 4
    assert table["tweet_text"][0].count('"') == 1


@pytest.mark.issue("pandas#39857")
def test_tsv_keeps_rows_that_other_readers_swallow(tmp_path):
    text = 'tweet_id\ttweet_text\n1\t"отворено…\n2\t…\n3\t…\n'
    table = tsv({"train": "f"}, {"tweet_id": "tweet_id", "tweet_text": "tweet_text"})(one(tmp_path, text))
    assert table["tweet_id"].tolist() == ["1", "2", "3"]
    assert len(list(csv.DictReader(io.StringIO(text), delimiter="\t"))) == 1


def test_tsv_keeps_every_digit_of_an_id(raw_files):
    ids = tsv({"train": "lone_quotes.tsv"}, TWEETS)(raw_files("tsv"))["tweet_id"]
    assert ids[0] == "1250000001000000007" and int(float(ids[0])) != int(ids[0])


@pytest.mark.parametrize("name", ["renamed_column.tsv", "bom_crlf.tsv"])
def test_tsv_knows_a_column_by_either_name_and_skips_a_byte_order_mark(raw_files, name):
    assert set(tsv({"train": name}, TWEETS)(raw_files("tsv"))["labels"]) <= {"0", "1"}


def test_tsv_names_the_row_with_the_wrong_number_of_columns(raw_files):
    with pytest.raises(FormatError, match="wrong_columns.tsv, line 3: expected 6 columns, got 5"):
        tsv({"train": "wrong_columns.tsv"}, TWEETS)(raw_files("tsv"))


def test_tsv_names_the_column_that_is_not_there(raw_files):
    with pytest.raises(FormatError, match="line 1: expected a column claim, got topic_id, tweet_id"):
        tsv({"train": "missing_column.tsv"}, {"claim": "claim"})(raw_files("tsv"))


def test_tsv_keeps_the_rows_of_one_language_and_numbers_them(tmp_path):
    files = one(tmp_path, "language\ttext\nbg\tда\nsl\tja\nbg\tне\n")
    table = tsv({"train": "f"}, {"text": "text"}, where={"language": "bg"}, number="id")(files)
    assert table.to_dict("list") == {"id": ["train-0", "train-1"], "text": ["да", "не"], "split": ["train", "train"]}


def test_a_member_that_was_not_left_out_must_be_there(tmp_path):
    with pytest.raises(MissingRawFileError, match="nowhere.tsv: expected it among the raw files, got f"):
        tsv({"train": "f", "test": "nowhere.tsv"}, {"text": "text"})(one(tmp_path, "text\nда\n"))
    files = RawFiles({"f": tmp_path / "f"}, missing=["nowhere.zip"])
    assert len(tsv({"train": "f", "test": "nowhere.tsv"}, {"text": "text"})(files)) == 1


@pytest.mark.parametrize(
    ("name", "choices"),
    [("ok.jsonl", {4}), ("three_choices.jsonl", {3, 4}), ("stray_choices.jsonl", {4}), ("no_para.jsonl", {4})],
)
def test_arc_reads_choices_and_fills_in_paragraphs(raw_files, name, choices):
    table = arc({"train": name})(raw_files("exams"))
    assert {len(question["choices"]) for question in table["question"]} == choices
    assert set(table) == {"id", "question", "answerKey", "info", "split"}
    for question in table["question"]:
        assert all(
            set(choice) == {"text", "label", "para"} and choice["para"] is not None for choice in question["choices"]
        )


def test_arc_takes_paragraphs_from_the_other_archive_by_question_and_letter(raw_files, tmp_path):
    plain = raw_files("exams").text("no_para.jsonl").split("\n")[0]
    row = json.loads(plain)
    for choice in row["question"]["choices"]:
        choice["para"] = f"за {choice['label']}"
    (tmp_path / "with").write_text(json.dumps(row, ensure_ascii=False), encoding="utf-8", newline="\n")
    files = RawFiles(
        {"no_para.jsonl": raw_files("exams").path("no_para.jsonl"), "x_with_para.jsonl": tmp_path / "with"}
    )
    first = arc({"train": "no_para.jsonl"}, paragraphs="*_with_para.jsonl")(files)["question"][0]
    assert [choice["para"] for choice in first["choices"]] == ["за A", "за B", "за C", "за D"]


def test_arc_takes_no_notice_of_empty_lines(raw_files, tmp_path):
    (tmp_path / "q").write_text(f"\n{raw_files('exams').text('ok.jsonl')}\n\n", encoding="utf-8", newline="\n")
    table = arc({"train": "q"})(RawFiles({"q": tmp_path / "q"}))
    assert len(table) == len(arc({"train": "ok.jsonl"})(raw_files("exams"))) > 0


def test_an_answer_that_is_no_choice_is_refused(raw_files):
    table = arc({"train": "key_not_among_choices.jsonl"})(raw_files("exams"))
    with pytest.raises(ContractError, match="train: expected the answer to be one of A, B, C, got 'D'"):
        require_answer_among_choices("question", "answerKey")(table)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"id": "a", "question": {"stem": "?", "choices": []}, "info": {}}, "expected two or more choices"),
        ({"id": "a", "question": {"stem": "?"}, "info": {}}, "expected 'choices' to be list, got 'None'"),
        ({"id": "a", "question": "?", "info": {}}, "expected 'question' to be dict, got '?'"),
        ({"id": None, "question": {}, "info": {}}, "expected 'id' to be str or int, got 'None'"),
        ({"id": "a", "question": {}}, "expected 'info' to be dict"),
    ],
)
def test_arc_names_a_broken_question(tmp_path, row, message):
    with pytest.raises(FormatError, match=f"f, line 1: {message}"):
        arc({"train": "f"})(one(tmp_path, json.dumps(row)))


QUIZ = {"id": "q1", "question": "Кога?", "answers": ["1878", "1908", "1885"], "correct": "1908"}


def test_bg_rc_gives_letters_in_order(tmp_path):
    files = one(tmp_path, json.dumps({"version": 1.0, "data": {"history-quiz": [{"url": "u", "questions": [QUIZ]}]}}))
    row = bg_rc("f", "history-quiz", "train", {"grade": 0})(files).iloc[0]
    assert (row["answerKey"], row["split"], row["info"]) == ("B", "train", {"grade": 0})
    assert [choice["label"] for choice in row["question"]["choices"]] == ["A", "B", "C"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"data": {}}, "expected tests of 'history-quiz'"),
        (
            {"data": {"history-quiz": [{"questions": [{**QUIZ, "correct": "1944"}]}]}},
            "expected the correct answer once among",
        ),
        ({"data": {"history-quiz": [{"questions": [{"id": "q"}]}]}}, "KeyError"),
        ([], "TypeError"),
    ],
)
def test_bg_rc_names_what_is_broken(tmp_path, data, message):
    with pytest.raises(FormatError, match=f"f: .*{message}"):
        bg_rc("f", "history-quiz", "train", {})(one(tmp_path, json.dumps(data)))


def test_sheet_reads_by_order_with_empty_cells_as_empty_texts(tmp_path):
    book = openpyxl.Workbook()
    for row in (["score", "Title", "Content"], [3, None, "Текст"], [1, "Заглавие", None], [None, None, None]):
        book.active.append(row)
    book.save(tmp_path / "f")
    table = sheet({"train": "f"}, ("label", "title", "content"))(RawFiles({"f": tmp_path / "f"}))
    assert table.drop(columns="split").to_dict("records") == [
        {"id": "train-0", "label": 3, "title": "", "content": "Текст"},
        {"id": "train-1", "label": 1, "title": "Заглавие", "content": ""},
    ]
    with pytest.raises(FormatError, match="f, row 1: expected 4 columns, got 3"):
        sheet({"train": "f"}, ("a", "b", "c", "d"))(RawFiles({"f": tmp_path / "f"}))


@pytest.mark.parametrize("content", ["", "no workbook", "PK\x03\x04 cut short"])
def test_sheet_refuses_what_is_no_workbook(tmp_path, content):
    with pytest.raises(FormatError, match="f: expected an xlsx workbook, got"):
        sheet({"train": "f"}, ("a",))(one(tmp_path, content))


def test_an_xml_bomb_in_a_workbook_expands_nothing(tmp_path):
    import zipfile

    book = openpyxl.Workbook()
    book.active.append(["a"])
    book.save(tmp_path / "good")
    bomb = (
        '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><x>&b;</x>'
    )
    with zipfile.ZipFile(tmp_path / "good") as good, zipfile.ZipFile(tmp_path / "f", "w") as bad:
        for name in good.namelist():
            bad.writestr(name, bomb if name == "xl/workbook.xml" else good.read(name))
    with pytest.raises(FormatError, match="expected an xlsx workbook"):
        sheet({"train": "f"}, ("a",))(RawFiles({"f": tmp_path / "f"}))


def test_a_workbook_with_a_cell_in_its_last_corner_takes_no_memory(tmp_path):
    import tracemalloc

    book = openpyxl.Workbook()
    book.active.append(["score", "Title"])
    book.active.append([1, "Заглавие"])
    book.active["XFD20000"] = "far"
    book.save(tmp_path / "f")
    tracemalloc.start()
    table = sheet({"train": "f"}, ("label", "title"))(RawFiles({"f": tmp_path / "f"}))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert table["title"].tolist() == ["Заглавие"]
    assert most < 100 * 2**20, "20,000 rows of 16,384 cells would take 2.6 GB"


@pytest.mark.parametrize("place", [0.3, 0.5, 0.7])
def test_a_workbook_with_damaged_bytes_is_refused(tmp_path, place):
    book = openpyxl.Workbook()
    for number in range(400):
        book.active.append([number * 7919 % 1000, f"Заглавие {number * 104729 % 997}"])
    book.save(tmp_path / "f")
    data = bytearray((tmp_path / "f").read_bytes())
    start = int(place * len(data))
    data[start : start + 40] = b"\xff" * 40
    (tmp_path / "f").write_bytes(data)
    with pytest.raises(FormatError, match="f: expected an xlsx workbook, got"):
        sheet({"train": "f"}, ("label", "title"))(RawFiles({"f": tmp_path / "f"}))


DEEP = "[" * 100_000
HALF = '{"data": [{"id": "\\ud800", "title": "", "context": "c", "question": "q", "answers": {"text": [], "answer_start": []}}]}'


@pytest.mark.parametrize("text", [DEEP, '{"data": ' + DEEP, HALF, '{"data": {"history-quiz": [' + DEEP], ids="abcd")
@pytest.mark.parametrize(
    "read",
    [squad({"train": "f"}), bg_rc("f", "history-quiz", "train", {}), jsonl({"train": "f"})],
    ids=lambda read: read.name,
)
def test_json_nested_too_deeply_or_with_half_a_letter_is_refused(tmp_path, read, text):
    with pytest.raises(FormatError, match="f.*: expected a JSON object, got"):
        read(one(tmp_path, text))


def test_lists_of_lemmas_nested_too_deeply_are_refused(tmp_path):
    with pytest.raises(FormatError, match="f: expected JSON or Python lists of lemmas"):
        read_lemma_lists(one(tmp_path, DEEP), "f")


def test_reading_csv_leaves_the_process_limit_of_a_field(tmp_path):
    before = csv.field_size_limit()
    assert csv_table({"train": "f"}, {"text": "text"}, key="id")(one(tmp_path, "id,text\n1,да\n"))["text"][0] == "да"
    assert csv.field_size_limit() == before
