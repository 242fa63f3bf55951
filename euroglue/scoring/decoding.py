# SPDX-License-Identifier: Apache-2.0
"""Entities in sequences of tags: read leniently, as seqeval does by default, or strictly by a named scheme."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from euroglue.errors import UnknownNameError

OUTSIDE, DOT, BEGIN, INSIDE, END, SINGLE, OTHER = range(7)
PREFIXES = {"O": OUTSIDE, ".": DOT, "B": BEGIN, "I": INSIDE, "E": END, "S": SINGLE}
NO_TYPE = "_"
LENIENT = "lenient"
"""The way of reading that is no scheme."""


def parse_tag(tag: str) -> tuple[int, str]:
    """The class of a tag's first character, and its entity type: what follows the first hyphen, or all that follows.

    >>> parse_tag("B-PER") == (BEGIN, "PER"), parse_tag("I") == (INSIDE, "_"), parse_tag("NOUN") == (OTHER, "OUN")
    (True, True, True)
    """
    if not tag:
        return OUTSIDE, NO_TYPE
    return PREFIXES.get(tag[0], OTHER), tag[1:].split("-", maxsplit=1)[-1] or NO_TYPE


def _transitions() -> tuple[np.ndarray, np.ndarray]:
    ends, starts = np.zeros((7, 7), dtype=bool), np.zeros((7, 7), dtype=bool)
    ends[[END, SINGLE], :] = True
    ends[np.ix_([BEGIN, INSIDE], [BEGIN, SINGLE, OUTSIDE])] = True
    starts[:, [BEGIN, SINGLE]] = True
    starts[np.ix_([END, SINGLE, OUTSIDE], [END, INSIDE])] = True
    return ends.ravel(), starts.ravel()


ENDS, STARTS = _transitions()
"""Whether an entity ends before, or starts at, a tag, by 7 · the class of the tag before + the class of the tag."""
IN_ENTITY = np.array([False, False, True, True, True, True, True])


class Scheme(NamedTuple):
    """What a tag does after the one before it: each text lists pairs of first letters, before and after.

    A pair in ``begins`` starts an entity, one in ``goes_on`` continues it and one in ``closes`` shows that the entity
    ended properly with the tag before; a pair counts whatever the types, or after ``=`` only for one type, after ``≠``
    only for different ones. ``letters`` are the first letters that the scheme has.
    """

    letters: str
    begins: str
    goes_on: str
    closes: str


SCHEMES: Mapping[str, Scheme] = {
    "IOB1": Scheme("OIB", "OI BI ≠II =IB =BB", "=BI =II", "IO IB BO ≠II ≠BI =BB"),
    "IOB2": Scheme("OIB", "OB IB BB", "=BI =II", "IO IB BO BB ≠II ≠BI"),
    "IOE2": Scheme("OIE", "OI OE EI EE ≠II ≠IE", "=II =IE", "EO EI EE"),
    "IOBES": Scheme("OIBES", "OB IB BB EB SB OS IS BS ES SS", "=BI =BE =II =IE", "EO EI EB EE ES SO SI SB SE SS"),
    "BILOU": Scheme("OIBLU", "OB IB BB LB UB OU IU BU LU UU", "=BI =BL =II =IL", "LO LI LB LL LU UO UI UB UL UU"),
}
"""The strict schemes, as seqeval's strict mode reads them (its IOE1 is unfinished and left out).

