# SPDX-License-Identifier: Apache-2.0
"""Entity-level precision, recall and F1 of tag sequences, decoded as seqeval does by default."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from euroglue.scoring.counts import blocks, divide, per_class, precision_recall_f1, tally
from euroglue.scoring.inputs import label_names, warn_unknown
from euroglue.scoring.metric import Metric
from euroglue.scoring.signature import label_set
from euroglue.scoring.tags import Codes, check_pair, encode

if TYPE_CHECKING:
    from euroglue.task import Task

OUTSIDE, DOT, BEGIN, INSIDE, END, SINGLE, OTHER = range(7)
PREFIXES = {"O": OUTSIDE, ".": DOT, "B": BEGIN, "I": INSIDE, "E": END, "S": SINGLE}
NO_TYPE = "_"


def parse_tag(tag: str) -> tuple[int, str]:
    """The class of a tag's first character, and its entity type: what follows the first hyphen, or all that follows.

    >>> parse_tag("B-PER") == (BEGIN, "PER"), parse_tag("I") == (INSIDE, "_"), parse_tag("NOUN") == (OTHER, "OUN")
    (True, True, True)
    """
    if not tag:
        return OUTSIDE, NO_TYPE
    return PREFIXES.get(tag[0], OTHER), tag[1:].split("-", maxsplit=1)[-1] or NO_TYPE


def _transitions() -> tuple[np.ndarray, np.ndarray]:
    ends, starts = np.zeros((7, 7), dtype=bool), np.zeros((7, 7), dtype=bool)
    ends[[END, SINGLE], :] = True
    ends[np.ix_([BEGIN, INSIDE], [BEGIN, SINGLE, OUTSIDE])] = True
    starts[:, [BEGIN, SINGLE]] = True
    starts[np.ix_([END, SINGLE, OUTSIDE], [END, INSIDE])] = True
    return ends.ravel(), starts.ravel()


ENDS, STARTS = _transitions()
"""Whether an entity ends before, or starts at, a tag, by 7 · the class of the tag before + the class of the tag."""
IN_ENTITY = np.array([False, False, True, True, True, True, True])


class Entities(NamedTuple):
    """The entities of flat tags, in order: where each begins, where it ends (its last tag) and the id of its type."""

    begins: np.ndarray
    ends: np.ndarray
    types: np.ndarray


def borders(classes: np.ndarray, types: np.ndarray, before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Whether an entity ends with the tag before, and whether one begins with the tag after; shape (2, pairs).

    Args:
        classes: the class of each code's first character, shape (codes,), dtype uint8.
        types: the integer id of each code's type, shape (codes,).
        before: codes of tags, shape (pairs,).
        after: codes of the tags that follow them, shape (pairs,).
    """
    pair, changes = classes[before] * np.uint8(7) + classes[after], types[before] != types[after]
    ends = ENDS[pair] | (changes & IN_ENTITY[classes[before]])
    return np.stack([ends, STARTS[pair] | (changes & IN_ENTITY[classes[after]])])


