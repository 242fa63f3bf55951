# SPDX-License-Identifier: Apache-2.0
"""A page for the Space: choose a task, paste predictions and references as JSON lists, read the scores."""

import functools

import euroeval_datasets
from euroglue.modules import space

scores = functools.partial(space.scores, "euroeval_sl_score")

if __name__ == "__main__":
    space.serve("euroeval_sl_score", "EuroEval Slovene score", list(euroeval_datasets.SUITE.tasks))
