# SPDX-License-Identifier: Apache-2.0
"""What a machine does to a run: memory that ends, a disk that fills up, numbers that run out of their range."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from euroglue.atomic import disk_is_full
from euroglue.errors import EuroglueError

MEMORY_SIGNS = ("out of memory", "can't allocate memory", "alloc_failed")
"""How CUDA, MPS, the CPU's allocator and cuBLAS say that memory ended, in lower case."""
SPACE_SIGNS = (
    "no space left on device",
    "os error 28",
    "disk quota exceeded",
    "os error 122",
    "file too large",
    "os error 27",
    "unexpected pos",
)
"""How the system, safetensors and PyTorch (whose writer finds less written than it gave) say that the disk takes no more."""


class NotFiniteError(EuroglueError):
    """A loss or an output is not a finite number: under half precision the run is begun again in 32 bits."""


class DiskFullError(EuroglueError):
    """There is no space for what is to be saved; what was saved before is whole."""


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error says that memory ended.

    >>> is_out_of_memory(RuntimeError("CUDA error: out of memory")), is_out_of_memory(RuntimeError("shape mismatch"))
    (True, False)
    """
    import torch

    if isinstance(error, (torch.OutOfMemoryError, MemoryError)):
        return True
    return isinstance(error, RuntimeError) and any(sign in str(error).lower() for sign in MEMORY_SIGNS)


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


@contextmanager
def saving(place: Path, what: str) -> Iterator[None]:
    """Tell a disk that is full while ``what`` is saved at ``place`` as a mistake the user can mend.

    Raises:
        DiskFullError: in place of the error that said so.
    """
    try:
        yield
    except Exception as error:
        if not is_out_of_space(error):
            raise
        raise DiskFullError(
            f"no space left on the disk of {place} for {what} ({error}); what was saved before is whole: free some space and "
            "give the same command again to go on"
        ) from error
