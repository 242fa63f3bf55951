# SPDX-License-Identifier: Apache-2.0
"""Hostile and damaged archives: refused with a reason, nothing written outside the folder."""

import gzip
import io
import tarfile
import zipfile

import pytest

from euroglue.errors import RawFileError
from euroglue.prepare import archive
from euroglue.prepare.archive import unpack


def tar(path, members, mode="w:gz"):
    with tarfile.open(path, mode) as packed:
        for name, content, *kind in members:
            info = tarfile.TarInfo(name)
            if kind:
                info.type, info.linkname = kind[0], "/etc/passwd"
                packed.addfile(info)
            else:
                info.size = len(content)
                packed.addfile(info, io.BytesIO(content))
    return path


def zipped(path, members, mode=0o100644):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members:
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(info, content)
    return path


@pytest.mark.parametrize("ending", ["a.tar.gz", "a.tgz", "a.tar", "a.tar.xz", "a.zip"])
def test_wanted_members_are_unpacked_and_no_others(tmp_path, ending):
    members = [("t/train", b"one"), ("t/other", b"two")]
    mode = {"tar": "w", "xz": "w:xz"}.get(ending.rpartition(".")[2], "w:gz")
    path = zipped(tmp_path / ending, members) if ending.endswith("zip") else tar(tmp_path / ending, members, mode)
    into = tmp_path / "into"
    into.mkdir()
    found = unpack(path, lambda name: name if name == "t/train" else None, into)
    assert {name: file.read_bytes() for name, file in found.items()} == {"t/train": b"one"}
    assert len(list(into.iterdir())) == 1


HOSTILE = [
    ([("../train", b"x")], "outside the archive's folder"),
    ([("/etc/train", b"x")], "outside the archive's folder"),
    ([("a/../../train", b"x")], "outside the archive's folder"),
    ([("C:\\train", b"x")], "outside the archive's folder"),
    ([("ok", b"x"), ("train", b"", tarfile.SYMTYPE)], "is a link or a device"),
    ([("train", b"", tarfile.LNKTYPE)], "is a link or a device"),
    ([("train", b"", tarfile.CHRTYPE)], "is a link or a device"),
    ([("train", b"", tarfile.FIFOTYPE)], "is a link or a device"),
    ([("train", b"x"), ("train", b"y")], "holds train twice"),
]


@pytest.mark.parametrize("name", [".", "./", ""])
def test_the_archives_own_folder_may_be_a_member(tmp_path, name):
    path = tar(tmp_path / "a.tar.gz", [(name, b"", tarfile.DIRTYPE), ("./t/train", b"one"), (name, b"nameless")])
    found = unpack(path, lambda name: name if name == "t/train" else None, tmp_path)
    assert {name: file.read_bytes() for name, file in found.items()} == {"t/train": b"one"}


@pytest.mark.parametrize(("members", "message"), HOSTILE)
def test_a_hostile_tar_is_refused(tmp_path, members, message):
    path = tar(tmp_path / "a.tar.gz", members)
    into = tmp_path / "deep" / "into"
    into.mkdir(parents=True)
    with pytest.raises(RawFileError, match=message):
        unpack(path, lambda name: name, into)
    assert sorted(file.name for file in tmp_path.rglob("train*")) == []


@pytest.mark.parametrize(
    ("members", "mode", "message"),
    [
        ([("../train", b"x")], 0o100644, "outside the archive's folder"),
        ([("/train", b"x")], 0o100644, "outside the archive's folder"),
        ([("train", b"/etc/passwd")], 0o120777, "is a link or a device"),
    ],
)
def test_a_hostile_zip_is_refused(tmp_path, members, mode, message):
    path = zipped(tmp_path / "a.zip", members, mode)
    into = tmp_path / "into"
    into.mkdir()
    with pytest.raises(RawFileError, match=message):
        unpack(path, lambda name: name, into)


@pytest.mark.parametrize("wanted", [True, False], ids=["wanted member", "member nobody wants"])
@pytest.mark.parametrize("pack", [tar, zipped], ids=["tar", "zip"])
def test_a_bomb_is_refused_before_it_fills_the_disk(tmp_path, monkeypatch, pack, wanted):
    monkeypatch.setattr(archive, "FREE_BYTES", 2**20)
    path = pack(tmp_path / ("a.zip" if pack is zipped else "a.tar.gz"), [("train", b"\0" * 2**23)])
    into = tmp_path / "into"
    into.mkdir()
    with pytest.raises(RawFileError, match="a bomb"):
        unpack(path, lambda name: name if wanted else None, into)
    assert sum(file.stat().st_size for file in into.iterdir()) < 2**22


def test_a_header_that_claims_gigabytes_is_refused_at_once(tmp_path):
    info = tarfile.TarInfo("x")
    info.type, info.size = tarfile.XHDTYPE, 2**32
    path = tmp_path / "a.tar.gz"
    with gzip.open(path, "wb") as file:
        file.write(info.tobuf(tarfile.USTAR_FORMAT) + b"\0" * 2**16)
    with pytest.raises(RawFileError, match="claims|damaged|bomb"):
        unpack(path, lambda name: name, tmp_path)


def test_a_member_of_negative_size_is_refused_and_does_not_loop(tmp_path):
    info = tarfile.TarInfo("train")
    info.size = -1024
    (tmp_path / "a.tar").write_bytes(info.tobuf(tarfile.GNU_FORMAT) + b"\0" * 4096)
    with pytest.raises(RawFileError, match="claims -1024 bytes|damaged"):
        unpack(tmp_path / "a.tar", lambda name: name, tmp_path)


def test_an_encrypted_zip_is_refused(tmp_path):
    path = zipped(tmp_path / "a.zip", [("train", b"x" * 50)])
    data = bytearray(path.read_bytes())
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + offset] |= 1
    path.write_bytes(data)
    with pytest.raises(RawFileError, match="encrypted"):
        unpack(path, lambda name: name, tmp_path)


@pytest.mark.parametrize("name", ["a.tar.gz", "a.zip"])
@pytest.mark.parametrize("keep", [0, 1, 30, 0.5, 0.9, -1], ids=lambda keep: f"keeps {keep}")
def test_a_truncated_or_empty_archive_is_named(tmp_path, name, keep):
    content = bytes(range(256)) * 400
    path = tmp_path / name
    zipped(path, [("train", content)]) if name.endswith("zip") else tar(path, [("train", content)])
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * keep) if isinstance(keep, float) else keep])
    into = tmp_path / "into"
    into.mkdir()
    with pytest.raises(RawFileError, match="truncated or damaged|an empty file"):
        unpack(path, lambda name: name, into)


def test_apple_metadata_is_no_member():
    from euroglue.prepare.raw import canonical

    assert canonical("t/train", "t/._train") is None
    assert canonical("t/train", "__MACOSX/t/train") is None
    assert canonical("*train*", ".cache/huggingface/download/t/train.parquet.metadata") is None, (
        "the Hub client's notes"
    )
    assert canonical("*train*", "./t/train.parquet") == "./t/train.parquet"
