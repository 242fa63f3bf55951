# SPDX-License-Identifier: Apache-2.0
"""How a task's paper fine-tunes, as data of the task; nothing heavy is imported."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How a paper fine-tunes: the defaults of the trainers. ``warmup`` is a share of all steps, ``max_length`` in sub-words.

    ``max_steps`` optimiser steps are taken instead of ``epochs`` where it is given; validation is scored every
    ``eval_steps`` steps, or after each epoch; training ends after ``patience`` evaluations without a better one by the
    ``criterion``, the task's ``metric`` or the ``loss``. ``choice_loss`` is ``softmax``, over an example's choices, or
    ``binary``, for each choice alone.
    """

    learning_rate: float
    epochs: int
    batch_size: int
    weight_decay: float = 0.0
    warmup: float = 0.0
    max_length: int = 512
    clip: float = 1.0
    optimizer: str = "adamw"
    max_steps: int | None = None
    eval_steps: int | None = None
    patience: int | None = None
    criterion: str = "metric"
    choice_loss: str = "softmax"
    source: str = ""
