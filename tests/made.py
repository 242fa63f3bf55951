# SPDX-License-Identifier: Apache-2.0
"""Made-up tasks and suites: a test says what it is about, the rest is filled in here."""

from __future__ import annotations

from typing import Any

from euroglue.registry import Registry
from euroglue.task import Edition, Licence, LicenceId, Reader, Recipe, Source, Suite, Task

MIT = Licence(id=LicenceId.MIT, terms="MIT", redistribute=True)
NOTHING = Edition(
    sources=(Source(file="a.jsonl", members={"a.jsonl": "0" * 64}, obtain="It is made up."),),
    read=Reader("nothing", {}, lambda files: files),
    sizes={},
)
"""An edition that cannot be prepared, for tests that bring their own tables."""


def made_task(**fields: Any) -> Task:
    """A task of these fields; of the others those that do not matter to a test are filled in."""
    usual = {
        "suite": "made-up",
        "name": "films",
        "title": fields.get("name", "films").capitalize(),
        "language": "bul-Cyrl",
        "description": "Made up for tests.",
        "homepage": "https://example.org",
        "citation": "@misc{made-up}",
        "licence": MIT,
        "inputs": ("text",),
        "recipe": Recipe(learning_rate=1e-3, epochs=1, batch_size=4),
        "editions": {"sample": NOTHING},
    }
    given = {**usual, **fields}
    return Task(**{"default_edition": next(iter(given["editions"])), **given})


def made_suite(name: str, *tasks: Task, **fields: Any) -> Suite:
    """A suite of these tasks; of the other fields those that do not matter to a test are filled in."""
    held: Registry[Task] = Registry("task")
    for task in tasks:
        held.register(task.name, task)
    usual = {
        "title": name.capitalize(),
        "package": "bgglue_datasets",
        "language": "bul-Cyrl",
        "description": "Made up for tests.",
        "homepage": "https://example.org",
        "citation": f"@misc{{{name}}}",
        "expected": tuple(held),
    }
    return Suite(name=name, tasks=held, **{**usual, **fields})
