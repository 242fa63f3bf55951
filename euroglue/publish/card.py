# SPDX-License-Identifier: Apache-2.0
"""Task cards and the README of a prepared folder: every word of them comes from the literals and the manifests."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import yaml

from euroglue.errors import FormatError
from euroglue.prepare.pipeline import Prepared
from euroglue.publish.prompt_card import prompt_section
from euroglue.task import Edition, Gate, Labels, Suite, Task

OTHERS = ("configs", "dataset_info")
"""Where a README's YAML lists the configs."""
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


def tasks_page(suites: Sequence[Suite]) -> str:
    """The table of all tasks of some suites in Markdown, each linked to its page."""
    lines = ["# Tasks", "", "<!-- made by `make docs` from the literals; edit those -->"]
    for suite in suites:
        lines += ["", f"## {suite.title} (`{suite.name}`)", "", suite.description, ""]
        lines += ["| task | kind | metric | train/validation/test | editions | licence |", "|---|---|---|---|---|---|"]
        for task in suite.tasks.values():
            sizes = "/".join(f"{count:,}" for count in task.edition().sizes.values())
            editions = ", ".join(f"**{name}**" if name == task.default_edition else name for name in task.editions)
            kind, licence = task.kind.value.replace("_", " "), task.licence.id.value
            link = f"[`{task.name}`]({suite.name}/{task.name}.md)"
            lines.append(f"| {link} | {kind} | `{task.metric}` | {sizes} | {editions} | {licence} |")
    return "\n".join([*lines, "", "Sizes are those of the default edition, in bold.", ""])


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


def folder_card(suites: Sequence[Suite], prepared: Sequence[Prepared], others: Mapping[str, Any] | None = None) -> str:
    """The README of a folder of prepared tasks: YAML that lists the configs, then a table of what is in it.

    Args:
        suites: those that the tasks are of.
        prepared: the tasks.
        others: the ``configs`` and ``dataset_info`` of what else is in the folder, to be listed too.
    """
    metadata = folder_metadata(suites, prepared)
    for name in OTHERS:
        metadata[name] += (others or {}).get(name, [])
    header = yaml.safe_dump(metadata, allow_unicode=True, sort_keys=False, width=1000)
    body: list[str] = []
    for suite in suites:
        body += [f"# {suite.title}", "", suite.description, "", "| config | edition | rows | licence | fingerprint |"]
        body += ["|---|---|---|---|---|", *(_row(item) for item in prepared if item.task.suite == suite.name), ""]
    body += ["Each folder holds a `manifest.json` with the sources, their hashes and every step.", ""]
    citations = [*(suite.citation for suite in suites), *(item.task.citation for item in prepared)]
    return "\n".join(["---", header + "---", "", *body, "```bibtex", *citations, "```", ""])


def _row(item: Prepared) -> str:
    rows = ", ".join(f"{split} {part['rows']:,}" for split, part in item.manifest["splits"].items())
    hidden = [split for split in item.manifest.get("hidden", ())]
    rows += f" (labels hidden: {', '.join(hidden)})" if hidden else ""
    return f"| {item.task.name} | {item.edition} | {rows} | {': '.join(_licence(item))} | `{item.fingerprint[:16]}` |"


def hub_language(language: str) -> str:
    """What the Hub calls a language, of which a suite gives the code of three letters and the script.

    >>> hub_language("bul-Cyrl"), hub_language("hsb-Latn")
    ('bg', 'hsb')
    """
    code = language.partition("-")[0]
    return _CODES.get(code, code)


def folder_metadata(suites: Sequence[Suite], prepared: Sequence[Prepared]) -> dict[str, Any]:
    """The YAML of a folder's README: language, licences, categories, sizes, and of each config its features and files."""
    rows = {
        item.task.name: {split: part["rows"] for split, part in item.manifest["splits"].items()} for item in prepared
    }
    languages = sorted({hub_language(suite.language) for suite in suites})
    return {
        "language": languages[0] if len(languages) == 1 else languages,
        "pretty_name": ", ".join(suite.title for suite in suites),
        "task_categories": sorted({_HUB_KINDS[item.task.kind.value] for item in prepared}),
        "size_categories": sorted({_size(sum(counts.values())) for counts in rows.values()}),
        "license": sorted({_licence(item)[0] for item in prepared}),
        "configs": [
            {
                "config_name": item.task.name,
                "data_files": [{"split": split, "path": f"{item.task.name}/{split}.parquet"} for split in item.splits],
            }
            for item in prepared
        ],
        "dataset_info": [
            {
                "config_name": item.task.name,
                "features": [{"name": name, **_yaml(feature)} for name, feature in item.task.features.items()],
                "splits": [
                    {"name": split, "num_bytes": part.get("bytes", 0), "num_examples": part["rows"]}
                    for split, part in item.manifest["splits"].items()
                ],
            }
            for item in prepared
        ],
    }


def other_configs(readme: str, known: Collection[str]) -> dict[str, list[Any]]:
    """What the YAML of a README lists of configs that are none of ``known``, for ``folder_card``.

    >>> other_configs("---\\nconfigs:\\n- config_name: a\\n- config_name: b\\n---\\n", {"a"})
    {'configs': [{'config_name': 'b'}], 'dataset_info': []}

    Raises:
        FormatError: the YAML cannot be read.
    """
    front = re.match(r"\A---\n(.*?\n)---(?:\n|\Z)", readme.replace("\r\n", "\n"), re.S)
    try:
        found = yaml.safe_load(front[1]) if front else {}
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        told = " ".join(str(error).split())[:200]
        raise FormatError(f"README.md: expected YAML between its first two lines of ---: {told}") from error
    listed = {name: found.get(name) if isinstance(found, dict) else None for name in OTHERS}
    rows = {name: value if isinstance(value, list) else [value] for name, value in listed.items() if value}
    return {
        name: [row for row in rows.get(name, []) if isinstance(row, dict) and row.get("config_name") not in known]
        for name in OTHERS
    }


def _licence(item: Prepared) -> tuple[str, str]:
    """The licence's identifier and terms: the task's, or, of a made-up sample, those of this package."""
    if item.task.edition(item.edition).made_up:
        return "apache-2.0", "made up for this package."
    return item.task.licence.id.value, item.task.licence.terms


def _size(rows: int) -> str:
    """The Hub's name for a number of rows.

    >>> _size(999), _size(1000), _size(400_000)
    ('n<1K', '1K<n<10K', '100K<n<1M')
    """
    bounds = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
    return next((name for bound, name in bounds if rows < bound), "1M<n<10M")


def _yaml(feature: Any) -> dict[str, Any]:
    """A feature in the words of the Hub's YAML, which versions 3 to 5 of ``datasets`` read alike.

    >>> _yaml(["string"]), _yaml(Labels("no", "yes"))
    ({'sequence': 'string'}, {'dtype': {'class_label': {'names': {'0': 'no', '1': 'yes'}}}})
    """
    if isinstance(feature, Labels):
        return {"dtype": {"class_label": {"names": {str(i): name for i, name in enumerate(feature.names)}}}}
    if isinstance(feature, list) and isinstance(feature[0], Mapping):
        return {"list": [{"name": name, **_yaml(inner)} for name, inner in feature[0].items()]}
    if isinstance(feature, list):
        inner = _yaml(feature[0])
        return {"sequence": inner["dtype"] if set(inner) == {"dtype"} else inner}
    if isinstance(feature, Mapping):
        return {"struct": [{"name": name, **_yaml(inner)} for name, inner in feature.items()]}
    return {"dtype": feature}
