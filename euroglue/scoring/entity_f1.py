# SPDX-License-Identifier: Apache-2.0
"""Entity-level precision, recall and F1 of tag sequences, decoded as seqeval does by default or strictly by a scheme."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from euroglue.errors import EuroglueError
from euroglue.scoring.counts import blocks, divide, per_class, precision_recall_f1, tally
from euroglue.scoring.decoding import IN_ENTITY, LENIENT, NO_TYPE, SCHEMES, Decoder, Entities, parse_tag
from euroglue.scoring.inputs import label_names, one_of, warn_unknown
from euroglue.scoring.metric import Facts, Metric
from euroglue.scoring.signature import label_set
from euroglue.scoring.tags import Codes, encode, fitted

if TYPE_CHECKING:
    from euroglue.task import Task

AVERAGES = {"micro": "f1", "macro": "f1_macro", "weighted": "f1_weighted"}
"""Average → the key of its F1."""
TYPES = ("own", "ignored")


class EntityF1(Metric):
    """F1 over (first token, last token, type), micro-averaged; by default decoded as seqeval does. Range 0–1.

    ``lenient``: equal to ``seqeval.metrics.f1_score(references, predictions)`` of seqeval 1.2 without ``mode`` and
    ``scheme``, on any tags: an ``I-`` after ``O`` or after another type begins an entity, ``E-`` and ``S-`` are
    understood, any other first character begins one where the type changes. This is the number that bgGLUE publishes
    for BSNLP and PAN-X (Hardalov et al., ACL 2023, tables 3, 14 and 15). With a ``scheme`` (see ``SCHEMES``) only what
    is well-formed under it is an entity: equal to seqeval's with ``mode="strict"`` and that scheme.

    Scores: ``f1``, ``precision``, ``recall`` (micro); ``f1_macro``, ``precision_macro``, ``recall_macro``, unweighted
    means over those of the label set's types that occur in gold or prediction; ``f1_weighted``, ``precision_weighted``,
    ``recall_weighted``, weighted by gold entities; and ``<type>_f1``, ``<type>_precision``, ``<type>_recall``. Tags may
    have no type (``B``, ``I``, ``O``); ``types="ignored"`` matches entities by their borders alone.

    Policy where a denominator is zero (no predicted, or no gold entities): the score is 0, with a warning where the
    primary score has no value at all (no entities in either).

    Unknown labels: an error in a reference. In a prediction they are decoded like any tag, so that an entity of an
    unknown type counts against precision; it is no class of the macro average. An empty tag or an integer outside the
    label set counts as ``O``, and under a scheme any tag that it lacks. All are counted in a warning.

    Fewer predicted tags than words: the missing ones count as ``O``, with a warning (bgGLUE's own evaluator does so).
    More are an error.

    >>> metric = EntityF1(["O", "B-PER", "I-PER", "B-LOC"])
    >>> scores = metric.compute([["B-PER", "I-PER", "O", "O"]], [["B-PER", "I-PER", "O", "B-LOC"]])
    >>> scores["precision"], scores["recall"], scores["f1"], scores["per_f1"]
    (1.0, 0.5, 0.6666666666666666, 1.0)
    >>> gold, guess = [["B-PER", "I-PER"]], [["I-PER", "I-PER"]]
    >>> [EntityF1(metric.labels, scheme=scheme).compute(guess, gold)["f1"] for scheme in ("lenient", "IOB2")]
    [1.0, 0.0]
    """

    name: ClassVar[str] = "entity_f1"
    primary: str = "f1"
    facts: ClassVar[Facts] = Facts(
        formula="2PR / (P + R) over entities (first token, last token, type), micro-averaged",
        policy="no entities on either side: 0, warning; unknown predicted tags are wrong, in gold an error; missing tags are `O`",
        oracle="seqeval, default and strict mode",
        tolerance="1e-12",
    )
    fills: ClassVar[bool] = True

    def __init__(self, labels: Sequence[str], *, scheme: str = LENIENT, average: str = "micro", types: str = "own"):
        """Make the metric.

        Args:
            labels: the label names in the order of their ids.
            scheme: ``lenient``, or one of ``SCHEMES``.
            average: which average is the primary score, one of ``AVERAGES``.
            types: ``own``, or ``ignored`` to match entities by their borders alone.

        Raises:
            EuroglueError: there is no such scheme or average, or a label is not of the scheme.
        """
        self.labels, self.scheme, self.average = tuple(labels), scheme, average
        one_of(self.name, "scheme", scheme, (LENIENT, *SCHEMES))
        one_of(self.name, "average", average, AVERAGES)
        one_of(self.name, "types", types, TYPES)
        if scheme != LENIENT:
            letters = SCHEMES[scheme].letters
            odd = [label for label in self.labels if label[:1] not in letters]
            if odd:
                raise EuroglueError(
                    f"{self.name}: {scheme} has the letters {', '.join(letters)}, got the label {odd[0]!r}"
                )
        if average != "micro":
            self.primary = AVERAGES[average]
        self.typed = types == "own"
        parsed = [parse_tag(label) for label in self.labels]
        self.types = tuple(sorted({kind for prefix, kind in parsed if IN_ENTITY[prefix]})) if self.typed else (NO_TYPE,)

    @classmethod
    def for_task(cls, task: Task) -> EntityF1:
        """The metric over the task's label names."""
        return cls(label_names(task, cls.name))

    def settings(self) -> dict[str, str]:
        """Decoding, averaging, the policies for zero denominators and missing tags, and the label set."""
        lenient = self.scheme == LENIENT
        return {
            **({"mode": LENIENT} if lenient else {"mode": "strict", "scheme": self.scheme}),
            **({} if self.typed else {"types": "ignored"}),
            "average": self.average,
            "zero_division": "0",
            "missing_tags": "O",
            "labels": label_set(self.labels),
        }

    def observe(self, predictions: Sequence[Any], references: Sequence[Any]) -> tuple[np.ndarray, tuple[str, ...]]:
        """Count per example and type; unknown types share the last column of each block.

        Args:
            predictions: per example, the predicted tags: label names or integer ids; or ``Ragged`` ids.
            references: per example, the gold tags, as many.

        Returns:
            An integer array (examples, 3 · (types + 1)): true positives, predicted and gold entities; and warnings.
        """
        guess, gold = encode(predictions, self.labels, "prediction"), encode(references, self.labels, "reference")
        guess, filled = fitted(guess, gold, self.labels)
        return self.count(guess, gold), (*warn_unknown(guess.unknown), *filled)

    def count(self, guess: Codes, gold: Codes) -> np.ndarray:
        """The array that ``observe`` returns, of two sides that fit together."""
        kinds = {name: i for i, name in enumerate(self.types)}
        expected, found = self._decode(gold, kinds), self._decode(guess, kinds)
        at_end = np.full(len(gold.codes), -1, dtype=np.int32)  # the gold entity that ends at a tag
        at_end[expected.ends] = np.arange(len(expected.ends))
        place = at_end[found.ends]
        hits = place >= 0
        alike = [mine[hits] == yours[place[hits]] for mine, yours in zip(found, expected, strict=True)]
        hits[hits] = np.logical_and.reduce(alike)
        example = np.repeat(np.arange(len(gold.lengths), dtype=np.int32), gold.lengths + 1)
        right = Entities(*(values[hits] for values in found))
        return np.concatenate([self._count(entities, example) for entities in (right, found, expected)], axis=1)

    def _decode(self, side: Codes, kinds: dict[str, int]) -> Entities:
        """Decode one side; ``kinds`` numbers the types and grows by those that the label set lacks."""
        names = [*self.labels, "O", *(value if isinstance(value, str) else "O" for value in side.unknown)]
        found = Decoder(names, kinds, self.scheme)(side.codes)
        return found if self.typed else found._replace(types=np.zeros_like(found.types))

    def _count(self, entities: Entities, example: np.ndarray) -> np.ndarray:
        columns, examples = len(self.types) + 1, int(example[-1]) + 1
        cells = example[entities.ends].astype(np.int64) * columns + np.minimum(entities.types, columns - 1)
        return tally(cells, examples, columns)

    def score(self, totals: np.ndarray) -> dict[str, Any]:
        """Scores of totals (…, 3 · (types + 1)); the values have the shape of the leading axes."""
        hits, predicted, gold = blocks(totals)
        precision, recall, f1 = precision_recall_f1(hits.sum(-1), predicted.sum(-1), gold.sum(-1))
        scores = {"f1": f1, "precision": precision, "recall": recall}
        hits, predicted, gold = hits[..., :-1], predicted[..., :-1], gold[..., :-1]
        by_type = precision_recall_f1(hits, predicted, gold)
        for average, weights in (("macro", (predicted + gold) > 0), ("weighted", gold)):
            for key, values in zip(("precision", "recall", "f1"), by_type):
                scores[f"{key}_{average}"] = divide((values * weights).sum(-1), weights.sum(-1))
        return {**scores, **per_class(self.types, by_type)}

    def correct(self, rows: np.ndarray) -> np.ndarray:
        """Whether each example has all its entities and no other, and 1 for the example itself, shape (examples, 2)."""
        hits, predicted, gold = blocks(rows)
        right = ((hits == predicted) & (hits == gold)).all(-1)
        return np.stack([right, np.ones_like(right)], axis=1).astype(np.int64)

    def undefined(self, totals: np.ndarray) -> tuple[str, ...]:
        """A warning if neither gold nor prediction holds an entity."""
        if totals.any():
            return ()
        return ("no entities in gold nor prediction: precision, recall and f1 have no value and are set to 0",)
