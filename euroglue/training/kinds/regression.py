# SPDX-License-Identifier: Apache-2.0
"""A number for a text or a pair of texts: ratings, similarities."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from euroglue.task import Task
from euroglue.training.encode import stack_inputs
from euroglue.training.kinds.kind import Feature, TaskKind

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

DECIMALS = 4
"""Predictions are rounded to so many decimals, well above the noise of 32-bit sums, so that machines agree."""


class Regression(TaskKind):
    """Predicts a number from the first position, by squared error.

    Inside, the task's ``bounds`` are mapped to -1 and 1, so that a fresh head, which says about 0, starts in the middle
    of the scale and one learning rate suits every scale. Predictions are in the task's units and may pass the bounds.
    """

    def __init__(self, task: Task, tokenizer: PreTrainedTokenizerFast, *, max_length: int, stride: int):
        super().__init__(task, tokenizer, max_length=max_length, stride=stride)
        if task.bounds is None:
            raise ValueError(f"{task.path}: a regression task needs the bounds of its target")
        low, high = task.bounds
        self.middle, self.half = (low + high) / 2, (high - low) / 2

    def encode(self, rows: Mapping[str, Sequence[Any]]) -> list[Feature]:
        """Encode one or two input columns, cut to the longest length; hidden targets (NaN) get no weight."""
        texts = [list(map(str, rows[column])) for column in self.task.inputs]
        if not texts[0]:
            return []
        encoded = self.tokenizer(*texts, truncation=True, max_length=self.max_length, return_attention_mask=False)
        types = encoded.get("token_type_ids") if len(texts) > 1 else None
        features = []
        for i, (example, ids) in enumerate(zip(rows[self.task.id_column], encoded["input_ids"], strict=True)):
            value = rows[self.task.target][i]
            hidden = value is None or math.isnan(value)
            scaled = 0.0 if hidden else (value - self.middle) / self.half
            weight = 0 if hidden else 1
            features.append(Feature(str(example), list(ids), scaled, weight, types=types[i] if types else None))
        return features

    def collate(self, features: Sequence[Feature]) -> dict[str, torch.Tensor]:
        """Stack into ``input_ids`` and ``attention_mask``, each (batch, longest), and float ``labels``, (batch,)."""
        import torch

        arrays = stack_inputs(features, self.tokenizer.pad_token_id)
        arrays["labels"] = np.array([feature.target for feature in features], dtype=np.float32)
        return {name: torch.from_numpy(array) for name, array in arrays.items()}

    def head(self, model: str, *, trained: bool, trust_remote_code: bool, **config: Any) -> PreTrainedModel:
        """The encoder family's own sentence head, with a single output and squared error as its loss."""
        from transformers import AutoModelForSequenceClassification

        from euroglue.training.models import load_model

        return load_model(
            AutoModelForSequenceClassification,
            model,
            trained=trained,
            trust_remote_code=trust_remote_code,
            num_labels=1,
            problem_type="regression",
            **config,
        )

    def decode(self, outputs: Sequence[np.ndarray], features: Sequence[Feature]) -> dict[str, float]:
        """The outputs in the task's units, rounded to four decimals."""
        return {
            feature.id: round(float(logits.reshape(-1)[0]) * self.half + self.middle, DECIMALS)
            for logits, feature in zip(outputs, features, strict=True)
        }
