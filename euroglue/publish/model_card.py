# SPDX-License-Identifier: Apache-2.0
"""The card of a fine-tuned model, from the folder of its run: YAML for the Hub (``model-index``), then what a reader needs."""

from __future__ import annotations

import html
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from euroglue import strict_json
from euroglue.errors import EuroglueError, FormatError, one_line
from euroglue.finished_runs import FinishedRun, read_run
from euroglue.publish.card import _HUB_KINDS, hub_language
from euroglue.results import LONGEST_NAME, Record

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
        EuroglueError: there is no finished run, it has no scores, or the name is none.
        FormatError: its scores are not what a run writes.
        UnknownNameError: its task is not known here.
    """
    from huggingface_hub import ModelCardData

    run = read_run(folder)
    if not run.scores:
        raise EuroglueError(f"{folder}: the run has no scores to show")
    records = [run.record(split) for split in run.scores]
    title = name or f"{run.model.rpartition('/')[2]}-{run.task.suite}-{run.task.name}"
    if len(title) > LONGEST_NAME or not title.isprintable():
        raise EuroglueError(f"name: expected at most {LONGEST_NAME} printable characters, got {title[:LONGEST_NAME]!r}")
    data = ModelCardData(
        language=hub_language(run.task.language),
        library_name="transformers",
        pipeline_tag=_HUB_KINDS[run.task.kind.value],
        base_model=run.model if _is_hub_id(run.model) else None,
        datasets=[run.task.suite],
        metrics=[run.task.metric],
        tags=["euroglue", f"{run.task.suite}/{run.task.name}"],
        model_name=title,
        eval_results=_results(run, records),
    )
    return f"---\n{data.to_yaml()}\n---\n\n{_body(run, records, Path(folder), title)}"


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


def _results(run: FinishedRun, records: Sequence[Record]) -> list[Any]:
    """An entry for each score of each split; the primary one first, since the Hub shows that."""
    from huggingface_hub import EvalResult

    task = run.task
    return [
        EvalResult(
            task_type=_HUB_KINDS[task.kind.value],
            task_name=task.title,
            dataset_type=task.suite,
            dataset_name=f"{task.suite} {task.name} ({run.edition})",
            dataset_config=task.name,
            dataset_split=record.split,
            dataset_args={"edition": run.edition, "fingerprint": run.fingerprint},
            metric_type=key,
            metric_name=key,
            metric_value=record.scores[key],
            metric_args={"signature": record.signature},
        )
        for record in records
        for key in sorted(record.scores, key=lambda key: (key != record.primary, key))
    ]


def _text(value: Any) -> str:
    """A value that may be a stranger's as plain text within a line or a cell of Markdown.

    >>> print(_text("<b>a|b</b>\\n# `c`"))
    &lt;b&gt;a\\|b&lt;/b&gt; # \\`c\\`
    """
    escaped = html.escape(one_line(str(value)), quote=False)
    return re.sub(r"([|`\[\]])", r"\\\1", escaped)


def _code(value: Any) -> str:
    """The same, set as code."""
    return f"`{one_line(str(value)).replace('`', chr(39))}`"


def _body(run: FinishedRun, records: Sequence[Record], folder: Path, title: str) -> str:
    task = run.task
    about = f"{_code(run.model)}, fine-tuned on {task.title} (`{task.path}`, edition {run.edition})."
    lines = [f"# {_text(title)}", "", about, "", task.description, ""]
    lines += ["## Results", "", "| split | metric | score | n |", "|---|---|---|---|"]
    lines += [
        f"| {record.split} | {_text(key)} | {score:.4f} | {record.n:,} |"
        for record in records
        for key, score in sorted(record.scores.items())
    ]
    lines += ["", "Signatures, which say how the numbers were computed:", ""]
    lines += [f"* {record.split}: {_code(record.signature)}" for record in records]
    settings = {**run.settings, "seed": run.seed}
    held = [f"| {key} | {_text(settings[key])} |" for key in SHOWN if settings.get(key) is not None]
    lines += ["", "## Training", "", "| setting | value |", "|---|---|", *held]
    lines += ["", *_machine(folder), *_use(task, run.model), "## Data", ""]
    lines += [f"Licence of the data: {task.licence.terms.rstrip('.')}."]
    lines += [f"Home page: {task.homepage}", "", "```bibtex", task.citation, "```", ""]
    return "\n".join(lines)


def _machine(folder: Path) -> list[str]:
    path = folder / "environment.json"
    if not path.is_file():
        return []
    try:
        here: Mapping[str, Any] = strict_json.loads(path.read_text(encoding="utf-8"))
        libraries = ", ".join(f"{name} {version}" for name, version in here["libraries"].items())
        about = f"{here['device']} by {here['processes']} process(es), with {libraries}"
        return [f"Trained on {_text(about)}.", ""]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise FormatError(
            f"{path}: expected device, processes and libraries as a run writes them ({error!r})"
        ) from error


def _use(task: Task, model: str) -> list[str]:
    call = f"predict(find_task({task.suite!r}, {task.name!r}), CHECKPOINT, OUTPUT)"
    code = ["from euroglue.registry import find_task", "from euroglue.training import predict", "", call]
    return [
        "## Use",
        "",
        f"In place of {_code(model)}, or to predict the task again:",
        "",
        "```python",
        *code,
        "```",
        "",
    ]
