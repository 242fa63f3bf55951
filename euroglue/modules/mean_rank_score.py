# SPDX-License-Identifier: Apache-2.0
"""Ranks of systems over tasks for ``evaluate``: ``evaluate.load("mean_rank_score")``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import evaluate
from datasets import Features, Value

from euroglue.errors import EuroglueError, PredictionError, shown
from euroglue.modules import in_memory
from euroglue.modules.card import Card
from euroglue.scoring.signature import digest, signature_of_many
from euroglue.scoring.standings import RULES, SPREADS, standings

FIELDS = ("system", "task", "score")

CARD = Card(
    title="Mean rank score",
    emoji="🏅",
    summary="EuroEval's mean rank score of many systems over tasks, with mean rank and Borda count beside it.",
    description=(
        "Ranks systems by their scores on several tasks. The rank score says by how many standard deviations a system is "
        "behind the best one of each task, so that tasks whose scores are of different kinds can be averaged; mean rank and "
        "Borda count look at the order alone. All of them compare systems with each other: a system more or less changes "
        "the numbers of the others."
    ),
    homepage="https://euroeval.com",
    citation="""@inproceedings{nielsen-2023-scandeval,
  title     = {{ScandEval}: A Benchmark for {S}candinavian Natural Language Processing},
  author    = {Nielsen, Dan},
  booktitle = {Proceedings of the 24th Nordic Conference on Computational Linguistics (NoDaLiDa)},
  year      = {2023}
}""",
    predictions=(
        'system → task → score, or the scores of several runs; or a list of `{"system": …, "task": …, "score": …}`, of '
        "which several of one system and task are its runs. The higher the better."
    ),
    references="nothing.",
    options={
        "tasks": "the tasks that count (by default all that occur); a system that lacks one is not ranked.",
        "no_spread": f"{' or '.join(f'`{name}`' for name in SPREADS)}: a task on which all scores are equal counts 1 for "
        "all (the default), or is left out.",
    },
    formula="""
$$\\text{mean\\_rank\\_score}_m = \\frac{1}{|T|} \\sum_{t \\in T} \\left(1 + \\frac{\\max_n \\bar s_{n,t} - \\bar s_{m,t}}{\\sigma_t}\\right)$$

with the mean $\\bar s_{m,t}$ of system $m$ on task $t$ and the standard deviation $\\sigma_t$ (divisor $n$) of all scores of
all systems on it. `mean_rank` is the mean of the ranks from 1, ties sharing their average; `borda` the number of systems
beaten, summed over tasks, half a point for each tie.
""",
    range="`mean_rank_score` and `mean_rank` 1–∞, low is good; `borda` 0 to (systems − 1) · tasks, high is good.",
    examples=(
        """
>>> import euroglue
>>> import evaluate
>>> metric = evaluate.load("mean_rank_score")
>>> table = {"A": {"ner": [0.85, 0.75], "qa": 0.5}, "B": {"ner": [0.70, 0.80], "qa": 0.6}, "C": {"ner": 0.9}}
>>> ranks = metric.compute(predictions=table)
>>> {system: round(value, 3) for system, value in ranks["mean_rank_score"].items()}
{'B': 1.447, 'A': 2.0}
>>> ranks["mean_rank"], ranks["borda"], ranks["unranked"]
({'A': 1.5, 'B': 1.5}, {'A': 1.0, 'B': 1.0}, {'C': ['qa']})
""",
        """
