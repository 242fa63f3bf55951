# SPDX-License-Identifier: Apache-2.0
"""The loading script, named like the suite."""

import weather_datasets  # noqa: F401  (registers the suite)
from euroglue.builder import SuiteBuilder


class Weather(SuiteBuilder):
    """Weather: one config, ``forecast``."""

    SUITE_NAME = "weather"
