# SPDX-License-Identifier: Apache-2.0
"""What ``describe`` counts, for every kind of target and input; words and entities against independent counters."""

import json
import math
from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from euroglue.errors import ContractError, EuroglueError
from euroglue.prepare.groupings import MOST_VALUES
from euroglue.prepare.label_counts import MOST_LABELS, entities
from euroglue.prepare.statistics import Spread, describe, overlap, words_of
from euroglue.task import Kind, Labels
from tests.prepare.made_up import make_task


def task_of(kind, target, **features):
    """A task of this kind with the inputs ``features`` and the feature ``target``; ``other`` are columns it does not read."""
    other = features.pop("other", {})
    return replace(
        make_task(),
        kind=kind,
        features={"id": "string", **features, "label": target, **other},
        inputs=tuple(features),
        bounds=(0.0, 5.0) if target == "float64" else None,
    )


def table(**columns):
    rows = len(next(iter(columns.values())))
    return pd.DataFrame({"id": [str(row) for row in range(rows)], **columns})


def labels_of(target, *columns, kind=Kind.SEQUENCE_CLASSIFICATION):
    """Unit and, for each split, counts and hidden labels, of a task whose splits have these targets."""
    names = ("train", "validation", "test")
    tables = {name: table(text=["дума"] * len(values), label=list(values)) for name, values in zip(names, columns)}
    found = describe(task_of(kind, target, text="string"), tables)
    return found.unit, [(split.labels, split.unlabelled) for split in found.splits.values()]


BIO = [Labels("O", "B-PER", "I-PER", "B-LOC", "I-LOC")]
QA = {"text": ["string"], "answer_start": ["int64"]}


@pytest.mark.parametrize(
    ("target", "columns", "unit", "expected", "why"),
    [
        (
            Labels("да", "не"),
            ([1, 1, 0], [1, -1]),
            "examples",
            [({"да": 1, "не": 2}, 0), ({"да": 0, "не": 1}, 1)],
            "classes in the literal's order, zeros kept, hidden ones apart",
        ),
        (Labels("да", "не"), ([0], [-1, -1]), "examples", [({"да": 1, "не": 0}, 0), (None, 2)], "a hidden split"),
        ([Labels("X", "Y")], ([[0, 1, 1], [1]],), "tags", [({"X": 1, "Y": 3}, 0)], "tags are counted, not rows"),
        (
            BIO,
            ([[1, 2, 1, 0, 4], [0, 0]], [[-1, -1]]),
            "entities",
            [({"PER": 2, "LOC": 1}, 0), (None, 1)],
            "entities by type: adjacent ones are two, an I alone is one, no O; only O is no hidden label",
        ),
        (BIO, ([[]],), "entities", [({"PER": 0, "LOC": 0}, 0)], "no token, no entity, nothing hidden"),
        (
            "float64",
            ([5.0, 0.5, 0.5], [math.nan]),
            "examples",
            [({"0.5": 2, "5": 1}, 0), (None, 1)],
            "a few numbers one by one, in their order",
        ),
        (
            "float64",
            ([place * 5 / 40 for place in range(41)],),
            "examples",
            [({f"{i / 2:g}–{(i + 1) / 2:g}": 5 if i == 9 else 4 for i in range(10)}, 0)],
            "many numbers in ten ranges, the highest in the last",
        ),
        ("int64", ([10, 9, 9], [-1]), "examples", [({"9": 2, "10": 1}, 0), (None, 1)], "whole numbers in their order"),
        ("string", (["B", "A", "B"], [""]), "examples", [({"A": 1, "B": 2}, 0), (None, 1)], "letters of choices"),
        ("string", ([str(i) for i in range(MOST_LABELS + 1)],), "examples", [(None, 0)], "too many to be labels"),
        (
            QA,
            (
                [{"text": ["да"], "answer_start": [3]}, {"text": [], "answer_start": []}],
                [{"text": [], "answer_start": []}],
            ),
            "examples",
            [({"answer": 1, "no answer": 1}, 0), (None, 1)],
            "answers; a split without any is hidden",
        ),
    ],
)
def test_labels_are_counted_for_every_kind_of_target(target, columns, unit, expected, why):
    kind = Kind.REGRESSION if target == "float64" else Kind.SEQUENCE_CLASSIFICATION
    found = labels_of(target, *columns, kind=kind)
    assert found == (unit, expected)
    for (counts, _), (wanted, _) in zip(found[1], expected):
        assert list(counts or ()) == list(wanted or ()), f"{why}: the order"


def test_the_mean_of_a_rating_leaves_hidden_ones_out():
    task = task_of(Kind.REGRESSION, "float64", text="string")
    tables = {
        "train": table(text=["а"] * 3, label=[1.0, 4.0, math.nan]),
        "test": table(text=["а"], label=[math.nan]),
    }
    found = describe(task, tables)
    assert [split.target_mean for split in found.splits.values()] == [2.5, None]
    assert found.splits["train"].unlabelled == 1


