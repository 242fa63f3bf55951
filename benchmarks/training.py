# SPDX-License-Identifier: Apache-2.0
"""How fast training is: non-padding sub-words per second, our loop beside the plain one, in one run.

The plain loop takes random batches padded to the longest of each, over the whole vocabulary, with AdamW as PyTorch sets
it up; another differs from it by the trimmed vocabulary alone, so that what trimming gains and what batching gains can
be told apart. All train the same model at the same batch size. Each forms the batches of an epoch over the whole training
split and takes a sample of them: every so many in the order of their longest example, so that short and long batches have
their share. They take turns step by step, so that whatever else the machine does falls on all of them. The peak of memory
is that of a process which takes a few steps of one loop and then the longest batch, by when the optimiser holds its state.

    python benchmarks/training.py --model models/e5-small      a pretrained encoder, on PAN-X and SICK-NL
    python benchmarks/training.py --task wikiannbg             one made from scratch (its vocabulary is small), on PAN-X

The raw files of bgGLUE's wikiannbg and DUMB's sicknl-nli are needed: see EUROGLUE_RAW_DIR. Exit code 1 if a ratio is
below the bar; the bars are for a pretrained encoder with a multilingual vocabulary.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from accelerate import Accelerator

from euroglue.errors import EuroglueError
from euroglue.registry import find_task
from euroglue.task import Task
from euroglue.training.batching import padding_share, training_batches
from euroglue.training.data import columns, fingerprint, load_splits
from euroglue.training.features import prepare_features
from euroglue.training.kinds import Feature, TaskKind
from euroglue.training.loop import Trainer
from euroglue.training.models import load_fresh
from euroglue.training.settings import Settings
from euroglue.training.tiny import build_tiny_encoder
from euroglue.training.vocabulary import TrimmedVocabulary

TASKS = {"wikiannbg": ("bgglue", 2.5), "sicknl-nli": ("dumb", 2.0)}
"""The suite of each task, and how many times as fast as the plain loop ours must be."""
LOOPS = ("plain", "plain, trimmed", "ours")
WARM_UP = 3
MEMORY_STEPS = 4


class Loop(NamedTuple):
    """A way to train: its name, an epoch's batches, what it does with one of them, and the lengths of the examples."""

    name: str
    batches: list[list[int]]
    step: Callable[[Sequence[int]], None]
    lengths: np.ndarray

    def sample(self, steps: int) -> list[list[int]]:
        """So many batches, evenly spread over the epoch's lengths."""
        order = sorted(self.batches, key=lambda batch: self.lengths[batch].max())
        places = (np.arange(steps) + 0.5) * len(order) / steps
        return [order[int(place)] for place in places]

    def words(self, batches: Sequence[Sequence[int]]) -> int:
        """How many sub-words there are, padding left out."""
        return sum(int(self.lengths[batch].sum()) for batch in batches)


def random_batches(count: int, size: int, seed: int) -> list[list[int]]:
    """Examples in random order, cut into batches."""
    order = np.random.default_rng(seed).permutation(count)
    return [order[i : i + size].tolist() for i in range(0, count, size)]


def plain_step(
    kind: TaskKind, model: torch.nn.Module, features: Sequence[Feature], optimizer: torch.optim.Optimizer, clip: float
) -> Callable[[Sequence[int]], None]:
    """One step as tutorials write it: collate, forward, backward, clip, step."""
    device = next(model.parameters()).device

    def step(batch: Sequence[int]) -> None:
        model.train()
        inputs = {name: tensor.to(device) for name, tensor in kind.collate([features[i] for i in batch]).items()}
        kind.run(model, inputs).loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        optimizer.zero_grad()

    return step


def make_loop(name: str, task: Task, settings: Settings, rows: dict[str, list[Any]], digest: str) -> Loop:
    """One of the loops, with a model of its own."""
    accelerator = Accelerator(mixed_precision="no")
    loaded = load_fresh(accelerator, task, settings)
    features = prepare_features(loaded.kind, rows, digest)
    lengths = features.lengths
    if name != "plain":
        TrimmedVocabulary(loaded.model, loaded.tokenizer, features.used_ids())
    if name == "ours":
        trainer = Trainer(accelerator, settings, loaded.kind, loaded.model, features)
        batches = training_batches(lengths, settings.batch_size, seed=settings.seed, epoch=0)
        return Loop(name, batches, trainer.take_step, lengths)
    model = loaded.model.to(accelerator.device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=settings.learning_rate, weight_decay=settings.weight_decay)
    batches = random_batches(len(features), settings.batch_size, settings.seed)
    return Loop(name, batches, plain_step(loaded.kind, model, features, optimizer, settings.clip), lengths)


