# SPDX-License-Identifier: Apache-2.0
"""DUMB's annotated corpora: what each reader reads, what it counts and leaves out, and what it says of a broken file."""

import json
import re

import pytest

from dumb_datasets import lassy_pos, sonar_ne, wicnl
from euroglue.errors import ContractError, FormatError, MissingRawFileError
from euroglue.prepare.pipeline import run_steps
from euroglue.prepare.raw import RawFiles
from euroglue.readers import conllu_documents, in_shared_split, semeval
from euroglue.readers.dcoi import read_lemma_lists
from euroglue.readers.semeval import unscrambled

MMAX = "SONAR1/NE/SONAR_1_NE/MMAX/"
TEXT = "SONAR500/DCOI/WR-P-E-J/WR-P-E-J-0000000001.dcoi.xml"


def named(folder, raw_files, name):
    """The one file of a folder of fixtures, under the name ``f``."""
    return RawFiles({"f": raw_files(folder).path(name)})


def split_by(case, raw_files, reader, folder):
    """What a reader makes of a case, and the findings."""
    files = raw_files(f"{folder}/{case}")
    return reader(files), files.findings


# CoNLL-U, a file per document


def test_conllu_documents_come_sorted_with_the_ids_of_their_sentences(raw_files):
    table, findings = split_by("ok", raw_files, lassy_pos.READ, "conllu/documents")
    assert table["id"].tolist() == ["wiki-1.p.1.s.1", "wiki-10.p.1.s.1", "wiki-2.p.1.s.1"]
    assert table["document"].tolist() == ["wiki-1", "wiki-10", "wiki-2"]
    assert table["tags"][1] == ["LID|bep|stan|rest", "N|soort|ev|basis|zijd|stan", "WW|pv|tgw|met-t", "LET"]
    assert findings == []


@pytest.mark.issue("dumb#empty-nodes")
def test_conllu_documents_pass_over_ranges_and_empty_nodes(tmp_path):
    rows = ["1-2\tvan't", "1\tvan", "2\t't", "2.1\tzag"]
    lines = [f"{row}\t_\t_\t{'_' if '-' in row or '.' in row else 'VZ|init'}" + "\t_" * 5 for row in rows]
    (tmp_path / "d.conllu").write_text("# sent_id = d.1\n" + "\n".join(lines), encoding="utf-8", newline="\n")
    table = conllu_documents("*.conllu", {"tokens": "FORM", "tags": "XPOS"})(
        RawFiles({"d.conllu": tmp_path / "d.conllu"})
    )
    assert table["tokens"].tolist() == [["van", "'t"]]


@pytest.mark.parametrize(
    ("case", "rows", "finding"),
    [
        ("soft_hyphen", 1, "1 × word dropped, its form is no word: wiki-1.p.1.s.1"),
        ("only_soft_hyphen", 1, "1 × sentence without any word skipped: wiki-1.p.1.s.1"),
    ],
)
def test_conllu_documents_count_the_words_they_drop(raw_files, case, rows, finding):
    table, findings = split_by(case, raw_files, lassy_pos.READ, "conllu/documents")
    assert len(table) == rows and finding in findings
    assert table["tokens"].tolist() == [["Jan", "slaapt", "."]]


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ("cut_in_half", "CONLLU/wiki-1.conllu, line 4: expected 10 tab-separated columns, got 4"),
        ("no_sent_id", "CONLLU/wiki-1.conllu, line 2: expected a comment '# sent_id = …' before the first word"),
        ("not_utf8", "CONLLU/wiki-1.conllu, byte 41: expected UTF-8, got 0xeb"),
    ],
)
def test_conllu_documents_name_the_broken_place(raw_files, case, message):
    with pytest.raises(FormatError, match=re.escape(message)):
        lassy_pos.READ(raw_files(f"conllu/documents/{case}"))


@pytest.mark.parametrize("case", ["same_document_twice", "same_sent_id_in_one_file"])
def test_a_sentence_that_is_there_twice_is_refused(raw_files, case):
    table, _ = split_by(case, raw_files, lassy_pos.READ, "conllu/documents")
    with pytest.raises(ContractError, match="the id 'wiki-1.p.1.s.1' occurs 2 times"):
        run_steps(lassy_pos.TASK, lassy_pos.TASK.editions["sample"], table.assign(split="train"))


