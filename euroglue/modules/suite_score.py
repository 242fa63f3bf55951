# SPDX-License-Identifier: Apache-2.0
"""What the score modules of all suites share: one task's scores under its config, the suite's score without one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import evaluate
from datasets import Features, Value

from euroglue.errors import PredictionError, UnknownNameError, shown
from euroglue.modules.in_memory import UNNAMED, Batches, InMemoryModule, aligned, as_list, refuse, something
from euroglue.registry import SUITES
from euroglue.scoring import METRICS, Result, score
from euroglue.scoring.aggregate import SuiteScore, aggregate
from euroglue.task import Kind

if TYPE_CHECKING:
    from euroglue.task import Suite, Task

INPUTS = """
Args:
    predictions: one per example, in the order of the references: a list of tags, a label, an answer or a number. Tags
        and labels are names or integer ids; in a ranking a higher number is a better rank; an answer in words may be
        empty for none. Or a mapping of example ids to those, with such a mapping of references; the two are then joined
        by id. Without a config, a mapping of task names to any of these.
    references: the gold, in the same shape; for a ranking labels; for answers in words ``{"text": […], "answer_start":
        […]}``.
    tasks: without a config only: names of tasks that have been scored already.
    scores: their primary scores, in the order of ``tasks``.
    baseline: without a config only, where the suite's score is measured against a baseline: a mapping of task names to
        its scores; by default the published ones.
