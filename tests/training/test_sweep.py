# SPDX-License-Identifier: Apache-2.0
"""Sweeps: what is planned, run, chosen, repeated, kept, and what is left of one that was killed."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from euroglue.cli import main
from euroglue.errors import EuroglueError
from euroglue.registry import find_task
from euroglue.results import ResultStore
from euroglue.training import run as run_module
from euroglue.training.executors import Here
from euroglue.training.probe import Pace
from euroglue.training.recipes import RECIPES, PaperRecipe
from euroglue.training.settings import Settings
from euroglue.training.sweep import plan, read_models, repetitions, run_trial, sweep

RATES = (1e-3, 1e-9)
QUICK = PaperRecipe(
    name="quick",
    source="made up",
    base={"epochs": 1, "batch_size": 8, "max_length": 32},
    grids={"any task": {"learning_rate": RATES}},
    repeats=({"seed": 1}, {"seed": 2}),
)


@pytest.fixture
def quick():
    RECIPES.register("quick", QUICK)
    yield QUICK
    RECIPES.unregister("quick")


@pytest.fixture
def models(tmp_path, encoder):
    file = tmp_path / "models.txt"
    file.write_text(f"# made up\n{encoder}\n", encoding="utf-8")
    return file


def command(models, out, *more):
    start = ["sweep", "bgglue", "cinexio", "--edition", "sample", "--models", models, "--recipe", "quick", "--out", out]
    return [str(part) for part in (*start, *more)]


@pytest.mark.parametrize(
    ("recipe", "suite", "task", "searched", "repeated", "why"),
    [
        ("dumb", "dumb", "lassy-pos", 36, 5, "appendix B: 3 epochs x 2 warm-ups x 3 rates x 2 dropouts"),
        ("dumb", "dumb", "dpr", 80, 5, "5 x 2 x 4 x 2"),
        ("bgglue", "bgglue", "cinexio", 4, 1, "four learning rates, one seed"),
        ("euroeval", "euroeval_sl", "scala-sl", 1, 10, "no search, ten bootstrapped runs"),
    ],
)
def test_a_plan_has_the_runs_of_the_paper(tmp_path, recipe, suite, task, searched, repeated, why):
    store = ResultStore(tmp_path / "results")
    made = plan([find_task(suite, task)], ["model-a", "model-b"], RECIPES[recipe], tmp_path, store)
    assert [len(search.trials) for search in made.searches] == [searched] * 2, why
    assert made.runs == 2 * (searched + repeated - 1)
    folders = {trial.folder for trial in made.trials}
    assert len(folders) == 2 * searched, "each run has a folder of its own"
    winner = made.searches[0].trials[3 % searched]
    assert winner.folder in {trial.folder for trial in made.searches[0].repetitions(winner)}, (
        "it is its first repetition"
    )


def test_a_setting_that_is_given_is_not_searched(tmp_path):
    store = ResultStore(tmp_path / "results")
    fixed = {"epochs": 2, "dropout": 0.1}
    made = plan([find_task("dumb", "dpr")], ["m"], RECIPES["dumb"], tmp_path, store, fixed=fixed, seeds=2)
    assert len(made.trials) == 2 * 4
    assert {trial.overrides["epochs"] for trial in made.trials} == {2}
    with pytest.raises(EuroglueError, match="say how many by --seeds"):
        plan([find_task("dumb", "dpr")], ["m"], RECIPES["dumb"], tmp_path, store, fixed={"seed": 2})
    with pytest.raises(EuroglueError, match="bootstrap: the recipe says .* by --seeds"):
        plan([find_task("dumb", "dpr")], ["m"], RECIPES["euroeval"], tmp_path, store, fixed={"bootstrap": 2})
    with pytest.raises(EuroglueError, match="no training setting 'epoch'"):
        plan([find_task("dumb", "dpr")], ["m"], RECIPES["dumb"], tmp_path, store, fixed={"epoch": 2})


def test_the_runs_of_a_sweep_are_the_recipe_s_whatever_the_task_s_own_is(tmp_path):
    task = find_task("bgglue", "cinexio")
    own = dataclasses.replace(task.recipe, patience=1, eval_steps=2, max_steps=5, criterion="loss", clip=9.0)
    store = ResultStore(tmp_path / "results")
    for name, steps in (("bgglue", None), ("euroeval", 10_000)):
        made = plan([dataclasses.replace(task, recipe=own)], ["m"], RECIPES[name], tmp_path, store)
        trial = made.trials[0]
        settings = Settings.of(dataclasses.replace(task, recipe=own), "m", **trial.overrides)
        assert settings == Settings.of(task, "m", **trial.overrides) and settings.max_steps == steps
    made = plan([task], ["m"], RECIPES["euroeval"], tmp_path, store, fixed={"epochs": 3})
    assert Settings.of(task, "m", **made.trials[0].overrides).max_steps is None, "epochs in place of steps"


@pytest.mark.parametrize(
    ("recipe", "seeds", "expected"),
    [
        ("dumb", None, [1, 2, 3, 4, 5]),
        ("dumb", 2, [1, 2]),
        ("dumb", 7, [1, 2, 3, 4, 5, 6, 7]),
        ("bgglue", 3, [42, 43, 44]),
        ("euroeval", 2, [4242, 4243]),
    ],
)
def test_the_winner_is_repeated_as_often_as_wanted(recipe, seeds, expected):
    assert [repeat["seed"] for repeat in repetitions(RECIPES[recipe], seeds)] == expected


@pytest.mark.parametrize(
    ("recipe", "seeds", "message"), [("euroeval", 11, "has 10 repetitions"), ("dumb", 0, "at least 1, got 0")]
)
def test_repetitions_that_cannot_be_had_are_refused(recipe, seeds, message):
    with pytest.raises(EuroglueError, match=message):
        repetitions(RECIPES[recipe], seeds)


@pytest.mark.parametrize("text", ["", "# none\n", "a\nb\na\n", "/models/a/bert\n/models/b/bert\n"])
def test_a_file_of_models_names_each_once(tmp_path, text):
    (tmp_path / "models").write_text(text, encoding="utf-8")
    with pytest.raises(EuroglueError, match="expected a model a line, each once"):
        read_models(tmp_path / "models")


def test_a_dry_run_says_what_would_be_done_and_does_nothing(tmp_path, home, quick, models, capsys):
    assert main(command(models, tmp_path / "sweep", "--dry-run")) == 0
    said = capsys.readouterr().out
    assert "3 runs, 0 of them finished; about 0.0 hours" in said and "bgglue/cinexio" in said
    assert not (tmp_path / "sweep").exists()


def test_the_best_by_validation_is_repeated_and_kept_and_nothing_is_done_twice(
    tmp_path, home, quick, models, encoder, capsys, monkeypatch
):
    assert main(command(models, tmp_path / "sweep", "--no-probe")) == 0
    assert "Results" in capsys.readouterr().out
    store = ResultStore(tmp_path / "sweep/results")
    records = sorted(store, key=lambda record: (record.split, record.seed))
    assert [(record.split, record.seed) for record in records] == [
        ("test", 1), ("test", 2), ("validation", 1), ("validation", 2),
    ]  # fmt: skip
    runs = sorted((tmp_path / "sweep/runs/bgglue/cinexio").iterdir())
    scores = {}
    for run in runs:
        config, metrics = (json.loads((run / f"{name}.json").read_text("utf-8")) for name in ("config", "metrics"))
        scores[config["learning_rate"], config["seed"]] = metrics["splits"]["validation"]["scores"]["pearson_spearman"]
    best = max(RATES, key=lambda rate: scores[rate, 1])
    assert set(scores) == {(RATES[0], 1), (RATES[1], 1), (best, 2)}
    assert {record.settings["learning_rate"] for record in records} == {best}
    assert {record.settings["recipe"] for record in records} == {"quick"}
    assert {record.method for record in records} == {"fine-tuned"} and records[0].model == encoder.name
    for record in records:
        rows = store.rows(record)
        assert rows is not None and len(rows) == record.n
    assert sum((run / "best").is_dir() for run in runs) == 2, "the weights of the run that lost are removed"

    monkeypatch.setattr(run_module, "train", None)
    assert main(command(models, tmp_path / "sweep", "--no-probe")) == 0
    assert "0 runs" in capsys.readouterr().out


def test_runs_on_a_part_of_the_data_say_so_and_keep_no_rows_of_it(tmp_path, home, quick, models):
    more = ["--no-probe", "--seeds", "1", "--set", "learning_rate=0.001", "--set", 'limit={"train": 8, "test": 3}']
    assert main(command(models, tmp_path / "sweep", *more)) == 0
    store = ResultStore(tmp_path / "sweep/results")
    records = {record.split: record for record in store}
    assert set(records) == {"test", "validation"} and records["test"].n == 3
    assert records["test"].settings["limit"] == {"train": 8, "test": 3}
    assert store.rows(records["test"]) is None and store.rows(records["validation"]) is not None


def test_a_sweep_that_was_killed_goes_on_where_it_was(tmp_path, home, quick, models, monkeypatch):
    train, calls = run_module.train, []

    def killed(task, model, output, **more):
        calls.append(Path(output).name)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return train(task, model, output, **more)

    monkeypatch.setattr(run_module, "train", killed)
    assert main(command(models, tmp_path / "sweep", "--no-probe")) == 130
    assert list(ResultStore(tmp_path / "sweep/results")) == []
    assert main(command(models, tmp_path / "sweep", "--no-probe")) == 0
    assert len(calls) == 4 and calls[1] == calls[2], "the run that was finished is not begun again"
    monkeypatch.setattr(run_module, "train", train)
    assert main(command(models, tmp_path / "other", "--no-probe")) == 0
    one, other = (
        [record.to_dict() for record in ResultStore(tmp_path / name / "results")] for name in ("sweep", "other")
    )
    assert one == other


def test_a_run_that_fails_is_told_and_the_others_go_on(tmp_path, home, quick, models, encoder, capsys, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    models.write_text(f"{tmp_path}/nowhere\n{encoder}\n", encoding="utf-8")
    assert main(command(models, tmp_path / "sweep", "--seeds", "1")) == 1
    said = capsys.readouterr().out
    assert said.count("failed: ") == 2 and "cannot load the" in said
    assert {record.model for record in ResultStore(tmp_path / "sweep/results")} == {encoder.name}


def test_an_error_in_one_run_does_not_end_a_sweep():
    def fails(item):
        if item == 1:
            raise ZeroDivisionError("by zero")

    assert list(Here().map(fails, [1, 2])) == [(1, "ZeroDivisionError: by zero"), (2, None)]


@pytest.mark.issue("EuroEval#get-record")
@pytest.mark.parametrize(
    ("more", "runs", "why"),
    [
        ([], "3 runs", "a part of the data is not the whole"),
        (["--set", 'limit={"train": 8, "test": 3}'], "0 runs", "the same again"),
        (["--set", 'limit={"train": 8}'], "3 runs", "another part of it"),
        (["--set", 'limit={"train": 8, "test": 3}', "--set", "epochs=2"], "3 runs", "longer runs"),
        (["--set", 'limit={"train": 8, "test": 3}', "--recipe", "bgglue"], "5 runs", "another paper's recipe"),
        (
            ["--set", 'limit={"train": 8, "test": 3}', "--set", "stride=7"],
            "3 runs",
            "a setting the recipe does not name",
        ),
        (["--set", 'limit={"train": 8, "test": 3}', "--set", "lora=2"], "3 runs", "adapters"),
        (["--set", 'limit={"train": 8, "test": 3}', "--set", "mixed_precision=no"], "0 runs", "what auto was here"),
        (["--set", 'limit={"train": 8, "test": 3}', "--set", "mixed_precision=bf16"], "3 runs", "another precision"),
    ],
)
def test_what_the_store_holds_is_what_was_asked(tmp_path, home, quick, models, capsys, more, runs, why):
    small = ["--no-probe", "--set", 'limit={"train": 8, "test": 3}']
    assert main(command(models, tmp_path / "sweep", *small)) == 0
    capsys.readouterr()
    assert main(command(models, tmp_path / "sweep", "--no-probe", "--dry-run", "--seeds", "2", *more)) == 0
    assert runs in capsys.readouterr().out


def test_a_file_of_models_that_is_no_text_is_refused(tmp_path):
    (tmp_path / "models").write_bytes(b"\xff\xfe\n")
    with pytest.raises(EuroglueError, match="models: expected a text in UTF-8"):
        read_models(tmp_path / "models")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["max_steps=many"], "max_steps: expected a whole number, or nothing, got 'many'"),
        (["model=other"], "model: it is no training setting"),
        (["recipe=dumb"], "recipe: it is no training setting"),
        (["epochs=1", "epochs=2"], "epochs is given twice"),
        (["clip=Infinity"], "clip: expected a number above 0, got inf"),
        (["epochs"], "expected NAME=VALUE, got 'epochs'"),
    ],
)
def test_a_setting_that_is_none_is_a_mistake_told_in_a_line(tmp_path, quick, models, capsys, given, message):
    pairs = [part for pair in given for part in ("--set", pair)]
    assert main(command(models, tmp_path / "sweep", "--dry-run", *pairs)) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line


def test_a_sweep_takes_data_from_a_folder_and_leaves_out_what_is_missing(tmp_path, home, models, raw_dir, capsys):
    command = ["sweep", "euroeval_sl", "ssj500k-ner", "--models", models, "--recipe", "bgglue", "--out", tmp_path / "s"]
    command += ["--data-dir", raw_dir / "euroeval_sl" / "ssj500k-ner", "--allow-missing-splits"]
    limits = {"train": 8, "validation": 8, "test": 8}
    for pair in ("epochs=1", "learning_rate=0.001", "max_length=32", f"limit={json.dumps(limits)}"):
        command += ["--set", pair]
    assert main([str(part) for part in command]) == 0
    assert "hours" in capsys.readouterr().out
    assert {record.split for record in ResultStore(tmp_path / "s/results")} >= {"validation"}


@pytest.mark.parametrize(
    ("settings", "expected", "why"),
    [
        ({"epochs": 3}, 3 * 10 + 4 * 2 + 1, "an evaluation an epoch and one at the end"),
        ({"epochs": 1, "max_steps": 50}, 5 * 10 + 6 * 2 + 1, "steps in place of epochs"),
        ({"max_steps": 50, "eval_steps": 5}, 5 * 10 + 11 * 2 + 1, "many evaluations"),
    ],
)
def test_the_estimate_is_of_the_steps_that_will_be_taken(settings, expected, why):
    made = Settings.of(find_task("bgglue", "cinexio"), "m", **settings)
    assert Pace(epoch=10.0, validation=2.0, test=1.0, steps=10).seconds_of(made) == pytest.approx(expected)


def test_two_sweeps_do_not_work_in_one_folder(tmp_path, home, quick, encoder, monkeypatch):
    from filelock import FileLock

    from euroglue.training import sweep as module

    monkeypatch.setattr(module, "BUSY", 0.1)
    store = ResultStore(tmp_path / "results")
    made = plan([find_task("bgglue", "cinexio")], [str(encoder)], quick, tmp_path, store, edition="sample", seeds=1)
    trial = made.trials[0]
    trial.folder.mkdir(parents=True)
    with FileLock(trial.folder / ".lock"):
        (outcome,) = sweep(made.searches, quick, store, Here())
    assert any("another process is at work" in failure for failure in outcome.failures)


def test_runs_of_several_tasks_do_not_wait_for_one_another(tmp_path, home, quick, encoder, monkeypatch):
    from filelock import FileLock

    from euroglue.training import sweep as module

    monkeypatch.setattr(module, "BUSY", 0.1)
    tasks = [find_task("bgglue", "cinexio"), find_task("bgglue", "ct21t1")]
    made = plan(tasks, [str(encoder)], quick, tmp_path, ResultStore(tmp_path / "r"), edition="sample", seeds=1)
    one, other = (search.trials[0] for search in made.searches)
    assert one.folder.name == other.folder.name, "alike but for the task"
    one.folder.mkdir(parents=True)
    with FileLock(one.folder / ".lock"):
        assert [run_trial(one) is None, run_trial(other) is None] == [False, True]


def test_runs_that_failed_are_made_again_though_the_winner_of_the_others_is_kept(
    tmp_path, home, quick, models, monkeypatch, capsys
):
    train = run_module.train

    def failing(task, model, output, **more):
        if more["learning_rate"] == RATES[1]:
            raise EuroglueError("no space left")
        return train(task, model, output, **more)

    monkeypatch.setattr(run_module, "train", failing)
    assert main(command(models, tmp_path / "sweep", "--no-probe", "--seeds", "1")) == 1
    assert "no space left" in capsys.readouterr().out
    assert len(list(ResultStore(tmp_path / "sweep/results"))) == 2, "of the winner of the others"
    monkeypatch.setattr(run_module, "train", train)
    assert main(command(models, tmp_path / "sweep", "--no-probe", "--seeds", "1")) == 0
    assert "2 runs, 1 of them finished" in capsys.readouterr().out
    assert main(command(models, tmp_path / "sweep", "--no-probe", "--seeds", "1")) == 0
    assert "0 runs" in capsys.readouterr().out


def test_folders_of_models_are_named_by_their_whole_paths(tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    (tmp_path / "models").write_text("here\norg/there\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert read_models(tmp_path / "models") == [str(tmp_path / "here"), "org/there"]


@pytest.mark.parametrize("amount", [["--cpus-per-run", "-1"], ["--gpus-per-run", "nan"], ["--cpus-per-run", "inf"]])
def test_a_run_cannot_take_less_than_nothing(tmp_path, quick, models, capsys, amount):
    pytest.importorskip("ray")
    assert main(command(models, tmp_path / "sweep", "--ray", "local", *amount)) == 2
    assert "per run: expected a number of at least 0" in capsys.readouterr().err
