# SPDX-License-Identifier: Apache-2.0
"""One process at a time works in a run's folder; whoever dies lets go of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from filelock import FileLock

from euroglue.errors import EuroglueError
from euroglue.training import predict, train

HOLDER = """
import sys, time
from accelerate import Accelerator
from euroglue.training.run_folder import RunFolder
with RunFolder(sys.argv[1]).locked(Accelerator(cpu=True)):
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def holder(tmp_path):
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-c", HOLDER, str(tmp_path / "run")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.wait()


def test_a_second_process_is_refused_and_a_kill_lets_go(tmp_path, holder, number_task, number_splits, encoder):
    options = {"splits": number_splits, "max_steps": 2}
    with pytest.raises(EuroglueError, match="another process is at work in .*run: wait for it, stop it"):
        train(number_task, str(encoder), tmp_path / "run", **options)
    assert {path.name for path in (tmp_path / "run").iterdir()} == {".lock"}, "nothing of ours is left there"
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    began = time.perf_counter()
    assert train(number_task, str(encoder), tmp_path / "run", **options)["splits"]
    assert not (tmp_path / "run/.lock").exists()
    assert time.perf_counter() - began < 60


def test_predictions_are_not_written_where_another_process_is_at_work(tmp_path, number_task, number_splits, encoder):
    train(number_task, str(encoder), tmp_path / "run", splits=number_splits, max_steps=2)
    (tmp_path / "out").mkdir()
    with FileLock(tmp_path / "out/.lock"), pytest.raises(EuroglueError, match="another process is at work"):
        predict(number_task, tmp_path / "run/best", tmp_path / "out", splits=number_splits)
    assert predict(number_task, tmp_path / "run/best", tmp_path / "out", splits=number_splits)["splits"]


def test_a_finished_run_answers_from_a_folder_that_cannot_be_written(
    tmp_path, number_task, number_splits, encoder, monkeypatch
):
    from euroglue.training.run_folder import RunFolder

    options = {"splits": number_splits, "max_steps": 2}
    metrics = train(number_task, str(encoder), tmp_path / "run", **options)
    (tmp_path / "run/checkpoints/step-000000002").mkdir(parents=True)  # killed just before these were removed
    for name in ("write", "log", "open", "locked"):
        monkeypatch.setattr(RunFolder, name, None)
    assert train(number_task, str(encoder), tmp_path / "run", **options) == metrics
    assert not (tmp_path / "run/checkpoints").exists()


@pytest.mark.parametrize(
    ("held", "message"),
    [
        ({"thesis.txt": ""}, "is not empty and holds other files than predictions"),
        ({"metrics.json": '{"task": "made/stars", "edition": "sample", "model": "other"}'}, "model is 'other' there"),
        ({"metrics.json": "[]"}, "holds other predictions"),
        ({"config.json": "{}"}, "holds a training run"),
    ],
)
def test_predictions_do_not_mix_with_what_a_folder_holds(tmp_path, number_task, number_splits, encoder, held, message):
    (tmp_path / "out").mkdir()
    for name, text in held.items():
        (tmp_path / "out" / name).write_text(text, encoding="utf-8")
    with pytest.raises(EuroglueError, match=message):
        predict(number_task, tmp_path / "model", tmp_path / "out", splits=number_splits)
    assert {path.name for path in (tmp_path / "out").iterdir()} == set(held)
