# SPDX-License-Identifier: Apache-2.0
"""Whatever holds examples in order is scored alike; whatever does not is refused in one short line, never a traceback."""

from __future__ import annotations

import decimal
from collections import deque

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from datasets import Dataset, IterableDataset

from euroglue.errors import LONGEST, PredictionError, one_line, shown
from euroglue.scoring.answers import AnswerF1
from euroglue.scoring.correlation import MeanAbsoluteError, PearsonSpearman
from euroglue.scoring.entity_f1 import EntityF1
from euroglue.scoring.inputs import is_column, listed
from euroglue.scoring.labels import Accuracy, AnswerAccuracy, ChoiceAccuracy
from euroglue.scoring.ranking import AveragePrecision
from euroglue.scoring.tags import Ragged
from euroglue.scoring.token_accuracy import TokenAccuracy
from euroglue.scoring.upos import UniversalPos

TAGS = ["O", "B-A", "I-A"]
METRICS = {
    "accuracy": (Accuracy(["a", "b", "c"]), [0, 1, 2, 1]),
    "choices": (ChoiceAccuracy(), [0, 1, 2, 1]),
    "answers": (AnswerAccuracy(), ["a", "b", "c", "b"]),
    "correlation": (PearsonSpearman(), [0.5, 1.5, 2.5, 2.0]),
    "ranking": (AveragePrecision(["0", "1"]), [0, 1, 1, 0]),
    "texts": (AnswerF1("nld-Latn"), ["a b", "b", "c", "b"]),
}
CONTAINERS = {
    "tuple": tuple,
    "deque": deque,
    "generator": lambda values: (value for value in values),
    "numpy": np.array,
    "numpy objects": lambda values: np.array(values, dtype=object),
    "pandas": pd.Series,
    "pandas, other index": lambda values: pd.Series(values, index=range(7, 7 + len(values))),
    "pandas index": pd.Index,
    "pandas categories": lambda values: pd.Series(values).astype("category"),
    "arrow": pa.array,
    "arrow in chunks": lambda values: pa.chunked_array([values[:1], values[1:]]),
    "column of datasets": lambda values: Dataset.from_dict({"x": values})["x"],
    "column, numpy": lambda values: Dataset.from_dict({"x": values}).with_format("numpy")["x"],
    "column, arrow": lambda values: Dataset.from_dict({"x": values}).with_format("arrow")["x"],
    "values of a mapping": lambda values: dict(enumerate(values)).values(),
}
if hasattr(IterableDataset, "__getitem__"):  # since datasets 4
    CONTAINERS["streamed column"] = lambda values: Dataset.from_dict({"x": values}).to_iterable_dataset()["x"]


@pytest.mark.issue("EuroEval#v15.12.0")
@pytest.mark.parametrize("name", list(METRICS))
@pytest.mark.parametrize("container", list(CONTAINERS))
def test_values_are_scored_alike_whatever_holds_them(name, container):
    (metric, values), hold = METRICS[name], CONTAINERS[container]
    assert metric.compute(hold(values), hold(values)) == metric.compute(values, values)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int64", "uint8"])
@pytest.mark.parametrize("name", ["accuracy", "choices", "correlation", "ranking"])
def test_tensors_and_columns_of_tensors_are_scored_too(name, dtype):
    torch = pytest.importorskip("torch")
    (metric, values), kind = METRICS[name], getattr(torch, dtype)
    whole = [int(value) for value in values]
    tensor = torch.tensor(whole).to(kind)
    assert metric.compute(tensor, whole) == metric.compute(list(tensor), whole) == metric.compute(whole, whole)
    if kind is not torch.bfloat16:
        column = Dataset.from_dict({"x": whole}).with_format("torch")["x"]
        assert metric.compute(column, column) == metric.compute(whole, whole)


ROWS = [[1, 2], [0, 1], [1, 2], [0, 0]]
HOLDERS = {
    **{name: hold for name, hold in CONTAINERS.items() if "pandas i" not in name and "categories" not in name},
    "numpy objects": lambda rows: np.array([np.array(row) for row in rows] + [None], dtype=object)[:-1],
    "arrays": lambda rows: [np.array(row) for row in rows],
    "arrays of several types": lambda rows: [
        np.array(row, dtype=kind) for row, kind in zip(rows, ("i1", "u8", "i4", "i8"))
    ],
    "arrow rows": lambda rows: [pa.array(row) for row in rows],
    "mixed": lambda rows: [np.array(rows[0]), rows[1], tuple(rows[2]), pd.Series(rows[3])],
    "flat": Ragged.of,
    "flat lists": lambda rows: Ragged(sum(rows, []), [len(row) for row in rows]),
    "flat, unsigned": lambda rows: Ragged(np.array(sum(rows, []), dtype="u8"), np.array([len(row) for row in rows])),
}


