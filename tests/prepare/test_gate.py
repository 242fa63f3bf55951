# SPDX-License-Identifier: Apache-2.0
"""The licence gate: nothing gated is read before its terms are accepted, and acceptances are recorded."""

import hashlib
import json
import os
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timezone

import pandas as pd
import pytest

from euroglue.disk import DiskFullError
from euroglue.errors import LicenceError
from euroglue.prepare import gate, prepare
from euroglue.task import Gate, LicenceId, Source, reader
from euroglue.version import __version__
from tests.prepare.made_up import make_task, pack


@pytest.fixture(autouse=True)
def nothing_accepted(home, monkeypatch):
    monkeypatch.delenv("EUROGLUE_RAW_DIR", raising=False)
    monkeypatch.delenv(gate.VARIABLE, raising=False)


@pytest.fixture
def gated():
    """A task whose raw files are given out after a form is signed."""
    return make_task(gate=Gate.FORM)


def with_licence(task, **changes):
    return replace(task, licence=replace(task.licence, **changes))


def today():
    return datetime.now(timezone.utc).date().isoformat()


def test_an_open_task_needs_no_acceptance():
    assert gate.require(make_task()) is None


def test_the_refusal_says_where_to_sign_and_what_to_run(gated):
    with pytest.raises(LicenceError) as error:
        gate.require(gated)
    assert str(error.value) == (
        "bgglue/rows: its licence (mit) is not accepted yet; sign at https://example.org/form, then run: euroglue "
        "licences accept bgglue rows (where nobody can answer, add --yes, or set EUROGLUE_ACCEPT_LICENCES=bgglue/rows)"
    )


def test_an_acceptance_is_recorded_with_licence_hash_day_and_version(gated, home):
    before = today()
    gate.accept(gated)
    text = (home / "licences.json").read_text(encoding="utf-8")
    held = json.loads(text)["bgglue/rows"]
    assert held.pop("accepted") in {before, today()}
    assert held == {
        "licence": "mit",
        "text_sha256": hashlib.sha256(b"MIT.\nhttps://example.org/form").hexdigest(),
        "version": __version__,
    }
    assert text.endswith("}\n") and [path.name for path in home.iterdir() if path.suffix == ".part"] == []
    gate.require(gated)


def test_accepting_twice_keeps_the_first_day(gated, home):
    gate.accept(gated)
    file = home / "licences.json"
    file.write_text(re.sub(r"\d{4}-\d\d-\d\d", "2020-02-02", file.read_text(encoding="utf-8")), encoding="utf-8")
    assert gate.accept(gated).accepted == gate.acceptance(gated).accepted == "2020-02-02"


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"terms": "MIT, and do not tell."}, "the terms"),
        ({"sign_at": "https://example.org/new-form"}, "the address"),
        ({"id": LicenceId.GPL_3}, "the licence"),
    ],
)
def test_a_changed_text_asks_anew_and_can_be_accepted(gated, changes, why):
    day = gate.accept(gated).accepted
    changed = with_licence(gated, **changes)
    with pytest.raises(LicenceError, match=f"its terms have changed since you accepted them {day}; sign at "):
        gate.require(changed)
    assert gate.acceptance(changed) is None
    assert gate.state(changed) == f"form: terms changed since {day}"
    gate.accept(changed)
    gate.require(changed)


@pytest.mark.parametrize(
    ("value", "accepted", "why"),
    [
        ("1", True, "all"),
        ("bgglue/rows", True, "the task"),
        ("bgglue/other, bgglue/rows", True, "one of a list, with a space"),
        ("", False, "set to nothing"),
        ("0", False, "switched off"),
        ("true", False, "no word of ours"),
        ("bgglue", False, "a suite is no task"),
        ("bgglue/row", False, "part of a name"),
        ("bgglue/rows2", False, "a longer name"),
    ],
)
def test_the_variable_accepts_what_it_names_and_that_is_recorded(gated, monkeypatch, value, accepted, why):
    monkeypatch.setenv(gate.VARIABLE, value)
    if accepted:
        gate.require(gated)
        monkeypatch.delenv(gate.VARIABLE)
        gate.require(gated)
    else:
        with pytest.raises(LicenceError, match="not accepted yet"):
            gate.require(gated)
        assert gate.acceptances() == {}


