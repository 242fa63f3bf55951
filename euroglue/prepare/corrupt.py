# SPDX-License-Identifier: Apache-2.0
"""ScaLA: sentences of a treebank made ungrammatical by one deletion or one swap of neighbours, as published.

Nielsen (2023), "ScandEval: A Benchmark for Scandinavian Natural Language Processing", section 3.3, with the rules that the
published builds follow, faults included; ``euroglue.prepare.corrupt_checked`` has the mended ones. Tags are those of
Universal Dependencies.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from euroglue.errors import ContractError
from euroglue.prepare.steps import drop_duplicates, keep_matching
from euroglue.prepare.text import same_exactly
from euroglue.task import Step, derivation, step

PUNCTUATION = frozenset({"PUNCT", "SYM"})
NOMINAL = frozenset({"NOUN", "PROPN"})
PRONOUN_AND_AUXILIARY = frozenset({"PRON", "AUX"})
KEPT = frozenset({"ADJ", "ADV", "PUNCT", "SYM", "DET", "NUM", "PART"})
"""Tags whose words are never deleted: a sentence without them is often still a good one."""

EVEN_QUOTES = '[^"]*("[^"]*"[^"]*)*'
AT_MOST_ONE_EQUALS_SIGN = "[^=]*=?[^=]*"
WITHOUT_END_MARK = "(?!.*SLUTORD).*"
"""Without the mark that some Danish and Swedish treebanks put at the end of a text."""


def scala_filters(text: str, tokens: str, tags: str) -> tuple[Step, ...]:
    """The filters of the published build, in their order: which sentences of a treebank are used at all."""
    return (
        drop_duplicates(by=same_exactly(text)),
        keep_long(tokens, least=6),
        keep_varied(tags, least=6),
        keep_matching(text, EVEN_QUOTES),
        drop_beginning(tags, sorted(PUNCTUATION)),
        keep_matching(text, AT_MOST_ONE_EQUALS_SIGN),
        keep_matching(text, WITHOUT_END_MARK),
    )


@step
def keep_long(table: pd.DataFrame, column: str, least: int) -> pd.DataFrame:
    """Keep the rows whose list has so many entries.

    >>> keep_long("t", least=2)(pd.DataFrame({"t": [["a"], ["a", "b"]]}))["t"].tolist()
    [['a', 'b']]
    """
    return table[table[column].map(len) >= least]


@step
def keep_varied(table: pd.DataFrame, column: str, least: int) -> pd.DataFrame:
    """Keep the rows whose list has so many distinct entries.

    >>> keep_varied("t", least=2)(pd.DataFrame({"t": [["X", "X"], ["X", "Y"]]}))["t"].tolist()
    [['X', 'Y']]
    """
    return table[table[column].map(lambda entries: len(set(entries)) >= least).astype(bool)]


@step
def drop_beginning(table: pd.DataFrame, column: str, values: Sequence[str]) -> pd.DataFrame:
    """Drop the rows whose list begins with one of some values.

    >>> drop_beginning("t", ["PUNCT"])(pd.DataFrame({"t": [["PUNCT", "X"], ["X"]]}))["t"].tolist()
    [['X']]
    """
    return table[table[column].map(lambda entries: entries[0] not in values).astype(bool)]


def deletable(tags: Sequence[str]) -> list[int]:
    """Places, from 0, of the words that may be deleted: not of the kinds in ``KEPT``, and no noun beside a noun.

    >>> deletable("PROPN AUX ADJ NOUN PROPN PUNCT".split())
    [0, 1]
    """
    return [at for at, tag in enumerate(tags) if tag not in KEPT and not _beside_nominal(tags, at)]


def _beside_nominal(tags: Sequence[str], at: int) -> bool:
    beside = (*tags[max(at - 1, 0) : at], *tags[at + 1 : at + 2])
    return tags[at] in NOMINAL and not NOMINAL.isdisjoint(beside)


def swappable(tags: Sequence[str]) -> list[int]:
    """Places, from 0, of the words with a neighbouring word of another tag: those that a published swap starts from.

    >>> swappable("PROPN PROPN VERB".split()), swappable("ADV PUNCT".split())
    ([1, 2], [])
    """
    return [at for at in range(len(tags)) if _differ(tags, at, at + 1) or _differ(tags, at, at - 1)]


def _differ(tags: Sequence[str], one: int, other: int) -> bool:
    inside = 0 <= other < len(tags)
    return inside and PUNCTUATION.isdisjoint((tags[one], tags[other])) and tags[one] != tags[other]


def partners(tags: Sequence[str], at: int) -> list[int]:
    """The neighbours that the word at ``at`` may be swapped with by the published rules; two where either will do.

    The first word goes right and the last left, whatever stands there; a word whose right neighbour will not do goes left
    without a look at what is there. Only to the right are a pronoun and an auxiliary held together.

    >>> tags = "ADV AUX PRON VERB ADP NOUN PUNCT".split()
    >>> partners(tags, 2), partners(tags, 1), partners(tags, 5)
    ([1, 3], [0], [4])
    """
    if at == 0:
        return [1]
    if at == len(tags) - 1:
        return [at - 1]
    if not _differ(tags, at, at + 1) or {tags[at], tags[at + 1]} == PRONOUN_AND_AUXILIARY:
        return [at - 1]
    return [at - 1, at + 1] if _differ(tags, at, at - 1) else [at + 1]


def delete(tokens: Sequence[str], tags: Sequence[str], generator: random.Random) -> str | None:
    """The sentence without one word, drawn from ``deletable``; None where there is none.

    >>> delete(["Ana", "spi", "."], ["PROPN", "VERB", "PUNCT"], random.Random(1))
    'spi.'
    """
    places = deletable(tags)
    if not places:
        return None
    at = generator.choice(places)
    return join_tokens([*tokens[:at], *tokens[at + 1 :]])


def flip_neighbours(tokens: Sequence[str], tags: Sequence[str], generator: random.Random) -> str | None:
    """The sentence with one word, drawn from ``swappable``, swapped with a neighbour; None where there are not two such.

    Where the first word is one of the two, the new first word gets title case and the new second word lower case, unless
    they are in upper case, as every one-letter preposition at the head of a sentence is.

    >>> flip_neighbours(["V", "Celju", "dežuje"], ["ADP", "PROPN", "VERB"], random.Random(1))
    'Celju V dežuje'
    """
    places = swappable(tags)
    if len(places) < 2:
        return None
    at = generator.choice(places)
    may = partners(tags, at)
    other = may[generator.random() <= 0.5] if len(may) > 1 else may[0]
    new = list(tokens)
    new[at], new[other] = new[other], new[at]
    if 0 in (at, other):
        new[0] = new[0] if new[0] == new[0].upper() else new[0].title()
        new[1] = new[1] if new[1] == new[1].upper() else new[1].lower()
    return join_tokens(new)


Corruption = Callable[[Sequence[str], Sequence[str], random.Random], "str | None"]
CORRUPTIONS: Mapping[str, Corruption] = {"flip_neighbours": flip_neighbours, "delete": delete}
"""The name in ``corruption_type`` → the corruption."""

_SPACED = {
    **{f" {mark}": mark for mark in ".,;:"},
    **{"( ": "(", " )": ")", "[ ": "[", " ]": "]", "{ ": "{", " }": "}"},
    **{f" {mark}": mark for mark in "?!"},
}
_QUOTED = re.compile('" ([^"]*) "')


def join_tokens(tokens: Sequence[str]) -> str:
    """The text of tokens by the published rules: what they do not know keeps its spaces, Slovene quotation marks too.

    >>> join_tokens('Rekel je : " Pridi " ! ( zdaj ) » da «'.split())
    'Rekel je: "Pridi"! (zdaj) » da «'
    """
    text = " ".join(tokens)
    for spaced, tight in _SPACED.items():
        text = text.replace(spaced, tight)
    if text.count('"') % 2 == 0:
        text = _QUOTED.sub(r'"\1"', text)
    return text


@step
def corrupt_as_published(table: pd.DataFrame, tokens: str, tags: str, seed: int) -> pd.DataFrame:
    """Write the sentences out by the published rules and corrupt each once, a deletion or a swap at even chances.

    Sets ``text`` to the tokens joined by ``join_tokens`` and adds ``corrupted`` and ``corruption_type``. One generator,
    ``random.Random(seed)``, goes through the rows in their order; the published build has no seed.

    Raises:
        ContractError: a sentence can be corrupted in neither way; the published build does not end then.

    >>> row = pd.DataFrame({"tokens": [["Ana", "spi", "."]], "tags": [["PROPN", "VERB", "PUNCT"]]})
    >>> corrupt_as_published("tokens", "tags", seed=2)(row)[["text", "corrupted", "corruption_type"]].values.tolist()
    [['Ana spi.', 'Spi ana.', 'flip_neighbours']]
    """
    generator = random.Random(seed)
    made = [_corrupted(words, kinds, generator) for words, kinds in zip(table[tokens], table[tags])]
    texts = [join_tokens(words) for words in table[tokens]]
    return table.assign(text=texts, corrupted=[text for text, _ in made], corruption_type=[name for _, name in made])


def _corrupted(tokens: Sequence[str], tags: Sequence[str], generator: random.Random) -> tuple[str, str]:
    if not deletable(tags) and len(swappable(tags)) < 2:
        raise ContractError(
            f"no word to delete and none to swap in {' '.join(tokens)[:60]!r}; filter such sentences out"
        )
    names = list(CORRUPTIONS)
    while True:
        name = generator.choice(names)
        text = CORRUPTIONS[name](tokens, tags, generator)
        if text is not None:
            return text, name


@derivation
def correct_and_incorrect(table: pd.DataFrame, id_column: str) -> pd.DataFrame:
    """Make two rows of each sentence: first all as they are, then all corrupted, both in the order of the table.

    One of them keeps the id, the other is ``<id>@2``: which one, the hashes of the texts say, so that an id does not tell
    the label. ``label`` is ``correct`` or ``incorrect``, and the ``corruption_type`` of a correct row is the empty text.

    >>> row = pd.DataFrame({"id": ["s"], "text": ["Da."], "corrupted": ["."], "corruption_type": ["delete"]})
    >>> correct_and_incorrect("id")(row)[["id", "text", "label"]].values.tolist()
    [['s', 'Da.', 'correct'], ['s@2', '.', 'incorrect']]
    """
    keeps = np.array([_hash(one) < _hash(other) for one, other in zip(table["text"], table["corrupted"])], dtype=bool)
    ids, others = table[id_column], table[id_column] + "@2"
    correct = table.assign(**{id_column: ids.where(keeps, others)}, label="correct", corruption_type="")
    incorrect = table.assign(**{id_column: others.where(keeps, ids)}, label="incorrect", text=table["corrupted"])
    beyond = (table.index.max() + 1 if len(table) else 0) + np.arange(len(table))
    return pd.concat([correct, incorrect.set_axis(pd.Index(beyond), axis=0)]).drop(columns="corrupted")


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
