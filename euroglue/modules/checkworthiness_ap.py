# SPDX-License-Identifier: Apache-2.0
"""Average precision of a ranking for ``evaluate``: ``evaluate.load("checkworthiness_ap")``."""

from __future__ import annotations

from typing import Any, ClassVar

from datasets import Features, Value

from euroglue.modules import metric_module
from euroglue.modules.card import Card
from euroglue.scoring.ranking import CUTOFFS, TIES, AveragePrecision

DEFAULT_LABELS = ("0", "1")

CARD = Card(
    title="Check-worthiness average precision",
    emoji="🔎",
    summary="Average precision and its relatives of a ranking by scores, whatever the order of equal scores.",
    description=(
        "Average precision of examples ranked by a predicted number each, with precision at k, R-precision and reciprocal "
        "rank beside it: the scores of CheckThat! for what is worth checking, bgGLUE's for CT21.T1. Equal predictions are "
        "scored by their mean over all orders, so that neither the order of the file nor luck decides."
    ),
    homepage="https://gitlab.com/checkthat_lab",
    citation="""@inproceedings{nakov-etal-2021-checkthat,
  title     = {Overview of the {CLEF}-2021 {CheckThat!} Lab on Detecting Check-Worthy Claims, Previously Fact-Checked
               Claims, and Fake News},
  author    = {Nakov, Preslav and Da San Martino, Giovanni and Elsayed, Tamer and Barr{\\'o}n-Cede{\\~n}o, Alberto and
               others},
  booktitle = {Experimental {IR} Meets Multilinguality, Multimodality, and Interaction},
  year      = {2021}
}""",
    predictions="one finite number per example, higher for what should be ranked higher.",
    references="the gold labels: 1 and 0, or names out of `labels` or their ids.",
    options={
        "labels": "the label names in the order of their ids; by default `0` and `1`.",
        "positive": "the label that should be ranked high; by default the last.",
        "ties": (
            f"{' or '.join(f'`{name}`' for name in TIES)}: the mean over all orders of equal predictions (the default), or "
            "the order of the examples, as the scorer of CheckThat! keeps it."
        ),
    },
    formula="""
$$\\text{AP} = \\frac{1}{R} \\sum_{k\\,:\\,\\text{rank } k \\text{ is positive}} P@k \\qquad
P@k = \\frac{\\text{positives among the first } k}{k}$$

with $R$ positive examples. `r_precision` is $P@R$, `reciprocal_rank` one by the rank of the first positive.
""",
    range="0–1; 0 with a warning where no example is positive.",
    examples=(
        """
>>> import euroglue
>>> import evaluate
>>> metric = evaluate.load("checkworthiness_ap")
>>> scores = metric.compute(predictions=[0.9, 0.2, 0.6], references=[1, 1, 0])
>>> {key: round(scores[key], 3) for key in ("average_precision", "precision_at_3", "r_precision", "reciprocal_rank")}
{'average_precision': 0.833, 'precision_at_3': 0.667, 'r_precision': 0.5, 'reciprocal_rank': 1.0}
""",
        """
>>> [metric.compute(predictions=[0.5, 0.5], references=gold)["average_precision"] for gold in ([1, 0], [0, 1])]
[0.75, 0.75]
>>> by_order = evaluate.load("checkworthiness_ap", "ties:order")
>>> [by_order.compute(predictions=[0.5, 0.5], references=gold)["average_precision"] for gold in ([1, 0], [0, 1])]
[1.0, 0.5]
""",
    ),
    limits=(
        f"`precision_at_k` (k = {', '.join(map(str, CUTOFFS))}) divides by k even where there are fewer examples.",
        "scikit-learn's `average_precision_score` takes equal predictions for one threshold and gives another number there; "
        "without ties the two are equal.",
        "One ranking: for several topics score each and take the mean.",
    ),
)


class CheckworthinessAp(metric_module.MetricModule):
    """Average precision of a ranking, with its relatives."""

    where: ClassVar[str] = "checkworthiness_ap"
    card: ClassVar[Card] = CARD

    def inputs(self) -> list[Features]:
        """A number, and a label by its id or name."""
        kinds = [Value("int64"), Value("string")]
        return [Features({"predictions": Value("float64"), "references": kind}) for kind in kinds]

    def make(self, guesses: Any, golds: Any, **options: Any) -> AveragePrecision:
        """The metric."""
        labels = options.pop("labels", DEFAULT_LABELS)
        if "positive" in options:
            options["positive"] = str(options["positive"])
        return AveragePrecision(metric_module.names(labels, self.where), **options)
