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
from euroglue.prompting.denial import PARTICLES, is_alone, is_denied
from euroglue.prompting.json_objects import objects

CUES = ("answer", "label")
"""What may stand before an answer besides the prompt's own cue."""
AROUND = " \t\n\r\"'`*_.,:;!?()[]{}<>„“”‚‘’«»‹›–—-$"
CYRILLIC, LATIN = "АВСЕНКМОРТХасеорх", "ABCEHKMOPTXaceopx"
"""Letters that look alike."""
_TO_LATIN, _TO_CYRILLIC = str.maketrans(CYRILLIC, LATIN), str.maketrans(LATIN, CYRILLIC)
_SINGLE = re.compile(rf"(?<!\w)[{CYRILLIC}](?=[.,:;!?)\]\"'`*“»]|\s*$)")
"""A letter that names a choice: before a mark or the end; elsewhere it is a word, such as в and с."""
_IN_CYRILLIC, _IN_LATIN, _ANY_WORD = re.compile("[а-яА-Я]"), re.compile("[a-zA-Z]"), re.compile(r"\w+")
_BOXED = re.compile(r"boxed\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_TEXT_MACRO = re.compile(r"\\?(?:text|mathrm|textbf)\s*\{([^{}]*)\}")
_NUMBER = re.compile(r"(?<![\w.,])[-+−]?\d+(?:[.,]\d+)?(?!\w|[.,]\d|\s*%)")
_OUT_OF = re.compile(
    r"(?<![\w.,/−-])(\d+(?:[.,]\d+)?)(?:\s+[^\W\d]+)?\s*\(?(?:/|(?:от|out of|od|van de|van|iz)(?!\w))\s*"
    r"(\d+(?:[.,]\d+)?)(?!\w|[.,]\d|\s*[/%])",
    re.I,
)
"""A number out of another, such as 4/5, "4 от 5" and "4 звезди (от 5)"."""
_FENCED = re.compile(r"```[a-z]*\n?(.*?)\n?```", re.S)
_BEYOND = re.compile(
    r"(?:под|над|поне|повече от|по-малко от|най-много|най-малко|less than|more than|at least|at most|under|over)\s*\Z"
)
"""What before a number says that it is a bound alone."""


class Words(NamedTuple):
    """The answers as they are looked for: folded word → the word as the prompt has it."""

    folded: dict[str, str]
    letters: bool
    """Whether each answer is one letter."""
    cyrillic: bool
    """Whether the answers are written in Cyrillic."""

    @classmethod
    def of(cls, words: Sequence[str]) -> Words:
        """The words of a prompt."""
        letters = all(len(word) == 1 and word.isalpha() for word in words)
        return cls(
            {composed(word).casefold(): word for word in words}, letters, bool(_IN_CYRILLIC.search("".join(words)))
        )

    def fold(self, text: str) -> str:
        """Composed, lower-cased; letters of the other script that look like those of the answers as these.

        >>> Words.of(["A", "B"]).fold("В. В текста"), Words.of(["да", "не"]).fold("дa")
        ('b. в текста', 'да')
        """
        return self.in_one_script(composed(text)).casefold()

    def in_one_script(self, text: str) -> str:
        """The text with single letters, where answers are such, else with words of two scripts, as answers are written."""
        if self.letters:
            return text if self.cyrillic else _SINGLE.sub(lambda one: one[0].translate(_TO_LATIN), text)
        table = _TO_CYRILLIC if self.cyrillic else _TO_LATIN

        def mended(one: re.Match[str]) -> str:
            mixed = _IN_CYRILLIC.search(one[0]) and _IN_LATIN.search(one[0])
            return one[0].translate(table) if mixed else one[0]

        return _ANY_WORD.sub(mended, text)


def bare(text: str) -> str:
    """Without marks and white space around.

    >>> bare(" **„da“.** ")
    'da'
    """
    return text.strip(AROUND)


def exact(text: str, words: Words, cue: str) -> set[str]:
    """The text is the answer, marks around it aside."""
    found = words.folded.get(_key(words.fold(bare(text))))
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
    """Texts and whole numbers in a value of JSON, however deep it is."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, (str, int)):
            yield value
        elif isinstance(value, (dict, list)):
            waiting += value.values() if isinstance(value, dict) else value


def _pattern(words: Words) -> str:
    longest_first = sorted(words.folded, key=len, reverse=True)
    options = (r"\s+".join(map(re.escape, word.split(" "))) for word in longest_first)
    return rf"(?<!\w)({'|'.join(options)})(?!\w)"


def after_cue(text: str, words: Words, cue: str) -> set[str]:
    """The answer follows the prompt's cue, or "answer", with a colon or a short word between."""
    cues = "|".join(re.escape(words.fold(one)) for one in (cue, *CUES) if one)
    between = r"(?:\s+[\w]{1,3}){0,2}\s*[:=]?[\s\"'`*_(\[„“«»]*"
    folded, pattern = words.fold(text), _pattern(words)
    further = re.compile(rf"[\"'`*_)\]“”»]*\s*(?:[,/]|(?:or|and|of|en|ali|in|или|и)(?!\w))[\s\"'`*_(\[„“«»]*{pattern}")
    named = set()
    for one in re.finditer(rf"(?<!\w)(?:{cues})(?P<between>{between}){pattern}", folded):
        if one[2] in PARTICLES and not is_alone(folded, one.end()):
            continue
        if is_denied(folded, one.start(2), one.end(2), one[2], words.folded):
            return set(words.folded.values())
        named.add(words.folded[_key(one[2])])
        more = further.match(folded, one.end())
        while more is not None:
            named.add(words.folded[_key(more[1])])
            more = further.match(folded, more.end())
    return named


def at_start(text: str, words: Words, cue: str) -> set[str]:
    """The text begins with the answer and a mark or a line's end, its first line names no other, and no line is one."""
    line = text.strip().split("\n")[0]
    marks = r"\s*(?:[.,:;()\]!]|[–—-]\s|$)" + (r"|\s+(?:is|je|е)(?!\w)" if words.letters else "")
    found = re.match(rf"[\s\"'`*_(\[„“«»]*{_pattern(words)}[\"'`*_“”»]*(?:{marks})", words.fold(line))
    if found is None:
        return set()
    word = words.folded[_key(found[1])]
    others = {one for line in text.split("\n") for one in exact(line, words, cue)}
    told, denied = _mentions(line, words)
    return {word} | others if told <= {word} and word not in denied else set()


def named(text: str, words: Words, cue: str) -> set[str]:
    """All answers that the text names as whole words; a negated one and its opposite cannot be told apart: both count.

    A single letter counts in the case that the prompt has, or where a mark or the end of the text follows: "a" is a word
    in some languages.
    """
    found, denied = _mentions(text, words)
    return set(words.folded.values()) if denied else found


def _mentions(text: str, words: Words) -> tuple[set[str], set[str]]:
    """The answers that the text names, and those that it denies."""
    known = words.in_one_script(composed(text))
    folded = known.casefold()
    found: set[str] = set()
    denied: set[str] = set()
    for one in _places(known, folded, words):
        answer = _key(one[1].casefold())
        wrong = is_denied(folded, one.start(), one.end(), answer, words.folded)
        (denied if wrong else found).add(words.folded[answer])
    return found, denied


def _places(known: str, folded: str, words: Words) -> Iterator[re.Match[str]]:
    """Where answers stand in a text: words anywhere, particles alone, letters as ``named`` says."""
    if not words.letters:
        places = re.finditer(_pattern(words), folded)
        yield from (one for one in places if one[1] not in PARTICLES or is_alone(folded, one.end()))
        return
    letters = "".join(map(re.escape, words.folded.values()))
    followed = "" if letters.isupper() else r"(?=[.)\]\"'*“»]|\s*$)"
    for pattern in (rf"(?<!\w)([{letters}])(?!\w){followed}", rf"(?i)(?<!\w)([{letters}])[.!]?\s*$"):
        yield from (one for one in re.finditer(pattern, known) if not _is_word(known, one))


_WORD = re.compile(r"\s+(?!(?:is|je|е|ni|не|not|niet|in|ali|и|или|en|of|noch|and|or|nor)(?!\w))(?P<first>[^\W\d_])")
_BEGIN = re.compile(r"(?:^|[.!?\n]\s*)\Z")


def _is_word(text: str, letter: re.Match[str]) -> bool:
    """Whether a capital A begins a sentence and a word follows: it is an article or a conjunction then."""
    following = _WORD.match(text, letter.end())
    begins = _BEGIN.search(text[max(0, letter.start() - 3) : letter.start()]) is not None
    return letter[1] == "A" and following is not None and following["first"].islower() and begins


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
    parts = {(_float(part), _float(whole)) for part, whole in _OUT_OF.findall(text)}
    of_high = {part for part, whole in parts if whole == high}
    if parts and not of_high:
        return None
    after = re.findall(rf"(?i)(?<!\w){re.escape(cue)}\s*[:=]\s*({_NUMBER.pattern})", text) if cue else []
    places, folded = list(_NUMBER.finditer(text)), text.casefold()
    denied = any(
        _BEYOND.search(folded[max(0, one.start() - 20) : one.start()]) or is_denied(folded, *one.span(), "", ())
        for one in places
    )
    groups: tuple[set[float], ...] = (of_high, set(map(_float, after)), {_float(one[0]) for one in places})
    for found in groups:
        if found:
            number = min(found)
            return number if len(found) == 1 and low <= number <= high and not denied else None
    return None


def _float(text: str) -> float:
    return float(text.replace(",", ".").replace("−", "-"))


def span_of(text: str, cue: str = "") -> str:
    """The answer to a question: the first paragraph without the cue before it and quotation marks around it.

    Of an answer that is JSON it is the one text in it, of a fenced one what the fence holds.

    >>> span_of('Antwoord: "in 1284".\\n\\nDe tekst zegt dat.', "Antwoord")
    'in 1284'
    """
    inner = _BOXED.findall(text)
    told = (inner[-1] if inner else text).strip()
    fenced = _FENCED.fullmatch(told)
    told = fenced[1].strip() if fenced else told
    texts = [leaf for one in objects(told) for leaf in _leaves(one) if isinstance(leaf, str)] if told[:1] == "{" else []
    first = (texts[0] if len(texts) == 1 else told).split("\n\n")[0].strip()
    cues = "|".join(re.escape(one) for one in (cue, *CUES) if one)
    first = re.sub(rf"(?i)^[*_]*(?:{cues})[*_]*\s*:[*_]*\s*", "", first)
    pairs = ('""', "''", "„“", "„”", "“”", "«»", "»«", "**", "``", "‘’")
    stripped = first.rstrip(".") if first[:1] in "\"'„“«»‘*`" else first
    for pair in pairs:
        opening, closing = pair[0], pair[1]
        if len(stripped) > 2 and stripped[0] == opening and stripped[-1] == closing:
            return stripped.strip(opening + closing + " ")
    return first
