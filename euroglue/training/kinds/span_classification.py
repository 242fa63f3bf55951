# SPDX-License-Identifier: Apache-2.0
"""One label for two marked words: the same sense or not, the same referent or not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from euroglue.errors import ContractError
from euroglue.task import Task
from euroglue.training.encode import Joined, around, frame, shared_room, stack_inputs, word_pieces
from euroglue.training.kinds.kind import IGNORED, Feature, Output, TaskKind

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedTokenizerFast


class SpanClassification(TaskKind):
    """Reads the marked words at their first sub-words, sums what the encoder says there, and classifies the sum.

    The head is the family's head for tokens: applied at each marked word and summed, which for a linear layer is the same
    as applying it to the sum. So a checkpoint is an ordinary model folder that loads anywhere.

    The words are one or two inputs that are lists of texts; the other inputs are the places of the marked words, in the
    order of the texts, or all in the one text. What is too long is cut so that the marked words stay: the longer text
    first, and in it what is farthest from them.
    """

    auto: ClassVar[str] = "AutoModelForTokenClassification"
    """The family's head for tokens."""

    def __init__(self, task: Task, tokenizer: PreTrainedTokenizerFast, *, max_length: int, **options: Any):
        super().__init__(task, tokenizer, max_length=max_length, **options)
        self.texts = [name for name in task.inputs if task.features[name] == ["string"]]
        self.marks = [name for name in task.inputs if task.features[name] == "int64"]
        if not self.marks or not (len(self.texts) == 1 or len(self.texts) == len(self.marks) == 2):
            raise ContractError(
                f"{task.path}: expected one list of words with the places of marked words, or two with one place each, "
                f"among the inputs {', '.join(task.inputs)}"
            )
        self.frame = frame(tokenizer, len(self.texts))
        self.capacity = max_length - self.frame.size

    def encode(self, rows: Mapping[str, Sequence[Any]]) -> list[Feature]:
        """Cut words into sub-words, one feature an example; hidden labels (-1) get no weight."""
        pieces = [word_pieces(self.tokenizer, [list(words) for words in rows[name]]) for name in self.texts]
        features = []
        for i, (example, label) in enumerate(zip(rows[self.task.id_column], rows[self.task.target], strict=True)):
            marked: list[list[int]] = [[] for _ in self.texts]
            for number, name in enumerate(self.marks):
                text = min(number, len(self.texts) - 1)
                marked[text].append(self._place(example, name, rows[name][i], pieces[text][i][1]))
            joined, positions = self._fit([column[i][0] for column in pieces], marked)
            target, weight = (IGNORED, 0) if label is None or label < 0 else (int(label), 1)
            features.append(Feature(str(example), joined.input_ids, target, weight, (), positions, joined.types))
        return features

    def _place(self, example: Any, name: str, word: int, first: Sequence[int]) -> int:
        if not 0 <= word < len(first):
            raise ContractError(
                f"{self.task.path}, example {example}: {name} is {word}, expected the place of a word, 0 to {len(first) - 1}"
            )
        return first[word]

    def _fit(self, texts: Sequence[list[int]], marked: Sequence[list[int]]) -> tuple[Joined, tuple[int, ...]]:
        """Cut the texts to what there is room for; the ids, and where the marked words stand among them."""
        room = shared_room([len(ids) for ids in texts], self.capacity)
        kept = [around(marks, len(ids), size) for ids, marks, size in zip(texts, marked, room, strict=True)]
        joined = self.frame.join(*([ids[i] for i in places] for ids, places in zip(texts, kept, strict=True)))
        parts = zip(joined.starts, kept, marked, strict=True)
        return joined, tuple(start + places.index(mark) for start, places, marks in parts for mark in marks)

    def collate(self, features: Sequence[Feature]) -> dict[str, torch.Tensor]:
        """Stack into ``input_ids`` and ``attention_mask``, each (batch, longest), ``marks`` (batch, 2), ``labels`` (batch,)."""
        import torch

        arrays = stack_inputs(features, self.tokenizer.pad_token_id)
        arrays["marks"] = np.array([feature.positions for feature in features], dtype=np.int64)
        arrays["labels"] = np.array([feature.target for feature in features], dtype=np.int64)
        return {name: torch.from_numpy(array) for name, array in arrays.items()}

    def run(self, model: torch.nn.Module, inputs: Mapping[str, torch.Tensor]) -> Output:
        """Logits (batch, labels), the sum over the marked words, and their cross entropy."""
        from torch.nn.functional import cross_entropy

        own = ("marks", *self.label_inputs)
        everywhere = model(**{name: tensor for name, tensor in inputs.items() if name not in own}).logits.float()
        places = inputs["marks"].unsqueeze(-1).expand(-1, -1, everywhere.shape[-1])
        logits = everywhere.gather(1, places).sum(dim=1)
        loss = cross_entropy(logits, inputs["labels"], ignore_index=IGNORED) if "labels" in inputs else None
        return Output(loss, logits)

    def decode(self, outputs: Sequence[np.ndarray], features: Sequence[Feature]) -> dict[str, Any]:
        """The name of the most probable label."""
        names = self.task.labels
        return {feature.id: names[int(logits.argmax())] for logits, feature in zip(outputs, features, strict=True)}