def test_two_members_of_one_document_are_refused(raw_files):
    path = raw_files("conllu/documents/ok").path("CONLLU/wiki-1.conllu")
    files = RawFiles({"CONLLU/wiki-1.conllu": path, "CONLLU/more/wiki1.conllu": path})
    with pytest.raises(FormatError, match="the document wiki-1 is there twice, also as CONLLU/more/wiki1.conllu"):
        lassy_pos.READ(files)


def test_a_split_without_the_other_corpus_says_that_it_is_not_the_shared_one(raw_files):
    files = raw_files("conllu/documents/ok")
    table = in_shared_split(lassy_pos.READ, **lassy_pos.SHARED, test=0.05, validation=0.02)(files)
    assert set(table["split"]) == {"train"}
    assert files.findings == [
        f"{MMAX}*.mmax: the other corpus is not at hand: the document split is not the shared one"
    ]


# MMAX


@pytest.mark.parametrize(
    ("case", "tags", "why"),
    [
        ("ok", ["B-PER", "I-PER", "O", "O", "B-LOC", "O"], "plain"),
        ("file_order", ["B-PER", "I-PER", "O", "O", "B-LOC", "O"], "sentences come by their words, not as in the file"),
        ("glued_word", ["O", "O", "O", "B-LOC", "O"], "word_4.1 is glued to word_4"),
        ("discontinuous", ["B-PER", "O", "B-PER", "I-PER", "O", "O", "B-LOC", "O"], "word_1,word_4 is one entity"),
        ("neighbours_of_one_type", ["O", "B-LOC", "B-LOC", "O", "B-LOC", "O", "O", "O"], "neighbours stay two"),
        ("two_types", ["O", "B-MISC", "I-MISC", "I-MISC", "O", "O"], "MISC is carried back to the beginning"),
        ("two_types_at_the_start", ["B-MISC", "I-MISC", "I-MISC", "O", "O", "O"], "and stops there"),
        ("soft_hyphen", ["O", "O", "O", "B-LOC", "O"], "the soft hyphen is no word"),
    ],
)
@pytest.mark.issue("dumb#misc-back-propagation")
def test_mmax_tags(raw_files, case, tags, why):
    table, _ = split_by(case, raw_files, sonar_ne.READ, "mmax")
    assert table["tags"][0] == tags, why
    assert table["id"][0] == "wiki-1-0"


def test_mmax_glues_continuations(raw_files):
    assert sonar_ne.READ(raw_files("mmax/glued_word"))["tokens"][0] == ["Zij", "woont", "in", "Zuid-Holland", "."]


def test_an_entity_over_a_sentence_end_begins_anew(raw_files):
    table = sonar_ne.READ(raw_files("mmax/entity_across_sentences"))
    assert [tags[0] for tags in table["tags"]] == ["B-PER", "B-MISC"]
    for tags in table["tags"]:
        assert all(tag[0] != "I" or before[1:] == tag[1:] for before, tag in zip(["O", *tags], tags))


@pytest.mark.parametrize(
    ("case", "sentences", "finding"),
    [
        ("duplicate_sentences", 2, "1 × sentence skipped, another one holds its words"),
        ("overlapping_sentences", 1, "2 × sentence skipped, another one holds its words"),
        ("sentence_names_missing_word", 2, "1 × sentence skipped, it names a word that is not there"),
        ("entity_names_missing_word", 2, "1 × entity skipped, no sentence holds its words"),
        ("entity_outside_sentences", 1, "1 × entity skipped, no sentence holds its words"),
    ],
)
def test_mmax_counts_what_it_leaves_out(raw_files, case, sentences, finding):
    table, findings = split_by(case, raw_files, sonar_ne.READ, "mmax")
    assert len(table) == sentences
    assert [one.partition(": ")[0] for one in findings] == [finding] and "wiki-1_" in findings[0]


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ("cut_in_half", f"{MMAX}Basedata/wiki-1_words.xml, line 6, column 0: expected well-formed XML"),
        ("level_cut_in_half", f"{MMAX}Markables/wiki-1_per_level.xml, line 3, column 0: expected well-formed XML"),
        ("missing_level", f"{MMAX}Markables/wiki-1_org_level.xml: expected it beside the document's other files"),
        ("duplicate_word_id", f"{MMAX}Basedata/wiki-1_words.xml: the id word_2 occurs twice"),
        ("not_utf8", f"{MMAX}Basedata/wiki-1_words.xml, line 2, column 23: expected well-formed XML"),
        ("span_backwards", "markable_1: expected a span from left to right, got 'word_2..word_1'"),
        ("span_unreadable", "markable_1: expected a span such as word_1..word_4,word_6, got 'word_five'"),
        ("entity_bomb", "declares an entity"),
        ("external_entity", "declares an entity"),
    ],
)
def test_mmax_names_the_broken_place(raw_files, case, message):
    with pytest.raises(FormatError, match=re.escape(message)):
        sonar_ne.READ(raw_files(f"mmax/{case}"))


