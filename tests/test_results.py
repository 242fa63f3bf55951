# SPDX-License-Identifier: Apache-2.0
"""The results store: what goes in comes out, contradictions are told, no name leaves the folder, no file is torn."""

from __future__ import annotations

import dataclasses
import json
import math
import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from euroglue.errors import EuroglueError, FormatError
from euroglue.results import KEY, METHODS, ConflictError, Record, ResultStore

RECORD = Record(
    suite="dumb",
    task="sicknl-nli",
    model="GroNLP/bert-base-dutch-cased",
    revision="1f8b2e0",
    edition="official",
    method="fine-tuned",
    primary="accuracy",
    scores={"accuracy": 0.85, "f1_macro": 0.8},
    n=2,
    signature="metric:accuracy|n:2|data:00ff",
    seed=42,
    parameters=109_000_000,
    link="https://example.org/model",
    intervals={"accuracy": (0.8, 0.9)},
    settings={"learning_rate": 5e-5, "grid": [1, 2]},
    warnings=("a constant prediction",),
)
ROWS = {"пример-1": [1.0, 1.0], "2": [0.0, 1.0]}
FEW = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def test_a_record_and_its_rows_come_back_as_they_went_in(tmp_path):
    store = ResultStore(tmp_path)
    path = store.add(RECORD, ROWS)
    assert list(store) == [RECORD] and store.get(path) == RECORD
    assert store.rows(RECORD) == ROWS
    assert list(store.find(suite="dumb", method="fine-tuned")) == [RECORD] and not list(store.find(seed=1))
    assert (RECORD.value, RECORD.fingerprint) == (0.85, "00ff")


NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=60).filter(lambda t: t.isprintable() and t.strip())
SCORES = st.dictionaries(NAMES, st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=3)


@FEW
@given(NAMES, NAMES, SCORES, st.sampled_from(METHODS), st.none() | st.integers(0, 5))
def test_any_record_goes_there_and_back(tmp_path, model, revision, scores, method, shots):
    primary = next(iter(scores))
    record = Record(
        suite="made-up", task="a", model=model, revision=revision, method=method, primary=primary, scores=scores, n=1,
        signature="n:1", shots=shots,
    )  # fmt: skip
    store = ResultStore(tmp_path)
    assert store.get(store.add(record, replace=True)) == record
    assert json.loads(json.dumps(record.to_dict(), allow_nan=False)) == record.to_dict()


@pytest.mark.parametrize(
    "name",
    ["../../../etc/passwd", "/etc/passwd", "..", "a/b\\c", "C:\\x", "%2e%2e%2f", "<img src=x>", "." * 200, "ж" * 200],
)
def test_no_name_leaves_the_folder(tmp_path, name):
    store = ResultStore(tmp_path / "store")
    path = store.add(dataclasses.replace(RECORD, model=name, revision=name))
    assert path.resolve().parent == (tmp_path / "store" / "dumb" / "sicknl-nli").resolve()
    assert [record.model for record in store] == [name]
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["store"]


@pytest.mark.issue("EuroEval#1970")
@pytest.mark.parametrize("field", KEY)
def test_runs_that_differ_in_their_key_lie_side_by_side(tmp_path, field):
    other = {"suite": "bgglue", "method": "prompted", "shots": 5, "seed": 43}.get(field, "other")
    store = ResultStore(tmp_path)
    paths = {store.add(RECORD), store.add(dataclasses.replace(RECORD, **{field: other}))}
    assert len(paths) == len(list(store)) == 2


@pytest.mark.issue("EuroEval#1970")
def test_two_results_of_one_run_contradict_each_other(tmp_path):
    store = ResultStore(tmp_path)
    path = store.add(RECORD, ROWS)
    other = dataclasses.replace(RECORD, scores={"accuracy": 0.9})
    with pytest.raises(ConflictError, match=r"scores is \{'accuracy': 0.85, .*\} and \{'accuracy': 0.9\}") as told:
        store.add(other)
    assert str(path) in str(told.value) and "seed" not in str(told.value)
    assert list(store) == [RECORD] and store.add(RECORD) == path, "the same again is harmless"
    store.add(other, replace=True)
    assert list(store) == [other] and store.rows(other) is None, "the rows were the other result's"


BARE = dataclasses.replace(RECORD, settings={}, link="", parameters=None, intervals={}, warnings=())
COMPLETED = [
    ({"settings": {"learning_rate": 5e-5, "prompt": "p"}}, True, "more settings that agree"),
    (
        {"signature": "metric:accuracy|n:2|data:00ff|interval:bca", "intervals": {"accuracy": (0.7, 0.9)}},
        True,
        "other intervals",
    ),
    ({"warnings": ("another",)}, True, "another warning"),
    ({"settings": {"learning_rate": 1e-5}}, False, "a setting with another value"),
    ({"parameters": 110_000_000}, False, "another size"),
    ({"link": "https://example.org/other"}, False, "another link"),
    ({"signature": "metric:accuracy|n:2|data:11ff"}, False, "other data"),
    ({"scores": {"accuracy": 0.85}}, False, "fewer scores"),
]


