# SPDX-License-Identifier: Apache-2.0
"""Whether our loop learns what the plain one learns: scores of whole runs, several seeds each, in one run.

Both train the same pretrained encoder on the same examples for as many epochs, with the same batch size, learning rate,
schedule, clipping and seeds, and are scored on the validation split after the last step. The plain loop and ours differ as
in ``training.py``: random batches over the whole vocabulary with PyTorch's AdamW, against batches of like length over
the rows in use. The runs take turns seed by seed, and each prints the seconds of CPU time that its steps took.

    python benchmarks/training_scores.py --model models/e5-small --task sicknl-nli
    python benchmarks/training_scores.py --model models/e5-small --task wikiannbg --epochs 4

The raw files of bgGLUE's wikiannbg and DUMB's sicknl-nli are needed: see EUROGLUE_RAW_DIR. Exit code 1 if our mean score is
below the plain loop's by more than the seeds' spread: two standard deviations of one run, pooled over both loops.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch
from accelerate import Accelerator
from training import TASKS, plain_step, random_batches

from euroglue.errors import EuroglueError
from euroglue.registry import find_task
from euroglue.scoring import metric_for
from euroglue.task import Task
from euroglue.training.batching import training_batches
from euroglue.training.data import columns, fingerprint, limited, load_splits
from euroglue.training.features import Features, prepare_features
from euroglue.training.loop import Trainer, scheduled
from euroglue.training.models import Loaded, load_fresh
from euroglue.training.predict import feature_outputs
from euroglue.training.settings import Settings
from euroglue.training.vocabulary import TrimmedVocabulary

LOOPS = ("plain", "ours")
SPREAD = 2.0
"""By how many standard deviations of a single run the means may lie apart."""


def plain_run(
    loaded: Loaded, settings: Settings, features: Features
) -> tuple[Callable[[Sequence[int]], None], list[list[int]]]:
    """The plain loop's step and the batches of all epochs; the learning rate follows the schedule that ours follows."""
    chosen = [feature for feature in features if feature.weight]
    batches = [
        batch
        for epoch in range(settings.epochs)
        for batch in random_batches(len(chosen), settings.batch_size, settings.seed + 1000 * epoch)
    ]
    rate, decay = settings.learning_rate, settings.weight_decay
    optimizer = torch.optim.AdamW(loaded.model.parameters(), lr=rate, weight_decay=decay)
    inner = plain_step(loaded.kind, loaded.model, chosen, optimizer, settings.clip)
    taken = 0

    def step(batch: Sequence[int]) -> None:
        nonlocal taken
        for group in optimizer.param_groups:
            group["lr"] = rate * scheduled(taken, len(batches), settings.warmup, settings.schedule == "linear")
        inner(batch)
        taken += 1

    return step, batches


def our_run(
    accelerator: Accelerator, loaded: Loaded, settings: Settings, features: Features
) -> tuple[Callable[[Sequence[int]], None], list[list[int]]]:
    """Our loop's step and the batches of all epochs."""
    trainer = Trainer(accelerator, settings, loaded.kind, loaded.model, features)
    size, seed = settings.batch_size, settings.seed
    batches = [
        batch
        for epoch in range(settings.epochs)
        for batch in training_batches(trainer.lengths, size, seed=seed, epoch=epoch)
    ]
    return trainer.take_step, batches


def run(name: str, task: Task, settings: Settings, rows: dict[str, dict[str, list[Any]]]) -> tuple[float, float]:
    """Train with one of the loops; the primary score on validation, and the seconds of CPU time of all steps."""
    torch.manual_seed(settings.seed)
    accelerator = Accelerator(mixed_precision="no")
    loaded = load_fresh(accelerator, task, settings)
    train, validation = (prepare_features(loaded.kind, table, fingerprint(table)) for table in rows.values())
    if name == "ours":
        used = sorted({*train.used_ids().tolist(), *validation.used_ids().tolist()})
        TrimmedVocabulary(loaded.model, loaded.tokenizer, torch.tensor(used).numpy())
        step, batches = our_run(accelerator, loaded, settings, train)
    else:
        step, batches = plain_run(loaded, settings, train)
    began = time.process_time()
    for batch in batches:
        step(batch)
    spent = time.process_time() - began
    outputs = feature_outputs(accelerator, loaded.model, loaded.kind, validation, batch_size=settings.eval_batch_size)
    table, metric = rows["validation"], metric_for(task)
    ids = [str(one) for one in table[task.id_column]]
    loaded.kind.tune(outputs.logits, validation, dict(zip(ids, table[task.target], strict=True)), metric)
    found = loaded.kind.decode(outputs.logits, validation)
    return metric.compute([found[one] for one in ids], table[task.target])[metric.primary], spent


def main(arguments: argparse.Namespace) -> int:
    """Train with both loops and each seed, and print; 1 if our mean score is lower by more than the spread."""
    task = find_task(TASKS[arguments.task][0], arguments.task)
    splits = load_splits(task)
    kept = {"train": arguments.train, "validation": arguments.validation}
    rows = {name: columns(task, limited(splits[name], count)) for name, count in kept.items()}
    chosen = {"learning_rate": arguments.learning_rate, "epochs": arguments.epochs}
    scores: dict[str, list[float]] = {name: [] for name in LOOPS}
    seconds = dict.fromkeys(LOOPS, 0.0)
    for seed in range(1, arguments.seeds + 1):
        settings = Settings.of(task, arguments.model, seed=seed, **chosen)
        for name in LOOPS:
            score, spent = run(name, task, settings, rows)
            scores[name].append(score)
            seconds[name] += spent
            print(f"{task.path} {name:6} seed {seed}: {score:.4f}   {spent:6.0f} s of CPU time", flush=True)
    mean = {name: statistics.fmean(found) for name, found in scores.items()}
    spread = (statistics.fmean(statistics.variance(found) for found in scores.values())) ** 0.5
    for name, found in scores.items():
        print(f"{name:6} mean {mean[name]:.4f}, standard deviation {statistics.stdev(found):.4f}")
    difference, ratio = mean["ours"] - mean["plain"], seconds["plain"] / seconds["ours"]
    print(f"ours - plain {difference:+.4f} (bar -{SPREAD * spread:.4f}); CPU time of plain / ours {ratio:.2f}")
    return 0 if difference >= -SPREAD * spread else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True, help="an encoder, folder or Hub id")
    parser.add_argument("--task", choices=list(TASKS), required=True)
    parser.add_argument("--seeds", type=int, default=3, help="runs of each loop, at least 2")
    parser.add_argument("--train", type=int, default=1500, help="training examples")
    parser.add_argument("--validation", type=int, default=1000, help="validation examples, or all if there are fewer")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--learning-rate", type=float, default=1e-4)
    try:
        sys.exit(main(parser.parse_args()))
    except EuroglueError as error:
        print(f"euroglue: {error}", file=sys.stderr)
        sys.exit(2)
