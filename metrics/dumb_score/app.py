# SPDX-License-Identifier: Apache-2.0
"""A page for the Space: choose a task, paste predictions and references as JSON lists, read the scores."""

import functools

import dumb_datasets
from euroglue.modules import space

scores = functools.partial(space.scores, "dumb_score")

if __name__ == "__main__":
    space.serve("dumb_score", "DUMB score", list(dumb_datasets.SUITE.tasks))
