# SPDX-License-Identifier: Apache-2.0
"""Values against their features: what fits is kept to the letter, what does not is refused by name."""

import datetime
import math

import numpy as np
import pandas as pd
import pytest

from euroglue.errors import ContractError
from euroglue.prepare.columns import hidden, typed, typed_table
from euroglue.prepare.steps import entity_spans
from euroglue.task import Labels

LABELS = Labels("не", "да")


@pytest.mark.parametrize(
    ("value", "feature", "expected", "why"),
    [
        ("да", LABELS, 1, "a label's name"),
        (np.int64(1), LABELS, 1, "a label's id from numpy"),
        (1.0, LABELS, 1, "a whole number"),
        (1264909985177362438, "string", "1264909985177362438", "a number keeps its digits as text"),
        ("😀", "string", "😀", "a whole character beyond the first plane"),
        (2**63 - 1, "int64", 2**63 - 1, "the largest"),
        (np.float64(2.5), "float64", 2.5, "a number from numpy"),
        ([["да"], []], [[LABELS]], [[1], []], "lists of lists"),
    ],
)
def test_a_value_that_fits_is_kept(value, feature, expected, why):
    assert typed(value, feature) == expected, why


@pytest.mark.parametrize(
    ("value", "feature", "message"),
    [
        ("може би", LABELS, "expected one of не, да, got 'може би'"),
        (-1, LABELS, "expected a label id from 0 to 1, got -1"),
        (2, LABELS, "expected a label id from 0 to 1, got 2"),
        (0.5, LABELS, "expected a label id"),
        (math.nan, LABELS, "expected a label id"),
        (True, LABELS, "expected a label id"),
        (None, LABELS, "expected a label id from 0 to 1, got None"),
        (math.nan, "float64", "expected a finite number, got nan"),
        (math.inf, "float64", "expected a finite number, got inf"),
        pytest.param(10**400, "float64", "too large", id="beyond every float"),
        ("4.5", "float64", "expected a number, got '4.5'"),
        (None, "float64", "expected a number, got None"),
        (math.inf, "int64", "expected a whole number, got inf"),
        (2**63, "int64", "expected a whole number, got 9223372036854775808"),
        (1.5, "int64", "expected a whole number, got 1.5"),
        (None, "string", "expected a text, got None"),
        (1.5, "string", "expected a text, got 1.5"),
        (["а"], "string", r"expected a text, got \['а'\]"),
        (datetime.date(2013, 1, 1), "string", "expected a text"),
        ("\ud83dПет", "string", "half of a surrogate pair"),
        ("абв", ["string"], "expected a list, got 'абв'"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_by_name(value, feature, message):
    table = pd.DataFrame({"id": ["x"], "v": pd.Series([value], dtype=object)})
    with pytest.raises(ContractError, match=f"example x: v: .*{message}") as error:
        typed_table(table, {"id": "string", "v": feature}, "id", ())
    assert "\n" not in str(error.value)


def test_only_a_hidden_column_may_hold_what_stands_for_hidden():
    table = pd.DataFrame({"id": ["x"], "v": [-1]})
    assert typed_table(table, {"id": "string", "v": LABELS}, "id", ("v",)).column("v").to_pylist() == [-1]
    assert hidden(1, LABELS) == -1


@pytest.mark.parametrize("tags", [["I", "O"], ["I-PER", "O"], ["-", "I-PER"], ["\tI", "I"]])
def test_tags_that_are_none_do_not_stop_the_spans_so_that_the_labels_are_named(tags):
    table = pd.DataFrame({"id": ["x"], "words": [["а", "б"]], "tags": [tags]})
    spans = entity_spans("words", "tags", into="spans")(table)["spans"][0]
    assert all(": " in span for span in spans)
