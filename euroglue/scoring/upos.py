# SPDX-License-Identifier: Apache-2.0
"""Parts of speech: token accuracy and macro F1, and the entity-level F1 that bgGLUE publishes for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from euroglue.scoring.counts import blocks
from euroglue.scoring.entity_f1 import EntityF1
from euroglue.scoring.inputs import label_names, warn_unknown
from euroglue.scoring.labels import count_labels, label_scores
from euroglue.scoring.metric import Facts, Metric
from euroglue.scoring.tags import encode, fitted, token_codes

if TYPE_CHECKING:
    from euroglue.task import Task


class UniversalPos(Metric):
    """Scores of part-of-speech tags; the published one is seqeval's F1 over tags that are no entities. Range 0–1.

    ``seqeval_f1`` is the number that bgGLUE publishes for U.Dep (Hardalov et al., ACL 2023, tables 3 and 16): the tags
    are read as entity tags, so that the first letter is cut (``ADP`` becomes ``DP``), ``CCONJ`` and ``SCONJ`` are one
    class ``CONJ`` and adjacent equal tags one entity. A tagger that swaps those two conjunctions is not penalised by it.
    It is the primary score all the same, because only so are scores comparable with the published ones and their mean
    with the paper's; precision, recall, macro and weighted F1 and the scores of the paper's classes are beside it, all
    under ``seqeval_``.

    What to judge a tagger by: ``accuracy``, the share of tokens whose tag is right, and ``f1_macro``, the mean of the F1
    of all tags of the label set over tokens, with ``mcc``, ``precision_macro``, ``recall_macro`` and ``<tag>_f1``,
    ``<tag>_precision``, ``<tag>_recall``.

    Missing tags at the end of an example count as ``O``, so as wrong, with a warning; more tags than words are an error.
    Zero denominators give 0, and ``f1_macro`` is over the whole label set, so that it means the same for all systems and
    samples. A tag that occurs nowhere counts as 0: the Bulgarian treebank has neither ``SYM`` nor ``X``, so a perfect
    tagger has an ``f1_macro`` of 15/17 = 0.882 there.

    >>> metric = UniversalPos(["CCONJ", "NOUN", "SCONJ"])
    >>> scores = metric.compute([["SCONJ", "NOUN", "CCONJ", "NOUN"]], [["CCONJ", "NOUN", "SCONJ", "NOUN"]])
    >>> scores["seqeval_f1"], scores["accuracy"]
    (1.0, 0.5)
    """

    name: ClassVar[str] = "upos"
    primary: str = "seqeval_f1"
    facts: ClassVar[Facts] = Facts(
        formula="seqeval's entity F1 of part-of-speech tags, read as entity tags",
        policy="as `entity_f1`",
        oracle="seqeval; scikit-learn for the scores over tokens",
        tolerance="1e-12",
    )
    fills: ClassVar[bool] = True

    def __init__(self, labels: Sequence[str]):
        """``labels`` are the tags in the order of their ids."""
        self.labels = tuple(labels)
        self.entities = EntityF1(self.labels)

    @classmethod
    def for_task(cls, task: Task) -> UniversalPos:
        """The metric over the task's tags."""
        return cls(label_names(task, cls.name))

    def settings(self) -> dict[str, str]:
        """Decoding and averaging of the published number, the policy for zero denominators, and the tags."""
        return {"decoding": "seqeval", **self.entities.settings()}

    def observe(self, predictions: Sequence[Any], references: Sequence[Any]) -> tuple[np.ndarray, tuple[str, ...]]:
        """Count per example: the columns of ``EntityF1``, then those of ``count_labels`` over tokens.

        Args:
            predictions: per example, the predicted tags: names or integer ids.
            references: per example, the gold tags, as many.
        """
        guess, gold = encode(predictions, self.labels, "prediction"), encode(references, self.labels, "reference")
        guess, filled = fitted(guess, gold, self.labels)
        tokens = count_labels(*token_codes(guess, gold, len(self.labels)), len(gold.lengths), len(self.labels))
        rows = np.concatenate([self.entities.count(guess, gold), tokens], axis=1)
        return rows, (*warn_unknown(guess.unknown), *filled)

    def _split(self, totals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        border = 3 * (len(self.entities.types) + 1)
        return totals[..., :border], totals[..., border:]

    def score(self, totals: np.ndarray) -> dict[str, Any]:
        """Scores of totals (…, columns of ``observe``); the values have the shape of the leading axes."""
        entities, tokens = self._split(totals)
        published = {f"seqeval_{key}": value for key, value in self.entities.score(entities).items()}
        return {"seqeval_f1": published["seqeval_f1"], **label_scores(tokens, self.labels), **published}

    def correct(self, rows: np.ndarray) -> np.ndarray:
        """Right tags and tokens of each example, shape (examples, 2)."""
        hits, _, gold = blocks(self._split(rows)[1])
        return np.stack([hits.sum(-1), gold.sum(-1)], axis=1)

    def undefined(self, totals: np.ndarray) -> tuple[str, ...]:
        """A warning if neither side holds a tag that the published score counts."""
        return self.entities.undefined(self._split(totals)[0])
