# SPDX-License-Identifier: Apache-2.0
"""A made-up suite on made-up files, so that each command can be shown every case."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from euroglue.readers import jsonl
from euroglue.registry import SUITES
from euroglue.task import Edition, Kind, Labels, Source, Task
from tests.made import made_suite, made_task

Rows = Mapping[str, Sequence[tuple[str, str]]]
CLEAN: Rows = {
    "train": [("Ана видя Рим", "B-PER O B-LOC"), ("Нищо ново днес", "O O O")],
    "test": [("Иван отиде там", "B-PER O O"), ("София спи", "B-LOC O")],
}


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EUROGLUE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("EUROGLUE_RAW_DIR", raising=False)


@pytest.fixture
def made_up(tmp_path: Path) -> Callable[..., str]:
    """``made_up(rows)`` registers the suite ``made-up`` with the task ``films`` and returns the folder of its raw files."""

    def make(rows: Rows = CLEAN, hidden: tuple[str, ...] = ()) -> str:
        folder = tmp_path / "raw"
        folder.mkdir()
        sources = []
        for split, pairs in rows.items():
            lines = [
                json.dumps({"id": f"{split}-{i}", "tokens": text.split(), "tags": tags.split()})
                for i, (text, tags) in enumerate(pairs)
            ]
            (folder / f"{split}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
            digest = hashlib.sha256((folder / f"{split}.jsonl").read_bytes()).hexdigest()
            sources.append(Source(file=f"{split}.jsonl", members={f"{split}.jsonl": digest}, obtain="It is made up."))
        edition = Edition(
            sources=tuple(sources),
            read=jsonl({split: f"{split}.jsonl" for split in rows}),
            sizes={split: len(pairs) for split, pairs in rows.items()},
            hidden=hidden,
        )
        SUITES.register("made-up", made_suite("made-up", _task(edition)))
        return str(folder)

    yield make
    SUITES.unregister("made-up")


def _task(edition: Edition) -> Task:
    return made_task(
        kind=Kind.TOKEN_CLASSIFICATION,
        features={"id": "string", "tokens": ["string"], "tags": [Labels("O", "B-PER", "B-LOC")]},
        inputs=("tokens",),
        target="tags",
        metric="entity_f1",
        editions={"official": edition},
    )
