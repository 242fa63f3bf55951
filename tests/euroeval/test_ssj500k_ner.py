# SPDX-License-Identifier: Apache-2.0
"""ssj500k's names on the sample: the types, the cut of running text, what is drawn."""

import pandas as pd
import pytest

from euroeval_datasets import ssj500k_ner
from euroglue.errors import ContractError
from euroglue.prepare import prepare
from euroglue.prepare.documents import cut_run
from euroglue.prepare.leakage import audit
from euroglue.prepare.near import drop_near
from euroglue.prepare.steps import map_entity_types
from euroglue.prepare.text import same_words
from euroglue.scoring import metric_for

TASK = ssj500k_ner.TASK


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("PER", ["B-PER", "I-PER", "O", "B-LOC"]),
        ("MISC", ["B-MISC", "I-MISC", "O", "B-LOC"]),
        ("O", ["O", "O", "O", "B-LOC"]),
    ],
)
def test_possessives_of_names_follow_a_rule_that_can_be_switched(rule, expected):
    rows = pd.DataFrame({"labels": [["B-deriv-per", "I-deriv-per", "O", "B-loc"]]})
    assert map_entity_types("labels", {**ssj500k_ner.TYPES, "deriv-per": rule})(rows)["labels"].tolist() == [expected]


@pytest.mark.parametrize("tag", ["B-time", "per", "X-per", "B-PER", ""])
def test_a_tag_that_is_not_known_is_refused(tag):
    with pytest.raises(ContractError, match="labels: expected O or B- and I- of per, loc, org, misc, deriv-per, got"):
        map_entity_types("labels", ssj500k_ner.TYPES)(pd.DataFrame({"labels": [["O", tag]]}))


def test_the_order_of_labels_is_the_published_one():
    kinds = ("PER", "LOC", "ORG", "MISC")
    assert TASK.labels == ("O", *(f"{mark}-{kind}" for kind in kinds for mark in "BI"))
    assert metric_for(TASK).name == "entity_f1_no_misc"


def rows(count):
    return pd.DataFrame(
        {"id": [str(n) for n in range(count)], "split": ["validation"] * count}, index=range(5, 5 + count)
    )


def test_a_run_is_cut_with_a_gap():
    out = cut_run("validation", count=3, gap=2, rest="test")(rows(7))
    assert dict(zip(out["id"], out["split"])) == {**dict.fromkeys("012", "validation"), **dict.fromkeys("56", "test")}
    with pytest.raises(ContractError, match="expected more than 5 rows in validation to cut it, got 5"):
        cut_run("validation", count=3, gap=2, rest="test")(rows(5))


def test_of_texts_that_are_nearly_equal_the_first_stays():
    texts = ["( Foto : Ana Novak )", "( re / foto : Ana Novak )", "Dežuje že ves dan .", "( foto : Ana Novak )"]
    table = pd.DataFrame({"tokens": [text.split() for text in texts]})
    assert drop_near(same_words("tokens"), threshold=0.7)(table).index.tolist() == [0, 2]
    exact = drop_near(same_words("tokens"), threshold=1.0)(table)
    assert exact.index.tolist() == [0, 1, 2], "equal texts are nearly equal too"


def test_boundaries_of_the_source_are_kept_and_nothing_is_shared():
    prepared = prepare(TASK, "sample")
    tables = {split: prepared.table(split) for split in prepared.splits}
    parts = {split: {key.rpartition("-")[0] for key in table["id"]} for split, table in tables.items()}
    assert parts == {"train": {"train"}, "validation": {"validation"}, "test": {"validation", "test"}}
    places = {
        split: [int(key.split("-")[1]) for key in table["id"] if "validation" in key] for split, table in tables.items()
    }
    assert min(places["test"]) - max(places["validation"]) > 4, "the gap"
    assert audit(TASK, tables).clean
