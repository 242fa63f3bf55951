# SPDX-License-Identifier: Apache-2.0
"""What all our modules for ``evaluate`` share: one process, and everything in memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import evaluate

from euroglue.errors import EuroglueError

UNNAMED = "default"
"""What ``evaluate`` calls the config when none is asked for."""


class InMemoryModule(evaluate.Metric):
    """A module without cache files, locks and open handles, whatever is computed and however often."""

    def __init__(self, config_name: str | None = None, *, num_process: int = 1, **options: Any):
        """Make the module; a ``config_name`` that is not given is ``default``.

        Raises:
            EuroglueError: more than one process is asked for.
        """
        if num_process != 1:
            raise EuroglueError(
                f"{type(self).__name__}: expected num_process=1, got {num_process}; gather the predictions first "
                "(accelerator.gather_for_metrics) and compute on the main process"
            )
        super().__init__(config_name=config_name, num_process=1, **options)

    def _build_data_dir(self) -> str:
        """Where ``evaluate`` would keep cache files; none are written, so no folder is made."""
        return self._data_dir_root

    def download_and_prepare(self, *args: Any, **options: Any) -> None:
        """Do nothing: there is nothing to download."""


def as_list(values: Any) -> list[Any] | None:
    """A sequence, array or tensor as a list; None for what is none of these."""
    plain = values.tolist() if hasattr(values, "tolist") else values
    return None if isinstance(plain, (str, Mapping)) or not hasattr(plain, "__iter__") else list(plain)
