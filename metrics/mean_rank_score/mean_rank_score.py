# SPDX-License-Identifier: Apache-2.0
"""The module that ``evaluate`` loads from this folder or Space; the class itself is in the package ``euroglue``."""

from euroglue.modules.mean_rank_score import MeanRankScore

__all__ = ["MeanRankScore"]
