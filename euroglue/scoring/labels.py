# SPDX-License-Identifier: Apache-2.0
"""Label metrics: accuracy, F1 and Matthews correlation over the task's fixed label set, never that of the data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from euroglue.scoring.counts import blocks, divide, per_class, precision_recall_f1, tally
from euroglue.scoring.inputs import (
    choice_numbers,
    encode_labels,
    label_names,
    paired,
    positive_label,
    texts,
    warn_unknown,
)
from euroglue.scoring.metric import Facts, Measurement, Metric
from euroglue.scoring.signature import label_set

if TYPE_CHECKING:
    from euroglue.task import Task


def count_labels(guess: np.ndarray, gold: np.ndarray, example: np.ndarray, examples: int, labels: int) -> np.ndarray:
    """Count true positives, predicted and gold per example and label.

    Args:
        guess: predicted label ids, shape (items,); ``labels`` stands for an unknown label.
        gold: gold label ids, shape (items,).
        example: the example that each item belongs to, from 0, shape (items,).
        examples: the number of examples.
        labels: the number of labels.

    Returns:
        An integer array (examples, 3 · (labels + 1)); the last column of each block holds the unknown labels.

    >>> count_labels(np.array([0, 2]), np.array([0, 1]), np.array([0, 1]), 2, 2).tolist()
    [[1, 0, 0, 1, 0, 0, 1, 0, 0], [0, 0, 0, 0, 0, 1, 0, 1, 0]]
    """
    columns, right = labels + 1, guess == gold
    sides = ((example[right], gold[right]), (example, guess), (example, gold))
    return np.concatenate([tally(rows * columns + codes, examples, columns) for rows, codes in sides], axis=1)


def averages(hits: np.ndarray, predicted: np.ndarray, gold: np.ndarray) -> dict[str, np.ndarray]:
    """F1, precision and recall of counts (…, classes), averaged over classes in three ways; the values have shape (…).

    ``…_macro`` is the unweighted mean over all classes, ``…_micro`` is of the counts of all classes together,
    ``…_weighted`` is weighted by gold. What has a zero denominator is 0.

    >>> found = averages(np.array([1, 1]), np.array([1, 2]), np.array([2, 1]))
    >>> round(float(found["f1_macro"]), 3), round(float(found["f1_micro"]), 3)
    (0.667, 0.667)
    """
    values = precision_recall_f1(hits, predicted, gold)
    pooled = precision_recall_f1(hits.sum(-1), predicted.sum(-1), gold.sum(-1))
    found = {}
    for place, key in ((2, "f1"), (0, "precision"), (1, "recall")):
        found[f"{key}_macro"] = values[place].mean(-1)
        found[f"{key}_micro"] = pooled[place]
        found[f"{key}_weighted"] = divide((values[place] * gold).sum(-1), gold.sum(-1))
    return found


def label_scores(totals: np.ndarray, labels: Sequence[str]) -> dict[str, np.ndarray]:
    """Scores of totals (…, 3 · (labels + 1)), as ``count_labels`` yields them; the values have shape (…).

    ``accuracy``; ``f1``, ``precision`` and ``recall`` in three averages (see ``averages``); ``mcc``, the Matthews
    correlation for any number of classes (Gorodkin, 2004); and ``<label>_f1``, ``<label>_precision``, ``<label>_recall``.
    What has a zero denominator is 0.

    >>> totals = count_labels(np.array([0, 1]), np.array([0, 0]), np.array([0, 0]), 1, 2)[0]
    >>> float(label_scores(totals, ["no", "yes"])["accuracy"])
    0.5
    """
    hits, predicted, gold = (block.astype(float) for block in blocks(totals))
    known = hits[..., :-1], predicted[..., :-1], gold[..., :-1]
    right, count = hits.sum(-1), gold.sum(-1)
    spread = (count**2 - (predicted**2).sum(-1)) * (count**2 - (gold**2).sum(-1))
    return {
        "accuracy": divide(right, count),
        **averages(*known),
        "mcc": divide(right * count - (predicted * gold).sum(-1), np.sqrt(spread)),
        **per_class(labels, precision_recall_f1(*known)),
    }


class LabelMetric(Metric):
    """What the metrics of one label per example share: the same scores, of which each publishes another one.

    Scores are those of ``label_scores``. They equal scikit-learn's with ``labels`` fixed to the task's label set and
    ``zero_division=0``, whatever labels occur: a label that occurs nowhere counts as 0 in macro averages.

    Unknown labels: an error in a reference; wrong in a prediction, and counted in a warning. Names and integer ids are
    understood, numbers with a fraction are refused.
    """

    def __init__(self, labels: Sequence[str]):
        """``labels`` are the label names in the order of their ids."""
        self.labels = tuple(labels)

    @classmethod
    def for_task(cls, task: Task) -> Metric:
        """The metric over the task's label names."""
        return cls(label_names(task, cls.name))

    def settings(self) -> dict[str, str]:
        """The policy for zero denominators, and the label set."""
        return {"zero_division": "0", "labels": label_set(self.labels)}

    def observe(self, predictions: Sequence[Any], references: Sequence[Any]) -> tuple[np.ndarray, tuple[str, ...]]:
        """Count per example and label (see ``count_labels``); one label name or integer id per example on each side."""
        guess, gold, warnings = self._codes(predictions, references)
        return count_labels(guess, gold, np.arange(len(gold)), len(gold), len(self.labels)), warnings

    def measure(self, predictions: Sequence[Any], references: Sequence[Any]) -> Measurement:
        """As of the rows, but counted over all examples at once, which is quicker."""
        guess, gold, warnings = self._codes(predictions, references)
        totals = count_labels(guess, gold, np.zeros(len(gold), dtype=np.int64), 1, len(self.labels))
        return self.summarise(totals, warnings)._replace(n=len(gold))

    def _codes(self, predictions: Any, references: Any) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
        guesses, golds = paired(predictions, references)
        guess, gold = (
            encode_labels(side, self.labels, role) for side, role in ((guesses, "prediction"), (golds, "reference"))
        )
        return guess.codes, gold.codes, warn_unknown(guess.unknown)

    def score(self, totals: np.ndarray) -> dict[str, Any]:
        """Scores of totals (…, 3 · (labels + 1)); the values have the shape of the leading axes."""
        return label_scores(totals, self.labels)

    def correct(self, rows: np.ndarray) -> np.ndarray:
        """Whether each label is right, and 1 for the example itself, shape (examples, 2)."""
        hits, _, gold = blocks(rows)
        return np.stack([hits.sum(-1), gold.sum(-1)], axis=1)


