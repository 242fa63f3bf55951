# SPDX-License-Identifier: Apache-2.0
"""Language models by prompting: prompts, shots, requests, answers, and the runner that stores and scores them.

``PROMPTS`` maps a name to a function from a task to its ``Prompt``; ``BACKENDS`` maps a name to what makes a ``Backend``
of a model's name. Both load their values on first use.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from euroglue.registry import Registry

if TYPE_CHECKING:
    from euroglue.prompting.prompt import Prompt
    from euroglue.prompting.request import Backend
    from euroglue.task import Task

PROMPTS: Registry[Callable[[Task], Prompt]] = Registry("set of prompts")
PROMPTS.register("own", target="euroglue.prompting.prompt:own")
PROMPTS.register("euroeval", target="euroglue.prompting.euroeval:as_run")
PROMPTS.register("euroeval-docs", target="euroglue.prompting.euroeval:as_documented")

BACKENDS: Registry[Callable[..., Backend]] = Registry("backend")
BACKENDS.register("transformers", target="euroglue.prompting.local:Local")
BACKENDS.register("openai", target="euroglue.prompting.server:Server")
