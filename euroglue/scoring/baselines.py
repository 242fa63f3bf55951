# SPDX-License-Identifier: Apache-2.0
"""Predictions without a model, made of the gold labels of any task: what a score must beat to mean something."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from euroglue.errors import EuroglueError, PredictionError
from euroglue.scoring import Result, score
from euroglue.scoring.answers import gold_answers
from euroglue.scoring.inputs import choice_numbers, encode_labels, finite, listed, texts
from euroglue.scoring.tags import check_pair, encode
from euroglue.task import Kind

if TYPE_CHECKING:
    from euroglue.task import Feature, Task


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
        choices: per example the answers to choose from (see ``answer_choices``), where the target is a text.

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
    if task.labels or choices is None:
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
    choices = answer_choices(task, rows) if task.kind is Kind.MULTIPLE_CHOICE else None
    guesses = {
        "majority": (majority(task, gold), {"system": "majority"}),
        "random": (random(task, gold, seed, choices), {"system": "random", "seed": str(seed)}),
    }
    return {
        name: score(task, predictions, gold, fingerprint=fingerprint, about=about)
        for name, (predictions, about) in guesses.items()
    }


def answer_choices(task: Task, rows: Mapping[str, Sequence[Any]]) -> list[list[str]]:
    """The names of each example's choices: the ``label`` of each in the first input that lists mappings with one.

    Where the target is a number, choices are known by their number, from 0.

    Raises:
        EuroglueError: no input has choices.
    """
    numbered = task.features[task.target] == "int64"
    for column in task.inputs:
        path = _path_to_choices(task.features[column], numbered)
        if path is not None:
            listed_choices = [_follow(value, path) for value in rows[column]]
            return [
                [str(number) if numbered else choice["label"] for number, choice in enumerate(choices)]
                for choices in listed_choices
            ]
    raise EuroglueError(f"{task.path}: expected an input with a list of choices that have a label, there is none")


def _path_to_choices(feature: Feature, numbered: bool) -> tuple[str, ...] | None:
    if isinstance(feature, list):
        return () if isinstance(feature[0], Mapping) and (numbered or "label" in feature[0]) else None
    for name, inner in feature.items() if isinstance(feature, Mapping) else ():
        path = _path_to_choices(inner, numbered)
        if path is not None:
            return (name, *path)
    return None


def _follow(value: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        value = value[name]
    return value


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
