# SPDX-License-Identifier: Apache-2.0
"""DUMB's scores for ``evaluate``: ``evaluate.load("dumb_score", "sicknl-nli")``, ``evaluate.load("dumb_score")``."""

from __future__ import annotations

from typing import ClassVar

from euroglue.modules import suite_score
from euroglue.modules.card import Card


class DumbScore(suite_score.SuiteScoreModule):
    """DUMB: a task's scores under its config; without a config the mean relative error reduction of the nine tasks."""

    suite_name: ClassVar[str] = "dumb"


CARD = Card(
    suite="dumb",
    title="DUMB score",
    emoji="🇳🇱",
    formula="""
$$\\text{dumb\\_score} = \\frac{1}{9} \\sum_{t=1}^{9} \\frac{s_t - b_t}{1 - b_t}$$

where $s_t$ is the primary score of task $t$ and $b_t$ that of the baseline, BERTje, as published: the average relative
error reduction, column "Avg RER" of table 2 of the paper (there out of 100). `baseline=` takes another one. The mean is
taken over all nine tasks or not at all: while one is missing, `dumb_score` is `None` and `missing_tasks` names it.
""",
    metrics={
        "accuracy": (
            "The share of right labels, or of right choices by their numbers. Where there are labels, `f1_macro`, "
            "`precision_macro` and `recall_macro` over all of them, the Matthews correlation `mcc` and scores per label are "
            "beside it."
        ),
        "entity_f1": (
            "F1 = 2PR / (P + R) over entities, which match if first token, last token and type do; micro-averaged "
            "(`f1`), decoded as seqeval does by default. `f1_macro` (over the types that occur), `f1_weighted` and scores "
            "per type are beside it."
        ),
        "macro_f1": (
            "`f1_macro`, the unweighted mean of the F1 of all labels of the task, also of those that the data lack; "
            "`accuracy`, `mcc` and scores per label are beside it."
        ),
        "squad": (
            "`f1` over the words of an answer, the best over the gold answers, and `exact`, as SQuAD 2.0's scorer has "
            "them; an empty prediction means that there is no answer. Each row counts once. `has_ans_…` and `no_ans_…` "
            "are over the questions with and without an answer, `no_ans_share` is the share of the latter. The published "
            "numbers drop English articles and ASCII punctuation; `f1_nl` and `exact_nl` drop *de*, *het*, *een* and all "
            "punctuation."
        ),
        "token_accuracy": "`accuracy`, the share of tokens of all sentences whose tag is right; tags are compared whole.",
    },
    examples=(
        """
>>> import dumb_datasets
>>> import evaluate
>>> metric = evaluate.load("dumb_score", "sicknl-nli")
>>> round(metric.compute(predictions=[0, 1, 2, 2], references=[0, 1, 1, 2])["accuracy"], 3)
0.75
""",
        """
>>> metric = evaluate.load("dumb_score", "squadnl")
>>> gold = [{"text": ["de Saksische Tuin"], "answer_start": [29]}, {"text": [], "answer_start": []}]
>>> scores = metric.compute(predictions=["Saksische Tuin", ""], references=gold)
>>> {key: round(scores[key], 3) for key in ("f1", "f1_nl", "has_ans_f1", "no_ans_exact")}
{'f1': 0.9, 'f1_nl': 1.0, 'has_ans_f1': 0.8, 'no_ans_exact': 1.0}
""",
        """
>>> suite = evaluate.load("dumb_score")
>>> names = ["lassy-pos", "sonar-ne", "wicnl", "dpr", "copanl", "sicknl-nli", "dbrd", "dalc", "squadnl"]
>>> deberta_large = [0.982, 0.876, 0.702, 0.609, 0.754, 0.887, 0.928, 0.640, 0.847]
>>> scores = suite.compute(tasks=names, scores=deberta_large)
>>> round(scores["dumb_score"], 2), round(scores["squadnl_rer"], 2)
(0.16, 0.48)
>>> suite.compute(tasks=["dpr"], scores=[0.7])["dumb_score"] is None
True
""",
    ),
    limits=(
        "Scores of tasks must be given as 0–1: reductions of errors have no meaning for 0–100.",
        "Where a score has no value (no entities in gold nor prediction) it is 0, with a warning in `metric.results`; the "
        "signature of the scores is there too.",
        "Predicted labels outside the task's label set count as wrong and are counted in a warning; in references they "
        "are an error.",
        "One process: gather predictions first (`accelerator.gather_for_metrics`) and compute on the main process.",
    ),
)