def measure(contenders: Sequence[Loop], batches: Sequence[Sequence[Sequence[int]]]) -> list[float]:
    """Seconds of each loop over its batches, after a few steps to warm up; the loops take turns."""
    seconds = [0.0] * len(contenders)
    for number in range(-WARM_UP, len(batches[0])):
        for i, loop in enumerate(contenders):
            began = time.perf_counter()
            loop.step(batches[i][number])
            if torch.cuda.is_available():
                torch.cuda.synchronize()
            if number >= 0:
                seconds[i] += time.perf_counter() - began
    return seconds


def peak_memory(loop: Loop) -> float:
    """The most memory that this process held while it took a few steps and then the longest batch, in MB."""
    *others, longest = sorted(loop.batches, key=lambda batch: loop.lengths[batch].max())
    for batch in [*others[:MEMORY_STEPS], longest]:
        loop.step(batch)
    if torch.cuda.is_available():
        return torch.cuda.max_memory_allocated() / 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


def memory_of_each(arguments: argparse.Namespace, task: Task, model: str) -> dict[str, float]:
    """The peak memory of each loop, in a process of its own."""
    peaks = {}
    for name in LOOPS:
        command = [sys.executable, __file__, "--model", model, "--task", task.name, "--memory-of", name]
        command += ["--batch-size", str(arguments.batch_size or 0)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        peaks[name] = json.loads(done.stdout.splitlines()[-1])
    return peaks


def compare(arguments: argparse.Namespace, task: Task, bar: float) -> bool:
    """Measure one task and print; whether the bar is met."""
    rows = columns(task, load_splits(task)["train"])
    digest = fingerprint(rows)
    with tempfile.TemporaryDirectory() as folder:
        model = arguments.model
        if model is None:
            texts = [str(value) for column in task.inputs for value in rows[column]]
            model = build_tiny_encoder(texts, Path(folder) / "model", vocab_size=16_000, hidden=256, layers=6)
        settings = Settings.of(task, str(model), batch_size=arguments.batch_size or None)
        if arguments.memory_of:
            print(json.dumps(peak_memory(make_loop(arguments.memory_of, task, settings, rows, digest))))
            return True
        peaks = memory_of_each(arguments, task, str(model))
        made = [make_loop(name, task, settings, rows, digest) for name in LOOPS]
    batches = [loop.sample(arguments.steps) for loop in made]
    seconds = measure(made, batches)
    print(
        f"{task.path}: {arguments.steps} batches of {settings.batch_size} from {len(made[0].lengths)} examples, {model}"
    )
    speeds = [loop.words(chosen) / spent for loop, chosen, spent in zip(made, batches, seconds, strict=True)]
    for loop, chosen, spent, speed in zip(made, batches, seconds, speeds, strict=True):
        padding, peak = padding_share(loop.lengths, chosen), peaks[loop.name]
        print(f"{loop.name:15}{speed:8.0f} sub-words/s   padding {padding:4.0%}   {spent:6.1f} s   peak {peak:6.0f} MB")
    plain, trimmed, ours = speeds
    parts = f"{trimmed / plain:.2f} by trimming, {ours / trimmed:.2f} by batching"
    print(f"ours / plain {ours / plain:.2f} (bar {bar}): {parts}\n", flush=True)
    return ours / plain >= bar


def main(arguments: argparse.Namespace) -> int:
    """Measure and print; 1 if a ratio is below its bar."""
    chosen = [arguments.task] if arguments.task else list(TASKS)
    met = [compare(arguments, find_task(TASKS[name][0], name), TASKS[name][1]) for name in chosen]
    return 0 if math.prod(met) else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="an encoder, folder or Hub id; one made from scratch if not given")
    parser.add_argument("--task", choices=list(TASKS), help="one task; both if not given")
    parser.add_argument("--steps", type=int, default=60, help="how many batches each loop takes")
    parser.add_argument("--batch-size", type=int, help="of each loop; the recipe's if not given")
    parser.add_argument("--memory-of", choices=LOOPS, help="print the peak memory of one loop in MB, as JSON")
    try:
        sys.exit(main(parser.parse_args()))
    except EuroglueError as error:
        print(f"euroglue: {error}", file=sys.stderr)
        sys.exit(2)
