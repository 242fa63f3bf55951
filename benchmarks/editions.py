# SPDX-License-Identifier: Apache-2.0
"""The published faults of EuroEval's Slovene builds, shown on made-up raw files of the original sizes, and how long it takes.

    python benchmarks/editions.py                 # 168,899 sentences, 5,000 questions on articles, 15,858 and 1,260 others
    python benchmarks/editions.py --share 0.1 sentinews

Writes raw files with words from a generator, prepares the official and the rebuilt edition of each task from them, and prints
what the splits of each share. Ends with 1 where the official edition lacks a known fault or the rebuilt one has a leak.
"""

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

ARTICLES, SENTENCES = 10_427, 168_899
QUESTIONS, CONTEXTS = 5000, 2500
SUBJECTS = 57
MMLU = {"dev": 285, "validation": 1531, "test": 14_042}
WINOGRANDE = {"train": 47, "test": 1213}
SYLLABLES = [
    first + vowel
    for first in ("b", "č", "d", "g", "k", "l", "m", "n", "p", "r", "s", "š", "t", "v", "ž")
    for vowel in "aeiou"
]
SHARES = (("negative", 0.27), ("neutral", 0.55), ("positive", 0.18))
"""About the shares of the labels; what must be shared between splits does not depend on them."""


def words(draw: random.Random, least: int, most: int) -> str:
    """A made-up sentence of so many words."""
    return " ".join("".join(draw.choices(SYLLABLES, k=draw.randint(1, 4))) for _ in range(draw.randint(least, most)))


