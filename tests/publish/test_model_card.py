# SPDX-License-Identifier: Apache-2.0
"""The card of a fine-tuned model: what the Hub reads from it is what the run scored."""

from __future__ import annotations

import json
import re

import pytest
import yaml
from huggingface_hub import ModelCard

from euroglue.cli import main
from euroglue.errors import EuroglueError, FormatError
from euroglue.publish.model_card import model_card, write_model_card

DATA = "d" * 64
VALIDATION = {"pearson_spearman": 0.71234567, "pearson": 0.72, "spearman": 0.70469134}
METRICS = {
    "task": "bgglue/cinexio",
    "edition": "rebuilt",
    "model": "intfloat/multilingual-e5-small",
    "splits": {
        split: {
            "primary": "pearson_spearman",
            "scores": scores,
            "n": n,
            "signature": f"metric:pearson_spearman|n:{n}|data:{DATA}",
            "warnings": [],
        }
        for split, scores, n in (("validation", VALIDATION, 100), ("test", {**VALIDATION, "pearson": 0.5}, 90))
    },
}
CONFIG = {"task": "bgglue/cinexio", "seed": 3, "learning_rate": 2e-5, "epochs": 5, "max_steps": None, "data": {}}
ENVIRONMENT = {"device": "cpu", "processes": 2, "libraries": {"torch": "2.13.0", "transformers": "5.24.0"}}


@pytest.fixture
def run(tmp_path):
    folder = tmp_path / "run"
    (folder / "best").mkdir(parents=True)
    for name, value in (("metrics", METRICS), ("config", CONFIG), ("environment", ENVIRONMENT)):
        (folder / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")
    return folder


def test_the_hub_reads_back_every_score_with_its_split_and_signature(run):
    path = write_model_card(run)
    assert path == run / "best/README.md"
    card = ModelCard.load(path)
    assert card.data.base_model == METRICS["model"] and card.data.language == "bg"
    assert (card.data.library_name, card.data.pipeline_tag) == ("transformers", "text-classification")
    read = {(one.dataset_split, one.metric_type): one for one in card.data.eval_results}
    expected = {
        (split, key): score for split, found in METRICS["splits"].items() for key, score in found["scores"].items()
    }
    assert {key: one.metric_value for key, one in read.items()} == expected
    for (split, _), one in read.items():
        assert (one.dataset_type, one.dataset_config, one.task_type) == ("bgglue", "cinexio", "text-classification")
        assert one.metric_args == {"signature": METRICS["splits"][split]["signature"]}
        assert one.dataset_args == {"edition": "rebuilt", "fingerprint": DATA}


def test_the_header_is_plain_yaml_with_one_model_index(run):
    _, header, body = model_card(run, name="my model: #1 \u2013 \u0432\u0442\u043e\u0440\u0438").split("---\n", 2)
    plain = yaml.safe_load(header)
    (index,) = plain["model-index"]
    assert index["name"] == "my model: #1 \u2013 \u0432\u0442\u043e\u0440\u0438"
    (first, *_) = index["results"][0]["metrics"]
    assert first["type"] == "pearson_spearman", "the Hub shows the first"
    assert "| validation | pearson | 0.7200 | 100 |" in body and "| learning_rate | 2e-05 |" in body
    assert "max_steps" not in body and "torch 2.13.0" in body and "2 process(es)" in body


@pytest.mark.parametrize("model", ["/home/me/models/e5", "e5-small", "a/b/c"])
def test_a_folder_is_no_base_model_on_the_hub(run, model):
    (run / "metrics.json").write_text(json.dumps({**METRICS, "model": model}), encoding="utf-8")
    text = model_card(run)
    assert "base_model" not in yaml.safe_load(text.split("---\n", 2)[1])
    assert "/home/me" not in text, "no path of this machine is published"


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda run: (run / "metrics.json").unlink(), EuroglueError, "folder of a finished run"),
        (
            lambda run: (run / "metrics.json").write_text(json.dumps({**METRICS, "splits": {}}), encoding="utf-8"),
            EuroglueError,
            "has no scores to show",
        ),
        (lambda run: (run / "metrics.json").write_text("{", encoding="utf-8"), FormatError, "expected JSON"),
        (lambda run: (run / "best").rmdir(), EuroglueError, "there is no model"),
    ],
)
def test_a_run_without_results_or_model_gets_no_card(run, change, error, message):
    change(run)
    with pytest.raises(error, match=message):
        write_model_card(run)


HOSTILE = "<script>x</script>|`\n# taken over"


@pytest.mark.parametrize(
    ("file", "change"),
    [
        ("metrics", lambda held: held.update(model=f"/models/{HOSTILE}".replace("\n", ""))),
        ("metrics", lambda held: held["splits"]["test"]["scores"].update({HOSTILE: 0.5})),
        ("config", lambda held: held.update(optimizer=HOSTILE)),
        ("environment", lambda held: held.update(device=HOSTILE)),
    ],
)
def test_what_a_run_s_folder_says_is_text_and_no_markup(run, file, change):
    held = json.loads((run / f"{file}.json").read_text(encoding="utf-8"))
    change(held)
    (run / f"{file}.json").write_text(json.dumps(held), encoding="utf-8")
    body = ModelCard.load(write_model_card(run)).text
    assert "\n# taken" not in body and sum(line.startswith("# ") for line in body.splitlines()) == 1
    plain = re.sub(r"`[^`]*`", "", body.replace("\\`", ""))
    assert "<script>" not in plain and "script" in body
    assert all(line.count("|") - line.count("\\|") in (0, 3, 5) for line in body.splitlines() if line.startswith("|"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda test: test.update(n="many"), "n: expected a whole number"),
        (lambda test: test["scores"].update(pearson="high"), "score pearson: expected a finite number"),
        (lambda test: test.update(signature="a`\n# b"), "signature"),
    ],
)
def test_scores_that_no_run_writes_are_told(run, change, message):
    held = json.loads(json.dumps(METRICS))
    change(held["splits"]["test"])
    (run / "metrics.json").write_text(json.dumps(held), encoding="utf-8")
    with pytest.raises(FormatError, match=message):
        model_card(run)


@pytest.mark.parametrize("name", ["a\n---\nlicense: mit", "x" * 201, "a\x1b[31m"])
def test_a_name_of_several_lines_is_none(run, name):
    with pytest.raises(EuroglueError, match="name: expected at most 200 printable characters"):
        model_card(run, name=name)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"libraries": 3, "device": "cpu", "processes": 1}'])
def test_a_damaged_environment_is_told_with_its_file(run, text):
    (run / "environment.json").write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match="environment.json: expected device"):
        model_card(run)


def test_the_command_says_where_the_card_is(run, tmp_path, capsys):
    assert main(["card", str(run), "--to", str(tmp_path / "card.md"), "--name", "mine"]) == 0
    assert capsys.readouterr().out.strip() == str(tmp_path / "card.md")
    assert "# mine" in (tmp_path / "card.md").read_text(encoding="utf-8")
    assert main(["card", str(tmp_path / "nowhere")]) == 2
