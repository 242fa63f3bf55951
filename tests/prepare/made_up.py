# SPDX-License-Identifier: Apache-2.0
"""A small made-up task with raw files, for tests of the pipeline."""

import dataclasses
import hashlib
import io
import tarfile

from euroglue.prepare.steps import drop_duplicates, split_in_order
from euroglue.prepare.text import same_text
from euroglue.readers import jsonl
from euroglue.task import Edition, Gate, Kind, Labels, Source
from tests.made import MIT, made_task

ROWS = "".join(f'{{"id": "{i}", "text": "Ред {i % 9}", "label": "{"да" if i % 2 else "не"}"}}\n' for i in range(12))


def make_task(content=ROWS, file="rows.tar.gz", member="t/rows.jsonl", gate=Gate.OPEN, **edition):
    """A classification task over one member; ``edition`` overrides the fields of its only edition."""
    fields = {
        "sources": (
            Source(
                file=file,
                url="https://example.org/rows.tar.gz",
                members={member: hashlib.sha256(content.encode()).hexdigest()},
            ),
        ),
        "read": jsonl({"train": member}),
        "steps": (drop_duplicates(by=same_text("text")), split_in_order(train=0.5, test=0.5)),
        "sizes": {"train": 5, "test": 4},
    }
    return made_task(
        suite="bgglue",
        name="rows",
        kind=Kind.SEQUENCE_CLASSIFICATION,
        citation="@misc{rows}",
        licence=dataclasses.replace(MIT, terms="MIT.", gate=gate, sign_at="https://example.org/form"),
        features={"id": "string", "text": "string", "label": Labels("не", "да")},
        target="label",
        metric="accuracy",
        editions={"official": Edition(**{**fields, **edition})},
    )


def pack(folder, content=ROWS, file="rows.tar.gz", member="t/rows.jsonl"):
    """Write the archive that ``make_task`` expects."""
    folder.mkdir(exist_ok=True, parents=True)
    with tarfile.open(folder / file, "w:gz") as packed:
        info = tarfile.TarInfo(member)
        info.size = len(content.encode())
        packed.addfile(info, io.BytesIO(content.encode()))
    return folder
