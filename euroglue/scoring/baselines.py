# SPDX-License-Identifier: Apache-2.0
"""Predictions without a model, made of the gold labels of any task: what a score must beat to mean something."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from euroglue.choices import choice_names
from euroglue.errors import PredictionError
from euroglue.scoring import Result, score
from euroglue.scoring.answers import gold_answers
from euroglue.scoring.inputs import choice_numbers, encode_labels, finite, listed, texts
from euroglue.scoring.tags import check_pair, encode
from euroglue.task import Kind

if TYPE_CHECKING:
    from euroglue.task import Task


def majority(task: Task, gold: Sequence[Any]) -> list[Any]:
    """Predict for every example what is commonest in the gold.

    The commonest label, tag of all tokens, choice or answer (of equally common ones the first in the label set, or in the
    alphabet; no answer is one too); the mean rating; for a ranking the same number throughout.

    Args:
        task: its kind, target and label names say what a prediction is.
        gold: the gold, one per example, as a column of the prepared split holds it.

    Returns:
        One prediction per example, of the shape of the gold; labels by name.

    Raises:
        PredictionError: the gold is hidden, unknown or empty.

    >>> from euroglue.registry import find_task
    >>> majority(find_task("bgglue", "wikiannbg"), [["B-PER", "O"], ["O"]])
    [['O', 'O'], ['O']]
    """
    if task.kind is Kind.REGRESSION:
        numbers = _numbers(gold)
        return [float(np.mean(numbers))] * len(numbers)
    if task.kind is Kind.RANKING:
        return [0.0] * len(_labels(task, gold))
    if task.kind is Kind.TOKEN_CLASSIFICATION:
        tags, lengths = _tags(task, gold)
        common = task.labels[int(np.argmax(np.bincount(tags, minlength=len(task.labels))))]
        return [[common] * length for length in lengths]
    labels = _labels(task, gold)
    counts = Counter(labels)
    order = task.labels or tuple(sorted(counts))
    return [max(order, key=counts.__getitem__)] * len(labels)


def random(task: Task, gold: Sequence[Any], seed: int, choices: Sequence[Sequence[str]] | None = None) -> list[Any]:
    """Predict at random, all possible predictions being equally likely.

    A label or tag of the label set; a number within the bounds of the target, or from 0 to 1 for a ranking; an answer
    out of the example's choices, or without ``choices`` out of all that occur in the gold.

    Args:
        task: its kind, target and label names say what a prediction is.
        gold: the gold, one per example, as a column of the prepared split holds it.
        seed: of the generator; the same seed gives the same predictions.
        choices: per example the answers to choose from (see ``euroglue.choices.choice_names``).

    Returns:
        One prediction per example, of the shape of the gold; labels by name.

    Raises:
        PredictionError: the gold is hidden, unknown or empty, or an example has no choices.

    >>> from euroglue.registry import find_task
    >>> task = find_task("bgglue", "xnlibg")
    >>> set(random(task, ["neutral"] * 100, seed=1)) == set(task.labels)
    True
    """
    draw = np.random.default_rng(seed)
    if task.kind is Kind.REGRESSION:
        low, high = task.bounds or (0.0, 1.0)
        return draw.uniform(low, high, len(_numbers(gold))).tolist()
    if task.kind is Kind.RANKING:
        return draw.random(len(_labels(task, gold))).tolist()
    if task.kind is Kind.TOKEN_CLASSIFICATION:
        tags, lengths = _tags(task, gold)
        names = iter(task.labels[i] for i in draw.integers(0, len(task.labels), len(tags)).tolist())
        return [[next(names) for _ in range(length)] for length in lengths]
    labels = _labels(task, gold)
    if choices is None:
        choices = [task.labels or tuple(sorted(set(labels)))] * len(labels)
    sizes = [len(options) for options in choices]
    if len(sizes) != len(labels) or not all(sizes):
        raise PredictionError(f"{task.path}: expected one or more choices for each of {len(labels)} examples")
    return [options[i] for options, i in zip(choices, draw.integers(0, sizes).tolist())]


def baselines(
    task: Task, rows: Mapping[str, Sequence[Any]], *, seed: int = 0, fingerprint: str | None = None
) -> dict[str, Result]:
    """Score both baselines on a split.

    Args:
        task: the task.
        rows: the columns of the split (a mapping of lists, or a table): the target, and the inputs where they hold the
            answers to choose from.
        seed: of the random predictions; it goes into their signature.
        fingerprint: the data's fingerprint, for the signature.

    Returns:
        The results by the baseline's name, ``majority`` and ``random``; their signatures say which is which.

    Raises:
        PredictionError: the gold is hidden.

    >>> from euroglue.registry import find_task
    >>> found = baselines(find_task("bgglue", "xnlibg"), {"label": ["neutral", "neutral", "entailment"]})
    >>> round(found["majority"].value, 3), found["random"].signature.split("|")[-3:-1]
    (0.667, ['system:random', 'seed:0'])
    """
    gold = listed(rows[task.target])
    choices = choice_names(task, rows) if task.kind is Kind.MULTIPLE_CHOICE else None
    guesses = {
        "majority": (majority(task, gold), {"system": "majority"}),
        "random": (random(task, gold, seed, choices), {"system": "random", "seed": str(seed)}),
    }
    return {
        name: score(task, predictions, gold, fingerprint=fingerprint, about=about)
        for name, (predictions, about) in guesses.items()
    }


def _numbers(gold: Sequence[Any]) -> np.ndarray:
    return finite(_some(gold), "reference")


def _labels(task: Task, gold: Sequence[Any]) -> list[str]:
    values = _some(gold)
    if task.kind is Kind.QUESTION_ANSWERING:
        return [next(iter(gold_answers(answers, example)), "") for example, answers in enumerate(values)]
    if not task.labels and task.features[task.target] == "int64":
        return [str(number) for number in choice_numbers(values, "reference")]
    if not task.labels:
        return texts(values, "reference")
    return [task.labels[code] for code in encode_labels(values, task.labels, "reference").codes]


def _tags(task: Task, gold: Sequence[Any]) -> tuple[np.ndarray, list[int]]:
    side = encode(gold, task.labels, "reference")
    check_pair(side, side, task.labels)
    return side.codes[side.codes != len(task.labels)], side.lengths.tolist()


def _some(gold: Sequence[Any]) -> list[Any]:
    values = listed(gold)
    if not values:
        raise PredictionError("there are no examples to score")
    return values
