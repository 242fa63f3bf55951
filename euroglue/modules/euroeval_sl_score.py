# SPDX-License-Identifier: Apache-2.0
"""EuroEval Slovene's scores for ``evaluate``: ``evaluate.load("euroeval_sl_score", "sentinews")``, or without a config."""

from __future__ import annotations

from typing import ClassVar

from euroglue.modules import suite_score
from euroglue.modules.card import Card


class EuroevalSlScore(suite_score.SuiteScoreModule):
    """EuroEval's Slovene suite: a task's scores under its config; without one the mean of the six primary scores."""

    suite_name: ClassVar[str] = "euroeval_sl"


CARD = Card(
    suite="euroeval_sl",
    title="EuroEval Slovene score",
    emoji="🇸🇮",
    formula="""
$$\\text{euroeval\\_sl\\_score} = \\frac{1}{6} \\sum_{t=1}^{6} s_t$$

where $s_t$ is the primary score of task $t$. The mean is taken over all six tasks or not at all: while one is missing,
`euroeval_sl_score` is `None` and `missing_tasks` names it. EuroEval's own leaderboard ranks systems against each other
instead: `evaluate.load("mean_rank_score")` has its rank score, which needs the scores of all systems.
""",
    metrics={
        "accuracy": (
            "The share of right labels; `mcc`, `f1_macro`, `precision_macro` and `recall_macro` over all labels and scores "
            "per label are beside it."
        ),
        "entity_f1_no_misc": (
            "`f1_no_misc` = 2PR / (P + R) over entities of all types but MISC, micro-averaged and decoded as seqeval does "
            "by default, with `precision_no_misc` and `recall_no_misc`; `f1` with MISC, averages and scores per type are "
            "beside it. Where nothing but MISC is on either side the score is 0, with a warning; "
            '`EntityF1WithoutMisc(labels, empty="one")` of `euroglue.scoring.entity_f1_no_misc` makes it 1, as EuroEval '
            "does."
        ),
        "macro_f1": "`f1_macro`, the unweighted mean of the F1 of all labels of the task.",
        "mcc": (
            "The Matthews correlation of labels, for any number of classes, 0 where a side is constant; worse than chance "
            "is negative and stays so. `f1_macro` over all labels of the task, `accuracy` and scores per label are beside "
            "it."
        ),
        "squad_sl": (
            "`f1_sl` over the words of an answer, the best over the gold answers, and `exact_sl`: lower-cased, without any "
            "Unicode punctuation (» « „ “ – …), every word kept. `f1` and `exact` are EuroEval's: SQuAD's normaliser, which "
            "deletes the word *a* (but) as an English article and keeps those marks. Each row counts once."
        ),
    },
    examples=(
        """
>>> import euroeval_datasets
>>> import evaluate
>>> metric = evaluate.load("euroeval_sl_score", "ssj500k-ner")
>>> gold, guess = [["B-PER", "I-PER", "O", "B-MISC"]], [["B-PER", "I-PER", "O", "O"]]
>>> scores = metric.compute(predictions=guess, references=gold)
>>> scores["f1_no_misc"], round(scores["f1"], 3)
(1.0, 0.667)
""",
        """
>>> metric = evaluate.load("euroeval_sl_score", "scala-sl")
>>> scores = metric.compute(predictions=["correct", "correct", "incorrect"], references=["correct", "incorrect", "incorrect"])
>>> round(scores["mcc"], 3), round(scores["f1_macro"], 3)
(0.5, 0.667)
""",
        """
>>> suite = evaluate.load("euroeval_sl_score")
>>> names = ["sentinews", "ssj500k-ner", "scala-sl", "multi-wiki-qa-sl", "mmlu-sl", "winogrande-sl"]
>>> scores = suite.compute(tasks=names, scores=[0.4, 0.7, -0.1, 0.6, 0.3, 0.2])
>>> round(scores["euroeval_sl_score"], 3), scores["scala_sl"], scores["missing_tasks"]
(0.35, -0.1, [])
>>> suite.compute(tasks=names[:4], scores=[0.4, 0.7, -0.1, 0.6])["missing_tasks"]
['mmlu-sl', 'winogrande-sl']
""",
    ),
    limits=(
        "The scores of the tasks are of different kinds (correlations, F1): their mean weighs them as they are.",
        "Where a score has no value (no entity but MISC, constant labels) it is set by the named policy, with a warning in "
        "`metric.results`; the signature of the scores is there too.",
        "Predicted labels outside the task's label set count as wrong and are counted in a warning; EuroEval turns unknown "
        "tags into MISC or O. In references they are an error.",
        "EuroEval averages its macro F1 over the labels that occur; here it is over all labels of the task.",
        "One process: gather predictions first (`accelerator.gather_for_metrics`) and compute on the main process.",
    ),
)
