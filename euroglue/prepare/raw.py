# SPDX-License-Identifier: Apache-2.0
"""Find a task's raw files, verify them against their pins and hand them to a reader as plain files."""

from __future__ import annotations

import fnmatch
import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from importlib import resources
from pathlib import Path

from euroglue.disk import user_path
from euroglue.errors import FormatError, MissingRawFileError, RawFileError
from euroglue.prepare.archive import is_archive, unpack
from euroglue.prepare.download import download
from euroglue.prepare.gate import require
from euroglue.prepare.scratch import home, scratch
from euroglue.task import UNPINNED, Edition, Gate, Source, Task


def sha256(path: Path) -> str:
    """The SHA-256 of a file, in hex."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while chunk := file.read(2**20):
            digest.update(chunk)
    return digest.hexdigest()


def tree_hash(digests: Mapping[str, str]) -> str:
    """One SHA-256 for many members: that of the lines ``digest  path``, sorted by path, each ended by a line feed.

    >>> tree_hash({"b": "02", "a": "01"}) == hashlib.sha256(b"01  a\\n02  b\\n").hexdigest()
    True
    """
    lines = "".join(f"{digests[path]}  {path}\n" for path in sorted(digests))
    return hashlib.sha256(lines.encode()).hexdigest()


def canonical(pattern: str, path: str) -> str | None:
    """The name under which ``path`` is known where ``pattern`` is wanted, or None.

    The archive's own top folder may be there or not, whichever of the two the pattern has.

    >>> canonical("wikiann_bg/train", "train"), canonical("ner/*.tsv", "SlavicNER-2c72/ner/bg/a.tsv")
    ('wikiann_bg/train', 'ner/bg/a.tsv')
    >>> canonical("dev.tsv", "__MACOSX/dev.tsv"), canonical("dev.tsv", "other/dev.tsv.bak")
    (None, None)
    >>> canonical("*dev*", ".cache/huggingface/download/dev.tsv.metadata") is None
    True
    """
    parts = path.split("/")
    if "__MACOSX" in parts or any(
        part.startswith(".") and part.strip(".") for part in parts
    ):  # notes of other programs
        return None
    for tail in ("/".join(parts[start:]) for start in range(min(2, len(parts)))):
        if fnmatch.fnmatchcase(tail, pattern):
            return tail
    if "*" not in pattern and pattern.partition("/")[2] == path:
        return pattern
    return None


class RawFiles:
    """The verified raw files of one edition, by member name; the reader's whole view of the outside.

    Use as a context manager: unpacked members live in a temporary folder that goes away with it.
    """

    def __init__(
        self,
        paths: Mapping[str, Path],
        sources: Sequence[dict] = (),
        stack: ExitStack | None = None,
        missing: Sequence[str] = (),
        findings: Sequence[str] = (),
        places: Sequence[Path] = (),
    ):
        self._paths = dict(paths)
        self.sources = list(sources)
        self.missing = tuple(missing)
        """The sources that were left out."""
        self.incomplete: set[str] = set()
        """The splits that such a source would have been part of; they are left out too."""
        self.findings = list(findings)
        """What is not as published, or a reader left out or mended, a sentence each; the pipeline brings them into the manifest."""
        self.places = tuple(places)
        """The files and folders in which the sources were found, for messages."""
        self._stack = stack or ExitStack()

    def __enter__(self) -> RawFiles:
        return self

    def __exit__(self, *exception: object) -> None:
        self._stack.close()

    def report(self, finding: str) -> None:
        """Note what was left out or mended while reading."""
        self.findings.append(finding)

    def names(self, pattern: str = "*") -> list[str]:
        """The members that match ``pattern``, sorted."""
        return sorted(name for name in self._paths if fnmatch.fnmatchcase(name, pattern))

    def present(self, members: Mapping[str, str], are_splits: bool = True) -> list[tuple[str, str]]:
        """The pairs (key, member) whose member is here; all of them, unless a source was left out.

        Args:
            members: key → member.
            are_splits: the keys are splits as they come out, so that the key of a member that is not here is noted as
                ``incomplete``; else they are parts out of which splits are drawn.

        Raises:
            MissingRawFileError: a member is not here though no source was left out, or none of them is here.
        """
        absent = [member for member in members.values() if member not in self._paths]
        if absent and (not self.missing or len(absent) == len(members)):
            raise MissingRawFileError(f"{absent[0]}: expected it among the raw files, got {', '.join(self._paths)}")
        if are_splits:
            self.incomplete |= {key for key, member in members.items() if member not in self._paths}
        return [(key, member) for key, member in members.items() if member in self._paths]

    def path(self, member: str) -> Path:
        """Where the member lies as a plain file."""
        return self._paths[member]

    def text(self, member: str) -> str:
        """The member's text: UTF-8 with or without a byte order mark, line endings untouched.

        Raises:
            FormatError: the bytes are not UTF-8, or one is zero; the message gives the offset.
        """
        return _decoded(member, self._paths[member].read_bytes(), 0).removeprefix("\ufeff")

    def lines(self, member: str) -> Iterator[tuple[int, str]]:
        """The member's lines with their numbers from 1, without LF or CRLF; other separators stay in the text.

        The file is read as the lines are taken, never whole.

        Raises:
            FormatError: the bytes are not UTF-8, or one is zero; the message gives the offset.
        """
        at = 0
        with open(self._paths[member], "rb") as file:
            for number, row in enumerate(file, start=1):
                line = _decoded(member, row, at)
                at += len(row)
                line = line.removeprefix("\ufeff") if number == 1 else line
                line = line.removesuffix("\n")
                yield number, line.removesuffix("\r")


def _decoded(member: str, data: bytes, at: int) -> str:
    if (zero := data.find(b"\0")) >= 0:  # UTF-16, or a file that was cut and filled up: both may be valid UTF-8
        raise FormatError(f"{member}, byte {at + zero}: expected UTF-8 text, got a zero byte")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"{member}, byte {at + error.start}: expected UTF-8, got 0x{data[error.start]:02x}"
        ) from error


def acquire(
    task: Task,
    edition_name: str,
    *,
    data_dir: str | os.PathLike | None = None,
    allow_changed: bool = False,
    allow_missing: bool = False,
) -> RawFiles:
    """Find, unpack and verify every source of an edition.

    Looks into ``data_dir``, then ``$EUROGLUE_RAW_DIR/<suite>/<task>/``, then downloads (open sources only). Optional
    sources, and with ``allow_missing`` all others, are not fetched but left out where they are not at hand.

    Raises:
        MissingRawFileError: a file is nowhere to be found.
        RawFileError: a file is empty, damaged, hostile or, unless ``allow_changed``, not the published one.
        LicenceError: the files are gated and their terms not accepted (see ``euroglue.prepare.gate``).
    """
    with ExitStack() as stack:
        work = stack.enter_context(scratch(home() / "work"))
        paths: dict[str, Path] = {}
        sources, missing, findings, places = [], [], [], []
        for number, source in enumerate(task.edition(edition_name).sources):
            place = _locate(task, source, data_dir)
            if place is None and (source.optional or allow_missing):
                missing.append(source.file)
                continue
            place = place or _downloaded(task, source, _folders(task, data_dir), task.edition(edition_name))
            found = _in_folder(source, place) if place.is_dir() else _read(source, place, work / str(number))
            places.append(place)
            digests = _verify(f"{task.path} ({edition_name})", source, place, found, allow_changed)
            findings += _changed(source, digests)
            paths.update(found)
            sources.append({"file": source.file, "members": digests})
        if not sources:
            raise _none_at_hand(task, edition_name, missing, _shown(_folders(task, data_dir)))
        require(task, edition_name)
        return RawFiles(paths, sources, stack.pop_all(), missing, findings, list(dict.fromkeys(places)))


def state(task: Task, edition_name: str, data_dir: str | os.PathLike | None) -> str:
    """What tells one set of raw files at hand from another, without reading them: 16 hex digits, "" if none is at hand.

    It is taken over path, size and time of each file.
    """
    seen = []
    for source in task.edition(edition_name).sources:
        place = _locate(task, source, data_dir)
        if place is not None:
            files = sorted(_in_folder(source, place).values()) if place.is_dir() else [place]
            seen += [(str(file.resolve()), file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    return hashlib.sha256(repr(seen).encode()).hexdigest()[:16] if seen else ""


def _locate(task: Task, source: Source, data_dir: str | os.PathLike | None) -> Path | None:
    """The file, or the folder with its members, where the source is at hand; None where it is not."""
    if source.package:
        package, _, below = source.package.partition("/")
        return Path(str(resources.files(package))) / below
    for folder in [*_folders(task, data_dir), *_folders_beside(task, source)]:
        if (folder / source.file).is_file():
            return folder / source.file
        if _in_folder(source, folder):
            return folder
        _refuse_odd(task, source, folder)
    file = download_place(task, source)
    return file if file.is_file() else None


def _refuse_odd(task: Task, source: Source, folder: Path) -> None:
    """Refuse what is called like a raw file in the user's folder and is none: it would be passed over in silence."""
    names = [name for name in source.members if "*" not in name]
    own = is_archive(source.file) or any(name.endswith(source.file) for name in names)  # else it may be a folder
    for name in [source.file, *names] if own else names:
        if os.path.lexists(place := folder / name) and not place.is_file():
            kind = "a folder" if place.is_dir() else "a link to nothing" if place.is_symlink() else "a pipe or a device"
            raise RawFileError(f"{task.path}: {place}: expected a file, got {kind}; put the raw file there")


