# SPDX-License-Identifier: Apache-2.0
"""A number to rank texts by: what is worth checking."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from euroglue.training.kinds.kind import DECIMALS, Feature
from euroglue.training.kinds.sequence_classification import SequenceClassification


class Ranking(SequenceClassification):
    """Learns the labels by cross entropy and ranks by the log-odds of the last one, the positive.

    Log-odds order as probabilities do and do not run together near 0 and 1, so that hardly any two examples tie; above 0
    the positive label is the more probable one.
    """

    def decode(self, outputs: Sequence[np.ndarray], features: Sequence[Feature]) -> dict[str, float]:
        """The log-odds of the positive label, rounded to four decimals."""
        found = {}
        for logits, feature in zip(outputs, features, strict=True):
            others = np.logaddexp.reduce(logits[:-1].astype(np.float64))
            found[feature.id] = round(float(logits[-1] - others), DECIMALS)
        return found
