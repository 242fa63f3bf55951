# SPDX-License-Identifier: Apache-2.0
"""A finished run becomes a record: its settings, its scores, its size."""

from __future__ import annotations

import json
import struct

import pytest

from euroglue.errors import EuroglueError, FormatError, UnknownNameError
from euroglue.finished_runs import count_parameters, read_run, shown_name
from euroglue.results import ResultStore

SIGNATURE = "metric:binary_f1|n:3|data:" + "0" * 64
TEST = {
    "task": "bgglue/fakenews",
    "primary": "f1",
    "scores": {"f1": 0.7},
    "n": 3,
    "signature": SIGNATURE,
    "warnings": [],
}
METRICS = {"task": "bgglue/fakenews", "edition": "rebuilt", "model": "xlm-roberta-base", "splits": {"test": TEST}}
CONFIG = {
    "task": "bgglue/fakenews",
    "model": "xlm-roberta-base",
    "seed": 7,
    "learning_rate": 2e-5,
    "data": {},
    "limit": None,
}


def run(folder, metrics=METRICS, config=CONFIG, predictions=True):
    folder.mkdir(parents=True, exist_ok=True)
    for name, value in (("metrics.json", metrics), ("config.json", config)):
        if value is not None:
            (folder / name).write_text(json.dumps(value), encoding="utf-8")
    if predictions:
        (folder / "predictions").mkdir()
        (folder / "predictions" / "test.jsonl").write_text('{"id": "1", "label": "fake"}\n', encoding="utf-8")
    return folder


def weights(path, shapes):
    header = {"__metadata__": {"format": "pt"}, **{name: {"dtype": "F32", "shape": s} for name, s in shapes.items()}}
    text = json.dumps(header).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(struct.pack("<Q", len(text)) + text)


def test_a_training_run_becomes_a_record(tmp_path):
    folder = run(tmp_path / "run")
    weights(folder / "best" / "model.safetensors", {"a": [10, 4], "b": [4], "c": []})
    record = read_run(folder).record("test")
    assert (record.suite, record.task, record.model, record.method) == (
        "bgglue",
        "fakenews",
        "xlm-roberta-base",
        "fine-tuned",
    )
    assert (record.value, record.n, record.seed, record.parameters) == (0.7, 3, 7, 45)
    assert dict(record.settings) == {"learning_rate": 2e-5} and record.fingerprint == "0" * 64


def test_a_prompted_run_says_more_of_itself(tmp_path):
    more = {"method": "prompted", "shots": 5, "revision": "abc", "seed": 1, "settings": {"prompt": "p1"}}
    record = read_run(run(tmp_path / "run", {**METRICS, **more}, None)).record("test")
    assert (record.method, record.shots, record.revision, record.seed) == ("prompted", 5, "abc", 1)
    assert dict(record.settings) == {"prompt": "p1"} and record.parameters is None


@pytest.mark.parametrize(("given", "shown"), [("/home/me/models/mine", "mine"), ("org/name", "org/name")])
def test_a_model_from_a_folder_is_shown_by_its_name_alone(tmp_path, given, shown):
    assert read_run(run(tmp_path / "run", {**METRICS, "model": given})).model == shown
    assert read_run(tmp_path / "run", model="Other").model == "Other"


NAMES = [
    ("org/name", "org/name", "a Hub id"),
    ("runs/first/best", "encoder (first)", "the best of a run"),
    ("./runs/first/best/", "encoder (first)", "the same, written otherwise"),
    ("runs/second/best", "encoder (second)", "of another run"),
    ("runs/first/checkpoints/step-000000020", "encoder (first/checkpoints/step-000000020)", "a checkpoint of it"),
    ("runs/tuned-again/best", "encoder (first) (tuned-again)", "of a run that began with the best of another"),
    ("runs/other/best", "other/best", "of a run of another program"),
    ("runs/other/checkpoint-500", "other/checkpoint-500", "a checkpoint of it"),
    ("encoder", "encoder", "a folder with a name"),
    ("/nowhere/at/all/best", "all/best", "a folder that is no longer there"),
    ("gone/runs/first/best", "first/best", "the same, no Hub id"),
    ("/best", "best", "nothing above it"),
    ("cache/models--org--name/snapshots/" + "0" * 40, "org/name", "a snapshot in the Hub's cache"),
    ("runs/round/best", "round/best", "a run that says it began with itself"),
]


