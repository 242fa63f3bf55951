# SPDX-License-Identifier: Apache-2.0
"""The loading script of bgGLUE: a conventional ``datasets`` builder, run as a script by datasets 3 or imported."""

import bgglue_datasets  # noqa: F401  (registers the suite)
from euroglue.builder import SuiteBuilder


class Bgglue(SuiteBuilder):
    """bgGLUE: nine tasks for Bulgarian; one config a task, editions ``official``, ``rebuilt`` and ``sample``."""

    SUITE_NAME = "bgglue"
