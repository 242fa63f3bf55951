# SPDX-License-Identifier: Apache-2.0
"""Binomial mixed-effects regression: correctness ~ model + (1 | item), the test of the DUMB paper.

De Vries, Wieling and Nissim, DUMB (EMNLP 2023, section 3.3): whether an item is answered rightly depends on the model and on
how hard the item is, a random intercept. Given the items the log-likelihood is a sum over items of one integral each, taken
by adaptive Gauss–Hermite quadrature over counts by item and model, or by an even grid where items differ widely, as they do
where two models agree on nearly all; Newton's method on it needs a handful of steps.

As every model has its own intercept here, one fit gives the contrasts with any reference level.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from euroglue.errors import EuroglueError
from euroglue.scoring.correctness import Correctness

POINTS = 25
"""Nodes of the quadrature of each item; nine err in the second decimal where models agree on most items."""
WIDE = 2.5
"""A standard deviation of items (in log-odds) beyond which a fine even grid takes the place of those nodes: what an item that
all models get right leaves of the normal distribution is cut off too sharply for them."""
TAIL = 7.0
"""So far beyond the items' modes the grid goes on: a density at least as narrow as the normal one has e^-24 of its peak there."""
CELLS = 1 << 20
"""Values of one kind held at a time: items · models · nodes."""
STEPS = 100
TOLERANCE = 1e-12
"""What another Newton step may still promise to gain in log-likelihood."""
NEAR = 0.01
"""Where a step promises less, it is taken whole: the integrals' own error would mislead a comparison of values."""
HOPELESS = 500.0
"""A standard deviation of items (in log-odds) beyond which it is taken to grow without end."""


class Contrast(NamedTuple):
    """A model against the reference: difference in log-odds, standard error, z and two-sided p; ``test`` is how p was had.

    Where a model is always right or always wrong the difference is infinite, has neither error nor z, and p is that of the
    likelihood-ratio test; such a model's own intercept has no p.
    """

    estimate: float
    error: float | None
    z: float | None
    p: float | None
    test: str = "Wald"


@dataclass(frozen=True)
class MixedEffects:
    """A fitted regression.

    Attributes:
        counts: the data.
        estimates: the log-odds of each model on an item of average difficulty; infinite where it is always right or wrong.
        covariance: of the estimates, shape (models, models); NaN where one is infinite.
        sd: the standard deviation of the items' intercepts.
        log_likelihood: of all observations.
        steps: Newton steps taken.
        notes: a sentence for each thing that is out of the ordinary.
    """

    counts: Correctness
    estimates: np.ndarray
    covariance: np.ndarray
    sd: float
    log_likelihood: float
    steps: int
    notes: tuple[str, ...] = ()

    def intercept(self, model: str) -> Contrast:
        """The model's own log-odds on an item of average difficulty, against even odds (0)."""
        place = self._place(model)
        return self._wald(float(self.estimates[place]), float(self.covariance[place, place]))

    def against(self, reference: str) -> dict[str, Contrast]:
        """Every other model against ``reference``.

        Raises:
            EuroglueError: there is no such model.
        """
        base, found = self._place(reference), {}
        for place, model in enumerate(self.counts.models):
            if place == base:
                continue
            variance = self.covariance[[place, base], [place, base]].sum() - 2 * self.covariance[place, base]
            if math.isnan(variance):
                found[model] = self._likelihood_ratio(model, reference)
            else:
                found[model] = self._wald(float(self.estimates[place] - self.estimates[base]), float(variance))
        return found

    def _place(self, model: str) -> int:
        if model not in self.counts.models:
            raise EuroglueError(f"there is no model {model!r}; known: {', '.join(self.counts.models)}")
        return self.counts.models.index(model)

    @staticmethod
    def _wald(estimate: float, variance: float) -> Contrast:
        if math.isnan(variance):
            return Contrast(estimate, None, None, None, "none")
        error = math.sqrt(variance)
        return Contrast(estimate, error, estimate / error, math.erfc(abs(estimate) / error / math.sqrt(2)))

    def _likelihood_ratio(self, model: str, reference: str) -> Contrast:
        """p of the test against both being one model (chi-squared, one degree of freedom)."""
        alike = _fit(self.counts.merged(model, reference))
        gain = max(2 * (self.log_likelihood - alike.log_likelihood), 0.0)
        one, other = (float(self.estimates[self._place(name)]) for name in (model, reference))
        estimate = 0.0 if one == other else one - other
        return Contrast(estimate, None, None, math.erfc(math.sqrt(gain / 2)), "likelihood ratio")


