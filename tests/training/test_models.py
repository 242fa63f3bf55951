# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest
from safetensors.torch import load_file, save_file
from transformers import AutoModelForSequenceClassification, AutoModelForTokenClassification

from euroglue.errors import EuroglueError
from euroglue.training import train
from euroglue.training.models import load_model, load_tokenizer, longest_input
from euroglue.training.tiny import build_tiny_encoder

TEXTS = ["мама мие рамата", "рамата е мита"] * 3


def test_a_model_that_is_not_there_gives_one_line(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    for name in (str(tmp_path / "nowhere"), "nobody/nothing-of-this-name"):
        with pytest.raises(EuroglueError, match="cannot load the tokenizer") as caught:
            load_tokenizer(name)
        assert "\n" not in str(caught.value)


def test_an_encoder_with_weights_missing_is_refused(tmp_path, encoder):
    shutil.copytree(encoder, tmp_path / "torn")
    weights = load_file(encoder / "model.safetensors")
    kept = {name: tensor for name, tensor in weights.items() if "layer.1.attention" not in name}
    save_file(kept, tmp_path / "torn/model.safetensors", metadata={"format": "pt"})
    with pytest.raises(EuroglueError, match=r"lacks \d+ weights of its encoder"):
        load_model(AutoModelForTokenClassification, str(tmp_path / "torn"), trained=False)


def test_a_fresh_head_and_pooler_are_no_fault(encoder):
    model = load_model(AutoModelForSequenceClassification, str(encoder), trained=False, num_labels=1)
    assert model.num_labels == 1


def test_a_slow_tokenizer_is_refused_by_name(monkeypatch, encoder):
    import transformers

    class SlowTokenizer:
        is_fast = False

    monkeypatch.setattr(transformers.AutoTokenizer, "from_pretrained", lambda *args, **kwargs: SlowTokenizer())
    with pytest.raises(EuroglueError, match=r"\(SlowTokenizer\) is a slow one"):
        load_tokenizer(str(encoder))


def test_the_longest_input_is_what_tokenizer_and_positions_allow(tmp_path):
    folder = build_tiny_encoder(["а б в"], tmp_path / "short", hidden=16, layers=1, max_length=40)
    assert longest_input(str(folder), load_tokenizer(str(folder))) == 40


@pytest.mark.parametrize("family", ["DistilBert", "XLMRoberta", "DebertaV2", "ModernBert"])
def test_encoders_of_other_families_are_trained_and_predict(
    tmp_path, family, encoder, token_task, token_splits, number_task, number_splits
):
    import transformers

    tokenizer = load_tokenizer(str(encoder))
    config = getattr(transformers, f"{family}Config")(
        vocab_size=len(tokenizer), pad_token_id=tokenizer.pad_token_id, max_position_embeddings=80,
        hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64,
    ) if family != "DistilBert" else transformers.DistilBertConfig(
        vocab_size=len(tokenizer), dim=32, n_layers=1, n_heads=2, hidden_dim=64, max_position_embeddings=80
    )  # fmt: skip
    getattr(transformers, f"{family}Model")(config).save_pretrained(tmp_path / "model")
    tokenizer.save_pretrained(tmp_path / "model")
    for task, splits in ((token_task, token_splits), (number_task, number_splits)):
        metrics = train(task, str(tmp_path / "model"), tmp_path / task.name, splits=splits, epochs=1)
        assert metrics["splits"]["validation"]["n"] == len(splits["validation"])


def test_the_tiny_encoder_is_the_same_in_every_process(tmp_path):
    code = (
        "import sys; from euroglue.training.tiny import build_tiny_encoder as build; "
        f"build({TEXTS!r}, sys.argv[1], vocab_size=60, hidden=16)"
    )
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "1")], check=True, env=environment)
    build_tiny_encoder(TEXTS, tmp_path / "2", vocab_size=60, hidden=16)
    for name in ("model.safetensors", "tokenizer.json", "config.json"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes(), name


def test_the_tiny_tokenizer_keeps_case_and_accents(encoder):
    tokenizer = load_tokenizer(str(encoder))
    assert tokenizer.tokenize("Иван") != tokenizer.tokenize("иван")
    assert tokenizer.tokenize("Русе\u0301") != tokenizer.tokenize("Русе")
    assert tokenizer.decode(tokenizer("Иван живее")["input_ids"], skip_special_tokens=True) == "Иван живее"
