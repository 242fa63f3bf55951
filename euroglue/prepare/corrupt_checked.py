# SPDX-License-Identifier: Apache-2.0
"""ScaLA with its faults mended: a corrupted sentence that nothing but the error tells from a good one.

The kinds of words that are deleted or swapped are those of ``euroglue.prepare.corrupt``. Beyond that, both neighbours of a
word are looked at, capitals and spaces are those of a written sentence, and an error that is none is refused.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import pandas as pd

from euroglue.prepare.corrupt import PRONOUN_AND_AUXILIARY, PUNCTUATION, deletable
from euroglue.prepare.text import spell, without_punctuation
from euroglue.task import step


class Sentence(NamedTuple):
    """A sentence as it is written: parallel lists, ``spaces`` saying whether one follows the token."""

    tokens: Sequence[str]
    tags: Sequence[str]
    lemmas: Sequence[str]
    spaces: Sequence[bool]


def deletions(sentence: Sentence) -> list[int]:
    """Places, from 0, of the words that may go without leaving marks that stand alone or side by side.

    >>> deletions(Sentence(["Pridi", ",", "Ana", "!"], ["VERB", "PUNCT", "PROPN", "PUNCT"], [], [False, True, False, True]))
    []
    """
    tags = ["PUNCT", *sentence.tags, "PUNCT"]  # so that an end of the sentence is as good as a mark
    return [
        at
        for at in deletable(sentence.tags)
        if _free(sentence, at) and not (tags[at] in PUNCTUATION and tags[at + 2] in PUNCTUATION)
    ]


def swaps(sentence: Sentence) -> list[int]:
    """Places, from 0, of the words that may change places with the next one.

    Both are words of different tags, and not a pronoun and an auxiliary, whichever comes first.

    >>> swaps(Sentence(["Jaz", "sem", "tu"], ["PRON", "AUX", "ADV"], [], [True] * 3))
    [1]
    """
    free = [_free(sentence, at) for at in range(len(sentence.tags))]
    pairs = zip(sentence.tags, sentence.tags[1:])
    return [
        at
        for at, pair in enumerate(pairs)
        if free[at] and free[at + 1] and len(set(pair)) == 2 and set(pair) != PRONOUN_AND_AUXILIARY
    ]


def _free(sentence: Sentence, at: int) -> bool:
    """Whether a word is the only one between two spaces and does not end in a full stop of its own."""
    tokens, tags, _, spaces = sentence
    first = last = at
    while first > 0 and not spaces[first - 1]:
        first -= 1
    while last < len(tokens) - 1 and not spaces[last]:
        last += 1
    around = [*tags[first:at], *tags[at + 1 : last + 1]]
    return tags[at] not in PUNCTUATION and set(around) <= {"PUNCT"} and not tokens[at].endswith(".")


def without(sentence: Sentence, at: int) -> str:
    """The text without one word: a capital that its place asks for goes to the next word, a mark to the word before.

    >>> without(Sentence(["V", "Celju", "sneži", "."], ["ADP", "PROPN", "VERB", "PUNCT"], ["v", "Celje", "snežiti", "."],
    ...     [True, True, False, True]), 2)
    'V Celju.'
    """
    tokens, spaces = list(sentence.tokens), list(sentence.spaces)
    if _asks_for_capital(sentence, at):
        tokens[at + 1] = _capitalised(tokens[at + 1])
    if at:
        spaces[at - 1] = spaces[at - 1] and spaces[at]
    del tokens[at], spaces[at]
    return spell(tokens, spaces)


def swapped(sentence: Sentence, at: int) -> str:
    """The text with one word and the next in each other's places; marks, spaces and the place's capital stay where they are.

    >>> swapped(Sentence(["V", "Celju", "sneži"], ["ADP", "PROPN", "VERB"], ["v", "Celje", "snežiti"], [True] * 3), 0)
    'Celju v sneži'
    """
    tokens = list(sentence.tokens)
    tokens[at], tokens[at + 1] = tokens[at + 1], tokens[at]
    if _asks_for_capital(sentence, at):
        tokens[at] = _capitalised(tokens[at])
        tokens[at + 1] = _uncapitalised(tokens[at + 1], sentence.lemmas[at])
    return spell(tokens, sentence.spaces)


def _asks_for_capital(sentence: Sentence, at: int) -> bool:
    """Whether whatever stands here is capitalised: at the head, and after a mark where a word that has no capital has one."""
    token = sentence.tokens[at]
    if at == 0:
        return not token.islower()  # a name such as eBay stands where others have a capital
    return sentence.tags[at - 1] == "PUNCT" and token[0].isupper() and sentence.lemmas[at][:1].islower()


def _capitalised(token: str) -> str:
    return token[0].upper() + token[1:]


def _uncapitalised(token: str, lemma: str) -> str:
    """The token as it is written elsewhere: with a capital where its lemma has one or it has others."""
    keeps = not lemma[:1].islower() or (len(token) > 1 and token.isupper())
    return token if keeps else token[0].lower() + token[1:]


@step
def corrupt_checked(
    table: pd.DataFrame,
    id_column: str,
    text: str,
    tokens: str,
    tags: str,
    lemmas: str,
    spaces: str,
    seed: int,
) -> pd.DataFrame:
    """Corrupt each sentence once, a deletion or a swap at even chances; sentences go of which no error can be made.

    The draws for a sentence come from ``random.Random("<seed> <id>")``. A text that, without case and punctuation, equals
    any sentence of the table or the corruption of an earlier one is no error: another place is tried, then the other kind.
    Adds ``corrupted`` and ``corruption_type``.

    >>> row = {"id": ["s"], "text": ["V Celju sneži."], "tokens": [["V", "Celju", "sneži", "."]],
    ...     "tags": [["ADP", "PROPN", "VERB", "PUNCT"]], "lemmas": [["v", "Celje", "snežiti", "."]],
    ...     "spaces": [[True, True, False, True]]}
    >>> step = corrupt_checked("id", "text", "tokens", "tags", "lemmas", "spaces", seed=0)
    >>> step(pd.DataFrame(row))[["corrupted", "corruption_type"]].values.tolist()
    [['V sneži.', 'delete']]
    """
    taken = set(table[text].map(without_punctuation))
    made: list[tuple[str, str] | None] = []
    for key, *lists in zip(table[id_column], table[tokens], table[tags], table[lemmas], table[spaces]):
        drawn = _draws(Sentence(*lists), random.Random(f"{seed} {key}"))
        found = next((item for item in drawn if without_punctuation(item[0]) not in taken), None)
        taken |= {without_punctuation(found[0])} if found else set()
        made.append(found)
    columns = pd.DataFrame([item or (None, None) for item in made], table.index, columns=[0, 1], dtype=object)
    return table.assign(corrupted=columns[0], corruption_type=columns[1])[columns[0].notna()]


def _draws(sentence: Sentence, generator: random.Random) -> Iterator[tuple[str, str]]:
    """Every corruption there is with its name, in the order in which they are tried."""
    kinds = [("flip_neighbours", swaps, swapped), ("delete", deletions, without)]
    generator.shuffle(kinds)
    for name, places_of, apply in kinds:
        places = places_of(sentence)
        generator.shuffle(places)
        for at in places:
            yield apply(sentence, at), name
