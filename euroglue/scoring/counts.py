# SPDX-License-Identifier: Apache-2.0
"""Precision, recall and F1 of counts per class: true positives, predicted and gold."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np


def divide(numerator: Any, denominator: Any) -> np.ndarray:
    """The quotient; 0 where the denominator is 0.

    >>> divide(np.array([1.0, 1.0]), np.array([2.0, 0.0])).tolist()
    [0.5, 0.0]
    """
    return np.divide(numerator, denominator, out=np.zeros(np.shape(numerator)), where=np.asarray(denominator) > 0)


def precision_recall_f1(hits: Any, predicted: Any, gold: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Precision, recall and F1 of counts of one shape; 0 where a denominator is 0.

    >>> [float(value) for value in precision_recall_f1(1, 2, 1)]
    [0.5, 1.0, 0.6666666666666666]
    """
    precision, recall = divide(hits, predicted), divide(hits, gold)
    return precision, recall, divide(2 * precision * recall, precision + recall)


def tally(cells: np.ndarray, examples: int, columns: int) -> np.ndarray:
    """How often each cell (example · columns + column) occurs, shape (examples, columns).

    >>> tally(np.array([0, 3, 3]), 2, 2).tolist()
    [[1, 0], [0, 2]]
    """
    return np.bincount(cells, minlength=examples * columns).reshape(examples, columns)


def blocks(totals: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """True positives, predicted and gold, each (…, columns), of totals (…, 3 · columns).

    >>> [block.tolist() for block in blocks(np.array([1, 2, 3, 4, 5, 6]))]
    [[1, 2], [3, 4], [5, 6]]
    """
    hits, predicted, gold = np.moveaxis(totals.reshape(*totals.shape[:-1], 3, -1), -2, 0)
    return hits, predicted, gold


def per_class(names: Sequence[str], values: tuple[np.ndarray, np.ndarray, np.ndarray]) -> dict[str, np.ndarray]:
    """Precision, recall and F1, each (…, classes), under ``<class>_f1``, ``<class>_precision``, ``<class>_recall``.

    >>> sorted(per_class(["PER"], (np.ones(1), np.ones(1), np.ones(1))))
    ['per_f1', 'per_precision', 'per_recall']
    """
    scores = {}
    for i, key in enumerate(keys(names)):
        scores[f"{key}_f1"] = values[2][..., i]
        scores[f"{key}_precision"] = values[0][..., i]
        scores[f"{key}_recall"] = values[1][..., i]
    return scores


def keys(names: Sequence[str]) -> list[str]:
    """Distinct snake_case keys: ``PER`` → ``per``; a key that is taken gets a number.

    >>> keys(["PER", "per", "check-worthy"])
    ['per', 'per_2', 'check_worthy']
    """
    found: list[str] = []
    for name in names:
        base = re.sub(r"\W+", "_", name.lower()).strip("_") or "untyped"
        key, number = base, 2
        while key in found:
            key, number = f"{base}_{number}", number + 1
        found.append(key)
    return found
