# SPDX-License-Identifier: Apache-2.0
"""Draws as published builds make them with pandas and scikit-learn, row for row, faults included.

Both draw by ``numpy.random.RandomState``: ``DataFrame.sample(n, random_state=s)`` of pandas takes the first n places of
``RandomState(s).permutation(rows)``, and so does scikit-learn's ``resample(replace=False, random_state=s)``. Rows come out in
the order in which they are drawn. What is drawn depends on the order of the rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from euroglue.errors import ContractError
from euroglue.task import derivation, step


def sample(rows: int, count: int, seed: int) -> np.ndarray:
    """The places that ``DataFrame.sample(count, random_state=seed)`` draws of so many rows, in the order of the draw.

    Raises:
        ContractError: there are fewer rows than are drawn.

    >>> sample(5, 3, seed=42).tolist() == pd.DataFrame(index=range(5)).sample(3, random_state=42).index.tolist()
    True
    """
    if rows < count:
        raise ContractError(f"expected {count:,} rows or more to draw from, got {rows:,}; the raw files have too few")
    return np.random.RandomState(seed).permutation(rows)[:count]


def stratified(classes: Sequence[str], count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The places that scikit-learn's ``train_test_split(test_size=count, random_state=seed, stratify=classes)`` draws.

    One ``StratifiedShuffleSplit``: each class gives its share to the first part, rounded down, ties of what is left over
    broken by the generator; then its share of the second; each class is permuted, then both parts are.

    Returns:
        The places of the remainder and of the ``count`` drawn, each in the order of the draw.

    Raises:
        ContractError: a class has one row only, or a part has fewer rows than there are classes.

    >>> stratified(["x", "y"] * 4, 2, seed=0)[1].tolist()
    [7, 0]
    """
    names, numbers, sizes = np.unique(np.asarray(classes, dtype=str), return_inverse=True, return_counts=True)
    rest = len(numbers) - count
    if not len(names) or sizes.min() < 2 or min(rest, count) < len(names):
        raise ContractError(
            f"expected two rows or more of each class, and both parts no fewer than classes, to draw {count:,} of "
            f"{len(numbers):,} rows by class, got {len(names)} classes of {sizes.min() if len(names) else 0} rows or more"
        )
    draw = np.random.RandomState(seed)
    places = np.split(np.argsort(numbers, kind="stable"), np.cumsum(sizes)[:-1])
    stay = _quotas(sizes, rest, draw)
    go = _quotas(sizes - stay, count, draw)
    first, second = [], []
    for of_class, some, others in zip(places, stay, go):
        order = of_class[draw.permutation(len(of_class))]
        first += order[:some].tolist()
        second += order[some : some + others].tolist()
    return draw.permutation(first), draw.permutation(second)


def _quotas(sizes: np.ndarray, count: int, draw: np.random.RandomState) -> np.ndarray:
    """How many of ``count`` each class gives, by largest remainders; equal remainders by the generator."""
    exact = sizes / sizes.sum() * count
    quotas = np.floor(exact)
    left = int(count - quotas.sum())
    for remainder in np.unique(exact - quotas)[::-1]:
        if left <= 0:
            break
        tied = np.flatnonzero(exact - np.floor(exact) == remainder)
        chosen = draw.choice(tied, size=min(len(tied), left), replace=False)
        quotas[chosen] += 1
        left -= len(chosen)
    return quotas.astype(int)


@step
def number_rows(table: pd.DataFrame, into: str) -> pd.DataFrame:
    """Number the rows of each split from 0: the index that a build has of its source.

    >>> number_rows("n")(pd.DataFrame({"split": ["test", "train", "test"]}))["n"].tolist()
    [0, 0, 1]
    """
    return table.assign(**{into: table.groupby("split", sort=False).cumcount()})


@step
def downsample(table: pd.DataFrame, column: str, seed: int) -> pd.DataFrame:
    """Draw of each class as many rows as the rarest has: classes in the order of their first rows, each by ``resample``.

    >>> downsample("y", seed=0)(pd.DataFrame({"y": list("aaabb")}))["y"].tolist()
    ['a', 'a', 'b', 'b']
    """
    classes = [rows for _, rows in table.groupby(column, sort=False)]
    least = min(map(len, classes), default=0)
    return pd.concat([rows.iloc[sample(len(rows), least, seed)] for rows in classes] or [table])


