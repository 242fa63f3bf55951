# SPDX-License-Identifier: Apache-2.0
"""A number for a text or a pair of texts: ratings, similarities."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from euroglue.task import Task
from euroglue.training.kinds.kind import DECIMALS, Feature
from euroglue.training.kinds.text_kind import TextKind

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast


class Regression(TextKind):
    """Predicts a number from the first position, by squared error.

    Inside, the task's ``bounds`` are mapped to -1 and 1, so that a fresh head, which says about 0, starts in the middle
    of the scale and one learning rate suits every scale. Predictions are in the task's units and may pass the bounds.
    """

    label_type = np.float32
    needs_record = True

    def __init__(self, task: Task, tokenizer: PreTrainedTokenizerFast, **options: Any):
        super().__init__(task, tokenizer, **options)
        if task.bounds is None:
            raise ValueError(f"{task.path}: a regression task needs the bounds of its target")
        low, high = task.bounds
        self.middle, self.half = (low + high) / 2, (high - low) / 2

    def target(self, value: Any) -> tuple[float, int]:
        """The value on the scale from -1 to 1; a hidden one (NaN) has no weight."""
        if value is None or math.isnan(value):
            return 0.0, 0
        return (value - self.middle) / self.half, 1

    def outputs(self) -> dict[str, Any]:
        """A single output, with squared error as its loss."""
        return {"num_labels": 1, "problem_type": "regression"}

    def decode(self, outputs: Sequence[np.ndarray], features: Sequence[Feature]) -> dict[str, float]:
        """The outputs in the task's units, rounded to four decimals."""
        return {
            feature.id: round(float(logits.reshape(-1)[0]) * self.half + self.middle, DECIMALS)
            for logits, feature in zip(outputs, features, strict=True)
        }
