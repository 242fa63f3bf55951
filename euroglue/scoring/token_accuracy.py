# SPDX-License-Identifier: Apache-2.0
"""Scores of tags over tokens: the share of right ones, and F1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from euroglue.scoring.counts import blocks, divide, per_class, precision_recall_f1
from euroglue.scoring.inputs import label_names, warn_unknown
from euroglue.scoring.labels import averages, count_labels
from euroglue.scoring.metric import Facts, Metric
from euroglue.scoring.signature import label_set
from euroglue.scoring.tags import check_pair, encode, token_codes

if TYPE_CHECKING:
    from euroglue.task import Task


class TokenAccuracy(Metric):
    """The share of tokens whose tag is right, over all tokens of all examples. Range 0–1.

    DUMB's score for Lassy (de Vries et al., EMNLP 2023, table 1). Tags are compared whole: ``VNW|aanw|adv-pron`` is not
    ``VNW|betr|adv-pron``. An unknown predicted tag is wrong and counted in a warning; in a reference it is an error.

    >>> TokenAccuracy(["N|soort", "WW|pv", "LET"]).compute([["N|soort", "LET"], ["WW|pv"]], [[0, 2], [0]])
    {'accuracy': 0.6666666666666666}
    """

    name: ClassVar[str] = "token_accuracy"
    primary: str = "accuracy"
    facts: ClassVar[Facts] = Facts(
        formula="right tags / tokens",
        policy="unknown predicted tags are wrong; fewer or more tags than words: an error",
        oracle="scikit-learn over tokens",
        tolerance="1e-12",
    )

    def __init__(self, labels: Sequence[str]):
        """``labels`` are the tags in the order of their ids."""
        self.labels = tuple(labels)

    @classmethod
    def for_task(cls, task: Task) -> TokenAccuracy:
        """The metric over the task's tags."""
        return cls(label_names(task, cls.name))

    def settings(self) -> dict[str, str]:
        """That every token counts once, and the tags."""
        return {"average": "micro", "labels": label_set(self.labels)}

    def observe(self, predictions: Sequence[Any], references: Sequence[Any]) -> tuple[np.ndarray, tuple[str, ...]]:
        """Right tags and tokens of each example, shape (examples, 2); tags are names or integer ids."""
        guess, gold = encode(predictions, self.labels, "prediction"), encode(references, self.labels, "reference")
        check_pair(guess, gold, self.labels)
        found, right, example = token_codes(guess, gold, len(self.labels))
        hits = np.bincount(example[found == right], minlength=len(gold.lengths))
        return np.stack([hits, gold.lengths.astype(hits.dtype)], axis=1), warn_unknown(guess.unknown)

    def score(self, totals: np.ndarray) -> dict[str, Any]:
        """The score of totals (…, 2)."""
        return {"accuracy": divide(totals[..., 0], totals[..., 1])}

    def correct(self, rows: np.ndarray) -> np.ndarray:
        """The rows themselves."""
        return rows


class TokenF1(TokenAccuracy):
    """F1 of tags over tokens, without the outside tag ``O``, and accuracy over all tokens. Range 0–1.

    ``f1_macro``, ``f1_micro`` and ``f1_weighted`` are over the tags of the label set but ``O``, with precision and
    recall; ``accuracy`` is over all tokens; ``<tag>_f1``, ``<tag>_precision`` and ``<tag>_recall`` are of each tag. They
    equal scikit-learn's over tokens with those ``labels`` and ``zero_division=0``: a tag that occurs nowhere counts as 0.

    >>> scores = TokenF1(["O", "B", "I"]).compute([["B", "O", "O"]], [["B", "I", "O"]])
    >>> scores["f1_macro"], round(scores["f1_micro"], 3), round(scores["accuracy"], 3)
    (0.5, 0.667, 0.667)
    """

    name: ClassVar[str] = "token_f1"
    primary: str = "f1_macro"
    facts: ClassVar[Facts] = Facts(
        formula="mean over the tags but `O` of 2PR / (P + R) over tokens",
        policy="a tag that occurs nowhere counts 0; no tag but `O`: 0, warning",
        oracle="scikit-learn over tokens, `labels` fixed",
        tolerance="1e-12",
    )

    def __init__(self, labels: Sequence[str], outside: str = "O"):
        """``labels`` are the tags in the order of their ids; ``outside`` is the one that F1 leaves out, if it is there."""
        super().__init__(labels)
        self.outside = outside
        self._kept = [i for i, label in enumerate(self.labels) if label != outside]

    def settings(self) -> dict[str, str]:
        """The average, the tag left out, the policy for zero denominators, and the tags."""
        return {**super().settings(), "average": "macro", "left_out": self.outside, "zero_division": "0"}

    def observe(self, predictions: Sequence[Any], references: Sequence[Any]) -> tuple[np.ndarray, tuple[str, ...]]:
        """Count per example and tag (see ``count_labels``); tags are names or integer ids."""
        guess, gold = encode(predictions, self.labels, "prediction"), encode(references, self.labels, "reference")
        check_pair(guess, gold, self.labels)
        rows = count_labels(*token_codes(guess, gold, len(self.labels)), len(gold.lengths), len(self.labels))
        return rows, warn_unknown(guess.unknown)

    def score(self, totals: np.ndarray) -> dict[str, Any]:
        """Scores of totals (…, 3 · (tags + 1)); the values have the shape of the leading axes."""
        whole = blocks(totals)
        kept = [block[..., self._kept] for block in whole]
        each = per_class([self.labels[i] for i in self._kept], precision_recall_f1(*kept))
        return {**averages(*kept), "accuracy": divide(whole[0].sum(-1), whole[2].sum(-1)), **each}

    def correct(self, rows: np.ndarray) -> np.ndarray:
        """Right tags and tokens of each example, shape (examples, 2)."""
        hits, _, gold = blocks(rows)
        return np.stack([hits.sum(-1), gold.sum(-1)], axis=1)

    def undefined(self, totals: np.ndarray) -> tuple[str, ...]:
        """A warning where no token has a tag but the outside one on either side."""
        _, predicted, gold = blocks(totals)
        if (predicted + gold)[..., self._kept].any():
            return ()
        return (f"no tag but {self.outside} in gold nor prediction: f1_macro has no value and is set to 0",)
