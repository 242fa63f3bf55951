# SPDX-License-Identifier: Apache-2.0
"""How tokens spell a text, and how two texts are compared: the normalisations that deduplication and the audit share."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

WORD = re.compile(r"[\w\u0300-\u036f]+")


class _WithoutPunctuation(dict):
    """A table for ``str.translate`` that drops Unicode punctuation (P*) and symbols (S*), filled as characters come."""

    def __missing__(self, character: int) -> int | None:
        kept = None if unicodedata.category(chr(character))[0] in "PS" else character
        self[character] = kept
        return kept


_WITHOUT_PUNCTUATION = _WithoutPunctuation()


def casefolded(text: str) -> str:
    """Lower-cased, without white space at the ends.

    >>> casefolded(" Страхотен филм! ")
    'страхотен филм!'
    """
    return text.lower().strip()


def without_punctuation(text: str) -> str:
    """Lower-cased, without Unicode punctuation and symbols, white space folded: the rule of PAN-X in bgGLUE, section 3.

    >>> without_punctuation("„Левски“ ( София ) !")
    'левски софия'
    """
    return " ".join(text.lower().translate(_WITHOUT_PUNCTUATION).split())


@functools.cache
def stop_words(language: str) -> frozenset[str]:
    """The stop words of a language (ISO 639-1 code) as stopwordsiso lists them."""
    import stopwordsiso

    words = stopwordsiso.stopwords(language)
    if not words:
        raise ValueError(f"stopwordsiso has no stop words for {language!r}")
    return frozenset(words)


def content_words(text: str, language: str) -> str:
    """The set of lower-cased words that are no stop words, sorted: bgGLUE's general rule for duplicates, section 3.

    A word is a run of letters, digits and combining marks. Words count as a set: repeating one changes nothing. A text
    without any content word (``"9"``, ``":)"``, ``"Много добър"``) would equal every other such text; it is compared
    without punctuation instead, and by its case-folded self where nothing else is left.

    >>> content_words("Филмът е страхотен, страхотен!", "bg")
    'страхотен филмът'
    >>> content_words("Много добър", "bg")
    '=много добър'
    >>> content_words("Много добър!", "bg"), content_words(":)", "bg")
    ('=много добър', '=:)')
    """
    words = set(WORD.findall(text.lower())) - stop_words(language)
    return " ".join(sorted(words)) if words else f"={without_punctuation(text) or casefolded(text)}"


def joined(value: Any) -> str:
    """A text as it is, a list of tokens joined by single spaces."""
    return value if isinstance(value, str) else " ".join(value)


def spell(tokens: Sequence[str], spaces: Sequence[bool]) -> str:
    """The text that tokens make, with a space after those that have one.

    >>> spell(["Да", ",", "идва", "."], [False, True, False, True])
    'Да, идва.'
    """
    return "".join(token + " " * space for token, space in zip(tokens, spaces)).strip()


@dataclass(frozen=True)
class Key:
    """What makes two rows equal: a normalisation of one column, which ``rule`` names. ``key(table)`` gives one string a row."""

    rule: str
    column: str
    normalise: Callable[[str], str] = field(compare=False)

    def __call__(self, table: pd.DataFrame) -> pd.Series:
        return table[self.column].map(lambda value: self.normalise(joined(value)))

    def __repr__(self) -> str:
        return f"{self.rule}({self.column!r})"


def same_exactly(column: str) -> Key:
    """Equal to the letter."""
    return Key("same_exactly", column, str)


def same_text(column: str) -> Key:
    """Equal when lower-cased and stripped."""
    return Key("same_text", column, casefolded)


def same_words(column: str) -> Key:
    """Equal when lower-cased and without punctuation."""
    return Key("same_words", column, without_punctuation)


def same_content_words(column: str, language: str) -> Key:
    """Equal when the sets of words that are no stop words are equal."""
    return Key(f"same_content_words[{language}]", column, functools.partial(content_words, language=language))


@dataclass(frozen=True, repr=False)
class AllOf(Key):
    """Equal when all of some keys are equal."""

    parts: tuple[Key, ...] = ()

    def __call__(self, table: pd.DataFrame) -> pd.Series:
        columns = [part(table) for part in self.parts]
        return pd.Series(["\x1f".join(row) for row in zip(*columns)], index=table.index, dtype=object)

    def __repr__(self) -> str:
        return f"{self.rule}({', '.join(map(repr, self.parts))})"


def same_in_all(*parts: Key) -> Key:
    """Equal when all of the keys are equal.

    >>> same_in_all(same_text("a"), same_exactly("b"))
    same_in_all(same_text('a'), same_exactly('b'))
    """
    return AllOf("same_in_all", "", str, parts)


@dataclass(frozen=True, repr=False)
class Choices(Key):
    """Over lettered choices, whatever their order: all their texts, or that of the right one."""

    answer: str = ""

    def __call__(self, table: pd.DataFrame) -> pd.Series:
        keys = []
        for choices, right in zip(table[self.column], table[self.answer or self.column]):
            texts = [choice["text"] for choice in choices if not self.answer or choice["label"] == right]
            keys.append("\x1e".join(sorted(map(self.normalise, texts))))
        return pd.Series(keys, index=table.index, dtype=object)

    def __repr__(self) -> str:
        return f"{self.rule}({self.column!r}{f', {self.answer!r}' if self.answer else ''})"


def same_choices(column: str) -> Key:
    """Equal when the choices are, in whatever order, lower-cased and stripped."""
    return Choices("same_choices", column, casefolded)


def same_right_choice(column: str, answer: str) -> Key:
    """Equal when the text of the right choice is, lower-cased and stripped."""
    return Choices("same_right_choice", column, casefolded, answer)