def fit(counts: Correctness) -> MixedEffects:
    """Fit the regression by maximum likelihood.

    A model that is always right or always wrong has no finite estimate; the others are fitted without it, which is the limit
    of the likelihood. Items that every model gets right or wrong take part like all others.

    Args:
        counts: right and tried by item and model; all runs of all models.

    Raises:
        EuroglueError: there are fewer than two models that tried something or fewer than two items, or no model ever differs
            from another on an item, so that nothing can be estimated.

    >>> item = np.repeat(np.arange(60), 2)
    >>> found = fit(Correctness.of_observations((item + np.tile([0, 7], 60)) % 5 > np.tile([2, 0], 60), np.tile(["a", "b"], 60), item))
    >>> round(found.against("a")["b"].estimate, 2)
    1.79
    """
    tried = counts.tried.sum(axis=0) > 0
    if idle := [model for model, any_ in zip(counts.models, tried) if not any_]:
        raise EuroglueError(f"no trials of {', '.join(idle)}: leave it out")
    if len(counts.models) < 2:
        raise EuroglueError(f"a comparison needs two models, got {', '.join(counts.models) or 'none'}")
    if (items := int((counts.tried.sum(axis=1) > 0).sum())) < 2:
        raise EuroglueError(f"a random intercept of items needs two items, got {items}")
    return _fit(counts)


def _fit(counts: Correctness) -> MixedEffects:
    way = counts.separated()
    finite = way == 0
    words = {1: "right", -1: "wrong"}
    notes = tuple(
        f"{model} is always {words[sign]}: its estimate is infinite, and its p-values are of likelihood-ratio tests"
        for model, sign in zip(counts.models, way.tolist())
        if sign
    )
    estimates, covariance = np.where(way > 0, np.inf, -np.inf), np.full((len(way), len(way)), np.nan)
    if not finite.any():
        return MixedEffects(counts, estimates, covariance, 0.0, 0.0, 0, notes)
    integrals = _Integrals(counts.only(finite))
    theta, value, inverse, steps = _newton(integrals)
    estimates[finite] = theta[:-1]
    covariance[np.ix_(finite, finite)] = inverse[:-1, :-1]
    notes += integrals.notes
    return MixedEffects(counts, estimates, covariance, abs(float(theta[-1])), value, steps, notes)


class _Derivatives(NamedTuple):
    """The log-likelihood, its gradient (models + 1,) and its Hessian (models + 1, models + 1)."""

    value: float
    gradient: np.ndarray
    hessian: np.ndarray


