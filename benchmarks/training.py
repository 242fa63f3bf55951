# SPDX-License-Identifier: Apache-2.0
"""How fast training is: non-padding sub-words per second, our loop beside the plain one, in one run.

The plain loop takes random batches padded to the longest of each and steps with AdamW as PyTorch sets it up; a third
loop differs from the plain one by our optimiser alone, so that what batching gains and what the optimiser gains can be
told apart. All three train the same model at the same batch size over the same PAN-X sentences, once each, and take
turns step by step, so that whatever else the machine does falls on all of them.

    python benchmarks/training.py                              an encoder made from scratch, on PAN-X
    python benchmarks/training.py --model models/e5-small      a pretrained one

The raw PAN-X files are needed (bgGLUE's wikiannbg): see EUROGLUE_RAW_DIR. Exit code 1 if the ratio is below the bar.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from accelerate import Accelerator

from euroglue.errors import EuroglueError
from euroglue.registry import find_task
from euroglue.training.batching import padding_share, training_batches
from euroglue.training.data import columns, limited, load_splits
from euroglue.training.kinds import Feature, TaskKind
from euroglue.training.loop import Trainer, make_optimizer
from euroglue.training.models import load
from euroglue.training.settings import Settings
from euroglue.training.tiny import build_tiny_encoder

BAR = 1.3
WARM_UP = 3
TASK = find_task("bgglue", "wikiannbg")


class Loop(NamedTuple):
    """A way to train: its name, its batches and what it does with one of them."""

    name: str
    batches: list[list[int]]
    step: Callable[[Sequence[int]], None]


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
        model(**inputs).loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        optimizer.zero_grad()

    return step


def loops(settings: Settings, sentences: dict[str, list]) -> Iterator[tuple[Loop, list[int]]]:
    """The three loops, each with a model of its own, and the lengths of the examples."""
    accelerator = Accelerator(mixed_precision="no")
    rate, decay, clip = settings.learning_rate, settings.weight_decay, settings.clip
    for name in ("plain", "plain, our optimiser", "ours"):
        loaded = load(
            accelerator, TASK, settings.model, trained=False, max_length=settings.max_length, stride=settings.stride
        )
        features = loaded.kind.encode(sentences)
        lengths = [len(feature.input_ids) for feature in features]
        model = loaded.model.to(accelerator.device)
        if name == "ours":
            trainer = Trainer(accelerator, settings, loaded.kind, model, features)
            batches = training_batches(lengths, settings.batch_size, seed=settings.seed, epoch=0)
            yield Loop(name, batches, trainer.take_step), lengths
            continue
        groups = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=decay)
        optimizer = groups if name == "plain" else make_optimizer(model, rate, decay)
        batches = random_batches(len(features), settings.batch_size, settings.seed)
        yield Loop(name, batches, plain_step(loaded.kind, model, features, optimizer, clip)), lengths


def measure(contenders: Sequence[Loop]) -> dict[str, float]:
    """Seconds of each loop over all its batches, after a few steps to warm up; the loops take turns."""
    seconds = dict.fromkeys([loop.name for loop in contenders], 0.0)
    for number in range(-WARM_UP, len(contenders[0].batches)):
        for loop in contenders:
            began = time.perf_counter()
            loop.step(loop.batches[number])
            if torch.cuda.is_available():
                torch.cuda.synchronize()
            if number >= 0:
                seconds[loop.name] += time.perf_counter() - began
    return seconds


def main(arguments: argparse.Namespace) -> int:
    """Measure and print; 1 if the ratio is below the bar."""
    train_split = limited(load_splits(TASK, "official")["train"], arguments.examples)
    sentences = columns(TASK, train_split)
    with tempfile.TemporaryDirectory() as folder:
        model = arguments.model
        if model is None:
            texts = (" ".join(words) for words in sentences["tokens"])
            model = build_tiny_encoder(texts, Path(folder) / "model", vocab_size=16_000, hidden=256, layers=6)
        settings = Settings.of(TASK, str(model), "official", batch_size=arguments.batch_size)
        made = list(loops(settings, sentences))
    lengths = made[0][1]
    seconds = measure([loop for loop, _ in made])
    print(f"{len(lengths)} PAN-X sentences, {sum(lengths)} sub-words, batch size {settings.batch_size}, {model}")
    for loop, _ in made:
        speed, padding = sum(lengths) / seconds[loop.name], padding_share(lengths, loop.batches)
        print(f"{loop.name:22} {speed:9.0f} sub-words/s   padding {padding:4.0%}   {seconds[loop.name]:6.1f} s")
    ratio = seconds["plain"] / seconds["ours"]
    print(f"ours / plain                {ratio:.2f} (bar {BAR})")
    print(f"ours / plain, our optimiser {seconds['plain, our optimiser'] / seconds['ours']:.2f}")
    return 0 if ratio >= BAR else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="an encoder, folder or Hub id; one made from scratch if not given")
    parser.add_argument("--examples", type=int, default=960, help="how many sentences")
    parser.add_argument("--batch-size", type=int, default=TASK.recipe.batch_size)
    try:
        sys.exit(main(parser.parse_args()))
    except EuroglueError as error:
        print(f"euroglue: {error}", file=sys.stderr)
        sys.exit(2)
