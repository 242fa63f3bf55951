# SPDX-License-Identifier: Apache-2.0
"""Drawings as PNG files: the same content gives the same bytes with the same version of matplotlib."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

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
    """Write the drawing as a PNG, whole or not at all; the folder of ``file`` must exist."""
    part = file.with_name(f".{file.name}.part")
    figure.savefig(part, format="png", dpi=110, metadata={"Software": None})
    os.replace(part, file)
