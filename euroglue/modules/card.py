# SPDX-License-Identifier: Apache-2.0
"""The README cards of the score modules, made from literals: ``python -m euroglue.modules.card`` writes them anew."""

from __future__ import annotations

import importlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from euroglue.modules import MODULES
from euroglue.registry import SUITES
from euroglue.scoring import METRICS

if TYPE_CHECKING:
    from euroglue.task import Suite, Task


@dataclass(frozen=True, kw_only=True)
class Card:
    """What a card says beyond what the suite's literal says.

    ``formula`` is the score as a formula; ``metrics`` explains each metric by its name in a sentence or two;
    ``examples`` are doctests; ``limits`` are sentences. A module that scores no ``suite`` has its own ``summary`` (a
    sentence), ``description``, ``citation`` and ``homepage``, and no tasks; it says what ``predictions`` and
    ``references`` are, what each of its ``options`` may be, and the ``range`` of its score.
    """

    title: str
    emoji: str
    formula: str
    examples: tuple[str, ...]
    limits: tuple[str, ...]
    suite: str = ""
    metrics: Mapping[str, str] = field(default_factory=dict)
    summary: str = ""
    description: str = ""
    citation: str = ""
    homepage: str = ""
    predictions: str = ""
    references: str = ""
    range: str = ""
    options: Mapping[str, str] = field(default_factory=dict)

    def filled(self) -> Card:
        """The card with what the suite's literal says."""
        if not self.suite:
            return self
        suite = SUITES[self.suite]
        summary = f"Scores of the tasks of {suite.title} and of the suite."
        return replace(self, summary=summary, description=suite.description, citation=suite.citation)


def render(name: str) -> str:
    """The README of the module called ``name``, front matter for a Hub Space included.

    Raises:
        UnknownNameError: there is no such module.
    """
    literal: Card = importlib.import_module(MODULES[name]).CARD
    card = literal.filled()
    examples = "\n\n".join(f"```python\n{example.strip()}\n```" for example in card.examples)
    sections = {
        f"Metric card for {card.title}": card.description,
        "How to use": examples,
        "Inputs": _inputs(card),
        "Formula": card.formula.strip(),
        "Range": card.range,
        "Tasks": _task_table(SUITES[card.suite]) if card.suite else "",
        "Metrics": "\n".join(f"* `{metric}`: {text}" for metric, text in card.metrics.items()),
        "Limits": "\n".join(f"* {limit}" for limit in card.limits),
        "Citation": f"```bibtex\n{card.citation.strip()}\n```",
    }
    sections = {heading: text for heading, text in sections.items() if text}
    title, *rest = sections
    body = [f"# {title}\n\n{sections[title]}", *(f"## {heading}\n\n{sections[heading]}" for heading in rest)]
    return _front_matter(card) + "\n\n".join(body) + "\n"


def _inputs(card: Card) -> str:
    said = {"predictions": card.predictions, "references": card.references, **card.options}
    return "\n".join(f"* `{name}`: {text}" for name, text in said.items() if text)


def _front_matter(card: Card) -> str:
    lines = [
        f"title: {card.title}",
        f"emoji: {card.emoji}",
        "colorFrom: green",
        "colorTo: red",
        "sdk: gradio",
        "app_file: app.py",
        "pinned: false",
        "license: apache-2.0",
        "tags:",
        "- evaluate",
        "- metric",
        f"description: {card.summary}",
    ]
    return "\n".join(["---", *lines, "---", "", ""])


def _task_table(suite: Suite) -> str:
    rows = ["| config | task | metric | published number | range |", "|---|---|---|---|---|"]
    rows += [_task_row(suite.tasks[name]) for name in suite.tasks]
    others = [name for name in suite.expected if name not in suite.tasks]
    if others:
        rows += ["", f"No config yet, but taken by `tasks=`/`scores=`: {', '.join(f'`{name}`' for name in others)}."]
    return "\n".join(rows)


def _task_row(task: Task) -> str:
    metric = METRICS[task.metric]
    high = "∞" if math.isinf(metric.high) else f"{metric.high:g}"
    cells = (f"`{task.name}`", f"{task.title}", f"`{task.metric}`", f"`{metric.primary}`", f"{metric.low:g}–{high}")
    return f"| {' | '.join(cells)} |"


def write(folder: Path) -> list[Path]:
    """Write every module's card to ``<folder>/<name>/README.md``; return the files written."""
    files = []
    for name in MODULES:
        file = folder / name / "README.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(render(name), encoding="utf-8", newline="\n")
        files.append(file)
    return files


if __name__ == "__main__":
    for written in write(Path("metrics")):
        print(written)
