# SPDX-License-Identifier: Apache-2.0
"""A page for the Space: paste predictions and references as JSON lists, read the scores."""

import functools

from euroglue.modules import space

scores = functools.partial(space.scores, "checkworthiness_ap", None)

if __name__ == "__main__":
    space.serve("checkworthiness_ap", "Check-worthiness average precision")
