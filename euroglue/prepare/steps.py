# SPDX-License-Identifier: Apache-2.0
"""The steps of preparation: pure functions ``table -> table``, each with a before → after example."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from euroglue.errors import ContractError
from euroglue.prepare.text import Key
from euroglue.task import check, step


@step
def drop_duplicates(table: pd.DataFrame, by: Key, spare_empty: bool = False) -> pd.DataFrame:
    """Keep the first of the rows that are equal by the key; rows with an empty key can be spared.

    >>> from euroglue.prepare.text import same_text
    >>> drop_duplicates(by=same_text("t"))(pd.DataFrame({"t": ["Да", "да ", "не"]}))["t"].tolist()
    ['Да', 'не']
    """
    keys = by(table)
    return table[~keys.duplicated() | (keys.eq("") & spare_empty)]


@step
def drop_empty(table: pd.DataFrame, by: Key) -> pd.DataFrame:
    """Drop the rows in which nothing is left to compare by the key.

    >>> from euroglue.prepare.text import same_words
    >>> drop_empty(by=same_words("t"))(pd.DataFrame({"t": ["Да", " … "]}))["t"].tolist()
    ['Да']
    """
    return table[by(table) != ""]


@step
def sort_by(table: pd.DataFrame, columns: tuple[str, ...]) -> pd.DataFrame:
    """Sort by columns, rows that are equal in them keeping their order; texts of digits sort as numbers.

    >>> sort_by(("d",))(pd.DataFrame({"d": ["10", "9"]}))["d"].tolist()
    ['9', '10']
    """

    def order(values: pd.Series) -> pd.Series:
        return values.astype("int64") if values.map(lambda value: str(value).isdecimal()).all() else values

    return table.sort_values(list(columns), kind="stable", key=order)


@step
def split_in_order(table: pd.DataFrame, **shares: float) -> pd.DataFrame:
    """Cut the table, in its present order, into consecutive splits; shares sum to 1, cuts are rounded to whole rows.

    >>> split_in_order(train=0.5, test=0.5)(pd.DataFrame({"id": list("abcd")}))["split"].tolist()
    ['train', 'train', 'test', 'test']
    """
    ends = np.floor(np.cumsum(list(shares.values())) * len(table) + 0.5).astype(int)
    sizes = np.diff(ends, prepend=0)
    return table.assign(split=np.repeat(np.array(list(shares), dtype=object), sizes))


@step
def split_by(table: pd.DataFrame, column: str, **values: tuple[str, ...]) -> pd.DataFrame:
    """Give the rows with one of the named values in a column their split; the others have none yet.

    >>> split_by("topic", test=("b",))(pd.DataFrame({"topic": ["a", "b"]}))["split"].tolist()
    [None, 'test']
    """
    named = {value: split for split, some in values.items() for value in some}
    return table.assign(split=table[column].map(named.get).astype(object).where(table[column].isin(named), None))


@step
def split_rest(table: pd.DataFrame, id_column: str, seed: int, rest: str = "train", **shares: float) -> pd.DataFrame:
    """Draw splits from the rows that have none; what is left becomes ``rest``. Shares are rounded to whole rows.

    Rows are taken in the order of their ids and permuted by ``numpy.random.RandomState(seed)``, so that neither the order
    of the table nor that of files on disk matters.

    >>> rows = pd.DataFrame({"id": list("cab"), "split": [None, None, "test"]})
    >>> split_rest("id", seed=0, validation=0.5)(rows)["split"].tolist()
    ['validation', 'train', 'test']
    """
    return _draw(table, table["split"].isna(), id_column, seed, rest, shares)


@step
def split_off(table: pd.DataFrame, id_column: str, from_: str, seed: int, **shares: float) -> pd.DataFrame:
    """Draw splits from the rows of another one, as ``split_rest`` does.

    >>> rows = pd.DataFrame({"id": list("abcd"), "split": ["train"] * 4})
    >>> split_off("id", from_="train", seed=0, validation=0.25)(rows)["split"].tolist()
    ['train', 'train', 'validation', 'train']
    """
    return _draw(table, table["split"] == from_, id_column, seed, from_, shares)


def _draw(
    table: pd.DataFrame, free: pd.Series, id_column: str, seed: int, rest: str, shares: Mapping[str, float]
) -> pd.DataFrame:
    index = table[free].sort_values(id_column).index
    drawn = iter(np.random.RandomState(seed).permutation(len(index)))
    split = table["split"].copy()
    split[index] = rest
    for name, share in shares.items():
        for _ in range(round(share * len(index))):
            split[index[next(drawn)]] = name
    return table.assign(split=split)


@step
def map_values(table: pd.DataFrame, column: str, values: Mapping[Any, str]) -> pd.DataFrame:
    """Rename values of a column; those that are not named stay.

    >>> map_values("y", {"0": "normal"})(pd.DataFrame({"y": ["0", "x", None]}, dtype=object))["y"].tolist()
    ['normal', 'x', None]
    """
    mapped = [values.get(value, value) for value in table[column]]
    return table.assign(**{column: pd.Series(mapped, index=table.index, dtype=object)})


@step
def map_entity_types(table: pd.DataFrame, column: str, types: Mapping[str, str]) -> pd.DataFrame:
    """Rename the types of BIO tags, all of which are named; a type that becomes ``O`` is no entity any more.

    Raises:
        ContractError: a tag is neither ``O`` nor ``B-`` or ``I-`` and a type that is named.

    >>> rows = pd.DataFrame({"y": [["B-per", "I-per", "B-title", "O"]]})
    >>> map_entity_types("y", {"per": "PER", "title": "O"})(rows)["y"].tolist()
    [['B-PER', 'I-PER', 'O', 'O']]
    """
    tags = {"O": "O"}
    for old, new in types.items():
        tags |= {f"{mark}-{old}": "O" if new == "O" else f"{mark}-{new}" for mark in "BI"}
    if unknown := sorted({tag for row in table[column] for tag in row} - set(tags)):
        raise ContractError(f"{column}: expected O or B- and I- of {', '.join(types)}, got {', '.join(unknown[:5])}")
    mapped = [[tags[tag] for tag in row] for row in table[column]]
    return table.assign(**{column: pd.Series(mapped, index=table.index, dtype=object)})


@step
def drop_shared(table: pd.DataFrame, from_: str, by: str | Key, with_: tuple[str, ...]) -> pd.DataFrame:
    """Drop the rows of one split whose value occurs in other splits.

    >>> rows = pd.DataFrame({"film": ["a", "b", "a"], "split": ["train", "train", "test"]})
    >>> drop_shared(from_="train", by="film", with_=("test",))(rows)["film"].tolist()
    ['b', 'a']
    """
    values = by(table) if isinstance(by, Key) else table[by]
    others = set(values[table["split"].isin(with_)])
    return table[~((table["split"] == from_) & values.isin(others))]


@step
def keep_matching(table: pd.DataFrame, column: str, pattern: str) -> pd.DataFrame:
    """Keep the rows whose whole text matches a pattern, in which a dot stands for line ends too.

    >>> keep_matching("t", "[^=]*=?[^=]*")(pd.DataFrame({"t": ["a=b", "a=b=c"]}))["t"].tolist()
    ['a=b']
    """
    whole = re.compile(pattern, re.DOTALL)
    return table[table[column].map(lambda text: whole.fullmatch(text) is not None).astype(bool)]


@step
def copy_column(table: pd.DataFrame, **new: str) -> pd.DataFrame:
    """Add columns that repeat others.

    >>> copy_column(b="a")(pd.DataFrame({"a": [1]})).to_dict("list")
    {'a': [1], 'b': [1]}
    """
    return table.assign(**{name: table[old] for name, old in new.items()})


@step
def band(table: pd.DataFrame, column: str, into: str, upper: tuple[float, ...]) -> pd.DataFrame:
    """Number the band a value falls in, from 0; a value equal to an upper bound belongs to the band below.

    >>> band("r", into="c", upper=(1.5, 3.5))(pd.DataFrame({"r": [1.5, 2.0, 3.5, 4.0]}))["c"].tolist()
    [0, 1, 1, 2]
    """
    bands = np.searchsorted(np.array(upper), table[column].astype("float64"), side="left")
    return table.assign(**{into: bands})


@step
def repeat_per_token(table: pd.DataFrame, tokens: str, **values: str) -> pd.DataFrame:
    """Add list columns that hold one constant per token.

    >>> repeat_per_token("tokens", langs="bg")(pd.DataFrame({"tokens": [["а", "б"]]}))["langs"].tolist()
    [['bg', 'bg']]
    """
    new: dict[str, Any] = {name: [[value] * len(row) for row in table[tokens]] for name, value in values.items()}
    return table.assign(**new)


@step
def entity_spans(table: pd.DataFrame, tokens: str, tags: str, into: str) -> pd.DataFrame:
    """Add the entities as texts ``TYPE: words``, in order, read from BIO tags.

    >>> row = pd.DataFrame({"w": [["Ана", "Ли", "в", "Рим"]], "t": [["B-PER", "I-PER", "O", "B-LOC"]]})
    >>> entity_spans("w", "t", into="s")(row)["s"].tolist()
    [['PER: Ана Ли', 'LOC: Рим']]
    """
    new: dict[str, Any] = {into: [_spans(words, names) for words, names in zip(table[tokens], table[tags])]}
    return table.assign(**new)


def _spans(words: list[str], tags: list[str]) -> list[str]:
    spans: list[list[str]] = []
    kind = ""
    for word, tag in zip(words, tags):
        prefix, _, name = tag.partition("-")
        if prefix == "B" or (prefix == "I" and (name != kind or not spans)):
            spans.append([f"{name}: {word}"])
        elif prefix == "I":
            spans[-1].append(word)
        kind = name
    return [" ".join(span) for span in spans]


@check
def report_tokens(table: pd.DataFrame, column: str, pattern: str, id_column: str, why: str) -> list[str]:
    """Report each token that matches a pattern, with its example and place; nothing is changed.

    >>> rows = pd.DataFrame({"id": ["test-3"], "tokens": [["IIO]]", "път"]]})
    >>> report_tokens("tokens", r"^I+O", id_column="id", why="damaged")(rows)
    ["test-3, token 0: 'IIO]]': damaged"]
    """
    found = re.compile(pattern)
    return [
        f"{key}, token {place}: {token!r}: {why}"
        for key, tokens in zip(table[id_column], table[column])
        for place, token in enumerate(tokens)
        if found.search(token)
    ]


@check
def require_disjoint(table: pd.DataFrame, by: str | Key, within: bool = False) -> list[str]:
    """Refuse a table in which two splits (or, with ``within``, two rows) share a value.

    Raises:
        ContractError: a value is shared; the value and where it stands are named.

    >>> require_disjoint(by="film")(pd.DataFrame({"film": ["a", "b"], "split": ["train", "test"]}))
    []
    """
    values = by(table) if isinstance(by, Key) else table[by]
    seen: dict[Any, str] = {}
    for value, split in zip(values, table["split"]):
        if value in seen and (within or seen[value] != split):
            raise ContractError(
                f"{by} = {str(value)[:60]!r} stands in {seen[value]} and in {split}; expected in one place"
            )
        seen[value] = split
    return []


def label_counts(values: pd.Series) -> Mapping[str, int]:
    """How often each label name occurs in a column of names or of lists of names, by falling count."""
    flat = values.explode() if len(values) and isinstance(values.iloc[0], list) else values
    counts = flat.dropna().value_counts()
    return {str(name): int(count) for name, count in sorted(counts.items(), key=lambda item: (-item[1], str(item[0])))}


@check
def require_answer_among_choices(
    table: pd.DataFrame, question: str, answer: str, splits: tuple[str, ...] = ("train", "validation", "test")
) -> list[str]:
    """Refuse a row whose answer is the letter of none of its choices.

    Raises:
        ContractError: such a row; its answer and the letters there are.

    >>> row = {"q": [{"choices": [{"label": "A"}, {"label": "B"}]}], "a": ["B"], "split": ["train"]}
    >>> require_answer_among_choices("q", "a")(pd.DataFrame(row))
    []
    """
    for asked, key, split in zip(table[question], table[answer], table["split"]):
        letters = [choice["label"] for choice in asked["choices"]]
        if split in splits and key not in letters:
            raise ContractError(f"{split}: expected the answer to be one of {', '.join(letters)}, got {key!r}")
    return []