def download_place(task: Task, source: Source) -> Path:
    """Where a download of the source lies, or a file that the user gave in its place (``euroglue.prepare.provide``)."""
    return home() / "downloads" / task.suite / task.name / source.file


def _folders(task: Task, data_dir: str | os.PathLike | None) -> list[Path]:
    folders = []
    if data_dir is not None:
        folders.append(check_data_dir(task, data_dir))
    if root := os.environ.get("EUROGLUE_RAW_DIR"):
        folders.append(user_path(root) / task.suite / task.name)
    return folders


def _folders_beside(task: Task, source: Source) -> list[Path]:
    root = os.environ.get("EUROGLUE_RAW_DIR")
    return [user_path(root) / task.suite / source.beside] if root and source.beside else []


def check_data_dir(task: Task, data_dir: str | os.PathLike) -> Path:
    """The user's folder of raw files, if there is one.

    Raises:
        RawFileError: it is no folder.
        EuroglueError: it is the empty text, or begins with the home of a user there is not.
    """
    folder = user_path(data_dir)
    if not folder.is_dir():
        raise RawFileError(f"{task.path}: data_dir {folder}: expected a folder with the raw files, there is none")
    return folder


def _read(source: Source, file: Path, into: Path) -> dict[str, Path]:
    if not is_archive(source.file):
        return {next(iter(source.members)): file}

    def wanted(path: str) -> str | None:
        return next((name for pattern in source.members if (name := canonical(pattern, path))), None)

    into.mkdir()
    try:
        return unpack(file, wanted, into)
    except RawFileError:
        _drop_own_download(file)
        raise