def test_a_span_of_billions_of_words_costs_nothing(raw_files, tmp_path):
    files = raw_files("mmax/ok")
    level = f"{MMAX}Markables/wiki-1_per_level.xml"
    text = files.text(level).replace('span="word_1..word_2"', 'span="word_1..word_99999999999"')
    (tmp_path / "f").write_text(text, encoding="utf-8", newline="\n")
    files._paths[level] = tmp_path / "f"
    sonar_ne.READ(files)
    assert "entity cut to the words that a sentence holds" in files.findings[0]


# D-Coi and DutchSemCor


def test_dcoi_finds_the_annotated_words(raw_files):
    table, findings = split_by("ok", raw_files, wicnl.READ, "dcoi")
    assert [tokens[at] for tokens, at in zip(table["tokens"], table["index"])] == ["bank"] * 4
    assert table["sense"].tolist() == ["c_1", "c_2", "c_1", "c_2"] and set(table["split"]) == {None}
    assert findings == []


def test_dcoi_reads_the_encoding_that_the_file_declares(raw_files):
    assert wicnl.READ(raw_files("dcoi/accents"))["tokens"][0] == ["De", "café-bank", "kost", "€", "10", "."]


@pytest.mark.parametrize(
    ("case", "rows", "finding"),
    [
        ("elsewhere", 4, "2 × annotation skipped, its document is not among the texts: CGN-comp-g_fn000001.s.2.w.6"),
        ("word_beyond_sentence", 4, "1 × annotation skipped, its document has no such token"),
        ("malformed_token_id", 4, "1 × annotation skipped, its token_id names no word: WR-P-E-J-0000000001.p.1.s.1"),
        ("two_senses_for_one_word", 3, "1 × token skipped, it has two senses: WR-P-E-J-0000000001.p.1.s.1.w.2"),
    ],
)
def test_dcoi_counts_the_annotations_it_skips(raw_files, case, rows, finding):
    table, findings = split_by(case, raw_files, wicnl.READ, "dcoi")
    assert len(table) == rows and any(one.startswith(finding) for one in findings)


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ("cut_in_half", f"{TEXT}, line 4, column 432: expected well-formed XML"),
        ("annotations_cut_in_half", "annotations.training.DSC.nouns.xml, line 4, column 0: expected well-formed XML"),
        ("same_document_twice", "the document WR-P-E-J-0000000001.dcoi is there twice"),
        ("entity_bomb", f"{TEXT}: declares an entity"),
        ("external_entity", f"{TEXT}: declares an entity"),
    ],
)
def test_dcoi_names_the_broken_place(raw_files, case, message):
    with pytest.raises(FormatError, match=re.escape(message)):
        wicnl.READ(raw_files(f"dcoi/{case}"))


def test_dcoi_without_texts_is_missing_them(raw_files):
    files = raw_files("dcoi/ok")
    with pytest.raises(MissingRawFileError, match="SONAR500/DCOI/"):
        wicnl.READ(RawFiles({name: files.path(name) for name in files.names("1.2.2*")}))


JSON_LISTS = json.dumps({"train": ["bank"], "dev": ["arm"], "test": ["licht"]})
PYTHON_LISTS = "_TEST_LEMMAS = ['licht']\n_VALID_LEMMAS = ['arm']\n_TRAIN_LEMMAS = [\n 'bank']\nclass A:\n  x = 1\n"


