# SPDX-License-Identifier: Apache-2.0
"""A page for the Space: choose a task, paste predictions and references as JSON lists, read the scores."""

import functools

import bgglue_datasets
from euroglue.modules import space

scores = functools.partial(space.scores, "bgglue_score")

if __name__ == "__main__":
    space.serve("bgglue_score", "bgGLUE score", list(bgglue_datasets.SUITE.tasks))
