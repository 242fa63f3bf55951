# SPDX-License-Identifier: Apache-2.0
"""A page for the Space: paste the scores of systems by task as JSON (references: null), read their ranks."""

import functools

from euroglue.modules import space

scores = functools.partial(space.scores, "mean_rank_score", None)

if __name__ == "__main__":
    space.serve("mean_rank_score", "Mean rank score")
