# SPDX-License-Identifier: Apache-2.0
"""bgGLUE's scores for ``evaluate``: ``evaluate.load("bgglue_score", "cinexio")``, ``evaluate.load("bgglue_score")``."""

from __future__ import annotations

from typing import ClassVar

from euroglue.modules import suite_score
from euroglue.modules.card import Card


class BgglueScore(suite_score.SuiteScoreModule):
    """bgGLUE: a task's scores under its config; without a config the mean of the nine tasks' primary scores."""

    suite_name: ClassVar[str] = "bgglue"


CARD = Card(
    suite="bgglue",
    title="bgGLUE score",
    emoji="🇧🇬",
    formula="""
$$\\text{bgglue\\_score} = \\frac{1}{9} \\sum_{t=1}^{9} s_t$$

where $s_t$ is the primary score of task $t$. It is the column "Avg." of table 3 of the paper. The mean is taken over
all nine tasks or not at all: while one is missing, `bgglue_score` is `None` and `missing_tasks` names it.
""",
    metrics={
        "accuracy": (
            "The share of right labels (or answers, compared as texts). Where the labels are a fixed set, `f1_macro`, "
            "`precision_macro` and `recall_macro` over all of it, the Matthews correlation `mcc` and scores per label "
            "are beside it."
        ),
        "average_precision": (
            "AP = (1/R) Σ P@k over the ranks k of the R examples with the task's last label, examples being ranked by "
            "their predicted numbers, highest first. Equal numbers: the mean over all their orders (`ties:expected` in "
            'the signature); `AveragePrecision(labels, ties="order")` of `euroglue.scoring.ranking` keeps the order of '
            "the examples, as the organisers' scorer does. `precision_at_1`, `_3`, `_5`, `_10`, `_20`, `_50` (by k even "
            "where examples are fewer), `r_precision` and `reciprocal_rank` are beside it."
        ),
        "binary_f1": (
            "`f1` = 2PR / (P + R) of the task's last label (*humorous*, *fake*), with its `precision` and `recall`; "
            "`accuracy`, macro averages, `mcc` and scores per label are beside it."
        ),
        "entity_f1": (
            "F1 = 2PR / (P + R) over entities, which match if first token, last token and type do; micro-averaged "
            "(`f1`). Decoded as seqeval does by default, which is the number the paper publishes under the name of "
            "macro F1. `f1_macro` (over the types that occur), `f1_weighted` and scores per type are beside it."
        ),
        "pearson_spearman": (
            "max(0, (r + ρ) / 2), with Pearson's r and Spearman's ρ (ties share their average rank); both are "
            "beside it."
        ),
        "upos": (
            "`seqeval_f1` is the published number: seqeval's entity F1 of part-of-speech tags, their first letter cut, "
            "CCONJ and SCONJ one class and adjacent equal tags one entity; all of that is under `seqeval_`. What to judge "
            "a tagger by is beside it: `accuracy` and `f1_macro` over tokens and all 17 tags (of which the "
            "treebank uses 15, so that 15/17 is the highest `f1_macro`), and scores per tag."
        ),
    },
    examples=(
        """
>>> import bgglue_datasets
>>> import evaluate
>>> metric = evaluate.load("bgglue_score", "wikiannbg")
>>> scores = metric.compute(predictions=[["B-PER", "I-PER", "O", "O"]], references=[["B-PER", "I-PER", "O", "B-LOC"]])
>>> scores["precision"], scores["recall"], round(scores["f1"], 3)
(1.0, 0.5, 0.667)
""",
        """
>>> metric = evaluate.load("bgglue_score", "cinexio")
>>> metric.add_batch(predictions=[4.5, 1.0], references=[5.0, 0.5])
>>> metric.add(prediction=3.0, reference=4.0)
>>> {key: round(value, 3) for key, value in metric.compute().items()}
{'pearson_spearman': 0.987, 'pearson': 0.974, 'spearman': 1.0}
""",
        """
>>> metric = evaluate.load("bgglue_score", "ct21t1")
>>> scores = metric.compute(predictions=[0.9, 0.1, 0.4], references=["check-worthy", "normal", "check-worthy"])
>>> scores["average_precision"], round(scores["precision_at_3"], 3)
(1.0, 0.667)
""",
        """
>>> suite = evaluate.load("bgglue_score")
>>> names = ["bsnlp", "cinexio", "ct21t1", "crediblenews", "examsbg", "fakenews", "udep", "wikiannbg", "xnlibg"]
>>> xlmr_large = [63.81, 85.69, 69.45, 79.73, 36.41, 70.31, 99.30, 92.96, 84.71]
>>> round(suite.compute(tasks=names, scores=xlmr_large)["bgglue_score"], 2)
75.82
>>> suite.compute(predictions={"cinexio": [1.0, 2.0, 3.0]}, references={"cinexio": [1.0, 2.0, 3.0]})["missing_tasks"]
['bsnlp', 'ct21t1', 'crediblenews', 'examsbg', 'fakenews', 'udep', 'wikiannbg', 'xnlibg']
""",
    ),
    limits=(
        "The official test labels of most tasks are hidden: references of −1, NaN or nothing are refused, not scored.",
        "Where a score has no value (no entities in gold nor prediction, constant ratings, a ranking without positives) it "
        "is 0, with a warning in `metric.results`; the signature of the scores is there too.",
        "Predicted labels outside the task's label set count as wrong and are counted in a warning; in references they "
        "are an error.",
        "One process: gather predictions first (`accelerator.gather_for_metrics`) and compute on the main process.",
        "Scores of tasks may be given as 0–1 or as 0–100, but all alike.",
    ),
)
