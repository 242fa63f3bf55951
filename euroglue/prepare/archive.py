# SPDX-License-Identifier: Apache-2.0
"""Unpack the wanted members of a hostile archive: nothing outside the folder, no links, bounded size and memory."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import shutil
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from euroglue.disk import DiskFullError, is_of_the_system, saving
from euroglue.errors import RawFileError

MAX_BYTES = 8 * 2**30
"""The most bytes an archive may unpack to, wanted members or not."""
MAX_RATIO = 400
"""The most that an archive may grow when unpacked, once it is beyond ``FREE_BYTES``: text packs 3 to 20 times."""
FREE_BYTES = 64 * 2**20
MAX_MEMBERS = 500_000
MAX_READ = 64 * 2**20
TAR_ENDINGS = (".tar.gz", ".tgz", ".tar", ".tar.bz2", ".tar.xz")
ENTRY = b"PK\x01\x02"
"""What each entry of a zip's directory begins with."""
SHORTEST_ENTRY = 46
"""Bytes of such an entry without its name."""
_BROKEN = (
    tarfile.TarError,
    zipfile.BadZipFile,
    EOFError,
    zlib.error,
    lzma.LZMAError,
    gzip.BadGzipFile,
    OSError,
    RuntimeError,  # zipfile: something it has no way to read
    UnicodeDecodeError,
    ValueError,
    struct.error,
    LookupError,
)


@dataclass(frozen=True)
class Limits:
    """How much an archive may hold: bytes when unpacked, members, and growth once beyond ``free_bytes``."""

    max_bytes: int
    max_members: int
    max_ratio: int
    free_bytes: int


def is_archive(name: str) -> bool:
    """Whether a file of this name is unpacked rather than read as it is.

    >>> is_archive("cinexio.tar.gz"), is_archive("train-bg.tsv")
    (True, False)
    """
    return name.endswith((*TAR_ENDINGS, ".zip"))


def unpack(
    archive: Path, wanted: Callable[[str], str | None], into: Path, limits: Limits | None = None
) -> dict[str, Path]:
    """Unpack the members for which ``wanted(path)`` gives a name; returns name → file below ``into``.

    Every member is checked, also those that are not wanted. Without ``limits`` they are those of raw data.

    Raises:
        RawFileError: the archive is damaged, holds an absolute path, ``..``, a link, a device or an encrypted member, two
            members of one name, or unpacks to too much.
        DiskFullError: there is no space for the members.
        OSError: the archive cannot be read.
    """
    if archive.stat().st_size == 0:
        raise RawFileError(f"{archive}: expected an archive, got an empty file; fetch it again")
    limits = limits or Limits(MAX_BYTES, MAX_MEMBERS, MAX_RATIO, FREE_BYTES)
    found: dict[str, Path] = {}
    try:
        for number, (path, stream) in enumerate(_members(archive, limits)):
            if number >= limits.max_members:
                raise _too_many(archive, limits)
            name = wanted(_safe(archive, path)) if stream is not None else None
            if name is None or stream is None:
                continue
            if name in found:
                raise RawFileError(f"{archive}: holds {name} twice; expected each member once")
            found[name] = into / f"{len(found):06d}"
            with saving(into, f"what {archive.name} holds"), open(found[name], "wb") as file:
                shutil.copyfileobj(stream, file, 2**20)
    except (RawFileError, DiskFullError):
        raise
    except _BROKEN as error:
        if is_of_the_system(error):
            raise
        raise RawFileError(
            f"{archive}: truncated or damaged ({type(error).__name__}: {error}); fetch it again"
        ) from error
    return found


def _safe(archive: Path, path: str) -> str:
    pure = PurePosixPath(path)
    drive = ":" in "".join(pure.parts[:1])  # "." and "" have no parts: the archive's own folder
    if path.startswith(("/", "\\")) or ".." in pure.parts or "\\" in path or drive or "\0" in path:
        raise RawFileError(f"{archive}: member {path!r} points outside the archive's folder; refused")
    return pure.as_posix()


def _members(archive: Path, limits: Limits) -> Iterator[tuple[str, IO[bytes] | None]]:
    """Every member as (path, stream), the stream None for a folder; links and devices raise."""
    return _zip_members(archive, limits) if archive.name.endswith(".zip") else _tar_members(archive, limits)


