# SPDX-License-Identifier: Apache-2.0
"""Modules of the ``evaluate`` library: each holds one ``EvaluationModule`` class, and the literal of its card."""

from __future__ import annotations

from euroglue.registry import Registry

MODULES: Registry[str] = Registry("evaluation module")
"""What ``evaluate.load`` is asked for → the module of this package that holds the class."""

MODULES.register("bgglue_score", "euroglue.modules.bgglue_score")
MODULES.register("dumb_score", "euroglue.modules.dumb_score")
MODULES.register("euroeval_sl_score", "euroglue.modules.euroeval_sl_score")
MODULES.register("rer", "euroglue.modules.rer")
