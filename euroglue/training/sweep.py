# SPDX-License-Identifier: Apache-2.0
"""Sweeps: every setting that a paper searches, for every model and task; the best by validation, again with other seeds.

All that a sweep knows lies in the folders of its runs and in the results store: whatever dies, the same command goes on.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from euroglue.errors import EuroglueError
from euroglue.finished_runs import LEFT_OUT, read_run, shown_name
from euroglue.results import Record, ResultStore
from euroglue.training.recipes import PaperRecipe, combinations
from euroglue.training.run_folder import BEST, METRICS, RunFolder

if TYPE_CHECKING:
    from euroglue.task import Task
    from euroglue.training.executors import Executor

PRECISION = ("mixed_precision", "auto")
"""The setting whose value depends on the machine."""
BUSY = 60.0
"""Seconds to wait for another process (of a sweep that died) to let go of a run's folder."""


@dataclass(frozen=True)
class Trial:
    """One run: plain values, so that it can be sent to another machine."""

    suite: str
    task: str
    model: str
    edition: str | None
    overrides: Mapping[str, Any]
    root: str
    source: Mapping[str, Any] = field(default_factory=dict)
    """Options of ``euroglue.prepare.prepare`` by which the data are found; they do not tell runs apart."""

    @property
    def folder(self) -> Path:
        """The run's folder, named by all that tells it from the others."""
        about = json.dumps([self.model, self.edition, dict(self.overrides)], sort_keys=True)
        digest = hashlib.sha256(about.encode()).hexdigest()[:12]
        return Path(self.root) / "runs" / self.suite / self.task / f"{slug(self.model)}--{digest}"

    @property
    def metrics(self) -> dict[str, Any] | None:
        """The scores, or None while the run is not finished."""
        return RunFolder(self.folder).read(METRICS)


@dataclass(frozen=True)
class Search:
    """One model on one task: the runs among which the best is chosen, and the settings in which it is repeated."""

    task: Task
    model: str
    trials: tuple[Trial, ...]
    repeats: tuple[Mapping[str, Any], ...]

    def winner(self) -> Trial | None:
        """The trial that is best on validation, the first of equals; None if none is finished."""
        from euroglue.scoring import metric_for

        metric = metric_for(self.task)
        sign = -1 if math.isinf(metric.high) else 1
        scored = []
        for number, trial in enumerate(self.trials):
            if (metrics := trial.metrics) is not None:
                scores = metrics["splits"]["validation"]["scores"]
                scored.append((-sign * scores[metric.primary], number, trial))
        return min(scored)[-1] if scored else None

    def repetitions(self, winner: Trial) -> list[Trial]:
        """The winner's settings under each seed; the winner itself is one of them."""
        return [dataclasses.replace(winner, overrides={**winner.overrides, **repeat}) for repeat in self.repeats]


@dataclass(frozen=True)
class Plan:
    """What is to be done: ``searches``, and in words what is ``held`` by the results store already."""

    searches: tuple[Search, ...]
    held: tuple[str, ...]

    @property
    def trials(self) -> list[Trial]:
        """The runs of all searches, those of short tasks and long ones as they come."""
        return [trial for search in self.searches for trial in search.trials]

    @property
    def runs(self) -> int:
        """How many runs there are in all: a winner's own run is its first repetition."""
        return sum(len(search.trials) + len(search.repeats) - 1 for search in self.searches)

    @property
    def finished(self) -> int:
        """How many runs of the searches are finished already."""
        return sum(trial.metrics is not None for trial in self.trials)


@dataclass
class Outcome:
    """What a sweep brought: records for the store, and in words what failed."""

    records: list[Record] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


