# SPDX-License-Identifier: Apache-2.0
"""One module per kind of task: how it is encoded, collated, headed and decoded."""

from __future__ import annotations

from euroglue.registry import Registry
from euroglue.task import Kind
from euroglue.training.kinds.kind import Feature, Output, TaskKind

__all__ = ["KINDS", "Feature", "Output", "TaskKind"]

KINDS: Registry[type[TaskKind]] = Registry("trainable kind of task")
"""The kinds that can be trained, by the value of ``Kind``; a module is imported when its kind is first asked for."""

for _module, _name in {
    Kind.TOKEN_CLASSIFICATION: "TokenClassification",
    Kind.SEQUENCE_CLASSIFICATION: "SequenceClassification",
    Kind.REGRESSION: "Regression",
    Kind.RANKING: "Ranking",
    Kind.MULTIPLE_CHOICE: "MultipleChoice",
    Kind.SPAN_CLASSIFICATION: "SpanClassification",
    Kind.QUESTION_ANSWERING: "QuestionAnswering",
}.items():
    KINDS.register(_module.value, target=f"euroglue.training.kinds.{_module.value}:{_name}")
