# SPDX-License-Identifier: Apache-2.0
"""What the kinds share that predict one thing for one or two texts, from the first position."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from euroglue.training.encode import stack_inputs
from euroglue.training.kinds.kind import Feature, TaskKind
from euroglue.training.texts import segments_of

if TYPE_CHECKING:
    import torch


class TextKind(TaskKind):
    """One or two texts, cut to the longest length token by token, the longer text first."""

    auto: ClassVar[str] = "AutoModelForSequenceClassification"
    """The family's own sentence head."""
    label_type: ClassVar[type] = np.int64
    """Of the labels that the loss is computed from."""

    @abstractmethod
    def target(self, value: Any) -> tuple[Any, int]:
        """What the model learns for a value of the target column, and the weight of that: 0 where it is hidden."""

    def encode(self, rows: Mapping[str, Sequence[Any]]) -> list[Feature]:
        """Encode the task's one or two segments; hidden targets get no weight."""
        texts = segments_of(self.task, rows)
        if not texts[0]:
            return []
        encoded = self.tokenizer(*texts, truncation=True, max_length=self.max_length, return_attention_mask=False)
        types = encoded.get("token_type_ids") if len(texts) > 1 else None
        features = []
        for i, (example, ids) in enumerate(zip(rows[self.task.id_column], encoded["input_ids"], strict=True)):
            value, weight = self.target(rows[self.task.target][i])
            features.append(Feature(str(example), list(ids), value, weight, types=list(types[i]) if types else None))
        return features

    def collate(self, features: Sequence[Feature]) -> dict[str, torch.Tensor]:
        """Stack into ``input_ids`` and ``attention_mask``, each (batch, longest), and ``labels``, (batch,)."""
        import torch

        arrays = stack_inputs(features, self.tokenizer.pad_token_id)
        arrays["labels"] = np.array([feature.target for feature in features], dtype=self.label_type)
        return {name: torch.from_numpy(array) for name, array in arrays.items()}
