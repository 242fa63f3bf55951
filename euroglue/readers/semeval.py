# SPDX-License-Identifier: Apache-2.0
"""SemEval-2010 task 1: 17 tab-separated columns a token, coreference in brackets; read as pronouns and mentions near them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from euroglue.errors import FormatError
from euroglue.readers.skipped import Skipped
from euroglue.task import reader

if TYPE_CHECKING:
    from euroglue.prepare.raw import RawFiles

COLUMNS = 17
TOKEN, POS, COREFERENCE = 1, 5, 16
NEARBY = (0, -1, 1)
"""The sentences in which a mention is near a pronoun, nearest first: the pronoun's own, the one before, the one after."""
AROUND: Mapping[str, int] = {"previous": -1, "current": 0, "following": 1}
"""Column → the place of its sentence, seen from the pronoun."""
RESULT = ["id", "pronoun", "label", "place", "nearness", "distance", "index", "start", *AROUND, "split"]
_MARK = re.compile(r"(\()?(\d+)(\))?")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]{2,}")


class Mention(NamedTuple):
    """Words ``start`` (included) to ``end`` (excluded) of a sentence, and the chain they belong to."""

    start: int
    end: int
    chain: int


@dataclass
class Sentence:
    """The words of a sentence, their parts of speech and its mentions, in the order of their first words."""

    tokens: list[str] = field(default_factory=list)
    pos: list[str] = field(default_factory=list)
    mentions: list[Mention] = field(default_factory=list)

    def is_pronoun(self, mention: Mention, pronoun: str) -> bool:
        """Whether the mention is one word tagged as a pronoun."""
        return mention.end - mention.start == 1 and self.pos[mention.start] == pronoun


@reader
def semeval(files: RawFiles, splits: Mapping[str, str], pronoun: str) -> pd.DataFrame:
    """Read each pronoun with each mention near it that is no pronoun: in its sentence, the one before or the one after.

    Sentences before and after are those of the same document. A mention that holds the pronoun is none near it, nor is one
    of another chain that begins with the same word as a mention of the pronoun's chain. Brackets that do not close within
    their sentence, or close without having opened, and marks that are no bracketed number are skipped; they are counted
    and reported, and so are words whose characters were mended (``unscrambled``).

    Args:
        splits: split name → member.
        pronoun: the part of speech of pronouns.

    Returns:
        ``id``, ``pronoun`` (what names the pronoun), ``label`` (``same`` or ``different``: the chain), ``place`` (of the
        mention's sentence: 0, −1 or 1), ``nearness`` (of that sentence, 0 to 2), ``distance`` (in words), ``index`` (of
        the pronoun in its sentence), ``start`` (of the mention in its own), ``previous``, ``current`` and ``following``
        (words of the three sentences), ``split``.

    Raises:
        FormatError: a line has other than 17 columns, stands outside a document, or a document is there twice.
    """
    rows: list[dict[str, Any]] = []
    skipped = Skipped()
    for split, member in files.present(splits):
        for document, sentences in _documents(files, member, skipped):
            for at, sentence in enumerate(sentences):
                for mention in sentence.mentions:
                    if sentence.is_pronoun(mention, pronoun):
                        key = f"{split}-{document}-{at}.{mention.start}"
                        rows += [{**row, "split": split} for row in _near(key, sentences, at, mention, pronoun)]
    skipped.report(files)
    return pd.DataFrame(rows, columns=RESULT, dtype=object)


def _near(key: str, sentences: list[Sentence], at: int, own: Mention, pronoun: str) -> Iterator[dict[str, Any]]:
    around = {place: sentences[at + place] for place in NEARBY if 0 <= at + place < len(sentences)}
    words = {name: around[place].tokens if place in around else [] for name, place in AROUND.items()}
    found = [
        (place, mention)
        for place, sentence in around.items()
        for mention in sentence.mentions
        if not sentence.is_pronoun(mention, pronoun) and not (place == 0 and mention.start <= own.start < mention.end)
    ]
    same = {(place, mention.start) for place, mention in found if mention.chain == own.chain}
    for place, mention in dict.fromkeys(found):
        label = "same" if mention.chain == own.chain else "different"
        if label == "same" or (place, mention.start) not in same:
            yield {
                "id": f"{key}-{at + place}.{mention.start}.{mention.end}.{mention.chain}",
                "pronoun": key,
                "label": label,
                "place": place,
                "nearness": NEARBY.index(place),
                "distance": _distance(place, mention, own.start, words),
                "index": own.start,
                "start": mention.start,
                **words,
            }


