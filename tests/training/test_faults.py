# SPDX-License-Identifier: Apache-2.0
"""Runs that survive what a machine does to them: faults are injected, and what comes out is compared."""

from __future__ import annotations

import errno
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from euroglue.disk import DiskFullError, is_out_of_space
from euroglue.errors import EuroglueError
from euroglue.training import predict, train
from euroglue.training.faults import is_out_of_memory
from euroglue.training.kinds.regression import Regression

OPTIONS = {"epochs": 2, "seed": 5, "save_steps": 4}


def entries(folder):
    return [json.loads(line) for line in (folder / "log.jsonl").read_text(encoding="utf-8").splitlines()]


def read(folder, name):
    return json.loads((folder / name).read_text(encoding="utf-8"))


def predictions(folder):
    return {split: (folder / f"predictions/{split}.jsonl").read_text("utf-8") for split in ("validation", "test")}


@pytest.mark.parametrize(
    ("error", "memory", "space"),
    [
        (torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB"), True, False),
        (RuntimeError("MPS backend out of memory"), True, False),
        (RuntimeError("[enforce fail at alloc_cpu.cpp:114] DefaultCPUAllocator: can't allocate memory"), True, False),
        (RuntimeError("CUBLAS_STATUS_ALLOC_FAILED when calling cublasCreate(handle)"), True, False),
        (MemoryError(), True, False),
        (RuntimeError("size mismatch"), False, False),
        (ValueError("out of memory"), False, False),
        (OSError(errno.ENOSPC, "No space left on device"), False, True),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), False, True),
        (RuntimeError("I/O error: No space left on device (os error 28)"), False, True),
        (RuntimeError("[enforce fail at inline_container.cc:672] . unexpected pos 140928 vs 140816"), False, True),
        (OSError(errno.EFBIG, "File too large"), False, True),
        (RuntimeError("Error while serializing: I/O error: File too large (os error 27)"), False, True),
        (OSError(errno.EACCES, "Permission denied"), False, False),
    ],
)
def test_errors_are_told_apart(error, memory, space):
    assert (is_out_of_memory(error), is_out_of_space(error)) == (memory, space)


def limit_memory(monkeypatch, most, kind_class=Regression):
    """Let memory end whenever more than ``most`` features meet in a batch."""
    collate = kind_class.collate

    def starved(self, features):
        if len(features) > most:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return collate(self, features)

    monkeypatch.setattr(kind_class, "collate", starved)


def without_dropout(encoder, folder):
    from transformers import AutoModel, AutoTokenizer

    still = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    AutoModel.from_pretrained(encoder, **still).save_pretrained(folder)
    AutoTokenizer.from_pretrained(encoder).save_pretrained(folder)
    return folder


def test_where_memory_ends_batches_are_worked_off_in_parts_and_stay_what_they_are(
    tmp_path, monkeypatch, number_task, number_splits, encoder
):
    model = str(without_dropout(encoder, tmp_path / "still"))
    options = {**OPTIONS, "splits": number_splits, "learning_rate": 1e-4}
    train(number_task, model, tmp_path / "ample", **options)
    limit_memory(monkeypatch, 5)
    train(number_task, model, tmp_path / "scarce", **options)
    log = entries(tmp_path / "scarce")
    events = [entry for entry in log if "event" in entry]
    assert [(entry["event"], entry["gradient_accumulation"]) for entry in events] == [
        ("out of memory", 2), ("out of memory", 4),
    ]  # fmt: skip
    ample, scarce = (
        [(entry["step"], entry["loss"]) for entry in entries(tmp_path / name) if "loss" in entry]
        for name in ("ample", "scarce")
    )
    assert [step for step, _ in scarce] == [step for step, _ in ample]
    assert [loss for _, loss in scarce] == pytest.approx([loss for _, loss in ample], rel=1e-3)


def test_a_run_that_ran_out_of_memory_and_was_killed_ends_as_if_it_had_not_been_killed(
    tmp_path, monkeypatch, number_task, number_splits, encoder, stopped
):
    limit_memory(monkeypatch, 5)
    options = {**OPTIONS, "splits": number_splits}
    whole = train(number_task, str(encoder), tmp_path / "whole", **options)
    with stopped(9):
        train(number_task, str(encoder), tmp_path / "killed", **options)
    assert train(number_task, str(encoder), tmp_path / "killed", **options) == whole
    assert predictions(tmp_path / "killed") == predictions(tmp_path / "whole")


