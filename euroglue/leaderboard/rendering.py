# SPDX-License-Identifier: Apache-2.0
"""How pages are made of templates: every value escaped, an unknown one an error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from euroglue.extras import require

if TYPE_CHECKING:
    from jinja2 import Environment


def environment(folder: str = "templates") -> Environment:
    """The templates of a folder of this package.

    Raises:
        EuroglueError: Jinja2 is not installed.
    """
    require("a page of results", site=("jinja2",))
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("euroglue.leaderboard", folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
