# SPDX-License-Identifier: Apache-2.0
"""The mean of two correlations for ``evaluate``: ``evaluate.load("pearson_spearman")``."""

from __future__ import annotations

from typing import Any, ClassVar

from datasets import Features, Value

from euroglue.modules import metric_module
from euroglue.modules.card import Card
from euroglue.scoring import correlation

CARD = Card(
    title="Pearson and Spearman",
    emoji="📈",
    summary="The mean of Pearson's and Spearman's correlation of predicted and true numbers.",
    description=(
        "The mean of Pearson's and Spearman's correlation of predictions and references, with both beside it. bgGLUE "
        "scores predicted film ratings (Cinexio) by it, not below 0."
    ),
    homepage="https://bgglue.github.io",
    citation="""@inproceedings{hardalov-etal-2023-bgglue,
  title     = {bg{GLUE}: A {B}ulgarian General Language Understanding Evaluation Benchmark},
  author    = {Hardalov, Momchil and Atanasova, Pepa and Mihaylov, Todor and Angelova, Galia and Simov, Kiril and
               Osenova, Petya and Stoyanov, Veselin and Koychev, Ivan and Nakov, Preslav and Radev, Dragomir},
  booktitle = {Proceedings of the 61st Annual Meeting of the Association for Computational Linguistics},
  year      = {2023}
}""",
    predictions="one finite number per example.",
    references="the true numbers.",
    options={
        "floor": f"{' or '.join(f'`{name}`' for name in correlation.FLOORS)}: the lowest value of the mean (by default 0)."
    },
    formula="""
$$\\max\\left(0, \\frac{r + \\rho}{2}\\right)$$

with Pearson's $r$ and Spearman's $\\rho$ (equal values share their average rank).
""",
    range="0–1, and −1–1 of both correlations and without the floor; 0 with a warning where a side is constant.",
    examples=(
        """
>>> import euroglue
>>> import evaluate
>>> metric = evaluate.load("pearson_spearman")
>>> scores = metric.compute(predictions=[1.0, 2.0, 4.0], references=[1.0, 3.0, 3.5])
>>> {key: round(value, 3) for key, value in scores.items()}
{'pearson_spearman': 0.933, 'pearson': 0.866, 'spearman': 1.0}
""",
        """
>>> metric.compute(predictions=[3, 2, 1], references=[1, 2, 3])["pearson_spearman"]
0.0
>>> metric.compute(predictions=[3, 2, 1], references=[1, 2, 3], floor="none")["pearson_spearman"]
-1.0
>>> metric.compute(predictions=[1, 1, 1], references=[1, 2, 3])["pearson_spearman"]
0.0
>>> metric.results[0].warnings
('the predictions are constant: the correlation has no value and is set to 0',)
""",
    ),
    limits=(
        "At least two examples. NaN and infinite predictions are an error; NaN as a reference means that it is hidden.",
        "Correlations do not see a wrong scale or a shift: look at an error such as RMSE too.",
    ),
)


class PearsonSpearman(metric_module.MetricModule):
    """The mean of Pearson's and Spearman's correlation."""

    where: ClassVar[str] = "pearson_spearman"
    card: ClassVar[Card] = CARD

    def inputs(self) -> list[Features]:
        """Numbers."""
        return [Features({"predictions": Value("float64"), "references": Value("float64")})]

    def make(self, guesses: Any, golds: Any, **options: Any) -> correlation.PearsonSpearman:
        """The metric."""
        return correlation.PearsonSpearman(**{name: str(value) for name, value in options.items()})