def plan(
    tasks: Sequence[Task],
    models: Sequence[str],
    recipe: PaperRecipe,
    out: Path,
    store: ResultStore,
    *,
    edition: str | None = None,
    seeds: int | None = None,
    fixed: Mapping[str, Any] | None = None,
    source: Mapping[str, Any] | None = None,
) -> Plan:
    """Lay out the runs of every model on every task, less what the store holds.

    A search of which some runs are finished here and others are not, since they failed, is gone on with whatever it holds.

    Args:
        tasks: of one suite or several.
        models: folders or Hub ids.
        recipe: whose values are searched and how the winner is repeated.
        out: the sweep's folder.
        store: where the results go.
        edition: of the data; by default each task's own.
        seeds: how many times the winner is run; as often as the paper does if not given.
        fixed: settings that hold for all runs; those of a grid are then not searched.
        source: options of ``euroglue.prepare.prepare`` for finding the data: ``data_dir``, ``allow_missing_splits``.

    Raises:
        EuroglueError: a setting is unknown or out of range, or the recipe's repetitions cannot be had so often.
    """
    fixed = dict(fixed or {})
    for name in sorted(set(fixed) & {"task", "model", "edition", "recipe"}):
        raise EuroglueError(
            f"{name}: it is no training setting, but what the sweep is about: give it by its own option"
        )
    for name in sorted(set(fixed) & {"seed", *(name for repeat in recipe.repeats for name in repeat)}):
        raise EuroglueError(f"{name}: the recipe says with which runs are repeated; say how many by --seeds")
    repeats, held, searches = repetitions(recipe, seeds), [], []
    base = {"recipe": recipe.name, **recipe.base}
    if "epochs" in fixed and "max_steps" not in fixed:
        base.pop("max_steps", None)
    for task in tasks:
        for model in models:
            grid = {name: values for name, values in recipe.grid(task).items() if name not in fixed}
            runs = [{**base, **combination, **fixed, **repeats[0]} for combination in combinations(grid)]
            common = (task.suite, task.name, model, edition)
            trials = tuple(Trial(*common, run, str(out), dict(source or {})) for run in runs)
            search = Search(task, model, trials, tuple(repeats))
            if _is_held(search, recipe, store):
                held.append(f"{model} on {task.path}: {len(repeats)} results are in {store.root} already")
            else:
                searches.append(search)
    return Plan(tuple(searches), tuple(held))


def repetitions(recipe: PaperRecipe, seeds: int | None) -> list[Mapping[str, Any]]:
    """The settings of so many repetitions: the recipe's own, then further seeds.

    Raises:
        EuroglueError: the recipe's repetitions differ in more than their seeds, and there are not so many.
    """
    own = list(recipe.repeats)
    wanted = len(own) if seeds is None else seeds
    if wanted < 1:
        raise EuroglueError(f"seeds: expected at least 1, got {wanted}")
    if wanted > len(own) and any(set(repeat) != {"seed"} for repeat in own):
        raise EuroglueError(
            f"the recipe {recipe.name} has {len(own)} repetitions: expected at most as many, got {wanted}"
        )
    further = range(own[-1]["seed"] + 1, own[-1]["seed"] + 1 + max(0, wanted - len(own)))
    return [*own[:wanted], *({"seed": seed} for seed in further)]


def sweep(searches: Sequence[Search], recipe: PaperRecipe, store: ResultStore, executor: Executor) -> Iterator[Outcome]:
    """Run all searches, then each winner's repetitions, and write the results; yields what came of each search.

    A run that fails is told and left; the others go on. The weights of runs that did not win are removed.
    """
    failures: dict[Path, str] = {}
    todo = [trial for search in searches for trial in search.trials if trial.metrics is None]
    failures |= {trial.folder: error for trial, error in executor.map(run_trial, todo) if error is not None}
    winners = {search.trials[0].folder: search.winner() for search in searches}
    repeated = {place: search.repetitions(won) for place, search, won in _won(searches, winners)}
    todo = [trial for trials in repeated.values() for trial in trials if trial.metrics is None]
    failures |= {trial.folder: error for trial, error in executor.map(run_trial, todo) if error is not None}
    for search in searches:
        trials = repeated.get(search.trials[0].folder, [])
        outcome = Outcome(
            [record for trial in trials if trial.metrics for record in keep_results(trial, recipe, store)]
        )
        for trial in dict.fromkeys(one.folder for one in [*search.trials, *trials]):
            if trial in failures:
                outcome.failures.append(f"{search.model} on {search.task.path} ({trial}): {failures[trial]}")
        if trials:
            _drop_losers(search, trials)
        yield outcome


