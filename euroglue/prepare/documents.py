# SPDX-License-Identifier: Apache-2.0
"""Splits by document: one drawn split for two corpora that share documents (DUMB, section 2.1)."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterable, Sequence

import pandas as pd

from euroglue.errors import ContractError, FormatError
from euroglue.task import SPLITS, check, step

SHOWN = 10
"""How many missing labels a finding names."""
_NO_DASH = re.compile(r"(?<=^wiki)(?=\d)")


def document_names(members: Iterable[str]) -> dict[str, str]:
    """Document → member: a member's name without folder and ending, ``wiki1181`` spelt ``wiki-1181``; sorted.

    Raises:
        FormatError: two members are one document.

    >>> document_names(["MMAX/wiki1181.mmax", "MMAX/dpc-eli-000939-nl-sen.mmax"])
    {'dpc-eli-000939-nl-sen': 'MMAX/dpc-eli-000939-nl-sen.mmax', 'wiki-1181': 'MMAX/wiki1181.mmax'}
    """
    named: dict[str, str] = {}
    for member in members:
        name = _NO_DASH.sub("-", member.rpartition("/")[2].rpartition(".")[0])
        if name in named:
            raise FormatError(f"{member}: the document {name} is there twice, also as {named[name]}; keep one of them")
        named[name] = member
    return dict(sorted(named.items()))


def shared_document_split(
    first: Sequence[str], second: Sequence[str], seed: int, test: float, validation: float
) -> dict[str, str]:
    """Draw one split for the documents of two corpora; a document that both hold is in one split.

    One generator, ``random.Random(seed)``, shuffles in turn the documents that only the first corpus has, those that only
    the second has, and those of both. Of each list the first ``test`` share is test, the next ``validation`` share
    validation, both rounded down, as in the published build. Where this leaves a small corpus without validation or test,
    a document of its longest list goes there.

    >>> shared_document_split(list("dcba"), list("ef"), seed=1, test=0.25, validation=0.25)
    {'d': 'test', 'a': 'validation', 'c': 'train', 'b': 'train', 'e': 'train', 'f': 'train'}
    """
    generator = random.Random(seed)
    one, other = set(first), set(second)
    lists = [sorted(one - other), sorted(other - one), sorted(one & other)]
    for names in lists:
        generator.shuffle(names)
    tests = _counts(lists, test)
    validations = _counts(lists, validation)
    split = {}
    for names, tested, validated in zip(lists, tests, validations):
        for at, name in enumerate(names):
            split[name] = "test" if at < tested else "validation" if at < tested + validated else "train"
    return split


def _counts(lists: Sequence[Sequence[str]], share: float) -> list[int]:
    """How many documents of each list go to a split; the corpora have the lists 0 and 2, 1 and 2."""
    counts = [math.floor(len(names) * share) for names in lists]
    for own in ((0, 2), (1, 2)):
        longest = max(own, key=lambda at: len(lists[at]))
        if not any(counts[at] for at in own) and len(lists[longest]) > len(SPLITS):
            counts[longest] = 1
    return counts


@step
def draw_from(table: pd.DataFrame, from_: str, into: str, count: int, seed: int) -> pd.DataFrame:
    """Draw a number of rows of one split into another, over the rows in their present order.

    The draw is that of ``Dataset.train_test_split`` of datasets: the first ``count`` of a permutation by
    ``numpy.random.default_rng(seed)``. The rows keep their order.

    Raises:
        ContractError: the split does not have more rows than are drawn.

    >>> rows = pd.DataFrame({"id": list("abcd"), "split": ["train"] * 4})
    >>> draw_from("train", "validation", count=2, seed=0)(rows)["split"].tolist()
    ['validation', 'train', 'validation', 'train']
    """
    import numpy as np

    index = table.index[table["split"] == from_]
    if len(index) <= count:
        raise ContractError(f"expected more than {count:,} rows in {from_} to draw {count:,} of, got {len(index):,}")
    split = table["split"].copy()
    split[index[np.random.default_rng(seed).permutation(len(index))[:count]]] = into
    return table.assign(split=split)


@step
def cut_run(table: pd.DataFrame, split: str, count: int, gap: int, rest: str) -> pd.DataFrame:
    """Cut a split that is running text in two: its first rows stay in it, a gap of rows goes, the rest is another split.

    Where the files do not tell documents, a gap as long as a document keeps the one that is cut out of one of the two.

    Raises:
        ContractError: the split does not have more rows than ``count`` and ``gap``.

    >>> rows = pd.DataFrame({"id": list("abcd"), "split": ["validation"] * 4})
    >>> cut_run("validation", count=2, gap=1, rest="test")(rows).values.tolist()
    [['a', 'validation'], ['b', 'validation'], ['d', 'test']]
    """
    index = table.index[table["split"] == split]
    if len(index) <= count + gap:
        raise ContractError(f"expected more than {count + gap:,} rows in {split} to cut it, got {len(index):,}")
    moved = table["split"].copy()
    moved[index[count + gap :]] = rest
    return table.assign(split=moved).drop(index=index[count : count + gap])


@check
def require_labels_in_train(table: pd.DataFrame, column: str, labels: tuple[str, ...], rows_of_full: int) -> list[str]:
    """Refuse a full corpus in whose training split a label is missing; report it of a partial corpus.

    Args:
        rows_of_full: from so many rows on the corpus counts as full.

    Raises:
        ContractError: the corpus is full and a label is missing; the missing ones are named.

    >>> rows = pd.DataFrame({"tags": [["A", "B"], ["C"]], "split": ["train", "test"]})
    >>> require_labels_in_train("tags", ("A", "C"), rows_of_full=9)(rows)
    ['a partial corpus: 2 of 9 rows; 1 of 2 labels do not occur in train: C']
    """
    seen = {label for value in table.loc[table["split"] == "train", column] for label in value}
    missing = [label for label in labels if label not in seen]
    tell = f"{len(missing)} of {len(labels)} labels do not occur in train"
    if len(table) < rows_of_full:
        named = ", ".join(missing[:SHOWN]) + ", …" * (len(missing) > SHOWN)
        return [f"a partial corpus: {len(table):,} of {rows_of_full:,} rows; {tell}" + f": {named}" * bool(missing)]
    if missing:
        raise ContractError(f"{column}: {tell}: {', '.join(missing)}; the split is drawn so that train has all")
    return []