@pytest.mark.parametrize(
    ("content", "told", "why"),
    [
        (b"", "Expecting value", "an empty file"),
        (b'{"bgglue/rows": {', "Expecting property name", "cut off"),
        (b"[]", "got a list", "no object"),
        (b'{"bgglue/rows": true}', "under 'bgglue/rows'", "no entry"),
        (b'{"bgglue/rows": {"accepted": "2020-01-01"}}', "under 'bgglue/rows'", "an entry without its fields"),
        (
            b'{"a/b": {"licence": "mit", "text_sha256": "0", "accepted": 2020, "version": "1"}}',
            "under 'a/b'",
            "a number for a text, under another task",
        ),
        (b'{"\xef\xf0": 1}', "can't decode byte", "not UTF-8"),
    ],
)
def test_a_record_that_cannot_be_read_is_a_clear_error_and_is_left_alone(gated, home, content, told, why):
    home.mkdir()
    (home / "licences.json").write_bytes(content)
    for call in (gate.require, gate.accept, gate.state):
        with pytest.raises(LicenceError, match="licences.json: expected a JSON object of accepted licences") as error:
            call(gated)
        assert told in str(error.value) and "accept anew" in str(error.value) and "\n" not in str(error.value)
    assert (home / "licences.json").read_bytes() == content


def test_a_folder_in_place_of_the_record_is_a_clear_error(gated, home):
    (home / "licences.json").mkdir(parents=True)
    with pytest.raises(LicenceError, match="licences.json: expected a JSON object of accepted licences, got Is a dir"):
        gate.require(gated)


def test_many_accept_at_once_and_none_is_lost(gated):
    tasks = [replace(gated, name=f"rows-{number}") for number in range(12)]
    with ThreadPoolExecutor(12) as pool:
        list(pool.map(gate.accept, tasks))
    assert sorted(gate.acceptances()) == sorted(task.path for task in tasks)


def test_a_failed_write_leaves_the_record_as_it_was(gated, home, monkeypatch):
    gate.accept(gated)
    before = (home / "licences.json").read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(DiskFullError, match="for licences.json .No space left"):
        gate.accept(replace(gated, name="rows-2"))
    assert (home / "licences.json").read_bytes() == before
    assert sorted(path.name for path in home.iterdir() if path.suffix != ".lock") == ["licences.json"]


def test_there_is_nothing_to_accept_of_an_open_task():
    with pytest.raises(LicenceError, match="bgglue/rows: its raw files are open"):
        gate.accept(make_task())
    assert gate.accept_all([make_task()]) == []


def test_states_in_words(gated):
    assert (gate.state(make_task()), gate.state(gated)) == ("open", "form: not accepted yet")
    (made,) = gate.accept_all([make_task(), gated])
    assert gate.state(gated) == f"form: signed {made.accepted}"


def test_gated_files_at_hand_are_not_read_before_the_terms_are_accepted(tmp_path, home):
    reads = []

    @reader
    def spy(files):
        """Remember that it was called."""
        reads.append(files.names())
        return pd.DataFrame({"id": ["1"], "text": ["a"], "label": ["да"], "split": ["train"]})

    task = make_task(gate=Gate.FORM, read=spy(), steps=(), sizes={"train": 1})
    raw = pack(tmp_path / "raw")
    with pytest.raises(LicenceError, match="not accepted yet"):
        prepare(task, data_dir=raw)
    assert reads == [] and not (home / "prepared").exists()
    gate.accept(task)
    assert prepare(task, data_dir=raw).table("train")["text"].tolist() == ["a"]
    assert reads == [["t/rows.jsonl"]]


def test_the_variable_lets_a_gated_task_be_prepared(gated, tmp_path, monkeypatch):
    monkeypatch.setenv(gate.VARIABLE, "bgglue/rows")
    assert len(prepare(gated, data_dir=pack(tmp_path / "raw")).table("train")) == 5


def test_a_sample_that_ships_with_a_package_needs_no_acceptance():
    sample = Source(file="rows", package="bgglue_datasets/sample", members={"rows": "0" * 64})
    form = Source(file="more", url="https://example.org", members={"more": "0" * 64})
    gate.require(make_task(gate=Gate.FORM, sources=(sample,)), "official")
    with pytest.raises(LicenceError, match="not accepted yet"):
        gate.require(make_task(gate=Gate.FORM, sources=(sample, form)), "official")
