# SPDX-License-Identifier: Apache-2.0
"""Paths as users write them, and disks that are full or cannot be read: told in a line, nothing left half-written."""

import errno
import os
import shutil
import subprocess
import sys
from types import SimpleNamespace

import pyarrow.parquet as pq
import pytest

from euroglue.disk import DiskFullError, saving, user_path
from euroglue.errors import LONGEST, ContractError, EuroglueError, FormatError, MissingRawFileError
from euroglue.prepare import archive, download, prepare
from euroglue.prepare.export import export
from euroglue.readers.records import records
from euroglue.registry import SUITES
from tests.prepare.made_up import make_task, pack

FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def fails(error):
    def fail(*_, **__):
        raise error

    return fail


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("", "expected a path, got an empty one"),
        ("~nobody-of-this-name/raw", "no such user's home; write the path out"),
    ],
)
def test_a_path_that_is_none_is_named(path, message, home):
    with pytest.raises(EuroglueError, match=message):
        user_path(path)
    with pytest.raises(EuroglueError, match=message):
        prepare(make_task(), data_dir=path)


def test_an_error_is_passed_on_that_is_not_about_room(tmp_path):
    with pytest.raises(PermissionError), saving(tmp_path, "rows"):
        raise PermissionError(errno.EACCES, "no")
    with pytest.raises(DiskFullError, match="for rows .No space left on device."), saving(tmp_path, "rows"):
        with saving(tmp_path / "below", "all"):  # the inner one has told it
            pass
        raise FULL


@pytest.mark.parametrize(
    ("where", "function", "why"),
    [
        (archive.shutil, "copyfileobj", "while the archive is unpacked, which is not blamed"),
        (pq, "write_table", "while the splits are written"),
    ],
)
def test_a_disk_that_fills_up_while_preparing_is_told_and_leaves_nothing(
    where, function, why, home, tmp_path, monkeypatch
):
    raw = pack(tmp_path / "raw")
    with monkeypatch.context() as patch:
        patch.setattr(where, function, fails(FULL))
        with pytest.raises(DiskFullError, match=r"no space left on the disk of .*; what was saved before is whole"):
            prepare(make_task(), data_dir=raw)
    assert [path for path in home.rglob("*") if path.is_file() and path.suffix != ".lock"] == []
    assert prepare(make_task(), data_dir=raw).splits == ("train", "test")


def test_a_disk_that_fills_up_while_exporting_names_the_folder_that_is_written(home, tmp_path, monkeypatch):
    made = prepare(make_task(), data_dir=pack(tmp_path / "raw"))
    monkeypatch.setattr(shutil, "copyfile", fails(OSError(errno.ENOSPC, "No space left on device", made.file("train"))))
    with pytest.raises(DiskFullError, match=rf"no space left on the disk of {tmp_path} for out "):
        export(SUITES["bgglue"], [made], tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir() if "out" in path.name) == []


def test_a_disk_that_fills_up_while_downloading_is_no_fault_of_the_connection(tmp_path, monkeypatch):
    tries = []
    monkeypatch.setattr(download, "_fetch", lambda url, part: (tries.append(url), fails(FULL)()))
    with pytest.raises(DiskFullError, match="for a.zip"):
        download.download("https://example.org/a.zip", tmp_path / "a.zip", advice="put it there")
    assert len(tries) == 1


@pytest.mark.parametrize("ending", ["rows.tar.gz", "rows.zip"])
def test_an_archive_that_cannot_be_read_is_not_called_damaged(ending, tmp_path, monkeypatch):
    (tmp_path / ending).write_bytes(b"x" * 99)
    denied = PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(tmp_path / ending))
    monkeypatch.setattr(archive.zipfile if ending.endswith("zip") else archive, "ZipFile", fails(denied), raising=False)
    monkeypatch.setattr(archive, "_decompressed", fails(denied))
    with pytest.raises(PermissionError):
        archive.unpack(tmp_path / ending, lambda name: name, tmp_path)


PREPARE = """
from euroglue.prepare import prepare
from euroglue.registry import find_task
print(len(prepare(find_task("bgglue", "cinexio"), "sample").table("test")))
"""


def test_a_home_with_blanks_and_letters_that_the_locale_lacks_holds_prepared_data(tmp_path):
    variables = {
        **os.environ,
        "EUROGLUE_HOME": str(tmp_path / "мой дом ž"),
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
    }
    made = subprocess.run([sys.executable, "-c", PREPARE], env=variables, capture_output=True, text=True)
    assert (made.returncode, made.stdout, made.stderr) == (0, "39\n", "")


@pytest.mark.parametrize("size", [10, LONGEST, LONGEST + 1, 3_000_000])
def test_a_message_keeps_what_to_do_however_much_a_raw_file_holds(size):
    inner = ContractError("expected a label, got " + "x" * size)
    told = str(MissingRawFileError(f"bgglue/rows: {inner}; fetch the file again"))
    assert len(told) <= LONGEST
    assert told.startswith("bgglue/rows: expected a label, got x") and told.endswith("x; fetch the file again")


def test_a_parquet_file_that_cannot_be_read_is_not_called_of_another_format(tmp_path, monkeypatch):
    (tmp_path / "rows.parquet").write_bytes(b"PAR1")
    denied = PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(tmp_path / "rows.parquet"))
    monkeypatch.setattr(pq, "ParquetFile", fails(denied))
    with pytest.raises(PermissionError):
        list(records(SimpleNamespace(path=lambda member: tmp_path / member), "rows.parquet"))
    monkeypatch.undo()
    with pytest.raises(FormatError, match="rows.parquet: expected a Parquet file, got"):
        list(records(SimpleNamespace(path=lambda member: tmp_path / member), "rows.parquet"))
