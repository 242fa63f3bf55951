# SPDX-License-Identifier: Apache-2.0
"""Libraries that the base install lacks, and the extras that bring them."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence

from euroglue.errors import EuroglueError


def require(what: str, **extras: Sequence[str]) -> None:
    """Refuse to go on where a library is not installed.

    Args:
        what: what needs the libraries, for the message.
        extras: extra → the modules of it that are needed.

    Raises:
        EuroglueError: some are missing; the message names them and what to install.

    >>> require("a horoscope", site=("json", "no_such_module"))
    Traceback (most recent call last):
    euroglue.errors.EuroglueError: a horoscope needs no_such_module: pip install 'euroglue[site]'
    """
    missing = {name: extra for extra, names in extras.items() for name in names if not importlib.util.find_spec(name)}
    if missing:
        chosen = ",".join(sorted(set(missing.values())))
        raise EuroglueError(f"{what} needs {', '.join(missing)}: pip install 'euroglue[{chosen}]'")


def require_training(what: str) -> None:
    """Refuse to train or to predict where a library for it is not installed; as ``require``."""
    require(what, train=("torch", "transformers", "accelerate", "safetensors"))
