# SPDX-License-Identifier: Apache-2.0
"""``euroglue compare``: whether two systems differ on a task."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from euroglue.commands.data import finish
from euroglue.commands.intervals import Group, Level, Resamples, Seed, bootstrap_of
from euroglue.commands.options import DataDir, Edition, Json, OneTask, Predicted, References, Suite
from euroglue.commands.terminal import print_json, show, table

if TYPE_CHECKING:
    from euroglue.comparing import Compared
    from euroglue.scoring.bootstrap import Bootstrap
    from euroglue.task import Task


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("compare")(compare)


def compare(
    suite: Suite,
    name: OneTask,
    first: Annotated[str, typer.Argument(metavar="FIRST", help="A file of predictions; with --results a model.")],
    others: Annotated[
        list[str], typer.Argument(metavar="OTHER…", help="What the first is compared with, one or more.")
    ],
    results: Annotated[
        Path | None, typer.Option(metavar="DIR", help="A folder of results that kept their rows, instead of files.")
    ] = None,
    references: References = None,
    split: Predicted = None,
    edition: Edition = None,
    data_dir: DataDir = None,
    score: Annotated[str | None, typer.Option(metavar="KEY", help="Which score; the published one by default.")] = None,
    interval: Annotated[str, typer.Option(metavar="KIND", help="bca or percentile.")] = "bca",
    resamples: Resamples = None,
    level: Level = None,
    seed: Seed = None,
    group: Group = None,
    as_json: Json = False,
) -> None:
    """The difference of systems on the same examples: its interval, and tests of whether it is more than chance.

    Paired bootstrap, approximate randomisation (exact where there are few examples), and McNemar's test where examples are
    right or wrong; against several others also Holm's correction. Results of different data or settings are refused, and
    the difference is named.

    Exits with 1 if there is a warning: unknown labels or choices, or missing tags.
    """
    from euroglue.errors import EuroglueError
    from euroglue.registry import find_task
    from euroglue.scoring.bootstrap import Bootstrap
    from euroglue.scoring.significance import holm

    if len({first, *others}) <= len(others):
        raise EuroglueError(f"give each system once, got {', '.join([first, *others])}")
    task = find_task(suite, name)
    how = bootstrap_of(interval, resamples, level, seed, group) or Bootstrap()
    if results is not None:
        if references is not None or edition is not None:
            raise EuroglueError("--results says itself of which data they are: leave out --references and --edition")
        found = _records(task, results, first, others, split or "test", data_dir, score, how)
    elif references is None:
        found = _files(task, first, others, split or "test", edition, data_dir, score, how)
    elif split or edition or data_dir:
        raise EuroglueError("give either --references or a split (--split, --edition, --data-dir), not both")
    else:
        found = _against_gold(task, first, others, references, score, how)
    corrected = holm({one.names[1]: one.result.randomisation.p for one in found}) if len(found) > 1 else {}
    if as_json:
        each = [one.to_dict() for one in found]
        print_json({"comparisons": each, "holm": corrected} if corrected else each[0])
    else:
        for one in found:
            _show(one, how)
        if corrected:
            show(table("randomisation, by Holm's correction", "system", "p", rows=list(corrected.items())))
    finish(list(dict.fromkeys(warning for one in found for warning in one.warnings)))


def _files(
    task: Task,
    first: str,
    others: list[str],
    split: str,
    edition: str | None,
    data_dir: str | None,
    score: str | None,
    how: Bootstrap,
) -> list[Compared]:
    from euroglue.choices import choice_names
    from euroglue.comparing import compare_files, groups_by_id
    from euroglue.prepare import prepare
    from euroglue.task import Kind

    made = prepare(task, edition, data_dir=data_dir)
    rows = made.table(split)
    gold = dict(zip(map(str, rows[task.id_column]), rows[task.target], strict=True))
    groups = groups_by_id(made, split, how)
    chosen = None if groups is None else list(groups.values())
    choices = choice_names(task, rows) if task.kind is Kind.MULTIPLE_CHOICE else None
    data: dict[str, Any] = {"fingerprint": made.fingerprint, "bootstrap": how, "groups": chosen, "key": score}
    data["choices"] = choices
    return [compare_files(task, gold, (first, other), **data) for other in others]


def _against_gold(
    task: Task, first: str, others: list[str], references: Path, score: str | None, how: Bootstrap
) -> list[Compared]:
    from euroglue.comparing import compare_files
    from euroglue.errors import EuroglueError
    from euroglue.evaluation import read_gold
    from euroglue.scoring.bootstrap import EXAMPLES

    if how.over != EXAMPLES:
        raise EuroglueError(f"a file of gold has no column {how.over!r}; compare on a split instead")
    known = read_gold(references, task)
    return [compare_files(task, known, (first, other), bootstrap=how, key=score) for other in others]


def _records(
    task: Task,
    folder: Path,
    first: str,
    others: list[str],
    split: str,
    data_dir: str | None,
    score: str | None,
    how: Bootstrap,
) -> list[Compared]:
    from euroglue.comparing import compare_records, find_record, groups_by_id
    from euroglue.errors import EuroglueError
    from euroglue.prepare import prepare
    from euroglue.results import ResultStore
    from euroglue.scoring.bootstrap import EXAMPLES

    store = ResultStore.existing(folder)
    one, *rest = (find_record(store, task, split, name) for name in (first, *others))
    groups = None
    if how.over != EXAMPLES:
        made = prepare(task, one.edition or None, data_dir=data_dir)
        if one.fingerprint != made.fingerprint:
            raise EuroglueError(f"{task.path}: the results are of other data than the prepared {made.edition} edition")
        groups = groups_by_id(made, split, how)
    return [
        compare_records(store, task, (one, other), bootstrap=how, groups=groups, key=score, names=(first, name))
        for name, other in zip(others, rest, strict=True)
    ]


def _show(found: Compared, how: Bootstrap) -> None:
    result, (one, other) = found.result, found.names
    over = f"{result.n:,} examples" + ("" if how.over == "examples" else f" in {result.units:,} values of {how.over}")
    rows = [("first", one, result.first), ("second", other, result.second), ("difference", "", result.difference)]
    show(table(f"{found.task}: {result.score}, {over}", "", "system", "score", rows=rows))
    low, high = result.interval.low, result.interval.high
    kind = f"{how.level:.0%} interval of the difference ({how.method}, {how.resamples:,} resamples)"
    show(f"{kind}: " + ("none" if low is None or high is None else f"{low:+.4f} to {high:+.4f}"))
    random = result.randomisation
    ways = f"all {random.arrangements:,} swaps" if random.exact else f"{random.arrangements:,} random swaps"
    tests: list[tuple[str, float | None, str]] = [
        ("paired bootstrap", result.bootstrap_p, ""),
        ("randomisation", random.p, ways),
    ]
    if (mcnemar := result.mcnemar) is not None:
        apart = f"right alone: first {mcnemar.only_first:,}, second {mcnemar.only_second:,}"
        tests += [("McNemar, exact", mcnemar.exact, apart), ("McNemar, mid-p", mcnemar.mid_p, "")]
    notes = [f"note: {note}" for note in found.notes]
    show(table("two-sided tests", "test", "p", "", rows=tests), *notes, f"signature: {found.signature}")
