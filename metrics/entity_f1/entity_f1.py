# SPDX-License-Identifier: Apache-2.0
"""The module that ``evaluate`` loads from this folder or Space; the class itself is in the package ``euroglue``."""

from euroglue.modules.entity_f1 import EntityF1

__all__ = ["EntityF1"]
