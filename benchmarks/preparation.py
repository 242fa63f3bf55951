# SPDX-License-Identifier: Apache-2.0
"""Time and memory of a preparation with deduplication, from TSV to Parquet, at the size of XNLI's training set.

    python benchmarks/preparation.py

Makes a file shaped like XNLI-MT (made-up words, 392,702 rows), prepares it in a process of its own, then four times the rows.
Prints seconds, peak memory and the ratio of the two times beside their bars.
"""

import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROWS = 392_702
LABELS = ("entailment", "neutral", "contradictory")


def make(path: Path, rows: int, seed: int = 1) -> None:
    """Write a file shaped like ``multinli.train.bg.tsv``: premises of about 20 words, three hypotheses of about 10 each."""
    generator = random.Random(seed)
    letters = "абвгдежзийклмнопрстуфхцчшщъьюя"
    words = ["".join(generator.choices(letters, k=generator.randint(2, 10))) for _ in range(60_000)]
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write("premise\thypo\tlabel\n")
        for number in range(rows):
            if number % 3 == 0:
                premise = " ".join(generator.choices(words, k=generator.randint(5, 35)))
            hypothesis = " ".join(generator.choices(words, k=generator.randint(4, 16)))
            file.write(f"{premise}\t{hypothesis}\t{LABELS[number % 3]}\n")


def prepare(path: Path) -> None:
    """Read, drop duplicate hypotheses by the paper's rule, and write Parquet and manifest; print seconds and megabytes."""
    from dataclasses import replace

    import bgglue_datasets
    from euroglue.prepare import pipeline
    from euroglue.prepare.raw import RawFiles
    from euroglue.prepare.steps import drop_duplicates
    from euroglue.prepare.text import same_content_words

    task = bgglue_datasets.SUITE.tasks["xnlibg"]
    official = task.editions["official"]
    member = official.sources[1].members
    steps = (*official.steps, drop_duplicates(by=same_content_words("hypothesis", "bg")))
    task = replace(task, editions={"official": replace(official, steps=steps)})
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        files = RawFiles({next(iter(member)): path}, missing=["XNLI-1.0.zip"])
        pipeline.write(task, "official", files, Path(folder), strict=False)
    print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def measured(path: Path) -> tuple[float, float]:
    """Seconds and peak megabytes of a preparation in its own process."""
    done = subprocess.run([sys.executable, __file__, str(path)], check=True, capture_output=True, text=True)
    seconds, memory = map(float, done.stdout.split())
    return seconds, memory


if __name__ == "__main__":
    if len(sys.argv) > 1:
        prepare(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as work:
            one, four = Path(work) / "one.tsv", Path(work) / "four.tsv"
            make(one, ROWS)
            make(four, 4 * ROWS)
            print(f"made {os.path.getsize(one) / 1e6:.0f} and {os.path.getsize(four) / 1e6:.0f} MB")
            seconds, memory = measured(one)
            print(f"{ROWS:,} rows: {seconds:.1f} s (bar 60 s), {memory:,.0f} MB (bar 1,500 MB)")
            longer, _ = measured(four)
            print(f"four times the rows: {longer:.1f} s, {longer / seconds:.2f} times as long (bar 4.4)")
