# SPDX-License-Identifier: Apache-2.0
"""Which examples form a batch, and which part of a batch a process works on.

Global batches are formed first, from lengths, seed and epoch alone, and then cut into shares: neither the number of
processes nor that of accumulation steps changes what a batch holds.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

Lengths = Sequence[int] | np.ndarray
"""How many sub-words each example has."""


def training_batches(lengths: Lengths, batch_size: int, *, seed: int, epoch: int) -> list[list[int]]:
    """Deal the examples into batches of like length, in random order; every example once, the last batch may be short.

    Examples of equal length are shuffled before they are cut into batches, so that an epoch's batches are not the last
    one's. The batch with the longest example comes first: what does not fit the memory shows at once.

    >>> training_batches([3, 9, 3, 9, 3], 2, seed=0, epoch=0)[0]
    [1, 3]
    """
    draw = np.random.default_rng((seed, epoch))
    order = draw.permutation(len(lengths))
    order = order[np.argsort(-np.asarray(lengths)[order], kind="stable")]
    batches = [sorted(order[i : i + batch_size].tolist()) for i in range(0, len(order), batch_size)]
    rest = draw.permutation(np.arange(1, len(batches)))
    return [batches[i] for i in (0, *rest.tolist())] if batches else []


def prediction_batches(lengths: Lengths, batch_size: int) -> list[list[int]]:
    """Batches of like length and like size, longest first, the same wherever and by however many they are worked off.

    >>> prediction_batches([1, 5, 2], 2)
    [[1, 2], [0]]
    """
    order = np.argsort(-np.asarray(lengths), kind="stable")
    count = -(-len(order) // batch_size)
    return [part.tolist() for part in np.array_split(order, count)] if count else []


def shares(batch: Sequence[int], *, processes: int, process: int, steps: int) -> list[list[int]]:
    """Cut a global batch into ``processes * steps`` near-equal shares and return those of one process.

    A batch smaller than that leaves some shares empty.

    >>> [shares([1, 2, 3, 4, 5], processes=2, process=process, steps=1) for process in (0, 1)]
    [[[1, 2, 3]], [[4, 5]]]
    """
    parts = np.array_split(np.asarray(batch, dtype=np.int64), processes * steps)
    return [part.tolist() for part in parts[process::processes]]


def padding_share(lengths: Lengths, batches: Sequence[Sequence[int]]) -> float:
    """The share of padding among all positions when each batch is padded to its longest example, 0–1.

    >>> padding_share([4, 2], [[0, 1]])
    0.25
    """
    filled = sum(lengths[i] for batch in batches for i in batch)
    cells = sum(len(batch) * max(lengths[i] for i in batch) for batch in batches)
    return 1 - filled / cells
