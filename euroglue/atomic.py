# SPDX-License-Identifier: Apache-2.0
"""Files and folders that are there whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from euroglue.disk import saving


@contextmanager
def new_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """An empty file to fill, called ``.NAME.….part`` beside ``path``; at the end it takes its place.

    Readers see the old file or the new one, never a part. Folders on the way are made. Whatever stops the filling, the old
    file stays and nothing is left beside it.

    Raises:
        DiskFullError: there is no space for what it is filled with.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
    os.close(handle)
    aside = Path(name)
    try:
        with saving(target.parent, target.name):
            yield aside
            with open(aside, "rb+") as file:
                os.fsync(file.fileno())
            os.chmod(aside, 0o644)
            os.replace(aside, target)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise


def write_text(path: str | os.PathLike[str], parts: str | Iterable[str]) -> None:
    """Write UTF-8 text with LF, whole or not at all (see ``new_file``)."""
    with new_file(path) as aside, open(aside, "w", encoding="utf-8", newline="\n") as file:
        file.writelines([parts] if isinstance(parts, str) else parts)


@contextmanager
def new_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """An empty folder to fill, called ``.NAME~…`` beside ``path``; at the end it takes its place, or that of a folder there.

    Folders on the way are made. Whatever stops the filling, what was there stays and nothing is left beside it.

    Raises:
        DiskFullError: there is no space for what it is filled with.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}~"))
    try:
        with saving(target.parent, target.name):
            yield work
        os.chmod(work, 0o755)
        _put(work, target)
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise


def _put(work: Path, target: Path) -> None:
    """Rename a folder to where another may be; that one is moved aside first and removed last."""
    if not target.exists():
        os.rename(work, target)
        return
    aside = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}~"))
    os.rename(target, aside / target.name)
    try:
        os.rename(work, target)
    except OSError:
        os.rename(aside / target.name, target)
        raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)
