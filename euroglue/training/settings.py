# SPDX-License-Identifier: Apache-2.0
"""What decides a run's outcome: one frozen value, made from the task's recipe and the user's overrides."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field
from typing import Any

from euroglue.errors import EuroglueError
from euroglue.scoring.monte_carlo import ITERATIONS
from euroglue.task import SPLITS, Recipe, Task

PRECISIONS = ("auto", "no", "bf16", "fp16")
STRIDE = 128
SCHEDULES = ("linear", "constant")
"""What the learning rate does after the warm-up: fall to 0 with the last step, or stay."""
OPTIMIZERS = ("adamw", "adam")
CHOICE_LOSSES = ("softmax", "binary")
CRITERIA = ("metric", "loss")
"""By what checkpoints are compared on validation: the task's primary score, or the mean loss."""
TYPES: Mapping[str, tuple[Any, str]] = {
    "str": (str, "a text"),
    "bool": (bool, "true or false"),
    "int": (int, "a whole number"),
    "float": ((int, float), "a number"),
    "Mapping": (Mapping, "whole numbers by split"),
}
"""For each type of a field what its values are in Python and in words."""
RECIPE_FIELDS = tuple(one.name for one in dataclasses.fields(Recipe) if one.name != "source")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Everything that a run's predictions depend on; two runs with equal settings on equal data are the same run.

    ``batch_size`` is the global batch: all processes and all accumulation steps together make one. ``warmup`` is a
    share of all optimiser steps, of which there are ``max_steps`` or, without that, ``epochs`` times the batches.
    Validation is scored every ``eval_steps`` steps, or after each epoch, and after the last step; training ends early
    once ``patience`` evaluations in a row brought nothing better by the ``criterion``. ``max_length`` and ``stride``
    count sub-words; ``stride`` is the overlap of neighbouring windows of a long document. ``trim_vocabulary`` trains on
    the rows of the vocabulary that the data uses, which is faster and the same. ``limit`` keeps so many examples of a
    split, the same whatever the seed. ``choice_loss`` is that of a multiple choice. ``dropout`` replaces all rates of the
    model's own. ``lora`` is the rank of adapters that are trained in place of the encoder; ``attention`` is how
    Transformers computes attention, such as ``sdpa``; ``compile`` is PyTorch's. ``bootstrap``, a number from 0, trains and
    validates on the resample of that number.
    """

    task: str
    edition: str
    model: str
    learning_rate: float
    epochs: int
    batch_size: int
    weight_decay: float
    warmup: float
    max_length: int
    clip: float
    optimizer: str = "adamw"
    max_steps: int | None = None
    eval_steps: int | None = None
    patience: int | None = None
    criterion: str = "metric"
    choice_loss: str = "softmax"
    dropout: float | None = None
    bootstrap: int | None = None
    stride: int = STRIDE
    eval_batch_size: int = 32
    seed: int = 42
    mixed_precision: str = "auto"
    schedule: str = "linear"
    trim_vocabulary: bool = True
    lora: int | None = None
    attention: str | None = None
    compile: bool = False
    limit: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(
        cls, task: Task, model: str, edition: str | None = None, *, recipe: str | None = None, **overrides: Any
    ) -> Settings:
        """The task's recipe, or the one of that name in ``RECIPES``, with ``overrides``; ``None`` overrides nothing.

        Epochs that are given go before a recipe's number of steps.

        Raises:
            EuroglueError: an unknown override, or a value outside its range.
            UnknownNameError: there is no such recipe.
        """
        from euroglue.training.recipes import RECIPES

        known = {one.name for one in dataclasses.fields(cls)} - {"task", "edition", "model"}
        for name in overrides:
            if name not in known:
                raise EuroglueError(f"there is no training setting {name!r}; known: {', '.join(sorted(known))}")
        task.edition(edition)
        values = {name: getattr(task.recipe, name) for name in RECIPE_FIELDS}
        if recipe is not None:
            apart = {one.name: one.default for one in dataclasses.fields(Recipe) if one.default is not MISSING}
            values.update({**apart, "max_length": values["max_length"], **RECIPES[recipe].settings(task)})
            values.pop("source")
        given = {name: value for name, value in overrides.items() if value is not None}
        if "epochs" in given and "max_steps" not in given:
            values["max_steps"] = None
        values.update(given)
        return cls(task=task.path, edition=edition or task.default_edition, model=str(model), **values)

    def __post_init__(self) -> None:
        self._require_types()
        ranges = {
            "learning_rate": (self.learning_rate > 0 and math.isfinite(self.learning_rate), "a number above 0"),
            "epochs": (self.epochs >= 1, "at least 1"),
            "batch_size": (self.batch_size >= 1, "at least 1"),
            "eval_batch_size": (self.eval_batch_size >= 1, "at least 1"),
            "weight_decay": (0 <= self.weight_decay < 1, "from 0 to below 1"),
            "warmup": (0 <= self.warmup < 1, "a share from 0 to below 1"),
            "max_length": (self.max_length >= 8, "at least 8 sub-words"),
            "clip": (self.clip > 0 and math.isfinite(self.clip), "a number above 0"),
            "stride": (self.stride >= 0, "at least 0 sub-words"),
            "seed": (0 <= self.seed < 2**32, "from 0 to 4294967295"),
            "mixed_precision": (self.mixed_precision in PRECISIONS, f"one of {', '.join(PRECISIONS)}"),
            "schedule": (self.schedule in SCHEDULES, f"one of {', '.join(SCHEDULES)}"),
            "optimizer": (self.optimizer in OPTIMIZERS, f"one of {', '.join(OPTIMIZERS)}"),
            "choice_loss": (self.choice_loss in CHOICE_LOSSES, f"one of {', '.join(CHOICE_LOSSES)}"),
            "dropout": (self.dropout is None or 0 <= self.dropout < 1, "a share from 0 to below 1, or nothing"),
            "bootstrap": (
                self.bootstrap is None or 0 <= self.bootstrap < ITERATIONS,
                f"from 0 to {ITERATIONS - 1}, or nothing",
            ),
            "criterion": (self.criterion in CRITERIA, f"one of {', '.join(CRITERIA)}"),
            **{
                name: (value is None or value >= 1, "at least 1, or nothing")
                for name in ("max_steps", "eval_steps", "patience", "lora")
                for value in (getattr(self, name),)
            },
            "limit": (
                all(split in SPLITS and count >= 1 for split, count in self.limit.items()),
                f"at least 1 for any of {', '.join(SPLITS)}",
            ),
        }
        for name, (right, expected) in ranges.items():
            if not right:
                raise EuroglueError(f"training setting {name}: expected {expected}, got {getattr(self, name)!r}")
        object.__setattr__(self, "limit", dict(self.limit))

    def _require_types(self) -> None:
        """Refuse values of another type than the field's: settings also come from command lines and files."""
        for one in dataclasses.fields(self):
            value, (kind, *rest) = getattr(self, one.name), str(one.type).split(" | ")
            types, expected = TYPES[kind.partition("[")[0]]
            right = isinstance(value, types) and (kind == "bool" or not isinstance(value, bool))
            if kind.startswith("Mapping") and right:
                right = all(isinstance(count, int) and not isinstance(count, bool) for count in value.values())
            if not right and not (rest and value is None):
                also = ", or nothing" if rest else ""
                raise EuroglueError(f"training setting {one.name}: expected {expected}{also}, got {value!r}")

    def to_json(self) -> dict[str, Any]:
        """The settings as plain JSON values."""
        return dataclasses.asdict(self)
