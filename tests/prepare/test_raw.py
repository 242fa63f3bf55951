# SPDX-License-Identifier: Apache-2.0
"""What lies where a raw file is expected: folders, links to nothing, empty members, zero bytes, downloads gone bad."""

import os

import pytest

from euroglue.errors import FormatError, RawFileError
from euroglue.prepare import prepare
from euroglue.prepare.raw import RawFiles
from euroglue.readers import conllu_documents, folders, iob, jsonl, tsv
from euroglue.task import UNPINNED, Source
from tests.prepare.made_up import ROWS, make_task, pack


@pytest.fixture(autouse=True)
def offline(home, monkeypatch):
    """No folder of raw files but the test's own, and no second try of a download."""
    monkeypatch.delenv("EUROGLUE_RAW_DIR", raising=False)
    monkeypatch.setattr("euroglue.prepare.download.ATTEMPTS", 1)
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")


ODD = {
    "a folder": lambda path: path.mkdir(),
    "a link to nothing": lambda path: path.symlink_to(path.parent / "gone"),
    "a link to itself": lambda path: path.symlink_to(path),
    "a pipe": lambda path: os.mkfifo(path),
}


@pytest.mark.parametrize(("file", "member"), [("rows.tar.gz", "t/rows.jsonl"), ("rows.jsonl", "rows.jsonl")])
@pytest.mark.parametrize("why", ODD)
def test_what_is_called_like_a_raw_file_and_is_none_is_named(tmp_path, why, file, member):
    ODD[why](tmp_path / file)
    with pytest.raises(
        RawFileError, match=rf"{file}: expected a file, got a (folder|link to nothing|pipe or a device)"
    ):
        prepare(make_task(file=file, member=member), data_dir=tmp_path)


def test_a_file_that_could_not_be_fetched_is_said_to_be_missing_where_it_was_looked_for(tmp_path):
    with pytest.raises(RawFileError, match=rf"could not be fetched .*put rows.tar.gz .*\(it is not in {tmp_path}\)"):
        prepare(make_task(), data_dir=tmp_path)


CONLLU = "# sent_id = a.1\n1\tda\t_\t_\tBW\t_\t_\t_\t_\t_\n"


def test_an_empty_document_among_others_is_not_passed_over(tmp_path):
    source = Source(file="corpus", obtain="Somewhere.", members={"corpus/*.conllu": UNPINNED})
    (tmp_path / "corpus").mkdir()
    for name, content in {"a": CONLLU, "b": ""}.items():
        (tmp_path / "corpus" / f"{name}.conllu").write_text(content, encoding="utf-8", newline="\n")
    task = make_task(sources=(source,), read=conllu_documents("corpus/*.conllu", {"text": "FORM"}))
    with pytest.raises(RawFileError, match=r"corpus/b.conllu: expected rows, got an empty file"):
        prepare(task, data_dir=tmp_path)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("id\ttext\n1\tda\n".encode("utf-16-le"), "UTF-16 without a mark is valid UTF-8"),
        (b"id\ttext\n1\tda\n2\t" + bytes(64) + b"\n", "a file that was cut and filled up with zeros"),
    ],
    ids=["UTF-16", "zeros"],
)
@pytest.mark.parametrize(
    "read",
    [
        tsv({"train": "f"}, {"text": "text"}),
        iob({"train": "f"}),
        folders({"train": "."}, {"pos": ("positive", "5")}),
    ],
    ids=lambda read: read.name,
)
def test_zero_bytes_are_no_text(read, content, why, tmp_path):
    name = "./pos/1_5.txt" if read.name == "folders" else "f"
    (tmp_path / "f").write_bytes(content)
    with pytest.raises(FormatError, match=r"byte \d+: expected UTF-8 text, got a zero byte"):
        read(RawFiles({name: tmp_path / "f"}))


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"<html>please log in</html>", "truncated or damaged"), (b"", "expected an archive, got an empty file")],
)
def test_a_download_that_is_no_archive_is_removed_so_that_the_next_call_fetches_it(home, tmp_path, content, message):
    place = home / "downloads" / "bgglue" / "rows" / "rows.tar.gz"
    place.parent.mkdir(parents=True)
    place.write_bytes(content)
    with pytest.raises(RawFileError, match=message):
        prepare(make_task())
    assert not place.exists()
    given = pack(tmp_path / "raw")
    (given / "rows.tar.gz").write_bytes(content)
    with pytest.raises(RawFileError, match=message):
        prepare(make_task(), data_dir=given)
    assert (given / "rows.tar.gz").exists(), "what a user gave is the user's"


def test_a_download_that_breaks_its_format_is_named_with_its_place(home):
    source = Source(file="rows.jsonl", url="https://example.org/rows.jsonl", members={"rows.jsonl": UNPINNED})
    place = home / "downloads" / "bgglue" / "rows" / "rows.jsonl"
    place.parent.mkdir(parents=True)
    place.write_text(ROWS + "<html>please log in</html>", encoding="utf-8", newline="\n")
    with pytest.raises(
        FormatError, match=rf"line 13: .*\(read from {place}; what lies in downloads is fetched again once"
    ):
        prepare(make_task(sources=(source,), read=jsonl({"train": "rows.jsonl"})))