@pytest.mark.parametrize(("model", "shown", "why"), NAMES, ids=[why for *_, why in NAMES])
def test_folders_that_every_run_has_are_named_with_their_run(tmp_path, monkeypatch, model, shown, why):
    monkeypatch.chdir(tmp_path)
    begun = {"first": "encoder", "second": "encoder", "tuned-again": "runs/first/best", "round": "runs/round/best"}
    for name, given in begun.items():
        run(tmp_path / "runs" / name, config={**CONFIG, "model": given})
    for name in ("encoder", "runs/other/best", "runs/first/best", "runs/tuned-again/best", "runs/round/best"):
        (tmp_path / name).mkdir(parents=True, exist_ok=True)
    assert shown_name(model) == shown


def test_predictions_of_two_runs_are_two_models_with_their_seeds(tmp_path):
    store = ResultStore(tmp_path / "store")
    for seed in (1, 2):
        trained = run(tmp_path / f"run-{seed}", config={**CONFIG, "seed": seed, "model": str(tmp_path / "encoder")})
        weights(trained / "best" / "model.safetensors", {"a": [seed, 4]})
        score = {**TEST, "scores": {"f1": seed / 10}}
        metrics = {**METRICS, "model": str(trained / "best"), "splits": {"test": score}}
        store.add(read_run(run(tmp_path / f"predicted-{seed}", metrics, None)).record("test"))
    found = [(one.model, one.seed, one.parameters) for one in store]
    assert sorted(found) == [("encoder (run-1)", 1, 4), ("encoder (run-2)", 2, 8)]


@pytest.mark.parametrize(
    ("metrics", "error", "told"),
    [
        (None, EuroglueError, "metrics.json is missing"),
        ([], FormatError, "a JSON object"),
        ({**METRICS, "task": "bgglue/fakenewz"}, UnknownNameError, "did you mean 'fakenews'"),
        ({**METRICS, "splits": []}, FormatError, "expected dict as 'splits'"),
        ({**METRICS, "splits": {"test": []}}, FormatError, "splits, test: expected an object"),
        ({**METRICS, "splits": {"a": TEST, "b": {**TEST, "signature": "data:1"}}}, FormatError, "on different data"),
    ],
)
def test_what_is_no_run_is_refused(tmp_path, metrics, error, told):
    with pytest.raises(error, match=told):
        read_run(run(tmp_path / "run", metrics))


def test_hidden_labels_have_no_record_and_missing_predictions_are_told(tmp_path):
    found = read_run(run(tmp_path / "run", {**METRICS, "splits": {"validation": TEST}}, predictions=False))
    with pytest.raises(EuroglueError, match="labels may be hidden.*it has: validation"):
        found.record("test")
    with pytest.raises(EuroglueError, match="no predictions for the split test"):
        found.predictions("test")


@pytest.mark.parametrize("content", [b"", b"\x08\0\0\0\0\0\0\0[]", b"\xff" * 64, struct.pack("<Q", 2) + b'{"'])
def test_damaged_weights_are_told(tmp_path, content):
    (tmp_path / "model.safetensors").write_bytes(content)
    with pytest.raises(FormatError, match="no safetensors file"):
        count_parameters(tmp_path)


ABOUT = {
    "suite": "bgglue", "task": "fakenews", "edition": "sample", "split": "test", "fingerprint": "0" * 64, "model": "big",
    "revision": "r1", "prompts": "own", "shots": 5, "seed": 1,
}  # fmt: skip


def asked(folder, about):
    for kind, text in (
        ("predictions", '{"id": "1", "label": "fake"}\n'),
        ("answers", json.dumps({"about": about}) + "\n"),
    ):
        path = folder / kind / "bgglue" / "fakenews" / "big--0.jsonl"
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    return folder / "predictions" / "bgglue" / "fakenews" / "big--0.jsonl"


def test_a_language_models_predictions_are_a_run(tmp_path):
    path = asked(tmp_path, ABOUT)
    found = read_run(path)
    assert (found.method, found.model, found.shots, found.seed, found.revision) == ("prompted", "big", 5, 1, "r1")
    assert found.predictions("test") == path and found.fingerprint == "0" * 64 and found.edition == "sample"
    assert dict(found.settings) == {"prompts": "own"}
    with pytest.raises(EuroglueError, match="no predictions for the split validation"):
        found.predictions("validation")


@pytest.mark.parametrize(("about", "told"), [(None, "who answered"), ({"suite": "bgglue"}, "who answered")])
def test_answers_without_a_head_are_told(tmp_path, about, told):
    with pytest.raises(FormatError, match=told):
        read_run(asked(tmp_path, about))


def test_a_file_without_answers_is_no_run(tmp_path):
    (tmp_path / "a.jsonl").write_text("{}", encoding="utf-8")
    with pytest.raises(EuroglueError, match="predictions/SUITE/TASK/NAME.jsonl"):
        read_run(tmp_path / "a.jsonl")
