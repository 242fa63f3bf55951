# SPDX-License-Identifier: Apache-2.0
"""The loading script of EuroEval's Slovene suite: a conventional ``datasets`` builder, run as a script by datasets 3 or imported."""

import euroeval_datasets  # noqa: F401  (registers the suite)
from euroglue.builder import SuiteBuilder


class EuroevalSl(SuiteBuilder):
    """EuroEval's Slovene suite: six tasks; one config a task, editions ``official``, ``rebuilt`` and ``sample``."""

    SUITE_NAME = "euroeval_sl"
