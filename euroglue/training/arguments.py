# SPDX-License-Identifier: Apache-2.0
"""The command line that all example trainers share: their arguments, what these become, and how mistakes are told."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from euroglue.errors import EuroglueError
from euroglue.exits import Parser
from euroglue.registry import SUITES, find_task
from euroglue.task import SPLITS, Kind, Task
from euroglue.training.processes import TRACKERS
from euroglue.training.recipes import RECIPES
from euroglue.training.settings import CHOICE_LOSSES, CRITERIA, OPTIMIZERS, PRECISIONS, SCHEDULES, Settings

CHOICES = {
    "choice_loss": CHOICE_LOSSES,
    "criterion": CRITERIA,
    "mixed_precision": PRECISIONS,
    "optimizer": OPTIMIZERS,
    "schedule": SCHEDULES,
}
HELP = {
    "attention": "how attention is computed: eager, sdpa, flash_attention_2; the model's own default if not given",
    "batch_size": "the global batch size",
    "bootstrap": "train and validate on EuroEval's resample of that number, 0 to 9",
    "choice_loss": "of a multiple choice: over an example's choices, or for each alone",
    "compile": "compile the model by torch.compile",
    "clip": "the greatest norm of a gradient",
    "criterion": "what the best checkpoint is best by, on validation",
    "epochs": "how often the training split is gone through, whatever number of steps the recipe has",
    "dropout": "in place of all rates of dropout of the model",
    "eval_batch_size": "examples (or windows) per batch outside training",
    "eval_steps": "validate every so many steps, not after each epoch",
    "lora": "train adapters of that rank in place of the encoder; they are merged when the model is saved",
    "max_length": "the longest input in sub-words",
    "max_steps": "so many steps instead of epochs",
    "patience": "stop after so many evaluations without a better one",
    "schedule": "of the learning rate after the warm-up",
    "stride": "how many sub-words neighbouring windows of a long text share",
    "trim_vocabulary": "train on the rows of the vocabulary that the data uses; the saved model is whole",
    "warmup": "the share of the steps in which the learning rate rises",
}
TYPES: dict[str, Callable[[str], Any]] = {"int": int, "float": float, "str": str}
APART = ("task", "edition", "model", "limit")
"""Fields of ``Settings`` that have arguments of another form."""
PREDICTING = ("max_length", "eval_batch_size", "mixed_precision")
"""Fields of ``Settings`` that predicting with a trained checkpoint takes, too."""
TRAINING = ("model", "recipe", "limit_train", "gradient_accumulation", "save_steps", "report_to", "resume")
"""Further arguments that only training takes."""


def parse(description: str, kind: Kind, arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse the arguments of an example trainer; there is one for each field of ``Settings``, and its own.

    Args:
        description: what the script does.
        kind: of the tasks that it trains.
        arguments: those of the command line if not given.
    """
    parser = Parser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--suite", default="bgglue", help=f"the benchmark: {', '.join(SUITES)}")
    add("--task", required=True, help="a task of the benchmark")
    add("--edition", help="official, rebuilt or sample; by default the task's own default")
    add("--data-dir", help="folder with the raw files; else $EUROGLUE_RAW_DIR/SUITE/TASK, else downloaded")
    add("--allow-missing-splits", action="store_true", help="leave out raw files not at hand, and their splits")
    add("--model", help="the encoder: a folder or a Hub id")
    add("--output", required=True, help="the run's folder")
    add("--recipe", help=f"whose settings are the defaults: {', '.join(RECIPES)}; by default the task's own")
    for split in SPLITS:
        add(f"--limit-{split}", type=int, metavar="N", help=f"at most N examples of {split}")
    add("--gradient-accumulation", type=int, default=1, metavar="STEPS", help="work off each batch in so many parts")
    add("--save-steps", type=int, metavar="N", help="save the state every N steps, not only after each evaluation")
    add("--report-to", metavar="NAMES", help=f"trackers, by commas: {', '.join(TRACKERS)}")
    add("--resume", action=argparse.BooleanOptionalAction, default=True, help="go on with an unfinished run")
    add("--trust-remote-code", action="store_true", help="let code that comes with the model run")
    add("--predict-only", metavar="CHECKPOINT", help="predict with a trained checkpoint, without training")
    for one in dataclasses.fields(Settings):
        if one.name not in APART:
            _add_setting(parser, one)
    parser.set_defaults(kind=kind)
    parsed = parser.parse_args(arguments)
    if not (parsed.model or parsed.predict_only):
        parser.error("give --model, or --predict-only with a trained checkpoint")
    if parsed.predict_only and (
        idle := [name for name in _of_training() if getattr(parsed, name) != parser.get_default(name)]
    ):
        flags = ", ".join(f"--{name.replace('_', '-')}" for name in idle)
        parser.error(f"--predict-only trains nothing, so leave out {flags}")
    return parsed


