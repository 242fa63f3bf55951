# SPDX-License-Identifier: Apache-2.0
"""Entity F1 beside seqeval, on the same tags in one run: ``python benchmarks/entity_f1.py``.

The corpus is made up (a fixed seed): sentences of 5 to 40 tags over four entity types, as Python lists of strings, with a
tenth of the tags predicted wrongly. All scorers see the same lists; each is run several times and its best time counts.
Ends with 1 if a ratio is below its bar.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable
from typing import Any

from seqeval.metrics import classification_report, f1_score

from euroglue.scoring.entity_f1 import EntityF1

TYPES = ("PER", "LOC", "ORG", "EVT")
LABELS = ("O", *(f"{prefix}-{kind}" for kind in TYPES for prefix in "BI"))
BARS = {"seqeval f1_score": 10.0, "seqeval classification_report": 40.0}


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


def best(function: Callable[[], Any], repeats: int) -> tuple[float, Any]:
    """The shortest of ``repeats`` run times in seconds, and what the function returned."""
    shortest, value = float("inf"), None
    for _ in range(repeats):
        start = time.perf_counter()
        value = function()
        shortest = min(shortest, time.perf_counter() - start)
    return shortest, value


def main() -> int:
    """Time all three and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokens", type=int, default=1_100_000, help="at least so many (default: 1,100,000)")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each, of which the best counts (default: 3)")
    parser.add_argument("--seed", type=int, default=1, help="of the corpus (default: 1)")
    options = parser.parse_args()
    gold, predicted = corpus(options.tokens, options.seed)
    metric = EntityF1(LABELS)
    ours, scores = best(lambda: metric.compute(predicted, gold), options.repeats)
    print(f"{sum(map(len, gold)):,} tokens in {len(gold):,} sentences, f1 {scores['f1']:.6f}")
    print(f"{'euroglue EntityF1':32}{ours:8.3f} s")
    runs = {
        "seqeval f1_score": lambda: f1_score(gold, predicted),
        "seqeval classification_report": lambda: classification_report(gold, predicted, output_dict=True),
    }
    good = True
    for name, run in runs.items():
        theirs, value = best(run, options.repeats)
        f1 = value["micro avg"]["f1-score"] if isinstance(value, dict) else value
        same, ratio, bar = abs(f1 - scores["f1"]) < 1e-12, theirs / ours, BARS[name]
        good = good and same and ratio >= bar
        verdict = "different score" if not same else "ok" if ratio >= bar else "below the bar"
        print(f"{name:32}{theirs:8.3f} s   ratio {ratio:6.1f}   bar {bar:4.0f}   {verdict}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
