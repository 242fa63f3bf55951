# SPDX-License-Identifier: Apache-2.0
"""Prepared folders that were spoilt, made with other options, or cannot be written."""

import os
import shutil
import subprocess
import sys

import pandas as pd
import pytest

from euroglue.errors import ContractError, EuroglueError, FormatError, MissingRawFileError
from euroglue.prepare import prepare
from euroglue.prepare.pipeline import MANIFEST
from euroglue.prepare.steps import drop_duplicates
from euroglue.prepare.text import same_text
from euroglue.readers import jsonl
from euroglue.registry import SUITES
from euroglue.task import UNPINNED, Kind, Source, reader
from tests.prepare.made_up import ROWS, make_task, pack

SPOIL = {
    "no manifest": lambda folder: (folder / MANIFEST).unlink(),
    "an empty manifest": lambda folder: (folder / MANIFEST).write_bytes(b""),
    "a manifest cut short": lambda folder: (folder / MANIFEST).write_bytes((folder / MANIFEST).read_bytes()[:99]),
    "a manifest that is no text": lambda folder: (folder / MANIFEST).write_bytes(b"\xff\xfe"),
    "a manifest of something else": lambda folder: (folder / MANIFEST).write_text("[1]"),
    "a manifest without its entries": lambda folder: (folder / MANIFEST).write_text('{"a": 1}'),
    "no Parquet": lambda folder: (folder / "train.parquet").unlink(),
    "an empty Parquet": lambda folder: (folder / "train.parquet").write_bytes(b""),
    "a Parquet cut short": lambda folder: (folder / "test.parquet").write_bytes(
        (folder / "test.parquet").read_bytes()[:-9]
    ),
    "no file": lambda folder: (shutil.rmtree(folder), folder.mkdir()),
}


@pytest.mark.parametrize("why", SPOIL)
def test_a_spoilt_folder_is_prepared_anew(home, tmp_path, why):
    raw = pack(tmp_path / "raw")
    made = prepare(make_task(), data_dir=raw)
    before = {file.name: file.read_bytes() for file in made.folder.iterdir()}
    SPOIL[why](made.folder)
    again = prepare(make_task(), data_dir=raw)
    assert {file.name: file.read_bytes() for file in again.folder.iterdir()} == before
    assert sorted(path.name for path in made.folder.parent.iterdir()) == sorted(
        [made.folder.name, f"{made.folder.name}.lock"]
    )


def test_a_spoilt_folder_is_not_served_where_its_raw_files_are_gone(home, tmp_path, monkeypatch):
    raw = pack(tmp_path / "raw")
    made = prepare(make_task(), data_dir=raw)
    (made.folder / "train.parquet").unlink()
    shutil.rmtree(raw)
    monkeypatch.delenv("EUROGLUE_RAW_DIR", raising=False)
    monkeypatch.setattr("euroglue.prepare.raw.download", _unreachable)
    with pytest.raises(MissingRawFileError, match="the network is off"):
        prepare(make_task())


def _unreachable(*_, **__):
    raise MissingRawFileError("the network is off")


def loose_task(**edition):
    """A task of two unpinned files, one a split."""
    sources = tuple(
        Source(file=f"{name}.jsonl", obtain="It is made up.", members={f"{name}.jsonl": UNPINNED}) for name in "ab"
    )
    read = jsonl({"train": "a.jsonl", "test": "b.jsonl"}, number="id")
    fields = {"read": read, "steps": (), "sizes": {"train": 12, "test": 12}, **edition}
    return make_task(sources=sources, **fields)


def test_what_was_prepared_with_options_is_not_served_without_them(home, tmp_path, monkeypatch):
    raw = tmp_path / "raw" / "bgglue" / "rows"
    raw.mkdir(parents=True)
    (raw / "a.jsonl").write_text(ROWS, encoding="utf-8", newline="\n")
    monkeypatch.setenv("EUROGLUE_RAW_DIR", str(tmp_path / "raw"))
    assert prepare(loose_task(), allow_missing_splits=True).splits == ("train",)
    (raw / "a.jsonl").unlink()
    with pytest.raises(MissingRawFileError, match=r"a\.jsonl not found in"):
        prepare(loose_task())
    with pytest.raises(MissingRawFileError, match=r"none of a\.jsonl, b\.jsonl is at hand in .*rows; put at least one"):
        prepare(loose_task(), allow_missing_splits=True)


@pytest.mark.parametrize(
    ("names", "splits", "why"),
    [
        (("a", "b", "c"), {"train": 24, "test": 12}, "all are there"),
        (("a", "b"), {"train": 24}, "test is made of c alone"),
        (("a", "c"), {"test": 12}, "half of train is no train"),
        (("b", "c"), {"test": 12}, "nor is the other half"),
        (("c",), {"test": 12}, "train is made of a and b"),
        (("a",), None, "half of train is all there is"),
    ],
)
def test_a_split_that_lacks_one_of_its_files_is_left_out(home, tmp_path, names, splits, why):
    first, second = (jsonl({"train": "a.jsonl", "test": "c.jsonl"}), jsonl({"train": "b.jsonl"}))
    sources = tuple(
        Source(file=f"{name}.jsonl", obtain="It is made up.", members={f"{name}.jsonl": UNPINNED}) for name in "abc"
    )
    task = make_task(
        sources=sources,
        read=both((first, second)),
        steps=(),
        sizes={"train": 24, "test": 12},
    )
    raw = tmp_path / "raw"
    raw.mkdir()
    for name in names:
        (raw / f"{name}.jsonl").write_text(ROWS.replace('"id": "', f'"id": "{name}'), encoding="utf-8", newline="\n")
    if splits is None:
        with pytest.raises(MissingRawFileError, match="no split can be made of the raw files at hand alone"):
            prepare(task, data_dir=raw, allow_missing_splits=True)
        return
    made = prepare(task, data_dir=raw, allow_missing_splits=True)
    assert {split: about["rows"] for split, about in made.manifest["splits"].items()} == splits, why
    assert [f"left out, not at hand: {name}.jsonl" for name in "abc" if name not in names] == [
        finding.partition(": ")[2] for finding in made.manifest["findings"]
    ]


