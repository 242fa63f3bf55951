# SPDX-License-Identifier: Apache-2.0
"""How long a run will take, from a few steps of it."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np

from euroglue.errors import EuroglueError
from euroglue.training.settings import Settings
from euroglue.training.sweep import Trial

EXAMPLES, STEPS, WARM_UP = 512, 4, 1
FORWARD = 1 / 3
"""The share of a step's work that a forward pass is: the backward pass does twice as much."""


@dataclass(frozen=True)
class Pace:
    """What a probe found: seconds for an epoch of training, of so many ``steps``, and for scoring validation and test."""

    epoch: float
    validation: float
    test: float
    steps: int

    def seconds(self, epochs: float, evaluations: float) -> float:
        """Of a run of so many epochs and evaluations."""
        return self.epoch * epochs + self.validation * (evaluations + 1) + self.test

    def seconds_of(self, settings: Settings) -> float:
        """Of a run with these settings that patience does not end early."""
        steps = settings.max_steps or self.steps * settings.epochs
        return self.seconds(steps / self.steps, max(1.0, steps / (settings.eval_steps or self.steps)))


def probe(trial: Trial) -> Pace | str:
    """Take a few steps on a few examples and work out the pace of the whole; a mistake is told in words."""
    try:
        return _pace(trial)
    except EuroglueError as error:
        return str(error)


def _pace(trial: Trial) -> Pace:
    from euroglue.registry import find_task
    from euroglue.training.batching import training_batches
    from euroglue.training.data import columns, limited, load_splits
    from euroglue.training.loop import Trainer
    from euroglue.training.models import load_fresh
    from euroglue.training.processes import make_accelerator
    from euroglue.training.vocabulary import TrimmedVocabulary, obstacle

    task = find_task(trial.suite, trial.task)
    settings = Settings.of(task, trial.model, trial.edition, **trial.overrides)
    splits = {
        name: limited(data, settings.limit.get(name))
        for name, data in load_splits(task, settings.edition, **trial.source).items()
    }
    accelerator = make_accelerator(settings, 1)
    loaded = load_fresh(accelerator, task, settings)
    rows = columns(task, limited(splits["train"], EXAMPLES))
    trainer = Trainer(accelerator, settings, loaded.kind, loaded.model, loaded.kind.encode(rows))
    if settings.trim_vocabulary and obstacle(loaded.model) is None:
        TrimmedVocabulary(loaded.model, loaded.tokenizer, trainer.features.used_ids())
        trainer = Trainer(accelerator, settings, loaded.kind, loaded.model, trainer.features)
    batches = training_batches(trainer.lengths, settings.batch_size, seed=settings.seed, epoch=0)
    order = sorted(batches, key=lambda batch: int(trainer.lengths[batch].max()))
    chosen = [order[int(place)] for place in (np.arange(STEPS) + 0.5) * len(order) / STEPS]
    for batch in chosen[:WARM_UP]:
        trainer.take_step(batch)
    began = time.perf_counter()
    for batch in chosen:
        trainer.take_step(batch)
    seconds = (time.perf_counter() - began) / sum(len(batch) for batch in chosen)
    per_example = seconds * len(trainer.lengths) / max(1, len(rows[task.id_column]))
    sizes = {name: len(data) for name, data in splits.items()}
    validation, test = (sizes.get(name, 0) * per_example * FORWARD for name in ("validation", "test"))
    steps = max(1, math.ceil(sizes["train"] / settings.batch_size))
    return Pace(sizes["train"] * per_example, validation, test, steps)
