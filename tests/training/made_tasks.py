# SPDX-License-Identifier: Apache-2.0
"""Made-up tasks and data, small enough to be learnt in seconds."""

from __future__ import annotations

import random

from datasets import Dataset

from euroglue.task import Feature, Kind, Labels, Recipe, Task
from tests.made import made_task

NAMES = {"PER": ["Иван", "Мария", "Петър", "Елена"], "LOC": ["София", "Варна", "Пловдив", "Русе"]}
PLAIN = ["живее", "във", "и", "отиде", "днес", "град", "обича", "вчера", "книга", "вижда"]
GOOD, BAD = ["чудесен", "прекрасен", "отличен"], ["скучен", "слаб", "ужасен"]


def make_task(kind: Kind, **changes: object) -> Task:
    token = kind is Kind.TOKEN_CLASSIFICATION
    labels = Labels("O", "B-PER", "I-PER", "B-LOC", "I-LOC")
    features: dict[str, Feature] = {"id": "string"}
    features |= {"tokens": ["string"], "ner_tags": [labels]} if token else {"text": "string", "label": "float64"}
    values = {
        "suite": "made",
        "name": "names" if token else "stars",
        "kind": kind,
        "features": features,
        "inputs": ("tokens",) if token else ("text",),
        "target": "ner_tags" if token else "label",
        "bounds": None if token else (0.0, 5.0),
        "metric": "entity_f1" if token else "pearson_spearman",
        "recipe": Recipe(learning_rate=3e-3, epochs=3, batch_size=16, warmup=0.06, max_length=64),
    }
    return made_task(**{**values, **changes})


def _sentence(draw: random.Random, task: Task, words: int) -> tuple[list[str], list[int]]:
    tokens, tags = [], []
    for _ in range(words):
        name = draw.choice([None, None, "PER", "LOC"])
        tokens.append(draw.choice(NAMES[name] if name else PLAIN))
        tags.append(task.labels.index(f"B-{name}" if name else "O"))
    return tokens, tags


def make_token_splits(task: Task) -> dict[str, Dataset]:
    """Names after other words; validation and test hold documents longer than the longest input, and odd words."""
    draw = random.Random(7)
    splits = {}
    for split, sizes in {"train": [3, 5, 8, 12] * 40, "validation": [4, 9, 150] * 8, "test": [6, 200] * 6}.items():
        pairs = [_sentence(draw, task, words) for words in sizes]
        if split != "train":
            for tokens, _ in pairs:
                tokens[0] = draw.choice(["", "\u200b", "\u00ad", "\x07"])
        hidden = split == "test"
        rows = {
            "id": [f"{split}-{i}" for i in range(len(pairs))],
            "tokens": [tokens for tokens, _ in pairs],
            "ner_tags": [[-1] * len(tags) if hidden else tags for _, tags in pairs],
        }
        splits[split] = Dataset.from_dict(rows)
    return splits


def make_number_splits() -> dict[str, Dataset]:
    """Ratings by the share of praise among the words."""
    draw = random.Random(8)
    splits = {}
    for split, size in {"train": 160, "validation": 40, "test": 30}.items():
        praise = [draw.randint(0, 5) for _ in range(size)]
        texts = []
        for good in praise:
            words = [*draw.choices(GOOD, k=good), *draw.choices(BAD, k=5 - good), *draw.choices(PLAIN, k=4)]
            draw.shuffle(words)
            texts.append(" ".join(words))
        labels = [float("nan") if split == "test" else float(good) for good in praise]
        ids = [f"{split}-{i}" for i in range(size)]
        splits[split] = Dataset.from_dict({"id": ids, "text": texts, "label": labels})
    return splits