@pytest.mark.parametrize(("change", "agrees", "why"), COMPLETED, ids=[why for *_, why in COMPLETED])
def test_two_records_that_agree_complete_each_other(tmp_path, change, agrees, why):
    store = ResultStore(tmp_path)
    store.add(BARE, ROWS)
    store.add(RECORD)
    assert list(store) == [RECORD] and store.rows(RECORD) == ROWS, "the rows stay"
    store.add(BARE)
    assert list(store) == [RECORD]
    other = dataclasses.replace(RECORD, **change)
    if not agrees:
        with pytest.raises(ConflictError, match=f"{next(iter(change))} is"):
            store.add(other)
        return
    store.add(other)
    (found,) = store
    assert found.scores == RECORD.scores and {**other.settings, **RECORD.settings} == dict(found.settings)
    assert set(found.warnings) == {*RECORD.warnings, *other.warnings} and found.intervals == RECORD.intervals


def test_merging_is_a_union_and_tells_contradictions(tmp_path):
    one, two = ResultStore(tmp_path / "one"), ResultStore(tmp_path / "two")
    mine, theirs = dataclasses.replace(RECORD, seed=1), dataclasses.replace(RECORD, seed=2)
    for store in (one, two):
        store.add(RECORD, ROWS)
    one.add(mine)
    two.add(dataclasses.replace(mine, scores={"accuracy": 0.1}))
    two.add(theirs, ROWS)
    conflicts = one.merge(two)
    assert sorted(record.seed for record in one) == [1, 2, 42]
    assert len(conflicts) == 1 and "0.85" in conflicts[0] and "0.1" in conflicts[0]
    assert next(one.find(seed=1)) == mine, "what was there stays"
    assert one.rows(theirs) == ROWS
    assert len(one.merge(two)) == 1, "merging again changes nothing"


@FEW
@given(st.sets(st.integers(0, 9), max_size=4), st.sets(st.integers(0, 9), max_size=4))
def test_a_union_does_not_depend_on_the_order(tmp_path, first, second):
    import tempfile

    with tempfile.TemporaryDirectory(dir=tmp_path) as work:
        one, two, both, back = (ResultStore(f"{work}/{name}") for name in ("one", "two", "both", "back"))
        for store, seeds in ((one, first), (two, second)):
            for seed in seeds:
                store.add(dataclasses.replace(RECORD, seed=seed))
        assert not [*both.merge(one), *both.merge(two), *back.merge(two), *back.merge(one)]
        assert list(both) == list(back) and {record.seed for record in both} == first | second


