# SPDX-License-Identifier: Apache-2.0
"""Steps for news articles: cues of the source out, and the split of Credible News by source and topic.

bgGLUE, section 3 and appendix C: train and validation come from the largest source of each class, at a ratio of the two;
test has articles of every source, and of the newest sources everything; a topic of a source is in one split.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
import pandas as pd

from euroglue.task import Step, step

CUES: Mapping[str, str] = {
    "read on": r"Повече (?:подробности |информация )?(?:четете|вижте) (?:на|в)\s+\S+",
    "address": r"(?:https?://|www\.)\S+",
    "photograph": r"^(?:Снимк[аи]|Фото|Видео|Снимков материал)\s*:.*$",
    "origin": r"^(?:Източник|По материали на|По информация на)\s*:?.*$",
    "author": r"^(?:Автор|Редактор|Текст)\s*:.*$",
    "further reading": r"^(?:Още по темата|Прочетете още|Вижте още|Прочети още|Свързани)\s*:?.*$",
    "follow us": r"^(?:Последвайте ни|Харесайте ни|Абонирайте се).*$",
    "copyright": r"^(?:©|Всички права запазени).*$",
}
"""Name of a cue → pattern (``^`` and ``$`` are the ends of a line); what matches is taken out, in this order."""


def remove_cues(columns: tuple[str, ...], source: str, cues: Mapping[str, str] = CUES) -> tuple[Step, ...]:
    """One step per cue, so that the manifest counts the articles each one changed; then by-lines and source names."""
    listed = tuple(remove_pattern(columns, cue=cue, pattern=pattern) for cue, pattern in cues.items())
    return (*listed, remove_by_lines(columns, source), remove_source_names(columns, source))


@step
def remove_pattern(table: pd.DataFrame, columns: tuple[str, ...], cue: str, pattern: str) -> pd.DataFrame:
    """Take out of the texts what a cue's pattern matches.

    >>> rows = pd.DataFrame({"t": ["Дъжд.\\nСнимка: Ана Ли"]})
    >>> remove_pattern(("t",), cue="photograph", pattern=CUES["photograph"])(rows)["t"].tolist()
    ['Дъжд.']
    """
    found = re.compile(pattern, re.MULTILINE)
    return table.assign(**{name: table[name].map(lambda text: _cut(found, text)) for name in columns})


def _cut(found: re.Pattern[str], text: str) -> str:
    cut = found.sub("", text)
    return text if cut == text else _tidied(cut)


def _tidied(text: str) -> str:
    """Without empty lines and double spaces that a cut leaves."""
    lines = (re.sub(r"[ \t]+", " ", line).strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


@step
def remove_by_lines(table: pd.DataFrame, columns: tuple[str, ...], source: str) -> pd.DataFrame:
    """Take out lines that are nothing but a person's name and a source's name, such as ``Ана Ли, Зорница Прес``.

    >>> rows = pd.DataFrame({"t": ["Ана Ли, Нюз\\nВали сняг."], "s": ["Нюз"]})
    >>> remove_by_lines(("t",), "s")(rows)["t"].tolist()
    ['Вали сняг.']
    """
    names = "|".join(re.escape(name) for name in sorted(set(table[source]), key=lambda name: (-len(name), name)))
    found = re.compile(rf"^[А-ЯA-Z]\w+(?: [А-ЯA-Z]\w+)+\s*[,/|–-]\s*(?:{names})\s*$", re.MULTILINE)
    return table.assign(**{name: table[name].map(lambda text: _cut(found, text)) for name in columns})


@step
def remove_source_names(table: pd.DataFrame, columns: tuple[str, ...], source: str) -> pd.DataFrame:
    """Take the names of all sources out of the texts, with the slashes or brackets around them.

    >>> rows = pd.DataFrame({"t": ["/Нюз/ Вали сняг, каза „Нюз“."], "s": ["Нюз"]})
    >>> remove_source_names(("t",), "s")(rows)["t"].tolist()
    ['Вали сняг, каза .']
    """
    names = "|".join(re.escape(name) for name in sorted(set(table[source]), key=lambda name: (-len(name), name)))
    found = re.compile(rf"[/(\[„\"«]?(?<!\w)(?:{names})(?!\w)[/)\]“\"»]?", re.IGNORECASE)
    return table.assign(**{name: table[name].map(lambda text: _cut(found, text)) for name in columns})


@step
def split_by_source_and_topic(
    table: pd.DataFrame,
    source: str,
    topic: str,
    label: str,
    date: str,
    newest: int,
    seed: int,
    train: float = 0.6,
    validation: float = 0.2,
) -> pd.DataFrame:
    """Split articles so that a topic of a source is in one split.

    The largest source of each class gives train and validation, and the rest of its topics to test; every other source
    is in test whole. The ``newest`` sources, by the date of their first article, never give to train, however large.
    Topics, largest first, go to the split that is furthest below its share; equal ones in an order drawn by ``seed``.

    >>> rows = [("a", t, "yes", "2010") for t in "xxxyyz"] + [("b", t, "no", "2011") for t in "xyz"]
    >>> table = pd.DataFrame(rows, columns=["s", "t", "y", "d"])
    >>> out = split_by_source_and_topic("s", "t", "y", "d", newest=0, seed=1, train=0.5, validation=0.3)(table)
    >>> bool((out.groupby(["s", "t"])["split"].nunique() == 1).all())
    True
    """
    new = set(table.groupby(source)[date].min().sort_values(kind="stable").index[-newest:] if newest else ())
    old = table[~table[source].isin(new)]
    sizes = (
        old.groupby([label, source]).size().reset_index(name="n").sort_values(["n", source], ascending=[False, True])
    )
    largest = set(sizes.drop_duplicates(label)[source])
    shares = {"train": train, "validation": validation, "test": 1 - train - validation}
    places: dict[tuple[str, str], str] = {}
    for name in sorted(largest):
        places |= {(name, of): split for of, split in _deal(old[old[source] == name][topic], shares, seed).items()}
    pairs = zip(table[source], table[topic])
    return table.assign(split=[places.get(pair, "test") for pair in pairs])


def _deal(topics: pd.Series, shares: Mapping[str, float], seed: int) -> dict[str, str]:
    counts = topics.value_counts()
    names = sorted(counts.index)
    drawn = dict(zip(names, np.random.RandomState(seed).permutation(len(names))))
    given = dict.fromkeys(shares, 0)
    places = {}
    for name in sorted(names, key=lambda name: (-counts[name], drawn[name])):
        split = max(shares, key=lambda split: (shares[split] * len(topics) - given[split], split))
        places[name] = split
        given[split] += int(counts[name])
    return places


@step
def keep_ratio(
    table: pd.DataFrame, id_column: str, label: str, rare: str, ratio: int, splits: tuple[str, ...], seed: int
) -> pd.DataFrame:
    """Thin out a class of some splits, so that ``ratio`` rows of the others stand against one of ``rare``.

    >>> rows = pd.DataFrame({"id": list("abcdef"), "y": ["r", "c", "c", "c", "c", "c"], "split": ["train"] * 6})
    >>> len(keep_ratio("id", "y", rare="r", ratio=3, splits=("train",), seed=0)(rows))
    4
    """
    gone: set = set()
    for split in splits:
        rows = table[table["split"] == split]
        few, many = rows[rows[label] == rare], rows[rows[label] != rare]
        surplus, stay = (many, ratio * len(few)) if len(many) > ratio * len(few) else (few, max(1, len(many) // ratio))
        ids = sorted(surplus[id_column])
        order = np.random.RandomState(seed).permutation(len(ids))
        gone |= {ids[at] for at in order[stay:]}
    return table[~table[id_column].isin(gone)]