def sentinews(folder: Path, share: float, draw: random.Random) -> None:
    """Articles of sentences, in the order of the source; one sentence in a hundred is said again somewhere."""
    count = int(SENTENCES * share)
    articles = min(ARTICLES, count // 2)
    labels, weights = zip(*SHARES)
    with open(folder / "SentiNews_sentence-level.txt", "w", encoding="utf-8", newline="\n") as file:
        file.write("nid\tpid\tsid\tcontent\tavg_sentiment\tsd_sentiment\tsentiment\n")
        said = ["Kratko."]
        for number in range(count):
            text = draw.choice(said) if draw.random() < 0.01 else words(draw, 5, 25)
            said.append(text)
            article, place = divmod(number, count // articles + 1)
            label = draw.choices(labels, weights)[0]
            file.write(f"{article}\t{place // 3}\t{place % 3}\t{text}\t3\t0\t{label}\n")


def multi_wiki_qa(folder: Path, share: float, draw: random.Random) -> None:
    """Articles with two questions each, their rows in any order."""
    rows = []
    for number in range(int(CONTEXTS * share)):
        context = words(draw, 60, 120)
        for _ in range(QUESTIONS // CONTEXTS):
            start = draw.randrange(len(context) - 30)
            answer = {"answer_start": [start], "text": [context[start : start + 20]]}
            rows.append(
                {"id": f"{number}", "title": f"{number}", "context": context, "question": words(draw, 5, 9) + "?"}
                | {"answers": answer}
            )
    draw.shuffle(rows)
    (folder / "sl").mkdir()
    pq.write_table(pa.Table.from_pylist(rows), folder / "sl" / "train-00000-of-00001.parquet")


def mmlu(folder: Path, share: float, draw: random.Random) -> None:
    """Questions of 57 subjects; one in fifty has been asked before, some of those with another answer."""
    asked = [(words(draw, 12, 20) + "?", [words(draw, 2, 4) for _ in range(4)])]
    for split, full in MMLU.items():
        with open(folder / f"mmlu_SL_{split}.jsonl", "w", encoding="utf-8", newline="\n") as file:
            for number in range(int(full * share)):
                if draw.random() > 0.02:
                    asked.append((words(draw, 12, 20) + "?", [words(draw, 2, 4) for _ in range(4)]))
                question, choices = asked[-1] if draw.random() > 0.02 else draw.choice(asked)
                row = {"id": f"predmet_{number % SUBJECTS}/{number}", "question": question, "choices": choices}
                file.write(json.dumps({**row, "answer": draw.randrange(4)}, ensure_ascii=False) + "\n")


def winogrande(folder: Path, share: float, draw: random.Random) -> None:
    """Sentences with a blank, some of them twins; always of the original number, of which the known fault speaks."""
    inside = folder / "WinoGrandeDataset_local_template_sl"
    inside.mkdir()
    for split, count in WINOGRANDE.items():
        with open(inside / f"{split}.jsonl", "w", encoding="utf-8", newline="\n") as file:
            options = [words(draw, 1, 1), words(draw, 1, 1)]
            for number in range(count):
                if draw.random() < 0.7:
                    options = [f"{words(draw, 1, 1)}{split}{number}", words(draw, 1, 1)]
                asked = f"{words(draw, 8, 12)} _ {words(draw, 3, 6)}."
                lines = [
                    asked,
                    "Na kaj se nanaša prazno mesto _?",
                    f"Možnost A: {options[0]}",
                    f"Možnost B: {options[1]}",
                ]
                prompt = "\n".join([*lines, "Odgovorite z A ali B.", "Answer:"])
                file.write(json.dumps({"prompt": prompt, "label": draw.randrange(2)}, ensure_ascii=False) + "\n")


RAW: dict[str, Callable[[Path, float, random.Random], None]] = {
    "sentinews": sentinews,
    "multi-wiki-qa-sl": multi_wiki_qa,
    "mmlu-sl": mmlu,
    "winogrande-sl": winogrande,
}
FAULTS = {
    "sentinews": ("exact", ("train", "validation"), lambda rows, sizes: rows[1] == sizes["validation"]),
    "multi-wiki-qa-sl": ("group:context", ("train", "test"), lambda rows, sizes: rows[1] > 0),
    "mmlu-sl": ("group:question", ("train", "test"), lambda rows, sizes: rows[1] > 0),
    "winogrande-sl": ("exact", ("validation", "test"), lambda rows, sizes: rows == (110, 110)),
}
"""Task → the check that shows its published fault, between which splits, and what is known of the rows concerned."""


def show(name: str, share: float, seed: int, root: Path) -> bool:
    """Make the raw files of a task, prepare both editions, print the comparison; whether all is as known."""
    from euroeval_datasets import SUITE
    from euroglue.prepare import prepare
    from euroglue.prepare.comparison import compare

    folder = root / name
    folder.mkdir()
    times = [time.perf_counter()]
    RAW[name](folder, share, random.Random(f"{seed} {name}"))
    times.append(time.perf_counter())
    official, rebuilt = (prepare(SUITE.task(name), edition, data_dir=folder) for edition in ("official", "rebuilt"))
    times.append(time.perf_counter())
    both = compare(official, rebuilt)
    times.append(time.perf_counter())
    made, prepared, audited = (after - before for before, after in zip(times, times[1:]))
    print(f"{name}: raw files {made:.1f} s, both editions {prepared:.1f} s, both audits {audited:.1f} s")
    print(*(f"  {edition}: {dict(audit.sizes)}" for edition, audit in both.audits.items()), sep="\n")
    print(*(f"  {line}" for line in both.lines()), sep="\n")
    kind, splits, known = FAULTS[name]
    fault = both.audits["official"].finding(kind, *splits)
    between = [one for one in both.audits["rebuilt"].leaks if one.kind != "near"]
    good = known(fault.rows, both.audits["official"].sizes) and not between
    print(f"  {'as known' if good else 'NOT as known'}: {kind}, {' and '.join(splits)}")
    return good


def main(arguments: list[str] | None = None) -> int:
    """Show the tasks asked for; 1 if one is not as known."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tasks", nargs="*", metavar="TASK", help=f"of {', '.join(RAW)}; all by default")
    parser.add_argument("--share", type=float, default=1.0, help="of the original number of raw rows (default: 1)")
    parser.add_argument("--seed", type=int, default=1, help="of the made-up words (default: 1)")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as root:
        os.environ["EUROGLUE_HOME"] = str(Path(root) / "home")
        seen = [show(name, options.share, options.seed, Path(root)) for name in options.tasks or RAW]
    return 0 if all(seen) else 1


if __name__ == "__main__":
    sys.exit(main())