class _Integrals:
    """The log-likelihood as a function of the models' log-odds and the items' standard deviation."""

    def __init__(self, counts: Correctness):
        both = np.concatenate([counts.right, counts.tried], axis=1)
        patterns, times = np.unique(both[counts.tried.any(axis=1)], axis=0, return_counts=True)  # equal items, once
        self.right, self.tried = (half.astype(float) for half in np.split(patterns, 2, axis=1))
        self.times = times.astype(float)
        self.modes = np.zeros(len(times))
        self.nodes, weights = np.polynomial.hermite.hermgauss(POINTS)
        self.log_weights = np.log(weights) + self.nodes**2
        self.spread = bool((self.tried.sum(axis=1) > 1).any())
        self.notes: tuple[str, ...] = ()
        if not self.spread:
            self.notes = ("no item was tried twice: the items' standard deviation cannot be estimated and is set to 0",)

    def start(self) -> np.ndarray:
        """Log-odds of the shares that were right, and 1 for the standard deviation, or 0 where it has no estimate."""
        right, tried = (self.times @ counts + shift for counts, shift in ((self.right, 0.5), (self.tried, 1.0)))
        return np.append(np.log(right / (tried - right)), float(self.spread))

    def __call__(self, theta: np.ndarray) -> _Derivatives:
        sd = abs(float(theta[-1]))
        step = min(0.5, 2 / math.sqrt(self.tried.sum(axis=1).max())) / sd if sd > WIDE else math.inf
        points = POINTS if step == math.inf else int(4 * TAIL / step)
        size = max(1, CELLS // (self.right.shape[1] * points))
        blocks = (slice(start, start + size) for start in range(0, len(self.times), size))
        parts = [self._block(theta, block, step) for block in blocks]
        return _Derivatives(*(sum(part[1:], start=part[0]) for part in zip(*parts)))

    def _nodes(
        self, odds: np.ndarray, sd: float, block: slice, step: float
    ) -> tuple[np.ndarray, np.ndarray | float, np.ndarray | float]:
        """Nodes (items, nodes), the logarithm of their weights (nodes,), and of the unit that the weights are in (items,).

        The trapezoidal rule errs by e^-(2π · width / step): the log-odds are even over a width of π, or of the peak that many
        trials make.
        """
        mode, curve = self._mode(odds, sd, block)
        if step == math.inf:
            scale = np.sqrt(2 / curve)
            return mode[:, None] + scale[:, None] * self.nodes, self.log_weights, np.log(scale)
        u = np.arange(mode.min() - TAIL, mode.max() + TAIL + step, step)
        return np.broadcast_to(u, (len(mode), len(u))), 0.0, math.log(step)

    def _block(self, theta: np.ndarray, block: slice, step: float) -> _Derivatives:
        odds, sd = theta[:-1], float(theta[-1])
        right, tried, times = self.right[block], self.tried[block], self.times[block]
        u, log_weights, unit = self._nodes(odds, sd, block, step)
        eta = odds + sd * u[..., None]  # (items, nodes, models)
        tail = np.exp(-np.abs(eta))
        p = np.where(eta >= 0, 1.0, tail) / (1 + tail)
        joint = np.einsum("im,iqm->iq", right, eta) - np.einsum(
            "im,iqm->iq", tried, np.maximum(eta, 0) + np.log1p(tail)
        )
        joint += log_weights - u**2 / 2
        top = joint.max(axis=1, keepdims=True)
        posterior = np.exp(joint - top)
        whole = posterior.sum(axis=1, keepdims=True)
        value = top[:, 0] + np.log(whole[:, 0]) + unit - 0.5 * math.log(2 * math.pi)
        posterior = posterior / whole
        slope = right[:, None] - tried[:, None] * p
        slope = np.concatenate([slope, (u * slope.sum(axis=-1))[..., None]], axis=-1)  # of the log joint density
        mean = np.einsum("iq,iqk->ik", posterior, slope)
        bend = tried[:, None] * p * (1 - p) * posterior[..., None]  # minus its curvature, by model
        return _Derivatives(float(times @ value), times @ mean, self._hessian(slope, mean, bend, u, posterior, times))

    @staticmethod
    def _hessian(
        slope: np.ndarray, mean: np.ndarray, bend: np.ndarray, u: np.ndarray, posterior: np.ndarray, times: np.ndarray
    ) -> np.ndarray:
        """The posterior mean of the curvature plus the posterior covariance of the slope (Louis, JRSS B 1982)."""
        weighted = (slope * np.sqrt(posterior * times[:, None])[..., None]).reshape(-1, slope.shape[-1])
        hessian = weighted.T @ weighted - (mean * times[:, None]).T @ mean
        diagonal, cross, square = (np.einsum("i,iq,iqm->m", times, u**power, bend) for power in (0, 1, 2))
        models = len(diagonal)
        hessian[range(models), range(models)] -= diagonal
        hessian[:models, models] -= cross
        hessian[models, :models] -= cross
        hessian[models, models] -= square.sum()
        return hessian

    def _mode(self, odds: np.ndarray, sd: float, block: slice) -> tuple[np.ndarray, np.ndarray]:
        """Where each item's joint density is highest, and minus the curvature of its logarithm there.

        The slope falls throughout: a step of Newton's that leaves the bracket, or is more than half as long as the one before,
        is replaced by halving the bracket.
        """
        right, tried, mode = self.right[block], self.tried[block], self.modes[block]
        reach = abs(sd) * tried.sum(axis=1)
        low, high, last = -reach, reach, 2 * reach
        for _ in range(STEPS):
            p = 1 / (1 + np.exp(-np.clip(odds + sd * mode[:, None], -700, 700)))
            curve = 1 + sd**2 * (tried * p * (1 - p)).sum(axis=1)
            slope = sd * (right - tried * p).sum(axis=1) - mode
            low, high = np.where(slope > 0, mode, low), np.where(slope < 0, mode, high)
            moved = mode + slope / curve
            astray = (moved < low) | (moved > high) | (np.abs(moved - mode) > last / 2)
            moved = np.where(astray, (low + high) / 2, moved)
            last, mode = np.abs(moved - mode), moved
            if last.max() < 1e-9:
                break
        self.modes[block] = mode
        return mode, curve


def _newton(integrals: _Integrals) -> tuple[np.ndarray, float, np.ndarray, int]:
    """The best parameters, the log-likelihood, the inverse of minus the Hessian, and the number of steps.

    Raises:
        EuroglueError: there is no finite maximum.
    """
    theta, free = integrals.start(), slice(None) if integrals.spread else slice(-1)
    now = integrals(theta)
    for steps in range(1, STEPS + 1):
        values, vectors = np.linalg.eigh(-now.hessian[free, free])
        values = np.maximum(np.abs(values), 1e-8 * np.abs(values).max())  # downhill also where it is not yet concave
        step = vectors @ (vectors.T @ now.gradient[free] / values)
        gain = step @ now.gradient[free] / 2
        if gain < TOLERANCE:
            inverse = np.zeros((len(theta), len(theta)))
            inverse[free, free] = (vectors / values) @ vectors.T
            return theta, now.value, inverse, steps
        step *= min(1.0, max(3.0, abs(theta[-1]) / 2) / np.abs(step).max())
        for _ in range(30):
            moved = theta.copy()
            moved[free] += step
            then = integrals(moved)
            if gain < NEAR or then.value > now.value:
                break
            step /= 2
        theta, now = moved, then
        if abs(theta[-1]) > HOPELESS:
            break
    raise EuroglueError(
        "the items differ without end: each is right for all models or wrong for all, or nearly so; compare two systems by "
        "euroglue compare"
    )
