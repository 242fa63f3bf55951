# SPDX-License-Identifier: Apache-2.0
"""``euroglue licences``: the state of every gate, and accepting."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

from euroglue.prepare import gate
from euroglue.registry import SUITES, Registry
from euroglue.task import Gate, Task
from tests.cli.asked import run
from tests.prepare.made_up import make_task, pack


@pytest.fixture(autouse=True)
def suite(monkeypatch: pytest.MonkeyPatch):
    """The suite ``gates`` with the open task ``rows`` and the gated task ``signed``."""
    monkeypatch.delenv(gate.VARIABLE, raising=False)
    tasks: Registry[Task] = Registry("task")
    tasks.register("rows", replace(make_task(), suite="gates"))
    tasks.register("signed", replace(make_task(gate=Gate.FORM), suite="gates", name="signed"))
    SUITES.register("gates", replace(SUITES["bgglue"], name="gates", tasks=tasks, expected=("rows", "signed")))
    yield
    SUITES.unregister("gates")


def answer(monkeypatch: pytest.MonkeyPatch, text: str, terminal: bool = True) -> None:
    """Let the user type ``text``."""
    typed = io.StringIO(text)
    typed.isatty = lambda: terminal  # type: ignore[method-assign]
    monkeypatch.setattr("sys.stdin", typed)


@pytest.mark.parametrize("arguments", [(), ("gates",), ("show", "gates")])
def test_states_are_shown_with_the_address_whole(capsys, arguments):
    code, out, err = run(capsys, "licences", *arguments)
    assert (code, err) == (0, "")
    assert "gates/signed: sign at https://example.org/form\n  then: euroglue licences accept gates signed\n" in out
    assert "gates/rows: sign" not in out and "not accepted yet" in " ".join(out.split())
    gate.accept(SUITES["gates"].task("signed"))
    _, out, _ = run(capsys, "licences", *arguments)
    assert f"form: signed {gate.acceptances()['gates/signed'].accepted}" in " ".join(out.split())
    assert "gates/signed: sign at" not in out


def test_states_as_json(capsys):
    code, out, _ = run(capsys, "licences", "--json", "gates")
    rows, signed = json.loads(out)
    assert code == 0
    assert (rows["state"], rows["accepted"], rows["sign_at"]) == ("open", None, "https://example.org/form")
    assert (signed["gate"], signed["state"], signed["accepted"]) == ("form", "form: not accepted yet", None)
    day = gate.accept(SUITES["gates"].task("signed")).accepted
    assert json.loads(run(capsys, "licences", "gates", "--json")[1])[1]["accepted"] == day


@pytest.mark.parametrize(
    ("typed", "code", "accepted", "why"),
    [
        ("y\n", 0, True, "yes"),
        ("n\n", 1, False, "no"),
        ("\n", 1, False, "return alone is no yes"),
        ("", 130, False, "gone without an answer"),
    ],
)
def test_the_user_is_shown_the_terms_and_asked(capsys, monkeypatch, typed, code, accepted, why):
    answer(monkeypatch, typed)
    found, out, _ = run(capsys, "licences", "accept", "gates", "signed")
    assert found == code and (gate.acceptance(SUITES["gates"].task("signed")) is not None) == accepted
    assert "gates/signed: mit. MIT.\nThe form to sign: https://example.org/form\n" in out
    assert ("gates/signed: accepted 2" in out) == accepted


def test_nobody_is_asked_twice(capsys, monkeypatch):
    gate.accept(SUITES["gates"].task("signed"))
    answer(monkeypatch, "")
    code, out, err = run(capsys, "licences", "accept", "gates", "signed")
    assert (code, err) == (0, "") and "gates/signed: accepted 2" in out


def test_yes_accepts_where_nobody_can_answer(capsys, monkeypatch):
    answer(monkeypatch, "y\n", terminal=False)
    code, out, err = run(capsys, "licences", "accept", "gates", "signed")
    assert (code, out) == (2, "") and "nobody can be asked here; pass --yes" in err and gate.acceptances() == {}
    code, out, _ = run(capsys, "licences", "accept", "gates", "signed", "--yes")
    assert code == 0 and list(gate.acceptances()) == ["gates/signed"]


@pytest.mark.parametrize(
    ("arguments", "expected", "why"),
    [
        (["accept", "gates", "rows"], "gates/rows: its raw files are open", "nothing to accept"),
        (["accept", "gates", "singed"], "did you mean 'signed'?", "an unknown task"),
        (["accept", "gates"], "Missing argument 'TASK'", "an argument is missing"),
        (["gatse"], "did you mean 'gates'?", "an unknown suite"),
        (["gates", "more"], "more", "an argument too many"),
    ],
)
def test_mistakes_are_told_in_one_line(capsys, arguments, expected, why):
    code, out, err = run(capsys, "licences", *arguments)
    assert (code, out) == (2, "") and expected in err and err.count("\n") == 1


def test_a_spoilt_record_is_told_in_one_line(capsys):
    gate.accept(SUITES["gates"].task("signed"))
    gate.record_file().write_text("{", encoding="utf-8")
    code, out, err = run(capsys, "licences", "gates")
    assert (code, out) == (2, "") and "licences.json: expected a JSON object" in err and err.count("\n") == 1


@pytest.mark.parametrize("command", ["prepare", "describe"])
def test_the_flag_accepts_and_goes_on(capsys, tmp_path: Path, command):
    raw = str(pack(tmp_path / "raw"))
    code, _, err = run(capsys, command, "gates", "signed", "--data-dir", raw)
    assert code == 2 and "not accepted yet; sign at https://example.org/form" in err
    code, out, err = run(capsys, command, "gates", "signed", "--data-dir", raw, "--accept-licence")
    assert (code, err) == (0, "") and "gates/signed (official)" in out
    assert list(gate.acceptances()) == ["gates/signed"]
