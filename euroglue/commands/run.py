# SPDX-License-Identifier: Apache-2.0
"""``euroglue run``: any script, with our names known."""

from __future__ import annotations

from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command; whatever follows the script belongs to the script."""
    passed_on = {"ignore_unknown_options": True, "allow_interspersed_args": False}
    app.command("run", context_settings=passed_on)(run)


def run(
    arguments: Annotated[list[str], typer.Argument(metavar="SCRIPT [ARGS]…", help="A script, or -m and a module.")],
) -> None:
    """Run a Python script, as python would, with the names of the suites known to datasets and evaluate.

    Options after the script are the script's own: euroglue run trainer.py --dataset_name bgglue.
    """
    from euroglue.run import main

    raise typer.Exit(main(arguments))
