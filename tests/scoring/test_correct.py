# SPDX-License-Identifier: Apache-2.0
"""What each metric counts as right, for tests of right against wrong."""

from __future__ import annotations

import numpy as np
import pytest

from euroglue.errors import EuroglueError
from euroglue.scoring import METRICS
from euroglue.scoring.answers import AnswerF1
from euroglue.scoring.entity_f1 import EntityF1
from euroglue.scoring.entity_f1_no_misc import EntityF1WithoutMisc
from euroglue.scoring.labels import BinaryF1
from euroglue.scoring.upos import UniversalPos
from tests.scoring.random_data import observed

TAGS = ("O", "B-PER", "I-PER", "B-MISC")


@pytest.mark.parametrize(
    ("metric", "predictions", "references", "expected", "why"),
    [
        (BinaryF1(["a", "b"]), [0, 1, 1], [0, 0, 1], [[1, 1], [0, 1], [1, 1]], "a label is right or wrong"),
        (BinaryF1(["a", "b"]), ["a", "x"], ["a", "b"], [[1, 1], [0, 1]], "an unknown label is wrong"),
        (EntityF1(TAGS), [["O"], ["B-PER", "O"]], [["O"], ["B-PER", "O"]], [[1, 1], [1, 1]], "no entity is right too"),
        (EntityF1(TAGS), [["B-PER", "O"]], [["B-PER", "I-PER"]], [[0, 1]], "an entity's end is wrong"),
        (EntityF1(TAGS), [["B-PER", "B-PER"]], [["O", "B-PER"]], [[0, 1]], "one entity too many"),
        (EntityF1WithoutMisc(TAGS), [["B-MISC", "B-PER"]], [["O", "B-PER"]], [[1, 1]], "MISC does not count"),
        (UniversalPos(["NOUN", "VERB"]), [["NOUN", "NOUN"]], [["NOUN", "VERB"]], [[1, 2]], "each token counts"),
        (
            AnswerF1("nld-Latn"),
            ["The huis", "een huis", ""],
            ["huis", "huis", ""],
            [[1, 1], [0, 1], [1, 1]],
            "exact match",
        ),
    ],
)
def test_what_is_right(metric, predictions, references, expected, why):
    np.testing.assert_array_equal(metric.correct(metric.statistics(predictions, references)), expected, why)


@pytest.mark.parametrize("name", list(METRICS))
def test_every_metric_counts_or_says_that_it_grades(name):
    metric, rows = observed(name, 40, 2)
    if not metric.additive:
        with pytest.raises(EuroglueError, match="grades: no example is right or wrong"):
            metric.correct(rows)
        return
    right, tried = metric.correct(rows).T
    assert ((right >= 0) & (right <= tried) & (tried > 0)).all() and 0 < right.sum() < tried.sum()
    if (scores := metric.score(rows.sum(axis=0))).get("accuracy") is not None:
        assert right.sum() / tried.sum() == pytest.approx(float(scores["accuracy"]))
