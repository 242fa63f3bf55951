# SPDX-License-Identifier: Apache-2.0
"""A page for the Space: paste predictions and references as JSON lists, read the scores."""

import functools

from euroglue.modules import space

scores = functools.partial(space.scores, "pearson_spearman", None)

if __name__ == "__main__":
    space.serve("pearson_spearman", "Pearson and Spearman")