def test_an_input_that_does_not_fit_alone_stops_the_run_and_says_what_to_do(
    tmp_path, monkeypatch, number_task, number_splits, encoder
):
    limit_memory(monkeypatch, 0)
    with pytest.raises(EuroglueError, match=r"single input of up to \d+ sub-words .* lower the maximum length"):
        train(number_task, str(encoder), tmp_path / "run", splits=number_splits)


def test_predicting_where_memory_is_scarce_gives_the_same(tmp_path, monkeypatch, number_task, number_splits, encoder):
    train(number_task, str(encoder), tmp_path / "run", splits=number_splits, epochs=1)
    ample = predict(number_task, tmp_path / "run/best", tmp_path / "ample", splits=number_splits)
    limit_memory(monkeypatch, 3)
    scarce = predict(number_task, tmp_path / "run/best", tmp_path / "scarce", splits=number_splits)
    for split, result in ample["splits"].items():
        assert scarce["splits"][split]["scores"] == pytest.approx(result["scores"], abs=1e-3)
    limit_memory(monkeypatch, 0)
    with pytest.raises(EuroglueError, match=r"example \S+: its \d+ sub-words do not fit the memory"):
        predict(number_task, tmp_path / "run/best", tmp_path / "none", splits=number_splits)


def poison(monkeypatch, at, *, outputs=False):
    """Make the loss (or the outputs) of the call ``at`` NaN while the model runs in bfloat16."""
    from transformers import BertForSequenceClassification

    forward, calls = BertForSequenceClassification.forward, []

    def poisoned(self, **inputs):
        output = forward(self, **inputs)
        half = torch.is_autocast_enabled("cpu")
        if half and (outputs or "labels" in inputs) and ("labels" not in inputs if outputs else True):
            calls.append(1)
            if len(calls) == at:
                name = "logits" if outputs else "loss"
                setattr(output, name, getattr(output, name) * float("nan"))
        return output

    monkeypatch.setattr(BertForSequenceClassification, "forward", poisoned)
    return calls


@pytest.mark.issue("EuroEval#v17.6.0")
@pytest.mark.parametrize(("at", "outputs"), [(14, False), (1, True)])
def test_numbers_out_of_the_range_of_half_precision_begin_the_run_again_in_full(
    tmp_path, monkeypatch, number_task, number_splits, encoder, at, outputs
):
    options = {**OPTIONS, "splits": number_splits}
    full = train(number_task, str(encoder), tmp_path / "full", mixed_precision="no", **options)
    calls = poison(monkeypatch, at, outputs=outputs)
    half = train(number_task, str(encoder), tmp_path / "half", mixed_precision="bf16", **options)
    assert len(calls) >= at
    assert half["best"] == full["best"]
    assert predictions(tmp_path / "half") == predictions(tmp_path / "full")
    here, config = read(tmp_path / "half", "environment.json"), read(tmp_path / "half", "config.json")
    assert (here["mixed_precision"], config["mixed_precision"]) == ("no", "bf16")
    assert ("outputs are not finite" if outputs else "is nan") in here["fell_back"]
    first = entries(tmp_path / "half")[0]
    assert (first["step"], first["event"]) == (0, "begun again in 32-bit floats")


def test_a_run_that_fell_back_is_gone_on_with_in_full_precision(
    tmp_path, monkeypatch, number_task, number_splits, encoder, stopped
):
    options = {**OPTIONS, "splits": number_splits, "mixed_precision": "bf16"}
    calls = poison(monkeypatch, 2)
    whole = train(number_task, str(encoder), tmp_path / "whole", **options)
    calls.clear()
    with stopped(9):
        train(number_task, str(encoder), tmp_path / "killed", **options)
    assert len(calls) >= 2
    calls.extend([1] * 1000)
    assert train(number_task, str(encoder), tmp_path / "killed", **options) == whole
    assert predictions(tmp_path / "killed") == predictions(tmp_path / "whole")
    assert "is nan" in read(tmp_path / "killed", "environment.json")["fell_back"]


