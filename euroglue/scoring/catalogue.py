# SPDX-License-Identifier: Apache-2.0
"""The page of all metrics and of the ways to make one number of many, from the registries."""

from __future__ import annotations

import math
from collections.abc import Sequence

from euroglue.scoring import AGGREGATES, METRICS
from euroglue.scoring.standings import RULES

INTRODUCTION = """# Metrics

Every metric that a task's literal may name (`METRICS` in `euroglue.scoring`), and every way to make one number of many.
The score named is the published one; others are beside it. Scores are plain finite numbers; what has no value follows the
policy and is told by a warning. The tests hold each metric against the oracle, within the tolerance, on random input.

This page is made from the code: `python docs/make_cards.py`.
"""
COMMON = """
The same everywhere: no examples, or lists of different lengths, are an error. Hidden gold is an error: a label of −1, `""`
or `None`, a number that is NaN or `None`, no tags at all, the place of an answer without its text. Labels are names or integer
ids (a whole float is one, 0.9 is an error), not both in one list. Files of predictions are joined to the gold by id, and a
missing, unknown or repeated id is an error. Where an interval cannot be had (one example,
one score in all resamples, such as a perfect one, a score outside all resamples) there is none, and a note says why.
"""


def page() -> str:
    """The page as Markdown."""
    metrics = [METRICS[name] for name in METRICS]
    rows = [
        (f"`{each.name}`", f"`{each.primary}`", each.facts.formula, _range(each.low, each.high), *each.facts[1:])
        for each in metrics
    ]
    head = ("metric", "score", "formula", "range", "policy", "oracle", "tolerance")
    ways = [
        (f"`{name}`", AGGREGATES[name].formula, "none while a task is missing", "the papers' tables")
        for name in AGGREGATES
    ]
    ranked = [
        (f"`{name}`", f"{rule.formula}; {'low' if rule.low_is_good else 'high'} is good", rule.policy, rule.oracle)
        for name, rule in ((name, RULES[name]) for name in RULES)
    ]
    return "\n".join(
        [
            INTRODUCTION,
            _table(head, rows),
            COMMON,
            "## One number of a suite's tasks\n",
            _table(("way", "formula", "policy", "oracle"), ways),
            "\n## Ranks of systems over tasks\n",
            _table(("way", "formula", "policy", "oracle"), ranked),
            "",
        ]
    )


def _range(low: float, high: float) -> str:
    return f"{low:g}–{'∞' if math.isinf(high) else f'{high:g}'}".replace("-", "−")


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '&#124;') for cell in row)} |" for row in lines)
