# SPDX-License-Identifier: Apache-2.0
"""The mean of a suite's tasks, checked against the averages that the bgGLUE paper prints."""

from __future__ import annotations

import math

import pytest

from euroglue.errors import PredictionError, UnknownNameError
from euroglue.scoring.aggregate import aggregate

# Hardalov et al., "bgGLUE", ACL 2023, table 3 (scores × 100): printed average, then the nine tasks in this order.
TASKS = ("bsnlp", "cinexio", "ct21t1", "crediblenews", "examsbg", "fakenews", "udep", "wikiannbg", "xnlibg")
TABLE_3 = {
    "Majority": (18.52, 0.0, 0.0, 28.41, 34.14, 25.68, 45.08, 0.01, 0.0, 33.33),
    "Random": (17.59, 0.75, 0.0, 25.06, 30.14, 25.54, 35.65, 6.31, 0.94, 33.33),
    "XLM-R large": (75.82, 63.81, 85.69, 69.45, 79.73, 36.41, 70.31, 99.3, 92.96, 84.71),
    "XLM-R base": (73.04, 62.47, 84.4, 63.91, 75.74, 33.42, 66.82, 99.23, 91.18, 80.22),
    "SlavicBERT": (72.12, 65.28, 81.71, 62.7, 72.01, 31.86, 67.28, 99.06, 92.36, 76.79),
    "mBERT base": (71.08, 56.13, 82.07, 64.79, 69.17, 35.39, 65.65, 98.99, 92.11, 75.39),
    "MiniLM L12": (70.96, 59.7, 80.63, 57.37, 75.41, 35.26, 64.33, 98.91, 90.26, 76.81),
    "Distil-mBERT": (69.58, 52.82, 80.32, 65.15, 67.05, 34.31, 65.66, 98.58, 90.82, 71.5),
}
ERRATA = {"Random": 17.52}
"""Rows whose printed average is not the mean of the printed scores, and what the mean is."""


@pytest.mark.parametrize("model", TABLE_3)
def test_the_mean_reproduces_the_papers_average(model, make_suite):
    printed, *scores = TABLE_3[model]
    total = aggregate(make_suite(TASKS), dict(zip(TASKS, scores, strict=True)))
    assert total.missing == ()
    assert total.value == pytest.approx(ERRATA.get(model, printed), abs=0.0101)
    if model in ERRATA:
        assert total.value != pytest.approx(printed, abs=0.0101), "the printed one is an erratum"


def test_an_incomplete_set_has_no_overall_score(make_suite):
    total = aggregate(make_suite(("a", "b", "c")), {"b": 0.5})
    assert (total.value, total.missing, dict(total.tasks)) == (None, ("a", "c"), {"b": 0.5})


@pytest.mark.parametrize(
    ("scores", "error", "message"),
    [
        ({"name": 0.5}, UnknownNameError, "toy scores no task 'name'; did you mean 'names'"),
        ({"names": math.nan}, PredictionError, "toy/names: expected a finite number as the score, got nan"),
        ({"names": "0.67"}, PredictionError, "got '0.67'"),
        ({"names": True}, PredictionError, "got True"),
    ],
)
def test_what_is_no_score_of_the_suite_is_refused(scores, error, message, make_suite):
    with pytest.raises(error, match=message):
        aggregate(make_suite(), scores)
