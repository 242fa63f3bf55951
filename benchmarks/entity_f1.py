# SPDX-License-Identifier: Apache-2.0
"""Entity F1 beside seqeval, on the same tags in one run: ``python benchmarks/entity_f1.py``.

The corpus is made up (a fixed seed): sentences of 5 to 40 tags over four entity types, as Python lists of strings, with a
tenth of the tags predicted wrongly. All scorers see the same lists and run in turn, several rounds; the best time of each
counts. Ours sees them again as integer arrays, one per sentence and one in all with the lengths, which seqeval cannot read.
Ends with 1 if a ratio is below its bar.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from seqeval.metrics import classification_report, f1_score

from euroglue.scoring.entity_f1 import EntityF1
from euroglue.scoring.tags import Ragged

TYPES = ("PER", "LOC", "ORG", "EVT")
LABELS = ("O", *(f"{prefix}-{kind}" for kind in TYPES for prefix in "BI"))
LISTS, ARRAYS, FLAT = "euroglue EntityF1", "euroglue, an array a sentence", "euroglue, flat arrays"
BARS = {
    (LISTS, "seqeval f1_score"): 10.0,
    (LISTS, "seqeval classification_report"): 40.0,
    (ARRAYS, "seqeval classification_report"): 100.0,
    (FLAT, "seqeval classification_report"): 150.0,
}


def sentence(rng: random.Random) -> list[str]:
    """Tags of one sentence: outside words, and entities of one to four words."""
    tags: list[str] = []
    for _ in range(rng.randint(3, 9)):
        tags += ["O"] * rng.randint(1, 4)
        if rng.random() < 0.4:
            kind = rng.choice(TYPES)
            tags += [f"B-{kind}"] + [f"I-{kind}"] * rng.randint(0, 3)
    return tags


def corpus(tokens: int, seed: int) -> tuple[list[list[str]], list[list[str]]]:
    """Gold and predicted tags of at least ``tokens`` words."""
    rng = random.Random(seed)
    gold: list[list[str]] = []
    while tokens > 0:
        gold.append(sentence(rng))
        tokens -= len(gold[-1])
    return gold, [[rng.choice(LABELS) if rng.random() < 0.1 else tag for tag in row] for row in gold]


def race(runs: Mapping[str, Callable[[], Any]], rounds: int) -> tuple[dict[str, float], dict[str, Any]]:
    """Run all in turn, ``rounds`` times: the shortest time of each in seconds, and what each returned."""
    times, values = dict.fromkeys(runs, float("inf")), {}
    for _ in range(rounds):
        for name, run in runs.items():
            start = time.perf_counter()
            values[name] = run()
            times[name] = min(times[name], time.perf_counter() - start)
    return times, values


def main() -> int:
    """Time all three and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokens", type=int, default=1_100_000, help="at least so many (default: 1,100,000)")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each, of which the best counts (default: 5)")
    parser.add_argument("--seed", type=int, default=1, help="of the corpus (default: 1)")
    options = parser.parse_args()
    gold, predicted = corpus(options.tokens, options.seed)
    metric, code = EntityF1(LABELS), {label: i for i, label in enumerate(LABELS)}
    arrays = [[np.array([code[tag] for tag in row], dtype=np.int64) for row in side] for side in (predicted, gold)]
    flat = [Ragged.of(side) for side in arrays]
    runs: dict[str, Callable[[], Any]] = {
        LISTS: lambda: metric.compute(predicted, gold)["f1"],
        ARRAYS: lambda: metric.compute(*arrays)["f1"],
        FLAT: lambda: metric.compute(*flat)["f1"],
        "seqeval f1_score": lambda: f1_score(gold, predicted),
        "seqeval classification_report": lambda: report_f1(gold, predicted),
    }
    times, values = race(runs, options.rounds)
    f1, good = values[LISTS], True
    print(f"{sum(map(len, gold)):,} tokens in {len(gold):,} sentences, f1 {f1:.6f}")
    for name, seconds in times.items():
        print(f"{name:32}{seconds:8.3f} s")
    for (ours, name), bar in BARS.items():
        same, ratio = values[ours] == f1 and abs(values[name] - f1) < 1e-12, times[name] / times[ours]
        good = good and same and ratio >= bar
        verdict = "different score" if not same else "ok" if ratio >= bar else "below the bar"
        print(f"{ours} beside {name}: ratio {ratio:6.1f}   bar {bar:4.0f}   {verdict}")
    return 0 if good else 1


def report_f1(gold: list[list[str]], predicted: list[list[str]]) -> float:
    """The micro F1 of seqeval's report, as a dictionary."""
    return classification_report(gold, predicted, output_dict=True)["micro avg"]["f1-score"]


if __name__ == "__main__":
    sys.exit(main())
