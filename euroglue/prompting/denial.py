# SPDX-License-Identifier: Apache-2.0
"""Whether a sentence denies, excepts or only asks about an answer that it names."""

from __future__ import annotations

import re
from collections.abc import Collection

PARTICLES = frozenset("да не da ne".split())
"""Answers that are particles too: in a sentence they count before a mark, an "or", or the end alone ("ne vem" is no "ne")."""
INTERJECTIONS = PARTICLES | frozenset("ja nee yes no".split())
"""Answers that stand outside the sentence that follows them: no word of it denies them."""
NEGATIONS = frozenset(
    "не ни нито няма нямам никак никога нищо никой никоя никое никаква едва трудно далеч невярно невъзможно съмнително "
    "ne ni niti nisem nismo niso nima nimam nimamo nikakor nikoli nikdar nič noben nobena nobeno nihče komaj težko daleč "
    "prej nemogoče niet geen nooit noch niets niemand nergens nauwelijks amper weinig moeilijk allesbehalve verre "
    "onmogelijk not no never nor neither none nothing cannot hardly unlikely impossible".split()
)
EXCEPTIONS = frozenset("без освен brez razen zonder behalve without except excluding".split())
"""What denies the answer right after it alone: "without doubt" denies none."""
WRONG = frozenset(
    "грешен грешна грешно неверен невярна неправилен napačen napačna napačno nepravilen nepravilna narobe fout onjuist "
    "verkeerd wrong incorrect false excluded".split()
)
"""What denies an answer that stands before it: "A is wrong"."""
REACH, NEAR = 3, 200
"""A negation is up to so many words away; so many characters around an answer are looked through."""
_THAT = "че|дали|да|da|ali|dat|of|that|whether|if"
_BEFORE = re.compile(rf"[.:;!?\n]|,(?!\s*(?:{_THAT})(?!\w))")
"""Where a clause begins; not where the object of "I do not think" does."""
_BUT = "защото|понеже|но|а|ker|saj|ampak|vendar|temveč|omdat|want|maar|because|since|but|as"
_AFTER = re.compile(rf"[.:;!?,\n()\[\]]|\s[–—-]\s|(?<!\w)(?:{_BUT})(?!\w)")
_SENTENCE = re.compile(r"[.!?\n]")
_ALONE = re.compile(r"\s*(?:[^\w\s]|$|(?:ali|in|или|и)(?!\w))")
_MARKS = "\"'`*_,()[]„“”‚‘’«»‹›"


def is_alone(folded: str, end: int) -> bool:
    """Whether a particle that ends there stands alone, and so is an answer."""
    return _ALONE.match(folded, end) is not None


def is_denied(folded: str, start: int, end: int, answer: str, answers: Collection[str]) -> bool:
    """Whether a lower-cased text denies, excepts or asks about the answer at a place of it.

    >>> is_denied("ni pozitivno", 3, 12, "pozitivno", ["pozitivno"]), is_denied("a is wrong", 0, 1, "a", ["a"])
    (True, True)
    >>> is_denied("ne mislim, da je pozitivno", 17, 26, "pozitivno", ["pozitivno"])
    True
    >>> is_denied("niet best, dus negatief", 15, 23, "negatief", ["negatief"])
    False
    """
    if _denied_before(folded[max(0, start - NEAR) : start], answers):
        return True
    after = folded[end : end + NEAR]
    if answer in INTERJECTIONS:
        return False
    ended = _SENTENCE.search(after)
    if ended is not None and ended[0] == "?":
        return True
    following = [word.strip(_MARKS) for word in _AFTER.split(after, maxsplit=1)[0].split()[:REACH]]
    return any((_negates(word) or word in WRONG) and word not in answers for word in following)


def _denied_before(before: str, answers: Collection[str]) -> bool:
    clause = _BEFORE.split(before)[-1]
    words = clause.split()
    plain = [word.strip(_MARKS) for word in words]
    if plain and plain[-1] in EXCEPTIONS:
        return True
    joined = max((place for place, word in enumerate(plain) if re.fullmatch(_THAT, word)), default=-1)
    return any(
        _negates(word)
        and (place >= len(words) - REACH or place < joined)
        and not (word in answers and _is_answer(words, place))
        for place, word in enumerate(plain)
    )


def _is_answer(words: list[str], place: int) -> bool:
    """Whether a word of the answers is one there, and no mere particle of what follows."""
    return words[place] not in PARTICLES or not set(words[place + 1 : place + 2]).isdisjoint(("ali", "in", "или", "и"))


def _negates(word: str) -> bool:
    return word in NEGATIONS or word.endswith(("n't", "n’t"))