@pytest.mark.parametrize("what", ["checkpoint", "best", "predictions"])
def test_a_full_disk_stops_the_run_in_words_and_leaves_what_was_saved(
    tmp_path, monkeypatch, number_task, number_splits, encoder, what
):
    import euroglue.predictions as predictions_module
    import euroglue.training.fit as fit_module
    from euroglue.training.run_folder import RunFolder

    options = {**OPTIONS, "splits": number_splits}
    whole = train(number_task, str(encoder), tmp_path / "whole", **options)
    calls = []

    def full(function, on):
        def failing(*arguments, **more):
            calls.append(1)
            if len(calls) == on:
                raise OSError(errno.ENOSPC, "No space left on device")
            return function(*arguments, **more)

        return failing

    owner, name, on = {
        "checkpoint": (torch, "save", 3),
        "best": (fit_module, "_save_best", 2),
        "predictions": (predictions_module, "write_predictions", 2),
    }[what]
    original = getattr(owner, name)
    monkeypatch.setattr(owner, name, full(original, on))
    with pytest.raises(DiskFullError, match="no space left on the disk of .* give the same command again to go on"):
        train(number_task, str(encoder), tmp_path / "run", **options)
    assert not list((tmp_path / "run").glob("**/*.partial"))
    saved = RunFolder(tmp_path / "run").latest_checkpoint()
    assert saved is not None and {path.name for path in saved.iterdir()} >= {"progress.json", "model.safetensors"}
    monkeypatch.setattr(owner, name, original)
    assert train(number_task, str(encoder), tmp_path / "run", **options) == whole
    assert predictions(tmp_path / "run") == predictions(tmp_path / "whole")


@pytest.mark.parametrize("file", ["model.safetensors", "optimizer.pt", "progress.json"])
@pytest.mark.parametrize("content", [b"", b"{cut", b"{}", b"[1]"])
def test_a_state_that_is_damaged_is_told_and_can_be_left(
    tmp_path, number_task, number_splits, encoder, file, content, stopped
):
    from euroglue.training.run_folder import RunFolder

    options = {**OPTIONS, "splits": number_splits}
    with stopped(9):
        train(number_task, str(encoder), tmp_path / "run", **options)
    saved = RunFolder(tmp_path / "run").latest_checkpoint()
    assert saved is not None
    (saved / file).write_bytes(content)
    with pytest.raises(EuroglueError, match="the saved state is damaged .* with --no-resume"):
        train(number_task, str(encoder), tmp_path / "run", **options)
    assert train(number_task, str(encoder), tmp_path / "run", resume=False, **options)["splits"]


def test_a_best_checkpoint_that_is_gone_is_told_before_training_goes_on(
    tmp_path, number_task, number_splits, encoder, stopped
):
    import shutil

    options = {**OPTIONS, "splits": number_splits}
    with stopped(12):
        train(number_task, str(encoder), tmp_path / "run", **options)
    shutil.rmtree(tmp_path / "run/best")
    with pytest.raises(EuroglueError, match="best, the best checkpoint so far, is gone: .* with --no-resume"):
        train(number_task, str(encoder), tmp_path / "run", **options)
    assert train(number_task, str(encoder), tmp_path / "run", resume=False, **options)["splits"]


@pytest.mark.parametrize(
    ("stop_at", "said"),
    [(2, "nothing of the run in .* is saved yet"), (9, "the state after step 8 is saved in .* goes on from there")],
)
def test_whoever_stops_a_run_is_told_how_to_go_on(
    tmp_path, number_task, number_splits, encoder, capsys, stop_at, said, stopped
):
    with stopped(stop_at):
        train(number_task, str(encoder), tmp_path / "run", splits=number_splits, **OPTIONS)
    assert re.search(said, capsys.readouterr().err)