WRONG = [
    ({"suite": "../x"}, "lower-case letters", "a folder is named by it"),
    ({"task": "a/b"}, "lower-case letters", "a folder is named by it"),
    ({"edition": "/../../../evil"}, "letters, digits", "a page of the leaderboard is named by it"),
    ({"edition": "<b>"}, "letters, digits", "so are files to download"),
    ({"edition": "a\0b"}, "letters, digits", "no file has such a name"),
    ({"edition": "e" * 101}, "at most 100", "nor such a long one"),
    ({"split": "../x"}, "letters, digits", "files of predictions are named by it"),
    ({"parameters": 10**400}, "at most 9,007,199,254,740,992", "beyond every float"),
    ({"seed": 10**5000}, "at most 9,007,199,254,740,992", "beyond what Python writes in digits"),
    (
        {"n": -(10**5000)},
        "at least 0, at most 9,007,199,254,740,992, got 'one beyond'",
        "below what Python writes in digits",
    ),
    ({"model": " "}, "a name", "no name"),
    ({"model": "a" * 201}, "at most 200 printable characters", "too long"),
    ({"model": "a\nb"}, "printable", "a line end"),
    ({"model": "a\ud800"}, "printable", "half a character cannot be written"),
    ({"model": "abc\u202egro"}, "printable", "turns the text around it"),
    ({"model": "\u3164"}, "none of them unseen", "a letter that shows nothing"),
    ({"model": "a" + "\u0301" * 60}, "none of them unseen", "marks over marks, through the rows above"),
    ({"method": "magic"}, "one of fine-tuned", "a closed list"),
    ({"primary": "f1"}, "one of accuracy", "not among the scores"),
    ({"scores": {"accuracy": math.nan}}, "a finite number", "NaN"),
    ({"scores": {"accuracy": True}}, "a finite number", "a truth value is no number"),
    ({"scores": {"accuracy": "0.5"}}, "a finite number", "nor is a text"),
    ({"n": -1}, "at least 0", "negative"),
    ({"n": None}, "at least 0", "missing"),
    ({"seed": 1.5}, "a whole number", "half a seed"),
    ({"parameters": 0}, "at least 1", "no parameters"),
    ({"link": "javascript:alert(1)"}, "begins with http", "a script"),
    ({"link": "https://example.org/\n"}, "printable", "a line end"),
    ({"link": "https://a b"}, "begins with http", "a space"),
    ({"link": "data:text/html,x"}, "begins with http", "not the web"),
    ({"link": 'https://a/"onclick=b'}, "begins with http", "a quotation mark, which no address has"),
    ({"link": "https://huggingface.co@evil.test/"}, "begins with http", "a name before the host, which misleads"),
    ({"scores": {"accuracy": 0.5, "\ud800": 0.5}}, "keys and texts that UTF-8 can hold", "half a character in a key"),
    ({"warnings": ["\ud800"]}, "keys and texts that UTF-8 can hold", "half a character in a warning"),
    ({"settings": {"a": "\ud800"}}, "values that JSON can hold", "half a character in a setting"),
    ({"settings": {"a": [[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]}}, "nested at most 20 deep", "nested deep"),
    ({"intervals": {"accuracy": (0.9, 0.8)}}, "the lower first", "upside down"),
    ({"settings": {"x": math.inf}}, "values that JSON can hold", "infinite"),
    ({"settings": {"x": object()}}, "values that JSON can hold", "an object"),
    ({"signature": "nonsense"}, "key:value", "no signature"),
]


@pytest.mark.parametrize(("change", "told", "why"), WRONG)
def test_a_wrong_record_is_refused_by_field(change, told, why):
    with pytest.raises(FormatError, match=told):
        dataclasses.replace(RECORD, **change)


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda text: text[: len(text) // 2], "expected JSON"),
        (lambda text: "", "expected JSON"),
        (lambda text: "[" * 100_000, "expected JSON"),
        (lambda text: "[]", "expected a JSON object"),
        (lambda text: text.replace("0.85", "NaN"), "NaN is not a finite number"),
        (lambda text: text.replace('"n": 2', '"n": "2"'), "a whole number"),
        (lambda text: text.replace('"n"', '"m"'), "unknown fields: m"),
        (lambda text: text.replace('"scores": {', '"scores": 1, "old": {'), "unknown fields: old"),
        (lambda text: text.replace('"seed": 42', '"seed": 43'), "expected this result at"),
    ],
)
def test_a_spoilt_file_is_told_by_its_path(tmp_path, spoil, told):
    store = ResultStore(tmp_path)
    path = store.add(RECORD)
    path.write_text(spoil(path.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(FormatError, match=told) as error:
        list(store)
    assert str(error.value).startswith(str(path))
    assert store.add(RECORD, replace=True) == path and list(store) == [RECORD], "it can be replaced"


def test_a_copy_does_not_count_twice(tmp_path):
    store = ResultStore(tmp_path)
    path = store.add(RECORD)
    path.with_name("copy.json").write_bytes(path.read_bytes())
    with pytest.raises(FormatError, match="remove the copy"):
        list(store)


@pytest.mark.parametrize(
    "rows",
    [
        "{}",
        "[]",
        '{"a": [1], "b": ["x"]}',
        '{"a": 1, "b": 2}',
        "{",
        '{"a": [NaN], "b": [1]}',
        '{"a": [1, 2], "b": [1]}',
    ],
)
def test_spoilt_rows_are_refused(tmp_path, rows):
    store = ResultStore(tmp_path)
    path = store.add(RECORD, ROWS)
    path.with_name(path.stem + ".rows.json").write_text(rows, encoding="utf-8")
    with pytest.raises(FormatError, match="rows.json: expected"):
        store.rows(RECORD)


def test_a_write_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    store = ResultStore(tmp_path)
    path = store.add(RECORD)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(EuroglueError, match="no space left on the disk"):
        store.add(dataclasses.replace(RECORD, scores={"accuracy": 0.1}), replace=True)
    assert list(store) == [RECORD] and [entry.name for entry in path.parent.iterdir()] == [path.name]


SCORED = dataclasses.replace(RECORD, task="copanl", scores={"accuracy": 0.5})


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ({"a": [1.0, 1.0], "b": [1.0, 1.0]}, "of another score"),
        ({"a": [1.0], "b": [0.0]}, "too short"),
        ({"a": [], "b": []}, "empty"),
        ({"a": [1e308, 1e308], "b": [1e308, 1e308]}, "beyond any number"),
    ],
)
@pytest.mark.filterwarnings("ignore:overflow")
def test_rows_that_are_not_those_of_the_score_are_refused(tmp_path, rows, why):
    store = ResultStore(tmp_path)
    store.add(SCORED, ROWS)
    assert store.checked_rows(SCORED) == ROWS
    store.add(SCORED, rows)
    with pytest.raises(FormatError, match="expected rows that score 0.500000"):
        store.checked_rows(SCORED)


def _add_all(root, number):
    store, added = ResultStore(root), 0
    for seed in range(40):
        record = dataclasses.replace(SCORED, seed=seed, scores={"accuracy": number / 2})
        try:
            store.add(record, {"a": [float(number > 0), 1.0], "b": [float(number > 1), 1.0]})
            added += 1
        except ConflictError:
            pass
    return added


def test_of_writers_at_once_one_wins_and_the_others_are_told(tmp_path):
    with ProcessPoolExecutor(3, mp_context=multiprocessing.get_context("spawn")) as pool:
        added = list(pool.map(_add_all, [tmp_path] * 3, range(3)))
    store = ResultStore(tmp_path)
    assert sum(added) == 40 == len([store.checked_rows(record) for record in store])
