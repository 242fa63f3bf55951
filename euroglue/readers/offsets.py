# SPDX-License-Identifier: Apache-2.0
"""Plain texts with a table of entity mentions by character offsets (the layout of SlavicNER, Piskorski et al., 2024)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

from euroglue.errors import FormatError
from euroglue.task import reader

if TYPE_CHECKING:
    from euroglue.prepare.raw import RawFiles

TOKEN = re.compile(r"[\w\u0300-\u036f]+|[^\w\s]")
"""A token: a run of letters, digits and combining marks, or one other character that is not white space."""
MENTION_COLUMNS = 6


class Entity(NamedTuple):
    """A mention: characters ``start`` (included) to ``end`` (excluded), from 0, and its category."""

    start: int
    end: int
    category: str


@reader
def offsets(files: RawFiles, texts: str, mentions: str) -> pd.DataFrame:
    """Read documents and give each of their tokens a BIO tag.

    Args:
        texts: pattern of the text members, ``raw/<topic>/<language>/<stem>.txt``.
        mentions: pattern of the annotation members, ``ner/<topic>/<language>/<stem>.tsv``.

    Returns:
        Columns ``ID`` (``<topic>/<stem>``), ``topic``, ``text`` (as in the file), ``tokens`` and ``ner_tags``.

    Raises:
        FormatError: a text without annotations or the reverse, offsets that do not hold the mention, overlapping mentions.
    """
    annotated = {_key(name): name for name in files.names(mentions)}
    rows = []
    for name in files.names(texts):
        topic, stem = _key(name)
        if (topic, stem) not in annotated:
            raise FormatError(f"{name}: expected annotations in a file that matches {mentions}, there is none")
        text = files.text(name)
        entities = read_entities(files, annotated.pop((topic, stem)), text)
        spans = [match.span() for match in TOKEN.finditer(text)]
        tokens = [text[start:end] for start, end in spans]
        rows.append((f"{topic}/{stem}", topic, text, tokens, bio_tags(spans, entities)))
    if annotated:
        raise FormatError(f"{min(annotated.values())}: expected a text in a file that matches {texts}, there is none")
    return pd.DataFrame(rows, columns=["ID", "topic", "text", "tokens", "ner_tags"], dtype=object)


def _key(member: str) -> tuple[str, str]:
    parts = member.split("/")
    return parts[-3], parts[-1].rpartition(".")[0]


def read_entities(files: RawFiles, member: str, text: str) -> list[Entity]:
    """The mentions of one document, sorted; each is checked against ``text``.

    Raises:
        FormatError: wrong columns, offsets that are no numbers or hold another text, or overlapping mentions.
    """
    entities = []
    for number, line in files.lines(member):
        if not line:
            continue
        columns = line.split("\t")
        if len(columns) != MENTION_COLUMNS:
            raise FormatError(f"{member}, line {number}: expected {MENTION_COLUMNS} columns, got {len(columns)}")
        start, end, mention, _, category, _ = columns
        if not (start.isdecimal() and end.isdecimal()):
            raise FormatError(f"{member}, line {number}: expected two character offsets, got {start!r} and {end!r}")
        held = text[int(start) : int(end)]
        if held != mention or not mention:
            raise FormatError(
                f"{member}, line {number}: expected the mention {mention!r} at {start}–{end}, the text holds {held!r}"
            )
        entities.append(Entity(int(start), int(end), category))
    entities.sort()
    for one, other in zip(entities, entities[1:]):
        if other.start < one.end:
            raise FormatError(
                f"{member}: mentions overlap at characters {one.start}–{one.end} and {other.start}–{other.end}"
            )
    return entities


def bio_tags(spans: Sequence[tuple[int, int]], entities: Sequence[Entity]) -> list[str]:
    """One BIO tag per token; a token that touches a mention belongs to it. Both sequences are sorted.

    >>> bio_tags([(0, 4), (5, 9), (9, 10)], [Entity(0, 9, "PER")])
    ['B-PER', 'I-PER', 'O']
    """
    tags = ["O"] * len(spans)
    token = 0
    for start, end, category in entities:
        while token < len(spans) and spans[token][1] <= start:
            token += 1
        prefix = "B-"
        while token < len(spans) and spans[token][0] < end:
            tags[token] = prefix + category
            prefix = "I-"
            token += 1
    return tags


def locate(text: str, tokens: Sequence[str]) -> list[tuple[int, int]] | None:
    """Where the tokens of another tokenisation lie in ``text``, white space aside; None where the two texts differ.

    >>> locate("в  Брюксел.", ["в", "Брю ксел", "."])
    [(0, 1), (3, 10), (10, 11)]
    >>> locate("в Лондон", ["в", "Париж"]) is None
    True
    """
    places = [place for place, character in enumerate(text) if not character.isspace()]
    squeezed = ["".join(token.split()) for token in tokens]
    if "".join(squeezed) != "".join(text[place] for place in places):
        return None
    spans, at = [], 0
    for token in squeezed:
        first = places[at] if at < len(places) else len(text)
        spans.append((first, places[at + len(token) - 1] + 1 if token else first))
        at += len(token)
    return spans
