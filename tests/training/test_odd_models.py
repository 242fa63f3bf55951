# SPDX-License-Identifier: Apache-2.0
"""Folders of models that are spoilt, foreign or dangerous: each is refused in one line, and nothing is left behind."""

from __future__ import annotations

import json
import shutil

import pytest
import torch
from safetensors.torch import load_file, save_file

from euroglue.errors import EuroglueError
from euroglue.training import train
from euroglue.training.models import load_tokenizer

WEIGHTS = "model.safetensors"


def change(folder, **entries):
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps({**config, **entries}), encoding="utf-8")


def keep_rows(folder, name, count):
    weights = load_file(folder / WEIGHTS)
    weights[name] = weights[name][:count].clone()
    save_file(weights, folder / WEIGHTS, metadata={"format": "pt"})


def pickled(folder):
    torch.save(load_file(folder / WEIGHTS), folder / "pytorch_model.bin")
    (folder / WEIGHTS).unlink()


def without_vocabulary(folder):
    for file in folder.glob("token*"):
        file.unlink()


def with_too_few_rows(folder):
    change(folder, vocab_size=50)
    keep_rows(folder, "embeddings.word_embeddings.weight", 50)


def with_few_positions(folder):
    change(folder, max_position_embeddings=6)
    keep_rows(folder, "embeddings.position_embeddings.weight", 6)


def with_code(folder):
    change(folder, model_type="own", auto_map={"AutoConfig": "own.Config", "AutoModel": "own.Model"})
    (folder / "own.py").write_text("raise SystemExit('it ran')\n", encoding="utf-8")


def with_numbers_that_are_none(folder):
    weights = load_file(folder / WEIGHTS)
    weights["encoder.layer.0.output.dense.weight"][0, 0] = float("nan")
    save_file(weights, folder / WEIGHTS, metadata={"format": "pt"})


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (pickled, "has its weights in pytorch_model.bin alone, and such a file may run code"),
        (without_vocabulary, "knows no words: its vocabulary .* is missing"),
        (with_too_few_rows, "has 50 embeddings, its tokenizer 1[0-9][0-9] words: they do not belong together"),
        (with_few_positions, "reads at most 6 sub-words: expected at least 8"),
        (with_code, "comes with code of its own, .* give --trust-remote-code"),
        (with_numbers_that_are_none, "the loss of step 0 is nan .* look for such numbers in the model's weights"),
        (lambda folder: change(folder, num_attention_heads=5), "cannot load the configuration .* not a multiple"),
        (lambda folder: (folder / "config.json").write_text("[]", encoding="utf-8"), "cannot load the"),
        (lambda folder: (folder / "config.json").unlink(), "is not the folder of a model: it holds no config.json"),
        (lambda folder: (folder / WEIGHTS).unlink(), "cannot load the model of .* no file named model.safetensors"),
    ],
)
def test_a_spoilt_model_is_refused_in_one_line_and_leaves_nothing(
    tmp_path, number_task, number_splits, encoder, spoil, message
):
    shutil.copytree(encoder, tmp_path / "model")
    spoil(tmp_path / "model")
    with pytest.raises(EuroglueError, match=message) as caught:
        train(number_task, str(tmp_path / "model"), tmp_path / "run", splits=number_splits, epochs=1)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "run").exists()


def test_a_file_is_no_model(tmp_path, number_task, number_splits):
    (tmp_path / "model").write_text("", encoding="utf-8")
    with pytest.raises(EuroglueError, match="model is a file: name the folder of a model"):
        train(number_task, str(tmp_path / "model"), tmp_path / "run", splits=number_splits)


def test_weights_in_parts_are_read_and_one_that_is_missing_is_told(tmp_path, number_task, number_splits, encoder):
    from transformers import BertModel

    model = tmp_path / "model"
    BertModel.from_pretrained(encoder, add_pooling_layer=False).save_pretrained(model, max_shard_size="40KB")
    load_tokenizer(str(encoder)).save_pretrained(model)
    parts = sorted(model.glob("model-*.safetensors"))
    assert len(parts) > 1
    for name, source in (("whole", encoder), ("parts", model)):
        train(number_task, str(source), tmp_path / name, splits=number_splits, max_steps=2)
    found = [(tmp_path / name / "predictions/test.jsonl").read_text("utf-8") for name in ("whole", "parts")]
    assert found[0] == found[1]
    parts[0].unlink()
    with pytest.raises(EuroglueError, match="cannot load the model of .*model-00001"):
        train(number_task, str(model), tmp_path / "again", splits=number_splits)


def test_a_folder_that_was_there_stays_when_a_model_is_refused(tmp_path, number_task, number_splits):
    (tmp_path / "run").mkdir()
    with pytest.raises(EuroglueError, match="cannot load"):
        train(number_task, str(tmp_path / "nowhere"), tmp_path / "run", splits=number_splits)
    assert list((tmp_path / "run").iterdir()) == []


@pytest.mark.parametrize("padding", [True, False])
def test_a_decoder_learns_where_texts_end_by_the_padding_of_its_tokenizer(
    tmp_path, number_task, number_splits, encoder, padding
):
    from transformers import GPT2Config, GPT2Model

    tokenizer = load_tokenizer(str(encoder))
    if not padding:
        tokenizer.pad_token = None
    small = {"n_embd": 32, "n_layer": 1, "n_head": 2, "n_positions": 64}
    GPT2Model(GPT2Config(vocab_size=len(tokenizer), **small)).save_pretrained(tmp_path / "model")
    tokenizer.save_pretrained(tmp_path / "model")
    if padding:
        assert train(number_task, str(tmp_path / "model"), tmp_path / "run", splits=number_splits, max_steps=2)
        return
    with pytest.raises(EuroglueError, match="neither .*model nor its tokenizer names a padding token"):
        train(number_task, str(tmp_path / "model"), tmp_path / "run", splits=number_splits, max_steps=2)


def test_the_folder_of_a_run_is_not_its_model(tmp_path, number_task, number_splits, encoder):
    train(number_task, str(encoder), tmp_path / "run", splits=number_splits, max_steps=2)
    with pytest.raises(EuroglueError, match="is the folder of a run: its model is .*run/best"):
        train(number_task, str(tmp_path / "run"), tmp_path / "again", splits=number_splits)
