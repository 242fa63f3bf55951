# SPDX-License-Identifier: Apache-2.0
"""Which training examples a prompt shows: balanced, never the tested example, the same whatever else is run."""

from __future__ import annotations

import hashlib
import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from euroglue.errors import EuroglueError
from euroglue.prompting.kinds import PromptKind
from euroglue.template import Row

if TYPE_CHECKING:
    import pandas as pd

SHORTEST = 512
"""The first bound for the length of a shot, in characters; it doubles until there are enough shots within it."""
TRIES = 20
"""How often a shot is drawn anew before all that are left are gone through."""


class Rows(Sequence[Row]):
    """The rows of a table, each made when it is asked for, values as plain Python has them."""

    def __init__(self, table: pd.DataFrame, positions: Sequence[int] | None = None):
        self._columns: dict[str, list[Any]] = {str(name): table[name].tolist() for name in table.columns}
        self._positions = range(len(table)) if positions is None else positions

    def __len__(self) -> int:
        return len(self._positions)

    def __getitem__(self, place: Any) -> Any:
        position = self._positions[place]
        return {name: values[position] for name, values in self._columns.items()}

    def __iter__(self) -> Iterator[Row]:
        return (self[place] for place in range(len(self)))


def text_read(kind: PromptKind, row: Row) -> str:
    """What the model reads of an example, without the places of tokens."""
    from euroglue.prepare.leakage import text_of

    return " ".join(text_of(row[name]) for name in kind.task.inputs if not isinstance(row[name], int))


def text_key(kind: PromptKind, row: Row) -> str:
    """What the model reads of an example, lower-cased and without punctuation: by this two examples are the same."""
    from euroglue.prepare.text import without_punctuation

    return without_punctuation(text_read(kind, row))


def generator(*parts: object) -> random.Random:
    """A generator of random numbers that depends on the parts alone.

    >>> generator(4242, "test-7").random() == generator(4242, "test-7").random()
    True
    """
    digest = hashlib.sha256("\0".join(map(str, parts)).encode("utf-8")).digest()
    return random.Random(int.from_bytes(digest, "big"))


class Shots:
    """Draws shots from the training split.

    Whatever the example shows (its label, the types of its entities or that it has none, whether it has an answer) is
    shown equally often, give or take one; which of them once more is drawn. Training examples of up to 512 characters are
    taken; where these are too few to show everything, of up to 1,024, and so on.

    Args:
        kind: the task's kind with its prompt.
        train: the training split.
        count: how many shots to draw; fewer are drawn where the split has no more that differ.
        seed: of the draw.
        fixed: whether every example gets the same shots; else the draw hangs on the example's id too.
    """

    def __init__(self, kind: PromptKind, train: Sequence[Row], *, count: int, seed: int, fixed: bool):
        self.kind, self.train, self.count, self.seed, self.fixed = kind, train, count, seed, fixed
        if count and not len(train):
            raise EuroglueError(f"{kind.task.path}: shots are drawn from train, which is not there: ask with 0 shots")
        self._pools = self._within_bound() if count else {}
        self._same: list[int] | None = None

    def _within_bound(self) -> Mapping[str, list[int]]:
        everything: dict[str, list[int]] = {}
        for place, row in enumerate(self.train):
            for group in self.kind.groups(row):
                everything.setdefault(group, []).append(place)
        lengths = [len(text_read(self.kind, row)) for row in self.train]
        each = -(-self.count // len(everything))
        for bound in (SHORTEST * 2**step for step in itertools.count()):
            pools = {group: [i for i in places if lengths[i] <= bound] for group, places in sorted(everything.items())}
            if bound >= max(lengths) or all(len(pools[group]) >= min(each, len(everything[group])) for group in pools):
                return {group: places for group, places in pools.items() if places}
        raise AssertionError("the bounds go on for ever")

    def of(self, key: str, row: Row) -> list[Row]:
        """The shots for an example.

        Args:
            key: the example's id.
            row: the example; no shot has its text.
        """
        if not self.count:
            return []
        text = text_key(self.kind, row)
        if not self.fixed:
            return [self.train[place] for place in self._draw(generator(self.seed, key), text)]
        if self._same is None:
            self._same = self._draw(generator(self.seed), None)
        places = self._same
        if any(text_key(self.kind, self.train[place]) == text for place in places):
            places = self._draw(generator(self.seed), text)
        return [self.train[place] for place in places]

    def _draw(self, rng: random.Random, avoided: str | None) -> list[int]:
        groups = list(self._pools)
        rng.shuffle(groups)
        chosen: list[int] = []
        seen = set() if avoided is None else {avoided}
        while groups and len(chosen) < self.count:
            for group in list(groups):
                place = self._one(rng, self._pools[group], seen)
                if place is None:
                    groups.remove(group)
                    continue
                chosen.append(place)
                seen.add(text_key(self.kind, self.train[place]))
                if len(chosen) == self.count:
                    break
        rng.shuffle(chosen)
        return chosen

    def _one(self, rng: random.Random, pool: Sequence[int], seen: set[str]) -> int | None:
        """A place of the pool whose text was not seen yet, or None if there is none."""
        return next((place for place in _drawn(rng, pool) if text_key(self.kind, self.train[place]) not in seen), None)


def _drawn(rng: random.Random, pool: Sequence[int]) -> Iterator[int]:
    """Places of the pool at random, at last each of them."""
    yield from (pool[rng.randrange(len(pool))] for _ in range(TRIES))
    yield from rng.sample(pool, len(pool))
