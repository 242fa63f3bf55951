# SPDX-License-Identifier: Apache-2.0
"""What a kind of task must say so that the one training loop can train and predict it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from euroglue.task import Task

if TYPE_CHECKING:
    import numpy as np
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerFast


@dataclass(frozen=True, slots=True)
class Feature:
    """One row of a batch: an example, or a window of it.

    ``input_ids`` include the special tokens. ``target`` is what ``collate`` makes the labels of, and ``weight`` how
    many labels of it enter the loss (0: nothing to learn from). ``words`` are the words predicted from this window and
    ``positions`` where their first sub-words stand in ``input_ids``. ``types`` tell the two texts of a pair apart, for
    encoders that want it.
    """

    id: str
    input_ids: list[int]
    target: Any
    weight: int
    words: tuple[int, ...] = ()
    positions: tuple[int, ...] = ()
    types: list[int] | None = None


class TaskKind(Protocol):
    """Encode, collate, head and decode: all that the training loop knows of a task."""

    def __init__(self, task: Task, tokenizer: PreTrainedTokenizerFast, *, max_length: int, stride: int): ...

    def encode(self, rows: Mapping[str, Sequence[Any]]) -> list[Feature]:
        """Turn columns of examples into features, at least one for every example, in the order of the examples."""

    def collate(self, features: Sequence[Feature]) -> dict[str, torch.Tensor]:
        """Stack features, padded to the longest of them, into the arguments of the model's ``forward``."""

    def head(self, model: str, *, trained: bool, trust_remote_code: bool) -> PreTrainedModel:
        """Load the encoder at ``model`` under this kind's head; ``trained`` demands that the head is there too."""

    def decode(self, outputs: Sequence[np.ndarray], features: Sequence[Feature]) -> dict[str, Any]:
        """Turn each feature's logits into predictions by example id; row i of a sequence output is input position i."""
