# SPDX-License-Identifier: Apache-2.0
"""Random predictions and gold for every registered metric, whatever a metric takes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from euroglue.errors import EuroglueError
from euroglue.scoring import METRICS
from euroglue.scoring.metric import Metric
from euroglue.task import Kind, Labels
from tests.scoring.conftest import TAGS, make_task

UPOS = ("ADJ", "CCONJ", "NOUN", "SCONJ", "VERB")
WORDS = ("de", "het", "rode", "huis", "boom")


def _tags(names: tuple[str, ...]):
    def make(rng: np.random.Generator, n: int):
        sizes = rng.integers(1, 7, n)
        gold = [[names[i] for i in rng.integers(0, len(names), size)] for size in sizes]
        noise = [[names[rng.integers(len(names))] if rng.random() < 0.3 else tag for tag in row] for row in gold]
        return noise, gold

    return make


def _labels(rng: np.random.Generator, n: int):
    gold = rng.integers(0, 3, n)
    return np.where(rng.random(n) < 0.4, rng.integers(0, 3, n), gold).tolist(), gold.tolist()


def _numbers(rng: np.random.Generator, n: int):
    gold = rng.integers(0, 6, n).astype(float)
    return (gold + rng.normal(size=n)).round(1).tolist(), gold.tolist()


def _ranking(rng: np.random.Generator, n: int):
    gold = rng.integers(0, 2, n)
    return (gold + rng.normal(size=n)).round(1).tolist(), gold.tolist()


def _answers(rng: np.random.Generator, n: int):
    def answer(empty: float) -> str:
        return "" if rng.random() < empty else " ".join(rng.choice(WORDS, rng.integers(1, 4)))

    gold = [answer(0.3) for _ in range(n)]
    shaped = [{"text": [text] if text else [], "answer_start": [0] if text else []} for text in gold]
    return [answer(0.3) if rng.random() < 0.5 else text for text in gold], shaped


SQUAD = {"text": ["string"], "answer_start": ["int64"]}
MAKERS = (
    (make_task("ranking", Kind.RANKING, Labels("no", "yes"), "average_precision"), _ranking),
    (make_task("labels", Kind.SEQUENCE_CLASSIFICATION, Labels("a", "b", "c"), "accuracy"), _labels),
    (make_task("upos", Kind.TOKEN_CLASSIFICATION, [Labels(*UPOS)], "upos"), _tags(UPOS)),
    (make_task("names", Kind.TOKEN_CLASSIFICATION, [Labels(*TAGS, "B-MISC", "I-MISC")], "entity_f1"), _tags(TAGS)),
    (make_task("films", Kind.REGRESSION, "float64", "pearson", (0.0, 5.0)), _numbers),
    (replace(make_task("questions", Kind.QUESTION_ANSWERING, SQUAD, "squad"), language="nld-Latn"), _answers),
)
FIRST = {"upos": "upos", "average_precision": "ranking"}
"""Metrics that take what others take too, and the data that show more of them."""


def observed(name: str, n: int, seed: int) -> tuple[Metric, np.ndarray]:
    """The metric called ``name`` and its rows of ``n`` random examples."""
    refused = []
    for task, make in sorted(MAKERS, key=lambda maker: maker[0].name != FIRST.get(name, "labels")):
        try:
            metric = METRICS[name].for_task(replace(task, metric=name))
            return metric, metric.statistics(*make(np.random.default_rng(seed), n))
        except EuroglueError as error:
            refused.append(str(error))
    raise AssertionError(f"no data for the metric {name}: add what it takes to MAKERS ({refused})")
