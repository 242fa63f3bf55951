# SPDX-License-Identifier: Apache-2.0
"""The module that ``evaluate`` loads from this folder or Space; the class itself is in the package ``euroglue``."""

import euroeval_datasets  # noqa: F401  (registers the suite)
from euroglue.modules.euroeval_sl_score import EuroevalSlScore

__all__ = ["EuroevalSlScore"]
