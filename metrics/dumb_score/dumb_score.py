# SPDX-License-Identifier: Apache-2.0
"""The module that ``evaluate`` loads from this folder or Space; the class itself is in the package ``euroglue``."""

import dumb_datasets  # noqa: F401  (registers the suite)
from euroglue.modules.dumb_score import DumbScore

__all__ = ["DumbScore"]
