# SPDX-License-Identifier: Apache-2.0
"""A label for every word: named entities, parts of speech."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from euroglue.errors import ContractError
from euroglue.task import HIDDEN_CLASS, Task
from euroglue.training.encode import best_windows, frame, pad, stack_inputs, windows, word_pieces
from euroglue.training.kinds.kind import IGNORED, Feature, TaskKind

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedTokenizerFast


class TokenClassification(TaskKind):
    """Labels words by their first sub-word; long documents are read in overlapping windows.

    Every word is labelled exactly once, in training and in prediction: in the window that shows most of its context.
    """

    auto: ClassVar[str] = "AutoModelForTokenClassification"
    """One linear layer over every position."""

    def __init__(self, task: Task, tokenizer: PreTrainedTokenizerFast, *, max_length: int, **options: Any):
        super().__init__(task, tokenizer, max_length=max_length, **options)
        self.frame = frame(tokenizer)
        self.capacity = max_length - self.frame.size

    def encode(self, rows: Mapping[str, Sequence[Any]]) -> list[Feature]:
        """Cut the words of the first input column into sub-words and windows; hidden labels (-1) get no weight."""
        (column, *_), target = self.task.inputs, self.task.target
        sentences = [list(words) for words in rows[column]]
        features: list[Feature] = []
        for example, words, labels, (ids, first) in zip(
            rows[self.task.id_column], sentences, rows[target], word_pieces(self.tokenizer, sentences), strict=True
        ):
            labels = list(labels) or [HIDDEN_CLASS] * len(words)
            if not len(words) == len(labels) == len(first):
                raise ContractError(f"{self.task.path}, example {example}: {len(words)} words but {len(labels)} labels")
            features.extend(self._windows(str(example), ids, first, labels))
        return features

    def _windows(self, example: str, ids: list[int], first: list[int], labels: Sequence[int]) -> list[Feature]:
        spans = windows(len(ids), self.capacity, self.stride)
        chosen = best_windows(first, spans) if first else []
        features = []
        for number, (start, end) in enumerate(spans):
            words = tuple(word for word, window in enumerate(chosen) if window == number)
            if not words and first:
                continue
            joined = self.frame.join(ids[start:end])
            positions = tuple(first[word] - start + joined.starts[0] for word in words)
            target = [IGNORED] * len(joined.input_ids)
            for word, position in zip(words, positions, strict=True):
                if labels[word] >= 0:
                    target[position] = labels[word]
            weight = sum(label != IGNORED for label in target)
            features.append(Feature(example, joined.input_ids, target, weight, words, positions))
        return features

    def collate(self, features: Sequence[Feature]) -> dict[str, torch.Tensor]:
        """Stack into ``input_ids``, ``attention_mask`` and ``labels``, each (batch, longest)."""
        import torch

        arrays = stack_inputs(features, self.tokenizer.pad_token_id)
        arrays["labels"] = pad([feature.target for feature in features], IGNORED)
        return {name: torch.from_numpy(array) for name, array in arrays.items()}

    def decode(self, outputs: Sequence[np.ndarray], features: Sequence[Feature]) -> dict[str, list[str]]:
        """The most probable label's name for every word; windows of an example are put together again."""
        names = self.task.labels
        labelled: dict[str, dict[int, str]] = {}
        for logits, feature in zip(outputs, features, strict=True):
            words = labelled.setdefault(feature.id, {})
            best = logits[list(feature.positions)].argmax(axis=-1)
            words.update((word, names[int(label)]) for word, label in zip(feature.words, best, strict=True))
        return {example: [words[i] for i in range(len(words))] for example, words in labelled.items()}