class Accuracy(LabelMetric):
    """The share of right labels. Range 0–1.

    bgGLUE's score for XNLI and EXAMS (Hardalov et al., ACL 2023, table 1). A task whose target is a free text, such as
    the letter of an answer, gets ``AnswerAccuracy``.

    >>> Accuracy(["entailment", "neutral", "contradiction"]).compute(["neutral", 0], [1, 2])["accuracy"]
    Traceback (most recent call last):
    euroglue.errors.PredictionError: example 1: expected label names or integers throughout as the prediction, got 0 (int)
    >>> Accuracy(["entailment", "neutral", "contradiction"]).compute(["neutral", "entailment"], [1, 2])["accuracy"]
    0.5
    """

    name: ClassVar[str] = "accuracy"
    primary: str = "accuracy"
    facts: ClassVar[Facts] = Facts(
        formula="right labels / examples",
        policy="unknown predicted labels are wrong, in gold an error",
        oracle="scikit-learn",
        tolerance="1e-12",
    )

    @classmethod
    def for_task(cls, task: Task) -> Metric:
        """The metric over the task's label names; where it has none, over numbers of choices or over texts."""
        if task.labels:
            return super().for_task(task)
        return ChoiceAccuracy() if task.features[task.target] == "int64" else AnswerAccuracy()


