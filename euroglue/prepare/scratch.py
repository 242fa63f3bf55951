# SPDX-License-Identifier: Apache-2.0
"""``$EUROGLUE_HOME``, and in it folders for unpacked files: gone with the process that made them, or swept by the next one."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from euroglue.disk import user_path
from euroglue.errors import EuroglueError


def home() -> Path:
    """The folder of downloads and prepared data: ``$EUROGLUE_HOME``, by default ``~/.cache/euroglue``."""
    return user_path(os.environ.get("EUROGLUE_HOME") or "~/.cache/euroglue")


@contextmanager
def scratch(root: Path) -> Iterator[Path]:
    """A new folder below ``root``, removed at the end; what killed processes of this host left there is removed first.

    Raises:
        EuroglueError: ``root`` cannot be written to.
    """
    make_folder(root)
    host = socket.gethostname()
    for left in sorted(root.glob(f"{host}~*~*")):
        process = left.name.split("~")[-2]
        if process.isdecimal() and not _runs(int(process)):
            shutil.rmtree(left, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=f"{host}~{os.getpid()}~", dir=root))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def make_folder(folder: Path) -> None:
    """Make a folder below ``$EUROGLUE_HOME``.

    Raises:
        EuroglueError: it cannot be made or written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise PermissionError(13, "not writable")
    except OSError as error:
        raise EuroglueError(
            f"{folder}: expected a folder that can be written, got: {error.strerror}; set EUROGLUE_HOME to one"
        ) from error


def _runs(process: int) -> bool:
    if os.name == "nt":  # signal 0 would end a process there
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
