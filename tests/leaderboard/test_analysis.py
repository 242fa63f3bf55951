# SPDX-License-Identifier: Apache-2.0
"""The DUMB paper's analyses, to every printed digit; any other table."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from euroglue.errors import EuroglueError, FormatError, PredictionError
from euroglue.leaderboard.analysis import Correlation, analyse, correlate, is_significant
from euroglue.leaderboard.regression import regress
from euroglue.leaderboard.sheets import escape, latex, sheets
from euroglue.scoring.results_table import ResultsTable, System, published

TASKS = ("lassy-pos", "sonar-ne", "wicnl", "dpr", "copanl", "sicknl-nli", "dbrd", "dalc", "squadnl")
# De Vries et al., "DUMB", EMNLP 2023, table 3: correlations above the diagonal, then each task's mean.
TABLE_3 = (
    (0.85, 0.75, 0.31, 0.43, 0.77, 0.89, 0.93, 0.66),
    (0.92, 0.41, 0.42, 0.88, 0.87, 0.81, 0.75),
    (0.35, 0.52, 0.86, 0.77, 0.64, 0.75),
    (0.29, 0.15, 0.50, 0.38, -0.03),
    (0.64, 0.48, 0.47, 0.51),
    (0.74, 0.79, 0.87),
    (0.82, 0.66),
    (0.59,),
)
TABLE_3_MEANS = (0.70, 0.74, 0.70, 0.30, 0.47, 0.71, 0.72, 0.68, 0.59)
# The same, appendix C: coefficient, standard error, t, p, confidence interval.
APPENDIX_C = {
    "Intercept": (-9.5663, 6.507, -1.470, 0.180, -24.571, 5.438),
    "Language[T.english]": (-28.8601, 7.480, -3.858, 0.005, -46.109, -11.611),
    "Language[T.multilingual]": (-1.5577, 7.072, -0.220, 0.831, -17.865, 14.750),
    "Model[T.debertav3]": (33.6502, 7.279, 4.623, 0.002, 16.865, 50.435),
    "Model[T.roberta]": (9.0766, 6.053, 1.499, 0.172, -4.882, 23.035),
    "Size[T.large]": (13.8761, 6.333, 2.191, 0.060, -0.728, 28.480),
}
FIT = {
    "r_squared": (0.836, 3),
    "adjusted_r_squared": (0.733, 3),
    "f": (8.127, 3),
    "p": (0.00535, 5),
    "log_likelihood": (-47.201, 3),
    "aic": (106.4, 1),
    "bic": (110.2, 1),
}
DIAGNOSTICS = {
    "omnibus": (3.330, 3),
    "p_omnibus": (0.189, 3),
    "skew": (-0.941, 3),
    "kurtosis": (2.768, 3),
    "durbin_watson": (2.501, 3),
    "jarque_bera": (2.099, 3),
    "p_jarque_bera": (0.350, 3),
    "condition_number": (5.86, 2),
}
# The same, table 4: RER, and the standard error where it is an estimate.
TABLE_4 = {
    "dutch bert base": (0, None),
    "dutch bert large": (4.3, 9.6),
    "dutch roberta base": (3.6, None),
    "dutch roberta large": (13.4, 7.8),
    "dutch debertav3 base": (24.1, 8.1),
    "dutch debertav3 large": (38.0, 10.8),
    "multilingual bert base": (-5.8, None),
    "multilingual bert large": (2.8, 8.1),
    "multilingual roberta base": (-0.3, None),
    "multilingual roberta large": (14.4, None),
    "multilingual debertav3 base": (12.8, None),
    "multilingual debertav3 large": (36.4, 8.6),
    "english bert base": (-42.8, None),
    "english bert large": (-35.1, None),
    "english roberta base": (-25.6, None),
    "english roberta large": (-14.1, None),
    "english debertav3 base": (-1.6, None),
    "english debertav3 large": (15.7, None),
}


@pytest.fixture(scope="module")
def paper():
    return analyse(published("dumb").first_published())


def test_table_3_is_reproduced_to_its_digits(paper):
    pairs = paper.correlations.pairs
    for row, printed in enumerate(TABLE_3):
        others = TASKS[row + 1 :]
        assert [round(pairs[TASKS[row]][other].r, 2) for other in others] == list(printed)
        assert [pairs[other][TASKS[row]] for other in others] == [pairs[TASKS[row]][other] for other in others]
    assert [round(paper.correlations.means[task], 2) for task in TASKS] == list(TABLE_3_MEANS)
    assert {pair.n for others in pairs.values() for pair in others.values()} == {14}


def test_low_resource_tasks_correlate_significantly_once_only(paper):
    # Section 4.1: PR and CR "do not correlate with other tasks except for a single significant correlation" (CR, NLI).
    pairs = paper.correlations.pairs
    sure = {(low, other) for low in ("dpr", "copanl") for other, pair in pairs[low].items() if is_significant(pair.p)}
    assert sure == {("copanl", "sicknl-nli")}
    rest = [task for task in TASKS if task not in ("dpr", "copanl")]
    assert all(is_significant(pairs[one][other].p) for one in rest for other in rest if one != other)


def test_appendix_c_is_reproduced_to_its_digits(paper):
    fit = paper.regression
    found = {
        term.name: (
            round(term.coefficient, 4),
            *(round(v, 3) for v in (term.standard_error, term.t, term.p, term.low, term.high)),
        )
        for term in fit.terms
    }
    assert found == APPENDIX_C
    assert {name: round(getattr(fit, name), digits) for name, (_, digits) in FIT.items()} == {
        name: value for name, (value, _) in FIT.items()
    }
    assert {name: round(fit.diagnostics[name], digits) for name, (_, digits) in DIAGNOSTICS.items()} == {
        name: value for name, (value, _) in DIAGNOSTICS.items()
    }
    assert (fit.n, fit.df_model, fit.df_residual) == (14, 5, 8)


def test_table_4_is_reproduced_to_its_digits(paper):
    found = {
        " ".join(cell.levels.values()): (round(cell.rer, 1), cell.standard_error and round(cell.standard_error, 1))
        for cell in paper.cells
    }
    assert found == TABLE_4
    (shared,) = [cell for cell in paper.cells if len(cell.systems) > 1]
    assert shared.systems == ("RobBERT 2022 base", "RobBERT v2 base", "RobBERT v1 base"), "the best one stands first"


def test_three_factors_fit_better_than_any_alone_but_size_adds_just_too_little(paper):
    # Section 5 says that all three contribute significantly; by its own appendix C (p = 0.060) size does not.
    fit = paper.regression
    assert all(test.p < 0.05 for test in fit.single_tests) and len(fit.single_tests) == 3
    assert {test.name: test.p < 0.05 for test in fit.factor_tests} == {"language": True, "model": True, "size": False}
    size = next(term for term in fit.terms if term.name == "Size[T.large]")
    assert fit.factor_tests[2].p == pytest.approx(size.p) and fit.factor_tests[2].f == pytest.approx(size.t**2)


def test_each_factors_test_is_that_of_an_analysis_of_variance(paper):
    import pandas as pd
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    levels = {one.name: dict(one.factors) for one in published("dumb").systems}
    frame = pd.DataFrame([{"rer": row.average, **levels[row.system]} for row in paper.rows])
    whole = ols("rer ~ language + model + size", frame).fit()
    table = anova_lm(whole, typ=2)
    for test in paper.regression.factor_tests:
        assert (test.f, test.p, test.df) == pytest.approx(tuple(table.loc[test.name, ["F", "PR(>F)", "df"]]))
    for test in paper.regression.single_tests:
        gain = anova_lm(ols(f"rer ~ {test.name}", frame).fit(), whole).iloc[1]
        assert (test.f, test.p, test.df) == pytest.approx((gain["F"], gain["Pr(>F)"], gain["df_diff"]))


def test_estimates_and_their_errors_follow_from_the_normal_equations(paper):
    levels = {system.name: system.factors for system in published("dumb").first_published().systems}
    order = ("english", "multilingual", "debertav3", "roberta", "large")
    design = np.array([[1.0, *(float(level in levels[row.system].values()) for level in order)] for row in paper.rows])
    observed = np.array([row.average for row in paper.rows])
    inverse = np.linalg.inv(design.T @ design)
    beta = inverse @ design.T @ observed
    variance = ((observed - design @ beta) ** 2).sum() / (14 - 6)
    new = np.array([1.0, 0.0, 0.0, 1.0, 0.0, 1.0])
    value, error = paper.regression.predict({"language": "dutch", "model": "debertav3", "size": "large"})
    assert value == pytest.approx(new @ beta) and error == pytest.approx(np.sqrt(variance * new @ inverse @ new))
    with pytest.raises(EuroglueError, match="the factor size has no level 'huge'; known: base, large"):
        paper.regression.predict({"language": "dutch", "model": "bert", "size": "huge"})


def system(name: str, *scores: float, **factors: str) -> System:
    return System(name, dict(zip("xyz", scores)), factors)


BASE = system("base", 0.5, 0.5, 0.5, size="s")
OTHERS = [
    system("a", 0.6, 0.7, 0.5, size="s"),
    system("b", 0.7, 0.6, 0.5, size="m"),
    system("c", 0.9, 0.8, 0.5, size="m"),
]


def table(*systems: System) -> ResultsTable:
    return ResultsTable("toy", "base", (BASE, *systems))


def test_correlations_are_scipys_over_the_systems_that_have_both():
    gap = System("d", {"x": 0.55}, {"size": "s"})
    found = analyse(table(*OTHERS, gap))
    x, y = [0.0, 20.0, 40.0, 80.0], [0.0, 40.0, 20.0, 60.0]
    expected = stats.pearsonr(x, y)
    pair = found.correlations.pairs["x"]["y"]
    assert (pair.r, pair.p, pair.n) == (pytest.approx(expected.statistic), pytest.approx(expected.pvalue), 4)
    assert found.correlations.pairs["x"]["z"] == Correlation(None, None, 4), "all systems are alike on z"
    assert found.correlations.means == {"x": pytest.approx(pair.r), "y": pytest.approx(pair.r), "z": None}
    assert [row.average for row in found.rows][-1] is None and found.rows[-1].rer == {"x": pytest.approx(10)}
    assert found.left_out == ("d: it lacks a score for y, z",)


def test_two_systems_have_no_correlation():
    assert correlate({"x": [1.0, 2.0], "y": [1.0, 3.0]}).pairs["x"]["y"] == Correlation(None, None, 2)


LEFT_OUT = [
    ([BASE, *OTHERS], None, "one factor that varies is enough"),
    ([BASE, OTHERS[0]], "the regression: a regression needs factors that vary: of size none does", "no variation"),
    ([BASE, OTHERS[1]], "has 2 terms and needs at least 3 systems with a score for every task, got 2", "too few"),
    (
        [BASE, *OTHERS, system("d", 0.1, 0.2, 0.3)],
        "the regression: d: expected the factors size, got none",
        "no factors",
    ),
    (
        [replace(one, factors={}) for one in (BASE, *OTHERS)],
        "the regression: a regression needs factors that vary: the systems have no factors",
        "nowhere a factor",
    ),
    (
        [replace(one, factors={**one.factors, "twin": one.factors["size"]}) for one in (BASE, *OTHERS)],
        "the regression: the factors size, twin cannot be told apart",
        "confounded",
    ),
    (
        [replace(one, factors={**one.factors, "kind": "encoder"}) for one in (BASE, *OTHERS)],
        "the factor kind: it is the same for all systems",
        "a factor that does not vary",
    ),
    (
        [BASE, replace(BASE, name="e"), system("f", 0.6, 0.6, 0.6, size="m"), system("g", 0.6, 0.6, 0.6, size="m")],
        "the regression: the factors explain the systems without any remainder",
        "no residuals",
    ),
]


@pytest.mark.parametrize(("systems", "message", "why"), LEFT_OUT, ids=[case[-1] for case in LEFT_OUT])
def test_what_cannot_be_estimated_is_said(systems, message, why):
    found = analyse(ResultsTable("toy", "base", tuple(systems)))
    if message is None:
        assert found.left_out == () and found.regression is not None, why
    else:
        assert len(found.left_out) == 1 and message in found.left_out[0], why
        assert (found.regression is None) == found.left_out[0].startswith("the regression"), why
    json.dumps(found.to_dict(), allow_nan=False)
    assert len(sheets(found)) == (3 if found.regression is None else 6)


def test_an_incomplete_system_does_not_enter_the_regression():
    found = analyse(table(*OTHERS, System("d", {"x": 0.9}, {"size": "xl"})))
    assert found.regression.factors == {"size": ("m", "s")} and found.regression.n == 4


def test_where_no_system_is_complete_the_regression_says_so():
    trivial = System("base", BASE.scores, trivial=True)
    found = analyse(ResultsTable("toy", "base", (trivial, System("a", {"x": 0.6}, {"size": "s"}))))
    assert found.regression is None and found.cells == ()
    assert found.left_out[-1] == "the regression: no system has a score for every task of the baseline"


def test_a_baseline_without_scores_is_refused():
    with pytest.raises(FormatError, match="the baseline 'base' has no score of any task"):
        ResultsTable("toy", "base", (System("base", {}), System("a", {"x": 0.5})))


def test_a_grid_too_large_to_look_at_is_left_out():
    rng = np.random.default_rng(0)
    systems = [
        System(f"s{i}", {"x": float(rng.random())}, {"a": str(i % 31), "b": str(i % 29), "c": str(i % 23)})
        for i in range(200)
    ]
    found = analyse(ResultsTable("toy", "s0", tuple(systems)))
    assert found.regression is not None and found.cells == ()
    assert found.left_out == ("the grid of the factors' levels: it has 20,677 cells, more than 10,000",)
    assert "grid" not in {sheet.key for sheet in sheets(found)}


def test_a_baseline_without_errors_is_refused():
    with pytest.raises(PredictionError, match="base: x: the baseline scores 1.0"):
        analyse(ResultsTable("toy", "base", (System("base", {"x": 1.0}),)))


def test_few_observations_have_no_omnibus_test():
    fit = regress([1.0, 2.0, 3.5, 4.5, 1.5], [{"size": size} for size in "ssmms"])
    assert fit.diagnostics["omnibus"] is None and fit.diagnostics["durbin_watson"] > 0
    assert fit.single_tests == () and fit.terms[1].name == "Size[T.s]"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-1.5", "$-$1.5"),
        ("sicknl-nli", "sicknl-nli"),
        ("R&D_50 %", r"R\&D\_50 \%"),
        ("P>|t|", "P$>$$|$t$|$"),
        ("–", "--"),
        ("Durbin-Watson 2.501, -47.2", "Durbin-Watson 2.501, $-$47.2"),
        ("{a}\\", r"\{a\}\textbackslash{}"),
        ("v1-2", "v1-2"),
    ],
)
def test_latex_shows_every_letter_as_it_is(text, expected):
    assert escape(text) == expected


def test_latex_tables_are_whole(paper):
    text = latex(sheets(paper))
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") == 6
    for block in text.split(r"\begin{tabular}{")[1:]:
        spec, lines = block.split("}", 1)[0], [line for line in block.split("\n") if line.endswith(r"\\")]
        assert set(spec) <= {"l", "r"} and all(line.replace(r"\&", "").count("&") == len(spec) - 1 for line in lines)
    assert r"Language[T.english] & $-$28.8601 & 7.480 & $-$3.858 & 0.005 & $-$46.109 & $-$11.611 \\" in text
    assert r"dpr & 0.31 & 0.41 & 0.35 &  & 0.29 & 0.15 & 0.50 & 0.38 & $-$0.03 \\" in text
