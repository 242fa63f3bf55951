# SPDX-License-Identifier: Apache-2.0
"""Numbers brought to magnitudes below 1 by a power of two: squares and sums neither overflow nor vanish, no digit is lost."""

from __future__ import annotations

import numpy as np


def to_unit(values: np.ndarray, axis: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """The values by 2^exponent, so that the largest magnitude is at least 0.5 and below 1; and the exponent.

    Args:
        values: finite numbers.
        axis: along which the largest is sought; over all of them if not given.

    Returns:
        Numbers of the same shape, and integers that broadcast against them. ``np.ldexp`` of both gives the values back.

    >>> scaled, exponent = to_unit(np.array([3e200, -1e200]))
    >>> float(scaled.max()), np.ldexp(scaled, exponent).tolist()
    (0.9798151324726952, [3e+200, -1e+200])
    """
    exponent = np.frexp(np.max(np.abs(values), axis=axis, keepdims=True))[1]
    return np.ldexp(values, -exponent), exponent
