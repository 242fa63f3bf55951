# SPDX-License-Identifier: Apache-2.0
"""The share of right tags among all tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from euroglue.scoring.counts import divide
from euroglue.scoring.inputs import label_names, warn_unknown
from euroglue.scoring.metric import Metric
from euroglue.scoring.signature import label_set
from euroglue.scoring.tags import check_pair, encode

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
        tokens = gold.codes != len(self.labels)  # all but the separators
        example = np.repeat(np.arange(len(gold.lengths)), gold.lengths)
        right = example[guess.codes[tokens] == gold.codes[tokens]]
        hits = np.bincount(right, minlength=len(gold.lengths))
        return np.stack([hits, gold.lengths.astype(hits.dtype)], axis=1), warn_unknown(guess.unknown)

    def score(self, totals: np.ndarray) -> dict[str, Any]:
        """The score of totals (…, 2)."""
        return {"accuracy": divide(totals[..., 0], totals[..., 1])}

    def correct(self, rows: np.ndarray) -> np.ndarray:
        """The rows themselves."""
        return rows

    def undefined(self, totals: np.ndarray) -> tuple[str, ...]:
        """Nothing: there is at least one token."""
        return ()
