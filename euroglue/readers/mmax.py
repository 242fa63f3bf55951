# SPDX-License-Identifier: Apache-2.0
"""MMAX: a file of words and, per level of annotation, a file of markables over them (the layout of SoNaR-1)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

from euroglue.errors import FormatError
from euroglue.prepare.documents import document_names
from euroglue.readers.markup import attribute, local, root_of
from euroglue.readers.skipped import Skipped
from euroglue.task import reader

if TYPE_CHECKING:
    from euroglue.prepare.raw import RawFiles

MIXED = "MISC"
"""The category of what entities of different categories that share a word become."""
_WORD = re.compile(r"word_(\d+)(?:\.(\d+))?")


class Markable(NamedTuple):
    """A stretch of words with its id in the file; ``words`` are numbers, in the order of the span.

    ``whole`` is False where the span names a word that is not there.
    """

    key: str
    words: tuple[int, ...]
    whole: bool


class Entity(NamedTuple):
    """An entity: its category and the numbers of its words, sorted."""

    category: str
    words: tuple[int, ...]


@reader
def mmax(files: RawFiles, documents: str, levels: tuple[str, ...], drop: tuple[str, ...] = ()) -> pd.DataFrame:
    """Read the sentences of documents with a BIO tag per word; what is left out is counted and reported.

    A word whose id has a fraction (``word_12.1``) continues word 12 and is glued to it. Sentences come in the order of
    their words. Left out are sentences that name a word that is not there, sentences all of whose words stand in a
    longer or equal one, and entities over words that no sentence holds.

    Args:
        documents: pattern of the members ``<folder>/<document>.mmax``; words lie in ``<folder>/Basedata``, markables in
            ``<folder>/Markables``.
        levels: the levels of entities, such as ``per``; in capital letters they are the categories.
        drop: forms that are no words, such as a lone soft hyphen.

    Returns:
        ``id`` (``<document>-<number of the sentence from 0>``), ``document``, ``tokens`` and ``tags``.

    Raises:
        FormatError: a file is missing or no XML, an id occurs twice, or a span is none.
    """
    rows, skipped = [], Skipped()
    for document, member in document_names(files.names(documents)).items():
        for number, (tokens, tags) in enumerate(_document(files, member, levels, drop, skipped)):
            rows.append((f"{document}-{number}", document, tokens, tags))
    skipped.report(files)
    return pd.DataFrame(rows, columns=["id", "document", "tokens", "tags"], dtype=object)


def _document(
    files: RawFiles, member: str, levels: tuple[str, ...], drop: tuple[str, ...], skipped: Skipped
) -> list[tuple[list[str], list[str]]]:
    """Tokens and tags of each sentence of one document."""
    folder, _, name = member.rpartition("/")
    stem = name.rpartition(".")[0]
    words = read_words(files, f"{folder}/Basedata/{stem}_words.xml")
    spans = _sentences(files, f"{folder}/Markables/{stem}_sentence_level.xml", words, skipped)
    held = {word for span in spans for word in span}
    entities = []
    for level in levels:
        marked = f"{folder}/Markables/{stem}_{level}_level.xml"
        for markable in read_markables(files, marked, words):
            kept = tuple(sorted(set(markable.words) & held))
            if not kept:
                skipped.add("entity skipped, no sentence holds its words", f"{marked} {markable.key}")
            elif len(kept) < len(set(markable.words)) or not markable.whole:
                skipped.add("entity cut to the words that a sentence holds", f"{marked} {markable.key}")
            if kept:
                entities.append(Entity(level.upper(), kept))
    held_by = merge(entities)
    found = []
    for span in spans:
        left = [word for word in span if words[word] not in drop]
        for word in sorted(set(span) - set(left)):
            skipped.add("word dropped, its form is no word", f"{stem} word_{word}")
        if left:
            found.append(([words[word] for word in left], bio_tags([held_by.get(word) for word in left])))
        else:
            skipped.add("sentence without any word skipped", stem)
    return found


def merge(entities: Iterable[Entity]) -> dict[int, Entity]:
    """Word number → its entity; entities that share a word become one, of category ``MISC`` where theirs differ.

    >>> {word: category for word, (category, _) in merge([Entity("ORG", (1, 2)), Entity("LOC", (2,))]).items()}
    {1: 'MISC', 2: 'MISC'}
    """
    held_by: dict[int, Entity] = {}
    for entity in entities:
        overlap = {held_by[word] for word in entity.words if word in held_by}
        categories = {entity.category, *(other.category for other in overlap)}
        words = sorted({word for one in (entity, *overlap) for word in one.words})
        whole = Entity(categories.pop() if len(categories) == 1 else MIXED, tuple(words))
        held_by.update(dict.fromkeys(words, whole))
    return held_by


def bio_tags(entities: Sequence[Entity | None]) -> list[str]:
    """The tags of a sentence, given the entity of each word: ``B-`` at its first word there, ``I-`` at every other.

    >>> person, place = Entity("PER", (1, 2, 4)), Entity("LOC", (5,))
    >>> bio_tags([person, person, None, person, place])
    ['B-PER', 'I-PER', 'O', 'I-PER', 'B-LOC']
    """
    tags, begun = [], set()
    for entity in entities:
        tags.append(f"{'I' if entity in begun else 'B'}-{entity.category}" if entity else "O")
        begun.add(entity)
    return tags


def read_words(files: RawFiles, member: str) -> dict[int, str]:
    """Word number → form, continuations glued on; a word without text is an empty form.

    Raises:
        FormatError: the member is missing, an element is no word, or an id is none or occurs twice.
    """
    words: dict[int, str] = {}
    seen = set()
    for element in root_of(files, _there(files, member)):
        key = attribute(member, element, "id")
        match = _WORD.fullmatch(key)
        if local(element) != "word" or match is None:
            raise FormatError(f"{member}: expected a <word> with an id such as word_12, got <{local(element)}> {key!r}")
        if key in seen:
            raise FormatError(f"{member}: the id {key} occurs twice; expected every id once")
        seen.add(key)
        number = int(match[1])
        if match[2] and number not in words:
            raise FormatError(f"{member}: {key} continues word_{number}, which does not come before it")
        words[number] = words.get(number, "") + (element.text or "").strip()
    return words


def read_markables(files: RawFiles, member: str, words: Mapping[int, str]) -> list[Markable]:
    """The markables of one level, in the order of the file.

    Raises:
        FormatError: the member is missing, or a span is no list of ``word_a`` and ``word_a..word_b``.
    """
    found = []
    for element in root_of(files, _there(files, member)):
        key = attribute(member, element, "id")
        numbers: list[int] = []
        whole = True
        for part in attribute(member, element, "span").split(","):
            ends = [_WORD.fullmatch(end.strip()) for end in part.split("..")]
            if not 1 <= len(ends) <= 2 or None in ends:
                raise FormatError(f"{member}, {key}: expected a span such as word_1..word_4,word_6, got {part!r}")
            first, last = (int(end[1]) for end in (ends[0], ends[-1]) if end)
            if last < first:
                raise FormatError(f"{member}, {key}: expected a span from left to right, got {part!r}")
            there = [number for number in range(first, min(last, max(words, default=0)) + 1) if number in words]
            whole = whole and len(there) == last - first + 1
            numbers += there
        found.append(Markable(key, tuple(numbers), whole))
    return found


def _sentences(files: RawFiles, member: str, words: Mapping[int, str], skipped: Skipped) -> list[tuple[int, ...]]:
    """The spans of the sentences, sorted by their words, each word list once."""
    spans: list[tuple[int, ...]] = []
    holders: dict[int, set[tuple[int, ...]]] = {}
    markables = read_markables(files, member, words)
    for markable in sorted(markables, key=lambda markable: (-len(markable.words), markable.words)):
        place = f"{member} {markable.key}"
        shared = {span for word in markable.words for span in holders.get(word, ())}
        if not markable.whole:
            skipped.add("sentence skipped, it names a word that is not there", place)
        elif any(set(markable.words) <= set(span) for span in shared):
            skipped.add("sentence skipped, another one holds its words", place)
        else:
            if shared:
                skipped.add("sentence kept though it shares words with another one", place)
            spans.append(markable.words)
            for word in markable.words:
                holders.setdefault(word, set()).add(markable.words)
    return sorted(spans)


def _there(files: RawFiles, member: str) -> str:
    if not files.names(member):
        raise FormatError(f"{member}: expected it beside the document's other files, it is not there")
    return member
