# SPDX-License-Identifier: Apache-2.0
"""Task cards and the README of a prepared folder: every word of them comes from the literals and the manifests."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from euroglue.prepare.pipeline import Prepared
from euroglue.publish.prompt_card import prompt_section
from euroglue.task import Edition, Gate, Labels, Suite, Task

_CODES = {"bul": "bg", "nld": "nl", "slv": "sl"}
_HUB_KINDS = {
    "token_classification": "token-classification",
    "sequence_classification": "text-classification",
    "regression": "text-classification",
    "ranking": "text-classification",
    "multiple_choice": "multiple-choice",
    "span_classification": "text-classification",
    "question_answering": "question-answering",
}


def task_card(task: Task) -> str:
    """The page of one task in Markdown: what it is, its columns, editions, sources, steps, sizes and licence."""
    lines = [
        f"# {task.title} (`{task.path}`)",
        "",
        "<!-- made by `make docs` from the task's literal; edit that -->",
        "",
        task.description,
        "",
        "| | |",
        "|---|---|",
        f"| kind | {task.kind.value} |",
        f"| language | {task.language} |",
        f"| metric | `{task.metric}` |",
        f"| model reads | {', '.join(f'`{name}`' for name in task.inputs)} |",
        f"| model predicts | `{task.target}`{_bounds(task)} |",
        f"| licence | {task.licence.id.value}: {task.licence.terms} |",
        f"| may be pushed to a public repository | {'yes' if task.licence.redistribute else 'no'} |",
        f"| raw data | {_gate(task)} |",
        f"| home page | {task.homepage} |",
        "",
        "## Columns",
        "",
        "| column | type |",
        "|---|---|",
        *(f"| `{name}` | {_type(feature)} |" for name, feature in task.features.items()),
        "",
    ]
    for name, edition in task.editions.items():
        lines += _edition(task, name, edition)
    lines += prompt_section(task)
    lines += ["## Citation", "", "```bibtex", task.citation, "```", ""]
    return "\n".join(lines)


def _bounds(task: Task) -> str:
    return f", {task.bounds[0]:g} to {task.bounds[1]:g}" if task.bounds else ""


def _gate(task: Task) -> str:
    return "open" if task.licence.gate is Gate.OPEN else f"after signing {task.licence.sign_at}"


def _type(feature: Any) -> str:
    if isinstance(feature, Labels):
        return "label: " + ", ".join(f"{index} `{name}`" for index, name in enumerate(feature.names))
    if isinstance(feature, list):
        return f"list of {_type(feature[0])}"
    if isinstance(feature, Mapping):
        return "; ".join(f"`{name}`: {_type(inner)}" for name, inner in feature.items())
    return feature


def _edition(task: Task, name: str, edition: Edition) -> list[str]:
    default = " (default)" if name == task.default_edition else ""
    call = f'load_dataset("{task.suite}", "{task.name}", edition="{name}")'
    sizes = " | ".join(f"{count:,}" for count in edition.sizes.values())
    lines = [
        f"## Edition `{name}`{default}",
        "",
        f"`{call}`",
        "",
        f"| {' | '.join(edition.sizes)} |",
        f"|{'---|' * len(edition.sizes)}",
        f"| {sizes} |",
        "",
    ]
    if edition.hidden:
        lines += [f"Labels are hidden in: {', '.join(edition.hidden)}.", ""]
    lines += [f"* {note}" for note in edition.notes]
    lines += ["", "Sources:", ""]
    for source in edition.sources:
        origin = source.url or source.obtain or "ships with the package"
        lines.append(f"* `{source.file}`: {origin}")
        lines += [f"  * `{member}` sha256 `{digest}`" for member, digest in source.members.items()]
    lines += ["", "Preparation:", "", f"1. read: `{edition.read}` — {edition.read.reason}"]
    lines += [f"1. `{step}` — {step.reason}" for step in edition.steps]
    return [*lines, ""]


def folder_card(suite: Suite, prepared: Sequence[Prepared]) -> str:
    """The README of a folder of prepared tasks: YAML that lists the configs, then a table of what is in it."""
    code = _CODES[suite.language.partition("-")[0]]
    header: list[str] = ["---", f"language: {code}", f"pretty_name: {json.dumps(suite.title)}"]
    header += ["task_categories:", *sorted({f"- {_HUB_KINDS[item.task.kind.value]}" for item in prepared})]
    licences = sorted({item.task.licence.id.value for item in prepared})
    header += ["license:", *(f"- {licence}" for licence in licences), "configs:"]
    for item in prepared:
        header += [f"- config_name: {item.task.name}", "  data_files:"]
        for split in item.splits:
            header += [f"  - split: {split}", f"    path: {item.task.name}/{split}.parquet"]
    body = [f"# {suite.title}", "", suite.description, "", "| config | edition | rows | licence | fingerprint |"]
    body += ["|---|---|---|---|---|"]
    for item in prepared:
        rows = ", ".join(f"{split} {part['rows']:,}" for split, part in item.manifest["splits"].items())
        licence = f"{item.task.licence.id.value}: {item.task.licence.terms}"
        body.append(f"| {item.task.name} | {item.edition} | {rows} | {licence} | `{item.fingerprint[:16]}` |")
    body += ["", "Each folder holds a `manifest.json` with the sources, their hashes and every step.", ""]
    body += ["```bibtex", suite.citation, *(item.task.citation for item in prepared), "```", ""]
    return "\n".join([*header, "---", "", *body])