@pytest.mark.parametrize("text", [JSON_LISTS, PYTHON_LISTS])
def test_lemma_lists_are_read_from_json_or_from_the_published_file(tmp_path, text):
    (tmp_path / "f").write_text(text, encoding="utf-8")
    splits = read_lemma_lists(RawFiles({"f": tmp_path / "f"}), "f")
    assert splits == {"bank": "train", "arm": "validation", "licht": "test"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1]", "expected an object of three lists"),
        ("import os; os.remove('x')", "expected one list of lemmas for train"),
        ("def (", "expected JSON or Python lists"),
        ('{"train": ["a"], "dev": ["a"], "test": []}', "'a' is on the lists of train and of validation"),
        ('{"train": "abc", "dev": [], "test": []}', "expected one list of lemmas for train"),
    ],
)
def test_lemma_lists_that_are_none_are_refused(tmp_path, text, message):
    (tmp_path / "f").write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=message):
        read_lemma_lists(RawFiles({"f": tmp_path / "f"}), "f")


def test_lemma_lists_give_the_splits_and_leave_out_other_lemmas(raw_files, tmp_path):
    files = raw_files("dcoi/ok")
    for lemma, splits in (("bank", {"test"}), ("arm", set())):
        lists = {"train": [], "dev": [], "test": [lemma]}
        (tmp_path / "f").write_text(json.dumps(lists), encoding="utf-8")
        given = RawFiles({**files._paths, wicnl.LISTS: tmp_path / "f"})
        assert set(wicnl.READ(given)["split"]) == splits
    assert given.findings[0].startswith("4 × annotation skipped, its lemma is on no list")


# SemEval-2010


def near(raw_files, name):
    files = named("semeval", raw_files, name)
    return semeval({"train": "f"}, pronoun="VNW")(files), files.findings


def test_semeval_pairs_a_pronoun_with_the_mentions_near_it(raw_files):
    table, findings = near(raw_files, "ok.txt")
    assert table.groupby("pronoun")["label"].agg(sorted).tolist() == [["different", "same"]] * 3
    assert table["distance"].tolist()[:2] == [5, 2] and set(table["nearness"]) == {1}
    assert findings == []


@pytest.mark.issue("dumb#next-sentence-across-documents")
@pytest.mark.parametrize(
    ("name", "rows", "why"),
    [
        ("next_document_is_not_next_sentence.txt", 0, "the mention stands in the next document"),
        ("pronoun_in_last_sentence.txt", 1, "there is no sentence after the last"),
    ],
)
def test_semeval_stays_in_the_document(raw_files, name, rows, why):
    assert len(near(raw_files, name)[0]) == rows, why


@pytest.mark.parametrize(
    ("name", "finding"),
    [
        ("never_closes.txt", "1 × mention skipped, its bracket does not close in its sentence: f line 2"),
        ("closes_unopened.txt", "1 × bracket skipped, it closes a mention that did not open in its sentence: f line 3"),
        ("unreadable_coreference.txt", "1 × coreference mark skipped, it is no bracketed number: f line 2 '(een'"),
        ("dirt.txt", "2 × coreference mark skipped, it is no bracketed number: f line 8 'LET()', f line 9 '+'"),
        ("dirt.txt", "1 × word with scrambled characters, mended: f line 13 België"),
    ],
)
def test_semeval_counts_the_dirt(raw_files, name, finding):
    assert finding in near(raw_files, name)[1]


def test_semeval_reads_marks_with_a_lost_bar_and_stray_hyphens(raw_files):
    starts = near(raw_files, "dirt.txt")[0].set_index("id")["start"]
    assert {"train-file_1-1.0-0.0.3.5", "train-file_1-1.0-2.0.1.12"} <= set(starts.index)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("wrong_columns.txt", "f, line 2: expected 17 tab-separated columns, got 15"),
        ("no_end_document.txt", "f: cut short: expected '#end document file_1'"),
        ("begin_inside_document.txt", "f, line 14: expected '#end document file_1' before"),
        ("same_document_twice.txt", "f, line 15: expected a document's own name, got 'file_1' again"),
        ("not_utf8.txt", "f, byte 30: expected UTF-8, got 0xeb"),
    ],
)
def test_semeval_names_the_broken_place(raw_files, name, message):
    with pytest.raises(FormatError, match=re.escape(message)):
        near(raw_files, name)


@pytest.mark.parametrize("letter", "àáëéèêïüöóÖç")
def test_scrambled_letters_are_mended(letter):
    once = letter.encode("latin-1").decode("mac_roman")
    scrambled = once.encode().decode("mac_roman").encode().decode("mac_roman")
    assert unscrambled(f"x{scrambled}x") == f"x{letter}x"
    assert unscrambled(f"x{letter}x") == f"x{letter}x"
