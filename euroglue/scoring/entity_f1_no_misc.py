# SPDX-License-Identifier: Apache-2.0
"""Entity F1 without the type MISC, as EuroEval scores named entities, with the F1 over all types beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from euroglue.scoring.counts import blocks, precision_recall_f1
from euroglue.scoring.decoding import LENIENT
from euroglue.scoring.entity_f1 import EntityF1
from euroglue.scoring.inputs import label_names, one_of
from euroglue.scoring.metric import Facts

if TYPE_CHECKING:
    from euroglue.task import Task

LEFT_OUT = "misc"
"""The type that is left out, whatever its case."""
EMPTY = {"zero": 0.0, "one": 1.0}
"""What F1 is where no other entity is on either side; ``one`` is EuroEval's."""


class EntityF1WithoutMisc(EntityF1):
    """Micro F1 over entities of all types but MISC; ``EntityF1`` over all types beside it. Range 0–1.

    EuroEval's ``micro_f1_no_misc`` and ``micro_f1`` (its documentation, section on named entity recognition): a tag of
    the type MISC counts as ``O`` on both sides. ``f1_no_misc``, ``precision_no_misc`` and ``recall_no_misc`` are without,
    the scores of ``EntityF1`` are with it. An entity of an unknown type counts against precision in both.

    Where neither side has an entity of another type F1 has no value: it is set to 0, with a warning, or to 1 under
    ``empty="one"``, as EuroEval does.

    >>> gold, guess = [["B-PER", "B-MISC", "B-LOC"]], [["B-PER", "B-LOC", "B-MISC"]]
    >>> metric = EntityF1WithoutMisc(["O", "B-PER", "B-LOC", "B-MISC"])
    >>> scores = metric.compute(guess, gold)
    >>> scores["f1_no_misc"], round(scores["f1"], 3)
    (0.5, 0.333)
    >>> EntityF1WithoutMisc(metric.labels, empty="one").compute([["B-MISC"]], [["O"]])["f1_no_misc"]
    1.0
    """

    name: ClassVar[str] = "entity_f1_no_misc"
    primary: str = "f1_no_misc"
    facts: ClassVar[Facts] = Facts(
        formula="2PR / (P + R) over entities of all types but MISC, micro-averaged",
        policy='nothing but MISC on either side: 0, warning (`empty="one"`: 1, as EuroEval)',
        oracle="seqeval on tags whose MISC is turned into `O`",
        tolerance="exact",
    )

    def __init__(self, labels: Sequence[str], *, empty: str = "zero", scheme: str = LENIENT):
        """Make the metric; ``labels`` and ``scheme`` are as in ``EntityF1``, ``empty`` is one of ``EMPTY``.

        Raises:
            EuroglueError: there is no such policy.
        """
        one_of(self.name, "empty", empty, EMPTY)
        super().__init__(labels, scheme=scheme)
        self.empty = empty
        self._kept = np.array([kind.lower() != LEFT_OUT for kind in self.types] + [True])

    @classmethod
    def for_task(cls, task: Task) -> EntityF1WithoutMisc:
        """The metric over the task's label names."""
        return cls(label_names(task, cls.name))

    def settings(self) -> dict[str, str]:
        """What is left out and the policy where nothing else is there, then the settings of ``EntityF1``."""
        return {"left_out": LEFT_OUT, "empty": self.empty, **super().settings()}

    def score(self, totals: np.ndarray) -> dict[str, Any]:
        """Scores of totals (…, 3 · (types + 1)); the values have the shape of the leading axes."""
        hits, predicted, gold = (block[..., self._kept].sum(-1) for block in blocks(totals))
        precision, recall, f1 = precision_recall_f1(hits, predicted, gold)
        f1 = np.where(predicted + gold > 0, f1, EMPTY[self.empty])
        scores = {"f1_no_misc": f1, "precision_no_misc": precision, "recall_no_misc": recall}
        return {**scores, **super().score(totals)}

    def correct(self, rows: np.ndarray) -> np.ndarray:
        """Whether each example has all its other entities and none more, and 1 for the example, shape (examples, 2)."""
        return super().correct(np.concatenate([block[..., self._kept] for block in blocks(rows)], axis=1))

    def undefined(self, totals: np.ndarray) -> tuple[str, ...]:
        """A warning if neither gold nor prediction holds an entity of another type."""
        if any(block[..., self._kept].any() for block in blocks(totals)):
            return ()
        what = f"no entities but {LEFT_OUT.upper()} in gold nor prediction"
        return (f"{what}: f1_no_misc has no value and is set to {EMPTY[self.empty]:.0f}",)
