# SPDX-License-Identifier: Apache-2.0
"""Steps for questions: bounds of length, repetitions, the text with its choices, answers at their places, gold that disagrees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pandas as pd

from euroglue.prepare.text import Key, casefolded
from euroglue.task import check, step

SHOWN = 3
"""How many rows a finding names."""


def _texts(value: Any) -> list[str]:
    """A text itself, or those of lettered choices."""
    return [value] if isinstance(value, str) else [choice["text"] for choice in value]


@step
def keep_lengths(table: pd.DataFrame, column: str, least: int, most: int) -> pd.DataFrame:
    """Keep the rows whose text, or each of whose choices, has a number of characters within bounds, both included.

    >>> keep_lengths("q", 2, 3)(pd.DataFrame({"q": ["a", "ab", "abc", "abcd"]}))["q"].tolist()
    ['ab', 'abc']
    """
    return table[
        table[column].map(lambda value: all(least <= len(text) <= most for text in _texts(value))).astype(bool)
    ]


@step
def drop_repetitive(table: pd.DataFrame, columns: tuple[str, ...], most: int) -> pd.DataFrame:
    """Drop the rows in one of whose texts a word stands more often than so many times; white space has no words.

    >>> drop_repetitive(("q",), 2)(pd.DataFrame({"q": ["da da da", "da da", "   "]}))["q"].tolist()
    ['da da', '   ']
    """

    def calm(row: tuple[Any, ...]) -> bool:
        counts = (Counter(text.split()) for value in row for text in _texts(value))
        return all(max(words.values(), default=0) <= most for words in counts)

    return table.loc[[calm(row) for row in zip(*(table[column] for column in columns))]]


@step
def text_with_choices(table: pd.DataFrame, question: str, choices: str, word: str, into: str = "text") -> pd.DataFrame:
    """Put a question and its choices into one text: the question, a word and a colon, a line a choice.

    Line breaks inside a part become spaces, and parts are stripped.

    >>> rows = pd.DataFrame({"q": ["Kaj\\npada? "], "c": [[{"label": "a", "text": " dež"}, {"label": "b", "text": "dan"}]]})
    >>> print(text_with_choices("q", "c", word="Možnosti")(rows)["text"][0])
    Kaj pada?
    Možnosti:
    a. dež
    b. dan
    """

    def line(text: str) -> str:
        return text.replace("\n", " ").strip()

    texts = [
        "\n".join([line(asked), f"{word}:", *(f"{choice['label']}. {line(choice['text'])}" for choice in listed)])
        for asked, listed in zip(table[question], table[choices])
    ]
    return table.assign(**{into: pd.Series(texts, index=table.index, dtype=object)})


@step
def pair_of_choices(table: pd.DataFrame, choices: str, into: str) -> pd.DataFrame:
    """Add what two sentences of a Winograd pair share: their choices, lower-cased and in the order of the alphabet.

    >>> rows = pd.DataFrame({"c": [[{"label": "a", "text": "Sneg"}, {"label": "b", "text": "dež"}]]})
    >>> pair_of_choices("c", into="pair")(rows)["pair"].tolist()
    ['dež / sneg']
    """
    pairs = [" / ".join(sorted(casefolded(text) for text in _texts(value))) for value in table[choices]]
    return table.assign(**{into: pd.Series(pairs, index=table.index, dtype=object)})


@step
def drop_contradictory(table: pd.DataFrame, by: Key, gold: str | Key) -> pd.DataFrame:
    """Drop all rows of a text that has two golds: neither can be trusted.

    >>> from euroglue.prepare.text import same_text
    >>> rows = pd.DataFrame({"t": ["A", "a", "b"], "y": [0, 1, 1]})
    >>> drop_contradictory(by=same_text("t"), gold="y")(rows)["t"].tolist()
    ['b']
    """
    values = gold(table) if isinstance(gold, Key) else table[gold]
    return table[values.groupby(by(table)).transform("nunique") < 2]


@step
def drop_without_answer(table: pd.DataFrame, answers: str) -> pd.DataFrame:
    """Drop the questions that have no answer, or whose first is empty.

    >>> rows = pd.DataFrame({"a": [{"text": []}, {"text": [""]}, {"text": ["da"]}]})
    >>> drop_without_answer("a")(rows)["a"].tolist()
    [{'text': ['da']}]
    """
    return table[table[answers].map(lambda value: bool(value["text"]) and value["text"][0] != "").astype(bool)]


def _aligned(context: str, answers: dict[str, list]) -> bool:
    pairs = zip(answers["text"], answers["answer_start"])
    return all(start >= 0 and context[start : start + len(text)] == text for text, start in pairs)


@step
def drop_misaligned(table: pd.DataFrame, context: str, answers: str) -> pd.DataFrame:
    """Drop the questions with an answer that does not stand in the context at its place.

    >>> rows = pd.DataFrame({"c": ["Sava teče"] * 2, "a": [{"text": ["teče"], "answer_start": [at]} for at in (5, 4)]})
    >>> len(drop_misaligned("c", "a")(rows))
    1
    """
    return table.loc[[_aligned(text, value) for text, value in zip(table[context], table[answers])]]


@check
def report_misaligned(table: pd.DataFrame, id_column: str, context: str, answers: str) -> list[str]:
    """Report how many questions have an answer that does not stand in the context at its place.

    >>> rows = pd.DataFrame({"id": ["x"], "c": ["Sava"], "a": [{"text": ["Sava"], "answer_start": [1]}]})
    >>> report_misaligned("id", "c", "a")(rows)
    ['1 × question with an answer not at its answer_start: x']
    """

    def found() -> Iterator[str]:
        for key, text, value in zip(table[id_column], table[context], table[answers]):
            if not _aligned(text, value):
                yield str(key)

    keys = list(found())
    more = f" and {len(keys) - SHOWN:,} more" if len(keys) > SHOWN else ""
    return [f"{len(keys):,} × question with an answer not at its answer_start: {', '.join(keys[:SHOWN])}{more}"] * bool(
        keys
    )