@pytest.mark.parametrize("metric", [EntityF1(TAGS), TokenAccuracy(TAGS), UniversalPos(TAGS)], ids=lambda one: one.name)
@pytest.mark.parametrize("holder", list(HOLDERS))
def test_rows_of_tags_are_scored_alike_whatever_holds_them(metric, holder):
    guess, hold = [[1, 2], [0, 2], [0, 2], [0, 0]], HOLDERS[holder]
    assert metric.compute(hold(guess), hold(ROWS)) == metric.compute(guess, ROWS)
    if not holder.startswith(("flat", "arrays of")):
        names = [[TAGS[tag] for tag in row] for row in guess]
        assert metric.compute(hold(names), hold(ROWS)) == metric.compute(guess, ROWS)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (Ragged(np.array([1.0, 2.0]), np.array([2])), "expected whole numbers in the flat arrays"),
        (Ragged(np.array([[1, 2]]), np.array([2])), "expected whole numbers in the flat arrays"),
        (Ragged(np.array([1, 2]), np.array([1])), "expected lengths that add up to 2 values, got 1"),
        (Ragged(np.array([1, 2]), np.array([3, -1])), "expected lengths that add up to 2 values"),
    ],
)
def test_flat_arrays_that_are_no_rows_are_refused(rows, message):
    with pytest.raises(PredictionError, match=message):
        EntityF1(TAGS).compute(rows, rows)


class Shouting:
    def __repr__(self) -> str:
        return "a line\nand more\n" * 1000


def nested() -> list:
    deep: list = []
    for _ in range(5000):
        deep = [deep]
    return deep


ODD = {
    "None": None,
    "a number": 3,
    "beyond every float": 10**400,
    "more digits than Python writes": 10**5000,
    "digits": "9" * 5000,
    "a long text": "x" * 10**5,
    "bytes": b"a",
    "an object": Shouting(),
    "a deep list": nested(),
    "a long list": list(range(10**5)),
    "a mapping": {"a": 1},
    "a set": {1},
    "a decimal": decimal.Decimal(1),
    "no date": np.datetime64("NaT"),
    "missing": pd.NA,
    "an array without axes": np.array(1),
    "complex": 1j,
    "ignored": -100,
    "half a pair": "\ud800",
}
GOLD = {
    "accuracy": 1,
    "choices": 1,
    "answers": "a",
    "correlation": 1.5,
    "mae": 1.5,
    "ranking": 1,
    "entities": ["O", "B-A"],
    "tokens": [0, 1],
    "texts": {"text": ["a"], "answer_start": [0]},
}
SCORED = {
    **{name: metric for name, (metric, _) in METRICS.items()},
    "mae": MeanAbsoluteError(),
    "entities": EntityF1(TAGS),
    "tokens": TokenAccuracy(TAGS),
}


@pytest.mark.issue("setfit#228")
@pytest.mark.parametrize("name", list(GOLD))
@pytest.mark.parametrize("odd", list(ODD))
def test_odd_values_are_scored_or_refused_in_one_short_line(name, odd):
    metric, gold, value = SCORED[name], GOLD[name], ODD[odd]
    guess = "a" if name == "texts" else gold
    tries = [
        ([guess, value], [gold, gold]),
        ([guess, guess], [gold, value]),
        (value, [gold, gold]),
        ([guess, guess], value),
        (value, value),
    ]
    if isinstance(gold, list):
        tries += [([guess, [guess[0], value]], [gold, gold]), ([guess, guess], [gold, [gold[0], value]])]
    if name == "texts":
        tries += [(["a"], [{"text": [value], "answer_start": [0]}]), (["a"], [{"text": ["a"], "answer_start": value}])]
        tries += [(["a"], [{"text": value, "answer_start": [0]}])]
    for sides in tries:
        try:
            assert all(0 <= score <= 10**6 or name == "correlation" for score in metric.compute(*sides).values())
        except PredictionError as error:
            assert len(str(error)) < 400 and "\n" not in str(error)


def test_positions_that_trainers_leave_out_are_told():
    with pytest.raises(PredictionError, match="example 0, tag 1: unknown reference label -100; .*leave positions out"):
        EntityF1(TAGS).compute([[0, 1]], [[0, -100]])


def test_an_infinite_reference_is_not_called_hidden():
    with pytest.raises(PredictionError, match="example 1: expected a finite number as the reference, got inf"):
        PearsonSpearman().compute([1, 2], [1, float("inf")])


def test_a_table_is_not_taken_for_its_columns_names():
    table = pd.DataFrame({"a": [1, 2], "b": [1, 2]})
    assert not is_column(table)
    with pytest.raises(PredictionError, match="expected one value per example in a list, got DataFrame"):
        listed(table)


@pytest.mark.parametrize("odd", list(ODD))
def test_a_message_shows_any_value_on_one_short_line(odd):
    assert len(shown(ODD[odd])) <= 200 and len(shown(ODD[odd]).splitlines()) == 1


def test_a_terminal_is_shown_no_endless_line():
    assert len(one_line("x" * 10**7 + "\n" + "y" * 10**7)) <= LONGEST
    assert len(one_line("\x1b" * 10**4)) <= LONGEST, "spelt out it is longer"
    assert one_line("first " + "x" * 10**4 + " last").endswith(" last")
