# SPDX-License-Identifier: Apache-2.0
"""Preparation: find and verify raw files, read them, clean, deduplicate, split, audit, and write Parquet."""

from euroglue.prepare.pipeline import Prepared, cache_key, find_prepared, prepare

__all__ = ["Prepared", "cache_key", "find_prepared", "prepare"]
