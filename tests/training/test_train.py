# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import shutil

import pytest
import torch

from euroglue.errors import ContractError, EuroglueError
from euroglue.predictions import read_predictions
from euroglue.task import Kind
from euroglue.training import predict, train
from euroglue.training.kinds.regression import Regression
from euroglue.training.kinds.token_classification import TokenClassification
from tests.training.made_tasks import make_task

QUICK = {"epochs": 2, "seed": 5}


def lines(folder, split="test"):
    return (folder / "predictions" / f"{split}.jsonl").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def token_run(tmp_path_factory, token_task, token_splits, encoder):
    folder = tmp_path_factory.mktemp("runs") / "names"
    return folder, train(token_task, str(encoder), folder, splits=token_splits)


def test_names_are_learnt(token_run):
    _, metrics = token_run
    assert metrics["splits"]["validation"]["scores"]["f1"] > 0.9


def test_numbers_are_learnt(tmp_path, number_task, number_splits, encoder):
    metrics = train(number_task, str(encoder), tmp_path / "run", splits=number_splits, epochs=6)
    assert metrics["splits"]["validation"]["scores"]["pearson"] > 0.8


def test_where_less_is_better_the_least_is_kept_in_the_units_of_the_labels(tmp_path, number_splits, encoder):
    task = make_task(Kind.REGRESSION, metric="mae")
    metrics = train(task, str(encoder), tmp_path / "run", splits=number_splits, epochs=6)
    log = [json.loads(line) for line in (tmp_path / "run/log.jsonl").read_text(encoding="utf-8").splitlines()]
    errors = [entry["validation"]["mae"] for entry in log if "validation" in entry]
    predicted = read_predictions(tmp_path / "run/predictions/validation.jsonl", task)
    error = [abs(predicted[row["id"]] - row["label"]) for row in number_splits["validation"]]
    assert metrics["splits"]["validation"]["scores"]["mae"] == pytest.approx(sum(error) / len(error))
    assert min(errors) == pytest.approx(sum(error) / len(error))
    assert min(errors) < 0.9, "stars from 0 to 5"
    assert len(set(errors)) > 1


@pytest.mark.issue("transformers#18050")
def test_every_test_word_gets_a_label(token_run, token_task, token_splits):
    folder, metrics = token_run
    predicted = read_predictions(folder / "predictions/test.jsonl", token_task)
    assert list(predicted) == list(token_splits["test"]["id"])
    assert [len(tags) for tags in predicted.values()] == [len(words) for words in token_splits["test"]["tokens"]]
    assert {tag for tags in predicted.values() for tag in tags} <= set(token_task.labels)
    assert "test" not in metrics["splits"], "hidden labels are not scored"


def test_the_folder_holds_the_run(token_run, token_task):
    folder, metrics = token_run
    names = {path.name for path in folder.iterdir()}
    assert names == {"best", "config.json", "environment.json", "log.jsonl", "metrics.json", "predictions"}
    assert json.loads((folder / "metrics.json").read_text(encoding="utf-8")) == metrics
    assert metrics["splits"]["validation"]["signature"].startswith("metric:entity_f1|task:made/names")
    assert {"model.safetensors", "tokenizer.json", "config.json"} <= {path.name for path in (folder / "best").iterdir()}
    log = [json.loads(line) for line in (folder / "log.jsonl").read_text(encoding="utf-8").splitlines()]
    scores = {entry["epoch"]: entry["validation"]["f1"] for entry in log if "validation" in entry}
    assert metrics["best"]["epoch"] == max(scores, key=scores.get)
    assert metrics["splits"]["validation"]["scores"]["f1"] == max(scores.values())


def test_the_best_checkpoint_loads_elsewhere_and_names_the_labels(token_run, token_task):
    from transformers import AutoModelForTokenClassification

    model = AutoModelForTokenClassification.from_pretrained(token_run[0] / "best")
    assert tuple(model.config.id2label.values()) == token_task.labels


def test_a_finished_run_is_not_repeated_and_another_is_refused(token_run, token_task, token_splits, encoder):
    folder, metrics = token_run
    stamp = (folder / "best/model.safetensors").stat().st_mtime_ns
    assert train(token_task, str(encoder), folder, splits=token_splits) == metrics
    assert (folder / "best/model.safetensors").stat().st_mtime_ns == stamp
    with pytest.raises(EuroglueError, match="learning_rate is 0.003 there and 0.001 here"):
        train(token_task, str(encoder), folder, splits=token_splits, learning_rate=1e-3)
    changed = {**token_splits, "train": token_splits["train"].select(range(100))}
    with pytest.raises(EuroglueError, match="belongs to another run: data is"):
        train(token_task, str(encoder), folder, splits=changed)
    with pytest.raises(EuroglueError, match="holds a training run"):
        predict(token_task, folder / "best", folder, splits=token_splits)


