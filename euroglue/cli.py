# SPDX-License-Identifier: Apache-2.0
"""The command line: ``euroglue COMMAND …``. Commands parse arguments, call the library and show what it says."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from euroglue.commands import (
    analyse,
    audit,
    card,
    compare,
    demo,
    describe,
    leaderboard,
    licences,
    prepare,
    prompt,
    push,
    results,
    run,
    score,
    submit,
    sweep,
    tasks,
)
from euroglue.exits import MISTAKE, STOPPED, closed, mistake, tell

app = typer.Typer(
    help="NLP benchmarks for European languages: list, prepare, describe, audit and score tasks.",
    epilog="Exit codes: 0 fine · 1 the check found something · 2 a mistake, told in one line on standard error.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        from euroglue.version import __version__

        typer.echo(f"euroglue {__version__}")
        raise typer.Exit()


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and leave.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    pass


COMMANDS = (
    tasks,
    licences,
    prepare,
    describe,
    audit,
    score,
    compare,
    submit,
    results,
    leaderboard,
    analyse,
    prompt,
    push,
    demo,
    sweep,
    card,
    run,
)
for module in COMMANDS:
    module.register(app)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    Args:
        arguments: what follows the program's name; by default those of this process.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["run"] and len(given) > 1 and given[1] != "--help":
        from euroglue.run import main as run_script

        return run_script(given[1:])
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        code = typer.main.get_command(app).main(args=given or ["--help"], prog_name="euroglue", standalone_mode=False)
        if sys.stdout is not None:  # closed by whoever started us
            sys.stdout.flush()
        return _stopped() if code == STOPPED else code or 0
    except (KeyboardInterrupt, typer.Abort):
        return _stopped()
    except BrokenPipeError:
        return closed()
    except Exception as error:
        message = _usage(error) or mistake(error)
        if message is None:
            raise
        tell(message)
        return MISTAKE


def _usage(error: Exception) -> str | None:
    """What was wrong with the arguments, if that was it.

    Such errors are known by ``format_message``: typer brings its own click or uses the installed one, by its version.
    """
    return f"{error.format_message().rstrip('.')}. See euroglue --help." if hasattr(error, "format_message") else None


def _stopped() -> int:
    tell("stopped")
    return STOPPED


if __name__ == "__main__":
    sys.exit(main())
