# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json

import pytest

from euroglue.errors import EuroglueError
from euroglue.training.run_folder import RunFolder

CONFIG = {"model": "a", "seed": 1, "limit": {}}


def write(text):
    return lambda folder: (folder / "weights").write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({**CONFIG, "seed": 2}, "seed is 1 there and 2 here"),
        ({**CONFIG, "model": "b", "seed": 3}, "model is 'a' there and 'b' here; seed is 1 there and 3 here"),
        ({**CONFIG, "limit": {"train": 5}}, "limit is {} there"),
        ({"model": "a", "seed": 1}, "limit is {} there and None here"),
    ],
)
def test_a_folder_of_another_run_is_refused_and_the_difference_named(tmp_path, asked, message):
    RunFolder(tmp_path / "run").open(CONFIG, resume=True)
    with pytest.raises(EuroglueError, match="belongs to another run") as caught:
        RunFolder(tmp_path / "run").check(asked)
    assert message in str(caught.value)


def test_the_same_run_an_empty_folder_and_none_are_welcome(tmp_path):
    RunFolder(tmp_path / "none").check(CONFIG)
    RunFolder(tmp_path).check(CONFIG)
    folder = RunFolder(tmp_path / "run")
    folder.open(CONFIG, resume=True)
    folder.check(CONFIG)
    assert folder.read("config.json") == CONFIG and not (tmp_path / "none").exists()


def test_a_run_that_stopped_before_its_first_step_leaves_its_folder_to_another(tmp_path):
    folder = RunFolder(tmp_path / "run")
    folder.open({**CONFIG, "model": "misspelt"}, resume=True)
    folder.write("environment.json", {})
    (folder.root / ".metrics.json.x1.part").write_text("{", encoding="utf-8")
    folder.check(CONFIG)
    folder.open(CONFIG, resume=True)
    assert sorted(path.name for path in folder.root.iterdir()) == ["config.json", "environment.json"]
    folder.log(step=1)
    with pytest.raises(EuroglueError, match="belongs to another run"):
        folder.check({**CONFIG, "seed": 2})


def test_a_folder_in_which_only_a_cut_file_was_left_is_welcome(tmp_path):
    (tmp_path / ".config.json.x1.part").write_text('{"mod', encoding="utf-8")
    folder = RunFolder(tmp_path)
    folder.check(CONFIG)
    folder.open(CONFIG, resume=True)
    assert folder.read("config.json") == CONFIG


@pytest.mark.parametrize(
    ("held", "why"),
    [
        ({"config.json": "[1, 2]"}, "JSON, but no configuration"),
        ({"config.json": '{"model_type": "bert"}', "model.safetensors": ""}, "a model's folder"),
        ({"config.json": '{"model_type": "bert"}'}, "a model's configuration alone"),
    ],
)
def test_a_configuration_of_another_origin_is_refused(tmp_path, held, why):
    for name, text in held.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(EuroglueError, match="holds no run|belongs to another run"):
        RunFolder(tmp_path).check(CONFIG)


def test_files_of_another_origin_are_refused(tmp_path):
    (tmp_path / "thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(EuroglueError, match="is not empty and holds no run"):
        RunFolder(tmp_path).check(CONFIG)
    with pytest.raises(EuroglueError, match="is a file"):
        RunFolder(tmp_path / "thesis.txt").check(CONFIG)


def test_starting_again_clears_what_the_earlier_run_left(tmp_path):
    folder = RunFolder(tmp_path / "run")
    folder.open(CONFIG, resume=True)
    folder.replace_best(write("old"))
    folder.save_checkpoint(3, write("old"))
    folder.log(step=3)
    folder.open(CONFIG, resume=True)
    assert folder.best.is_dir() and folder.latest_checkpoint()
    folder.open(CONFIG, resume=False)
    assert sorted(path.name for path in folder.root.iterdir()) == ["config.json"]


def test_a_kill_while_writing_leaves_the_former_state(tmp_path):
    folder = RunFolder(tmp_path)
    folder.open(CONFIG, resume=True)
    folder.replace_best(write("first"))
    folder.save_checkpoint(10, write("first"))

    def killed(target):
        (target / "weights").write_text("half", encoding="utf-8")
        raise KeyboardInterrupt

    for attempt in (lambda: folder.replace_best(killed), lambda: folder.save_checkpoint(20, killed)):
        with pytest.raises(KeyboardInterrupt):
            attempt()
    assert folder.latest_checkpoint().name == "step-000000010"
    folder.open(CONFIG, resume=True)
    assert (folder.best / "weights").read_text(encoding="utf-8") == "first"
    assert [path.name for path in folder.root.glob("**/*.partial")] == []


def test_a_kill_between_the_two_moves_of_best_is_mended(tmp_path):
    folder = RunFolder(tmp_path)
    folder.open(CONFIG, resume=True)
    folder.replace_best(write("first"))
    folder.best.rename(tmp_path / "best.replaced")
    folder.open(CONFIG, resume=True)
    assert (folder.best / "weights").read_text(encoding="utf-8") == "first"
    assert not (tmp_path / "best.replaced").exists()


def test_only_the_latest_state_is_kept(tmp_path):
    folder = RunFolder(tmp_path)
    for step in (9, 10, 100):
        folder.save_checkpoint(step, write(str(step)))
    assert [path.name for path in (tmp_path / "checkpoints").iterdir()] == ["step-000000100"]


@pytest.mark.parametrize(
    ("torn", "why"),
    [
        (b'{"step": 1, "lo', "cut within a name"),
        (b'{"step": 1, "validation": {"f1": 0.5}', "cut behind an inner brace"),
        (b'{"step": 1, "loss": 0.5}', "cut before its end of line, which the next entry would follow"),
        (b'{"step": 1, "reason": "\xc4', "cut within a letter"),
        (b'{"step": 1, "lo{"step": 2}\n', "another entry was written behind half a one"),
    ],
)
def test_the_log_forgets_the_steps_that_are_taken_again_and_half_lines(tmp_path, torn, why):
    folder = RunFolder(tmp_path)
    for step in (1, 2, 3):
        folder.log(step=step, loss=0.5)
    with (tmp_path / "log.jsonl").open("ab") as file:
        file.write(torn)
    folder.rewind_log(2)
    lines = (tmp_path / "log.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["step"] for line in lines] == [1, 2]
