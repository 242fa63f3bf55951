# SPDX-License-Identifier: Apache-2.0
"""What a machine does to a run: memory that ends, numbers that run out of their range (``euroglue.disk``: a full disk)."""

from __future__ import annotations

from euroglue.errors import EuroglueError

MEMORY_SIGNS = ("out of memory", "can't allocate memory", "alloc_failed")
"""How CUDA, MPS, the CPU's allocator and cuBLAS say that memory ended, in lower case."""


class NotFiniteError(EuroglueError):
    """A loss or an output is not a finite number: under half precision the run is begun again in 32 bits."""


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error says that memory ended.

    >>> is_out_of_memory(RuntimeError("CUDA error: out of memory")), is_out_of_memory(RuntimeError("shape mismatch"))
    (True, False)
    """
    import torch

    if isinstance(error, (torch.OutOfMemoryError, MemoryError)):
        return True
    return isinstance(error, RuntimeError) and any(sign in str(error).lower() for sign in MEMORY_SIGNS)