def _of_training() -> list[str]:
    """The names of all arguments that only training takes."""
    return [*TRAINING, *(one.name for one in dataclasses.fields(Settings) if one.name not in (*APART, *PREDICTING))]


def _add_setting(parser: argparse.ArgumentParser, one: dataclasses.Field[Any]) -> None:
    flag, kind, about = f"--{one.name.replace('_', '-')}", str(one.type).partition(" ")[0], HELP.get(one.name)
    if kind == "bool":
        parser.add_argument(flag, action=argparse.BooleanOptionalAction, default=None, help=about)
    elif one.name in CHOICES:
        parser.add_argument(flag, choices=CHOICES[one.name], help=about)
    elif kind in TYPES:
        parser.add_argument(flag, type=TYPES[kind], help=about)


def chosen_task(arguments: argparse.Namespace) -> Task:
    """The task that was named.

    Raises:
        EuroglueError: it is of another kind than the script trains.
        UnknownNameError: there is no such suite or task.
    """
    task = find_task(arguments.suite, arguments.task)
    if task.kind is not arguments.kind:
        raise EuroglueError(
            f"{task.path} is a task of {task.kind.value}, not of {arguments.kind.value}: take run_{task.kind.value}.py"
        )
    return task


def training_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """What ``train`` is given by name."""
    settings = {one.name: getattr(arguments, one.name, None) for one in dataclasses.fields(Settings)}
    apart = {
        "edition": arguments.edition,
        "source": _source(arguments),
        "limit": _limit(arguments),
        "recipe": arguments.recipe,
        "gradient_accumulation": arguments.gradient_accumulation,
        "save_steps": arguments.save_steps,
        "report_to": arguments.report_to,
        "resume": arguments.resume,
        "trust_remote_code": arguments.trust_remote_code,
    }
    return {**{name: value for name, value in settings.items() if name not in APART}, **apart}


def prediction_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """What ``predict`` is given by name."""
    return {
        "edition": arguments.edition,
        "source": _source(arguments),
        "limit": _limit(arguments),
        "mixed_precision": arguments.mixed_precision or "auto",
        "max_length": arguments.max_length,
        "trust_remote_code": arguments.trust_remote_code,
        **({"batch_size": arguments.eval_batch_size} if arguments.eval_batch_size is not None else {}),
    }


def _source(arguments: argparse.Namespace) -> dict[str, Any]:
    given = {"data_dir": arguments.data_dir, "allow_missing_splits": arguments.allow_missing_splits}
    return {name: value for name, value in given.items() if value}


def _limit(arguments: argparse.Namespace) -> dict[str, int]:
    limit = {split: getattr(arguments, f"limit_{split}") for split in SPLITS}
    return {split: count for split, count in limit.items() if count is not None}


def print_scores(metrics: dict[str, Any]) -> None:
    """Print the primary score of each split that has labels, by one process of several."""
    from accelerate import PartialState

    if PartialState().is_main_process:
        for split, result in metrics["splits"].items():
            print(f"{metrics['task']} {split}: {result['primary']} {result['scores'][result['primary']]:.4f}")