def test_gradients_are_summed_in_buckets(monkeypatch):
    from euroglue.training.loop import sum_gradients

    class Doubling:
        """Stands for two processes that hold the same."""

        buckets: list[int] = []

        def reduce(self, tensor, reduction):
            assert reduction == "sum"
            self.buckets.append(len(tensor))
            return tensor * 2

    model = torch.nn.ModuleList([torch.nn.Linear(3, 2), torch.nn.Linear(2, 2), torch.nn.Linear(5, 5)])
    for one in [*model[0].parameters(), *model[2].parameters()]:
        one.grad = torch.randn_like(one)
    before = [one.grad.clone() for one in model.parameters() if one.grad is not None]
    accelerator = Doubling()
    sum_gradients(model, accelerator, bucket=10)
    after = [one.grad for one in model.parameters() if one.grad is not None]
    assert all(torch.equal(a, 2 * b) for a, b in zip(after, before, strict=True))
    assert accelerator.buckets == [8, 25, 5] and np.sum(accelerator.buckets) == 38


STARVED = """
import json, os, sys
sys.path.insert(0, sys.argv[1])
import torch
from tests.training.made_tasks import make_number_splits, make_task
from euroglue.task import Kind
from euroglue.training import train
from euroglue.training.kinds.regression import Regression

collate, most = Regression.collate, int(sys.argv[4])
def starved(self, features):
    if os.environ["RANK"] == "1" and len(features) > most:
        raise torch.OutOfMemoryError("CUDA out of memory.")
    return collate(self, features)
Regression.collate = starved
options = {"epochs": 2, "learning_rate": 1e-4, "splits": make_number_splits()}
train(make_task(Kind.REGRESSION), sys.argv[2], sys.argv[3], **options)
"""


@pytest.mark.slow
def test_memory_that_ends_on_one_process_halves_the_parts_of_all(tmp_path, encoder):
    model, script = without_dropout(encoder, tmp_path / "still"), tmp_path / "script.py"
    script.write_text(STARVED, encoding="utf-8")
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "ACCELERATE_USE_CPU": "true", "OMP_NUM_THREADS": "1"}
    losses = {}
    for most in (100, 2):
        launcher = [sys.executable, "-m", "torch.distributed.run", "--nproc_per_node", "2", "--standalone"]
        root = str(Path(__file__).parents[2])
        command = [*launcher, str(script), root, str(model), str(tmp_path / str(most)), str(most)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr[-2000:]
        losses[most] = [entry["loss"] for entry in entries(tmp_path / str(most)) if "loss" in entry]
    events = [entry.get("gradient_accumulation") for entry in entries(tmp_path / "2") if "event" in entry]
    assert events == [2, 4] and read(tmp_path / "2", "environment.json")["processes"] == 2
    assert losses[2] == pytest.approx(losses[100], rel=1e-3)


def test_a_script_that_is_stopped_exits_as_shells_have_it():
    from euroglue.exits import run

    def stopped():
        raise KeyboardInterrupt

    with pytest.raises(SystemExit) as caught:
        run(stopped)
    assert caught.value.code == 130


def test_a_script_that_finds_a_full_disk_says_so_in_a_line(capsys):
    from euroglue.exits import run

    def full():
        try:
            raise OSError(errno.ENOSPC, "No space left on device")
        except OSError as error:
            raise RuntimeError("An error occurred while generating the dataset") from error

    with pytest.raises(SystemExit) as caught:
        run(full)
    (line,) = capsys.readouterr().err.splitlines()
    assert caught.value.code == 2 and line.startswith("euroglue: no space left on a disk")


def test_a_model_that_was_changed_under_its_name_is_another_run(tmp_path, number_task, number_splits, encoder):
    import shutil

    from safetensors.torch import load_file, save_file

    options = {"splits": number_splits, "max_steps": 2}
    for name in ("model", "copy"):
        shutil.copytree(encoder, tmp_path / name)
    train(number_task, str(tmp_path / "model"), tmp_path / "run", **options)
    weights = load_file(tmp_path / "model/model.safetensors")
    weights["embeddings.LayerNorm.bias"][0] += 1
    save_file(weights, tmp_path / "model/model.safetensors", metadata={"format": "pt"})
    with pytest.raises(EuroglueError, match="belongs to another run: weights is '[0-9a-f]{16}' there and"):
        train(number_task, str(tmp_path / "model"), tmp_path / "run", **options)
    shutil.rmtree(tmp_path / "model")
    shutil.copytree(tmp_path / "copy", tmp_path / "model")
    assert train(number_task, str(tmp_path / "model"), tmp_path / "run", **options)["splits"], "not by its dates"
