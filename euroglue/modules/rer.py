# SPDX-License-Identifier: Apache-2.0
"""Relative error reduction for ``evaluate``: ``evaluate.load("rer")``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import evaluate
from datasets import Features, Value

from euroglue.errors import PredictionError, shown
from euroglue.modules import in_memory
from euroglue.modules.card import Card
from euroglue.scoring.aggregate import mean
from euroglue.scoring.rer import described, reductions
from euroglue.scoring.results_table import PUBLISHED, published
from euroglue.scoring.signature import signature_of_many

DEFAULT_SUITE = "dumb"

SUMMARY = "Relative error reduction of a system against a baseline, per task and on average."
DESCRIPTION = (
    "Relative error reduction (RER) says which share of a baseline's errors a system avoids. It makes scores of tasks "
    "comparable whose levels differ: one point more on a task where the baseline makes two errors in a hundred counts "
    "for more than one point more where it makes forty."
)
CITATION = """@inproceedings{de-vries-etal-2023-dumb,
  title     = {{DUMB}: A Benchmark for Smart Evaluation of {D}utch Models},
  author    = {de Vries, Wietse and Wieling, Martijn and Nissim, Malvina},
  booktitle = {Proceedings of the 2023 Conference on Empirical Methods in Natural Language Processing},
  year      = {2023}
}"""
INPUTS = """
Args:
    predictions: the system's scores (0–1): a mapping of task names to scores, or a list.
    references: the baseline's scores in the same shape; if not given, those that were published for the baseline of the
        suite that the config names (by default ``dumb``, whose baseline is BERTje).
    tasks: the tasks' names, where the scores are lists.
"""


class RelativeErrorReduction(in_memory.PairsModule):
    """The relative error reduction of a system, per task and on average; the config names a suite.

    ``evaluate.load("rer")`` takes the published scores of DUMB's baseline where none are given. ``signature`` tells, after
    ``compute``, which tasks and which baseline it was.
    """

    where: ClassVar[str] = "rer"
    signature: str = ""

    def __init__(self, config_name: str | None = None, **options: Any):
        """Make the module.

        Raises:
            UnknownNameError: no results were published with the suite ``config_name``.
        """
        self._suite = DEFAULT_SUITE if config_name in (None, in_memory.UNNAMED) else str(config_name)
        PUBLISHED[self._suite]
        super().__init__(config_name, **options)

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=DESCRIPTION,
            citation=CITATION,
            features=Features({"predictions": Value("float64"), "references": Value("float64")}),
            inputs_description=INPUTS,
            homepage="https://dumbench.nl",
            license="Apache-2.0",
            reference_urls=["https://dumbench.nl"],
        )

    def compute(
        self, *, predictions: Any = None, references: Any = None, tasks: Any = None, **unknown: Any
    ) -> dict[str, Any]:
        """The relative error reductions of what was added or is given, which is then forgotten.

        Returns:
            ``rer``, the mean over all of the baseline's tasks; ``<task>_rer`` for each named task, or ``reductions``, a
            list, where the scores have no names; and ``missing_tasks``: while there is one, ``rer`` is None.

        Raises:
            PredictionError: scores and baseline do not fit together, or a pair has no reduction.
        """
        kept = self._kept.take().sides()
        in_memory.refuse(unknown, ("predictions", "references", "tasks"), self.where)
        if len(kept[0]) and predictions is not None:
            raise PredictionError("rer: scores were added and given to compute as well; do one of them")
        if len(kept[0]):
            predictions, references = kept
        named = isinstance(predictions, Mapping) or tasks is not None
        scores = _by_task(predictions, tasks, "predictions")
        if references is not None:
            baseline = _by_task(references, tasks, "references")
        elif named:
            baseline = dict(published(self._suite).base.scores)
        else:
            raise PredictionError("rer: scores without tasks have no published baseline; give tasks, or references")
        found = _reduced(scores, baseline, named)
        against = published(self._suite).baseline if references is None else described(baseline)
        self.signature = signature_of_many("rer", scores, baseline=against, n=str(len(baseline)))
        return found


def _reduced(scores: Mapping[str, Any], baseline: Mapping[str, Any], named: bool) -> dict[str, Any]:
    if not named and len(scores) != len(baseline):
        raise PredictionError(f"rer: expected {len(baseline)} scores, one per baseline score, got {len(scores)}")
    try:
        found = reductions(scores, baseline)
    except PredictionError as error:
        raise PredictionError(f"rer: {error}") from error
    missing = [name for name in baseline if name not in found]
    overall = None if missing else mean(list(found.values()))
    if not named:
        return {"rer": overall, "reductions": list(found.values()), "missing_tasks": []}
    each = {f"{name.replace('-', '_')}_rer": found[name] for name in baseline if name in found}
    if len(each) < len(found):
        raise PredictionError(f"rer: tasks whose names differ only in - and _ would share a score: {', '.join(found)}")
    return {"rer": overall, **each, "missing_tasks": missing}


def _by_task(values: Any, tasks: Any, side: str) -> dict[str, Any]:
    """Scores by task; those of a list by the names in ``tasks``, or by their place."""
    if isinstance(values, Mapping):
        found = dict(values)
        if side == "predictions" and tasks is not None and list(found) != in_memory.as_list(tasks):
            raise PredictionError("rer: predictions are by task already; leave tasks out")
    else:
        listed, names = in_memory.as_list(values), in_memory.as_list(tasks)
        if listed is None:
            raise PredictionError(f"rer: expected a list or a mapping of scores as {side}, got {type(values).__name__}")
        names = [f"score {place}" for place in range(len(listed))] if tasks is None else names
        if names is None or not all(isinstance(name, str) for name in names):
            raise PredictionError(f"rer: expected a list of names as tasks, got {shown(tasks)}")
        if len(names) != len(listed) or len(set(names)) != len(names):
            raise PredictionError(
                f"rer: expected {len(names)} {side}, one for each of distinct tasks, got {len(listed)}"
            )
        found = dict(zip(names, listed, strict=True))
    if odd := [name for name in found if not isinstance(name, str)]:
        raise PredictionError(f"rer: expected names of tasks, got {shown(odd[0])}")
    if not found:
        raise PredictionError(f"rer: there are no {side} to compare")
    return found


CARD = Card(
    title="Relative error reduction",
    emoji="🇳🇱",
    summary=SUMMARY,
    description=DESCRIPTION,
    citation=CITATION,
    formula="""
