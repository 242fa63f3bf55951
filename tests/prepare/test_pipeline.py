# SPDX-License-Identifier: Apache-2.0
"""Raw files to Parquet and manifest: what is promised, what is refused, the same bytes every time."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

from euroglue.errors import ContractError, FormatError, RawFileError, UnknownNameError
from euroglue.prepare import prepare
from euroglue.prepare.steps import copy_column, sort_by
from euroglue.registry import SUITES
from euroglue.task import Gate, step
from tests.prepare.made_up import ROWS, make_task, pack


@pytest.fixture
def raw(tmp_path):
    """A folder with the good archive."""
    return pack(tmp_path / "raw")


def files_of(folder):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


def split_of(manifest, split):
    """What the manifest says of a split, the bytes in memory checked and left out: 4 rows of some 25 bytes."""
    about = dict(manifest["splits"][split])
    assert 20 <= about.pop("bytes") / about["rows"] <= 35
    return about


def left_over(home):
    """What a failed run left beside locks: must be nothing."""
    return [path for path in home.rglob("*") if path.is_file() and path.suffix != ".lock"]


def test_manifest_says_what_was_done(home, raw):
    manifest = prepare(make_task(), data_dir=raw).manifest
    assert manifest["sources"] == [
        {"file": "rows.tar.gz", "members": dict(make_task().editions["official"].sources[0].members)}
    ]
    first, second = manifest["steps"]
    assert (first["rows_in"], first["rows_out"], first["dropped"]) == (12, 9, 3)
    assert first["step"] == "drop_duplicates(by=same_text('text'), spare_empty=False)"
    assert (
        first["reason"] == "Keep the first of the rows that are equal by the key; rows with an empty key can be spared."
    )
    assert second["dropped"] == 0
    assert {split: split_of(manifest, split) for split in manifest["splits"]} == {
        "train": {"rows": 5, "labels": {"не": 3, "да": 2}},
        "test": {"rows": 4, "labels": {"да": 2, "не": 2}},
    }
    assert len(manifest["fingerprint"]) == 64


def test_hidden_labels_are_blank_and_uncounted(home, raw):
    prepared = prepare(make_task(hidden=("test",)), data_dir=raw)
    assert prepared.table("test")["label"].tolist() == [-1] * 4
    assert set(prepared.table("train")["label"]) == {0, 1}
    assert split_of(prepared.manifest, "test") == {"rows": 4, "labels": None}


@pytest.mark.issue("datasets#7666")
def test_parquet_keeps_label_names_for_datasets_of_any_version(home, raw):
    metadata = json.loads(pq.read_schema(prepare(make_task(), data_dir=raw).file("train")).metadata[b"huggingface"])
    assert metadata["info"]["features"]["label"] == {"names": ["не", "да"], "_type": "ClassLabel"}


CASES = [
    ("missing", lambda raw: (raw / "rows.tar.gz").unlink(), "could not be fetched|put rows.tar.gz"),
    ("empty", lambda raw: (raw / "rows.tar.gz").write_bytes(b""), "expected an archive, got an empty file"),
    (
        "truncated",
        lambda raw: (raw / "rows.tar.gz").write_bytes((raw / "rows.tar.gz").read_bytes()[:90]),
        "truncated or damaged",
    ),
    (
        "another hash",
        lambda raw: pack(raw, ROWS + ROWS),
        r"expected sha256 [0-9a-f]{16}…, got [0-9a-f]{16}…; fetch it again",
    ),
    ("empty member", lambda raw: pack(raw, ""), "expected rows, got an empty file"),
    ("without the member", lambda raw: pack(raw, member="t/else"), "expected member t/rows.jsonl, it is not there"),
    ("outside", lambda raw: pack(raw, member="../rows.jsonl"), "outside the archive's folder"),
]


@pytest.mark.issue("datasets#3807")
@pytest.mark.parametrize(("why", "spoil", "message"), CASES, ids=[case[0] for case in CASES])
def test_a_bad_raw_file_is_named_and_nothing_is_left(home, raw, why, spoil, message, monkeypatch):
    monkeypatch.delenv("EUROGLUE_RAW_DIR", raising=False)
    monkeypatch.setattr("euroglue.prepare.download.ATTEMPTS", 1)
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    spoil(raw)
    with pytest.raises(RawFileError, match=message) as error:
        prepare(make_task(), data_dir=raw)
    assert "\n" not in str(error.value)
    assert left_over(home) == []


def test_a_gated_file_is_never_fetched_and_the_form_is_named(home, tmp_path, monkeypatch):
    monkeypatch.delenv("EUROGLUE_RAW_DIR", raising=False)
    with pytest.raises(
        RawFileError, match=r"given out after signing https://example.org/form: sign there, then put rows"
    ):
        prepare(make_task(gate=Gate.FORM))


def test_a_changed_source_passes_when_the_user_says_so(home, raw):
    pack(raw, ROWS.replace("Ред", "Ново"))
    prepared = prepare(make_task(sizes={"train": 1, "test": 1}), data_dir=raw, allow_changed_source=True)
    assert prepared.table("train")["text"][0] == "Ново 0"
    pack(raw, ROWS.replace("Ред", "Друго"))
    again = prepare(make_task(sizes={"train": 1, "test": 1}), data_dir=raw, allow_changed_source=True)
    assert again.table("train")["text"][0] == "Друго 0"


@step
def invent(table):
    """Make up a row."""
    return pd.concat([table, table.iloc[:1].assign(id="new")])


@step
def forget_splits(table):
    """Lose the splits."""
    return table.assign(split=None)


@pytest.mark.issue("bgGLUE#archive-member-names")
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"sizes": {"train": 6, "test": 4}},
            r"bgglue/rows \(official\): expected train 6, test 4 examples, got train 5, test 4",
        ),
        ({"steps": (invent(),)}, r"invent\(\): made up 1 ids, such as 'new'"),
        ({"steps": (forget_splits(),)}, "every row needs a split of train, validation, test"),
        ({"steps": (copy_column(id="text"),)}, "the id 'Ред 0' occurs 2 times"),
    ],
)
def test_a_broken_promise_is_named(home, raw, change, message):
    with pytest.raises(ContractError, match=message):
        prepare(make_task(**change), data_dir=raw)
    assert left_over(home) == []


@pytest.mark.parametrize(
    ("row", "error", "message"),
    [
        (
            '{"id": "x", "text": "т", "label": "може би"}',
            ContractError,
            "example x: label: expected one of не, да, got 'може би'",
        ),
        ('{"id": "0", "text": "т", "label": "да"}', ContractError, "the id '0' occurs 2 times"),
        ('{"id": "x", "text": null, "label": "да"}', ContractError, "example x: text: expected a text, got None"),
        ('{"id": "x", "text": "т"}', FormatError, "line 13: expected the key 'label'"),
    ],
)
def test_a_bad_row_is_named(home, tmp_path, row, error, message):
    content = ROWS + row + "\n"
    with pytest.raises(error, match=message):
        prepare(make_task(content, steps=()), data_dir=pack(tmp_path / "bad", content))


def test_an_unknown_edition_lists_those_there_are(home, raw):
    with pytest.raises(UnknownNameError, match="has no edition 'rebuilt'; it has: official"):
        prepare(make_task(), "rebuilt", data_dir=raw)


@pytest.mark.issue("datasets#3807")
def test_raw_files_are_found_packed_or_unpacked_in_both_places(home, raw, tmp_path, monkeypatch):
    first = prepare(make_task(), data_dir=raw).fingerprint
    for number, place in enumerate(["t/rows.jsonl", "rows.jsonl"]):
        file = tmp_path / str(number) / place
        file.parent.mkdir(parents=True)
        file.write_text(ROWS, encoding="utf-8", newline="\n")
        shutil.rmtree(home)
        assert prepare(make_task(), data_dir=tmp_path / str(number)).fingerprint == first
    shutil.rmtree(home)
    shutil.copytree(raw, tmp_path / "all" / "bgglue" / "rows")
    monkeypatch.setenv("EUROGLUE_RAW_DIR", str(tmp_path / "all"))
    assert prepare(make_task()).fingerprint == first


def test_a_second_call_reads_no_raw_file(home, raw):
    first = prepare(make_task(), data_dir=raw)
    shutil.rmtree(raw)
    assert prepare(make_task()).folder == first.folder


def test_other_steps_or_pins_mean_another_folder(home, raw):
    one = prepare(make_task(), data_dir=raw)
    two = prepare(make_task(steps=(sort_by(("id",)), *make_task().editions["official"].steps)), data_dir=raw)
    assert one.folder != two.folder


CODE = """
import sys, bgglue_datasets
from euroglue.errors import MissingRawFileError
from euroglue.prepare import prepare
from euroglue.prepare.raw import acquire
for task in bgglue_datasets.SUITE.tasks.values():
    if sys.argv[1] in task.editions:
        try:
            with acquire(task, sys.argv[1], allow_missing=True) as files:
                missing = files.missing
        except MissingRawFileError:
            continue
        if not missing:
            print(prepare(task, sys.argv[1]).folder)
