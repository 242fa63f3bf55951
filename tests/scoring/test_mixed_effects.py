# SPDX-License-Identifier: Apache-2.0
"""The mixed-effects regression against a slow and plain one: integrals by quad, maximised by a generic optimiser."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import integrate, optimize, special, stats

from euroglue.errors import EuroglueError
from euroglue.scoring import mixed_effects
from euroglue.scoring.correctness import Correctness
from euroglue.scoring.mixed_effects import fit
from euroglue.scoring.verdict import judge


def simulate(items: int, odds: list[float], runs: int, sd: float, seed: int) -> Correctness:
    """Draw right answers from the very model that is fitted."""
    rng = np.random.default_rng(seed)
    p = special.expit(np.array(odds) + sd * rng.normal(size=(items, 1)))
    tried = np.full(p.shape, runs)
    return Correctness(tuple("abcdefgh"[: len(odds)]), rng.binomial(tried, p), tried)


def plain_log_likelihood(theta: np.ndarray, counts: Correctness) -> float:
    """The same likelihood, each item's integral by scipy's adaptive quadrature."""
    odds, sd = theta[:-1], theta[-1]

    def density(u: float) -> np.ndarray:
        eta = odds + sd * u
        return np.exp(counts.right @ eta - counts.tried @ np.logaddexp(0, eta)) * stats.norm.pdf(u)

    return float(np.log(integrate.quad_vec(density, -9, 9, epsabs=1e-12, epsrel=1e-9)[0]).sum())


@pytest.fixture(scope="module")
def small():
    counts = simulate(25, [0.3, 1.2, -0.5], runs=2, sd=1.5, seed=4)
    best = optimize.minimize(
        lambda theta: -plain_log_likelihood(theta, counts), [0.0, 0.0, 0.0, 1.0], method="BFGS", options={"gtol": 1e-4}
    )
    return counts, best.x, -best.fun


def test_estimates_are_those_of_a_plain_maximisation(small):
    counts, theta, value = small
    found = fit(counts)
    np.testing.assert_allclose([*found.estimates, found.sd], theta, atol=2e-3)
    assert found.log_likelihood == pytest.approx(value, abs=1e-3)


def test_standard_errors_are_those_of_the_curvature(small):
    counts, theta, _ = small
    step = 1e-2 * np.eye(4)

    def at(*shifts):
        return plain_log_likelihood(theta + sum(shifts), counts)

    curve = np.array([[at(a, b) - at(a, -b) - at(-a, b) + at(-a, -b) for b in step] for a in step]) / 4e-4
    covariance = np.linalg.inv(-curve)[:3, :3]
    np.testing.assert_allclose(fit(counts).covariance, covariance, rtol=2e-2, atol=2e-3)


def test_both_reference_levels_are_one_fit_seen_from_two_sides(small):
    found = fit(small[0])
    one, other = found.against("a")["b"], found.against("b")["a"]
    assert one.estimate == -other.estimate and (one.error, one.p) == pytest.approx((other.error, other.p))
    assert one.p == pytest.approx(2 * stats.norm.sf(abs(one.z))) and one.test == "Wald"
    assert found.against("a")["c"].estimate == pytest.approx(found.estimates[2] - found.estimates[0])


def test_what_was_simulated_comes_out_again():
    odds = [0.0, 0.5, 1.0, -1.0]
    found = fit(simulate(4000, odds, runs=3, sd=1.3, seed=1))
    assert found.sd == pytest.approx(1.3, abs=0.05)
    for place, model in enumerate("bcd", 1):
        contrast = found.against("a")[model]
        assert abs(contrast.estimate - odds[place]) < 4 * contrast.error


def test_without_differences_of_items_it_is_a_logistic_regression():
    right = np.array([[1, 0], [0, 1], [0, 1]] * 50)  # no item is right for both: hardness is not shared
    found = fit(Correctness(("a", "b"), right, np.ones_like(right)))
    assert found.sd == pytest.approx(0, abs=1e-3)
    np.testing.assert_allclose(found.estimates, [-np.log(2), np.log(2)], atol=1e-6)
    np.testing.assert_allclose(np.diag(found.covariance), 1 / (150 * 2 / 9), rtol=1e-4)


def test_blocks_of_items_change_nothing(small, monkeypatch):
    whole = fit(small[0])
    monkeypatch.setattr(mixed_effects, "CELLS", 3 * 9 * 4)
    parts = fit(small[0])
    np.testing.assert_allclose(parts.estimates, whole.estimates, atol=1e-8)
    np.testing.assert_allclose(parts.covariance, whole.covariance, atol=1e-8)


@pytest.mark.parametrize(
    ("both", "none", "first", "second"),
    [
        (800, 150, 30, 20),  # they agree on 95 of 100 items
        (900, 90, 6, 4),
        (900, 90, 2, 1),
        (500, 480, 15, 5),
        (50, 40, 1, 1),
    ],
)
def test_two_models_that_agree_on_nearly_all_items_differ_by_the_odds_of_the_rest(both, none, first, second):
    patterns = np.repeat([[1, 1], [0, 0], [1, 0], [0, 1]], [both, none, first, second], axis=0)
    found = fit(Correctness(("a", "b"), patterns, np.ones_like(patterns)))
    contrast = found.against("a")["b"]
    # with two answers to each item the estimate is the conditional one, as in McNemar's test
    assert contrast.estimate == pytest.approx(np.log(second / first), abs=1e-6)
    assert contrast.error == pytest.approx(np.sqrt(1 / first + 1 / second), abs=1e-5)
    shares = np.array([both, none, first, second]) / patterns.shape[0]
    saturated = float(shares @ np.log(shares)) * patterns.shape[0]
    assert found.log_likelihood == pytest.approx(saturated, abs=1e-6)


@pytest.mark.parametrize("sd", [2.4, 2.6, 6.0, 30.0])
def test_the_likelihood_is_right_however_much_items_differ(sd):
    counts = simulate(12, [0.5, 1.5, 0.0], runs=3, sd=sd, seed=2)
    theta = np.array([0.4 * sd, 1.0, -0.3 * sd, sd])
    found = mixed_effects._Integrals(counts)(theta)
    assert found.value == pytest.approx(plain_log_likelihood(theta, counts), abs=1e-4)


@pytest.mark.parametrize("sd", [3.0, 10.0, 30.0])
@pytest.mark.parametrize("odds", [-2.0, -1.0, 0.1, 2.0])  # by sd
def test_the_mode_of_an_item_is_found_where_newton_alone_goes_to_and_fro(sd, odds):
    counts = Correctness(("a",), np.arange(6)[:, None], np.full((6, 1), 5))  # none to all of five right
    integrals = mixed_effects._Integrals(counts)
    mode, _ = integrals._mode(np.array([odds * sd]), sd, slice(None))
    slope = sd * (integrals.right[:, 0] - 5 * special.expit(sd * (odds + mode))) - mode
    np.testing.assert_allclose(slope, 0, atol=1e-5)


def test_items_that_all_get_right_or_wrong_take_part():
    counts = simulate(60, [0.0, 1.0], runs=2, sd=1.0, seed=2)
    more = Correctness(
        counts.models,
        np.concatenate([counts.right, np.full((20, 2), 2), np.zeros((20, 2), dtype=int)]),
        np.concatenate([counts.tried, np.full((40, 2), 2)]),
    )
    without, found = fit(counts), fit(more)
    assert np.isfinite(found.estimates).all() and found.notes == ()
    assert found.sd > without.sd + 0.3  # they tell that items differ


@pytest.mark.parametrize(
    ("always", "sign", "word"), [(3, np.inf, "right"), (0, -np.inf, "wrong")], ids=["always right", "always wrong"]
)
def test_a_separated_model_has_no_finite_estimate_but_a_p_value(always, sign, word):
    counts = simulate(80, [0.0, 0.1, 0.5], runs=3, sd=1.0, seed=5)
    counts.right[:, 2] = always
    found = fit(counts)
    assert found.estimates[2] == sign and f"c is always {word}" in found.notes[0]
    others = fit(counts.only(np.array([True, True, False])))
    np.testing.assert_allclose(found.estimates[:2], others.estimates, atol=1e-6)
    contrast = found.against("a")["c"]
    assert contrast.estimate == sign and contrast.error is None and contrast.z is None
    assert contrast.test == "likelihood ratio" and contrast.p < 1e-6
    verdict = judge(counts, baseline="a")
    assert (verdict.not_worse == ("c",)) == (always > 0)
    assert (verdict.below_baseline == ("c",)) == (always == 0)
    json.dumps(verdict.to_dict(), allow_nan=False)


def test_a_separated_model_hardly_tried_is_not_told_apart():
    counts = simulate(40, [1.0, 1.0], runs=3, sd=1.0, seed=6)
    counts.right[:, 1], counts.tried[:, 1] = 0, 0
    counts.right[:2, 1] = counts.tried[:2, 1] = 1
    assert fit(counts).against("a")["b"].p > 0.1


def test_two_models_that_are_always_right_do_not_differ():
    counts = simulate(30, [0.0, 0.0, 0.0], runs=2, sd=1.0, seed=7)
    counts.right[:, :2] = 2
    assert fit(counts).against("a")["b"][:4] == (0.0, None, None, 1.0)
    everyone = Correctness(("a", "b"), np.full((5, 2), 2), np.full((5, 2), 2))
    assert fit(everyone).against("a")["b"].p == 1.0


@pytest.mark.parametrize(
    ("right", "tried", "message"),
    [
        ([[1], [0]], [[1], [1]], "two models, got a"),
        ([[1, 0]], [[2, 2]], "two items, got 1"),
        ([[1, 0], [0, 0]], [[1, 0], [1, 0]], "no trials of b"),
        ([[3, 3]] * 4 + [[0, 0]] * 4, [[3, 3]] * 8, "differ without end"),
    ],
    ids=["one model", "one item", "an idle model", "no model differs on any item"],
)
def test_what_cannot_be_fitted_says_why(right, tried, message):
    models = tuple("ab"[: len(right[0])])
    with pytest.raises(EuroglueError, match=message):
        fit(Correctness(models, np.array(right), np.array(tried)))


def test_items_tried_once_have_no_spread():
    right, tried = np.array([[1, 0], [0, 0], [1, 0], [0, 1], [0, 1], [0, 0]]), np.array([[1, 0]] * 3 + [[0, 1]] * 3)
    found = fit(Correctness(("a", "b"), right, tried))
    assert found.sd == 0 and "no item was tried twice" in found.notes[0]
    np.testing.assert_allclose(found.estimates, np.log([2, 2]), atol=1e-6)


def test_the_sets_of_a_task():
    counts = simulate(600, [0.0, -0.6, 0.9, 0.95, 0.1], runs=3, sd=1.0, seed=8)
    verdict = judge(counts, baseline="a")
    assert verdict.best == max(verdict.shares, key=verdict.shares.get)
    assert set(verdict.not_worse) == {"c", "d"} and verdict.below_baseline == ("b",)
    assert (verdict.items, verdict.trials) == (600, 9000)


def test_observations_and_runs_are_counted_alike():
    rng = np.random.default_rng(1)
    right, model, item = rng.integers(0, 2, 60), np.tile(["m0", "m1"], 30), np.repeat(np.arange(10), 6)
    single = Correctness.of_observations(right, model, item)
    runs = [
        (name, {str(i): [right[(model == name) & (item == i)][run], 1] for i in range(10)})
        for name in ("m0", "m1")
        for run in range(3)
    ]
    together = Correctness.of_runs(runs)
    assert single.models == together.models == ("m0", "m1")
    np.testing.assert_array_equal(single.right, together.right)
    np.testing.assert_array_equal(single.tried, np.full((10, 2), 3))


@pytest.mark.parametrize(
    ("right", "model", "item"), [([2], ["a"], [1]), ([], [], []), ([1, 0], ["a"], [1, 2])], ids=["2", "none", "lengths"]
)
def test_odd_observations_are_refused(right, model, item):
    with pytest.raises(EuroglueError, match="0 or 1, a model and an item"):
        Correctness.of_observations(right, model, item)
