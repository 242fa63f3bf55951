# SPDX-License-Identifier: Apache-2.0
"""From words to sub-words and back: alignment, windows over long documents, padding."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from euroglue.training.kinds.kind import Feature

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast


def align(pieces: Iterable[int], owners: Iterable[int], words: int, placeholder: int) -> tuple[list[int], list[int]]:
    """Give every word a first sub-word: a word that yielded none gets ``placeholder``.

    Args:
        pieces: the ids of the sub-words.
        owners: for each sub-word the index of its word, never falling.
        words: how many words there are.
        placeholder: the id that stands for a word without sub-words (an empty or zero-width one).

    Returns:
        The ids with placeholders put in, and for each word the position of its first sub-word.

    >>> align([7, 8, 9], [0, 0, 2], 4, placeholder=1)
    ([7, 8, 1, 9, 1], [0, 2, 3, 4])
    """
    ids: list[int] = []
    first: list[int] = []
    for piece, owner in zip(pieces, owners, strict=True):
        while len(first) < owner:
            first.append(len(ids))
            ids.append(placeholder)
        if len(first) == owner:
            first.append(len(ids))
        ids.append(piece)
    while len(first) < words:
        first.append(len(ids))
        ids.append(placeholder)
    return ids, first


def windows(length: int, capacity: int, overlap: int) -> list[tuple[int, int]]:
    """Cover ``length`` positions by windows of at most ``capacity`` that overlap by at least ``overlap``.

    All but a sole window are full: the last one is moved back to the end of the document.

    >>> windows(10, 4, 1), windows(3, 4, 1), windows(9, 4, 1)
    ([(0, 4), (3, 7), (6, 10)], [(0, 3)], [(0, 4), (3, 7), (5, 9)])
    """
    overlap = min(overlap, capacity - 1)
    starts = list(range(0, max(length - capacity, 0), capacity - overlap))
    starts.append(max(length - capacity, 0))
    return [(start, min(start + capacity, length)) for start in starts]


def best_windows(positions: Sequence[int], spans: Sequence[tuple[int, int]]) -> list[int]:
    """For each position the window that shows most context on its poorer side; the document's own edge is no loss.

    >>> best_windows([0, 3, 9], windows(10, 4, 1)), best_windows([2, 5], [(0, 6), (4, 10)])
    ([0, 0, 2], [0, 1])
    """
    length = spans[-1][1]
    starts = np.array([start for start, _ in spans])
    ends = np.array([end for _, end in spans])
    place = np.asarray(positions, dtype=np.int64)[:, None]
    left = np.where(starts == 0, length, place - starts)
    right = np.where(ends == length, length, ends - 1 - place)
    inside = (place >= starts) & (place < ends)
    context = np.where(inside, np.minimum(left, right), -1)
    return [int(window) for window in context.argmax(axis=1)]


def placeholder(tokenizer: PreTrainedTokenizerFast) -> int:
    """The id that stands for a word without sub-words: unknown, else mask, else padding."""
    for token in (tokenizer.unk_token_id, tokenizer.mask_token_id, tokenizer.pad_token_id):
        if token is not None:
            return int(token)
    raise ValueError("the tokenizer has neither an unknown, a mask nor a padding token")


@dataclass(frozen=True)
class Frame:
    """The special tokens that a tokenizer puts before, between and after texts, and the types of the positions.

    ``gaps`` are one more than the texts; ``types`` those of the gaps and texts in turn, ``None`` where the encoder has none.
    """

    gaps: tuple[tuple[int, ...], ...]
    types: tuple[tuple[int, ...], ...] | None

    @property
    def size(self) -> int:
        """How many special tokens there are."""
        return sum(map(len, self.gaps))

    def join(self, *texts: Sequence[int]) -> Joined:
        """Put the texts' sub-words into their places.

        >>> Frame(((1,), (2,), (2,)), ((0,), (0,), (0,), (1,), (1,))).join([7, 8], [9])
        Joined(input_ids=[1, 7, 8, 2, 9, 2], types=[0, 0, 0, 0, 1, 1], starts=(1, 4))
        """
        ids, starts, types = list(self.gaps[0]), [], list(self.types[0]) if self.types else []
        for number, text in enumerate(texts):
            starts.append(len(ids))
            ids.extend([*text, *self.gaps[number + 1]])
            if self.types:
                ((own,), after) = self.types[2 * number + 1 : 2 * number + 3]
                types.extend([*[own] * len(text), *after])
        return Joined(ids, types if self.types else None, tuple(starts))


class Joined(NamedTuple):
    """Ids with the special tokens in, their types, and where each text starts."""

    input_ids: list[int]
    types: list[int] | None
    starts: tuple[int, ...]


def frame(tokenizer: PreTrainedTokenizerFast, texts: int = 1) -> Frame:
    """What the tokenizer puts around a single text or a pair."""
    encoded = tokenizer(*[_known_word(tokenizer)] * texts, return_attention_mask=False)
    owners, ids = encoded.sequence_ids(0), encoded["input_ids"]
    inside = [[place for place, owner in enumerate(owners) if owner == text] for text in range(texts)]
    edges = [-1, *(edge for places in inside for edge in (places[0], places[-1])), len(ids)]
    gaps = [range(edges[2 * gap] + 1, edges[2 * gap + 1]) for gap in range(texts + 1)]
    kinds = encoded.get("token_type_ids") if texts > 1 else None
    if kinds is None:
        types = None
    else:
        places = [part for gap, text in zip(gaps, [*inside, []]) for part in (gap, text[:1])][:-1]
        types = tuple(tuple(kinds[place] for place in part) for part in places)
    return Frame(tuple(tuple(ids[place] for place in gap) for gap in gaps), types)


def _known_word(tokenizer: PreTrainedTokenizerFast) -> str:
    """A word that the tokenizer makes something of: not all know Latin letters or have an unknown token."""
    special = {*tokenizer.all_special_ids}
    tokens = (str(tokenizer.decode([token])) for token in range(len(tokenizer)) if token not in special)
    for word in chain("a", tokens):
        if word.strip() and tokenizer(word, add_special_tokens=False)["input_ids"]:
            return word
    raise ValueError("the tokenizer makes nothing of any word")


def shared_room(lengths: Sequence[int], room: int) -> list[int]:
    """How much of each text is kept so that they fit together: the longest is cut first, position by position.

    >>> shared_room([10, 3], 9), shared_room([10, 9], 9), shared_room([2, 3], 9)
    ([6, 3], [5, 4], [2, 3])
    """
    cap = next(cap for cap in range(max(lengths), -1, -1) if sum(min(length, cap) for length in lengths) <= room)
    kept = [min(length, cap) for length in lengths]
    for i, length in enumerate(lengths):
        kept[i] += length > cap and sum(kept) < room
    return kept


def around(marks: Sequence[int], length: int, room: int) -> list[int]:
    """Which of ``length`` positions to keep so that the marked ones stay, with as much around each as there is room for.

    Args:
        marks: the positions that must be kept.
        length: how many positions there are.
        room: how many may be kept, at least as many as there are distinct marks.

    >>> around([2, 8], 10, 4), around([0], 5, 3), around([1], 2, 9)
    ([2, 3, 8, 9], [0, 1, 2], [0, 1])
    """
    if length <= room:
        return list(range(length))
    distance = np.abs(np.arange(length)[:, None] - np.asarray(sorted(set(marks)), dtype=np.int64)).min(axis=1)
    follows = np.isin(np.arange(length) - distance, marks)
    nearest = np.lexsort((np.arange(length), ~follows, distance))
    return sorted(nearest[:room].tolist())


def needs_space(tokenizer: PreTrainedTokenizerFast) -> bool:
    """Whether the tokenizer is byte-level, tells a word's start by the space before it and does not add that itself."""
    described = json.loads(tokenizer.backend_tokenizer.to_str())["pre_tokenizer"] or {}
    parts = described.get("pretokenizers", [described])
    return any(part.get("type") == "ByteLevel" and not part.get("add_prefix_space") for part in parts)


