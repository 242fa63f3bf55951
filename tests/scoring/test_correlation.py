# SPDX-License-Identifier: Apache-2.0
"""Correlations equal scipy's, follow a named policy where they have no value, and refuse what is no number."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.metrics import mean_absolute_error, root_mean_squared_error

from euroglue.errors import PredictionError
from euroglue.scoring import METRICS, score
from euroglue.scoring.correlation import MeanAbsoluteError, Pearson, PearsonSpearman, RootMeanSquaredError, Spearman

FEW_VALUES = st.lists(st.tuples(st.integers(0, 10), st.integers(0, 10)), min_size=2, max_size=40)
REAL = st.lists(st.tuples(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3)), min_size=2, max_size=40)


def sides(pairs):
    x, y = (np.array(side, dtype=float) for side in zip(*pairs, strict=True))
    assume(np.std(x) > 1e-3 and np.std(y) > 1e-3)
    return x, y


@settings(max_examples=200, deadline=None)
@given(st.one_of(FEW_VALUES, REAL))
def test_correlations_equal_scipys(pairs):
    x, y = sides(pairs)
    scores = PearsonSpearman().compute(list(x), list(y))
    linear, ordinal = scipy.stats.pearsonr(x, y)[0], scipy.stats.spearmanr(x, y)[0]
    assert scores["pearson"] == pytest.approx(linear, abs=1e-12)
    assert scores["spearman"] == pytest.approx(ordinal, abs=1e-12)
    assert scores["pearson_spearman"] == pytest.approx(max(0.0, (linear + ordinal) / 2), abs=1e-12)
    assert Pearson().compute(x, y)["pearson"] == scores["pearson"]
    assert Spearman().compute(x, y)["spearman"] == scores["spearman"]


@settings(max_examples=50, deadline=None)
@given(REAL)
def test_errors_equal_scikit_learns(pairs):
    x, y = (list(side) for side in zip(*pairs, strict=True))
    assert RootMeanSquaredError().compute(x, y)["rmse"] == pytest.approx(root_mean_squared_error(y, x))
    assert MeanAbsoluteError().compute(x, y)["mae"] == pytest.approx(mean_absolute_error(y, x))


@pytest.mark.parametrize("name", ["pearson", "spearman", "pearson_spearman", "rmse", "mae"])
def test_resamples_score_as_each_would_alone(name, films_task):
    metric = METRICS[name].for_task(films_task)
    rng = np.random.default_rng(3)
    rows = metric.statistics(rng.integers(0, 6, 15).tolist(), rng.integers(0, 6, 15).tolist())
    draws = rng.integers(0, 15, (4, 15))
    together = metric.score(rows[draws])
    assert not metric.additive
    for i, draw in enumerate(draws):
        alone = metric.compute(rows[draw][:, 0], rows[draw][:, 1])
        assert {key: float(values[i]) for key, values in together.items()} == pytest.approx(alone)


@pytest.mark.issue("winml-cli#310")
@pytest.mark.parametrize(
    ("predictions", "references", "side"),
    [([2.0, 2.0, 2.0], [1.0, 2.0, 3.0], "predictions"), ([1.0, 2.0, 3.0], [4.0, 4.0, 4.0], "references")],
)
def test_constant_input_is_zero_with_a_warning(films_task, predictions, references, side):
    result = score(films_task, predictions, references)
    assert dict(result.scores) == {"pearson_spearman": 0.0, "pearson": 0.0, "spearman": 0.0}
    assert result.warnings == (f"the {side} are constant: the correlation has no value and is set to 0",)
    assert "constant:0" in result.signature and "floor:0" in result.signature


def test_a_negative_mean_is_floored_at_zero_and_its_parts_are_not():
    assert PearsonSpearman().compute([3, 2, 1], [1, 2, 3]) == {
        "pearson_spearman": 0.0,
        "pearson": -1.0,
        "spearman": -1.0,
    }


def test_perfect_predictions_score_exactly_one():
    values = [0.1, 4.7, 3.3, 2.9]
    assert set(PearsonSpearman().compute(values, values).values()) == {1.0}


def test_large_and_small_numbers_do_not_overflow():
    assert Pearson().compute([1e300, 2e300, 3e300], [1e-300, 2e-300, 3e-300])["pearson"] == pytest.approx(1.0)


REFUSED = [
    ([1.0], [1.0, 2.0], "expected 2 predictions, one per reference, got 1", "numbers of examples"),
    ([1.0], [1.0], "needs at least 2 examples, got 1", "one example"),
    ([], [], "there are no examples to score", "no example"),
    ([1.0, math.nan], [1.0, 2.0], "example 1: expected a finite number as the prediction, got nan", "NaN"),
    ([1.0, math.inf], [1.0, 2.0], "example 1: expected a finite number as the prediction, got inf", "infinity"),
    ([1.0, 2.0], [1.0, math.nan], "example 1: the reference is hidden (nan)", "hidden by NaN"),
    ([1.0, 2.0], [1.0, None], "example 1: the reference is hidden (nan)", "hidden by null"),
    (["4.5", 1.0], [1.0, 2.0], "example 0: expected a number as the prediction, got '4.5' (str)", "a string"),
    ([True, 1.0], [1.0, 2.0], "got True (bool)", "a bool"),
    ([10**400, 1.0], [1.0, 2.0], "example 0: expected a finite number as the prediction, got inf", "a huge integer"),
    (np.ones((2, 1)), [1.0, 2.0], "got [1.0] (list)", "a column of logits"),
    ([None, 1.0], [1.0, 2.0], "got None (NoneType)", "none"),
]


@pytest.mark.parametrize(("predictions", "references", "message", "why"), REFUSED, ids=[case[-1] for case in REFUSED])
def test_what_is_no_rating_is_refused(predictions, references, message, why):
    with pytest.raises(PredictionError) as caught:
        PearsonSpearman().compute(predictions, references)
    assert message in str(caught.value), why
