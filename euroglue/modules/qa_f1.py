# SPDX-License-Identifier: Apache-2.0
"""F1 and exact match of answers for ``evaluate``: ``evaluate.load("qa_f1")``, ``evaluate.load("qa_f1", normaliser="sl")``."""

from __future__ import annotations

from typing import Any, ClassVar

from datasets import Features, Sequence, Value

from euroglue.modules import metric_module
from euroglue.modules.card import Card
from euroglue.scoring.answers import NORMALISERS, AnswerF1

CARD = Card(
    title="Question answering F1",
    emoji="💬",
    summary="F1 and exact match of answers in words, with named normalisers and questions without an answer.",
    description=(
        "Token F1 and exact match of answers in words, the best over the gold answers, as SQuAD 2.0's scorer has them. "
        "SQuAD's normaliser deletes the English articles, so in Slovene the word *a* (but), and keeps marks such as „ “ » "
        "« –; here a normaliser of the answers' language may be named, and the signature shows which it was. Every row "
        "counts, whatever its id."
    ),
    homepage="https://rajpurkar.github.io/SQuAD-explorer/",
    citation="""@inproceedings{rajpurkar-etal-2018-know,
  title     = {Know What You Don't Know: Unanswerable Questions for {SQ}u{AD}},
  author    = {Rajpurkar, Pranav and Jia, Robin and Liang, Percy},
  booktitle = {Proceedings of the 56th Annual Meeting of the Association for Computational Linguistics},
  year      = {2018}
}""",
    predictions="one text per question; the empty one predicts that there is no answer.",
    references='per question `{"text": […], "answer_start": […]}` with empty lists for no answer, or one text.',
    options={
        "normaliser": f"one of {', '.join(f'`{name}`' for name in NORMALISERS)} (by default `squad`).",
        "no_answer": "a text that predicts no answer like the empty one, such as `unanswerable`.",
    },
    formula="""
$$F_1 = \\frac{2 \\cdot |\\text{shared words}|}{|\\text{predicted words}| + |\\text{gold words}|}$$

of the normalised words, each as often as it occurs, the best over the gold answers, on average over rows; `exact` is the
share of rows whose normalised answer is a gold one. `has_ans_…` and `no_ans_…` are over the questions with and without an
answer, `no_ans_share` is the share of the latter.
""",
    range="0–1; scores over no questions are 0.",
    examples=(
        """
>>> import euroglue
>>> import evaluate
>>> metric = evaluate.load("qa_f1")
>>> gold = [{"text": ["Prešeren", "France Prešeren"], "answer_start": [10, 3]}, {"text": [], "answer_start": []}]
>>> scores = metric.compute(predictions=["»Prešeren«", ""], references=gold)
>>> {key: scores[key] for key in ("f1", "has_ans_f1", "no_ans_f1", "no_ans_share")}
{'f1': 0.5, 'has_ans_f1': 0.0, 'no_ans_f1': 1.0, 'no_ans_share': 0.5}
""",
        """
>>> slovene = evaluate.load("qa_f1", normaliser="sl")
>>> slovene.compute(predictions=["»Prešeren«", ""], references=gold)["f1"]
1.0
>>> slovene.compute(predictions=["Prešeren", "Ni odgovora"], references=gold, no_answer="ni odgovora")["exact"]
1.0
""",
    ),
    limits=(
        "An answer of which the normaliser leaves nothing, such as *the* under `squad`, counts as no answer, as in the "
        "published scorer.",
        "There is no threshold on a probability of no answer: decide first, and predict the empty text.",
        "F1 is over words between spaces: for languages that write without them it is exact match.",
    ),
)


class QaF1(metric_module.MetricModule):
    """F1 and exact match of answers in words."""

    where: ClassVar[str] = "qa_f1"
    card: ClassVar[Card] = CARD

    def inputs(self) -> list[Features]:
        """A text, and the gold answers or one of them."""
        answers = {"text": Sequence(Value("string")), "answer_start": Sequence(Value("int64"))}
        return [Features({"predictions": Value("string"), "references": kind}) for kind in (answers, Value("string"))]

    def make(self, guesses: Any, golds: Any, **options: Any) -> AnswerF1:
        """The metric."""
        return AnswerF1(**{"normaliser": "squad", **options})
