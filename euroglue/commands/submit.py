# SPDX-License-Identifier: Apache-2.0
"""``euroglue submit``: pack, check and score submissions to a leaderboard."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from euroglue.commands.intervals import Interval, bootstrap_of
from euroglue.commands.options import DataDir, Edition, Json, KeepRows, Replace
from euroglue.commands.terminal import print_json, show, table
from euroglue.exits import FOUND

if TYPE_CHECKING:
    from euroglue.submission.check import Checked, Find

Archive = Annotated[Path, typer.Argument(metavar="SUB.zip", help="The submission.")]
Gold = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="A private folder of gold: TASK.jsonl, TASK/labels.txt, or what euroglue prepare --out wrote.",
    ),
]
SuiteName = Annotated[
    str | None, typer.Option("--suite", metavar="NAME", help="The suite, where the submission does not say it.")
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(help="Pack predictions into a submission, check one, score one.")
    group.command("pack")(pack)
    group.command("check")(check)
    group.command("score")(score)
    app.add_typer(group, name="submit", no_args_is_help=True)


def pack(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN…", help="Folders of finished runs, one for each task.")],
    out: Annotated[Path, typer.Option(metavar="SUB.zip", help="The submission.")],
    split: Annotated[str, typer.Option(metavar="NAME", help="The split whose predictions are packed.")] = "test",
    model: Annotated[str | None, typer.Option(metavar="NAME", help="The model's name on the leaderboard.")] = None,
    revision: Annotated[str | None, typer.Option(metavar="COMMIT", help="The model's commit or version.")] = None,
    parameters: Annotated[int | None, typer.Option(metavar="N", min=1, help="The number of its parameters.")] = None,
    method: Annotated[
        str | None, typer.Option(metavar="NAME", help="fine-tuned, prompted, baseline or submitted.")
    ] = None,
    shots: Annotated[int | None, typer.Option(metavar="N", min=0, help="Examples shown in the prompt.")] = None,
    link: Annotated[str | None, typer.Option(metavar="URL", help="The model's page.")] = None,
    description: Annotated[str | None, typer.Option(metavar="TEXT", help="A sentence on the system.")] = None,
) -> None:
    """Pack the predictions of finished runs, one for each task of a suite, in bgGLUE's layout."""
    from euroglue.finished_runs import read_run
    from euroglue.submission.pack import pack as pack_runs

    given = {"revision": revision, "parameters": parameters, "method": method, "shots": shots, "link": link}
    found = [read_run(folder, model=model) for folder in runs]
    made = pack_runs(found, out, split=split, description=description, **given)
    show(f"packed {len(made.tasks)} tasks of {made.suite} by {made.model} into {out}")


def check(
    archive: Archive,
    gold: Gold = None,
    edition: Edition = None,
    data_dir: DataDir = None,
    suite: SuiteName = None,
    as_json: Json = False,
) -> None:
    """List everything that is wrong with a submission, by file and line. Exits with 1 where something is.

    Ids and lengths are compared with the gold folder, else with the prepared edition, where it can be had.
    """
    checked = _check(archive, suite, _find(gold, edition, data_dir, required=False))
    if as_json:
        problems = [problem._asdict() for problem in checked.problems]
        print_json({"problems": problems, "notes": list(checked.notes), "tasks": list(checked.predictions)})
    else:
        _tell(checked)
    if checked.problems:
        raise typer.Exit(FOUND)


def score(
    archive: Archive,
    gold: Gold = None,
    edition: Edition = None,
    data_dir: DataDir = None,
    results: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Also add the scores to this store of results.")
    ] = None,
    keep_rows: KeepRows = False,
    replace: Replace = False,
    interval: Interval = None,
    as_json: Json = False,
) -> None:
    """Check a submission and score it; nothing is scored while something is wrong, and the exit code is then 1.

    The gold is that of a private folder, or of a prepared edition with labels; it is never shown.
    """
    from euroglue.results import ResultStore
    from euroglue.submission.score import score_submission

    checked = _check(archive, None, _find(gold, edition, data_dir, required=True))
    if checked.problems:
        _tell(checked)
        raise typer.Exit(FOUND)
    scored = score_submission(checked, bootstrap_of(interval, None, None, None, None))
    if results is not None:
        store = ResultStore(results)
        for one in scored:
            store.add(one.record, one.rows if keep_rows else None, replace=replace)
    if as_json:
        print_json([one.record.to_dict() for one in scored])
        return
    rows = [(one.record.task, one.record.primary, one.record.value, one.record.n) for one in scored]
    title = f"{checked.metadata.model} on {checked.metadata.suite}" if checked.metadata else ""
    show(table(title, "task", "metric", "score", "examples", rows=rows, whole=("task", "metric")))
    for line in [*checked.notes, *(f"{one.record.task}: {what}" for one in scored for what in one.record.warnings)]:
        show(line)


def _find(gold: Path | None, edition: str | None, data_dir: str | None, *, required: bool) -> Find:
    from euroglue.errors import EuroglueError
    from euroglue.submission.score import from_editions, from_folder

    if gold is not None and (edition or data_dir):
        raise EuroglueError("give either --gold or an edition (--edition, --data-dir), not both")
    return from_folder(gold) if gold is not None else from_editions(edition, data_dir, required=required)


def _check(archive: Path, suite: str | None, find: Any) -> Checked:
    from euroglue.submission.check import check as check_submission

    return check_submission(archive, find, suite)


def _tell(checked: Checked) -> None:
    for problem in checked.problems:
        print(problem)
    for note in checked.notes:
        print(f"note: {note}", file=sys.stderr)
    count = len(checked.problems)
    whole = f"{len(checked.predictions)} tasks are without one"
    show(
        f"{count:,} problem{'s' * (count != 1)}; {whole}"
        if count
        else f"no problems in {len(checked.predictions)} tasks"
    )
