# SPDX-License-Identifier: Apache-2.0
"""Steps that make pairs: words in contexts (WiC-NL), pronouns and mentions (DPR), premises and choices (COPA-NL).

DUMB, sections 2.2 and 2.3. A pair is a row of its first part with columns of its second, so that a step only drops rows.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from euroglue.errors import ContractError
from euroglue.task import check, step


@step
def keep_short(table: pd.DataFrame, column: str, most: int) -> pd.DataFrame:
    """Keep the rows with at most so many words in a column.

    >>> keep_short("t", most=1)(pd.DataFrame({"t": [["a"], ["a", "b"]]}))["t"].tolist()
    [['a']]
    """
    return table[table[column].map(len) <= most]


@step
def keep_ambiguous(table: pd.DataFrame, lemma: str, pos: str, sense: str) -> pd.DataFrame:
    """Keep the words of a lemma and part of speech that has two senses or more, one of them at least twice.

    >>> rows = pd.DataFrame({"l": list("aaabbc"), "p": "n", "s": list("112344")})
    >>> keep_ambiguous("l", "p", "s")(rows)["l"].tolist()
    ['a', 'a', 'a']
    """
    senses = table.groupby([lemma, pos])[sense]
    return table[(senses.transform("nunique") > 1) & (senses.transform("size") > senses.transform("nunique"))]


@step
def split_groups(table: pd.DataFrame, group: str, seed: int, rest: str = "train", **shares: float) -> pd.DataFrame:
    """Draw splits over the values of a column, each value whole; rows that have a split keep it.

    The values are sorted and permuted by ``numpy.random.RandomState(seed)``; shares are rounded to whole values.

    >>> rows = pd.DataFrame({"lemma": list("aabc"), "split": [None] * 4})
    >>> split_groups("lemma", seed=1, test=0.3)(rows)["split"].tolist()
    ['test', 'test', 'train', 'train']
    """
    free = table["split"].isna()
    values = sorted(set(table.loc[free, group]))
    order = iter(np.random.RandomState(seed).permutation(len(values)))
    places = dict.fromkeys(values, rest)
    for split, share in shares.items():
        for _ in range(round(share * len(values))):
            places[values[next(order)]] = split
    return table.assign(split=table["split"].where(~free, table[group].map(places)))


class _Word(NamedTuple):
    row: Any
    key: str
    sense: str
    sentence: tuple[str, ...]


@step
def pair_by_sense(
    table: pd.DataFrame,
    id_column: str,
    lemma: str,
    pos: str,
    sense: str,
    tokens: str,
    index: str,
    seed: int,
    **most: int,
) -> pd.DataFrame:
    """Pair words of one lemma and part of speech, as many with the same sense as with different ones, within a split.

    Words are taken in an order drawn for each lemma by ``random.Random("<seed> <lemma> <pos>")`` from their sorted ids, the
    least used first; a pair is of two different sentences. A lemma gives at most ``most[split]`` pairs.

    The row of a pair is that of its first word, with columns ``tokens1``, ``tokens2``, ``index1``, ``index2`` and
    ``label`` (``same`` or ``different``).

    >>> rows = pd.DataFrame({"id": list("abc"), "lemma": "bank", "pos": "n", "sense": ["1", "1", "2"], "index": [0, 1, 2],
    ...     "tokens": [["x"], ["x", "y"], ["x", "y", "z"]], "split": "train"})
    >>> out = pair_by_sense("id", "lemma", "pos", "sense", "tokens", "index", seed=0, train=2)(rows)
    >>> sorted(out["label"])
    ['different', 'same']
    """
    pairs: dict[Any, tuple[Any, str]] = {}
    for split, limit in most.items():
        for name, words in table[table["split"] == split].groupby(lemma, sort=True):
            left = limit // 2
            for kind, rows in words.groupby(pos, sort=True):
                values = zip(rows.index, rows[id_column], rows[sense], rows[tokens].map(tuple))
                listed = sorted((_Word(*row) for row in values), key=lambda word: word.key)
                random.Random(f"{seed} {name} {kind}").shuffle(listed)
                couples = list(_couples(listed, left))
                pairs |= {first.row: (second.row, label) for first, second, label in couples}
                left -= len(couples) // 2
    kept = table[table.index.isin(pairs)]
    partners = table.loc[[pairs[at][0] for at in kept.index]]
    firsts: dict[str, Any] = {
        "tokens1": kept[tokens],
        "index1": kept[index],
        "label": [pairs[at][1] for at in kept.index],
    }
    return kept.assign(tokens2=partners[tokens].to_numpy(), index2=partners[index].to_numpy(), **firsts)


def _couples(words: Sequence[_Word], most: int) -> Iterator[tuple[_Word, _Word, str]]:
    """Pairs in couples: one of the same sense, one of different senses; of each sense the first ``2 · most`` words."""
    seen: dict[str, int] = {}
    few = []
    for word in words:
        seen[word.sense] = seen.get(word.sense, 0) + 1
        if seen[word.sense] <= 2 * most:
            few.append(word)
    uses = dict.fromkeys((word.key for word in few), 0)
    firsts: set[str] = set()
    for _ in range(most):
        same = _pick(few, uses, firsts, equal=True)
        other = _pick(few, uses, firsts | ({same[0].key} if same else set()), equal=False)
        if same is None or other is None:
            return
        for first, second, label in ((*same, "same"), (*other, "different")):
            firsts.add(first.key)
            uses[first.key] += 1
            uses[second.key] += 1
            yield first, second, label


def _pick(words: Sequence[_Word], uses: Mapping[str, int], firsts: set[str], equal: bool) -> tuple[_Word, _Word] | None:
    """The two least used words, the first of them not yet the first of a pair; None where there are none."""
    best: tuple[int, _Word, _Word] | None = None
    for first in words:
        if first.key in firsts:
            continue
        for second in words:
            if (first.sense == second.sense) is not equal or first.sentence == second.sentence or first is second:
                continue
            used = uses[first.key] + uses[second.key]
            if best is None or used < best[0]:
                best = (used, first, second)
            if not used:
                return first, second
    return best[1:] if best else None


@check
def require_apart(table: pd.DataFrame, columns: tuple[str, ...]) -> list[str]:
    """Refuse a table in which a text of one of the columns stands in two splits, in whichever of the columns.

    Raises:
        ContractError: a text is shared; it is named with the splits.

    >>> require_apart(("a", "b"))(pd.DataFrame({"a": [["x"]], "b": [["y"]], "split": ["train"]}))
    []
    """
    seen: dict[tuple[str, ...], str] = {}
    for column in columns:
        for words, split in zip(table[column], table["split"]):
            if seen.setdefault(tuple(words), split) != split:
                raise ContractError(
                    f"{' '.join(words)[:60]!r} stands in {seen[tuple(words)]} and in {split}; expected in one"
                )
    return []


@check
def require_balance(table: pd.DataFrame, label: str) -> list[str]:
    """Refuse a split in which the labels do not occur equally often.

    Raises:
        ContractError: such a split; its counts.

    >>> require_balance("y")(pd.DataFrame({"y": ["same", "different"], "split": ["test"] * 2}))
    []
    """
    for split, rows in table.groupby("split"):
        counts = rows[label].value_counts().to_dict()
        if len(set(counts.values())) != 1:
            raise ContractError(f"{split}: expected every {label} equally often, got {dict(sorted(counts.items()))}")
    return []


@step
def nearest_of_each_label(
    table: pd.DataFrame, group: str, label: str, values: tuple[str, ...], by: tuple[str, ...]
) -> pd.DataFrame:
    """Keep, of each group, the first row of each label in the order of some columns; groups that lack a label go.

    >>> rows = pd.DataFrame({"g": list("aaab"), "y": ["s", "s", "d", "s"], "far": [2, 1, 1, 1]})
    >>> nearest_of_each_label("g", "y", values=("s", "d"), by=("far",))(rows).index.tolist()
    [1, 2]
    """
    ordered = table.sort_values([group, *by], kind="stable")
    first = ordered[~ordered.duplicated([group, label])]
    whole = first.groupby(group)[label].nunique() == len(values)
    return table[table.index.isin(first.index) & table[group].map(whole).to_numpy(dtype=bool)]


@step
def context_of_pronouns(table: pd.DataFrame, group: str) -> pd.DataFrame:
    """Put together the sentences that a pronoun's mentions need, the same ones for all of its rows, and count its words.

    Adds ``tokens`` (the sentence before, if a mention stands there; the pronoun's own; the one after, likewise),
    ``index1`` (of the pronoun) and ``index2`` (of the mention's first word), both from 0.

    >>> rows = pd.DataFrame({"g": ["p", "p"], "place": [-1, 0], "index": [1, 1], "start": [0, 2],
    ...     "previous": [["Ana", "las"]] * 2, "current": [["Toen", "zag", "Bo"]] * 2, "following": [["x"]] * 2})
    >>> out = context_of_pronouns("g")(rows)
    >>> out["tokens"].tolist()[1], out["index1"].tolist(), out["index2"].tolist()
    (['Ana', 'las', 'Toen', 'zag', 'Bo'], [3, 3], [0, 4])
    """
    places = table.groupby(group)["place"].agg(set)
    tokens, index1, index2 = [], [], []
    for row in table.to_dict("records"):
        needed = places[row[group]]
        before = row["previous"] if -1 in needed else []
        after = row["following"] if 1 in needed else []
        shift = {-1: 0, 0: len(before), 1: len(before) + len(row["current"])}[row["place"]]
        tokens.append([*before, *row["current"], *after])
        index1.append(row["index"] + len(before))
        index2.append(row["start"] + shift)
    return table.assign(tokens=pd.Series(tokens, index=table.index), index1=index1, index2=index2)


@step
def choices_in_causal_order(
    table: pd.DataFrame, premise: str, choices: tuple[str, ...], question: str, into: str = "choices"
) -> pd.DataFrame:
    """Make of a premise and its choices pairs of sentences, the cause first: the choice where it is the cause asked for.

    Raises:
        ContractError: a question is neither ``cause`` nor ``effect``.

    >>> row = pd.DataFrame({"p": ["Hij viel."], "a": ["Hij gleed uit."], "b": ["Hij sliep."], "q": ["cause"]})
    >>> choices_in_causal_order("p", ("a", "b"), "q")(row)["choices"][0][0]
    {'sentence1': 'Hij gleed uit.', 'sentence2': 'Hij viel.'}
    """
    made = []
    for row in table.to_dict("records"):
        if row[question] not in ("cause", "effect"):
            raise ContractError(f"{question}: expected cause or effect, got {str(row[question])[:40]!r}")
        pairs = [(row[name], row[premise]) for name in choices]
        if row[question] == "effect":
            pairs = [(second, first) for first, second in pairs]
        made.append([{"sentence1": first, "sentence2": second} for first, second in pairs])
    return table.assign(**{into: pd.Series(made, index=table.index, dtype=object)})
