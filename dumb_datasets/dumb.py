# SPDX-License-Identifier: Apache-2.0
"""The loading script of DUMB: a conventional ``datasets`` builder, run as a script by datasets 3 or imported."""

import dumb_datasets  # noqa: F401  (registers the suite)
from euroglue.builder import SuiteBuilder


class Dumb(SuiteBuilder):
    """DUMB: nine tasks for Dutch; one config a task, editions ``rebuilt``, ``sample`` and, of some, ``official``."""

    SUITE_NAME = "dumb"
