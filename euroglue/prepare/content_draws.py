# SPDX-License-Identifier: Apache-2.0
"""Draws without leaks: by what a row says, not by where it stands, and no group in two splits.

The order of a draw is that of the SHA-256 of the seed and the row's key, so that it depends neither on the order of rows nor
on which others there are; rows with equal keys follow by their ids.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import pandas as pd

from euroglue.errors import ContractError
from euroglue.prepare.text import Key
from euroglue.task import step

DRAWN = "drawn"
"""The column in which ``draw_apart`` notes the new split until ``keep_drawn`` makes it the split."""


def drawn_order(table: pd.DataFrame, by: Key, id_column: str, seed: int) -> pd.DataFrame:
    """The rows in the order in which they are drawn.

    >>> from euroglue.prepare.text import same_text
    >>> rows = pd.DataFrame({"id": list("abc"), "t": ["x", "y", "z"]})
    >>> one, other = (drawn_order(some, same_text("t"), "id", seed=1) for some in (rows, rows[::-1]))
    >>> one["id"].tolist() == other["id"].tolist()
    True
    """
    digests = by(table).map(lambda key: hashlib.sha256(f"{seed}\n{key}".encode()).hexdigest())
    order = pd.DataFrame({"digest": digests, "id": table[id_column].map(str)}).sort_values(["digest", "id"]).index
    return table.loc[order]


def equal_quotas(names: Iterable[str], count: int) -> dict[str, int]:
    """``count`` dealt to names within one of each other; the first by name get one more.

    >>> equal_quotas(["b", "a", "c"], 8)
    {'a': 3, 'b': 3, 'c': 2}
    """
    ordered = sorted(names)
    least, more = divmod(count, len(ordered))
    return {name: least + (at < more) for at, name in enumerate(ordered)}


def proportional_quotas(sizes: pd.Series, count: int) -> dict[str, int]:
    """``count`` dealt to classes by their sizes, by largest remainders; equal remainders by name.

    >>> proportional_quotas(pd.Series({"a": 5, "b": 3, "c": 2}), 4)
    {'a': 2, 'b': 1, 'c': 1}
    """
    total = int(sizes.sum())
    quotas = {str(name): count * int(size) // total for name, size in sizes.items()}
    left = sorted(quotas, key=lambda name: (-(count * int(sizes[name]) % total), name))
    return {name: quota + (name in left[: count - sum(quotas.values())]) for name, quota in quotas.items()}


@step
def draw_apart(
    table: pd.DataFrame,
    id_column: str,
    into: str,
    count: int,
    by: Key,
    seed: int,
    from_: tuple[str, ...] = (),
    apart: tuple[str | Key, ...] = (),
    equal: str = "",
    like: str = "",
    up_to: bool = False,
) -> pd.DataFrame:
    """Draw a split of rows that share no group with those drawn before; the note is in the column ``drawn``.

    Args:
        into: the split.
        count: how many rows.
        by: what tells one row from another; the draw is by its value.
        from_: the splits to draw from: of the first as many as are needed and there, then of the next; all by default.
        apart: columns or keys none of whose values may be in two of the splits drawn.
        equal: a column whose values the split shall have equally often, within one.
        like: a column whose values the split shall have as often, by share, as each of ``from_`` has them.
        up_to: where there are fewer such rows, all of them will do.

    Raises:
        ContractError: fewer such rows are left than are to be drawn.

    >>> from euroglue.prepare.text import same_text
    >>> rows = pd.DataFrame({"id": list("abcd"), "t": list("wxyz"), "y": [0, 1, 0, 1], "article": [1, 1, 2, 2]})
    >>> first = draw_apart("id", "test", 2, by=same_text("t"), seed=1, apart=("article",), equal="y")(rows)
    >>> second = draw_apart("id", "train", 1, by=same_text("t"), seed=1, apart=("article",))
    >>> second(first[first["article"] != 2])["drawn"].tolist()
    Traceback (most recent call last):
    euroglue.errors.ContractError: train: expected 1 rows to draw, got 0 apart from those drawn before; the raw files have too few
    """
    taken = table[DRAWN].copy() if DRAWN in table else pd.Series(None, index=table.index, dtype=object)
    free = taken.isna()
    for one in apart:
        values = one(table) if isinstance(one, Key) else table[one]
        free &= ~values.isin(set(values[taken.notna()]))
    chosen: list = []
    for source in from_ or (None,):
        pool = drawn_order(table[free & (table["split"] == source)] if source else table[free], by, id_column, seed)
        chosen += _first(pool, count - len(chosen), equal, like)
    if len(chosen) < count and not up_to:
        raise ContractError(
            f"{into}: expected {count:,} rows to draw, got {len(chosen):,} apart from those drawn before; "
            "the raw files have too few"
        )
    taken[chosen] = into
    return table.assign(**{DRAWN: taken})


def _first(pool: pd.DataFrame, count: int, equal: str, like: str) -> list:
    """The index of the first ``count`` rows of an ordered pool, or of all, where need be so many of each class."""
    column = like or equal
    if not column or (like and count >= len(pool)) or pool.empty:
        return pool.index[:count].tolist()
    sizes = pool[column].map(str).value_counts()
    quotas = proportional_quotas(sizes, count) if like else equal_quotas(sizes.index, count)
    names = pool[column].map(str)
    return pool.index[names.groupby(names).cumcount() < names.map(quotas)].tolist()


@step
def keep_drawn(table: pd.DataFrame, id_column: str, by: Key, seed: int) -> pd.DataFrame:
    """Keep the rows that were drawn, in the order of the draw, so that classes are mixed.

    >>> from euroglue.prepare.text import same_text
    >>> rows = pd.DataFrame({"id": ["a", "b"], "t": ["x", "y"], "drawn": ["test", None]})
    >>> keep_drawn("id", same_text("t"), seed=1)(rows)[["id", "split"]].values.tolist()
    [['a', 'test']]
    """
    kept = drawn_order(table[table[DRAWN].notna()], by, id_column, seed)
    return kept.assign(split=kept[DRAWN]).drop(columns=DRAWN)


@step
def draw_groups(
    table: pd.DataFrame, id_column: str, from_: str, into: str, count: int, group: str, seed: int
) -> pd.DataFrame:
    """Draw whole groups of one split into another until it has so many rows; a group that is too large is passed over.

    >>> rows = pd.DataFrame({"id": list("abcd"), "g": list("xxyz"), "split": ["test"] * 4})
    >>> drawn = draw_groups("id", from_="test", into="validation", count=2, group="g", seed=3)(rows)
    >>> sorted(drawn[drawn["split"] == "validation"]["g"])
    ['y', 'z']

    Raises:
        ContractError: the groups do not make up so many rows, or nothing would be left.
    """
    rows = table[table["split"] == from_]
    sizes = rows.groupby(group).size()
    names = sorted(sizes.index, key=lambda name: (hashlib.sha256(f"{seed}\n{name}".encode()).hexdigest(), name))
    chosen, left = set(), count
    for name in names:
        if sizes[name] <= left:
            chosen.add(name)
            left -= int(sizes[name])
    if left or len(rows) <= count:
        raise ContractError(f"{into}: expected {count:,} rows in whole groups of {from_}, got {count - left:,}")
    moved = (table["split"] == from_) & table[group].isin(chosen)
    return table.assign(split=table["split"].where(~moved, into))
