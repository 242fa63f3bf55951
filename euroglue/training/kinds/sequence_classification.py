# SPDX-License-Identifier: Apache-2.0
"""One label for a text or a pair of texts: sentiment, inference, acceptability."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from euroglue.training.kinds.kind import IGNORED, Feature
from euroglue.training.kinds.text_kind import TextKind


class SequenceClassification(TextKind):
    """Predicts a label from the first position, by cross entropy; two labels are two outputs, not one."""

    def target(self, value: Any) -> tuple[int, int]:
        """The label's id; a hidden one (-1) has no weight."""
        return (IGNORED, 0) if value is None or value < 0 else (int(value), 1)

    def outputs(self) -> dict[str, Any]:
        """An output for each label of the task."""
        return {**super().outputs(), "problem_type": "single_label_classification"}

    def decode(self, outputs: Sequence[np.ndarray], features: Sequence[Feature]) -> dict[str, Any]:
        """The name of the most probable label."""
        names = self.task.labels
        return {feature.id: names[int(logits.argmax())] for logits, feature in zip(outputs, features, strict=True)}