def _in_folder(source: Source, folder: Path) -> dict[str, Path]:
    found: dict[str, Path] = {}
    if not folder.is_dir():
        return found
    for pattern in source.members:
        if "*" not in pattern:
            for name in (pattern, pattern.partition("/")[2]):
                if name and (folder / name).is_file():
                    found[pattern] = folder / name
                    break
            continue
        for path in sorted(folder.rglob("*")):
            inside = canonical(pattern, path.relative_to(folder).as_posix())
            if inside and path.is_file():
                found.setdefault(inside, path)
    return found


def _none_at_hand(task: Task, edition: str, missing: list[str], shown: str) -> MissingRawFileError:
    sign = f"sign {task.licence.sign_at} to be given them, then " if task.licence.gate is Gate.FORM else ""
    return MissingRawFileError(
        f"{task.path} ({edition}): none of {', '.join(missing)} is at hand in {shown}; "
        f"{sign}put at least one of them there, or prepare another edition"
    )


def _shown(folders: list[Path]) -> str:
    return ", ".join(str(folder) for folder in folders) or "any folder (neither data_dir nor $EUROGLUE_RAW_DIR is set)"


def _downloaded(task: Task, source: Source, folders: list[Path], edition: Edition) -> Path:
    shown = _shown(folders)
    named = source.file if source.url or is_archive(source.file) else ", ".join(source.members)
    advice = f"put {named} into a folder and pass it as data_dir, or into $EUROGLUE_RAW_DIR/{task.suite}/{task.name}"
    looked = f" (it is not in {shown})" if folders else ""
    if len(edition.sources) > 1:
        advice += "; allow_missing_splits (--allow-missing-splits) goes on without, where that can be"
    if task.licence.gate is Gate.FORM:
        raise MissingRawFileError(
            f"{task.path}: {source.file} not found in {shown}; it is given out after signing {task.licence.sign_at}: "
            f"sign there, then {advice}"
        )
    if not source.url:
        raise MissingRawFileError(f"{task.path}: {named} not found in {shown}. {source.obtain} Then {advice}")
    file = download_place(task, source)
    download(source.url, file, advice=advice + looked)
    return file


def _verify(where: str, source: Source, place: Path, found: dict[str, Path], allow_changed: bool) -> dict[str, str]:
    """Compare every pin with what is there; returns the digests found, in the order of the pins."""
    digests = {}
    for pattern, expected in source.members.items():
        names = [pattern] if pattern in found else [n for n in sorted(found) if fnmatch.fnmatchcase(n, pattern)]
        if not names:
            raise RawFileError(f"{where}: {place}: expected member {pattern}, it is not there; fetch the file again")
        each = {name: sha256(found[name]) for name in names}
        got = each[pattern] if pattern in each else tree_hash(each)
        empty = next((name for name in names if found[name].stat().st_size == 0), None)
        if got != expected and empty is not None:
            _drop_own_download(place)
            raise RawFileError(f"{where}: {place}: {empty}: expected rows, got an empty file; fetch it again")
        if got != expected and expected != UNPINNED and not allow_changed:
            origin = f"from {source.url}" if source.url else f"({source.obtain})" if source.obtain else ""
            _drop_own_download(place)
            raise RawFileError(
                f"{where}: {place}: {pattern} differs from the published file: expected sha256 {expected[:16]}…, got "
                f"{got[:16]}…; fetch it again {origin}, or pass allow_changed_source (--allow-changed-source) to go on"
            )
        digests[pattern] = got
    return digests


def _changed(source: Source, digests: Mapping[str, str]) -> list[str]:
    """A finding for each member that is accepted though it is not the published one."""
    return [
        f"{source.file}: {pattern} differs from the published file: expected sha256 {expected[:16]}…, got "
        f"{digests[pattern][:16]}…"
        for pattern, expected in source.members.items()
        if expected not in (UNPINNED, digests[pattern])
    ]


def _drop_own_download(place: Path) -> None:
    """A download that is damaged or fails its pins is removed, so that the next call fetches it anew."""
    if place.is_file() and (home() / "downloads") in place.parents:
        place.unlink()
