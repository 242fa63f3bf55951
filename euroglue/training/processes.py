# SPDX-License-Identifier: Apache-2.0
"""The processes that a run is shared by, their device and precision, through Accelerate."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from euroglue.errors import EuroglueError
from euroglue.extras import require_training

if TYPE_CHECKING:
    from accelerate import Accelerator

    from euroglue.training.settings import Settings

WORLD_SIZES = ("WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE")
"""Where launchers (PyTorch's, Open MPI, MPICH and Intel MPI, MVAPICH) tell a process how many of them there are."""
TRACKERS = ("tensorboard", "wandb", "trackio")
LIBRARIES = ("euroglue", "torch", "transformers", "tokenizers", "accelerate", "datasets", "numpy")


def make_accelerator(
    settings: Settings, gradient_accumulation: int, report_to: Sequence[str] = (), folder: Path | None = None
) -> Accelerator:
    """The processes and their device; precision ``auto`` is what Accelerate was told, else bf16 or fp16 if on CUDA.

    Args:
        settings: of the run.
        gradient_accumulation: in how many parts each process works off its share of a batch.
        report_to: names of ``TRACKERS``.
        folder: where those write that write files.

    Raises:
        EuroglueError: a library is not installed, a way of distributing that shards the model, a batch too small to share
            out, a tracker that is unknown or not installed.
    """
    require_training("training")
    for name in report_to:
        if name not in TRACKERS:
            raise EuroglueError(f"report to: expected any of {', '.join(TRACKERS)}, got {name!r}")
        if find_spec(name) is None:
            raise EuroglueError(f"report to: {name!r} is not installed: pip install {name}")
    import torch
    from accelerate import Accelerator, DistributedType
    from accelerate.state import AcceleratorState

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
    if AcceleratorState._shared_state and AcceleratorState().mixed_precision != precision:
        AcceleratorState._reset_state(
            False
        )  # the precision is kept for the life of a process, and there is no other way
    accelerator = Accelerator(
        cpu=on_cpu,
        mixed_precision=precision,
        log_with=list(report_to) or None,
        project_dir=str(folder) if report_to else None,
    )
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


@contextmanager
def tracked(accelerator: Accelerator, settings: Settings) -> Iterator[None]:
    """Within, what is logged through Accelerate goes to the trackers that it was made with."""
    if accelerator.log_with:
        plain = {name: value for name, value in settings.to_json().items() if isinstance(value, (int, float, str))}
        accelerator.init_trackers("euroglue", config=plain)
    try:
        yield
    finally:
        for tracker in accelerator.trackers:
            if accelerator.is_main_process or not tracker.main_process_only:
                tracker.finish()
        accelerator.trackers = []


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
