# SPDX-License-Identifier: Apache-2.0
"""A suite of one task: what a third-party package for euroglue looks like."""

import euroglue  # noqa: F401  (installs the name hooks)
from euroglue.registry import SUITES, tasks_in
from euroglue.task import Suite

SUITE = Suite(
    name="weather",
    title="Weather",
    package="weather_datasets",
    language="slv-Latn",
    description="One task on Slovene weather reports.",
    homepage="https://example.org/weather",
    citation="@misc{weather, title = {Weather}, year = {2026}}",
    tasks=tasks_in("weather_datasets", script="weather"),
    expected=("forecast",),
)

SUITES.register(SUITE.name, SUITE)
