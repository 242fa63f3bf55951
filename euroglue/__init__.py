# SPDX-License-Identifier: Apache-2.0
"""NLP benchmarks for European languages as a plug-in for Hugging Face ``datasets`` and ``evaluate``.

Importing this package makes the suites' names known to both libraries; it loads neither of them, nor torch.
"""

from __future__ import annotations

from typing import Any

from euroglue import plugin
from euroglue.version import __version__

plugin.install()

__all__ = ["__version__", "find_task", "prepare_task", "score"]


def __getattr__(name: str) -> Any:
    """``score``, ``prepare_task`` and ``find_task`` are imported on first use, so that ``import euroglue`` stays light."""
    if name == "find_task":
        from euroglue.registry import find_task

        return find_task
    if name == "prepare_task":
        from euroglue.prepare.pipeline import prepare

        return prepare
    if name == "score":
        from euroglue.scoring import score

        return score
    raise AttributeError(f"module 'euroglue' has no attribute {name!r}")