"""


def run(home, edition, **env):
    variables = {**os.environ, "EUROGLUE_HOME": str(home), **{key: str(value) for key, value in env.items()}}
    return subprocess.Popen([sys.executable, "-c", CODE, edition], env=variables, stdout=subprocess.PIPE, text=True)


def outcome(process):
    out, _ = process.communicate(timeout=300)
    assert process.returncode == 0
    return {Path(line).parent.name: files_of(Path(line)) for line in out.split()}


@pytest.mark.issue("datasets#240")
def test_hash_seed_and_order_of_files_change_no_byte(tmp_path, monkeypatch):
    one = outcome(run(tmp_path / "a", "sample", PYTHONHASHSEED=0))
    two = outcome(run(tmp_path / "b", "sample", PYTHONHASHSEED=4242))
    assert one == two and set(one) == set(SUITES["bgglue"].tasks) and len(one) == 9

    monkeypatch.setattr(Path, "rglob", lambda self, pattern: list(_rglob(self, pattern))[::-1])
    monkeypatch.setenv("EUROGLUE_HOME", str(tmp_path / "c"))
    for name in ("bsnlp", "examsbg", "wikiannbg"):
        assert files_of(prepare(SUITES["bgglue"].tasks[name], "sample").folder) == one[name]


_rglob = Path.rglob


@pytest.mark.raw
@pytest.mark.parametrize("edition", ["official", "rebuilt"])
def test_hash_seed_changes_no_byte_of_the_real_editions(tmp_path, raw_dir, edition):
    seed = 2 if os.environ.get("PYTHONHASHSEED") == "1" else 1
    there = outcome(run(tmp_path, edition, PYTHONHASHSEED=seed))
    here = {name: files_of(prepare(SUITES["bgglue"].tasks[name], edition).folder) for name in there}
    assert here == there and len(there) >= 3


def test_four_processes_at_once_prepare_one_whole_folder(tmp_path):
    outcomes = [outcome(process) for process in [run(tmp_path, "sample") for _ in range(4)]]
    assert all(other == outcomes[0] for other in outcomes)
    assert [path for path in tmp_path.rglob(".*") if path.is_dir()] == []


@pytest.mark.parametrize("delay", [0.6, 0.9, 1.2, 1.5])
def test_a_kill_at_any_moment_leaves_nothing_broken(tmp_path, delay):
    process = run(tmp_path, "sample")
    time.sleep(delay)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert outcome(run(tmp_path, "sample"))["cinexio"].keys() >= {"manifest.json", "train.parquet"}
    assert [path for path in tmp_path.rglob(".*-*") if path.is_dir()] == []
