# SPDX-License-Identifier: Apache-2.0
"""Run any script with our names known: ``euroglue run SCRIPT …``, ``accelerate launch -m euroglue.run SCRIPT …``."""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Sequence

import euroglue  # noqa: F401  (importing it makes the names resolvable)
from euroglue.exits import MISTAKE, tell

USAGE = "usage: euroglue run SCRIPT [ARGS]… or euroglue run -m MODULE [ARGS]…"


def main(arguments: Sequence[str]) -> int:
    """Run a script or module as ``python`` would: its arguments, its place on the path, its errors and exit code.

    Args:
        arguments: the script and its arguments, or ``-m``, a module and its arguments.

    Returns:
        0 when the script ran to its end, 2 when there is none; what the script raises, ``SystemExit`` included, is let
        through.
    """
    module = list(arguments[:1]) == ["-m"]
    rest = list(arguments[1:] if module else arguments)
    if not rest or (rest[0].startswith("-") and not module):
        tell(f"expected a script, got {' '.join(arguments) or 'nothing'}; {USAGE}")
        return MISTAKE
    if not module and not os.path.exists(rest[0]):
        tell(f"there is no script {rest[0]!r} in {os.getcwd()}")
        return MISTAKE
    sys.argv[:] = rest
    if module:
        _first_on_path(os.getcwd())
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    else:
        if os.path.isfile(rest[0]):
            _first_on_path(os.path.dirname(os.path.realpath(rest[0])))
        runpy.run_path(rest[0], run_name="__main__")
    return 0


def _first_on_path(folder: str) -> None:
    """Put the script's folder where the launcher's was, unless Python was told to keep it off the path."""
    if not getattr(sys.flags, "safe_path", sys.flags.isolated):
        sys.path[0] = folder


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
