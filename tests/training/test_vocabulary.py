# SPDX-License-Identifier: Apache-2.0
"""Training on the vocabulary in use is the same training, and what is saved is a whole model."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from transformers import (
    AutoModel,
    AutoTokenizer,
    BertConfig,
    BertForMaskedLM,
    CanineConfig,
    CanineModel,
    T5Config,
    T5ForSequenceClassification,
)

from euroglue.errors import EuroglueError
from euroglue.predictions import read_predictions
from euroglue.training import train
from euroglue.training.loop import make_optimizer
from euroglue.training.tiny import build_tiny_encoder
from euroglue.training.vocabulary import TrimmedVocabulary, input_embeddings, obstacle
from tests.training.made_tasks import BAD, GOOD, NAMES, PLAIN

WORDS = "bert.embeddings.word_embeddings.weight"


@pytest.fixture(scope="module")
def wide_encoder(tmp_path_factory):
    """An encoder whose vocabulary holds much that the made-up tasks never say; with dropout."""
    strangers = [f"{a}{b}{c}" for a in "бвгдж" for b in "аеиоу" for c in "клмнпрст"]
    texts = [" ".join([*PLAIN, *GOOD, *BAD, *NAMES["PER"], *NAMES["LOC"]]), " ".join(strangers)] * 3
    folder = tmp_path_factory.mktemp("models") / "wide"
    return build_tiny_encoder(texts, folder, vocab_size=900, hidden=32)


@pytest.mark.parametrize(("kind", "weight_decay"), [("token", 0.1), ("number", 1e-8)])
def test_training_on_the_rows_in_use_is_the_same_training(tmp_path, request, wide_encoder, kind, weight_decay):
    task, splits = request.getfixturevalue(f"{kind}_task"), request.getfixturevalue(f"{kind}_splits")
    losses, weights, metrics = {}, {}, {}
    for name, trimmed in (("trimmed", True), ("whole", False)):
        folder = tmp_path / name
        options = {"splits": splits, "epochs": 2, "weight_decay": weight_decay, "trim_vocabulary": trimmed}
        metrics[name] = train(task, str(wide_encoder), folder, **options)
        log = [json.loads(line) for line in (folder / "log.jsonl").read_text(encoding="utf-8").splitlines()]
        losses[name] = [entry["loss"] for entry in log if "loss" in entry]
        weights[name] = load_file(folder / "best/model.safetensors")
    assert AutoModel.from_pretrained(wide_encoder).config.hidden_dropout_prob > 0
    assert losses["trimmed"] == pytest.approx(losses["whole"], rel=1e-4)
    assert {k: w.shape for k, w in weights["trimmed"].items()} == {k: w.shape for k, w in weights["whole"].items()}
    for name, weight in weights["whole"].items():
        assert torch.allclose(weights["trimmed"][name], weight, atol=2e-4), name
    predicted = [read_predictions(tmp_path / name / "predictions/test.jsonl", task) for name in losses]
    if kind == "token":
        assert predicted[0] == predicted[1]
    else:
        assert list(predicted[0].values()) == pytest.approx(list(predicted[1].values()), abs=5e-3)
    assert metrics["trimmed"]["best"]["epoch"] == metrics["whole"]["best"]["epoch"]
    before = load_file(wide_encoder / "model.safetensors")[WORDS.removeprefix("bert.")]
    moved = (before != weights["trimmed"][WORDS]).any(dim=1)
    assert 5 < moved.sum() < len(moved) / 2, "rows in use move, the others stay to the bit"


def test_what_is_saved_loads_as_any_model_does(tmp_path, number_task, number_splits, wide_encoder):
    train(number_task, str(wide_encoder), tmp_path / "run", splits=number_splits, epochs=1)
    held, made = AutoModel.from_pretrained(wide_encoder), AutoModel.from_pretrained(tmp_path / "run/best")
    assert type(input_embeddings(made)) is torch.nn.Embedding
    assert input_embeddings(made).weight.shape == input_embeddings(held).weight.shape
    assert made.config.vocab_size == held.config.vocab_size == len(AutoTokenizer.from_pretrained(tmp_path / "run/best"))


def test_the_terminal_says_how_much_is_trained(tmp_path, number_task, number_splits, wide_encoder, capsys):
    train(number_task, str(wide_encoder), tmp_path / "run", splits=number_splits, epochs=1)
    line = [line for line in capsys.readouterr().err.splitlines() if line.startswith("training on")][0]
    kept, size = (int(word.replace(",", "")) for word in line.split() if word[0].isdigit())
    assert kept < size / 2 and size == AutoModel.from_pretrained(wide_encoder).config.vocab_size


def tiny_t5() -> T5ForSequenceClassification:
    return T5ForSequenceClassification(
        T5Config(vocab_size=50, d_model=8, d_kv=4, d_ff=8, num_layers=1, num_heads=2, decoder_start_token_id=0)
    )


def test_embeddings_that_are_tied_are_trimmed_together(encoder):
    model = tiny_t5()
    shared = model.transformer.shared.weight.detach().clone()
    tokenizer = AutoTokenizer.from_pretrained(encoder)
    vocabulary = TrimmedVocabulary(model, tokenizer, np.array([7, 9]))
    stack = model.transformer
    assert stack.encoder.embed_tokens.weight is stack.decoder.embed_tokens.weight is stack.shared.weight
    assert len(stack.shared.weight) == len(vocabulary.kept) == len({7, 9, *tokenizer.all_special_ids})
    with torch.no_grad():
        stack.shared.weight += 1
    assert torch.equal(stack.shared(torch.tensor([7, 9])), shared[[7, 9]] + 1)
    with vocabulary.whole():
        assert torch.equal(stack.decoder.embed_tokens.weight[[7, 9]], shared[[7, 9]] + 1)
        assert torch.equal(stack.encoder.embed_tokens.weight[20:], shared[20:])
    assert len(stack.encoder.embed_tokens.weight) == len(vocabulary.kept)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: CanineModel(CanineConfig(hidden_size=8, num_hidden_layers=1, num_attention_heads=1)), "plain"),
        (lambda: BertForMaskedLM(BertConfig(hidden_size=8, num_attention_heads=1)), "are cls.predictions.decoder too"),
        (lambda: torch.nn.Linear(2, 2), "no plain input embeddings"),
        (tiny_t5, None),
    ],
)
def test_what_cannot_be_trimmed_is_told(make, reason):
    found = obstacle(make())
    assert found is None if reason is None else reason in found


def test_a_model_without_plain_embeddings_is_trained_whole_and_a_line_says_so(
    tmp_path, number_task, number_splits, encoder, capsys, monkeypatch
):
    from transformers import BertPreTrainedModel

    monkeypatch.setattr(BertPreTrainedModel, "get_input_embeddings", lambda self: None, raising=False)
    train(number_task, str(encoder), tmp_path / "run", splits=number_splits, epochs=1)
    assert "training on the whole vocabulary: the model has no plain input embeddings" in capsys.readouterr().err


def test_a_token_that_was_not_kept_is_never_looked_up_silently(encoder):
    model, tokenizer = AutoModel.from_pretrained(encoder), AutoTokenizer.from_pretrained(encoder)
    TrimmedVocabulary(model, tokenizer, np.array([20]))
    model(torch.tensor([[20, tokenizer.pad_token_id]]))
    with pytest.raises(IndexError):
        model(torch.tensor([[21]]))


def test_a_tokenizer_of_another_model_is_refused(encoder):
    model, tokenizer = AutoModel.from_pretrained(encoder), AutoTokenizer.from_pretrained(encoder)
    with pytest.raises(EuroglueError, match=r"yields the id 5000, but the model has \d+ embeddings"):
        TrimmedVocabulary(model, tokenizer, np.array([5000]))


def test_biases_and_the_vocabulary_do_not_decay(encoder):
    model = AutoModel.from_pretrained(encoder)
    decayed, others = make_optimizer(model, 1e-3, 0.1).param_groups
    assert (decayed["weight_decay"], others["weight_decay"]) == (0.1, 0.0)
    names = {id(one): name for name, one in model.named_parameters()}
    held = {names[id(one)] for one in others["params"]}
    assert WORDS.removeprefix("bert.") in held
    assert all("bias" in name or "LayerNorm" in name for name in held - {WORDS.removeprefix("bert.")})
    assert len(decayed["params"]) + len(others["params"]) == len(names)
