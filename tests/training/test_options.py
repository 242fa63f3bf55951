# SPDX-License-Identifier: Apache-2.0
"""Adapters, compilation, attention, trackers."""

from __future__ import annotations

import json
import sys

import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModel, AutoModelForSequenceClassification, AutoTokenizer

from euroglue.errors import EuroglueError
from euroglue.training import predict, train
from euroglue.training.loop import Trainer
from euroglue.training.lora import merged, with_lora


def lines(folder, split="test"):
    return (folder / "predictions" / f"{split}.jsonl").read_text(encoding="utf-8")


def test_adapters_train_few_weights_and_what_is_saved_is_a_plain_model(tmp_path, number_task, number_splits, encoder):
    pytest.importorskip("peft")
    options = {"splits": number_splits, "epochs": 6, "learning_rate": 1e-2}
    metrics = train(number_task, str(encoder), tmp_path / "run", lora=4, **options)
    assert metrics["splits"]["validation"]["scores"]["pearson"] > 0.7
    before, after = load_file(encoder / "model.safetensors"), load_file(tmp_path / "run/best/model.safetensors")
    moved = {name for name, weight in before.items() if not torch.equal(after[f"bert.{name}"], weight)}
    assert moved == {name for name in before if name.endswith("weight") and before[name].ndim == 2} - {
        name for name in before if "embeddings" in name
    }
    assert not any("lora" in name for name in after)
    again = predict(number_task, tmp_path / "run/best", tmp_path / "again", splits=number_splits)
    assert lines(tmp_path / "again") == lines(tmp_path / "run") and again["splits"] == metrics["splits"]
    AutoModelForSequenceClassification.from_pretrained(tmp_path / "run/best")


def test_adapters_are_merged_in_a_copy_that_says_the_same(encoder):
    pytest.importorskip("peft")
    model = AutoModelForSequenceClassification.from_pretrained(encoder, num_labels=2)
    whole = sum(parameter.numel() for parameter in model.parameters())
    adapted = with_lora(model, 2).eval()
    assert sum(one.numel() for one in adapted.parameters() if one.requires_grad) < whole / 3
    with torch.no_grad():
        for name, parameter in adapted.named_parameters():
            if "lora_B" in name:
                parameter.normal_()
        ids = torch.tensor([[5, 6, 7]])
        expected, plain = adapted(ids).logits, merged(adapted)
        assert torch.allclose(plain(ids).logits, expected, atol=1e-4)
        assert torch.equal(adapted(ids).logits, expected), "the original is as it was"
    assert not hasattr(plain, "peft_config")


def test_a_run_with_adapters_that_was_killed_ends_as_if_it_had_not_been(
    tmp_path, number_task, number_splits, encoder, stopped
):
    pytest.importorskip("peft")
    options = {"splits": number_splits, "epochs": 2, "lora": 2, "save_steps": 4}
    whole = train(number_task, str(encoder), tmp_path / "whole", **options)
    with stopped(9):
        train(number_task, str(encoder), tmp_path / "killed", **options)
    assert train(number_task, str(encoder), tmp_path / "killed", **options) == whole
    assert lines(tmp_path / "killed") == lines(tmp_path / "whole")


@pytest.mark.parametrize(
    ("missing", "options", "message"),
    [
        ("peft", {"lora": 4}, "need peft: pip install peft"),
        ("tensorboard", {"report_to": "tensorboard"}, "'tensorboard' is not installed: pip install tensorboard"),
        ("wandb", {"report_to": "wandb"}, "'wandb' is not installed: pip install wandb"),
        ("", {"report_to": "paper"}, "any of tensorboard, wandb, trackio, got 'paper'"),
        ("", {"attention": "paper"}, "attention 'paper'"),
        ("", {"lora": 0}, "lora: expected at least 1, or nothing"),
    ],
)
def test_what_cannot_be_had_is_told_in_a_line(
    tmp_path, monkeypatch, number_task, number_splits, encoder, missing, options, message
):
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(EuroglueError, match=message):
        train(number_task, str(encoder), tmp_path / "run", splits=number_splits, **options)


def test_losses_and_scores_are_told_to_tensorboard(tmp_path, number_task, number_splits, encoder):
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    folder = tmp_path / "run"
    train(number_task, str(encoder), folder, splits=number_splits, epochs=2, report_to="tensorboard")
    log = [json.loads(line) for line in (folder / "log.jsonl").read_text(encoding="utf-8").splitlines()]
    (file,) = folder.glob("tracking/**/events.out.tfevents.*.0")
    told = EventAccumulator(str(file))
    told.Reload()
    losses = [(entry["step"], entry["loss"]) for entry in log if "loss" in entry]
    assert [(one.step, one.value) for one in told.Scalars("loss")] == [(s, pytest.approx(v)) for s, v in losses]
    scores = [entry["validation"]["pearson"] for entry in log if "validation" in entry]
    assert [one.value for one in told.Scalars("validation/pearson")] == pytest.approx(scores)
    assert (folder / "metrics.json").is_file()


@pytest.mark.parametrize("attention", ["eager", "sdpa"])
def test_attention_is_computed_as_asked(tmp_path, monkeypatch, number_task, number_splits, encoder, attention):
    seen = []
    take_step = Trainer.take_step

    def noting(self, batch):
        seen.append(self.bare_model.config._attn_implementation)
        take_step(self, batch)

    monkeypatch.setattr(Trainer, "take_step", noting)
    train(number_task, str(encoder), tmp_path / "run", splits=number_splits, epochs=1, attention=attention)
    assert set(seen) == {attention}


def test_a_compiled_model_is_trained_and_saved_as_a_plain_one(
    tmp_path, monkeypatch, number_task, number_splits, encoder
):
    compiled = []
    monkeypatch.setattr(torch.nn.Module, "compile", lambda self, **options: compiled.append(options))
    train(number_task, str(encoder), tmp_path / "run", splits=number_splits, epochs=1, compile=True)
    assert compiled == [{"dynamic": True}]
    AutoModel.from_pretrained(tmp_path / "run/best")
    AutoTokenizer.from_pretrained(tmp_path / "run/best")


@pytest.mark.slow
def test_a_model_that_is_compiled_in_earnest_learns(tmp_path, number_task, number_splits, encoder):
    options = {"splits": number_splits, "epochs": 3}
    plain = train(number_task, str(encoder), tmp_path / "plain", **options)
    made = train(number_task, str(encoder), tmp_path / "compiled", compile=True, **options)
    scores = [metrics["splits"]["validation"]["scores"]["pearson"] for metrics in (plain, made)]
    assert scores[1] == pytest.approx(scores[0], abs=0.15)
    names = [set(load_file(tmp_path / name / "best/model.safetensors")) for name in ("plain", "compiled")]
    assert names[0] == names[1]
