# SPDX-License-Identifier: Apache-2.0
"""Ordinary least squares of a number on categorical factors, treatment-coded, by statsmodels (DUMB paper, appendix C)."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from euroglue.errors import EuroglueError
from euroglue.extras import require

INTERCEPT = "Intercept"
ENOUGH_FOR_OMNIBUS = 8
"""Fewer observations have no omnibus test of normality (D'Agostino and Pearson)."""


@dataclass(frozen=True)
class Term:
    """A coefficient: its standard error, t, two-sided p, and 95 % confidence interval."""

    name: str
    coefficient: float
    standard_error: float
    t: float
    p: float
    low: float
    high: float


@dataclass(frozen=True)
class FTest:
    """What the model gains over one with less in it: F, its degrees of freedom, p."""

    name: str
    f: float
    df: int
    df_residual: int
    p: float


@dataclass(frozen=True)
class Regression:
    """A fitted model.

    Attributes:
        factors: each factor's levels in alphabetical order; the first is the reference.
        terms: the intercept, then one term for each further level, such as ``Language[T.english]``.
        n: observations.
        df_model, df_residual: degrees of freedom.
        r_squared, adjusted_r_squared: shares of the variance.
        f, p: the test against the intercept alone.
        log_likelihood, aic, bic: of the Gaussian model.
        factor_tests: per factor, the model against the one without that factor.
        single_tests: per factor, the model against the one with that factor only; empty with a single factor.
        diagnostics: of the residuals and the design; a value is None where there are too few observations for it.
        covariance: of the coefficients, in the order of ``terms``; standard errors of predictions rest on it.
    """

    factors: Mapping[str, tuple[str, ...]]
    terms: tuple[Term, ...]
    n: int
    df_model: int
    df_residual: int
    r_squared: float
    adjusted_r_squared: float
    f: float
    p: float
    log_likelihood: float
    aic: float
    bic: float
    factor_tests: tuple[FTest, ...]
    single_tests: tuple[FTest, ...]
    diagnostics: Mapping[str, float | None]
    covariance: tuple[tuple[float, ...], ...]

    def predict(self, levels: Mapping[str, str]) -> tuple[float, float]:
        """The estimate for a combination of levels, and the standard error of that mean.

        Raises:
            EuroglueError: a level is unknown.
        """
        for name, known in self.factors.items():
            if levels.get(name) not in known:
                raise EuroglueError(f"the factor {name} has no level {levels.get(name)!r}; known: {', '.join(known)}")
        row = np.array(_design([levels], self.factors)[1][0])
        value = row @ [term.coefficient for term in self.terms]
        return float(value), math.sqrt(row @ np.array(self.covariance) @ row)


def regress(values: Sequence[float], levels: Sequence[Mapping[str, str]]) -> Regression:
    """Fit the values on all factors that vary, without interactions.

    Args:
        values: one number per observation.
        levels: per observation the level of each factor.

    Raises:
        EuroglueError: there are too few observations, no factor varies, factors always go together, all residuals are
            0, or statsmodels is not installed.

    >>> fit = regress([1.0, 2.0, 3.5, 4.5, 1.5], [{"size": size} for size in ("s", "s", "m", "m", "s")])
    >>> fit.terms[1].name, round(fit.terms[1].coefficient, 6), round(fit.predict({"size": "m"})[0], 6)
    ('Size[T.s]', -2.5, 4.0)
    """
    require("the regression", stats=("statsmodels",))
    from statsmodels.regression.linear_model import OLS

    factors = _varying(levels)
    names, design = _design(levels, factors)
    matrix, observed = np.array(design), np.array(values, dtype=float)
    _check(matrix, factors)
    fit = OLS(observed, matrix).fit()
    if not fit.ssr > 1e-20 * max(float(observed @ observed), 1e-300):
        raise EuroglueError(
            "the factors explain the systems without any remainder: there is nothing to test; add systems"
        )
    return _regression(fit, names, factors, *_tests(fit, observed, names, matrix, factors))


def _regression(
    fit: Any,
    names: Sequence[str],
    factors: Mapping[str, tuple[str, ...]],
    without: tuple[FTest, ...],
    single: tuple[FTest, ...],
) -> Regression:
    """What statsmodels has fitted, as plain numbers."""
    columns = (fit.params, fit.bse, fit.tvalues, fit.pvalues, *fit.conf_int().T)
    return Regression(
        factors=factors,
        terms=tuple(Term(name, *map(float, row)) for name, *row in zip(names, *columns, strict=True)),
        n=int(fit.nobs),
        df_model=int(fit.df_model),
        df_residual=int(fit.df_resid),
        r_squared=float(fit.rsquared),
        adjusted_r_squared=float(fit.rsquared_adj),
        f=float(fit.fvalue),
        p=float(fit.f_pvalue),
        log_likelihood=float(fit.llf),
        aic=float(fit.aic),
        bic=float(fit.bic),
        factor_tests=without,
        single_tests=single,
        diagnostics=_diagnostics(fit, int(fit.nobs)),
        covariance=tuple(map(tuple, fit.cov_params().tolist())),
    )


def _varying(levels: Sequence[Mapping[str, str]]) -> dict[str, tuple[str, ...]]:
    """Each factor with more than one level, and its levels in alphabetical order."""
    names = levels[0] if levels else {}
    found = {name: tuple(sorted({row[name] for row in levels})) for name in names}
    factors = {name: known for name, known in found.items() if len(known) > 1}
    if not factors:
        what = f"of {', '.join(names)} none does" if names else "the systems have no factors"
        raise EuroglueError(f"a regression needs factors that vary: {what}; give each system its factors")
    return factors


def _design(
    levels: Sequence[Mapping[str, str]], factors: Mapping[str, tuple[str, ...]]
) -> tuple[list[str], list[list[float]]]:
    """The names and the rows of the design: the intercept, and 1 or 0 for each level but a factor's first."""
    columns = [(name, level) for name, known in factors.items() for level in known[1:]]
    names = [INTERCEPT, *(f"{name[:1].upper()}{name[1:]}[T.{level}]" for name, level in columns)]
    return names, [[1.0, *(float(row[name] == level) for name, level in columns)] for row in levels]


def _check(matrix: np.ndarray, factors: Mapping[str, tuple[str, ...]]) -> None:
    observations, terms = matrix.shape
    if observations <= terms:
        raise EuroglueError(
            f"a regression on {', '.join(factors)} has {terms} terms and needs at least {terms + 1} systems with a score "
            f"for every task, got {observations}"
        )
    if np.linalg.matrix_rank(matrix) < terms:
        raise EuroglueError(
            f"the factors {', '.join(factors)} cannot be told apart: some of their levels always go together"
        )


def _tests(
    fit: Any, observed: np.ndarray, names: Sequence[str], matrix: np.ndarray, factors: Mapping[str, tuple[str, ...]]
) -> tuple[tuple[FTest, ...], tuple[FTest, ...]]:
    """Each factor's F test, and the tests against the models with one factor."""
    from statsmodels.regression.linear_model import OLS

    ends = np.cumsum([1, *(len(known) - 1 for known in factors.values())])
    own = {name: list(range(start, end)) for name, start, end in zip(factors, ends, ends[1:])}
    everything = range(len(names))

    def against(name: str, columns: Sequence[int]) -> FTest:
        f, p, df = fit.compare_f_test(OLS(observed, matrix[:, list(columns)]).fit())
        return FTest(name, float(f), int(df), int(fit.df_resid), float(p))

    without = tuple(against(name, [i for i in everything if i not in places]) for name, places in own.items())
    single = tuple(against(name, [0, *places]) for name, places in own.items()) if len(factors) > 1 else ()
    return without, single


def _diagnostics(fit: Any, n: int) -> dict[str, float | None]:
    from statsmodels.stats.stattools import durbin_watson, jarque_bera, omni_normtest

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # tests of few observations warn; too few for one of them is None below
        omnibus, p_omnibus = omni_normtest(fit.resid) if n >= ENOUGH_FOR_OMNIBUS else (math.nan, math.nan)
        bera, p_bera, skew, kurtosis = jarque_bera(fit.resid)
    values = {
        "omnibus": omnibus,
        "p_omnibus": p_omnibus,
        "skew": skew,
        "kurtosis": kurtosis,
        "durbin_watson": durbin_watson(fit.resid),
        "jarque_bera": bera,
        "p_jarque_bera": p_bera,
        "condition_number": fit.condition_number,
    }
    return {name: float(value) if math.isfinite(value) else None for name, value in values.items()}
