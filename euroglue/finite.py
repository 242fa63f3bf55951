# SPDX-License-Identifier: Apache-2.0
"""Whether a value from strangers is a number to reckon with."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any


def is_finite(value: Any) -> bool:
    """Whether it is a number that a float holds, also one of numpy's; ``True`` and ``False`` are none.

    >>> [is_finite(value) for value in (1, 0.5, float("nan"), 10**400, True, "1", None)]
    [True, True, False, False, False, False, False]
    """
    try:
        return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:  # a whole number beyond the largest float
        return False