@settings(deadline=None)
@given(st.lists(st.sampled_from(["O", "B-A", "I-A", "B-B", "I-B"]), max_size=12))
def test_entities_are_those_of_seqeval(tags):
    sequence_labeling = pytest.importorskip("seqeval.metrics.sequence_labeling")
    assert list(entities(tags)) == [kind for kind, _, _ in sequence_labeling.get_entities(tags)]


@settings(deadline=None)
@given(st.text("аЯѝЮaZé09_ .,!?„“—№%'\n\t"))
def test_words_are_those_of_nltk(text):
    tokenize = pytest.importorskip("nltk.tokenize", reason="the extra dev brings it")
    assert words_of(text) == tokenize.wordpunct_tokenize(text)


@pytest.mark.parametrize(
    ("value", "ready", "expected", "why"),
    [
        ("", False, [], "nothing"),
        ("т.е. да!", False, ["т", ".", "е", ".", "да", "!"], "a text is split"),
        (["т.е.", "да"], True, ["т.е.", "да"], "words stay whole"),
        (["т.е.", "да"], False, ["т", ".", "е", ".", "да"], "a list of texts is none of words"),
        ({"stem": "Кой?", "choices": [{"text": "Аз"}, {"text": "Ти"}]}, False, ["Кой", "?", "Аз", "Ти"], "nested"),
        ({"grade": 12, "text": None}, False, [], "numbers and nothing have no words"),
    ],
)
def test_words_of_every_shape_of_input(value, ready, expected, why):
    assert words_of(value, ready) == expected


def test_lengths_and_vocabularies_are_over_all_inputs():
    task = task_of(Kind.SEQUENCE_CLASSIFICATION, Labels("0", "1"), premise="string", hypothesis="string")
    tables = {
        "train": table(premise=["А б", "А"], hypothesis=["а", ""], label=[0, 1]),
        "test": table(premise=["в"], hypothesis=["А"], label=[0]),
        "validation": table(premise=[], hypothesis=[], label=[]),
    }
    found = describe(task, tables, edition="rebuilt")
    assert (found.task, found.edition) == ("bgglue/rows", "rebuilt")
    assert found.splits["train"].words == Spread(2.0, 2.0, 1, 3)
    assert [split.vocabulary for split in found.splits.values()] == [3, 2, 0]
    assert [split.rows for split in found.splits.values()] == [2, 1, 0]
    assert found.splits["validation"].words is None
    assert found.overlap["train"] == {"train": 1.0, "test": 1 / 3, "validation": 0.0}
    assert found.overlap["test"] == {"train": 0.5, "test": 1.0, "validation": 0.0}
    assert found.overlap["validation"] == dict.fromkeys(tables)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["splits"]["train"]["words"]["most"] == 3


def test_tokens_are_counted_as_they_are():
    task = task_of(Kind.TOKEN_CLASSIFICATION, BIO, tokens=["string"])
    found = describe(task, {"train": table(tokens=[["т.е.", "Ана", "Ана"]], label=[[0, 1, 1]])})
    assert (found.splits["train"].words, found.splits["train"].vocabulary) == (Spread(3.0, 3.0, 3, 3), 2)


WORDS = st.sets(st.sampled_from("абвгдеж"))


@given(st.dictionaries(st.sampled_from(["train", "validation", "test"]), WORDS))
def test_overlap_is_what_the_row_shares_with_the_column(vocabularies):
    found = overlap(vocabularies)
    for row, words in vocabularies.items():
        for column, others in vocabularies.items():
            share = found[row][column]
            if words:
                assert share * len(words) == pytest.approx(sum(word in others for word in words))
            else:
                assert share is None


QUESTION = {"stem": "string", "choices": [{"text": "string", "label": "string"}]}


@pytest.mark.parametrize(
    ("kind", "target", "features", "columns", "expected", "why"),
    [
        (
            Kind.MULTIPLE_CHOICE,
            "string",
            {"question": QUESTION},
            {"question": [{"stem": "Кой?", "choices": [{"text": "а", "label": "A"}] * n} for n in (3, 4, 4)]},
            Spread(11 / 3, 4.0, 3, 4),
            "the items of a nested list",
        ),
        (
            Kind.MULTIPLE_CHOICE,
            "int64",
            {"stem": "string", "choices": ["string"]},
            {"stem": ["?"] * 3, "choices": [["а", "б"]] * 3},
            Spread(2.0, 2.0, 2, 2),
            "the items of a plain list",
        ),
        (
            Kind.MULTIPLE_CHOICE,
            Labels("1", "2"),
            {"premise": "string", "choice1": "string"},
            {"premise": ["?"] * 3, "choice1": ["а"] * 3},
            Spread(2.0, 2.0, 2, 2),
            "no list: as many as labels",
        ),
        (
            Kind.SEQUENCE_CLASSIFICATION,
            Labels("1", "2"),
            {"parts": ["string"]},
            {"parts": [["а"]] * 3},
            None,
            "nothing to choose in other kinds",
        ),
    ],
)
def test_choices_of_a_question(kind, target, features, columns, expected, why):
    labels = {"string": ["A", "B", "A"]}.get(target if isinstance(target, str) else "", [0, 1, 0])
    found = describe(task_of(kind, target, **features), {"train": table(**columns, label=labels)})
    assert found.splits["train"].choices == expected