def test_predicting_alone_gives_the_run_s_own_predictions(token_run, token_task, token_splits, tmp_path):
    folder, metrics = token_run
    again = predict(token_task, folder / "best", tmp_path / "again", splits=token_splits)
    assert lines(tmp_path / "again") == lines(folder)
    assert again["splits"] == metrics["splits"]


@pytest.mark.parametrize("kind", ["names", "stars"])
@pytest.mark.parametrize("killed_at", [3, 14, 19])
def test_a_killed_run_ends_as_if_it_had_not_been_killed(tmp_path, monkeypatch, request, encoder, kind, killed_at):
    names = kind == "names"
    task = request.getfixturevalue("token_task" if names else "number_task")
    splits = request.getfixturevalue("token_splits" if names else "number_splits")
    settings = {**QUICK, "splits": splits, "save_steps": 4}
    whole = train(task, str(encoder), tmp_path / "whole", **settings)
    kind_class = TokenClassification if names else Regression
    collate, calls = kind_class.collate, []

    def killing(self, features):
        calls.append(1)
        if len(calls) > killed_at:
            raise KeyboardInterrupt
        return collate(self, features)

    monkeypatch.setattr(kind_class, "collate", killing)
    with pytest.raises(KeyboardInterrupt):
        train(task, str(encoder), tmp_path / "killed", **settings)
    monkeypatch.setattr(kind_class, "collate", collate)
    killed = train(task, str(encoder), tmp_path / "killed", **settings)
    assert killed == whole
    for split in ("validation", "test"):
        assert lines(tmp_path / "killed", split) == lines(tmp_path / "whole", split)
    steps = [json.loads(line)["step"] for line in (tmp_path / "killed/log.jsonl").read_text("utf-8").splitlines()]
    assert steps == sorted(steps)


def test_the_seed_decides_the_run(tmp_path, number_task, number_splits, encoder):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        train(number_task, str(encoder), tmp_path / name, splits=number_splits, epochs=1, seed=seed)
    assert lines(tmp_path / "a") == lines(tmp_path / "b") != lines(tmp_path / "c")


