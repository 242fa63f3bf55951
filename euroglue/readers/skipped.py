# SPDX-License-Identifier: Apache-2.0
"""What a reader leaves out of its table: counted, with places, and told once per kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from euroglue.prepare.raw import RawFiles

SHOWN = 3
"""How many places a finding names."""


class Skipped:
    """Counts what is left out or mended, by reason."""

    def __init__(self) -> None:
        self._places: dict[str, list[str]] = {}

    def add(self, reason: str, place: str) -> None:
        """Count one thing at ``place``, such as a member and an element's id; ``reason`` says what was done and why."""
        self._places.setdefault(reason, []).append(place)

    def report(self, files: RawFiles) -> None:
        """Hand one finding per reason to the files, which bring them into the manifest."""
        for reason, places in self._places.items():
            more = f" and {len(places) - SHOWN:,} more" if len(places) > SHOWN else ""
            files.report(f"{len(places):,} × {reason}: {', '.join(places[:SHOWN])}{more}")