def grouped(values, *, by=(), groups=(), feature="string"):
    task = replace(task_of(Kind.SEQUENCE_CLASSIFICATION, Labels("0"), text="string", other={"about": feature}))
    tables = {
        split: table(text=["а"] * len(column), label=[0] * len(column), about=column)
        for split, column in values.items()
    }
    return describe(replace(task, groups=groups), tables, by=by).groups


def test_declared_groups_are_counted_in_each_split_and_in_all():
    (group,) = grouped({"train": ["a", "b", "b", ""], "test": ["b", "c"]}, groups=("about",), by=("about",))
    assert (group.name, group.distinct, group.total) == ("about", {"train": 2, "test": 2}, 3)
    assert group.values == {"b": {"train": 2, "test": 1}, "a": {"train": 1, "test": 0}, "c": {"train": 0, "test": 1}}
    assert list(group.values) == ["b", "a", "c"]


@pytest.mark.parametrize(
    ("by", "feature", "column", "expected", "why"),
    [
        ("about", "string", ["x-1", "y-2"], {"x-1": 1, "y-2": 1}, "a column"),
        ("about=^[a-z]+", "string", ["x-1", "x-2", "7"], {"x": 2}, "the match; without one there is no value"),
        ("about=-([0-9])", "string", ["x-1", "y-1"], {"1": 2}, "the match's group"),
        ("about.topic", {"topic": "string"}, [{"topic": "наука"}, {"topic": ""}], {"наука": 1}, "a field"),
        ("about.topic=^.", {"topic": "string"}, [{"topic": "наука"}], {"н": 1}, "a part of a field"),
        ("about", Labels("да", "не"), [1, 1, -1], {"не": 2}, "a class by its name"),
        ("about.grade", {"grade": "int64"}, [{"grade": 12}], {"12": 1}, "a number"),
        ("about=a=b", "string", ["a=b"], {"a=b": 1}, "a pattern with an equals sign"),
    ],
)
def test_groupings_on_request(by, feature, column, expected, why):
    (group,) = grouped({"train": column}, by=(by,), feature=feature)
    assert group.name == by
    assert {value: counts["train"] for value, counts in group.values.items()} == expected


@pytest.mark.parametrize(
    ("by", "message", "why"),
    [
        ("abuot", r"cannot group by 'abuot': expected a column of id, text, label, about", "an unknown column"),
        ("about.topic", r"cannot group by 'about.topic'", "a field of a plain text"),
        ("about=(", r"'\(' is no pattern", "an open bracket"),
    ],
)
def test_a_grouping_that_is_none_is_refused(by, message, why):
    with pytest.raises(EuroglueError, match=message) as error:
        grouped({"train": ["a"]}, by=(by,))
    assert "\n" not in str(error.value)


def test_only_the_most_frequent_values_are_listed():
    (group,) = grouped({"train": [f"{i:02}" for i in range(MOST_VALUES + 5)] + ["24"]}, by=("about",))
    assert (group.total, len(group.values), next(iter(group.values))) == (MOST_VALUES + 5, MOST_VALUES, "24")


@pytest.mark.parametrize(
    ("column", "expected", "why"),
    [
        (["https://www.a.bg/x?y", "HTTP://A.bg:80", "http://b.bg", ""], {"a.bg": 2, "b.bg": 1}, "domains"),
        (["https://a.bg", "не е адрес"], None, "half of them are no addresses"),
        (["виж https://a.bg", "виж http://b.bg"], None, "texts with addresses in them"),
        (["", ""], None, "empty"),
    ],
)
def test_domains_of_a_column_of_addresses_are_counted_unasked(column, expected, why):
    groups = grouped({"train": column})
    if expected is None:
        assert groups == ()
    else:
        (group,) = groups
        assert group.name == "domain of about"
        assert {value: counts["train"] for value, counts in group.values.items()} == expected


def test_a_missing_column_is_named():
    with pytest.raises(ContractError, match=r"bgglue/rows, train: expected the column 'label', got id, text"):
        describe(make_task(), {"train": table(text=["а"])})