@reader
def both(files, readers):
    """Put the tables of two readers under one another, as far as their files are there."""
    tables = []
    for read in readers:
        members = read.arguments["splits"]
        present = {split: member for split, member in members.items() if files.names(member)}
        files.incomplete |= set(members) - set(present)
        if present:
            tables.append(jsonl(present)(files))
    return pd.concat(tables, ignore_index=True)


def test_sizes_may_differ_where_a_file_that_other_splits_are_compared_with_is_left_out(home, tmp_path):
    raw = tmp_path / "raw"
    raw.mkdir()
    (raw / "b.jsonl").write_text(ROWS, encoding="utf-8", newline="\n")
    task = loose_task(steps=(drop_duplicates(by=same_text("text")),), sizes={"train": 9, "test": 0})
    made = prepare(task, data_dir=raw, allow_missing_splits=True)
    assert made.splits == ("test",)
    assert made.manifest["findings"][0] == "bgglue/rows (official): expected test 0 examples, got test 9"


def test_a_missing_optional_file_does_not_weaken_the_check_of_sizes(home, tmp_path):
    content = ROWS
    task = make_task(content, sizes={"train": 6, "test": 4})
    extra = Source(file="more.jsonl", obtain="It is made up.", members={"more.jsonl": UNPINNED}, optional=True)
    sources = (*task.editions["official"].sources, extra)
    task = make_task(content, sources=sources, sizes={"train": 6, "test": 4})
    with pytest.raises(ContractError, match="expected train 6, test 4 examples, got train 5, test 4"):
        prepare(task, data_dir=pack(tmp_path / "raw"), allow_missing_splits=True)


def test_a_changed_source_may_differ_in_size_but_not_lack_a_split(home, tmp_path):
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "a.jsonl").write_text(ROWS, encoding="utf-8", newline="\n")
    (tmp_path / "raw" / "b.jsonl").write_text("\n", encoding="utf-8", newline="\n")
    with pytest.raises(
        ContractError, match=r"rows \(official\): expected 12 examples in test, got none; fetch the raw"
    ):
        prepare(loose_task(), data_dir=tmp_path / "raw", allow_changed_source=True)


def test_a_changed_source_is_a_finding(home, tmp_path):
    raw = pack(tmp_path / "raw", ROWS.replace("Ред", "Ново"))
    findings = prepare(make_task(), data_dir=raw, allow_changed_source=True).manifest["findings"]
    assert len(findings) == 1 and "t/rows.jsonl differs from the published file: expected sha256" in findings[0]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ('{"id": "x"', r"bgglue/rows \(official\): t/rows.jsonl, line 13: expected a JSON object.*; mend the raw file"),
        ("[" * 200_000, "line 13: expected a JSON object"),
    ],
)
def test_a_broken_line_is_named_with_its_task_and_what_to_do(home, tmp_path, row, message):
    content = f"{ROWS}{row}\n"
    with pytest.raises(FormatError, match=message) as error:
        prepare(make_task(content), data_dir=pack(tmp_path / "raw", content))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("rating", "fits"), [(0, True), (5, True), (5.5, False), (-0.1, False)])
def test_a_rating_outside_its_bounds_is_refused(home, tmp_path, rating, fits):
    from dataclasses import replace

    content = f'{{"id": "a", "text": "т", "label": {rating}}}\n'
    task = replace(
        make_task(content, steps=(), sizes={"train": 1}),
        kind=Kind.REGRESSION,
        bounds=(0.0, 5.0),
        features={"id": "string", "text": "string", "label": "float64"},
    )
    raw = pack(tmp_path / "raw", content)
    if fits:
        assert prepare(task, data_dir=raw).table("train")["label"].tolist() == [rating]
    else:
        with pytest.raises(ContractError, match="example a: label: expected a number from 0 to 5, got"):
            prepare(task, data_dir=raw)


def test_a_home_that_cannot_be_written_is_named(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("EUROGLUE_HOME", str(tmp_path / "file"))
    with pytest.raises(EuroglueError, match=r"file/work: expected a folder .*; set EUROGLUE_HOME to one"):
        prepare(make_task(), data_dir=pack(tmp_path / "raw"))


KEYS = """
import bgglue_datasets
from euroglue.prepare.pipeline import cache_key
for task in bgglue_datasets.SUITE.tasks.values():
    for name, edition in task.editions.items():
        print(task.path, name, cache_key(task, name), edition.read)
"""


def test_no_key_and_no_reader_holds_an_address_of_memory():
    def told(seed):
        code = f"padding = [object() for _ in range({seed * 10_000})]\n{KEYS}"
        variables = {**os.environ, "PYTHONHASHSEED": str(seed)}
        return subprocess.run([sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=True)

    one, two = told(1).stdout, told(7).stdout
    assert one == two and len(one.splitlines()) == sum(len(task.editions) for task in SUITES["bgglue"].tasks.values())
    assert " at 0x" not in one