def word_pieces(
    tokenizer: PreTrainedTokenizerFast, sentences: Sequence[Sequence[str]]
) -> list[tuple[list[int], list[int]]]:
    """Cut each sentence's words into sub-words, without special tokens and without a limit of length.

    Returns:
        For each sentence the ids and, for every word of it, the position of the word's first sub-word.
    """
    lead = " " if needs_space(tokenizer) else ""
    filler = placeholder(tokenizer)
    filled = [i for i, words in enumerate(sentences) if len(words)]
    results: list[tuple[list[int], list[int]]] = [([], [])] * len(sentences)
    if not filled:
        return results
    encoded = tokenizer(
        [[lead + word for word in sentences[i]] for i in filled],
        is_split_into_words=True,
        add_special_tokens=False,
        return_attention_mask=False,
        return_token_type_ids=False,
        verbose=False,
    )
    for row, i in enumerate(filled):
        owners = [word for word in encoded.word_ids(row) if word is not None]
        results[i] = align(encoded["input_ids"][row], owners, len(sentences[i]), filler)
    return results


def pad(rows: Sequence[Sequence[int]], value: int) -> np.ndarray:
    """Stack rows of unequal length into an int64 array, filled up on the right with ``value``.

    >>> pad([[1, 2], [3]], 0).tolist()
    [[1, 2], [3, 0]]
    """
    stacked = np.full((len(rows), max(map(len, rows))), value, dtype=np.int64)
    for i, row in enumerate(rows):
        stacked[i, : len(row)] = row
    return stacked


def stack_inputs(features: Sequence[Feature], pad_id: int | None) -> dict[str, np.ndarray]:
    """The inputs of an encoder, each (batch, longest): ``input_ids``, ``attention_mask`` and, for pairs, the types."""
    rows = [feature.input_ids for feature in features]
    inputs = {"input_ids": pad(rows, pad_id or 0), "attention_mask": pad([[1] * len(row) for row in rows], 0)}
    types = [feature.types for feature in features if feature.types is not None]
    if len(types) == len(rows):
        inputs["token_type_ids"] = pad(types, 0)
    return inputs