def run_trial(trial: Trial) -> str | None:
    """Make one run, or go on with it; returns what went wrong in words, None if nothing did."""
    from euroglue.registry import find_task
    from euroglue.training.run import train

    task = find_task(trial.suite, trial.task)
    apart: dict[str, Any] = {"edition": trial.edition, "source": trial.source, "wait": BUSY}
    try:
        train(task, trial.model, trial.folder, **apart, **trial.overrides)
    except EuroglueError as error:
        return str(error)
    return None


def keep_results(trial: Trial, recipe: PaperRecipe, store: ResultStore) -> list[Record]:
    """Write the scores of a finished run into the store, a record a split, with the metric's rows by example."""
    from euroglue.evaluation import rows_on_split
    from euroglue.prepare import prepare

    run, records = read_run(trial.folder), []
    for split in run.scores:
        found = run.record(split)
        record = dataclasses.replace(found, settings={**found.settings, "recipe": recipe.name})
        whole = not (run.settings.get("limit") or {}).get(split) and not (
            split == "validation" and "bootstrap" in run.settings
        )
        rows = None
        if whole:
            rows = rows_on_split(prepare(run.task, run.edition, **trial.source), split, run.predictions(split))
        store.add(record, rows, replace=True)
        records.append(record)
    return records


def read_models(file: Path) -> list[str]:
    """The models in a file, a folder (by its whole path, since runs may be made elsewhere) or Hub id a line.

    ``#`` begins a remark.

    Raises:
        EuroglueError: the file is no text, names no model, or two that results could not tell apart.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise EuroglueError(f"{file}: expected a text in UTF-8, a model a line: {error.reason}") from error
    lines = [line.partition("#")[0].strip() for line in text.splitlines()]
    models = [str(Path(line).absolute()) if os.path.isdir(line) else line for line in lines if line]
    if not models or len(set(map(shown_name, models))) < len(models):
        raise EuroglueError(
            f"{file}: expected a model a line, each once and folders of different names, got {', '.join(models) or 'none'}"
        )
    return models


def slug(model: str) -> str:
    """A readable name for files.

    >>> slug("models/BERT base")
    'models-bert-base'
    """
    return re.sub(r"[^a-z0-9]+", "-", model.lower()).strip("-")[-60:] or "model"


def _won(searches: Sequence[Search], winners: Mapping[Path, Trial | None]) -> Iterator[tuple[Path, Search, Trial]]:
    for search in searches:
        if (won := winners[search.trials[0].folder]) is not None:
            yield search.trials[0].folder, search, won


def _is_held(search: Search, recipe: PaperRecipe, store: ResultStore) -> bool:
    """Whether the store has the scores of every repetition of one of the trials, on the split that is scored last.

    Runs of another recipe or setting, or on a part of the data, are none of this search's.
    """
    asked = [[_settings(search.task, trial, repeat) for trial in search.trials] for repeat in search.repeats]
    finished = sum(trial.metrics is not None for trial in search.trials)
    if 0 < finished < len(search.trials):
        return False
    task, model, edition = search.task, search.model, search.trials[0].edition or search.task.default_edition
    split = "validation" if "test" in task.edition(edition).hidden else "test"
    about = {"suite": task.suite, "task": task.name, "method": "fine-tuned", "edition": edition, "split": split}
    known = []
    for record in store.find(**about, model=shown_name(model)):
        if record.settings.get("recipe") == recipe.name:
            held = {name: value for name, value in record.settings.items() if name != "recipe"} | {"seed": record.seed}
            known += [held, {name: value for name, value in held.items() if name != PRECISION[0]}]
    return all(any(settings in known for settings in each) for each in asked)


def _settings(task: Task, trial: Trial, repeat: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a repetition of the trial as records hold them; the precision only if it was named."""
    from euroglue.training.settings import Settings

    made = Settings.of(task, trial.model, trial.edition, **{**trial.overrides, **repeat})
    plain = {name: value for name, value in made.to_json().items() if name == "seed" or name not in LEFT_OUT}
    return {name: value for name, value in plain.items() if value is not None and (name, value) != PRECISION}


def _drop_losers(search: Search, trials: Sequence[Trial]) -> None:
    kept = {trial.folder for trial in trials}
    for trial in search.trials:
        if trial.folder not in kept and trial.metrics is not None:
            shutil.rmtree(trial.folder / BEST, ignore_errors=True)
