# SPDX-License-Identifier: Apache-2.0
"""Entity F1 for ``evaluate``: ``evaluate.load("entity_f1")``, ``evaluate.load("entity_f1", scheme="IOB2")``."""

from __future__ import annotations

from itertools import chain
from typing import Any, ClassVar

from datasets import Features, Sequence, Value

from euroglue.errors import EuroglueError, shown
from euroglue.modules import metric_module
from euroglue.modules.card import Card
from euroglue.scoring import entity_f1 as scoring
from euroglue.scoring.decoding import LENIENT, SCHEMES
from euroglue.scoring.inputs import listed

CARD = Card(
    title="Entity F1",
    emoji="🏷️",
    summary="F1 over named entities in sequences of tags, as seqeval has it, many times faster.",
    description=(
        "Precision, recall and F1 over entities (first token, last token, type) in sequences of tags. By default equal to "
        "seqeval's default, which reads any tags leniently; under a named scheme equal to seqeval's strict mode. Which of "
        "the two it was is in the signature, `metric.results[0].signature`."
    ),
    homepage="https://github.com/chakki-works/seqeval",
    citation="""@inproceedings{ramshaw-marcus-1995-text,
  title     = {Text Chunking using Transformation-Based Learning},
  author    = {Ramshaw, Lance and Marcus, Mitch},
  booktitle = {Third Workshop on Very Large Corpora},
  year      = {1995}
}
@misc{seqeval,
  title  = {{seqeval}: A Python framework for sequence labeling evaluation},
  author = {Nakayama, Hiroki},
  url    = {https://github.com/chakki-works/seqeval},
  year   = {2018}
}""",
    predictions="per example a list or array of tags, names or integer ids.",
    references="the gold tags, as many per example.",
    options={
        "labels": "the label names in the order of their ids; needed for integer tags, otherwise those that occur.",
        "mode": f"`{LENIENT}` (the default) or `strict`, which needs a scheme.",
        "scheme": f"{', '.join(f'`{name}`' for name in SCHEMES)}; strict if given.",
        "average": f"{', '.join(f'`{name}`' for name in scoring.AVERAGES)}: which average the result names as its score.",
        "types": "`own` (the default), or `ignored` to match entities by their borders alone.",
    },
    formula="""
$$P = \\frac{|\\text{predicted} \\cap \\text{gold}|}{|\\text{predicted}|} \\qquad
R = \\frac{|\\text{predicted} \\cap \\text{gold}|}{|\\text{gold}|} \\qquad F_1 = \\frac{2PR}{P + R}$$

over entities of all types (`f1`, `precision`, `recall`), averaged over types (`…_macro`), weighted by gold entities
(`…_weighted`), and of each type (`<type>_f1`, `<type>_precision`, `<type>_recall`).
""",
    range="0–1; 0 with a warning where there is no entity on either side.",
    examples=(
        """
>>> import euroglue
>>> import evaluate
>>> metric = evaluate.load("entity_f1")
>>> gold, guess = [["B-PER", "I-PER", "O", "B-LOC"]], [["I-PER", "I-PER", "O", "O"]]
>>> scores = metric.compute(predictions=guess, references=gold)
>>> scores["precision"], scores["recall"], round(scores["f1"], 3), scores["per_f1"]
(1.0, 0.5, 0.667, 1.0)
""",
        """
>>> strict = evaluate.load("entity_f1", scheme="IOB2")
>>> strict.compute(predictions=guess, references=gold)["f1"]
0.0
>>> strict.results[0].signature.split("|")[1:4]
['mode:strict', 'scheme:IOB2', 'average:micro']
""",
        """
>>> import numpy as np
>>> labels = ["O", "B-PER", "I-PER"]
>>> metric.compute(predictions=np.array([[1, 2, 0]]), references=np.array([[1, 2, 0]]), labels=labels)["f1"]
1.0
""",
    ),
    limits=(
        "Without `labels` the types are those that occur in the data, so that macro averages of different data are over "
        "different types; with them the label set is fixed and an unknown gold tag is an error.",
        "Parts of speech are no entities: of `NOUN` the first letter would be cut. Score them with `token_accuracy`.",
        "Missing tags at the end of an example count as `O` and are counted in a warning; more tags than words are an error.",
        "Under a scheme a predicted tag that it lacks counts as `O`, where seqeval raises an error.",
    ),
)


class EntityF1(metric_module.MetricModule):
    """Entity F1, lenient as seqeval's default or strict by a scheme."""

    where: ClassVar[str] = "entity_f1"
    short: ClassVar[bool] = True
    card: ClassVar[Card] = CARD

    def inputs(self) -> list[Features]:
        """Tags as names or as ids."""
        kinds = [Sequence(Value("string")), Sequence(Value("int64"))]
        return [Features({"predictions": kind, "references": kind}) for kind in kinds]

    def make(self, guesses: Any, golds: Any, **options: Any) -> scoring.EntityF1:
        """The metric; without ``labels`` over the tags of the gold, and the predicted ones that are of the scheme."""
        mode, scheme = options.pop("mode", None), options.pop("scheme", None)
        if mode not in (None, LENIENT, "strict"):
            raise EuroglueError(f"{self.where}: expected mode to be lenient or strict, got {shown(mode)}")
        if mode == "strict" and scheme is None:
            raise EuroglueError(f"{self.where}: strict needs a scheme: one of {', '.join(SCHEMES)}")
        if mode == LENIENT and scheme not in (None, LENIENT):
            raise EuroglueError(
                f"{self.where}: lenient reads any tags and takes no scheme, got {shown(scheme)}; use strict"
            )
        labels, known = options.pop("labels", None), isinstance(scheme, str) and scheme in SCHEMES
        if labels is not None:
            found = metric_module.names(labels, self.where)
        else:
            gold, guess = (
                metric_module.texts_in([*chain.from_iterable(map(listed, side))], self.where)
                for side in (golds, guesses)
            )
            letters = SCHEMES[scheme].letters if known else None
            fit = {tag for tag in guess if tag and (letters is None or tag[0] in letters)}
            found = tuple(sorted((gold - {""}) | fit))
        return scoring.EntityF1(found, scheme=scheme or LENIENT, **options)
