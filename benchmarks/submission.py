# SPDX-License-Identifier: Apache-2.0
"""Checking and scoring a full submission to bgGLUE: nine tasks of the published sizes, made-up predictions and gold.

    python benchmarks/submission.py

The time of ``euroglue submit check`` and of ``euroglue submit score``, each a fresh process, is printed beside its bar.
"""

import json
import random
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

from euroglue.registry import SUITES
from euroglue.task import Kind

SUITE = SUITES["bgglue"]
BAR = 10.0
TOKENS = {"bsnlp": 323, "udep": 14, "wikiannbg": 7}
ROUNDS = 3


def label(task, rng, tokens):
    """A label drawn at random, as prediction files have it."""
    if task.kind is Kind.TOKEN_CLASSIFICATION:
        return " ".join(rng.choices(task.labels, k=tokens))
    if task.kind is Kind.REGRESSION:
        return rng.uniform(*task.bounds)
    return rng.choice(task.labels or "ABCD")


def write(folder: Path) -> Path:
    """Gold into ``folder/gold``, and a submission that is right three times out of four."""
    rng = random.Random(0)
    gold = folder / "gold"
    gold.mkdir()
    texts = {}
    for task in SUITE.tasks.values():
        found, given = [], []
        for place in range(task.editions["official"].sizes["test"]):
            tokens = max(1, int(rng.expovariate(1 / TOKENS.get(task.name, 1))))
            right = label(task, rng, tokens)
            guess = right if rng.random() < 0.75 else label(task, rng, tokens)
            found.append(json.dumps({"id": f"{task.name}-{place}", "label": right}))
            given.append(
                json.dumps(
                    {"id": f"{task.name}-{place}", "label": rng.random() if task.kind is Kind.RANKING else guess}
                )
            )
        (gold / f"{task.name}.jsonl").write_text("\n".join(found), encoding="utf-8", newline="\n")
        texts[f"predictions/{task.name}/predictions.jsonl"] = "\n".join(given)
    path = folder / "submission.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        metadata = {"suite": "bgglue", "model": "made up", "method": "fine-tuned", "tasks": {}}
        for name, text in {"metadata.json": json.dumps(metadata), **texts}.items():
            packed.writestr(name, text)
    return path


def main() -> None:
    """Make a submission and time both commands."""
    with tempfile.TemporaryDirectory() as work:
        path = write(Path(work))
        rows = sum(task.editions["official"].sizes["test"] for task in SUITE.tasks.values())
        print(f"nine tasks, {rows:,} examples, {path.stat().st_size:,} bytes packed")
        for command in ("check", "score"):
            times = []
            for _ in range(ROUNDS):
                start = time.perf_counter()
                arguments = ["-m", "euroglue.cli", "submit", command, str(path), "--gold", f"{work}/gold"]
                subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
                times.append(time.perf_counter() - start)
            print(f"submit {command}: {min(times):.1f} to {max(times):.1f} s (bar {BAR:.0f} s)")


if __name__ == "__main__":
    main()
