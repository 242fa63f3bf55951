# SPDX-License-Identifier: Apache-2.0
"""The card of a fine-tuned model, from the folder of its run: YAML for the Hub (``model-index``), then what a reader needs."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from euroglue import strict_json
from euroglue.errors import EuroglueError, FormatError
from euroglue.finished_runs import FinishedRun, read_run
from euroglue.publish.card import _CODES, _HUB_KINDS

if TYPE_CHECKING:
    from euroglue.task import Task

README = "README.md"
BEST = "best"
SHOWN = (
    "learning_rate",
    "epochs",
    "max_steps",
    "batch_size",
    "optimizer",
    "schedule",
    "warmup",
    "weight_decay",
    "dropout",
    "clip",
    "max_length",
    "seed",
    "mixed_precision",
    "lora",
)
"""The settings that a card lists, in this order."""


def model_card(folder: str | os.PathLike[str], *, name: str | None = None) -> str:
    """The README of the model that a run trained, with its results in the Hub's format.

    Args:
        folder: of a finished run.
        name: the model's name on its page; by default that of its base and the task.

    Raises:
        EuroglueError: there is no finished run, or it has no scores.
        UnknownNameError: its task is not known here.
    """
    from huggingface_hub import ModelCardData

    run = read_run(folder)
    if not run.scores:
        raise EuroglueError(f"{folder}: the run has no scores to show")
    title = name or f"{run.model.rpartition('/')[2]}-{run.task.suite}-{run.task.name}"
    data = ModelCardData(
        language=_CODES[run.task.language.partition("-")[0]],
        library_name="transformers",
        pipeline_tag=_HUB_KINDS[run.task.kind.value],
        base_model=run.model if _is_hub_id(run.model) else None,
        datasets=[run.task.suite],
        metrics=[run.task.metric],
        tags=["euroglue", f"{run.task.suite}/{run.task.name}"],
        model_name=title,
        eval_results=_results(run),
    )
    return f"---\n{data.to_yaml()}\n---\n\n{_body(run, Path(folder), title)}"


def write_model_card(folder: str | os.PathLike[str], *, name: str | None = None, to: Path | None = None) -> Path:
    """Write the card beside the model's weights, or to a file; returns where it is.

    Raises:
        EuroglueError: there is no finished run, or its model is gone.
    """
    from euroglue.atomic import write_text

    text = model_card(folder, name=name)
    best = Path(folder) / BEST
    if to is None and not best.is_dir():
        raise EuroglueError(f"{best}: there is no model: name a file for the card")
    target = to or best / README
    write_text(target, text)
    return target


def _is_hub_id(model: str) -> bool:
    """Whether a name can be that of a repository: read_run cuts folders down to their own name."""
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id

    try:
        validate_repo_id(model)
    except HFValidationError:
        return False
    return "/" in model


def _results(run: FinishedRun) -> list[Any]:
    """An entry for each score of each split; the primary one first, since the Hub shows that."""
    from huggingface_hub import EvalResult

    task, results = run.task, []
    for split, found in run.scores.items():
        keys = sorted(found["scores"], key=lambda key: (key != found["primary"], key))
        for key in keys:
            if not math.isfinite(found["scores"][key]):
                raise EuroglueError(f"{run.folder}: the score {key} of {split} is no finite number")
            results.append(
                EvalResult(
                    task_type=_HUB_KINDS[task.kind.value],
                    task_name=task.title,
                    dataset_type=task.suite,
                    dataset_name=f"{task.suite} {task.name} ({run.edition})",
                    dataset_config=task.name,
                    dataset_split=split,
                    dataset_args={"edition": run.edition, "fingerprint": run.fingerprint},
                    metric_type=key,
                    metric_name=key,
                    metric_value=found["scores"][key],
                    metric_args={"signature": found["signature"]},
                )
            )
    return results


def _body(run: FinishedRun, folder: Path, title: str) -> str:
    task = run.task
    lines = [f"# {title}", "", f"`{run.model}`, fine-tuned on {task.title} (`{task.path}`, edition {run.edition})."]
    lines += ["", task.description, "", "## Results", "", "| split | metric | score | n |", "|---|---|---|---|"]
    for split, found in run.scores.items():
        lines += [
            f"| {split} | {key} | {score:.4f} | {found['n']:,} |" for key, score in sorted(found["scores"].items())
        ]
    lines += ["", "Signatures, which say how the numbers were computed:", ""]
    lines += [f"* {split}: `{found['signature']}`" for split, found in run.scores.items()]
    settings = {**run.settings, "seed": run.seed}
    held = [(key, settings[key]) for key in SHOWN if settings.get(key) is not None]
    lines += [
        "",
        "## Training",
        "",
        "| setting | value |",
        "|---|---|",
        *(f"| {key} | {value} |" for key, value in held),
    ]
    lines += [
        "",
        *_machine(folder),
        *_use(task, run.model),
        "## Data",
        "",
        f"Licence of the data: {task.licence.terms}.",
    ]
    lines += [f"Home page: {task.homepage}", "", "```bibtex", task.citation, "```", ""]
    return "\n".join(lines)


def _machine(folder: Path) -> list[str]:
    path = folder / "environment.json"
    if not path.is_file():
        return []
    try:
        here: Mapping[str, Any] = strict_json.loads(path.read_text(encoding="utf-8"))
        libraries = ", ".join(f"{name} {version}" for name, version in here["libraries"].items())
        return [f"Trained on {here['device']} by {here['processes']} process(es), with {libraries}.", ""]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise FormatError(
            f"{path}: expected device, processes and libraries as a run writes them ({error!r})"
        ) from error


def _use(task: Task, model: str) -> list[str]:
    call = f"predict(find_task({task.suite!r}, {task.name!r}), CHECKPOINT, OUTPUT)"
    code = ["from euroglue.registry import find_task", "from euroglue.training import predict", "", call]
    return ["## Use", "", f"In place of `{model}`, or to predict the task again:", "", "```python", *code, "```", ""]
