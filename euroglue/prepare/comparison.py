# SPDX-License-Identifier: Apache-2.0
"""Two editions of a task side by side: what the splits of each share, as two audits found it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from euroglue import strict_json
from euroglue.errors import EuroglueError
from euroglue.prepare.leakage import Audit, Finding, audit

if TYPE_CHECKING:
    from euroglue.prepare.pipeline import Prepared


@dataclass(frozen=True)
class Comparison:
    """The audits of two editions of one task, by the editions' names."""

    task: str
    audits: dict[str, Audit]

    def pairs(self) -> Iterator[tuple[Finding, Finding]]:
        """The findings of the first edition and of the second, check by check, zeros included.

        A check that only one of them had, since it lacks a split, is left out.
        """
        first, second = ({(one.kind, one.splits): one for one in audit.findings} for audit in self.audits.values())
        yield from ((first[key], second[key]) for key in first if key in second)

    @property
    def clean(self) -> bool:
        """Whether nothing was found in either."""
        return all(audit.clean for audit in self.audits.values())

    def lines(self) -> list[str]:
        """A sentence for each check that found something in one of the two."""
        names = list(self.audits)
        return [
            f"{', '.join(one.splits)}: {one.kind}: {names[0]} {self.told(0, one)}, {names[1]} {self.told(1, other)}"
            for one, other in self.pairs()
            if one.count or other.count
        ]

    def told(self, which: int, finding: Finding) -> str:
        """A finding with the rows it concerns: ``256 (256 of 1,024 in train, 256 of 256 in validation)``.

        Args:
            which: 0 for the first edition, 1 for the second.
        """
        if not finding.count:
            return "0"
        sizes = list(self.audits.values())[which].sizes
        rows = ", ".join(
            f"{count:,} of {sizes[split]:,} in {split}" for split, count in zip(finding.splits, finding.rows)
        )
        return f"{finding.count:,} ({rows})"

    def to_dict(self) -> dict[str, Any]:
        """Both audits and their differences as plain values that JSON can hold."""
        names = list(self.audits)
        return {
            "task": self.task,
            "clean": self.clean,
            "editions": {name: audit.to_dict() for name, audit in self.audits.items()},
            "differences": [
                {
                    "kind": one.kind,
                    "splits": list(one.splits),
                    names[0]: {"count": one.count, "rows": list(one.rows)},
                    names[1]: {"count": other.count, "rows": list(other.rows)},
                }
                for one, other in self.pairs()
                if (one.count, one.rows) != (other.count, other.rows)
            ],
        }

    def to_json(self) -> str:
        """The comparison as one line of strict JSON."""
        return strict_json.dumps(self.to_dict())


def compare(first: Prepared, second: Prepared, **options: Any) -> Comparison:
    """Audit two prepared editions of a task alike; ``options`` are those of ``euroglue.prepare.leakage.audit``.

    Raises:
        EuroglueError: they are not two editions of one task.
    """
    if first.task.path != second.task.path or first.edition == second.edition:
        raise EuroglueError(
            f"expected two editions of one task to compare, got {first.task.path} ({first.edition}) and "
            f"{second.task.path} ({second.edition})"
        )
    audits = {
        one.edition: audit(one.task, {split: one.table(split) for split in one.splits}, **options)
        for one in (first, second)
    }
    return Comparison(first.task.path, audits)
