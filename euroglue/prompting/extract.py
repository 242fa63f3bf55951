# SPDX-License-Identifier: Apache-2.0
"""Which answer a text gives: a chain of named filters, each of which names some answers or passes.

The first filter that names any decides. Several named answers, a negated one, or none are no answer: a text is never
read as the answer that it resembles most.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from euroglue.prompting.clean import composed
from euroglue.prompting.json_objects import objects

CUES = ("answer", "label")
"""What may stand before an answer besides the prompt's own cue."""
NEGATIONS = frozenset("не ни няма никак ni ne niti nikakor niet geen nooit not no never isn't".split())
PARTICLES = frozenset("да не da ne".split())
"""Answers that are particles too: in a sentence they count before a mark, an "or", or the end alone ("ne vem" is no "ne")."""
_ALONE = re.compile(r"\s*(?:[^\w\s]|$|(?:ali|in|или|и)(?!\w))")
NEAR = 60
"""How many characters before an answer are looked through for a negation: it may be up to three words away."""
AROUND = " \t\n\r\"'`*_.,:;!?()[]{}<>„“”‚‘’«»‹›–—-$"
_LOOK_ALIKES = str.maketrans("АВСЕНКМОРТХасеорх", "ABCEHKMOPTXaceopx")
"""Cyrillic letters that look like Latin ones."""
_BOXED = re.compile(r"boxed\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_TEXT_MACRO = re.compile(r"\\?(?:text|mathrm|textbf)\s*\{([^{}]*)\}")
_NUMBER = re.compile(r"(?<![\w.,])[-+−]?\d+(?:[.,]\d+)?(?![\w]|[.,]\d)")
_OUT_OF = re.compile(r"(\d+(?:[.,]\d+)?)\s*(?:/|от|out of|od|van de|van|iz)\s*(\d+(?:[.,]\d+)?)(?!\w)", re.I)


class Words(NamedTuple):
    """The answers as they are looked for: folded word → the word as the prompt has it."""

    folded: dict[str, str]
    letters: bool
    """Whether each answer is one letter."""

    @classmethod
    def of(cls, words: Sequence[str]) -> Words:
        """The words of a prompt."""
        letters = all(len(word) == 1 and word.isalpha() for word in words)
        return cls({fold(word, letters): word for word in words}, letters)


def fold(text: str, letters: bool = False) -> str:
    """Composed, lower-cased; Cyrillic letters as the Latin ones they look like, where answers are single letters.

    >>> fold("Č"), fold("В", letters=True)
    ('č', 'b')
    """
    known = composed(text)
    return (known.translate(_LOOK_ALIKES) if letters else known).casefold()


def bare(text: str) -> str:
    """Without marks and white space around.

    >>> bare(" **„da“.** ")
    'da'
    """
    return text.strip(AROUND)


def exact(text: str, words: Words, cue: str) -> set[str]:
    """The text is the answer, marks around it aside."""
    found = words.folded.get(_key(fold(bare(text), words.letters)))
    return {found} if found is not None else set()


def _key(text: str) -> str:
    """A found word as the words are known: with single spaces in it."""
    return " ".join(text.split())


def boxed(text: str, words: Words, cue: str) -> set[str]:
    r"""The last ``\boxed{…}`` holds the answer."""
    inner = [_TEXT_MACRO.sub(r"\1", found) for found in _BOXED.findall(text)]
    return exact(inner[-1], words, cue) if inner else set()


def in_json(text: str, words: Words, cue: str) -> set[str]:
    """A JSON object holds the answer as one of its values, at whatever depth."""
    values = [value for found in objects(text) for value in _leaves(found)]
    return {word for value in values for word in exact(str(value), words, cue)}


def _leaves(value: Any) -> Iterator[str | int]:
    """Texts and whole numbers in a value of JSON; the readers of JSON bound its depth."""
    if isinstance(value, (str, int)):
        yield value
    elif isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _leaves(inner)


def _pattern(words: Words) -> str:
    longest_first = sorted(words.folded, key=len, reverse=True)
    options = (r"\s+".join(map(re.escape, word.split(" "))) for word in longest_first)
    return rf"(?<!\w)({'|'.join(options)})(?!\w)"


def after_cue(text: str, words: Words, cue: str) -> set[str]:
    """The answer follows the prompt's cue, or "answer", with a colon or a short word between."""
    cues = "|".join(re.escape(fold(one, words.letters)) for one in (cue, *CUES) if one)
    between = r"(?:\s+[\w]{1,3}){0,2}\s*[:=]?[\s\"'`*_(\[„“«»]*"
    folded, pattern = fold(text, words.letters), _pattern(words)
    further = re.compile(rf"[\"'`*_)\]“”»]*\s*(?:[,/]|(?:or|and|of|en|ali|in|или|и)(?!\w))[\s\"'`*_(\[„“«»]*{pattern}")
    named = set()
    for one in re.finditer(rf"(?<!\w)(?:{cues})(?P<between>{between}){pattern}", folded):
        if NEGATIONS & set(one["between"].split()):
            return set()
        if one[2] in PARTICLES and not _ALONE.match(folded, one.end()):
            continue
        named.add(words.folded[_key(one[2])])
        more = further.match(folded, one.end())
        while more is not None:
            named.add(words.folded[_key(more[1])])
            more = further.match(folded, more.end())
    return named


def at_start(text: str, words: Words, cue: str) -> set[str]:
    """The text begins with the answer and a mark or a line's end, and its first line names no other."""
    line = text.strip().split("\n")[0]
    marks = r"\s*(?:[.:)\]!]|[–—-]\s|$)|\s+(?:is|je|e)(?!\w)" if words.letters else r"\s*(?:[.:)\]!]|$)"
    found = re.match(rf"[\s\"'`*_(\[„“«»]*{_pattern(words)}[\"'`*_“”»]*(?:{marks})", fold(line, words.letters))
    if found is None:
        return set()
    word = words.folded[_key(found[1])]
    return {word} if named(line, words, cue) <= {word} else set()


def named(text: str, words: Words, cue: str) -> set[str]:
    """All answers that the text names as whole words; a negated one and its opposite cannot be told apart: both count.

    A single letter counts in the case that the prompt has, or where a mark or the end of the text follows: "a" is a word
    in some languages.
    """
    known = composed(text)
    if words.letters:
        return _letters(known.translate(_LOOK_ALIKES), words)
    found, folded = set(), known.casefold()
    for one in re.finditer(_pattern(words), folded):
        if _negated(folded, one.start(), words):
            return set(words.folded.values())
        if one[1] not in PARTICLES or _ALONE.match(folded, one.end()):
            found.add(words.folded[_key(one[1])])
    return found


def _letters(text: str, words: Words) -> set[str]:
    letters = "".join(map(re.escape, words.folded.values()))
    followed = "" if letters.isupper() else r"(?=[.)\]\"'*“»]|\s*$)"
    found = set()
    for pattern in (rf"(?<!\w)([{letters}])(?!\w){followed}", rf"(?i)(?<!\w)([{letters}])[.!]?\s*$"):
        for one in re.finditer(pattern, text):
            if _negated(text.casefold(), one.start(), words):
                return set(words.folded.values())
            found.add(words.folded[one[1].casefold()])
    return found


def _negated(folded: str, start: int, words: Words) -> bool:
    """Whether one of the three words before, in the same clause, is a negation that is no answer itself."""
    clause = re.split(r"[.,:;!?\n]", folded[max(0, start - NEAR) : start])[-1]
    return any(word in NEGATIONS and word not in words.folded for word in clause.split()[-3:])


LABEL_FILTERS: tuple[tuple[str, Callable[[str, Words, str], set[str]]], ...] = (
    ("exact", exact),
    ("boxed", boxed),
    ("json", in_json),
    ("after cue", after_cue),
    ("at start", at_start),
    ("named", named),
)
"""In the order in which they are asked."""


def label_of(text: str, words: Sequence[str], cue: str = "") -> tuple[str | None, str]:
    """The one word of ``words`` that a cleaned text gives as its answer, and the filter that found it.

    Args:
        text: what ``euroglue.prompting.clean`` left of an answer.
        words: the answers there are.
        cue: what stands before the answer in the prompt, such as ``Sentiment``.

    Returns:
        The word and the filter's name; None and the reason where there is no such word.

    >>> label_of("nedvomno da", ("da", "ne")), label_of("ni da, ampak ne", ("da", "ne"))
    (('da', 'named'), (None, 'several named'))
    """
    looked_for = Words.of(words)
    for name, apply in LABEL_FILTERS:
        found = apply(text, looked_for, cue)
        if len(found) == 1:
            return found.pop(), name
        if found:
            return None, "several named"
    return None, "none named" if text.strip() else "empty"


def number_of(text: str, low: float, high: float, cue: str = "") -> float | None:
    """The one number within bounds that a cleaned text gives; commas and points both part decimals.

    ``4/5`` and ``4 от 5`` are 4 where 5 is the highest value. A text with several numbers, or one out of bounds, gives none.

    >>> number_of("Оценка: 4,5", 0, 5), number_of("4 от 5", 0, 5), number_of("3 или 4", 0, 5), number_of("10", 0, 5)
    (4.5, 4.0, None, None)
    """
    inner = _BOXED.findall(text)
    text = inner[-1] if inner else text
    of_high = {_float(part) for part, whole in _OUT_OF.findall(text) if _float(whole) == high}
    after = re.findall(rf"(?i)(?<!\w){re.escape(cue)}\s*[:=]\s*({_NUMBER.pattern})", text) if cue else []
    groups: tuple[set[float], ...] = (of_high, set(map(_float, after)), set(map(_float, _NUMBER.findall(text))))
    for found in groups:
        if found:
            number = min(found)
            return number if len(found) == 1 and low <= number <= high else None
    return None


def _float(text: str) -> float:
    return float(text.replace(",", ".").replace("−", "-"))


def span_of(text: str, cue: str = "") -> str:
    """The answer to a question: the first paragraph without the cue before it and quotation marks around it.

    >>> span_of('Antwoord: "in 1284".\\n\\nDe tekst zegt dat.', "Antwoord")
    'in 1284'
    """
    inner = _BOXED.findall(text)
    first = (inner[-1] if inner else text).strip().split("\n\n")[0].strip()
    cues = "|".join(re.escape(one) for one in (cue, *CUES) if one)
    first = re.sub(rf"(?i)^(?:{cues})\s*:\s*", "", first)
    pairs = ('""', "''", "„“", "„”", "“”", "«»", "»«", "**", "``", "‘’")
    stripped = first.rstrip(".") if first[:1] in "\"'„“«»‘*`" else first
    for pair in pairs:
        opening, closing = pair[0], pair[1]
        if len(stripped) > 2 and stripped[0] == opening and stripped[-1] == closing:
            return stripped.strip(opening + closing + " ")
    return first