@pytest.mark.issue("EuroEval#v1.3.5")
@pytest.mark.issue("accelerate#435")
@pytest.mark.issue("accelerate#616")
@pytest.mark.parametrize("kind", ["names", "stars"])
def test_accumulation_changes_neither_the_steps_nor_the_gradient(tmp_path, request, monkeypatch, encoder, kind):
    names = kind == "names"
    task = request.getfixturevalue("token_task" if names else "number_task")
    splits = request.getfixturevalue("token_splits" if names else "number_splits")
    from transformers import AutoModel, AutoTokenizer

    still = AutoModel.from_pretrained(encoder, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    still.save_pretrained(tmp_path / "still")
    AutoTokenizer.from_pretrained(encoder).save_pretrained(tmp_path / "still")
    losses = {}
    for parts in (1, 3, 16):
        folder = tmp_path / str(parts)
        settings = {**QUICK, "splits": splits, "learning_rate": 1e-4, "gradient_accumulation": parts}
        train(task, str(tmp_path / "still"), folder, **settings)
        entries = [json.loads(line) for line in (folder / "log.jsonl").read_text(encoding="utf-8").splitlines()]
        losses[parts] = [(entry["step"], entry["loss"], entry["learning_rate"]) for entry in entries if "loss" in entry]
    for parts in (3, 16):
        assert [entry[0] for entry in losses[parts]] == [entry[0] for entry in losses[1]] == [10, 10, 20, 20][1::2]
        for one, other in zip(losses[1], losses[parts]):
            assert other == pytest.approx(one, rel=1e-3)


def test_a_loss_that_is_no_number_stops_the_run_and_says_where(
    tmp_path, number_task, number_splits, encoder, monkeypatch
):
    from transformers import BertForSequenceClassification

    forward, calls = BertForSequenceClassification.forward, []

    def poisoned(self, **inputs):
        output = forward(self, **inputs)
        calls.append(1)
        if len(calls) == 6:
            output.loss = output.loss * float("nan")
        return output

    monkeypatch.setattr(BertForSequenceClassification, "forward", poisoned)
    with pytest.raises(EuroglueError, match=r"loss of step 5 is nan \(learning rate .*mixed precision 'no'\)"):
        train(number_task, str(encoder), tmp_path / "run", splits=number_splits)


def test_outputs_that_are_no_numbers_are_refused(tmp_path, token_run, token_task, token_splits, monkeypatch):
    from transformers import BertForTokenClassification

    forward = BertForTokenClassification.forward

    def poisoned(self, **inputs):
        output = forward(self, **inputs)
        output.logits = output.logits * float("inf")
        return output

    monkeypatch.setattr(BertForTokenClassification, "forward", poisoned)
    with pytest.raises(EuroglueError, match="outputs are not finite"):
        predict(token_task, token_run[0] / "best", tmp_path, splits=token_splits)


def test_bfloat16_trains_on_this_machine(tmp_path, number_task, number_splits, encoder):
    metrics = train(number_task, str(encoder), tmp_path / "run", splits=number_splits, epochs=6, mixed_precision="bf16")
    assert metrics["splits"]["validation"]["scores"]["pearson"] > 0.7
    assert json.loads((tmp_path / "run/config.json").read_text(encoding="utf-8"))["mixed_precision"] == "bf16"


def test_weights_in_sixteen_bits_are_trained_in_thirty_two(tmp_path, number_task, number_splits, encoder):
    from transformers import AutoModel, AutoTokenizer

    AutoModel.from_pretrained(encoder, dtype=torch.float16).save_pretrained(tmp_path / "half")
    AutoTokenizer.from_pretrained(encoder).save_pretrained(tmp_path / "half")
    metrics = train(number_task, str(tmp_path / "half"), tmp_path / "run", splits=number_splits, epochs=6)
    assert metrics["splits"]["validation"]["scores"]["pearson"] > 0.8


def test_a_limit_takes_the_same_examples_whatever_the_seed(tmp_path, number_task, number_splits, encoder):
    limit = {"train": 32, "validation": 10, "test": 4}
    for seed in (1, 2):
        train(number_task, str(encoder), tmp_path / str(seed), splits=number_splits, epochs=1, seed=seed, limit=limit)
    data = [json.loads((tmp_path / name / "config.json").read_text(encoding="utf-8"))["data"] for name in "12"]
    assert data[0] == data[1]
    assert len(lines(tmp_path / "1").splitlines()) == 4


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda s: {"train": s["train"]}, EuroglueError, "split 'validation' is missing"),
        (lambda s: {**s, "train": s["test"]}, EuroglueError, "nothing to train on"),
        (lambda s: {**s, "validation": s["test"]}, EuroglueError, "nothing to choose a checkpoint by"),
        (lambda s: {**s, "train": s["train"].remove_columns("text")}, ContractError, "no column 'text'"),
        (lambda s: {**s, "train": s["train"].select([0, 0])}, ContractError, "train-0 occur more than once"),
    ],
)
def test_data_that_cannot_be_trained_on_is_refused(
    tmp_path, number_task, number_splits, encoder, change, error, message
):
    with pytest.raises(error, match=message):
        train(number_task, str(encoder), tmp_path / "run", splits=change(number_splits))


def test_labels_that_the_task_has_not_are_refused(tmp_path, token_task, token_splits, encoder):
    foreign = token_splits["train"].map(lambda row: {"ner_tags": [9] * len(row["tokens"])})
    with pytest.raises(ContractError, match="example train-0: expected ner_tags from 0 to 4, got 9"):
        train(token_task, str(encoder), tmp_path / "run", splits={**token_splits, "train": foreign})
    assert not (tmp_path / "run").exists()


def test_a_batch_too_small_to_share_is_refused(tmp_path, number_task, number_splits, encoder):
    with pytest.raises(EuroglueError, match="cannot be shared by 1 processes in 8 steps: give at least 8"):
        train(number_task, str(encoder), tmp_path / "run", splits=number_splits, batch_size=4, gradient_accumulation=8)


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("euroglue.json", b'{"task":', "euroglue.json is damaged"),
        ("euroglue.json", b"{}", "euroglue.json is damaged"),
        ("euroglue.json", b"[]", "euroglue.json is damaged"),
        ("euroglue.json", b'{"task": "made/names", "labels": [], "max_length": "8"}', "euroglue.json is damaged"),
        ("euroglue.json", b'{"task": "made/names", "labels": [], "tuned": [1]}', "euroglue.json is damaged"),
        ("model.safetensors", b"\x08\x00", "cannot load the model of"),
        ("config.json", b"{", "cannot load the tokenizer of"),
        ("tokenizer.json", b"{", "cannot load the tokenizer of"),
    ],
)
def test_a_damaged_checkpoint_is_a_mistake_told_in_a_line(
    tmp_path, token_run, token_task, token_splits, file, content, message
):
    shutil.copytree(token_run[0] / "best", tmp_path / "best")
    (tmp_path / "best" / file).write_bytes(content)
    with pytest.raises(EuroglueError, match=message):
        predict(token_task, tmp_path / "best", tmp_path / "out", splits=token_splits)