>>> metric.add(prediction={"system": "A", "task": "scala-sl", "score": -0.05})
>>> metric.add(prediction={"system": "B", "task": "scala-sl", "score": 0.05})
>>> metric.compute()["mean_rank_score"]
{'B': 1.0, 'A': 3.0}
""",
    ),
    limits=(
        "Only systems with a score for every task are ranked; the others are named under `unranked`.",
        "Scores worse than chance (below 0) count as they are; EuroEval's leaderboard drops them first.",
        "One task on which a single system fails badly has a large deviation and tells the others apart less.",
        "No interval: EuroEval shows the median of resamples; resample the runs and compute again for one.",
    ),
)


def _by_system(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, list[Any]]]:
    found: dict[str, dict[str, list[Any]]] = {}
    for row in rows:
        if odd := [row[name] for name in ("system", "task") if not isinstance(row[name], str)]:
            raise PredictionError(f"mean_rank_score: expected names of systems and tasks, got {shown(odd[0])}")
        found.setdefault(row["system"], {}).setdefault(row["task"], []).append(row["score"])
    return found


def _listed(scores: Any) -> list[float]:
    return sorted(map(float, in_memory.as_list(scores) or [scores]))


def _first(rule: str) -> bool:
    """Sorts the rule that the module is named after before the others, so that messages name it."""
    return rule != "mean_rank_score"


class MeanRankScore(in_memory.InMemoryModule):
    """The mean rank score, mean rank and Borda count of systems over tasks."""

    def __init__(self, config_name: str | None = None, **options: Any):
        """Make the module; it has no configs.

        Raises:
            EuroglueError: one is asked for.
        """
        if config_name not in (None, in_memory.UNNAMED):
            raise EuroglueError(f"mean_rank_score has no config {config_name!r}; give its options to compute")
        self._kept: list[Any] = []
        self.signature = ""
        super().__init__(config_name, **options)

    def _info(self) -> evaluate.MetricInfo:
        row = {"system": Value("string"), "task": Value("string"), "score": Value("float64")}
        said = "".join(f"    {name}: {text}\n" for name, text in CARD.options.items())
        return evaluate.MetricInfo(
            description=CARD.description,
            citation=CARD.citation,
            features=Features({"predictions": row}),
            inputs_description=f"\nArgs:\n    predictions: {CARD.predictions}\n    references: {CARD.references}\n{said}",
            homepage=CARD.homepage,
            license="Apache-2.0",
            reference_urls=[CARD.homepage],
        )

    def __len__(self) -> int:
        """The number of scores that are kept for the next ``compute``."""
        return len(self._kept)

    def add(self, *, prediction: Any = None, **both: Any) -> None:
        """Keep one score: ``{"system": …, "task": …, "score": …}``."""
        self.add_batch(predictions=[both.pop("predictions", prediction)], **both)

    def add_batch(self, *, predictions: Any = None, references: Any = None, **unknown: Any) -> None:
        """Keep a list of scores."""
        in_memory.refuse(unknown, ("predictions",), "mean_rank_score")
        rows = in_memory.as_list(predictions)
        for row in rows or [None]:
            if references is not None or not isinstance(row, Mapping) or set(row) != set(FIELDS):
                expected = "{" + ", ".join(f'"{name}": …' for name in FIELDS) + "}"
                raise PredictionError(f"mean_rank_score: expected {expected} without a reference, got {shown(row)}")
        self._kept.extend(dict(row) for row in rows or [])

    def compute(
        self,
        *,
        predictions: Any = None,
        references: Any = None,
        tasks: Any = None,
        no_spread: str = "one",
        **unknown: Any,
    ) -> dict[str, Any]:
        """Rank the systems by what was added or is given, which is then forgotten.

        Returns:
            ``mean_rank_score``, ``mean_rank`` and ``borda``, each by system, the best first; ``unranked``, the tasks that
            systems lack; ``skipped_tasks``, those that count for nobody under ``no_spread``.

        Raises:
            PredictionError: a score is no finite number, or no system has all tasks.
            EuroglueError: there is no such policy.
        """
        kept, self._kept = self._kept, []
        in_memory.refuse(unknown, ("predictions", "tasks", "no_spread"), "mean_rank_score")
        if references is not None:
            raise PredictionError("mean_rank_score: systems are compared with each other; it takes no references")
        if kept and predictions is not None:
            raise PredictionError("mean_rank_score: scores were added and given to compute as well; do one of them")
        if not isinstance(predictions, Mapping):
            if predictions is not None:
                self.add_batch(predictions=predictions)
                kept, self._kept = self._kept, []
            predictions = _by_system(kept)
        counted = None if tasks is None else in_memory.as_list(tasks)
        if tasks is not None and not counted:
            raise PredictionError(f"mean_rank_score: expected a list of names as tasks, got {shown(tasks)}")
        found = {name: standings(predictions, name, counted, no_spread) for name in sorted(RULES, key=_first)}
        first = found["mean_rank_score"]
        used = list(dict.fromkeys(task for scores in predictions.values() for task in scores))
        taken = used if counted is None else counted
        table = {name: {task: _listed(predictions[name][task]) for task in taken} for name in first.values}
        kinds = {"systems": f"{len(table)}~{digest(table)}", "no_spread": no_spread}
        self.signature = signature_of_many("mean_rank_score", taken, **kinds)
        return {
            **{name: dict(found[name].values) for name in ("mean_rank_score", "mean_rank", "borda")},
            "unranked": {system: list(missing) for system, missing in first.unranked.items()},
            "skipped_tasks": list(first.skipped),
        }
