# SPDX-License-Identifier: Apache-2.0
"""``euroglue card``: the page of a fine-tuned model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from euroglue.commands.terminal import show


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("card")(card)


def card(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a finished run.")],
    name: Annotated[str | None, typer.Option(metavar="NAME", help="The model's name on its page.")] = None,
    to: Annotated[
        Path | None, typer.Option("--to", metavar="FILE", help="Where to write; by default README.md beside the model.")
    ] = None,
) -> None:
    """Write the model card of a run: its results in the Hub's model-index format, its settings, how to use it."""
    from euroglue.publish.model_card import write_model_card

    show(str(write_model_card(run, name=name, to=to)))
