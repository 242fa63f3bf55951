# SPDX-License-Identifier: Apache-2.0
"""The processes that a run is shared by, their device and precision, through Accelerate."""

from __future__ import annotations

import os
import platform
from dataclasses import replace
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from euroglue.errors import EuroglueError

if TYPE_CHECKING:
    from accelerate import Accelerator

    from euroglue.training.settings import Settings

WORLD_SIZES = ("WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE")
"""Where launchers (PyTorch's, Open MPI, MPICH and Intel MPI, MVAPICH) tell a process how many of them there are."""
LIBRARIES = ("euroglue", "torch", "transformers", "tokenizers", "accelerate", "datasets", "numpy")


def make_accelerator(settings: Settings, gradient_accumulation: int) -> Accelerator:
    """The processes and their device; precision ``auto`` is what Accelerate was told, else bf16 or fp16 if on CUDA.

    Raises:
        EuroglueError: a way of distributing that shards the model, or a batch too small to share out.
    """
    import torch
    from accelerate import Accelerator, DistributedType

    precision = settings.mixed_precision
    if precision == "auto":
        precision = os.environ.get("ACCELERATE_MIXED_PRECISION", "no")
        on_cuda = torch.cuda.is_available() and os.environ.get("ACCELERATE_USE_CPU", "false").lower() != "true"
        if precision == "no" and on_cuda:
            precision = "bf16" if torch.cuda.is_bf16_supported(including_emulation=False) else "fp16"
    if gradient_accumulation < 1:
        raise EuroglueError(f"gradient accumulation: expected at least 1, got {gradient_accumulation}")
    started = max(int(os.environ.get(name, "1")) for name in WORLD_SIZES)
    devices = torch.cuda.is_available() or torch.backends.mps.is_available()
    on_cpu = started > 1 and not devices  # Accelerate joins processes on CPU only when it is told to
    accelerator = Accelerator(cpu=on_cpu, mixed_precision=precision)
    if accelerator.num_processes != started:
        raise EuroglueError(
            f"{started} processes were started, Accelerate joins {accelerator.num_processes}: start them by "
            "accelerate launch or torchrun, on one kind of device"
        )
    if accelerator.distributed_type in (DistributedType.FSDP, DistributedType.DEEPSPEED, DistributedType.MEGATRON_LM):
        raise EuroglueError(
            f"training does not shard models ({accelerator.distributed_type}): launch plain data parallelism"
        )
    parts = accelerator.num_processes * gradient_accumulation
    if settings.batch_size < parts:
        raise EuroglueError(
            f"the batch size {settings.batch_size} is the global one and cannot be shared by "
            f"{accelerator.num_processes} processes in {gradient_accumulation} steps: give at least {parts}"
        )
    return accelerator


def in_full_precision(settings: Settings, gradient_accumulation: int) -> Accelerator:
    """The same processes again, in 32-bit floats, for a run whose numbers left the range of its precision."""
    from accelerate.state import AcceleratorState

    AcceleratorState._reset_state(False)  # the precision is kept for the life of a process, and there is no other way
    return make_accelerator(replace(settings, mixed_precision="no"), gradient_accumulation)


def environment(accelerator: Accelerator, gradient_accumulation: int) -> dict[str, Any]:
    """Where a run takes place: versions, device, processes, precision."""
    import torch

    device = accelerator.device
    return {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "libraries": {name: version(name) for name in LIBRARIES},
        "device": torch.cuda.get_device_name(device) if device.type == "cuda" else device.type,
        "threads": torch.get_num_threads(),
        "processes": accelerator.num_processes,
        "gradient_accumulation": gradient_accumulation,
        "mixed_precision": accelerator.mixed_precision,
    }
