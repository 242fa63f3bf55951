# SPDX-License-Identifier: Apache-2.0
"""What a kind of task must say so that the one training loop can train and predict it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from euroglue.task import Task

if TYPE_CHECKING:
    import numpy as np
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

    from euroglue.scoring.metric import Metric

DECIMALS = 4
"""Predicted numbers are rounded to so many decimals, well above the noise of 32-bit sums, so that machines agree."""
IGNORED = -100
"""The label of what does not enter the loss, by convention of PyTorch's cross entropy."""


@dataclass(frozen=True, slots=True)
class Feature:
    """One row of a batch: an example, or a window of it.

    ``input_ids`` are all ids of the row, special tokens included. ``target`` is what ``collate`` makes the labels of,
    and ``weight`` how many labels of it enter the loss (0: nothing to learn from). ``words`` are the words predicted
    from this window and ``positions`` where in ``input_ids`` to read. ``types`` tell the two texts of a pair apart, for
    encoders that want it. ``names`` are those of an example's choices. ``spans`` (positions read, 2) say where in
    ``text`` each piece begins and ends.
    """

    id: str
    input_ids: list[int]
    target: Any
    weight: int
    words: tuple[int, ...] = ()
    positions: tuple[int, ...] = ()
    types: list[int] | None = None
    names: tuple[str, ...] = ()
    text: str = ""
    spans: np.ndarray | None = field(default=None, compare=False)


class Output(NamedTuple):
    """What a model says of a batch: its logits, a row a feature, and the mean loss over labels, ``None`` without labels."""

    loss: Any
    logits: torch.Tensor


class TaskKind(ABC):
    """Encode, collate, head and decode: all that the training loop knows of a task."""

    auto: ClassVar[str]
    """The Auto class of Transformers that loads an encoder under this kind's head."""
    label_inputs: ClassVar[tuple[str, ...]] = ("labels",)
    """The arguments of the model that are there in training only."""
    needs_record: ClassVar[bool] = False
    """Whether the outputs of a checkpoint that was trained elsewhere cannot be read: its names do not tell their scale."""

    def __init__(
        self,
        task: Task,
        tokenizer: PreTrainedTokenizerFast,
        *,
        max_length: int,
        stride: int,
        choice_loss: str = "softmax",
    ):
        """``max_length`` and ``stride`` count sub-words; ``choice_loss``, ``softmax`` or ``binary``, is that of choices."""
        self.task = task
        self.tokenizer = tokenizer
        self.max_length = max_length
        self.stride = stride
        self.choice_loss = choice_loss

    @abstractmethod
    def encode(self, rows: Mapping[str, Sequence[Any]]) -> list[Feature]:
        """Turn columns of examples into features, at least one for every example, in the order of the examples."""

    @abstractmethod
    def collate(self, features: Sequence[Feature]) -> dict[str, torch.Tensor]:
        """Stack features, padded to the longest of them, into the arguments of ``run``."""

    def outputs(self) -> dict[str, Any]:
        """What the configuration says of the head: by default an output for each label of the task."""
        names = self.task.labels
        return {"id2label": dict(enumerate(names)), "label2id": {name: i for i, name in enumerate(names)}}

    def head(self, model: str, *, trained: bool, trust_remote_code: bool, **config: Any) -> PreTrainedModel:
        """Load the encoder at ``model`` under this kind's head; ``trained`` demands that the head is there too.

        ``config`` overrides the model's own configuration.
        """
        import transformers

        from euroglue.training.models import load_model

        auto = getattr(transformers, self.auto)
        given = {**self.outputs(), **config}
        return load_model(auto, model, trained=trained, trust_remote_code=trust_remote_code, **given)

    def run(self, model: torch.nn.Module, inputs: Mapping[str, torch.Tensor]) -> Output:
        """Apply the model, bare or wrapped for training, to collated features, with labels or without."""
        output = model(**inputs)
        return Output(output.loss, output.logits)

    @abstractmethod
    def decode(self, outputs: Sequence[np.ndarray], features: Sequence[Feature]) -> dict[str, Any]:
        """Turn each feature's logits into predictions by example id; row i of a sequence output is input position i."""

    def tune(
        self, outputs: Sequence[np.ndarray], features: Sequence[Feature], references: Mapping[str, Any], metric: Metric
    ) -> None:
        """Set what decoding leaves open, such as a threshold, by the outputs and the gold of the validation split.

        Most kinds leave nothing open and keep this as it is.

        Args:
            outputs: each feature's logits.
            features: those of the validation split.
            references: the gold by example id.
            metric: by which predictions are judged.
        """
        del outputs, features, references, metric

    @property
    def tuned(self) -> dict[str, float]:
        """What ``tune`` set, to be kept with the checkpoint."""
        return {}

    def restore(self, tuned: Mapping[str, float]) -> None:
        """Take back what a checkpoint has kept of ``tuned``; the base needs none."""
        del tuned