In IOB1 a ``B-`` is only for an entity right after another of its type; in IOB2 every entity begins with one. IOE2 ends
every entity with ``E-``. In IOBES entities of one word have ``S-``, longer ones begin with ``B-`` and end with ``E-``;
BILOU has ``U-`` and ``L-`` for those. What is broken under the scheme is no entity.
"""


class Entities(NamedTuple):
    """The entities of flat tags, in order: where each begins, where it ends (its last tag) and the id of its type."""

    begins: np.ndarray
    ends: np.ndarray
    types: np.ndarray


class Decoder:
    """Finds entities in codes of tags; made once for the tags that occur.

    >>> decoder = Decoder(["O", "B-PER", "I-PER"], {"PER": 0})
    >>> [values.tolist() for values in decoder(np.array([1, 2, 0, 2, 0], dtype=np.uint8))]
    [[0, 3], [1, 3], [0, 0]]
    >>> [values.tolist() for values in Decoder(["O", "B-PER", "I-PER"], {}, "IOB2")(np.array([1, 2, 0, 2, 0]))]
    [[0], [1], [1]]
    """

    def __init__(self, names: Sequence[str], kinds: dict[str, int], scheme: str = LENIENT):
        """``names`` are the tags by code; ``kinds`` numbers the types and grows by new ones; ``scheme`` names one.

        Under a scheme a tag whose first letter it lacks counts as ``O``.
        """
        parsed = [parse_tag(name) for name in names]
        self.types = np.array([kinds.setdefault(kind, len(kinds)) for _, kind in parsed], dtype=np.int32)
        self.count, self.scheme = len(names), SCHEMES.get(scheme)
        if self.scheme is None:
            self.letters = np.array([prefix for prefix, _ in parsed], dtype=np.uint8)
        else:
            found = [self.scheme.letters.find(name[:1] or "O") for name in names]
            self.letters = np.array([max(place, 0) for place in found], dtype=np.uint8)

    def __call__(self, codes: np.ndarray) -> Entities:
        """The entities of flat tags; each example must be followed by an outside tag."""
        return self._lenient(codes) if self.scheme is None else self._strict(codes, self.scheme)

    def _pairs(self, codes: np.ndarray, flags: np.ndarray) -> np.ndarray:
        """The flags of each tag and the next, of ``flags`` by 2 · (letters · letter + next letter) + types differ."""
        letters = int(np.sqrt(len(flags) // 2))

        def of(before: np.ndarray, after: np.ndarray) -> np.ndarray:
            pair = self.letters[before].astype(np.intp) * letters + self.letters[after]
            return flags[2 * pair + (self.types[before] != self.types[after])]

        if codes.dtype != np.uint8:
            return of(codes[:-1], codes[1:])
        grid = np.arange(self.count * self.count)  # few codes: look every pair of them up in a table
        table = of(grid // self.count, grid % self.count)
        return table[codes[:-1].astype(np.uint16) * np.uint16(self.count) + codes[1:]]

    def _lenient(self, codes: np.ndarray) -> Entities:
        flags = self._pairs(codes, LENIENT_FLAGS)
        ends = np.flatnonzero((flags & CLOSES) != 0)
        starts = np.flatnonzero((flags & BEGINS) != 0) + 1
        if self._pairs(codes[[-1, 0]], LENIENT_FLAGS)[0] & BEGINS:  # what comes before the first tag is outside, too
            starts = np.concatenate([[0], starts])
        whole = len(starts) == len(ends) and (starts <= ends).all() and (starts[1:] > ends[:-1]).all()
        if not whole:  # odd letters: not every beginning has an end of its own
            starts = np.concatenate([[0], starts])
            starts = starts[np.searchsorted(starts, ends, side="right") - 1]
        return Entities(starts, ends, self.types[codes[ends]])

    def _strict(self, codes: np.ndarray, scheme: Scheme) -> Entities:
        outside = codes[-1:]
        flags = self._pairs(np.concatenate([outside, codes]), _flags(scheme))
        starts, inside = (flags & BEGINS) > 0, (flags & GOES_ON) > 0
        starts[1:] &= ~(inside[1:] & starts[:-1])  # IOB1: I after a B that began an entity continues it
        stops = np.flatnonzero(~inside | starts)
        begins = np.flatnonzero(starts)
        after = stops[np.searchsorted(stops, begins, side="right")]
        proper = (flags[after] & CLOSES) > 0
        begins, after = begins[proper], after[proper]
        return Entities(begins, after - 1, self.types[codes[begins]])


BEGINS, GOES_ON, CLOSES = (np.uint8(1 << place) for place in range(3))


def _flags(scheme: Scheme) -> np.ndarray:
    """What each pair of letters is, by 2 · (letters · letter + next letter) + types differ."""
    count = len(scheme.letters)
    found = np.zeros((count, count, 2), dtype=np.uint8)
    for flag, pairs in zip((BEGINS, GOES_ON, CLOSES), scheme[1:]):
        for pair in pairs.split():
            where = tuple(scheme.letters.index(letter) for letter in pair[-2:])
            found[where][{"=": [0], "≠": [1]}.get(pair[0], [0, 1])] |= flag
    return found.ravel()


def _lenient_flags() -> np.ndarray:
    before, after = np.divmod(np.arange(49), 7)
    flags = [
        BEGINS * (STARTS | (differ & IN_ENTITY[after])) | CLOSES * (ENDS | (differ & IN_ENTITY[before]))
        for differ in (False, True)
    ]
    return np.stack(flags, axis=1).astype(np.uint8).ravel()


LENIENT_FLAGS = _lenient_flags()


def convert(tags: Sequence[str], old: str, new: str) -> list[str]:
    """The tags of one sentence, read under one scheme, written under another; what is no entity becomes ``O``.

    Args:
        tags: the tags.
        old: ``lenient``, or one of ``SCHEMES``.
        new: one of ``SCHEMES``.

    Raises:
        UnknownNameError: there is no such scheme.

    >>> convert(["I-PER", "I-PER", "B-PER", "O"], "IOB1", "IOBES")
    ['B-PER', 'E-PER', 'S-PER', 'O']
    >>> convert(["S-PER", "B-PER", "E-PER"], "IOBES", "IOB1")
    ['I-PER', 'B-PER', 'I-PER']
    """
    for scheme, known in ((old, (LENIENT, *SCHEMES)), (new, tuple(SCHEMES))):
        if scheme not in known:
            raise UnknownNameError(f"there is no tagging scheme {scheme!r}; known: {', '.join(known)}")
    names, kinds = sorted(set(tags)), dict[str, int]()
    codes = np.array([*map(names.index, tags), len(names)])
    found = Decoder([*names, "O"], kinds, old)(codes)
    by_id, written, before = list(kinds), ["O"] * len(tags), (-1, -1)
    for begin, end, kind in zip(*(values.tolist() for values in found)):
        letters = _letters(new, end - begin + 1, touches=before == (begin - 1, kind))
        suffix = "" if by_id[kind] == NO_TYPE else f"-{by_id[kind]}"
        written[begin : end + 1] = [letter + suffix for letter in letters]
        before = (end, kind)
    return written


def _letters(scheme: str, length: int, touches: bool) -> str:
    """The first letters of an entity's tags; ``touches`` says that it follows right on one of its own type."""
    single, first, inside, last = {
        "IOB1": ("B", "B", "I", "I") if touches else ("I", "I", "I", "I"),
        "IOB2": ("B", "B", "I", "I"),
        "IOE2": ("E", "I", "I", "E"),
        "IOBES": ("S", "B", "I", "E"),
        "BILOU": ("U", "B", "I", "L"),
    }[scheme]
    return single if length == 1 else first + inside * (length - 2) + last
