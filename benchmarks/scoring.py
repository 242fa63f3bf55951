# SPDX-License-Identifier: Apache-2.0
"""Scoring beside its peers, on the same made-up data in one run: ``python benchmarks/scoring.py``.

Label metrics of a million rows beside scikit-learn's ``classification_report``, as arrays of ids and as lists of names;
average precision of a million rows beside scikit-learn's; and what ``evaluate`` adds: ``compute`` of a module on 100,000
examples beside the plain function. All of a pair see the same values and run in turn, several rounds; the best time of
each counts. Ends with 1 if a ratio is below its bar or two scores differ.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import evaluate
import numpy as np
from entity_f1 import LABELS, corpus, race
from sklearn.metrics import average_precision_score, classification_report

import euroglue  # noqa: F401  (installs the name hooks)
from euroglue.scoring.answers import AnswerF1
from euroglue.scoring.correlation import PearsonSpearman
from euroglue.scoring.entity_f1 import EntityF1
from euroglue.scoring.labels import MacroF1
from euroglue.scoring.ranking import AveragePrecision

NAMES = ("negative", "neutral", "positive", "mixed")


class Pair(NamedTuple):
    """Two ways to one number: ours, the peer's, and how many times as long the peer must at least take."""

    name: str
    peer: str
    ours: Callable[[], float]
    theirs: Callable[[], float]
    bar: float


def labels(rng: np.random.Generator, rows: int) -> Iterator[Pair]:
    """Macro F1 over four labels, of which three in four are right."""
    gold = rng.integers(0, 4, rows)
    guess = np.where(rng.random(rows) < 0.75, gold, rng.integers(0, 4, rows))
    spelled = [[NAMES[i] for i in side] for side in (guess.tolist(), gold.tolist())]
    metric = MacroF1(NAMES)

    def report(guess: Any, gold: Any, names: Any) -> float:
        found = classification_report(gold, guess, labels=names, output_dict=True, zero_division=0)
        return float(found["macro avg"]["f1-score"])

    for what, sides, known in (("ids", (guess, gold), range(4)), ("names", spelled, NAMES)):

        def ours(sides: Any = sides) -> float:
            return metric.compute(*sides)["f1_macro"]

        def theirs(sides: Any = sides, known: Any = known) -> float:
            return report(*sides, list(known))

        yield Pair(f"label metrics, {what}", "scikit-learn classification_report", ours, theirs, 3.0)


def ranking(rng: np.random.Generator, rows: int) -> Iterator[Pair]:
    """Average precision of distinct scores, one row in ten positive."""
    gold = (rng.random(rows) < 0.1).astype(int)
    scores = rng.random(rows) + 0.3 * gold
    metric = AveragePrecision(("no", "yes"))
    yield Pair(
        "average precision",
        "scikit-learn average_precision_score",
        lambda: metric.compute(scores, gold)["average_precision"],
        lambda: float(average_precision_score(gold, scores)),
        1.0,
    )


def modules(rng: np.random.Generator, rows: int) -> Iterator[Pair]:
    """The same metric plainly and by ``evaluate.load(name).compute``; a third of its time is the bar for the plain one."""
    gold, guess = rng.normal(size=rows), rng.normal(size=rows)
    positive = (rng.random(rows) < 0.1).astype(int).tolist()
    tags, found = corpus(20 * rows, 1)
    answers = [f"odgovor {i}" for i in rng.integers(0, 9, rows)]
    given = {
        "pearson_spearman": (PearsonSpearman(), {}, guess.tolist(), gold.tolist()),
        "pearson_spearman, arrays": (PearsonSpearman(), {}, guess, gold),
        "checkworthiness_ap": (AveragePrecision(("0", "1")), {}, guess.tolist(), positive),
        "entity_f1": (EntityF1(LABELS), {"labels": LABELS}, found[:rows], tags[:rows]),
        "qa_f1": (AnswerF1(normaliser="sl"), {"normaliser": "sl"}, answers, answers[1:] + answers[:1]),
    }
    for name, (metric, options, predictions, references) in given.items():
        module = evaluate.load(name.partition(",")[0], **options)

        def plain(metric: Any = metric, sides: Any = (predictions, references)) -> float:
            return metric.compute(*sides)[metric.primary]

        def through(module: Any = module, metric: Any = metric, sides: Any = (predictions, references)) -> float:
            return module.compute(predictions=sides[0], references=sides[1])[metric.primary]

        yield Pair(f"evaluate {name}", "the plain function (at most 3 times as fast)", through, plain, 1 / 3)


def main() -> int:
    """Time every pair and print its ratio."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000, help="of labels and rankings (default: 1,000,000)")
    parser.add_argument("--examples", type=int, default=100_000, help="for the modules (default: 100,000)")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each, of which the best counts (default: 5)")
    parser.add_argument("--seed", type=int, default=1, help="of the data (default: 1)")
    options = parser.parse_args()
    rng, good = np.random.default_rng(options.seed), True
    sizes = ((labels, options.rows), (ranking, options.rows), (modules, options.examples))
    for pair in (pair for make, rows in sizes for pair in make(rng, rows)):
        times, values = race({"ours": pair.ours, "theirs": pair.theirs}, options.rounds)
        ratio, same = times["theirs"] / times["ours"], abs(values["ours"] - values["theirs"]) < 1e-9
        good = good and same and ratio >= pair.bar
        verdict = "different score" if not same else "ok" if ratio >= pair.bar else "below the bar"
        print(f"{pair.name:34}{times['ours']:8.3f} s   {times['theirs']:8.3f} s by {pair.peer}")
        print(f"{'':34}ratio {ratio:6.2f}   bar {pair.bar:5.2f}   {verdict}", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
