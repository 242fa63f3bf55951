# SPDX-License-Identifier: Apache-2.0
"""Tags as JSON: mentions by type, or a tag for every token; and what was written brought back to the tokens."""

from __future__ import annotations

import difflib
import json
import unicodedata
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from euroglue.predictions import UNREADABLE
from euroglue.prompting.fields import is_entity_tagging, label_name
from euroglue.prompting.json_objects import holding, objects
from euroglue.prompting.kinds import PromptKind
from euroglue.prompting.prompt import Prompt
from euroglue.task import Task
from euroglue.template import Row

OUTSIDE = "O"
BETWEEN = "/"
"""What stands between a token and its tag."""


class Span(NamedTuple):
    """An entity: its first token, the token after its last, its type."""

    start: int
    end: int
    kind: str


def spans(tags: Sequence[str]) -> list[Span]:
    """The entities of BIO tags, an ``I-`` after another type beginning one.

    >>> spans(["B-PER", "I-PER", "O", "B-LOC"])
    [Span(start=0, end=2, kind='PER'), Span(start=3, end=4, kind='LOC')]
    """
    found: list[Span] = []
    for place, tag in enumerate(tags):
        prefix, _, kind = tag.partition("-")
        goes_on = prefix == "I" and found and found[-1].end == place and found[-1].kind == kind
        if goes_on:
            found[-1] = Span(found[-1].start, place + 1, kind)
        elif tag != OUTSIDE:
            found.append(Span(place, place + 1, kind))
    return found


def bare(text: str) -> str:
    """A text as mentions are compared: composed (NFC), without any space."""
    return "".join(unicodedata.normalize("NFC", text).split())


class Sentence:
    """The characters of a sentence's tokens without any space, and where tokens begin and end in them."""

    def __init__(self, tokens: Sequence[str]):
        self.text = ""
        self.begins: dict[int, int] = {}
        self.ends: dict[int, int] = {}
        for place, token in enumerate(tokens):
            self.begins.setdefault(len(self.text), place)
            self.text += bare(token)
            self.ends[len(self.text)] = place + 1

    def places(self, mention: str) -> Iterable[tuple[int, int]]:
        """Where a mention stands, left to right, from a token's beginning to a token's end."""
        wanted = bare(mention)
        start = self.text.find(wanted) if wanted else -1
        while start >= 0:
            if start in self.begins and start + len(wanted) in self.ends:
                yield self.begins[start], self.ends[start + len(wanted)]
            start = self.text.find(wanted, start + 1)


def locate(mentions: Sequence[tuple[str, str]], tokens: Sequence[str]) -> tuple[list[Span], int]:
    """Find mentions (text, type) in a sentence: each takes the first place that no other has taken, longer ones first.

    A mention is whole tokens, to the letter (white space aside): no part of a word, no other form of it.

    Returns:
        The entities in order, and how many mentions stand nowhere (any more).

    >>> locate([("Ana", "PER"), ("Ana Novak", "PER"), ("Anin", "PER")], ["Ana", "Novak", "in", "Ana"])
    ([Span(start=0, end=2, kind='PER'), Span(start=3, end=4, kind='PER')], 1)
    """
    sentence, taken, found = Sentence(tokens), [False] * len(tokens), []
    for text, kind in sorted(mentions, key=lambda one: -len(bare(one[0]))):
        free = (place for place in sentence.places(text) if not any(taken[slice(*place)]))
        place = next(iter(free), None)
        if place is not None:
            taken[slice(*place)] = [True] * (place[1] - place[0])
            found.append(Span(*place, kind))
    return sorted(found), len(mentions) - len(found)


class TaggingKind(PromptKind):
    """What the two ways of tagging share: an object with lists of texts."""

    def tokens(self, row: Row) -> list[str]:
        """The example's tokens."""
        (column,) = (name for name in self.task.inputs if isinstance(self.task.features[name], list))
        return list(row[column])

    def tags(self, row: Row) -> list[str]:
        """The example's gold tags by name."""
        return [label_name(self.task, tag) for tag in row[self.task.target]]

    @property
    @abstractmethod
    def keys(self) -> tuple[str, ...]:
        """The keys of the object."""

    def schema(self) -> Mapping[str, Any]:
        """An object with a list of texts under each key."""
        lists = {key: {"type": "array", "items": {"type": "string"}} for key in self.keys}
        return {"type": "object", "properties": lists, "required": list(self.keys), "additionalProperties": False}

    def lists(self, text: str) -> dict[str, list[str]] | None:
        """The lists of the last object of a text that has one of the keys, in any case, or that is empty."""
        keys = {key: key.casefold() for key in self.keys}
        found = [_folded(one) for one in objects(text)]
        held = [inner for one in found if (inner := holding(one, list(keys.values())) if one else one) is not None]
        if not held:
            self.notes["no JSON object with a known key"] += 1
            return None
        return {key: self._texts(held[-1].get(folded)) for key, folded in keys.items()}

    def _texts(self, value: Any) -> list[str]:
        """The texts in a value, a list or alone; what is none is left out, and counted in ``notes``."""
        listed = value if isinstance(value, list) else [] if value is None else [value]
        self.notes["listed items that are no text"] += sum(not isinstance(item, str) for item in listed)
        return [text for text in listed if isinstance(text, str) and text.strip()]