class AnswerAccuracy(Metric):
    """The share of right answers, compared as texts, character by character: an open set of answers. Range 0–1.

    >>> AnswerAccuracy().compute(["A", "B", "Б"], ["A", "C", "B"])
    {'accuracy': 0.3333333333333333}
    """

    name: ClassVar[str] = "accuracy"
    primary: str = "accuracy"

    @classmethod
    def for_task(cls, task: Task) -> AnswerAccuracy:
        """The metric; it needs to know nothing of the task."""
        return cls()

    def settings(self) -> dict[str, str]:
        """That the set of answers is open."""
        return {"labels": "open"}

    def observe(self, predictions: Sequence[Any], references: Sequence[Any]) -> tuple[np.ndarray, tuple[str, ...]]:
        """Whether each answer is right, and 1 for the example itself, shape (examples, 2)."""
        guesses, golds = paired(predictions, references)
        answers = zip(texts(guesses, "prediction"), texts(golds, "reference"))
        right = np.array([guess == gold for guess, gold in answers], dtype=np.int64)
        return np.stack([right, np.ones_like(right)], axis=1), ()

    def score(self, totals: np.ndarray) -> dict[str, Any]:
        """The score of totals (…, 2)."""
        return {"accuracy": divide(totals[..., 0], totals[..., 1])}

    def correct(self, rows: np.ndarray) -> np.ndarray:
        """The rows themselves."""
        return rows


class ChoiceAccuracy(AnswerAccuracy):
    """The share of right choices, each the number of one among its example's choices, from 0. Range 0–1.

    DUMB's score for COPA-NL (de Vries et al., EMNLP 2023, table 1). A number may come as text, as language models give it.

    >>> ChoiceAccuracy().compute([0, "1"], [0, 0])
    {'accuracy': 0.5}
    """

    def settings(self) -> dict[str, str]:
        """That labels are numbers of choices."""
        return {"labels": "choices"}

    def observe(self, predictions: Sequence[Any], references: Sequence[Any]) -> tuple[np.ndarray, tuple[str, ...]]:
        """Whether each choice is right, and 1 for the example itself, shape (examples, 2)."""
        guesses, golds = paired(predictions, references)
        right = choice_numbers(guesses, "prediction") == choice_numbers(golds, "reference")
        return np.stack([right.astype(np.int64), np.ones(len(golds), dtype=np.int64)], axis=1), ()


class MacroF1(LabelMetric):
    """The unweighted mean of the F1 of all labels. Range 0–1.

    >>> round(MacroF1(["negative", "neutral", "positive"]).compute([0, 1, 1], [0, 1, 2])["f1_macro"], 3)
    0.556
    """

    name: ClassVar[str] = "macro_f1"
    primary: str = "f1_macro"
    facts: ClassVar[Facts] = Facts(
        formula="mean over all labels of the task of 2PR / (P + R)",
        policy="a label that occurs nowhere counts 0, warning",
        oracle="scikit-learn, `labels` fixed, `zero_division=0`",
        tolerance="1e-12",
    )

    def undefined(self, totals: np.ndarray) -> tuple[str, ...]:
        """A warning for labels that occur on neither side and are averaged as 0."""
        _, predicted, gold = blocks(totals)
        absent = [name for name, count in zip(self.labels, predicted + gold) if not count]
        if not absent:
            return ()
        return (f"labels in neither gold nor prediction have no f1 and count as 0 in f1_macro: {', '.join(absent)}",)


class MicroF1(LabelMetric):
    """F1 of the counts of all labels together: the accuracy where no prediction is an unknown label. Range 0–1.

    >>> MicroF1(["negative", "neutral", "positive"]).compute([0, 1, 1, 2], [0, 1, 2, 2])["f1_micro"]
    0.75
    """

    name: ClassVar[str] = "micro_f1"
    primary: str = "f1_micro"
    facts: ClassVar[Facts] = Facts(
        formula="2PR / (P + R) of the counts of all labels together",
        policy="as `accuracy`",
        oracle="scikit-learn, `labels` fixed",
        tolerance="1e-12",
    )


