# SPDX-License-Identifier: Apache-2.0
"""Hostile submissions are refused within bounded time and memory, and nothing is written outside the work folder."""

from __future__ import annotations

import struct
import subprocess
import sys
import tempfile
import time
import zipfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from euroglue.errors import EuroglueError
from euroglue.submission.check import check
from tests.submission.made import METADATA, archive, lines, rows

XNLI = "predictions/xnlibg/predictions.jsonl"


def not_at_hand(task, about, split):
    return None


def zipped(path, members, **fields):
    with zipfile.ZipFile(path, "w") as packed:
        for name, content in members:
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o100644 << 16
            for field, value in fields.items():
                setattr(info, field, value)
            packed.writestr(info, content)
    return path


REFUSED = [
    ("dots", lambda p: zipped(p, [("../evil", b"x")]), "outside the archive's folder"),
    ("dots inside", lambda p: zipped(p, [("predictions/../../evil", b"x")]), "outside the archive's folder"),
    ("absolute", lambda p: zipped(p, [("/tmp/evil", b"x")]), "outside the archive's folder"),
    ("backslash", lambda p: zipped(p, [("..\\evil", b"x")]), "outside the archive's folder"),
    ("drive", lambda p: zipped(p, [("C:/evil", b"x")]), "outside the archive's folder"),
    ("link", lambda p: zipped(p, [(XNLI, b"/etc/passwd")], external_attr=0o120777 << 16), "a link or a device"),
    ("device", lambda p: zipped(p, [(XNLI, b"")], external_attr=0o020666 << 16), "a link or a device"),
    ("bomb", lambda p: zipped(p, [(XNLI, bytes(65 * 2**20))]), "a bomb"),
    ("many bombs", lambda p: zipped(p, [(f"{i}/{XNLI}", bytes(2**20)) for i in range(70)]), "a bomb"),
    ("many members", lambda p: zipped(p, [(f"{i}", b"") for i in range(1500)]), "more than 1000 members"),
    ("twice", lambda p: zipped(p, [(XNLI, b"1"), (XNLI, b"2")]), "twice"),
    ("another packing", lambda p: zipped(p, [(XNLI, b"1")], compress_type=zipfile.ZIP_LZMA), "deflate"),
    ("no zip", lambda p: p.write_bytes(b"PK" * 1000) and p, "truncated or damaged"),
]


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(("name", "make", "told"), REFUSED, ids=[name for name, *_ in REFUSED])
def test_hostile_archives_are_refused(tmp_path, monkeypatch, name, make, told):
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(work))
    path = make(tmp_path / "s.zip")
    start = time.process_time()
    with pytest.raises(EuroglueError, match=told):
        check(path, not_at_hand)
    assert time.process_time() - start < 5
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["s.zip", "work"] and not list(work.iterdir())


def test_an_encrypted_member_is_refused(tmp_path):
    path = zipped(tmp_path / "s.zip", [(XNLI, b"secret")])
    data = bytearray(path.read_bytes())
    for signature, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + place] |= 1
    path.write_bytes(bytes(data))
    with pytest.raises(EuroglueError, match="encrypted"):
        check(path, not_at_hand)


def test_a_size_that_lies_yields_no_more_than_it_says(tmp_path):
    path = zipped(tmp_path / "s.zip", [(XNLI, bytes(2**20))])
    data = bytearray(path.read_bytes())
    place = data.index(b"PK\x01\x02") + 24
    assert struct.unpack_from("<I", data, place) == (2**20,)
    struct.pack_into("<I", data, place, 10)
    path.write_bytes(bytes(data))
    try:
        problems = check(path, not_at_hand, "bgglue").problems
    except EuroglueError as error:
        assert "damaged" in str(error)
    else:
        assert problems


def test_deep_folders_and_archives_in_archives_are_not_followed(tmp_path):
    inner = archive(tmp_path / "inner.zip", {"xnlibg": lines(rows("bgglue", "xnlibg"))}).read_bytes()
    deep = "/".join("d" * 5000)
    problems = check(
        archive(tmp_path / "s.zip", {deep + "/x": "x", "predictions/more.zip": inner}), not_at_hand
    ).problems
    assert len(problems) == 3 and all(len(str(problem)) < 400 for problem in problems)


def test_names_that_drive_terminals_are_shown_in_escapes(tmp_path):
    problems = check(
        archive(tmp_path / "s.zip", {"predictions/\x1b[2J/predictions.jsonl": "x", "\u202egnp.exe": "x"}), not_at_hand
    ).problems
    assert len(problems) == 3 and all(str(problem).isprintable() for problem in problems)


SEED = [("metadata.json", b'{"suite": "bgglue"}'), (XNLI, b'{"id": "1", "label": "neutral"}\n')]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), min_size=1, max_size=6), st.integers(0, 400))
def test_damaged_archives_end_in_a_list_or_an_error_of_ours(tmp_path, flips, cut):
    path = zipped(tmp_path / "s.zip", SEED)
    data = bytearray(path.read_bytes())
    for place, value in flips:
        data[place % len(data)] = value
    path.write_bytes(bytes(data[: len(data) - cut % 50]))
    try:
        assert check(path, not_at_hand).problems
    except EuroglueError:
        pass


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300))
def test_any_bytes_as_rows_end_in_a_list(tmp_path, content):
    for task in ("cinexio", "wikiannbg"):
        checked = check(archive(tmp_path / "s.zip", {task: content}), not_at_hand)
        assert checked.problems or checked.predictions[task]
        assert all(str(problem).count("\n") == 0 for problem in checked.problems)


def test_memory_stays_bounded(tmp_path):
    files = {
        "cinexio": ('{"id": "a", "label": ' + "[" * 200_000 + "}\n") * 40,
        "xnlibg": '{"id": 1, "label": "neutral"}\n' * 300_000,
        "udep": ('{"id": 1, "label": "' + "X " * 120_000 + '"}\n') * 80,
    }
    archive(tmp_path / "s.zip", files, METADATA)
    code = "\n".join(
        [
            "import sys, resource",
            "from euroglue.submission.check import check",
            "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss",
            "print(len(check(sys.argv[1], lambda *_: None).problems))",
            "print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)",
        ]
    )
    run = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "s.zip")], capture_output=True, text=True, timeout=60, check=True
    )
    problems, grown = map(int, run.stdout.split())
    assert problems > 40 and grown < 600, f"{grown} MB"
