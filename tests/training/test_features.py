# SPDX-License-Identifier: Apache-2.0
"""Features as columns are the features they were made of, and what is kept is found again, and only that."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoTokenizer

from euroglue.disk import DiskFullError
from euroglue.registry import find_task
from euroglue.training import features as module
from euroglue.training.columnar import Column
from euroglue.training.data import columns, fingerprint
from euroglue.training.features import Features, features_key, prepare_features, tokenizer_digest
from euroglue.training.kinds import Feature
from euroglue.training.kinds.question_answering import QuestionAnswering
from euroglue.training.kinds.regression import Regression
from euroglue.training.kinds.token_classification import TokenClassification

WHOLE = st.integers(-(2**62), 2**62)
VALUES = (
    st.lists(st.none()),
    st.lists(WHOLE | st.none()),
    st.lists(st.floats(allow_nan=False) | st.none()),
    st.lists(st.text(st.characters()) | st.none()),
    st.lists(st.lists(WHOLE) | st.none()),
    st.lists(st.lists(WHOLE).map(tuple) | st.none()),
    st.lists(st.lists(st.text(st.characters())).map(tuple) | st.none()),
)


@given(st.one_of(VALUES))
def test_a_column_gives_back_what_was_put_in(values):
    column = Column.of(values)
    back = [column[i] for i in range(column.count)]
    assert back == values
    assert [type(value) for value in back] == [type(value) for value in values]


def test_a_column_of_arrays_gives_back_what_was_put_in():
    values = [np.zeros((0, 2), np.int32), None, np.array([[1, 2], [3, 4]], np.int32)]
    column = Column.of(values)
    assert column[1] is None
    assert np.array_equal(column[2], values[2]) and column[2].dtype == np.int32 and column[0].shape == (0, 2)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1, 1.5], "a mixture of float, int"),
        ([[1], (1,)], "a mixture of list, tuple"),
        ([[1.5]], "list of float"),
        ([{"a": 1}], "dict of str"),
        ([True], "bool"),
        ([np.zeros(2), np.zeros((1, 2))], "several types or widths"),
    ],
)
def test_what_no_column_holds_is_refused(values, message):
    with pytest.raises(TypeError, match=message):
        Column.of(values)


@pytest.fixture
def kept(monkeypatch, home):
    """Keep features of few examples, in small parts."""
    monkeypatch.setattr(module, "KEPT_FROM", 1)
    monkeypatch.setattr(module, "CHUNK", 7)
    return home / "features"


def made(kind_class, task, encoder, **options):
    return kind_class(task, AutoTokenizer.from_pretrained(encoder), **{"max_length": 16, "stride": 4, **options})


@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize("name", ["token", "number"])
def test_features_are_the_same_kept_or_not_and_by_several_processes(kept, request, encoder, name, processes):
    task, splits = request.getfixturevalue(f"{name}_task"), request.getfixturevalue(f"{name}_splits")
    kind = made(TokenClassification if name == "token" else Regression, task, encoder)
    for split in ("train", "validation", "test"):
        rows = columns(task, splits[split])
        expected = kind.encode(rows)
        built = prepare_features(kind, rows, fingerprint(rows), processes=processes)
        assert [*built] == expected and built[-1] == expected[-1] and built[2:5] == expected[2:5]
        assert built.lengths.tolist() == [len(feature.input_ids) for feature in expected]
        assert built.weights.tolist() == [feature.weight for feature in expected]
        assert built.used_ids().tolist() == sorted({piece for feature in expected for piece in feature.input_ids})
    assert len([path for path in kept.iterdir() if path.is_dir()]) == 3
    with pytest.raises(IndexError):
        built[len(built)]


def test_the_second_start_encodes_nothing(kept, monkeypatch, number_task, number_splits, encoder):
    rows = columns(number_task, number_splits["train"])
    first = prepare_features(made(Regression, number_task, encoder), rows, fingerprint(rows))
    monkeypatch.setattr(Regression, "encode", None)
    kind = made(Regression, number_task, encoder)
    assert [*prepare_features(kind, rows, fingerprint(rows))] == [*first]
    assert isinstance(first[0], Feature)


@pytest.mark.parametrize("processes", [1, 2])
def test_a_disk_without_room_for_features_is_told_and_nothing_half_made_stays(
    kept, monkeypatch, number_task, number_splits, encoder, processes
):
    def full(*arguments, **more):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(np, "save", full)
    rows, kind = columns(number_task, number_splits["train"]), made(Regression, number_task, encoder)
    with pytest.raises(DiskFullError, match="for prepared features"):
        prepare_features(kind, rows, fingerprint(rows), processes=processes)
    assert [path.suffix for path in kept.iterdir()] == [".lock"]


def test_few_examples_are_not_kept(home, number_task, number_splits, encoder):
    rows = columns(number_task, number_splits["train"])
    prepare_features(made(Regression, number_task, encoder), rows, fingerprint(rows))
    assert not home.exists()


@pytest.mark.issue("datasets#3847")
@pytest.mark.issue("datasets#7982")
@pytest.mark.issue("transformers#14931")
def test_what_the_tokenizer_was_called_with_does_not_change_the_name(number_task, number_splits, encoder):
    kind = made(Regression, number_task, encoder)
    before, key = tokenizer_digest(kind.tokenizer), features_key(kind, "data")
    kind.tokenizer(["и", "книга"], truncation=True, max_length=3, padding=True)
    assert (tokenizer_digest(kind.tokenizer), features_key(kind, "data")) == (before, key)


@pytest.mark.issue("datasets#6465")
def test_whatever_features_depend_on_changes_the_name(number_task, token_task, encoder):
    from tests.training.made_tasks import Kind, make_task

    kind = made(Regression, number_task, encoder)
    changed = made(Regression, number_task, encoder)
    changed.tokenizer.add_tokens(["@USER"])
    keys = [
        features_key(kind, "data"),
        features_key(kind, "other data"),
        features_key(made(Regression, number_task, encoder, max_length=24), "data"),
        features_key(made(Regression, make_task(Kind.REGRESSION, bounds=(0.0, 4.0)), encoder), "data"),
        features_key(made(TokenClassification, token_task, encoder), "data"),
        features_key(changed, "data"),
    ]
    assert len(set(keys)) == len(keys)
    same = make_task(Kind.REGRESSION, title="Another title", metric="mae")
    assert features_key(made(Regression, same, encoder), "data") == keys[0]


def test_a_tuned_threshold_does_not_change_the_name(encoder):
    kind = made(QuestionAnswering, find_task("dumb", "squadnl"), encoder)
    before = features_key(kind, "data")
    kind.restore({"threshold": 0.5})
    assert features_key(kind, "data") == before


def test_what_was_spoilt_is_made_again_and_what_is_half_made_never_seen(
    kept, monkeypatch, number_task, number_splits, encoder
):
    rows = columns(number_task, number_splits["train"])
    kind = made(Regression, number_task, encoder)
    expected = [*prepare_features(kind, rows, fingerprint(rows))]
    (folder,) = [path for path in kept.iterdir() if path.is_dir()]
    for spoil in (lambda file: file.write_bytes(b"x"), Path.unlink):
        spoil(folder / "part-000001/input_ids.values.npy")
        assert [*prepare_features(kind, rows, fingerprint(rows))] == expected
    (folder / "part-000001/columns.json").unlink()
    encode = Regression.encode

    def stopped(self, rows):
        if rows["id"][0] != "train-0":
            raise KeyboardInterrupt
        return encode(self, rows)

    monkeypatch.setattr(Regression, "encode", stopped)
    with pytest.raises(KeyboardInterrupt):
        prepare_features(kind, rows, fingerprint(rows), processes=1)
    assert [path for path in kept.iterdir() if path.is_dir()] == []
    monkeypatch.setattr(Regression, "encode", encode)
    assert [*prepare_features(kind, rows, fingerprint(rows))] == expected


CODE = """
import json, sys
sys.path.insert(0, sys.argv[1])
from transformers import AutoTokenizer
from euroglue.task import Kind
from euroglue.training import features
from euroglue.training.data import columns, fingerprint
from euroglue.training.kinds.question_answering import QuestionAnswering
from euroglue.training.kinds.regression import Regression
from tests.training.made_tasks import make_number_splits, make_task
features.KEPT_FROM, features.CHUNK = 1, 7
task = make_task(Kind.REGRESSION)
rows = columns(task, make_number_splits()["train"])
kind = Regression(task, AutoTokenizer.from_pretrained(sys.argv[2]), max_length=16, stride=4)
made = features.prepare_features(kind, rows, fingerprint(rows))
print(json.dumps([len(made), int(made.lengths.sum())]))
"""


@pytest.mark.slow
def test_processes_that_start_together_keep_one_copy(kept, encoder):
    command = [sys.executable, "-c", CODE, str(Path(__file__).parents[2]), str(encoder)]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    said = [json.loads(process.communicate(timeout=120)[0].splitlines()[-1]) for process in started]
    assert said[0] == said[1] == said[2] and [process.returncode for process in started] == [0, 0, 0]
    assert len([path for path in kept.iterdir() if path.is_dir()]) == 1


def test_no_features_are_no_fault():
    none = Features.of([])
    assert len(none) == 0 and none.used_ids().tolist() == [] and [*none] == []
