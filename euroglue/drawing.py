# SPDX-License-Identifier: Apache-2.0
"""Drawings as PNG files: the same content gives the same bytes with the same version of matplotlib."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from euroglue.atomic import new_file
from euroglue.extras import require

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def blank(width: float, height: float) -> Figure:
    """An empty drawing of this size, in inches, that needs no screen.

    Raises:
        EuroglueError: matplotlib is not installed.
    """
    require("drawing", site=("matplotlib",))
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def save(figure: Figure, file: Path) -> None:
    """Write the drawing as a PNG, whole or not at all."""
    with new_file(file) as aside:
        figure.savefig(aside, format="png", dpi=110, metadata={"Software": None})
