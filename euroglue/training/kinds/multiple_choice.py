# SPDX-License-Identifier: Apache-2.0
"""One of an example's own choices, two or more: the answer to a question, the cause of an event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from euroglue.errors import ContractError
from euroglue.training.encode import pad
from euroglue.training.kinds.kind import Feature, Output, TaskKind
from euroglue.training.texts import Choices, choices_of

if TYPE_CHECKING:
    import torch


class MultipleChoice(TaskKind):
    """Reads each choice with its context, gives each one number and predicts the choice of the highest.

    The loss is, by ``choice_loss``, ``softmax``: cross entropy over an example's choices; or ``binary``: is this the
    right choice, for each alone (bgGLUE paper, table 6). A feature is an example: its ids are those of all its choices
    one after another, ``positions`` where each choice begins; choices need not be equally many.
    """

    auto: ClassVar[str] = "AutoModelForSequenceClassification"
    """The family's own sentence head."""
    label_inputs: ClassVar[tuple[str, ...]] = ("labels",)

    def encode(self, rows: Mapping[str, Sequence[Any]]) -> list[Feature]:
        """Encode every choice, each cut to the longest length; a hidden answer gets no weight."""
        examples = choices_of(self.task, rows)
        texts = [list(column) for column in zip(*(segments for one in examples for segments in one.segments))]
        if not texts:
            return []
        encoded = self.tokenizer(*texts, truncation=True, max_length=self.max_length, return_attention_mask=False)
        types = encoded.get("token_type_ids") if len(texts) > 1 else None
        features, begin = [], 0
        for i, (example, choices) in enumerate(zip(rows[self.task.id_column], examples, strict=True)):
            end = begin + len(choices.segments)
            ids = [list(one) for one in encoded["input_ids"][begin:end]]
            right = self._right(rows[self.task.target][i], choices, example)
            weight = 0 if right is None else len(ids) if self.choice_loss == "binary" else 1
            features.append(
                Feature(
                    str(example),
                    [piece for one in ids for piece in one],
                    right,
                    weight,
                    positions=tuple(np.cumsum([0, *map(len, ids)])[:-1].tolist()),
                    types=[kind for one in types[begin:end] for kind in one] if types else None,
                    names=choices.names,
                )
            )
            begin = end
        return features

    def _right(self, value: Any, choices: Choices, example: Any) -> int | None:
        """The place of the right choice, ``None`` where it is hidden."""
        if value is None or value == "" or (not isinstance(value, str) and value < 0):
            return None
        place = choices.names.index(value) if value in choices.names else value
        if isinstance(place, str) or place >= len(choices.names):
            raise ContractError(
                f"{self.task.path}, example {example}: the answer {value!r} is none of the choices "
                f"{', '.join(choices.names)}"
            )
        return int(place)

    def collate(self, features: Sequence[Feature]) -> dict[str, torch.Tensor]:
        """Stack the choices of all examples.

        Returns:
            ``input_ids``, ``attention_mask`` and, for pairs, ``token_type_ids``, each (choices, longest); ``counts``
            (batch,), the choices of each example; ``labels`` (batch,), the place of the right one, -1 where hidden.
        """
        import torch

        cuts = [list(pairwise([*feature.positions, len(feature.input_ids)])) for feature in features]
        rows = [feature.input_ids[a:b] for feature, parts in zip(features, cuts, strict=True) for a, b in parts]
        arrays = {
            "input_ids": pad(rows, self.tokenizer.pad_token_id or 0),
            "attention_mask": pad([[1] * len(row) for row in rows], 0),
            "counts": np.array([len(parts) for parts in cuts]),
            "labels": np.array([-1 if feature.target is None else feature.target for feature in features]),
        }
        types = [(feature.types, parts) for feature, parts in zip(features, cuts, strict=True)]
        kinds = [kinds[a:b] for kinds, parts in types if kinds is not None for a, b in parts]
        if kinds:
            arrays["token_type_ids"] = pad(kinds, 0)
        return {name: torch.from_numpy(array) for name, array in arrays.items()}

    def outputs(self) -> dict[str, Any]:
        """A single output, the number of a choice."""
        return {"num_labels": 1}

    def run(self, model: torch.nn.Module, inputs: Mapping[str, torch.Tensor]) -> Output:
        """Logits (batch, most choices), filled up with 0, and the loss."""
        from torch.nn.utils.rnn import pad_sequence

        own = ("counts", *self.label_inputs)
        scores = (
            model(**{name: tensor for name, tensor in inputs.items() if name not in own}).logits.reshape(-1).float()
        )
        parts = scores.split(inputs["counts"].tolist())
        loss = self._loss(parts, inputs["labels"]) if "labels" in inputs else None
        return Output(loss, pad_sequence(list(parts), batch_first=True))

    def _loss(self, parts: Sequence[torch.Tensor], right: torch.Tensor) -> torch.Tensor:
        """The mean over the labels of those examples whose answer is known, ``right`` (batch,) not being -1."""
        import torch
        from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy
        from torch.nn.utils.rnn import pad_sequence

        if self.choice_loss == "softmax":
            lowest = torch.finfo(parts[0].dtype).min
            return cross_entropy(
                pad_sequence(list(parts), batch_first=True, padding_value=lowest), right, ignore_index=-1
            )
        known = [(part, place) for part, place in zip(parts, right.tolist(), strict=True) if place >= 0]
        wanted = [torch.arange(len(part), device=part.device) == place for part, place in known]
        return binary_cross_entropy_with_logits(torch.cat([part for part, _ in known]), torch.cat(wanted).float())

    def decode(self, outputs: Sequence[np.ndarray], features: Sequence[Feature]) -> dict[str, Any]:
        """What the choice of the highest number is called: its label, or its number from 0."""
        numbered = self.task.features[self.task.target] == "int64"
        found = {}
        for scores, feature in zip(outputs, features, strict=True):
            best = int(scores[: len(feature.names)].argmax())
            found[feature.id] = best if numbered else feature.names[best]
        return found
