# SPDX-License-Identifier: Apache-2.0
"""The paper's split of Credible News, on made-up articles."""

import json

import pandas as pd
import pytest

from euroglue.prepare.articles import CUES, keep_ratio, remove_cues, remove_pattern, split_by_source_and_topic
from euroglue.prepare.pipeline import run_steps
from euroglue.prepare.steps import drop_duplicates
from euroglue.prepare.text import same_content_words
from euroglue.registry import find_task
from euroglue.task import Edition, Reader

SPLIT = split_by_source_and_topic("source", "topic", "label", "publishDate", newest=2, seed=1)
RATIO = keep_ratio("key", "label", rare="humorous", ratio=10, splits=("train", "validation"), seed=1)
STEPS = (
    *remove_cues(("title", "content"), "source"),
    drop_duplicates(by=same_content_words("content", "bg")),
    SPLIT,
    RATIO,
)


@pytest.fixture
def articles(fixtures):
    lines = (fixtures / "articles" / "articles.jsonl").read_text(encoding="utf-8").splitlines()
    return pd.DataFrame([json.loads(line) for line in lines], dtype=object)


@pytest.fixture
def prepared(articles):
    edition = Edition(
        sources=(), read=Reader("made_up", {}, lambda files: articles), steps=STEPS, sizes={"train": 1, "test": 1}
    )
    return run_steps(find_task("bgglue", "crediblenews"), edition, articles)


def test_a_topic_of_a_source_is_in_one_split(prepared):
    table, *_ = prepared
    assert (table.groupby(["source", "topic"])["split"].nunique() == 1).all()


def test_sources_of_the_splits_are_the_papers(articles, prepared):
    table, *_ = prepared
    newest = set(articles.groupby("source")["publishDate"].min().sort_values().index[-2:])
    assert newest == {"Новини Изгрев", "Смешен Петък"}
    for split in ("train", "validation"):
        assert set(table[table["split"] == split]["source"]) <= {"Зорница Прес", "Крив Прозорец"}
    assert (
        set(table[table["split"] == "test"]["source"]) == set(articles["source"]) and articles["source"].nunique() == 6
    )
    assert set(table[table["source"].isin(newest)]["split"]) == {"test"}


def test_the_ratio_of_the_classes_is_kept(prepared):
    table, *_ = prepared
    counts = table[table["split"] == "train"]["label"].value_counts()
    assert counts["humorous"] == 1 and 10 <= counts["credible"] <= 20
    assert set(table[table["split"] == "validation"]["label"]) == {"credible", "humorous"}


def test_duplicates_are_out_also_those_that_differ_by_cues(articles, prepared):
    table, records, _ = prepared
    dropped = next(record for record in records if record["step"].startswith("drop_duplicates"))
    assert dropped["dropped"] == 5
    keys = same_content_words("content", "bg")(table)
    assert not keys.duplicated().any()


def test_every_cue_is_out_and_counted(articles, prepared):
    table, records, _ = prepared
    text = "\n".join(table["content"])
    for word in ("http", "www.", "Снимка", "Видео:", "Източник:", "Още по темата", "Прочетете още", "©", "Последвайте"):
        assert word in "\n".join(articles["content"]) or word in ("www.", "Видео:"), word
        assert word not in text, word
    for source in set(articles["source"]):
        assert source.lower() not in text.lower(), source
    changed = {record["step"]: record["changed"] for record in records if record["step"].startswith("remove_")}
    assert len(changed) == len(CUES) + 2 and all(changed.values()), changed


def test_the_split_does_not_depend_on_the_order_of_articles(articles):
    one = SPLIT(articles).set_index("key")["split"]
    two = SPLIT(articles.sample(frac=1, random_state=3)).set_index("key")["split"]
    assert one.sort_index().equals(two.sort_index())


def test_a_newest_source_never_gives_to_train_however_large(articles):
    table = split_by_source_and_topic("source", "topic", "label", "publishDate", newest=5, seed=1)(articles)
    assert set(table[table["split"] != "test"]["source"]) <= {"Бодлива Круша"}


@pytest.mark.parametrize(
    ("cue", "text", "left"),
    [
        ("address", "Вижте https://t.example/a?b=1 сега", "Вижте сега"),
        ("photograph", "Снимка: Ана Ли\nТекст.", "Текст."),
        ("photograph", "На снимката: куче", "На снимката: куче"),
        ("author", "Вали.\nАвтор: Ана Ли", "Вали."),
        ("further reading", "Още по темата:\nВали.", "Вали."),
        ("read on", "Вали. Повече подробности четете на www.x.example", "Вали."),
        ("copyright", "Вали.\n© Нюз 2014", "Вали."),
    ],
)
def test_a_cue_takes_its_own_and_no_more(cue, text, left):
    rows = remove_pattern(("t",), cue=cue, pattern=CUES[cue])(pd.DataFrame({"t": [text]}))
    assert rows["t"].tolist() == [left]
