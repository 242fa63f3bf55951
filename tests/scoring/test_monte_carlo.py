# SPDX-License-Identifier: Apache-2.0
"""EuroEval's draws and its figure behind ±: reproduced, and not to be taken for a confidence interval."""

from __future__ import annotations

import numpy as np
import pytest

from euroglue.errors import EuroglueError
from euroglue.scoring.bootstrap import Bootstrap
from euroglue.scoring.monte_carlo import euroeval_draws, monte_carlo, monte_carlo_interval
from tests.scoring.random_data import observed

SIZES = {"train": 1024, "validation": 256, "test": 2048}


def test_one_generator_draws_for_all_splits_in_turn():
    rng = np.random.default_rng(4242)
    found = euroeval_draws(SIZES)
    for split in ("train", "validation", "test"):
        np.testing.assert_array_equal(found[split], rng.integers(0, SIZES[split], size=(10, SIZES[split])))


def test_the_order_of_the_sizes_is_of_no_matter_but_their_values_are():
    turned = euroeval_draws(dict(reversed(SIZES.items())))
    np.testing.assert_array_equal(turned["test"], euroeval_draws(SIZES)["test"])
    assert (euroeval_draws({**SIZES, "train": 1000})["test"] != turned["test"]).any()
    assert (euroeval_draws(SIZES, iterations=1)["test"][0] != turned["test"][0]).any()


@pytest.mark.parametrize("name", ["mcc", "pearson"])
def test_the_figure_is_that_of_scores_on_the_drawn_examples(name):
    metric, rows = observed(name, 150, 2)
    draws = euroeval_draws({"train": 30, "validation": 10, "test": 150})["test"]
    scores = [
        float(metric.score(rows[row].sum(axis=0) if metric.additive else rows[row])[metric.primary]) for row in draws
    ]
    found = monte_carlo_interval(metric, rows, draws)[metric.primary]
    assert found.mean == pytest.approx(np.mean(scores)) and found.n == 10
    assert found.half_width == pytest.approx(1.96 * np.std(scores, ddof=1) / np.sqrt(10))


def test_more_iterations_shrink_it_whatever_the_data():
    metric, rows = observed("mcc", 100, 2)
    few, many = (
        monte_carlo_interval(metric, rows, euroeval_draws({"test": 100}, iterations=n)["test"])["mcc"].half_width
        for n in (10, 1000)
    )
    true = Bootstrap(resamples=1000).intervals(metric, rows)["mcc"]
    assert many < few / 4 and many < (true.high - true.low) / 10


def test_one_score_has_no_half_width_and_whole_numbers_count():
    assert monte_carlo([1]) == (1.0, None, 1)
    assert monte_carlo([1, 0.5, 1]).mean == pytest.approx(2.5 / 3)  # an int 1 is a score like any other


@pytest.mark.parametrize("scores", [[], [0.5, float("nan")]])
def test_what_is_no_score_is_refused(scores):
    with pytest.raises(EuroglueError, match="one or more finite scores"):
        monte_carlo(scores)
