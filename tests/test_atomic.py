# SPDX-License-Identifier: Apache-2.0
"""A file or a folder is there whole or not at all."""

import os
from pathlib import Path

import pytest

from euroglue.atomic import new_file, new_folder, write_text


def test_text_arrives_in_folders_that_are_made(tmp_path):
    write_text(tmp_path / "a" / "b.txt", ["да\n", "не\n"])
    assert (tmp_path / "a" / "b.txt").read_bytes() == "да\nне\n".encode()


@pytest.mark.parametrize("stop", [ValueError, KeyboardInterrupt])
def test_what_stops_the_writing_leaves_the_old_file_and_nothing_beside_it(tmp_path, stop):
    def parts():
        yield "new"
        raise stop

    write_text(tmp_path / "f", "old")
    with pytest.raises(stop):
        write_text(tmp_path / "f", parts())
    assert [(path.name, path.read_text(encoding="utf-8")) for path in tmp_path.iterdir()] == [("f", "old")]


def held(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in folder.rglob("*") if path.is_file()
    }


def test_a_folder_takes_the_place_of_the_one_before(tmp_path):
    for text in ("old", "new"):
        with new_folder(tmp_path / "a" / "f") as work:
            (work / text).write_text(text, encoding="utf-8")
            assert work.parent == tmp_path / "a" and work.name.startswith(".f~")
    assert held(tmp_path) == {"a/f/new": "new"}
    assert (tmp_path / "a" / "f").stat().st_mode & 0o777 == 0o755, "others may read it"


@pytest.mark.parametrize("stop", [ValueError, KeyboardInterrupt])
def test_what_stops_the_filling_leaves_the_old_folder_and_nothing_beside_it(tmp_path, stop):
    with new_folder(tmp_path / "f") as work:
        (work / "a").write_text("old", encoding="utf-8")
    with pytest.raises(stop):
        with new_folder(tmp_path / "f") as work:
            (work / "a").write_text("new", encoding="utf-8")
            raise stop
    assert held(tmp_path) == {"f/a": "old"} and len(list(tmp_path.iterdir())) == 1


def test_bytes_of_another_program_arrive_whole_and_only_at_the_end(tmp_path):
    with new_file(tmp_path / "a" / "f.bin") as aside:
        aside.write_bytes(b"\0\1")
        assert [path.name for path in (tmp_path / "a").iterdir()] == [aside.name]
    assert (tmp_path / "a" / "f.bin").read_bytes() == b"\0\1"
    assert (tmp_path / "a" / "f.bin").stat().st_mode & 0o777 == 0o644, "others may read it"


def test_the_old_folder_stays_until_the_new_one_is_in_its_place(tmp_path, monkeypatch):
    with new_folder(tmp_path / "f") as work:
        (work / "a").write_text("old", encoding="utf-8")
    rename = os.rename

    def failing(source, target):
        if held(Path(source)) == {"a": "new"}:
            raise PermissionError(13, "Permission denied", str(target))
        rename(source, target)

    monkeypatch.setattr(os, "rename", failing)
    with pytest.raises(PermissionError):
        with new_folder(tmp_path / "f") as work:
            (work / "a").write_text("new", encoding="utf-8")
    assert held(tmp_path) == {"f/a": "old"} and len(list(tmp_path.iterdir())) == 1
