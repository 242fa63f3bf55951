# SPDX-License-Identifier: Apache-2.0
"""Three tasks fine-tuned whole on the accelerator at hand: score, speed, memory, and the share of the machine's peak.

PAN-X, UD BTB and SICK-NL by their papers' recipes, in fp16 unless told otherwise, one process. Speed is that of the steps in
the run's own log, in sub-words without padding, evaluations left out. A step's arithmetic is counted as six operations
per sub-word and weight outside the embeddings, and twelve per sub-word, layer, unit of width and position attended to (Kaplan
et al., 2020, table 1; forward and backward); the peak is what products of large square matrices reach in the same precision,
measured here, in this run. On a CPU it works the same, slowly: give --limit.

    python benchmarks/accelerator.py --model models/e5-small
    python benchmarks/accelerator.py --model models/e5-small --precision no --limit 64 --epochs 1

The raw files of the three tasks are needed: see EUROGLUE_RAW_DIR.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import torch

from euroglue.errors import EuroglueError
from euroglue.registry import find_task
from euroglue.training.run import train

TASKS = (("bgglue", "wikiannbg"), ("bgglue", "udep"), ("dumb", "sicknl-nli"))
TYPES = {"no": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


def device() -> torch.device:
    """The accelerator at hand, or the CPU."""
    return torch.accelerator.current_accelerator() or torch.device("cpu")


def peak_speed(precision: str) -> float:
    """Operations per second of the product of large square matrices, the best of several."""
    size, repeats = (8192, 20) if device().type != "cpu" else (1024, 5)
    left, right = (torch.randn(size, size, device=device(), dtype=TYPES[precision]) for _ in range(2))
    best = 0.0
    for _ in range(repeats):
        began = time.perf_counter()
        left @ right
        if device().type != "cpu":
            torch.accelerator.synchronize()
        best = max(best, 2 * size**3 / (time.perf_counter() - began))
    return best


def operations_per_word(model: Path, mean_length: float) -> float:
    """Operations of forward and backward pass per sub-word of an encoder, the embeddings left out."""
    from transformers import AutoConfig, AutoModel

    with torch.device("meta"):
        encoder = AutoModel.from_config(AutoConfig.from_pretrained(model))
    embeddings = {id(one) for one in encoder.get_submodule("embeddings").parameters()}
    weights = sum(one.numel() for one in encoder.parameters() if id(one) not in embeddings)
    attention = 12 * encoder.config.num_hidden_layers * encoder.config.hidden_size * mean_length
    return 6 * weights + attention


def speed_of_steps(log: Path) -> float:
    """Sub-words per second over all steps that a run logged."""
    steps, speeds = [0], []
    for line in log.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        if "tokens_per_second" in entry:
            speeds.append((entry["step"] - steps[-1], entry["tokens_per_second"]))
            steps.append(entry["step"])
    return sum(count for count, _ in speeds) / sum(count / speed for count, speed in speeds if speed)


def memory() -> float:
    """The most memory held, in GB: of the accelerator since the last task began, or on CPU of this process so far."""
    if device().type == "cuda":
        return torch.cuda.max_memory_allocated() / 1e9
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e9


def mean_length(task: Any, model: str) -> float:
    """The mean number of sub-words that a sub-word of the training split attends to, padding left out."""
    from accelerate import Accelerator

    from euroglue.training.data import columns, fingerprint, load_splits
    from euroglue.training.features import prepare_features
    from euroglue.training.models import load_fresh
    from euroglue.training.settings import Settings

    settings = Settings.of(task, model)
    kind = load_fresh(Accelerator(), task, settings).kind
    rows = columns(task, load_splits(task)["train"])
    lengths = prepare_features(kind, rows, fingerprint(rows)).lengths.astype(float)
    return float((lengths**2).sum() / lengths.sum())


def main(arguments: argparse.Namespace) -> int:
    """Train, measure and print."""
    peak = peak_speed(arguments.precision)
    name = torch.cuda.get_device_name() if device().type == "cuda" else device().type
    print(f"{name}, {arguments.precision}: {peak / 1e12:.2f} TFLOP/s in products of large matrices", flush=True)
    kept = {name: arguments.limit for name in ("train", "validation", "test")} if arguments.limit else {}
    for suite, short in TASKS:
        task = find_task(suite, short)
        if device().type == "cuda":
            torch.cuda.reset_peak_memory_stats()
        with tempfile.TemporaryDirectory() as folder:
            chosen = {"mixed_precision": arguments.precision, "epochs": arguments.epochs, "limit": kept}
            began = time.perf_counter()
            metrics = train(task, arguments.model, Path(folder) / "run", **chosen)
            seconds = time.perf_counter() - began
            speed = speed_of_steps(Path(folder) / "run" / "log.jsonl")
            share = (
                speed * operations_per_word(Path(folder) / "run" / "best", mean_length(task, arguments.model)) / peak
            )
        scores = ", ".join(f"{split} {one['scores'][one['primary']]:.4f}" for split, one in metrics["splits"].items())
        print(
            f"{task.path}: {scores}; {speed:.0f} sub-words/s, {share:.1%} of the peak, {memory():.2f} GB, "
            f"{seconds:.0f} s with evaluations",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True, help="an encoder, folder or Hub id")
    parser.add_argument("--precision", choices=list(TYPES), default="fp16")
    parser.add_argument("--epochs", type=int, help="the recipe's if not given")
    parser.add_argument("--limit", type=int, help="so many examples of each split; all if not given")
    try:
        sys.exit(main(parser.parse_args()))
    except EuroglueError as error:
        print(f"euroglue: {error}", file=sys.stderr)
        sys.exit(2)
