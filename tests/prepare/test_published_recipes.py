# SPDX-License-Identifier: Apache-2.0
"""The official editions beside the published recipes, written down once more with pandas and scikit-learn alone."""

import random
import re
import runpy
from pathlib import Path

import pandas as pd
import pytest
from sklearn.model_selection import train_test_split
from sklearn.utils import resample

from euroeval_datasets import SUITE
from euroglue.prepare import prepare

RAW = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "editions.py"))["RAW"]


def without_reset_rows(pool, drawn):
    """The published mistake: labels 0, 1, … of the drawn rows' new index are taken out of the pool."""
    return pool[~pool.index.isin(drawn.reset_index(drop=True).index)]


def sentinews(folder):
    raw = pd.read_csv(folder / "SentiNews_sentence-level.txt", sep="\t", quoting=3, encoding="utf-8")
    table = raw.rename(columns={"content": "text", "sentiment": "label"})[["text", "label"]]
    parts = [table[table["label"] == label] for label in table["label"].unique()]
    least = min(map(len, parts))
    pool = pd.concat(resample(part, replace=False, n_samples=least, random_state=4242) for part in parts)
    test = pool.sample(2048, random_state=42)
    pool = without_reset_rows(pool, test)
    validation = pool.sample(256, random_state=42)
    pool = without_reset_rows(pool, validation)
    return {"train": pool.sample(1024, random_state=42), "validation": validation, "test": test}


def multi_wiki_qa(folder):
    table = pd.read_parquet(folder / "sl" / "train-00000-of-00001.parquet")
    table = table[table["context"].str.len().between(30, 5000) & table["question"].str.len().between(10, 150)]
    table = table[table["answers"].map(lambda value: len(value["text"]) > 0 and value["text"][0] != "")]
    splits = {}
    for split, count in {"validation": 256, "test": 2048, "train": 1024}.items():
        splits[split] = table.sample(count, random_state=4242)
        table = table.drop(splits[split].index)
    return splits


def flat(text):
    return text.replace("\n", " ").strip()


def assembled(question, options):
    lines = (f"{letter}. {flat(option)}" for letter, option in zip("abcd", options))
    return "\n".join([flat(question), "Možnosti:", *lines])


def mmlu(folder):
    raw = pd.concat(
        pd.read_json(folder / f"mmlu_SL_{split}.jsonl", lines=True) for split in ("dev", "validation", "test")
    )
    raw = raw[raw["question"].str.len().between(30, 2000)]
    raw = raw[raw["choices"].map(lambda some: all(1 <= len(one) <= 1000 for one in some))]
    table = pd.DataFrame(
        {
            "text": [assembled(question, some) for question, some in zip(raw["question"], raw["choices"])],
            "label": raw["answer"].map(dict(enumerate("abcd"))).tolist(),
            "category": raw["id"].str.split("/").str[0].tolist(),
        }
    ).drop_duplicates()
    rest, validation = train_test_split(table, test_size=256, random_state=4242, stratify=table["category"])
    rest, test = train_test_split(rest, test_size=2048, random_state=4242, stratify=rest["category"])
    return {"train": rest.sample(1024, random_state=4242), "validation": validation, "test": test}


def winogrande(folder):
    inside = folder / "WinoGrandeDataset_local_template_sl"
    train, test = (pd.read_json(inside / f"{split}.jsonl", lines=True) for split in ("train", "test"))
    validation = test.sample(128, random_state=42).reset_index(drop=True)
    splits = {"train": train, "validation": validation, "test": test.drop(validation.index)}
    return {split: prompts(rows) for split, rows in splits.items()}


def prompts(rows):
    lines = rows["prompt"].str.split("\n")
    options = ([re.sub(r"[^ ]+ A: ?", "", one[2]), re.sub(r"[^ ]+ B: ?", "", one[3])] for one in lines)
    texts = [assembled(f"{one[0]} {one[1]}", some) for one, some in zip(lines, options)]
    labels = ["a" if label == 0 else "b" for label in rows["label"]]
    return pd.DataFrame({"text": texts, "label": labels}).drop_duplicates()


@pytest.mark.parametrize(
    ("name", "share", "recipe", "columns"),
    [
        ("sentinews", 0.08, sentinews, ("text", "label")),
        ("multi-wiki-qa-sl", 0.7, multi_wiki_qa, ("context", "question")),
        ("mmlu-sl", 0.3, mmlu, ("text", "label", "category")),
        ("winogrande-sl", 1.0, winogrande, ("text", "label")),
    ],
)
def test_the_official_edition_is_the_published_recipe_row_for_row(name, share, recipe, columns, tmp_path, home):
    folder = tmp_path / "raw"
    folder.mkdir()
    RAW[name](folder, share, random.Random(11))
    task = SUITE.task(name)
    made = prepare(task, "official", data_dir=folder)
    for split, rows in recipe(folder).items():
        ours = made.table(split)
        if "label" in columns:
            ours["label"] = [task.labels[number] for number in ours["label"]]
        assert ours[[*columns]].values.tolist() == rows[[*columns]].values.tolist(), split
