# SPDX-License-Identifier: Apache-2.0
"""A page for the Space: paste a system's and a baseline's scores as JSON, read the relative error reductions."""

import functools

from euroglue.modules import space

scores = functools.partial(space.scores, "rer", None)

if __name__ == "__main__":
    space.serve("rer", "Relative error reduction")
