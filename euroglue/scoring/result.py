# SPDX-License-Identifier: Apache-2.0
"""What scoring a task yields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from euroglue import strict_json
from euroglue.frozen import Frozen


@dataclass(frozen=True)
class Result:
    """The scores of one system on one task.

    ``scores`` are plain finite floats under flat snake_case keys; ``primary`` is the key of the published number; ``n``
    counts the examples; ``signature`` says how the numbers were computed; ``warnings`` say what a reader must know.
    ``intervals`` are the (low, high) of those scores that have an interval, where one was asked for; the signature says
    of which kind and level, and ``notes`` why the published number has none.

    >>> result = Result("demo/films", "rmse", {"rmse": 0.5}, 10, "metric:rmse|n:10", ("one warning",))
    >>> result.value, result.to_dict()["n"]
    (0.5, 10)
    """

    task: str
    primary: str
    scores: Mapping[str, float]
    n: int
    signature: str
    warnings: tuple[str, ...] = ()
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.primary not in self.scores:
            raise ValueError(f"{self.task}: the primary score {self.primary!r} is not among {sorted(self.scores)}")
        object.__setattr__(self, "scores", Frozen(self.scores))
        object.__setattr__(self, "intervals", Frozen(self.intervals))

    @property
    def value(self) -> float:
        """The published number, in the metric's own range."""
        return self.scores[self.primary]

    def to_dict(self) -> dict[str, object]:
        """The result as plain values that JSON can hold.

        ``task``, ``primary``, ``scores``, ``n``, ``signature`` and ``warnings`` as above; where intervals were asked for also
        ``intervals``, score key → [low, high], without the scores that have none, and ``notes`` if there are any.
        """
        notes = {"notes": list(self.notes)} if self.notes else {}
        intervals = {"intervals": {key: list(ends) for key, ends in self.intervals.items()}} if self.intervals else {}
        return {
            "task": self.task,
            "primary": self.primary,
            "scores": dict(self.scores),
            "n": self.n,
            "signature": self.signature,
            "warnings": list(self.warnings),
            **intervals,
            **notes,
        }

    def to_json(self) -> str:
        """The result as one line of strict JSON (no NaN, no Infinity)."""
        return strict_json.dumps(self.to_dict())
