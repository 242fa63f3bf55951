# SPDX-License-Identifier: Apache-2.0
"""Modules of the ``evaluate`` library: each holds one ``EvaluationModule`` class, and the literal of its card."""

from __future__ import annotations

from euroglue.registry import Registry

MODULES: Registry[str] = Registry("evaluation module")
"""What ``evaluate.load`` is asked for → the module of this package that holds the class."""

for _name in (
    "bgglue_score",
    "checkworthiness_ap",
    "dumb_score",
    "entity_f1",
    "euroeval_sl_score",
    "mean_rank_score",
    "pearson_spearman",
    "qa_f1",
    "rer",
):
    MODULES.register(_name, f"{__name__}.{_name}")
