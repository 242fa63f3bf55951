# SPDX-License-Identifier: Apache-2.0
"""The arguments and options that several commands have: each is called and explained alike everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Suite = Annotated[str, typer.Argument(metavar="SUITE", help="A suite, such as bgglue.")]
OneTask = Annotated[str, typer.Argument(metavar="TASK", help="A task of the suite.")]
Tasks = Annotated[list[str] | None, typer.Argument(metavar="TASK", help="Tasks of the suite; all by default.")]
Edition = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="official, rebuilt or sample; by default the edition that each task names."),
]
DataDir = Annotated[
    str | None,
    typer.Option(metavar="DIR", help="Folder with the raw files; else $EUROGLUE_RAW_DIR/SUITE/TASK, else downloaded."),
]
AcceptLicence = Annotated[
    bool, typer.Option("--accept-licence", help="Record that you have signed and accept the terms of gated tasks.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON on standard output, and nothing else there.")]
AllowMissing = Annotated[
    bool, typer.Option("--allow-missing-splits", help="Leave out raw files that are not at hand, and their splits.")
]
References = Annotated[
    Path | None, typer.Option(metavar="FILE", help="The gold, in the same format; else a split of an edition.")
]
Predicted = Annotated[
    str | None, typer.Option("--split", metavar="NAME", help="The split that was predicted; test by default.")
]
KeepRows = Annotated[
    bool,
    typer.Option(
        "--keep-rows",
        help="Also keep the metric's values by example, from which tests of differences follow. They may give gold "
        "labels away: keep the folder private.",
    ),
]
Replace = Annotated[bool, typer.Option("--replace", help="Take the new result where the store has another.")]
