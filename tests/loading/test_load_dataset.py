# SPDX-License-Identifier: Apache-2.0
"""``load_dataset`` by our names, on every supported version of ``datasets``."""

import os
import subprocess
import sys

import datasets
import pytest
from datasets import get_dataset_config_names, load_dataset, load_dataset_builder

import bgglue_datasets
from euroglue.errors import EuroglueError, UnknownNameError

TASKS = list(bgglue_datasets.SUITE.tasks)


@pytest.mark.issue("datasets#7693")
@pytest.mark.parametrize("task", TASKS)
def test_every_task_loads_whole_and_streamed_with_the_same_rows(task):
    whole = load_dataset("bgglue", task, edition="sample")
    assert sorted(whole) == ["test", "train", "validation"]
    streamed = load_dataset("bgglue", task, edition="sample", split="train", streaming=True)
    assert list(streamed) == list(whole["train"])


@pytest.mark.parametrize("task", TASKS)
def test_builder_info_is_filled_before_anything_is_prepared(task):
    info = load_dataset_builder("bgglue", task).info
    for field in ("license", "citation", "homepage", "description"):
        assert len(getattr(info, field)) > 10, field
    assert "bgglue" in info.citation
    expected = bgglue_datasets.SUITE.tasks[task]
    assert list(info.features) == list(expected.features)


def test_config_names_are_the_tasks():
    assert get_dataset_config_names("bgglue") == TASKS


def test_label_names_survive_loading():
    tags = load_dataset("bgglue", "bsnlp", edition="sample", split="test").features["ner_tags"].feature
    assert tags.names == "O B-PRO I-PRO B-LOC I-LOC B-ORG I-ORG B-PER I-PER B-EVT I-EVT".split()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: load_dataset("bgglue"), ["config is needed", *TASKS]),
        (lambda: load_dataset("bgglue", "cinexo"), ["did you mean 'cinexio'", "known: cinexio, "]),
        (lambda: load_dataset("bgglue", "cinexio", edition="new"), ["no edition 'new'", "official, rebuilt, sample"]),
        (lambda: load_dataset("bgglue", "cinexio", data_dir="/no/such"), ["/no/such", "expected a folder"]),
        (lambda: load_dataset("bgglue", "cinexio", data_files="a.csv"), ["data_files is not used", "data_dir"]),
    ],
    ids=["no config", "unknown config", "unknown edition", "missing data_dir", "data_files"],
)
def test_a_users_mistake_is_named_with_what_to_do(call, words):
    with pytest.raises(EuroglueError) as error:
        call()
    message = str(error.value)
    assert "\n" not in message
    for word in words:
        assert word in message


def test_nearest_config_comes_first():
    with pytest.raises(UnknownNameError) as error:
        load_dataset("bgglue", "wikianbg")
    assert "known: wikiannbg, " in str(error.value)


def test_names_that_are_not_ours_resolve_as_before(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,2\n", encoding="utf-8", newline="\n")
    assert load_dataset("csv", data_files=str(tmp_path / "a.csv"), split="train")[0] == {"x": 1, "y": 2}
    assert load_dataset(str(tmp_path), split="train")[0] == {"x": 1, "y": 2}


def test_a_changed_raw_folder_is_never_served_from_the_cache(tmp_path, home, monkeypatch):
    monkeypatch.delenv("EUROGLUE_RAW_DIR", raising=False)
    raw = tmp_path / "raw"
    raw.mkdir()
    for name, text in (("train", "Едно\tO\n"), ("dev", "Две\tO\n"), ("test", "Три\n")):
        (raw / f"{name}-bg.tsv").write_text(text, encoding="utf-8", newline="\n")
    options = {"edition": "rebuilt", "data_dir": str(raw), "split": "train"}
    with pytest.raises(EuroglueError, match="differs from the published file"):
        load_dataset("bgglue", "wikiannbg", **options)
    first = load_dataset("bgglue", "wikiannbg", allow_changed_source=True, **options)
    assert first["tokens"][:] == [["Едно"]]
    (raw / "train-bg.tsv").write_text("Друго\tO\n", encoding="utf-8", newline="\n")
    second = load_dataset("bgglue", "wikiannbg", allow_changed_source=True, **options)
    assert second["tokens"][:] == [["Друго"]]


@pytest.mark.parametrize("package", ["euroglue", "bgglue_datasets"])
@pytest.mark.parametrize("order", ["ours first", "datasets first"])
def test_import_order_and_working_directory_do_not_matter(package, order, tmp_path):
    lines = [f"import {package}", "from datasets import load_dataset"]
    lines = lines if order == "ours first" else lines[::-1]
    lines.append("print(load_dataset('bgglue', 'cinexio', edition='sample', split='test').num_rows)")
    done = _python("; ".join(lines), cwd=tmp_path)
    assert done.stdout.strip() == "39"


def test_importing_loads_none_of_the_heavy_libraries():
    code = "import euroglue, sys; print([m for m in ('datasets', 'evaluate', 'pandas', 'torch', 'numpy') if m in sys.modules])"
    assert _python(code).stdout.strip() == "[]"
    code = "import datasets, sys; import bgglue_datasets; print([m for m in ('evaluate', 'transformers') if m in sys.modules])"
    assert _python(code).stdout.strip() == "[]"


@pytest.mark.skipif(int(datasets.__version__.split(".")[0]) > 3, reason="datasets 4 and newer run no loading scripts")
def test_the_loading_script_runs_as_a_script():
    script = os.path.join(os.path.dirname(bgglue_datasets.__file__), "bgglue.py")
    rows = load_dataset(script, "cinexio", edition="sample", split="test", trust_remote_code=True)
    assert rows.num_rows == 39


def test_parallel_generation_gives_the_same_rows(home):
    one = load_dataset("bgglue", "wikiannbg", edition="sample", split="train")
    two = load_dataset(
        "bgglue", "wikiannbg", edition="sample", split="train", num_proc=1, download_mode="force_redownload"
    )
    assert one[:] == two[:]


def _python(code, cwd=None):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=cwd, timeout=120)
    assert done.returncode == 0, done.stderr
    return done
