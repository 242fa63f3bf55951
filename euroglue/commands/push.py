# SPDX-License-Identifier: Apache-2.0
"""``euroglue push`` and ``euroglue push-metrics``: prepared splits and metric modules to the Hub."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from euroglue.commands.data import finish, prepare_all
from euroglue.commands.options import AcceptLicence, AllowMissing, DataDir, Edition, Json, Suite, Tasks
from euroglue.commands.terminal import print_json, show

if TYPE_CHECKING:
    from euroglue.publish.hub import Pushed

Private = Annotated[bool, typer.Option("--private", help="Make the repository private; a public one is refused.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("push")(push)
    app.command("push-metrics")(push_metrics)


def push(
    suite: Suite,
    names: Tasks = None,
    repo: Annotated[str, typer.Option("--repo", metavar="ORG/NAME", help="The data set repository.")] = "",
    private: Private = False,
    hide_labels: Annotated[
        list[str] | None, typer.Option("--hide-labels", metavar="SPLIT", help="Leave out the labels of a split.")
    ] = None,
    edition: Edition = None,
    data_dir: DataDir = None,
    allow_missing_splits: AllowMissing = False,
    accept_licence: AcceptLicence = False,
    as_json: Json = False,
) -> None:
    """Push prepared splits to the Hub, as far as their licences allow it.

    The token is the one that this machine is logged in with, or $HF_TOKEN; $HF_ENDPOINT names another Hub.
    """
    from euroglue.errors import EuroglueError
    from euroglue.publish.hub import push as send
    from euroglue.registry import SUITES

    if not repo:
        raise EuroglueError("--repo is missing: name the repository, such as --repo my-organisation/bgglue")
    made, warnings = prepare_all(
        suite,
        names,
        edition,
        data_dir=data_dir,
        allow_missing_splits=allow_missing_splits,
        accept_licence=accept_licence,
    )
    done = send(SUITES[suite], made, repo, private=private, hidden=tuple(hide_labels or ()))
    _tell([done], as_json)
    finish(warnings)


def push_metrics(
    names: Annotated[list[str] | None, typer.Argument(metavar="[METRIC]…", help="Folders; all by default.")] = None,
    org: Annotated[str, typer.Option("--org", metavar="ORG", help="Whose Spaces.")] = "",
    folder: Annotated[Path, typer.Option("--folder", metavar="DIR", help="Where the folders are.")] = Path("metrics"),
    private: Private = False,
    as_json: Json = False,
) -> None:
    """Push the folders of evaluate modules to the Hub, each as a Space."""
    from euroglue.errors import EuroglueError
    from euroglue.modules import MODULES
    from euroglue.publish.hub import push_folder

    if not org:
        raise EuroglueError("--org is missing: name whose Spaces they are, such as --org my-organisation")
    chosen = names or list(MODULES)
    for name in chosen:
        if name not in MODULES:
            raise EuroglueError(MODULES.unknown(name))
        if not (folder / name / "README.md").is_file():
            raise EuroglueError(f"{folder / name}: expected a metric's folder with a README.md; give --folder")
    _tell([push_folder(folder / name, f"{org}/{name}", "space", private=private) for name in chosen], as_json)


def _tell(pushed: list[Pushed], as_json: bool) -> None:
    if as_json:
        print_json([vars(one) for one in pushed])
        return
    for one in pushed:
        changes = [f"{len(one.written)} written", f"{len(one.removed)} removed"]
        changed = ", ".join(changes) if one.written or one.removed else "nothing has changed"
        show(f"{one.url} at {one.commit[:12]}: {changed}")