def _distance(place: int, mention: Mention, index: int, words: Mapping[str, list[str]]) -> int:
    """How many words the pronoun is away from the mention's nearest word."""
    shift = {-1: -len(words["previous"]), 0: 0, 1: len(words["current"])}[place]
    return min(abs(mention.start + shift - index), abs(mention.end - 1 + shift - index))


def _documents(files: RawFiles, member: str, skipped: Skipped) -> Iterator[tuple[str, list[Sentence]]]:
    document, names = "", set()
    sentences: list[list[tuple[int, list[str]]]] = [[]]
    for number, line in files.lines(member):
        if line.startswith("#begin document"):
            if document:
                raise FormatError(f"{member}, line {number}: expected '#end document {document}' before {line[:40]!r}")
            document, sentences = line.removeprefix("#begin document").strip(), [[]]
            if not document or document in names:
                raise FormatError(f"{member}, line {number}: expected a document's own name, got {document!r} again")
            names.add(document)
        elif line.startswith("#end document"):
            yield document, [_sentence(member, rows, skipped) for rows in sentences if rows]
            document = ""
        elif not line.strip():
            sentences.append([])
        elif not document:
            raise FormatError(f"{member}, line {number}: expected '#begin document …' before it, got {line[:40]!r}")
        else:
            columns = line.split("\t")
            if len(columns) != COLUMNS:
                raise FormatError(
                    f"{member}, line {number}: expected {COLUMNS} tab-separated columns, got {len(columns)}"
                )
            sentences[-1].append((number, columns))
    if document:
        raise FormatError(f"{member}: cut short: expected '#end document {document}'; fetch the file again")


def _sentence(member: str, rows: list[tuple[int, list[str]]], skipped: Skipped) -> Sentence:
    sentence = Sentence()
    opened: dict[int, list[int]] = {}
    for index, (number, columns) in enumerate(rows):
        place = f"{member} line {number}"
        token = unscrambled(columns[TOKEN])
        if token != columns[TOKEN]:
            skipped.add("word with scrambled characters, mended", f"{place} {token}")
        sentence.tokens.append(token)
        sentence.pos.append(columns[POS])
        for opens, chain, closes in _marks(columns[COREFERENCE], place, skipped):
            if opens:
                opened.setdefault(chain, []).append(index)
            if closes and opened.get(chain):
                sentence.mentions.append(Mention(opened[chain].pop(), index + 1, chain))
            elif closes:
                skipped.add("bracket skipped, it closes a mention that did not open in its sentence", place)
    for index in sorted(index for starts in opened.values() for index in starts):
        skipped.add("mention skipped, its bracket does not close in its sentence", f"{member} line {rows[index][0]}")
    sentence.mentions.sort()
    return sentence


def _marks(cell: str, place: str, skipped: Skipped) -> Iterator[tuple[bool, int, bool]]:
    """Opens, chain, closes of each mark in a cell such as ``81)|60)``, ``(12)`` or, with its bar lost, ``5)(6``."""
    bare = cell.strip().lstrip("-_").replace(")(", ")|(")
    for part in bare.split("|") if bare else ():
        match = _MARK.fullmatch(part)
        if match is None or not (match[1] or match[3]):
            skipped.add("coreference mark skipped, it is no bracketed number", f"{place} {part!r}")
        else:
            yield bool(match[1]), int(match[2]), bool(match[3])


def unscrambled(text: str) -> str:
    """Undo a mistake of the distributed files: Latin-1 read as Mac Roman, then twice UTF-8 read as Mac Roman.

    Runs of characters that such a mistake cannot have made stay as they are.

    >>> unscrambled("categorie‚àö√©n"), unscrambled("be‚àö√©indigd"), unscrambled("„ruïne”")
    ('categorieën', 'beëindigd', '„ruïne”')
    """
    return _NOT_ASCII.sub(lambda match: _undone(match[0]), text)


def _undone(run: str) -> str:
    try:
        twice = run.encode("mac_roman").decode("utf-8").encode("mac_roman").decode("utf-8")
        return twice.encode("mac_roman").decode("latin-1")
    except UnicodeError:
        return run