class WeightedF1(LabelMetric):
    """The mean of the F1 of all labels, weighted by how often each is the gold. Range 0–1.

    >>> round(WeightedF1(["negative", "neutral", "positive"]).compute([0, 1, 1, 2], [0, 1, 2, 2])["f1_weighted"], 3)
    0.75
    """

    name: ClassVar[str] = "weighted_f1"
    primary: str = "f1_weighted"
    facts: ClassVar[Facts] = Facts(
        formula="mean over labels of 2PR / (P + R), weighted by gold",
        policy="as `accuracy`",
        oracle="scikit-learn, `labels` fixed",
        tolerance="1e-12",
    )


class MatthewsCorrelation(LabelMetric):
    """The Matthews correlation of labels, for any number of classes. Range −1–1; 0 where a side is constant.

    >>> MatthewsCorrelation(["no", "yes"]).compute(["yes", "no"], ["no", "yes"])["mcc"]
    -1.0
    """

    name: ClassVar[str] = "mcc"
    primary: str = "mcc"
    facts: ClassVar[Facts] = Facts(
        formula="(cn − Σpₖgₖ) / √((n² − Σpₖ²)(n² − Σgₖ²)), c right of n, label k predicted pₖ and gold gₖ times",
        policy="a constant side: 0, warning; below 0 stays so",
        oracle="scikit-learn",
        tolerance="1e-12",
    )
    low: ClassVar[float] = -1.0

    def undefined(self, totals: np.ndarray) -> tuple[str, ...]:
        """A warning for each side that is constant."""
        _, *counts = blocks(totals)
        constant = [np.count_nonzero(side) == 1 for side in counts]
        sides = [side for side, alike in zip(("predictions", "references"), constant) if alike]
        return tuple(f"the {side} are constant: mcc has no value and is set to 0" for side in sides)


class BinaryF1(LabelMetric):
    """F1 of the positive label: of a task, its last label name. Range 0–1.

    bgGLUE's score for Credible News (*humorous*) and Fake News (*fake*; Hardalov et al., ACL 2023, tables 12 and 13).
    ``f1``, ``precision`` and ``recall`` are those of the positive label; the scores of ``LabelMetric`` are beside them.
    Zero denominators give 0, with a warning where ``f1`` has no value at all (no positive label on either side).

    >>> scores = BinaryF1(["credible", "fake"]).compute(["fake", "fake"], ["fake", "credible"])
    >>> scores["precision"], scores["recall"], round(scores["f1"], 3)
    (0.5, 1.0, 0.667)
    """

    name: ClassVar[str] = "binary_f1"
    primary: str = "f1"
    facts: ClassVar[Facts] = Facts(
        formula="2PR / (P + R) of the positive label, the task's last",
        policy="no positive on either side: 0, warning",
        oracle="scikit-learn",
        tolerance="1e-12",
    )

    def __init__(self, labels: Sequence[str], positive: str | None = None):
        """``labels`` are the label names in the order of their ids; ``positive`` is one of them, the last if not given.

        Raises:
            EuroglueError: there is no such label.
        """
        super().__init__(labels)
        self.positive = positive_label(self.name, self.labels, positive)

    def settings(self) -> dict[str, str]:
        """The positive label, the policy for zero denominators, and the label set."""
        return {"average": "binary", "positive": self.positive, **super().settings()}

    def score(self, totals: np.ndarray) -> dict[str, Any]:
        """Scores of totals (…, 3 · (labels + 1)); the values have the shape of the leading axes."""
        counts = (block[..., self.labels.index(self.positive)] for block in blocks(totals))
        precision, recall, f1 = precision_recall_f1(*counts)
        return {"f1": f1, "precision": precision, "recall": recall, **super().score(totals)}

    def undefined(self, totals: np.ndarray) -> tuple[str, ...]:
        """A warning where the positive label is on neither side."""
        _, predicted, gold = (block[self.labels.index(self.positive)] for block in blocks(totals))
        if predicted or gold:
            return ()
        return (f"{self.positive!r} is in neither gold nor prediction: its f1 has no value and is set to 0",)
