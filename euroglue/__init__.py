# SPDX-License-Identifier: Apache-2.0
"""NLP benchmarks for European languages as a plug-in for Hugging Face ``datasets`` and ``evaluate``.

Importing this package makes the suites' names known to both libraries; it loads neither of them, nor torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import euroglue.plugin as plugin
from euroglue.version import __version__

if TYPE_CHECKING:
    from euroglue.prepare.pipeline import prepare as prepare_task
    from euroglue.registry import find_task
    from euroglue.scoring import score

plugin.install()

__all__ = ["__version__", "find_task", "prepare_task", "score"]


_LAZY = {
    "find_task": ("euroglue.registry", "find_task"),
    "prepare_task": ("euroglue.prepare.pipeline", "prepare"),
    "score": ("euroglue.scoring", "score"),
}


def __getattr__(name: str) -> Any:
    """What is imported on first use, so that ``import euroglue`` stays light."""
    from importlib import import_module

    if name in _LAZY:
        module, attribute = _LAZY[name]
        return getattr(import_module(module), attribute)
    raise AttributeError(f"module 'euroglue' has no attribute {name!r}")
