# SPDX-License-Identifier: Apache-2.0
"""The README of a pushed folder, as the Hub's own reader of cards sees it."""

import pytest
import yaml
from datasets import Features
from huggingface_hub import DatasetCardData

from euroglue.builder import features
from euroglue.prepare import prepare
from euroglue.publish.card import folder_metadata
from euroglue.registry import SUITES


@pytest.mark.parametrize("suite", SUITES.values(), ids=lambda suite: suite.name)
def test_the_yaml_lists_configs_features_and_sizes_as_datasets_reads_them(suite):
    made = [prepare(task, "sample") for task in suite.tasks.values() if "sample" in task.editions]
    text = yaml.safe_dump(folder_metadata([suite], made), allow_unicode=True, sort_keys=False)
    card = DatasetCardData(**yaml.safe_load(text))
    assert [config["config_name"] for config in card.configs] == [item.task.name for item in made]
    for item, about in zip(made, card.to_dict()["dataset_info"], strict=True):
        assert Features._from_yaml_list(about["features"]) == features(item.task)
        rows = {split["name"]: split["num_examples"] for split in about["splits"]}
        assert rows == {split: part["rows"] for split, part in item.manifest["splits"].items()}
        assert card.license == ["apache-2.0"], "samples are made up for the package"
