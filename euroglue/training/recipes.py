# SPDX-License-Identifier: Apache-2.0
"""How the papers fine-tune, as data: settings, the values they searched, and the runs they report.

A recipe serves any task of any suite: where the paper has the task its own figures are taken, elsewhere those of the
paper's task that is nearest in kind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from euroglue.frozen import Frozen
from euroglue.registry import Registry
from euroglue.task import Kind, Task

Grid = Mapping[str, tuple[Any, ...]]
"""Setting → the values that are searched; the runs of a grid are all combinations."""
ANY = "any task"
"""The name of a grid that serves every task."""


def combinations(grid: Grid) -> list[dict[str, Any]]:
    """Every run of a grid, the last setting changing fastest.

    >>> combinations({"epochs": (1, 3), "dropout": (0.0,)})
    [{'epochs': 1, 'dropout': 0.0}, {'epochs': 3, 'dropout': 0.0}]
    """
    return [dict(zip(grid, values)) for values in product(*grid.values())]


@dataclass(frozen=True, kw_only=True)
class PaperRecipe:
    """One paper's way of fine-tuning.

    ``base`` are the settings of every run. ``grids`` are the values searched, by the task's name; for a task that the
    paper has not, ``kinds`` says whose grid serves its kind, ``ANY`` that of a grid for all. ``repeats`` are the settings
    of the runs whose mean on test is reported, or of the one whose score is.
    """

    name: str
    source: str
    base: Mapping[str, Any]
    repeats: tuple[Mapping[str, Any], ...]
    grids: Mapping[str, Grid] = field(default_factory=dict)
    kinds: Mapping[Kind, str] = field(default_factory=dict)

    def settings(self, task: Task) -> dict[str, Any]:
        """The settings for ``train`` without a search: of each list of values the task's own if it is there, or the middle."""
        searched = {}
        for name, values in self.grid(task).items():
            own = getattr(task.recipe, name, None)
            searched[name] = own if own in values else values[len(values) // 2]
        return {**self.base, **searched}

    def grid(self, task: Task) -> Grid:
        """The values searched for this task; empty where the paper searches none."""
        name = task.name if task.name in self.grids else self.kinds.get(task.kind, ANY)
        return Frozen(self.grids.get(name, {}))


RECIPES: Registry[PaperRecipe] = Registry("recipe")

BGGLUE = PaperRecipe(
    name="bgglue",
    source=(
        "Hardalov et al., ACL 2023, appendix A and table 6; the learning rates are printed as e-04, the released scripts "
        "have e-05"
    ),
    base={
        "epochs": 5,
        "batch_size": 16,
        "weight_decay": 1e-8,
        "warmup": 0.06,
        "max_length": 512,
        "choice_loss": "binary",
        "optimizer": "adamw",
        "criterion": "metric",
    },
    grids={ANY: {"learning_rate": (2e-5, 3e-5, 4e-5, 5e-5)}},
    repeats=({"seed": 42},),
)


BGGLUE_LARGE = replace(
    BGGLUE,
    name="bgglue-large",
    source=f"{BGGLUE.source}; the grid for XLM-R large",
    grids={ANY: {"learning_rate": (1e-5, 2e-5, 3e-5)}},
)


def _dumb(epochs: Sequence[int], learning_rates: Sequence[float]) -> Grid:
    rates = tuple(learning_rates)
    return {"epochs": tuple(epochs), "warmup": (0.0, 0.3), "learning_rate": rates, "dropout": (0.0, 0.1)}


DUMB = PaperRecipe(
    name="dumb",
    source=(
        "de Vries et al., EMNLP 2023, section 3.2 and appendix B: a search for each model and task, the best by validation, "
        "then five seeds whose mean on test is the score"
    ),
    base={
        "batch_size": 32,
        "weight_decay": 0.0,
        "clip": 1.0,
        "optimizer": "adam",
        "schedule": "linear",
        "criterion": "metric",
        "choice_loss": "softmax",
    },
    grids={
        "lassy-pos": _dumb((1, 3, 5), (3e-5, 5e-5, 1e-4)),
        "sonar-ne": _dumb((1, 3, 5), (1e-5, 3e-5, 5e-5)),
        "wicnl": _dumb((1, 3, 5, 10), (1e-5, 3e-5, 5e-5, 1e-4)),
        "dpr": _dumb((1, 3, 5, 10, 20), (1e-5, 3e-5, 5e-5, 1e-4)),
        "copanl": _dumb((1, 3, 5, 10, 20), (1e-5, 3e-5, 5e-5, 1e-4)),
        "sicknl-nli": _dumb((1, 3, 5, 10), (1e-5, 3e-5, 5e-5, 1e-4)),
        "dbrd": _dumb((1, 2, 3), (3e-5, 5e-5, 1e-4)),
        "dalc": _dumb((1, 3, 5, 10), (3e-5, 5e-5, 1e-4)),
        "squadnl": _dumb((2,), (3e-5, 5e-5, 1e-4)),
    },
    kinds={
        Kind.TOKEN_CLASSIFICATION: "sonar-ne",
        Kind.SEQUENCE_CLASSIFICATION: "sicknl-nli",
        Kind.REGRESSION: "sicknl-nli",
        Kind.RANKING: "dalc",
        Kind.MULTIPLE_CHOICE: "copanl",
        Kind.SPAN_CLASSIFICATION: "wicnl",
        Kind.QUESTION_ANSWERING: "squadnl",
    },
    repeats=tuple({"seed": seed} for seed in range(1, 6)),
)

EUROEVAL = PaperRecipe(
    name="euroeval",
    source=(
        "EuroEval's encoders, version 17: one setting for all, ten runs, each on bootstrap samples of train and validation "
        "and with a seed of its own; it stops by the loss (criterion='metric' stops by the task's metric)"
    ),
    base={
        "learning_rate": 2e-5,
        "epochs": 1,
        "max_steps": 10_000,
        "eval_steps": 30,
        "patience": 2,
        "criterion": "loss",
        "batch_size": 32,
        "weight_decay": 0.0,
        "warmup": 0.01,
        "clip": 1.0,
        "optimizer": "adamw",
        "choice_loss": "softmax",
    },
    repeats=tuple({"seed": 4242 + number, "bootstrap": number} for number in range(10)),
)

for _recipe in (BGGLUE, BGGLUE_LARGE, DUMB, EUROEVAL):
    RECIPES.register(_recipe.name, _recipe)
