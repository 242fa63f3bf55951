# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from euroglue.training.batching import padding_share, prediction_batches, shares, training_batches

lengths = st.lists(st.integers(1, 50), max_size=80)


@given(lengths=lengths, size=st.integers(1, 20), epoch=st.integers(0, 5))
def test_an_epoch_shows_every_example_once_in_batches_of_the_given_size(lengths, size, epoch):
    batches = training_batches(lengths, size, seed=1, epoch=epoch)
    assert sorted(i for batch in batches for i in batch) == list(range(len(lengths)))
    assert sorted(map(len, batches), reverse=True)[:-1] == [size] * (len(batches) - 1)


def test_epochs_and_seeds_differ_and_repeat():
    sizes = np.random.default_rng(0).integers(3, 20, 200).tolist()
    first = training_batches(sizes, 16, seed=1, epoch=0)
    assert training_batches(sizes, 16, seed=1, epoch=0) == first
    assert training_batches(sizes, 16, seed=1, epoch=1) != first
    assert training_batches(sizes, 16, seed=2, epoch=0) != first
    together = [{frozenset(batch) for batch in training_batches(sizes, 16, seed=1, epoch=epoch)} for epoch in (0, 1)]
    assert len(together[0] & together[1]) <= 2, "the same company in every epoch would be no shuffling"


def test_batches_of_like_length_hardly_pad_and_the_longest_comes_first():
    sizes = np.random.default_rng(0).geometric(0.08, 2000).tolist()
    batches = training_batches(sizes, 16, seed=1, epoch=0)
    chance = np.random.default_rng(1).permutation(2000).reshape(-1, 16).tolist()
    assert padding_share(sizes, batches) < 0.05 < 0.5 < padding_share(sizes, chance)
    assert max(sizes) in [sizes[i] for i in batches[0]]


@given(
    batch=st.lists(st.integers(0, 999), unique=True, max_size=40), processes=st.integers(1, 4), steps=st.integers(1, 4)
)
def test_the_shares_of_all_processes_make_the_global_batch(batch, processes, steps):
    parts = [shares(batch, processes=processes, process=rank, steps=steps) for rank in range(processes)]
    assert all(len(part) == steps for part in parts)
    assert sorted(i for part in parts for share in part for i in share) == sorted(batch)
    sizes = [len(share) for part in parts for share in part]
    assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize(
    ("count", "size", "expected", "why"),
    [
        (0, 8, [], "nothing"),
        (8, 8, [8], "one full batch"),
        (9, 8, [5, 4], "no batch of one at the end"),
        (17, 8, [6, 6, 5], "even sizes"),
    ],
)
def test_prediction_batches_are_of_like_size(count, size, expected, why):
    batches = prediction_batches(list(range(1, count + 1)), size)
    assert [len(batch) for batch in batches] == expected, why
    assert sorted(i for batch in batches for i in batch) == list(range(count))