def _folded(found: Any) -> Any:
    return (
        {key.strip().casefold(): _folded(value) for key, value in found.items()} if isinstance(found, dict) else found
    )


class EntityKind(TaggingKind):
    """Entities, as a list of mentions for each type, in the order of the sentence."""

    @property
    def types(self) -> tuple[str, ...]:
        """The types of entities, in the order of the labels."""
        return tuple(dict.fromkeys(label.partition("-")[2] for label in self.task.labels if label != OUTSIDE))

    @property
    def keys(self) -> tuple[str, ...]:
        """The word of each type."""
        return tuple(map(self.prompt.word, self.types))

    def words(self, row: Row) -> tuple[str, ...]:
        """The keys, for ``{labels}``; the answer itself is free."""
        return self.keys

    def groups(self, row: Row) -> tuple[str, ...]:
        """The types that the example has, or that it has none."""
        return tuple(sorted({span.kind for span in spans(self.tags(row))})) or ("none",)

    def gold(self, row: Row) -> str:
        """The mentions of each type as JSON."""
        tokens, found = self.tokens(row), spans(self.tags(row))
        mentions = {
            key: [" ".join(tokens[span.start : span.end]) for span in found if span.kind == kind]
            for key, kind in zip(self.keys, self.types, strict=True)
        }
        return json.dumps(mentions, ensure_ascii=False)

    def read(self, text: str, row: Row) -> list[str] | None:
        """The tags of the mentions; what is mentioned but not there is left out, and counted in ``notes``."""
        lists = self.lists(text)
        if lists is None:
            return None
        kinds = dict(zip(self.keys, self.types, strict=True))
        mentions = [(mention, kinds[key]) for key, listed in lists.items() for mention in listed]
        tokens = self.tokens(row)
        found, lost = locate(mentions, tokens)
        self.notes["mentions that are not in their sentence"] += lost
        tags = [OUTSIDE] * len(tokens)
        for start, end, kind in found:
            tags[start:end] = [f"B-{kind}", *[f"I-{kind}"] * (end - start - 1)]
        return tags

    def unreadable(self, row: Row) -> list[str]:
        """No entity at all: every one that there is counts as missed."""
        return [OUTSIDE] * len(self.tokens(row))


class EveryTokenKind(TaggingKind):
    """A tag for every token, as one list of ``token/tag``."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The prompt's key."""
        return (self.prompt.key or "tags",)

    def words(self, row: Row) -> tuple[str, ...]:
        """The tags, for ``{labels}``; the answer itself is free."""
        return tuple(map(self.prompt.word, self.task.labels))

    def gold(self, row: Row) -> str:
        """The tokens with their tags as JSON."""
        pairs = zip(self.tokens(row), self.tags(row), strict=True)
        return json.dumps(
            {self.keys[0]: [f"{token}{BETWEEN}{self.prompt.word(tag)}" for token, tag in pairs]}, ensure_ascii=False
        )

    def read(self, text: str, row: Row) -> list[str] | None:
        """The tag of each token that was written, in order; a token without a known tag counts as wrong."""
        lists = self.lists(text)
        if lists is None:
            return None
        pairs = [item.rpartition(BETWEEN) for item in lists[self.keys[0]]]
        labels = {self.prompt.word(label).casefold(): label for label in self.task.labels}
        tokens = self.tokens(row)
        matcher = difflib.SequenceMatcher(
            None, [bare(token) for token in tokens], [bare(token) for token, _, _ in pairs], autojunk=False
        )
        tags = [UNREADABLE] * len(tokens)
        for block in matcher.get_matching_blocks():
            for step in range(block.size):
                tags[block.a + step] = labels.get(pairs[block.b + step][2].strip().casefold(), UNREADABLE)
        self.notes["tokens without a known tag"] += tags.count(UNREADABLE)
        return tags

    def unreadable(self, row: Row) -> list[str]:
        """A tag that the task has not, for every token."""
        return [UNREADABLE] * len(self.tokens(row))


def tagging(task: Task, prompt: Prompt) -> TaggingKind:
    """Entities where the tags have an ``O``, else a tag for every token."""
    return EntityKind(task, prompt) if is_entity_tagging(task) else EveryTokenKind(task, prompt)