def test_the_state_is_saved_every_so_many_steps_or_refused(tmp_path, number_task, number_splits, encoder):
    with pytest.raises(EuroglueError, match="save steps: expected at least 1, or nothing, got 0"):
        train(number_task, str(encoder), tmp_path / "run", splits=number_splits, save_steps=0)
    assert not (tmp_path / "run").exists()


def test_a_checkpoint_of_another_task_or_without_a_head_is_refused(
    tmp_path, token_run, number_task, number_splits, token_task, token_splits, encoder
):
    with pytest.raises(EuroglueError, match="was trained for another task: its task is made/names, not made/stars"):
        predict(number_task, token_run[0] / "best", tmp_path / "out", splits=number_splits)
    with pytest.raises(EuroglueError, match="holds no trained head"):
        predict(token_task, encoder, tmp_path / "out", splits=token_splits)
    assert not (tmp_path / "out").exists()


def test_a_checkpoint_whose_labels_stand_in_another_order_is_refused(tmp_path, token_run, token_task, token_splits):
    shutil.copytree(token_run[0] / "best", tmp_path / "best")
    (tmp_path / "best/euroglue.json").unlink()
    config = json.loads((tmp_path / "best/config.json").read_text(encoding="utf-8"))
    turned = {"0": "b-per", "1": "O", "2": "I-PER", "3": "B-LOC", "4": "I-LOC"}
    config |= {"id2label": turned, "label2id": {name: int(place) for place, name in turned.items()}}
    (tmp_path / "best/config.json").write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(EuroglueError, match="are b-per, O, .* the labels of made/names O, B-PER, .* read wrongly"):
        predict(token_task, tmp_path / "best", tmp_path / "out", splits=token_splits)


def test_numbers_of_a_checkpoint_from_elsewhere_have_no_known_scale(tmp_path, number_task, number_splits, encoder):
    train(number_task, str(encoder), tmp_path / "run", splits=number_splits, max_steps=2)
    (tmp_path / "run/best/euroglue.json").unlink()
    with pytest.raises(EuroglueError, match="has no euroglue.json, which says what its outputs mean"):
        predict(number_task, tmp_path / "run/best", tmp_path / "out", splits=number_splits)
    assert not (tmp_path / "out").exists()


def test_what_a_checkpoint_on_the_hub_says_of_itself_is_read(tmp_path, monkeypatch, token_task):
    import huggingface_hub
    from huggingface_hub.errors import EntryNotFoundError, LocalEntryNotFoundError, OfflineModeIsEnabled

    from euroglue.training.predict import checkpoint_record

    held = {"task": token_task.path, "labels": list(token_task.labels), "max_length": 9, "tuned": {"threshold": 0.5}}
    (tmp_path / "euroglue.json").write_text(json.dumps(held), encoding="utf-8")
    monkeypatch.setattr(huggingface_hub, "hf_hub_download", lambda *names: str(tmp_path / names[1]))
    assert checkpoint_record(token_task, "me/trained") == held

    def failing(error):
        def fail(*names):
            raise error

        monkeypatch.setattr(huggingface_hub, "hf_hub_download", fail)

    failing(EntryNotFoundError("404"))
    assert checkpoint_record(token_task, "me/trained") == {}
    failing(OfflineModeIsEnabled("offline"))
    with pytest.raises(EuroglueError, match="cannot ask the Hub for euroglue.json of me/trained: offline"):
        checkpoint_record(token_task, "me/trained")
    failing(LocalEntryNotFoundError("not in the cache"))
    with pytest.raises(EuroglueError, match="cannot ask the Hub for euroglue.json of me/trained: not in the cache"):
        checkpoint_record(token_task, "me/trained")
    monkeypatch.setattr(huggingface_hub, "try_to_load_from_cache", lambda *names: huggingface_hub._CACHED_NO_EXIST)
    assert checkpoint_record(token_task, "me/trained") == {}, "asked before: it has none"
