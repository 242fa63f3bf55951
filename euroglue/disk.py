# SPDX-License-Identifier: Apache-2.0
"""What a user's disk does: a path that names nobody's home, a disk that fills up or may not be written to."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from euroglue.errors import EuroglueError

SPACE_SIGNS = (
    "no space left on device",
    "os error 28",
    "disk quota exceeded",
    "os error 122",
    "os error 27",
    "unexpected pos",
)
"""How the system, safetensors and PyTorch (whose writer finds less written than it gave) say that the disk takes no more."""


class DiskFullError(EuroglueError):
    """There is no space for what is to be saved; what was saved before is whole."""


def user_path(path: str | os.PathLike[str]) -> Path:
    """A path as a user wrote it, with ``~`` for the home.

    Raises:
        EuroglueError: it begins with the home of a user there is not, or is the empty text.

    >>> user_path("")
    Traceback (most recent call last):
    ...
    euroglue.errors.EuroglueError: expected a path, got an empty one
    """
    if not os.fspath(path):
        raise EuroglueError("expected a path, got an empty one")
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise EuroglueError(f"{path}: there is no such user's home; write the path out") from error


def disk_is_full(error: BaseException) -> bool:
    """Whether an error, or one that it was raised from, is the system's that the disk takes no more.

    >>> disk_is_full(OSError(errno.ENOSPC, "No space left on device")), disk_is_full(OSError(errno.EACCES, "no"))
    (True, False)
    """
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, OSError) and seen.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            return True
        seen = seen.__cause__ or seen.__context__
    return False


def is_out_of_space(error: BaseException) -> bool:
    """Whether an error, or one that it was raised from, says that the disk is full, in numbers or in words.

    >>> is_out_of_space(RuntimeError("I/O error: No space left on device (os error 28)"))
    True
    """
    seen: BaseException | None = error
    while seen is not None:
        if any(sign in str(seen).lower() for sign in SPACE_SIGNS):
            return True
        seen = seen.__cause__ or seen.__context__
    return disk_is_full(error)


def is_of_the_system(error: BaseException) -> bool:
    """Whether the system refused a file, rather than a library what it holds: those leave the number out, or seek to nowhere.

    >>> is_of_the_system(PermissionError(errno.EACCES, "no")), is_of_the_system(OSError("Invalid data stream"))
    (True, False)
    """
    return isinstance(error, OSError) and error.errno not in (None, errno.EINVAL)


@contextmanager
def saving(place: Path, what: str) -> Iterator[None]:
    """Tell a disk that is full while ``what`` is saved at ``place`` as a mistake the user can mend.

    Raises:
        DiskFullError: in place of the error that said so.
    """
    try:
        yield
    except EuroglueError:  # told already
        raise
    except Exception as error:
        if not is_out_of_space(error):
            raise
        told = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise DiskFullError(
            f"no space left on the disk of {place} for {what} ({told}); what was saved before is whole: free some space and "
            "give the same command again to go on"
        ) from error