@derivation
def draw_in_turn(
    table: pd.DataFrame, id_column: str, from_: str, seed: int, rest: str = "", place: str = "", **counts: int
) -> pd.DataFrame:
    """Draw splits from one split, one after the other, each by the same seed; what is left is ``rest``, or goes.

    Args:
        from_: the split to draw from; the empty text for all rows, whatever split they have.
        place: with it, a fault of published builds is kept: the index of what is drawn is reset before it is taken out, so
            that not the rows drawn are taken out but those whose number in this column is below the number drawn. A
            row can be drawn twice then; it stands in both splits, the second time as ``<id>@<split>``.

    Raises:
        ContractError: fewer rows are left than are to be drawn.

    >>> rows = pd.DataFrame({"id": list("abcd"), "n": range(4), "split": ["test"] * 4})
    >>> draw_in_turn("id", from_="test", seed=1, rest="test", validation=2)(rows)[["id", "split"]].values.tolist()
    [['d', 'validation'], ['c', 'validation'], ['a', 'test'], ['b', 'test']]
    >>> drawn = draw_in_turn("id", from_="test", seed=1, rest="test", place="n", validation=2)(rows)
    >>> drawn[["id", "split"]].values.tolist()
    [['d', 'validation'], ['c', 'validation'], ['c@test', 'test'], ['d@test', 'test']]
    """
    inside = table["split"] == from_ if from_ else pd.Series(True, index=table.index)
    pool, parts = table[inside], [table[~inside]]
    for split, count in counts.items():
        drawn = pool.iloc[sample(len(pool), count, seed)]
        parts.append(drawn.assign(split=split))
        pool = pool[pool[place] >= count] if place else pool.drop(drawn.index)
    if rest:
        parts.append(pool.assign(split=rest))
    return _told_apart(pd.concat(parts), id_column)


def _told_apart(table: pd.DataFrame, id_column: str) -> pd.DataFrame:
    """Rows that are there again get an id and an index of their own."""
    again = table.index.duplicated()
    if not again.any():
        return table
    new = table[id_column].where(~again, table[id_column].astype(str) + "@" + table["split"])
    index = np.array(table.index)
    index[again] = index.max() + 1 + np.arange(again.sum())
    return table.assign(**{id_column: new.astype(object)}).set_axis(pd.Index(index), axis=0)


@step
def draw_stratified(
    table: pd.DataFrame, column: str, seed: int, sampled: Mapping[str, int], **counts: int
) -> pd.DataFrame:
    """Draw splits from all rows by class, as ``train_test_split`` does, then others of the remainder as ``sample`` does.

    What is drawn by none goes. Each draw has the same seed; a later one is from what an earlier one left, in its order.

    >>> rows = pd.DataFrame({"c": ["x", "y"] * 4})
    >>> draw_stratified("c", seed=0, sampled={"train": 3}, test=2)(rows)["split"].tolist()
    ['test', 'test', 'train', 'train', 'train']
    """
    pool, parts = table, []
    for split, count in counts.items():
        left, drawn = stratified(pool[column].tolist(), count, seed)
        parts.append(pool.iloc[drawn].assign(split=split))
        pool = pool.iloc[left]
    for split, count in sampled.items():
        drawn = sample(len(pool), count, seed)
        parts.append(pool.iloc[drawn].assign(split=split))
        pool = pool.drop(pool.index[drawn])
    return pd.concat(parts)


@step
def shuffle(table: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Put the rows of each split into the order of ``DataFrame.sample(frac=1, random_state=seed)``.

    >>> shuffle(seed=0)(pd.DataFrame({"id": list("abc"), "split": ["test"] * 3}))["id"].tolist()
    ['c', 'b', 'a']
    """
    splits = table.groupby("split", sort=False)
    return pd.concat([rows.iloc[sample(len(rows), len(rows), seed)] for _, rows in splits])
