# SPDX-License-Identifier: Apache-2.0
"""The wrapper around the two libraries: idempotent, transparent, clear when a library lacks the function."""

import subprocess
import sys
from types import ModuleType

import datasets
import pytest

from euroglue import plugin
from euroglue.errors import EuroglueError


def test_installing_twice_wraps_once():
    before = datasets.load.dataset_module_factory
    finders = len(sys.meta_path)
    plugin.install()
    plugin.install()
    assert datasets.load.dataset_module_factory is before
    assert len(sys.meta_path) == finders
    assert not hasattr(getattr(before, plugin._MARK), plugin._MARK)


def test_both_copies_of_the_function_are_wrapped():
    assert hasattr(datasets.load.dataset_module_factory, plugin._MARK)
    assert hasattr(datasets.inspect.dataset_module_factory, plugin._MARK)


def test_a_library_without_the_function_is_refused_with_the_supported_range():
    with pytest.raises(EuroglueError, match=r"datasets.load has no dataset_module_factory: expected datasets >=3.6,<6"):
        plugin._wrap(ModuleType("datasets.load"), "dataset_module_factory", lambda original: original)


QUICK = "import sys; sys.modules['transformers'] = None\n"
"""What evaluate imports only for its pipelines is not there, which takes seconds less."""


def test_evaluate_is_wrapped_when_it_is_imported_later():
    code = (
        f"{QUICK}import euroglue; assert 'evaluate' not in sys.modules\n"
        "import evaluate\n"
        "metric = evaluate.load('bgglue_score', 'cinexio')\n"
        "print(round(metric.compute(predictions=[1.0, 2.0, 4.0], references=[1.0, 2.0, 4.0])['pearson_spearman'], 6))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.stdout.strip() == "1.0", done.stderr


def test_evaluate_imported_first_is_wrapped_by_our_import():
    code = (
        f"{QUICK}import evaluate, socket\n"
        "def refuse(*_): raise SystemExit('network')\n"
        "socket.socket.connect = refuse; socket.getaddrinfo = refuse\n"
        "import bgglue_datasets\n"
        "for name in ('bgglue_score', 'metrics/bgglue_score', './metrics/bgglue_score'):\n"
        "    print(type(evaluate.load(name)).__name__)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert len(set(done.stdout.split())) == 1 and len(done.stdout.split()) == 3, done.stderr


def test_a_name_of_someone_elses_passes_through():
    import evaluate

    with pytest.raises((FileNotFoundError, AssertionError, ConnectionError)):
        evaluate.load("no/such/metric/here")


@pytest.mark.issue("datasets#8098")
@pytest.mark.parametrize("owner", ["somebody/", "bgglue/", "./", "../", "hf://datasets/"])
def test_a_name_of_ours_under_another_owner_is_not_ours(owner):
    assert plugin._dataset_module("bgglue") is not None and plugin._dataset_module(f"{owner}bgglue") is None


@pytest.mark.parametrize("path", ["somebody/bgglue_score", "bgglue_score/x", "metrics/somebody/bgglue_score", ""])
def test_a_metric_of_another_owner_is_not_ours(path):
    assert plugin._evaluation_module("bgglue_score") is not None and plugin._evaluation_module(path) is None


@pytest.mark.parametrize("suite", ["bgglue", "dumb", "euroeval_sl"])
def test_every_task_tells_its_splits_without_raw_files(suite, home, monkeypatch):
    monkeypatch.delenv("EUROGLUE_RAW_DIR", raising=False)
    infos = datasets.get_dataset_infos(suite)
    assert sorted(infos) == datasets.get_dataset_config_names(suite)
    assert {tuple(info.splits) for info in infos.values()} == {("train", "validation", "test")}
    assert all(info.features and info.license and info.citation for info in infos.values())
    assert not home.exists(), "nothing was fetched or prepared"


def test_splits_are_told_by_edition_and_unknown_names_are_refused(home):
    assert datasets.get_dataset_split_names("bgglue", "xnlibg", edition="sample") == ["train", "validation", "test"]
    assert list(datasets.inspect.get_dataset_config_info("dumb", "copanl", edition="sample").splits)[0] == "train"
    with pytest.raises(EuroglueError, match="did you mean 'xnlibg'"):
        datasets.get_dataset_split_names("bgglue", "xnlib")
    with pytest.raises(EuroglueError, match="has no edition 'x'"):
        datasets.get_dataset_split_names("bgglue", "xnlibg", edition="x")


def test_a_revision_of_ours_is_said_to_be_without_effect(home):
    with pytest.warns(UserWarning, match="bgglue: revision 'v1' is not used: the raw files are pinned"):
        assert len(datasets.load_dataset("bgglue", "cinexio", edition="sample", revision="v1", split="test")) == 39
