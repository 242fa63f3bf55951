# SPDX-License-Identifier: Apache-2.0
"""One module per kind of task: how it is encoded, collated, headed and decoded."""

from __future__ import annotations

from euroglue.registry import Registry
from euroglue.task import Kind
from euroglue.training.kinds.kind import Feature, Output, TaskKind

__all__ = ["KINDS", "Feature", "Output", "TaskKind"]

KINDS: Registry[type[TaskKind]] = Registry("trainable kind of task")
"""The kinds that can be trained, by the value of ``Kind``; a module is imported when its kind is first asked for."""

KINDS.register(
    Kind.TOKEN_CLASSIFICATION.value, target="euroglue.training.kinds.token_classification:TokenClassification"
)
KINDS.register(Kind.REGRESSION.value, target="euroglue.training.kinds.regression:Regression")