def _too_many(archive: Path, limits: Limits) -> RawFileError:
    return RawFileError(f"{archive}: more than {limits.max_members} members; refused")


def _refuse_bomb(archive: Path, unpacked: int, limits: Limits) -> None:
    packed = max(archive.stat().st_size, 1)
    if unpacked > limits.max_bytes or (unpacked > limits.free_bytes and unpacked / packed > limits.max_ratio):
        raise RawFileError(
            f"{archive}: unpacks to more than {unpacked:,} bytes from {packed:,}; a bomb? refused "
            f"(limits: {limits.max_bytes:,} bytes, {limits.max_ratio} times)"
        )


class _Counted(io.RawIOBase):
    """A decompressing stream that stops at the limits and never reads much at once."""

    def __init__(self, archive: Path, stream: gzip.GzipFile | IO[bytes], limits: Limits):
        self.archive, self.stream, self.limits = archive, stream, limits

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.stream.tell()

    def seek(self, offset: int, whence: int = 0) -> int:
        return self.stream.seek(offset, whence)

    def read(self, size: int = -1) -> bytes:
        if size < 0 or size > MAX_READ:
            raise RawFileError(f"{self.archive}: a header claims {size:,} bytes; refused")
        data = self.stream.read(size)
        _refuse_bomb(self.archive, self.stream.tell(), self.limits)
        return data


def _decompressed(archive: Path) -> gzip.GzipFile | IO[bytes]:
    """The tar inside, whatever it is packed with, judged by its first bytes and not by its name."""
    with open(archive, "rb") as file:
        magic = file.read(6)
    if magic[:2] == b"\x1f\x8b":
        return gzip.open(archive, "rb")
    if magic[:3] == b"BZh":
        return bz2.open(archive, "rb")
    if magic == b"\xfd7zXZ\x00":
        return lzma.open(archive, "rb")
    return open(archive, "rb")


def _tar_members(archive: Path, limits: Limits) -> Iterator[tuple[str, IO[bytes] | None]]:
    unpacked = 0
    with _decompressed(archive) as stream:
        counted = _Counted(archive, stream, limits)
        with tarfile.open(fileobj=counted, mode="r:") as tar:
            for member in tar:
                if member.size < 0:
                    raise RawFileError(f"{archive}: member {member.name!r} claims {member.size} bytes; refused")
                unpacked += member.size
                _refuse_bomb(archive, unpacked, limits)
                if member.isdir():
                    _safe(archive, member.name)
                    yield member.name, None
                    continue
                if not member.isreg() or member.issparse():
                    raise RawFileError(f"{archive}: member {member.name!r} is a link or a device; refused")
                yield member.name, tar.extractfile(member)
        while counted.read(2**20):  # the end must be there, with the checksum of the compressed stream
            pass


def _entries(archive: Path) -> int:
    """At most how many members a zip has, counted without reading its directory, which is held in memory."""
    count, kept = 0, b""
    with open(archive, "rb") as file:
        while block := file.read(2**20):
            count += (kept + block).count(ENTRY)
            kept = block[-len(ENTRY) + 1 :]
    return count


def _zip_members(archive: Path, limits: Limits) -> Iterator[tuple[str, IO[bytes] | None]]:
    if archive.stat().st_size // SHORTEST_ENTRY > limits.max_members and _entries(archive) > limits.max_members:
        raise _too_many(archive, limits)
    with zipfile.ZipFile(archive) as packed:
        entries = packed.infolist()
        _refuse_bomb(archive, sum(entry.file_size for entry in entries), limits)
        for entry in entries:
            if entry.is_dir():
                _safe(archive, entry.filename)
                yield entry.filename, None
                continue
            kind = stat.S_IFMT(entry.external_attr >> 16)
            if kind not in (0, stat.S_IFREG):
                raise RawFileError(f"{archive}: member {entry.filename!r} is a link or a device; refused")
            if entry.flag_bits & 1:
                raise RawFileError(f"{archive}: member {entry.filename!r} is encrypted; expected a plain archive")
            if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise RawFileError(f"{archive}: member {entry.filename!r} is not packed by deflate; pack it so")
            with packed.open(entry) as stream:
                yield entry.filename, stream