"""


class SuiteScoreModule(InMemoryModule):
    """The scores of a suite for ``evaluate``; a subclass names the suite.

    Everything stays in memory: no cache files, no locks, no open handles, whatever is computed and however often. What
    ``compute`` returns is finite and JSON can hold it. ``signature`` tells how a suite's score was made; ``results`` keeps,
    until the next ``compute``, the signature and the warnings of each task scored.
    """

    suite_name: ClassVar[str]

    def __init__(self, config_name: str | None = None, **options: Any):
        """Make the module for one task, or, without ``config_name``, for the whole suite.

        Raises:
            UnknownNameError: the suite has no such task; the message lists those it has, the nearest first.
            EuroglueError: more than one process is asked for.
        """
        self.results: tuple[Result, ...] = ()
        self.signature = ""
        self._kept: dict[str, Batches] = {}
        self._config = None if config_name in (None, UNNAMED) else str(config_name)
        if self._config is not None:
            self._find(self._config)
        super().__init__(config_name, **options)

    @property
    def suite(self) -> Suite:
        """The suite that is scored."""
        return SUITES[self.suite_name]

    @property
    def _task(self) -> Task | None:
        return None if self._config is None else self._find(self._config)

    def _find(self, name: str) -> Task:
        if name not in self.suite.tasks:
            raise UnknownNameError(f"{self.suite_name}: {self.suite.tasks.unknown(str(name))}")
        return self.suite.tasks[name]

    def _info(self) -> evaluate.MetricInfo:
        subject: Suite | Task = self._task or self.suite
        if self._task is not None:
            choices = _inputs(self._task)
            features = [Features({"predictions": guess, "references": gold}) for guess, gold in choices]
        else:
            first = {task.name: _inputs(task)[0] for task in self.suite.tasks.values()}
            sides = ({name: pair[side] for name, pair in first.items()} for side in (0, 1))
            features = [Features(dict(zip(("predictions", "references"), sides)))]
        return evaluate.MetricInfo(
            description=f"{subject.title}: {subject.description}",
            citation=subject.citation,
            features=features if len(features) > 1 else features[0],
            inputs_description=INPUTS,
            homepage=subject.homepage,
            license="Apache-2.0",
            reference_urls=[subject.homepage],
        )

    def __len__(self) -> int:
        """The number of examples that are kept for the next ``compute``."""
        return sum(map(len, self._kept.values()))

    def add(self, *, prediction: Any = None, reference: Any = None, **both: Any) -> None:
        """Keep one prediction and its reference; without a config, mappings of task names to one each."""
        guess, gold = both.pop("predictions", prediction), both.pop("references", reference)
        something(guess, gold, self._where)
        if self._task is None and isinstance(guess, Mapping) and isinstance(gold, Mapping):
            guess, gold = ({name: [value] for name, value in side.items()} for side in (guess, gold))
            self.add_batch(predictions=guess, references=gold, **both)
        else:
            self.add_batch(predictions=[guess], references=[gold], **both)

    def add_batch(self, *, predictions: Any = None, references: Any = None, **unknown: Any) -> None:
        """Keep a batch of predictions and their references."""
        refuse(unknown, _KNOWN, self._where)
        self._keep(self._kept, predictions, references)

    def _keep(self, kept: dict[str, Batches], predictions: Any, references: Any) -> None:
        if self._task is not None:
            batch = {self._task.name: _aligned(self._task, predictions, references)}
        else:
            batch = self._by_task(predictions, references)
        for name, pair in batch.items():
            kept.setdefault(name, Batches()).add(*pair)

    def compute(
        self,
        *,
        predictions: Any = None,
        references: Any = None,
        tasks: Any = None,
        scores: Any = None,
        baseline: Mapping[str, float] | None = None,
        **unknown: Any,
    ) -> dict[str, Any]:
        """Score what was added and what is given, and forget it.

        Returns:
            With a config, that task's scores (0–1 or −1–1) under flat keys. Without one, ``<suite>_score``, the primary
            score of each task, what each contributes where that is not the score itself (``<task>_rer``), and
            ``missing_tasks``; while any is missing the suite's score is None.

        Raises:
            PredictionError: predictions and references cannot be scored; the message says why.
            UnknownNameError: the suite has no such task.
        """
        kept, self._kept = self._kept, {}
        refuse(unknown, _KNOWN, self._where)
        if predictions is not None or references is not None:
            self._keep(kept, predictions, references)
        if self._task is not None and not (tasks is scores is baseline is None):
            raise PredictionError(
                f"{self._where}: tasks, scores and a baseline make the suite's score: load it without a config"
            )
        given = {} if tasks is scores is None else self._given(tasks, scores, kept)
        if not kept and not given:
            raise PredictionError(f"{self._where}: nothing to score; give predictions and references")
        found = [score(self._find(name), *batches.sides()) for name, batches in kept.items()]
        self.results = tuple(found)
        if self._task is not None:
            return dict(found[0].scores)
        return self._overall({**given, **{_name(result): result.value for result in found}}, baseline)

    @property
    def _where(self) -> str:
        return self._task.path if self._task is not None else self.suite_name

    def _by_task(self, predictions: Any, references: Any) -> dict[str, tuple[Any, Any]]:
        if not isinstance(predictions, Mapping) or not isinstance(references, Mapping):
            raise PredictionError(
                f"{self.suite_name}: expected mappings of task names to predictions and to references, got "
                f"{type(predictions).__name__} and {type(references).__name__}; for one task, load its config: "
                f"{', '.join(self.suite.tasks)}"
            )
        if alone := sorted(map(str, set(predictions) ^ set(references))):
            raise PredictionError(
                f"{self.suite_name}: predictions without references or the reverse: {', '.join(alone)}"
            )
        return {name: _aligned(self._find(name), predictions[name], references[name]) for name in predictions}

    def _given(self, tasks: Any, scores: Any, kept: Mapping[str, Batches]) -> dict[str, float]:
        names, values = as_list(tasks), as_list(scores)
        if odd := [name for name in names or () if not isinstance(name, str)]:
            raise PredictionError(f"{self.suite_name}: expected names of tasks, got {shown(odd[0])}")
        if names is None or values is None or len(names) != len(values):
            counts = " and ".join("none" if side is None else str(len(side)) for side in (names, values))
            raise PredictionError(f"{self.suite_name}: expected as many tasks as scores, got {counts}")
        twice = sorted({name for name in names if names.count(name) > 1} | {name for name in names if name in kept})
        if twice:
            raise PredictionError(f"{self.suite_name}: tasks given twice: {', '.join(twice)}")
        return dict(zip(names, values, strict=True))

    def _overall(self, scores: Mapping[str, float], baseline: Mapping[str, float] | None) -> dict[str, Any]:
        total: SuiteScore = aggregate(self.suite, scores, baseline)
        self.signature = total.signature
        each = {_key(name): value for name, value in total.tasks.items()}
        parts = {f"{_key(name)}_{total.aggregate}": value for name, value in total.contributions.items()}
        return {f"{self.suite_name}_score": total.value, **each, **parts, "missing_tasks": list(total.missing)}


_KNOWN = ("predictions", "references", "tasks", "scores", "baseline")


def _aligned(task: Task, predictions: Any, references: Any) -> tuple[Any, Any]:
    return aligned(predictions, references, task.path, METRICS[task.metric].fills)


def _key(name: str) -> str:
    return name.replace("-", "_")


def _name(result: Result) -> str:
    return result.task.partition("/")[2]


def _inputs(task: Task) -> list[tuple[Any, Any]]:
    """What one prediction and its reference may be, as features: names or ids, lists of those, numbers, answers in words."""
    numbered = bool(task.labels) or task.features[task.target] == "int64"
    number, named = Value("float64"), [Value("string"), *([Value("int64")] if numbered else [])]
    if task.kind is Kind.REGRESSION:
        return [(number, number)]
    if task.kind is Kind.RANKING:
        return [(number, one) for one in named]
    if isinstance(task.features[task.target], Mapping):
        from euroglue.builder import features

        return [(Value("string"), features(task)[task.target])]
    return [([one], [one]) if task.kind is Kind.TOKEN_CLASSIFICATION else (one, one) for one in named]
