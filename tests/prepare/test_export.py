# SPDX-License-Identifier: Apache-2.0
"""A prepared suite as a plain folder that ``datasets`` loads without our code."""

import subprocess
import sys

import pytest
from datasets import load_dataset
from datasets.exceptions import NonMatchingSplitsSizesError

from euroglue.errors import EuroglueError
from euroglue.prepare import prepare
from euroglue.prepare.columns import read_parquet, write_parquet
from euroglue.prepare.export import export
from euroglue.registry import SUITES

SUITE = SUITES["bgglue"]


@pytest.fixture
def folder(tmp_path):
    return export(SUITE, [prepare(task, "sample") for task in SUITE.tasks.values()], tmp_path / "out" / "bgglue")


def test_the_folder_loads_without_our_code_and_with_label_names(folder):
    code = (
        "import sys, datasets\n"
        "rows = datasets.load_dataset(sys.argv[1], 'bsnlp', split='test')\n"
        "assert not any(name.startswith(('euroglue', 'bgglue')) for name in sys.modules)\n"
        "print(datasets.get_dataset_config_names(sys.argv[1]), rows.num_rows, rows.features['ner_tags'].feature.names[1])"
    )
    done = subprocess.run([sys.executable, "-c", code, str(folder)], capture_output=True, text=True, timeout=200)
    assert done.stdout.split("\n")[0] == f"{list(SUITE.tasks)} 26 B-PRO", done.stderr
    assert "Ignoring" not in done.stderr


def test_a_folder_whose_file_lost_rows_is_noticed_by_datasets(folder):
    file = folder / "cinexio" / "train.parquet"
    write_parquet(read_parquet(file).slice(1), file)
    with pytest.raises(NonMatchingSplitsSizesError):
        load_dataset(str(folder), "cinexio")


def test_the_rows_are_those_of_the_name(folder):
    for name in SUITE.tasks:
        named = load_dataset("bgglue", name, edition="sample", split="validation")
        plain = load_dataset(str(folder), name, split="validation")
        assert named[:] == plain[:] and named.features == plain.features


def test_an_export_is_replaced_and_nothing_else_is(folder, tmp_path):
    one = prepare(SUITE.tasks["cinexio"], "sample")
    assert sorted(path.name for path in export(SUITE, [one], folder).iterdir()) == ["README.md", "cinexio"]
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("x", encoding="utf-8", newline="\n")
    with pytest.raises(EuroglueError, match="mine: exists and holds something else than an export"):
        export(SUITE, [one], tmp_path / "mine")
    assert (tmp_path / "mine" / "thesis.txt").exists()


def test_one_edition_a_task(tmp_path):
    one = prepare(SUITE.tasks["cinexio"], "sample")
    with pytest.raises(EuroglueError, match="expected one edition a task, got cinexio, cinexio"):
        export(SUITE, [one, one], tmp_path / "out")
