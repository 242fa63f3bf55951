# SPDX-License-Identifier: Apache-2.0
"""Prepared folders that were spoilt, made with other options, or cannot be written."""

import os
import shutil
import subprocess
import sys

import pytest

from euroglue.errors import ContractError, EuroglueError, FormatError, MissingRawFileError
from euroglue.prepare import prepare
from euroglue.prepare.pipeline import MANIFEST
from euroglue.readers import jsonl
from euroglue.registry import SUITES
from euroglue.task import UNPINNED, Kind, Source
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


def loose_task():
    """A task of two unpinned files, one a split."""
    sources = tuple(
        Source(file=f"{name}.jsonl", obtain="It is made up.", members={f"{name}.jsonl": UNPINNED}) for name in "ab"
    )
    return make_task(
        sources=sources,
        read=jsonl({"train": "a.jsonl", "test": "b.jsonl"}, number="id"),
        steps=(),
        sizes={"train": 12, "test": 12},
    )


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
    with pytest.raises(
        EuroglueError, match=r"file/prepared/bgglue/rows: expected a folder .*; set EUROGLUE_HOME to one"
    ):
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
