# SPDX-License-Identifier: Apache-2.0
"""Draws: those of published builds row for row as pandas and scikit-learn draw, and our own, which no order changes."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import train_test_split
from sklearn.utils import resample

from euroglue.errors import ContractError
from euroglue.prepare.content_draws import draw_apart, draw_groups, keep_drawn
from euroglue.prepare.published_draws import downsample, draw_in_turn, draw_stratified, number_rows, sample, stratified
from euroglue.prepare.text import same_text

SEEDS = st.integers(0, 2**32 - 1)
CLASSES = st.lists(st.sampled_from(["biologija", "kemija", "pravo", "šah", "etika"]), min_size=12, max_size=80).filter(
    lambda names: min(map(names.count, set(names))) > 1
)


def rows(count, **columns):
    """A table of so many rows in the split ``train``, their texts all different."""
    texts = [f"besedilo {number}" for number in range(count)]
    return pd.DataFrame({"id": [f"i{n}" for n in range(count)], "text": texts, "split": ["train"] * count, **columns})


def splits(table):
    """Split → ids."""
    return {name: set(part["id"]) for name, part in table.groupby("split")}


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 400), st.data(), SEEDS)
def test_a_sample_is_that_of_pandas(count, data, seed):
    drawn = data.draw(st.integers(0, count))
    assert sample(count, drawn, seed).tolist() == rows(count).sample(drawn, random_state=seed).index.tolist()


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 400), st.data(), SEEDS)
def test_a_sample_is_that_of_resample(count, data, seed):
    drawn = data.draw(st.integers(1, count))
    ours = sample(count, drawn, seed)
    assert ours.tolist() == resample(np.arange(count), replace=False, n_samples=drawn, random_state=seed).tolist()


@settings(max_examples=60, deadline=None)
@given(CLASSES, st.data(), SEEDS)
def test_a_stratified_draw_is_that_of_train_test_split(names, data, seed):
    kinds = len(set(names))
    count = data.draw(st.integers(kinds, len(names) - kinds))
    rest, drawn = train_test_split(range(len(names)), test_size=count, random_state=seed, stratify=names)
    ours = stratified(names, count, seed)
    assert (ours[0].tolist(), ours[1].tolist()) == (rest, drawn)


def test_the_published_size_of_mmlu_is_drawn_as_scikit_learn_does():
    """57 categories of unequal sizes, twice 4242, then a sample: the order of what is left matters."""
    sizes = np.random.RandomState(0).randint(100, 450, 57)
    table = rows(sizes.sum(), category=np.repeat([f"predmet_{n}" for n in range(57)], sizes)).sample(
        frac=1, random_state=3
    )
    ours = draw_stratified("category", seed=4242, sampled={"train": 1024}, validation=256, test=2048)(table)
    rest, validation = train_test_split(table, test_size=256, random_state=4242, stratify=table["category"])
    rest, test = train_test_split(rest, test_size=2048, random_state=4242, stratify=rest["category"])
    expected = {"train": rest.sample(1024, random_state=4242), "validation": validation, "test": test}
    for split, part in expected.items():
        assert ours.loc[ours["split"] == split, "id"].tolist() == part["id"].tolist(), split


@pytest.mark.parametrize(
    ("names", "count", "why"),
    [
        (["x", "x", "y"], 1, "a class of one row"),
        (["x", "y"] * 3, 1, "fewer rows drawn than classes"),
        (["x", "y"] * 3, 5, "fewer rows left than classes"),
        ([], 0, "no rows"),
    ],
)
def test_a_stratified_draw_that_scikit_learn_refuses_is_refused(names, count, why):
    with pytest.raises(ContractError, match="two rows or more of each class"):
        stratified(names, count, seed=1)


def test_downsampling_keeps_the_order_of_classes_and_draws_each_as_resample_does():
    table = rows(90, label=["pozitivno"] * 20 + ["negativno"] * 50 + ["nevtralno"] * 20)
    expected = pd.concat(
        resample(part, replace=False, n_samples=20, random_state=4242) for _, part in table.groupby("label", sort=False)
    )
    assert downsample("label", seed=4242)(table)["id"].tolist() == expected["id"].tolist()


@pytest.mark.issue("EuroEval#74")
def test_a_draw_in_turn_takes_out_what_it_draws():
    drawn = draw_in_turn("id", from_="train", seed=4242, validation=256, test=2048, train=1024)(rows(5000))
    parts = splits(drawn)
    assert {name: len(part) for name, part in parts.items()} == {"train": 1024, "validation": 256, "test": 2048}
    assert len(set.union(*parts.values())) == 1024 + 256 + 2048


@pytest.mark.issue("EuroEval#sentinews-index")
@pytest.mark.issue("EuroEval#winogrande-index")
@pytest.mark.parametrize(
    ("count", "counts", "rest", "shared"),
    [
        (1213, {"validation": 128}, "test", {("validation", "test"): 110}),
        (9000, {"test": 2048, "validation": 256, "train": 1024}, "", {("validation", "train"): 256}),
    ],
)
def test_with_its_index_reset_a_published_draw_takes_out_the_wrong_rows(count, counts, rest, shared):
    table = number_rows("place")(rows(count))
    drawn = draw_in_turn("id", from_="train", seed=42, rest=rest, place="place", **counts)(table)
    texts = {name: set(part["text"]) for name, part in drawn.groupby("split")}
    assert {pair: len(texts[pair[0]] & texts[pair[1]]) for pair in shared} == shared
    assert drawn["id"].is_unique and drawn.index.is_unique
    assert not drawn.loc[~drawn["id"].str.contains("@"), "text"].duplicated().any(), "a row keeps its id once"


@pytest.mark.parametrize(("have", "want"), [(3, 4), (0, 1)])
def test_too_few_rows_are_refused(have, want):
    with pytest.raises(ContractError, match=f"expected {want} rows or more to draw from, got {have}"):
        draw_in_turn("id", from_="train", seed=1, test=want)(rows(have))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 1000), st.integers(0, 1000))
def test_our_draw_does_not_depend_on_the_order_of_rows_and_shares_no_group(seed, shuffle):
    table = rows(120, article=[n // 3 for n in range(120)], label=[n % 3 for n in range(120)])
    steps = [
        draw_apart("id", name, count, by=same_text("text"), seed=seed, apart=("article",), equal="label")
        for name, count in {"test": 20, "validation": 7, "train": 10}.items()
    ]
    results = []
    for one in (table, table.sample(frac=1, random_state=shuffle)):
        for draw in steps:
            one = draw(one)
        results.append(keep_drawn("id", same_text("text"), seed=seed)(one))
    first, second = results
    assert first[["id", "split"]].values.tolist() == second[["id", "split"]].values.tolist()
    assert (first.groupby("article")["split"].nunique() == 1).all()
    counts = first.groupby(["split", "label"]).size().unstack()
    assert ((counts.max(axis=1) - counts.min(axis=1)) <= 1).all()
    assert first["split"].value_counts().to_dict() == {"test": 20, "train": 10, "validation": 7}


def test_our_draw_takes_all_of_the_first_split_then_of_the_next_by_the_shares_of_a_column():
    table = rows(110, category=["a"] * 6 + ["b"] * 4 + ["a"] * 75 + ["b"] * 25).assign(
        split=["train"] * 10 + ["validation"] * 100
    )
    drawn = draw_apart("id", "train", 30, same_text("text"), seed=1, from_=("train", "validation"), like="category")(
        table
    )
    kept = drawn[drawn["drawn"] == "train"]
    assert kept["split"].value_counts().to_dict() == {"train": 10, "validation": 20}
    assert kept[kept["split"] == "validation"]["category"].value_counts().to_dict() == {"a": 15, "b": 5}


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(1, 3), min_size=20, max_size=60), st.integers(0, 1000))
def test_groups_are_drawn_whole(sizes, seed):
    sizes += [1, 1]  # so that any two groups can be followed to the number
    table = rows(sum(sizes), group=[str(group) for group, size in enumerate(sizes) for _ in range(size)])
    drawn = draw_groups("id", "train", "validation", 20, "group", seed)(table)
    assert (drawn["split"] == "validation").sum() == 20
    assert (drawn.groupby("group")["split"].nunique() == 1).all()
    assert len(drawn) == len(table)


def test_groups_that_do_not_fit_are_refused():
    with pytest.raises(ContractError, match="expected 1 rows in whole groups of train, got 0"):
        draw_groups("id", "train", "validation", 1, "group", 0)(rows(4, group=list("aabb")))