def decode(codes: np.ndarray, classes: np.ndarray, types: np.ndarray) -> Entities:
    """Find the entities of flat tags, given as codes; each example must be followed by an outside tag.

    ``classes`` and ``types`` are those of each code, as in ``borders``.
    """
    count = len(classes)
    if codes.dtype == np.uint8:  # few codes: look every pair of them up in a table
        grid = np.arange(count * count)
        ending, starting = borders(classes, types, grid // count, grid % count)
        pairs = codes[:-1].astype(np.uint16) * np.uint16(count) + codes[1:]
        ending, starting = ending[pairs], starting[pairs]
    else:
        ending, starting = borders(classes, types, codes[:-1], codes[1:])
    ends = np.flatnonzero(ending)
    starts = np.concatenate([[0], np.flatnonzero(starting) + 1])
    begins = starts[np.searchsorted(starts, ends, side="right") - 1]
    return Entities(begins, ends, types[codes[ends]])


class EntityF1(Metric):
    """Micro-averaged F1 over (first token, last token, type); seqeval's default decoding. Range 0–1.

    Equal to ``seqeval.metrics.f1_score(references, predictions)`` of seqeval 1.2 without ``mode`` and ``scheme``, on
    any tags: an ``I-`` after ``O`` or after another type begins an entity, ``E-`` and ``S-`` are understood, any other
    first character begins one where the type changes. This is the number that bgGLUE publishes for BSNLP and PAN-X
    (Hardalov et al., ACL 2023, tables 3, 14 and 15).

    Scores: ``f1``, ``precision``, ``recall`` (micro); ``f1_macro``, the unweighted mean over those of the label set's
    types that occur in gold or prediction; ``f1_weighted``, weighted by gold entities; and ``<type>_f1``,
    ``<type>_precision``, ``<type>_recall``.

    Policy where a denominator is zero (no predicted, or no gold entities): the score is 0, with a warning where the
    primary score has no value at all (no entities in either).

    Unknown labels: an error in a reference. In a prediction they are decoded like any tag, so that an entity of an
    unknown type counts against precision; it is no class of the macro average. An empty tag or an integer outside the
    label set counts as ``O``. All are counted in a warning.

    >>> metric = EntityF1(["O", "B-PER", "I-PER", "B-LOC"])
    >>> scores = metric.compute([["B-PER", "I-PER", "O", "O"]], [["B-PER", "I-PER", "O", "B-LOC"]])
    >>> scores["precision"], scores["recall"], scores["f1"], scores["per_f1"]
    (1.0, 0.5, 0.6666666666666666, 1.0)
    """

    name: ClassVar[str] = "entity_f1"
    primary: str = "f1"

    def __init__(self, labels: Sequence[str]):
        """``labels`` are the label names in the order of their ids."""
        self.labels = tuple(labels)
        parsed = [parse_tag(label) for label in self.labels]
        self.types = tuple(sorted({kind for prefix, kind in parsed if IN_ENTITY[prefix]}))

    @classmethod
    def for_task(cls, task: Task) -> EntityF1:
        """The metric over the task's label names."""
        return cls(label_names(task, cls.name))

    def settings(self) -> dict[str, str]:
        """Decoding, averaging, the policy for zero denominators, and the label set."""
        return {"mode": "lenient", "average": "micro", "zero_division": "0", "labels": label_set(self.labels)}

    def observe(self, predictions: Sequence[Any], references: Sequence[Any]) -> tuple[np.ndarray, tuple[str, ...]]:
        """Count per example and type; unknown types share the last column of each block.

        Args:
            predictions: per example, the predicted tags: label names or integer ids.
            references: per example, the gold tags, as many.

        Returns:
            An integer array (examples, 3 · (types + 1)): true positives, predicted and gold entities; and warnings.
        """
        guess, gold = encode(predictions, self.labels, "prediction"), encode(references, self.labels, "reference")
        check_pair(guess, gold, self.labels)
        return self.count(guess, gold), warn_unknown(guess.unknown)

    def count(self, guess: Codes, gold: Codes) -> np.ndarray:
        """The array that ``observe`` returns, of two sides that fit together."""
        kinds = {name: i for i, name in enumerate(self.types)}
        expected, found = self._decode(gold, kinds), self._decode(guess, kinds)
        place = np.minimum(np.searchsorted(expected.ends, found.ends), max(len(expected.ends) - 1, 0))
        hits = np.zeros(len(found.ends), dtype=bool)
        if len(expected.ends):
            hits = np.logical_and.reduce([mine == yours[place] for mine, yours in zip(found, expected, strict=True)])
        example = np.repeat(np.arange(len(gold.lengths)), gold.lengths + 1)
        right = Entities(*(values[hits] for values in found))
        return np.concatenate([self._count(entities, example) for entities in (right, found, expected)], axis=1)

    def _decode(self, side: Codes, kinds: dict[str, int]) -> Entities:
        """Decode one side; ``kinds`` numbers the types and grows by those that the label set lacks."""
        names = [*self.labels, "O", *(value if isinstance(value, str) else "O" for value in side.unknown)]
        parsed = [parse_tag(name) for name in names]
        classes = np.array([prefix for prefix, _ in parsed], dtype=np.uint8)
        types = np.array([kinds.setdefault(kind, len(kinds)) for _, kind in parsed], dtype=np.int32)
        return decode(side.codes, classes, types)

    def _count(self, entities: Entities, example: np.ndarray) -> np.ndarray:
        columns, examples = len(self.types) + 1, int(example[-1]) + 1
        cells = example[entities.ends] * columns + np.minimum(entities.types, columns - 1)
        return tally(cells, examples, columns)

    def score(self, totals: np.ndarray) -> dict[str, Any]:
        """Scores of totals (…, 3 · (types + 1)); the values have the shape of the leading axes."""
        hits, predicted, gold = blocks(totals)
        precision, recall, f1 = precision_recall_f1(hits.sum(-1), predicted.sum(-1), gold.sum(-1))
        scores = {"f1": f1, "precision": precision, "recall": recall}
        hits, predicted, gold = hits[..., :-1], predicted[..., :-1], gold[..., :-1]
        by_type = precision_recall_f1(hits, predicted, gold)
        seen = (predicted + gold) > 0
        scores["f1_macro"] = divide((by_type[2] * seen).sum(-1), seen.sum(-1))
        scores["f1_weighted"] = divide((by_type[2] * gold).sum(-1), gold.sum(-1))
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
