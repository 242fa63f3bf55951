# SPDX-License-Identifier: Apache-2.0
"""CoNLL-U as running text and CoNLL-2002: what is read, what is told, what is refused."""

import pytest

from euroglue.errors import FormatError, MissingRawFileError
from euroglue.prepare.raw import RawFiles
from euroglue.readers import conllu_text, iob

HEAD = "# newdoc id = d\n# sent_id = d.1.1\n# text = {}\n"


def token(number, form, upos="NOUN", lemma="l", misc="_"):
    return "\t".join([str(number), form, lemma, upos, "_", "_", "_", "_", "_", misc]) + "\n"


def files(tmp_path, **contents):
    """``RawFiles`` of members with these contents."""
    paths = {}
    for name, content in contents.items():
        paths[name] = tmp_path / name
        paths[name].write_bytes(content.encode())
    return RawFiles(paths)


def read(tmp_path, content):
    raw = files(tmp_path, f=content)
    return conllu_text({"test": "f"})(raw), raw.findings


HELLO = HEAD.format("Da, res.") + token(1, "Da", "PART", "da", "SpaceAfter=No") + token(2, ",", "PUNCT", ",")
HELLO += token(3, "res", "ADV", "res", "NER=O|SpaceAfter=No") + token(4, ".", "PUNCT", ".")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (HELLO + "\n", "closed by an empty line"),
        (HELLO, "not closed"),
        (HELLO.removesuffix("\n"), "not even by a line feed"),
        (HELLO.replace("\n", "\r\n"), "lines of Windows"),
        ("\ufeff" + HELLO, "a byte order mark"),
        (HELLO.replace("2\t,", "1.1\tno\t_\tX\t_\t_\t_\t_\t_\t_\n2\t,"), "an empty node is no token"),
    ],
)
@pytest.mark.issue("EuroEval#scala-last-token")
def test_a_sentence_is_read_as_it_is_written(tmp_path, content, why):
    table, findings = read(tmp_path, content)
    (row,) = table.to_dict("records")
    assert row == {
        "id": "d.1.1",
        "text": "Da, res.",
        "tokens": ["Da", ",", "res", "."],
        "tags": ["PART", "PUNCT", "ADV", "PUNCT"],
        "lemmas": ["da", ",", "res", "."],
        "spaces": [False, True, False, True],
        "document": "d",
        "split": "test",
    }, why
    assert findings == []


@pytest.mark.issue("EuroEval#1296")
def test_a_range_stands_for_its_words(tmp_path):
    lines = token(1, "Zakaj", "ADV") + token("2-3", "zanj", "_", "_", "SpaceAfter=No") + token(2, "za", "ADP", "za")
    lines += token(3, "njega", "PRON", "on") + token("3.1", "gre", "VERB") + token(4, "?", "PUNCT")
    table, _ = read(tmp_path, HEAD.format("Zakaj zanj?") + lines)
    assert table["tokens"][0] == ["Zakaj", "zanj", "?"]
    assert table["tags"][0] == ["ADV", "ADP", "PUNCT"] and table["lemmas"][0] == ["l", "za", "l"]


def test_an_underscore_is_a_form(tmp_path):
    assert read(tmp_path, HEAD.format("_") + token(1, "_", "SYM", "_"))[0]["tokens"][0] == ["_"]


def test_documents_go_on_until_the_next_and_sentences_outside_are_told(tmp_path):
    second = HELLO.replace("# newdoc id = d\n", "").replace("d.1.1", "d.1.2")
    outside = second.replace("d.1.2", "wiki.7.sl.3")
    other = HELLO.replace("= d\n", "= e\n").replace("d.1.1", "e.1.1")
    table, findings = read(tmp_path, "\n".join([HELLO, second, outside, other]))
    assert table["document"].tolist() == ["d", "d", "wiki.7.sl", "e"]
    assert findings == ["1 × sentence outside the documents, taken for one of its own: wiki.7.sl.3"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            HELLO.replace("# sent_id = d.1.1\n", ""),
            r"f, line 3: expected a comment '# sent_id = …' before the first word",
        ),
        (HELLO.replace("# text = Da, res.\n", ""), r"f, line 3: expected a comment '# text = …'"),
        (
            HELLO.replace("Da, res", "Da , res"),
            r"f, sentence d.1.1: expected tokens that spell its text, got 'Da, res.'",
        ),
        (HELLO.replace("PART", "_"), r"f, line 4: expected a form and its UPOS, got \['1', 'Da', 'da', '_'\]"),
        (HELLO.replace("1\tDa", "1\t"), r"f, line 4: expected a form and its UPOS"),
        (HELLO.replace("1\tDa\t", "1\tDa "), r"f, line 4: expected 10 tab-separated columns, got 9"),
        (HELLO.replace("1\tDa", "x\tDa"), r"f, line 4: expected a word's number as its id, got 'x'"),
    ],
)
def test_a_broken_sentence_is_named(tmp_path, content, message):
    with pytest.raises(FormatError, match=message):
        read(tmp_path, content)


def test_parts_that_are_no_splits_leave_none_incomplete(tmp_path):
    """What is drawn from the parts at hand is whole, where a split of the file's own would not be."""
    for into, incomplete in (("part", set()), ("split", {"train"})):
        raw = files(tmp_path, f=HELLO)
        raw.missing = ("g",)
        table = conllu_text({"train": "g", "test": "f"}, into=into)(raw)
        assert (table[into].tolist(), raw.incomplete) == (["test"], incomplete)
    with pytest.raises(MissingRawFileError, match="g: expected it among the raw files, got f"):
        conllu_text({"train": "g", "test": "f"}, into="part")(files(tmp_path, f=HELLO))


NAMES = iob({"train": "f"}, tags="labels", separator=" ", into="part")


@pytest.mark.parametrize(
    ("content", "rows", "why"),
    [
        ("Ana B-per\nspi O\n\nNe O\n\n", [["Ana", "spi"], ["Ne"]], "two sentences"),
        ("Ana B-per\nspi O\n\nNe O", [["Ana", "spi"], ["Ne"]], "the last not closed"),
        ("30\t8230 O\n", [["30\t8230"]], "a tab is part of the token"),
        ("a\u00a0b O\n", [["a\u00a0b"]], "so is a no-break space"),
    ],
)
def test_conll_2002_has_a_space_before_the_tag(tmp_path, content, rows, why):
    table = NAMES(files(tmp_path, f=content))
    assert table["tokens"].tolist() == rows, why
    assert list(table) == ["id", "tokens", "labels", "part"] and table["id"][0] == "train-0"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("Ana\tO\n", r"f, line 1: expected 2 space-separated column\(s\), got 1"),
        ("Ana B per\n", r"f, line 1: expected 2 space-separated column\(s\), got 3"),
        (" O\n", "expected a token, got an empty one"),
    ],
)
def test_a_broken_line_of_conll_2002_is_named(tmp_path, content, message):
    with pytest.raises(FormatError, match=message):
        NAMES(files(tmp_path, f=content))


@pytest.mark.parametrize("number", ["9" * 5000, "1-" + "9" * 5000, "1." + "9" * 5000, "١", "²"])
def test_a_number_that_is_none_is_refused(tmp_path, number):
    with pytest.raises(FormatError, match="f, line 4: expected a word's number as its id"):
        read(tmp_path, HEAD.format("Da") + token(number, "Da"))