$$\\text{RER}_t = \\frac{s_t - b_t}{1 - b_t} \\qquad \\text{RER} = \\frac{1}{|T|} \\sum_{t \\in T} \\text{RER}_t$$

where $s_t$ is the system's score on task $t$ and $b_t$ the baseline's, both from 0 to 1. It is 0 for the baseline, 1 for
a system without errors, and negative for one that makes more errors than the baseline; there is no lower bound. The mean
is taken over all of the baseline's tasks or not at all: while one is missing, `rer` is `None` and `missing_tasks` names
it.
""",
    examples=(
        """
>>> import euroglue
>>> import evaluate
>>> metric = evaluate.load("rer")
>>> scores = metric.compute(predictions={"qa": 0.85, "pos": 0.99}, references={"qa": 0.80, "pos": 0.98})
>>> {key: round(scores[key], 3) for key in ("rer", "qa_rer", "pos_rer")}
{'rer': 0.375, 'qa_rer': 0.25, 'pos_rer': 0.5}
""",
        """
>>> part = metric.compute(tasks=["dpr", "squadnl"], predictions=[0.70, 0.80])  # against BERTje's published scores
>>> round(part["dpr_rer"], 3), round(part["squadnl_rer"], 3), part["rer"], len(part["missing_tasks"])
(0.123, 0.326, None, 7)
""",
    ),
    limits=(
        "Scores must be shares, 0–1 and not 0–100; a higher one must be better. Errors such as RMSE have no RER.",
        "A baseline that scores 1.0 makes no errors to be reduced: it is refused, not turned into infinity.",
        "Where the baseline is nearly perfect a few items make a large reduction: look at the scores too.",
    ),
)
