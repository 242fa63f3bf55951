# SPDX-License-Identifier: Apache-2.0
"""Every kind of task over every family of encoders."""

from __future__ import annotations

import math
import shutil

import numpy as np
import pytest
import torch
from accelerate import Accelerator

from euroglue.errors import EuroglueError
from euroglue.prepare import prepare
from euroglue.prepare.leakage import texts_of
from euroglue.registry import find_task
from euroglue.task import Kind
from euroglue.training import train
from euroglue.training.data import columns, load_splits
from euroglue.training.models import add_tokens, dropout_rates, load, load_tokenizer, longest_input
from euroglue.training.predict import feature_outputs
from tests.training.families import FAMILIES, POSITIONS, build

TASKS = {
    Kind.TOKEN_CLASSIFICATION: ("bgglue", "wikiannbg"),
    Kind.SEQUENCE_CLASSIFICATION: ("bgglue", "xnlibg"),
    Kind.REGRESSION: ("bgglue", "cinexio"),
    Kind.RANKING: ("bgglue", "ct21t1"),
    Kind.MULTIPLE_CHOICE: ("bgglue", "examsbg"),
    Kind.SPAN_CLASSIFICATION: ("dumb", "wicnl"),
    Kind.QUESTION_ANSWERING: ("dumb", "squadnl"),
}


@pytest.fixture(scope="module")
def texts():
    made = [prepare(find_task(*names), "sample") for names in TASKS.values()]
    return [text for one in made for text in texts_of(one.task, one.table("train"))]


@pytest.fixture(scope="module", params=FAMILIES)
def folder(request, texts, tmp_path_factory):
    return build(request.param, texts, tmp_path_factory.mktemp("families") / request.param)


def some(task, count=6):
    rows = columns(task, load_splits(task, "sample")["train"])
    return {name: values[:count] for name, values in rows.items()}


def loaded(task, model, trained=False):
    return load(Accelerator(cpu=True), task, str(model), trained=trained, max_length=512, stride=16)


@pytest.mark.parametrize("kind", list(Kind), ids=lambda kind: kind.value)
def test_every_kind_learns_predicts_and_loads_again_on_every_family(tmp_path, folder, kind):
    task = find_task(*TASKS[kind])
    torch.manual_seed(0)
    tokenizer, kind, model = loaded(task, folder)
    rows = some(task)
    features = kind.encode(rows)
    assert max(len(feature.input_ids) for feature in features) <= POSITIONS * 4
    learnt = [feature for feature in features if feature.weight]
    output = kind.run(model, kind.collate(learnt))
    assert math.isfinite(float(output.loss.detach())) and len(output.logits) == len(learnt)
    output.loss.backward()
    unmoved = [name for name, one in model.named_parameters() if one.grad is None]
    assert not [name for name in unmoved if "layer" in name or "classifier" in name or "qa_outputs" in name], unmoved
    outputs = feature_outputs(Accelerator(cpu=True), model, kind, features, batch_size=4)
    found = kind.decode(outputs.logits, features)
    assert list(found) == list(map(str, rows[task.id_column]))
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    _, same, again = loaded(task, tmp_path, trained=True)
    repeated = feature_outputs(Accelerator(cpu=True), again, same, same.encode(rows), batch_size=4)
    for one, other in zip(outputs.logits, repeated.logits, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def test_texts_longer_than_the_position_table_are_cut_or_windowed(folder):
    task = find_task("bgglue", "cinexio")
    tokenizer, kind, model = loaded(task, folder)
    limit = longest_input(str(folder), tokenizer)
    offset = POSITIONS - limit
    assert offset == (2 if "roberta" in folder.name else 0), "RoBERTa's table begins after its padding"
    (feature,) = kind.encode({"id": ["a"], "ID": ["a"], "Comment": ["филм " * 300], "label": [1.0]})
    assert len(feature.input_ids) == limit
    assert torch.isfinite(kind.run(model, kind.collate([feature])).logits.detach()).all()


def test_words_that_a_task_names_are_kept_whole_and_get_rows_of_their_own(tmp_path, folder):
    task = find_task("dumb", "dalc")
    before = len(load_tokenizer(str(folder)))
    tokenizer, kind, model = loaded(task, folder)
    assert len(tokenizer) == before + 2 <= model.get_input_embeddings().num_embeddings
    pieces = tokenizer.tokenize("@USER kijk op URL , niet CURL of @user")
    assert [pieces.count(token) for token in task.extra_tokens] == [1, 1]
    assert add_tokens(tokenizer, task.extra_tokens) == 0
    features = kind.encode({"id": ["a"], "text": ["@USER URL"], "label": [0]})
    assert set(tokenizer.convert_tokens_to_ids(list(task.extra_tokens))) <= set(features[0].input_ids)
    assert math.isfinite(float(kind.run(model, kind.collate(features)).loss.detach()))
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    again, _, trained = loaded(task, tmp_path, trained=True)
    assert len(again) == len(tokenizer) and trained.get_input_embeddings().num_embeddings >= len(again)


def test_types_of_texts_go_only_to_encoders_that_know_them(tmp_path, folder):
    shutil.copytree(folder, tmp_path / "m")
    tokenizer = load_tokenizer(str(folder))
    tokenizer.model_input_names = ["input_ids", "token_type_ids", "attention_mask"]
    tokenizer.save_pretrained(tmp_path / "m")
    for kind in (Kind.SEQUENCE_CLASSIFICATION, Kind.QUESTION_ANSWERING, Kind.SPAN_CLASSIFICATION, Kind.MULTIPLE_CHOICE):
        task = find_task(*TASKS[kind])
        _, made, model = loaded(task, tmp_path / "m")
        batch = made.collate(made.encode(some(task, 2)))
        assert ("token_type_ids" in batch) is (folder.name in ("bert", "deberta", "deberta-v2"))
        assert math.isfinite(float(made.run(model, batch).loss.detach()))


def test_a_trained_model_s_tokenizer_is_left_as_it_is(tmp_path, folder):
    task = find_task("dumb", "dalc")
    _, kind, _ = loaded(task, folder)
    kind.head(str(folder), trained=False, trust_remote_code=False).save_pretrained(tmp_path)
    load_tokenizer(str(folder)).save_pretrained(tmp_path)
    assert len(loaded(task, tmp_path, trained=True).tokenizer) == len(load_tokenizer(str(folder)))


def test_dropout_is_set_whatever_the_family_calls_it(folder):
    rates = dropout_rates(str(folder), 0.25)
    assert rates and set(rates.values()) == {0.25}
    task = find_task("bgglue", "cinexio")
    model = load(Accelerator(cpu=True), task, str(folder), trained=False, max_length=64, stride=0, dropout=0.25).model
    found = {module.p for module in model.modules() if isinstance(module, torch.nn.Dropout)}
    assert found == {0.25}


def test_a_model_without_such_a_head_is_refused_in_one_line(tmp_path, texts):
    from transformers import ViTConfig, ViTModel

    build("bert", texts, tmp_path / "m")
    ViTModel(
        ViTConfig(hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16)
    ).save_pretrained(tmp_path / "m")
    with pytest.raises(
        EuroglueError, match="a model of the family 'vit', for which Transformers has no head"
    ) as caught:
        train(find_task("bgglue", "cinexio"), str(tmp_path / "m"), tmp_path / "run", edition="sample")
    assert "\n" not in str(caught.value)
