# SPDX-License-Identifier: Apache-2.0
"""How a program ends: its exit codes, and a user's mistake told in one line."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from typing import NoReturn

from euroglue.disk import disk_is_full
from euroglue.errors import EuroglueError, one_line

FOUND = 1
"""Exit code: the command ran, and its check found something."""
MISTAKE = 2
"""Exit code: the user's mistake, told in one line on standard error."""
STOPPED = 130
"""Exit code: stopped by the user, as shells have it."""
CLOSED = 141
"""Exit code: whoever read the output went away, as shells have it."""


def mistake(error: Exception) -> str | None:
    """What a user did wrong, in words; None for a bug.

    >>> mistake(FileNotFoundError(2, "No such file or directory", "a.jsonl"))
    'a.jsonl: No such file or directory'
    >>> mistake(KeyError("a"))
    """
    if isinstance(error, EuroglueError):
        return str(error)
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    if disk_is_full(error):
        return f"no space left on a disk (that of EUROGLUE_HOME, HF_HOME or TMPDIR?): {error}"
    return None


def tell(message: str) -> None:
    """Print a message of the program on standard error, as one line."""
    print(f"euroglue: {one_line(message)}", file=sys.stderr)


def closed() -> int:
    """The exit code where whoever read the output went away; what is still to be printed goes nowhere, without an error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return CLOSED


class Parser(argparse.ArgumentParser):
    """Tells a wrong call as every other mistake: in one line, with exit code 2."""

    def error(self, message: str) -> NoReturn:
        """Leave; the message says what was wrong."""
        tell(f"{message}. See {self.prog} --help.")
        sys.exit(MISTAKE)


def run(main: Callable[[], None]) -> None:
    """Run a script: a mistake of the user's is one line and exit code 2, and stopping it exit code 130.

    Raises:
        SystemExit: the script did not run to its end.
    """
    try:
        main()
        if sys.stdout is not None:  # closed by whoever started us
            sys.stdout.flush()
    except KeyboardInterrupt:
        sys.exit(STOPPED)
    except BrokenPipeError:
        sys.exit(closed())
    except Exception as error:
        if (message := mistake(error)) is None:
            raise
        tell(message)
        sys.exit(MISTAKE)
