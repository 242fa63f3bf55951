# SPDX-License-Identifier: Apache-2.0
"""The page of metrics names every metric with its own formula, policy and oracle, and is up to date."""

from __future__ import annotations

from pathlib import Path

import pytest

from euroglue.scoring import AGGREGATES, METRICS
from euroglue.scoring.catalogue import page
from euroglue.scoring.standings import RULES

ROOT = Path(__file__).parents[2]


def test_the_page_is_what_the_registries_say():
    text = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
    assert text == page(), "write it anew: python docs/make_cards.py"


@pytest.mark.parametrize("name", sorted(METRICS))
def test_every_metric_has_facts_of_its_own_and_a_row(name):
    metric = METRICS[name]
    assert "facts" in vars(metric) and all(metric.facts), "a subclass must not inherit another's"
    row = next(line for line in page().splitlines() if line.startswith(f"| `{name}` | `{metric.primary}` |"))
    assert row.count("|") == 8 and metric.facts.policy in row


@pytest.mark.parametrize("name", [*AGGREGATES, *RULES])
def test_every_way_to_make_one_number_has_a_row(name):
    assert sum(line.startswith(f"| `{name}` |") for line in page().splitlines()) == 1
