# SPDX-License-Identifier: Apache-2.0
"""Exact match and token F1 of answers in words, with questions that have none (SQuAD 2.0), under named normalisers."""

from __future__ import annotations

import json
import re
import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from euroglue.errors import EuroglueError, PredictionError, shown
from euroglue.scoring.counts import divide
from euroglue.scoring.inputs import is_column, listed, one_of, paired, texts
from euroglue.scoring.metric import Facts, Metric

if TYPE_CHECKING:
    from euroglue.task import Task

ENGLISH_ARTICLES = ("a", "an", "the")
LANGUAGES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "bul": ("bg", ()),
    "nld": ("nl", ("de", "het", "een")),
    "slv": ("sl", ()),
}
"""ISO 639-3 code → the suffix of the scores' keys, and the articles that are words of their own in that language."""


@dataclass(frozen=True)
class Normaliser:
    """Turns an answer into the words that are compared: lower case, no punctuation, no articles.

    ``suffix`` ends the keys of the scores under this normaliser; ``everywhere`` says that all Unicode punctuation goes,
    such as „ “ » « – …, and that letters with marks are composed (NFC) first; else only ASCII's 32 marks go.

    >>> SQUAD("The Hague – „Den Haag“"), for_language("nld")[1]("Het „Den Haag“ – 1914–18")
    (['hague', '–', '„den', 'haag“'], ['den', 'haag', '191418'])
    """

    suffix: str
    articles: tuple[str, ...]
    everywhere: bool

    def __call__(self, text: str) -> list[str]:
        """The words of the text."""
        lowered = (unicodedata.normalize("NFC", text) if self.everywhere else text).lower()
        kept = "".join(char for char in lowered if not self._is_mark(char))
        if self.articles:
            kept = re.sub(rf"\b({'|'.join(self.articles)})\b", " ", kept)
        return kept.split()

    def _is_mark(self, char: str) -> bool:
        return char in string.punctuation or (self.everywhere and unicodedata.category(char)[0] == "P")

    def __str__(self) -> str:
        marks = "unicode" if self.everywhere else "ascii"
        return f"lower,punctuation-{marks},articles-{'/'.join(self.articles) or 'none'}{',nfc' * self.everywhere}"


SQUAD = Normaliser("", ENGLISH_ARTICLES, everywhere=False)
"""The normaliser of published SQuAD numbers, whatever the language: English articles, ASCII punctuation."""


NORMALISERS: Mapping[str, Normaliser] = {
    "squad": SQUAD,
    **{code: Normaliser("", articles, everywhere=True) for code, articles in LANGUAGES.values()},
}
"""Normalisers by name: SQuAD's, and by ISO 639-1 code those that fit a language."""


def for_language(language: str) -> tuple[Normaliser, ...]:
    """The normalisers of a language such as ``nld-Latn``: SQuAD's, and the language's own where it has one here.

    >>> [each.suffix for each in for_language("slv-Latn")], len(for_language("fra-Latn"))
    (['', '_sl'], 1)
    """
    own = LANGUAGES.get(language.partition("-")[0])
    return (SQUAD,) if own is None else (SQUAD, Normaliser(f"_{own[0]}", own[1], everywhere=True))


def exact_match(guess: Sequence[str], gold: Sequence[str]) -> float:
    """1 if both are the same words in the same order, else 0.

    >>> exact_match(["rode", "huis"], ["rode", "huis"])
    1.0
    """
    return float(list(guess) == list(gold))


def token_f1(guess: Sequence[str], gold: Sequence[str]) -> float:
    """F1 over the words of two answers, each as often as it occurs; without a word on a side, 1 if both have none.

    >>> token_f1(["rode", "huis"], ["het", "rode", "huis"]), token_f1([], []), token_f1(["x"], [])
    (0.8, 1.0, 0.0)
    """
    if not guess or not gold:
        return exact_match(guess, gold)
    shared = (Counter(guess) & Counter(gold)).total()
    return 2 * shared / (len(guess) + len(gold))


MEASURES: Mapping[str, Callable[[Sequence[str], Sequence[str]], float]] = {"f1": token_f1, "exact": exact_match}
GROUPS = ("has_ans", "no_ans")


class AnswerF1(Metric):
    """Token F1 and exact match of answers in words; the best over an example's gold answers. Range 0–1.

    ``f1`` and ``exact`` are the numbers of SQuAD 2.0 (Rajpurkar et al., ACL 2018), and ``f1`` is DUMB's score for
    SQuAD-NL (de Vries et al., EMNLP 2023, table 1): English articles and ASCII punctuation are dropped, in any language.
    Beside them ``f1_nl`` and ``exact_nl`` for Dutch (``_bg``, ``_sl``) drop that language's articles and all Unicode
    punctuation; what to judge a system by.

    The empty text predicts that there is no answer; any other text is an answer, also one such as "unanswerable". As in
    the published scorer an answer of which nothing is left, such as "the", counts as none. Every row counts once,
    whatever its id. ``has_ans_…`` and ``no_ans_…`` are the scores over the questions with and without an answer, always
    there; ``no_ans_share`` is the share of the latter, and where it is 0 or 1 the scores over nothing are 0.

    >>> gold = [{"text": ["het huis", "huis"], "answer_start": [4, 8]}, {"text": [], "answer_start": []}]
    >>> scores = AnswerF1("nld-Latn").compute(["een huis", ""], gold)
    >>> scores["f1"], scores["f1_nl"], scores["exact_nl"], scores["no_ans_exact"]
    (0.8333333333333333, 1.0, 1.0, 1.0)
    """

    name: ClassVar[str] = "squad"
    primary: str = "f1"
    facts: ClassVar[Facts] = Facts(
        formula="2 · shared words / (predicted words + gold words), best over golds, mean over rows",
        policy="an empty prediction is no answer; scores over no questions are 0; each row counts once",
        oracle="SQuAD 2.0's algorithm restated by brute force",
        tolerance="1e-12",
    )

    def __init__(self, language: str = "", *, normaliser: str | None = None, no_answer: str = ""):
        """Make the metric.

        Args:
            language: ISO 639-3 and a script, such as ``nld-Latn``; unknown or empty, SQuAD's normaliser is alone.
            normaliser: one of ``NORMALISERS`` to use it alone, under the keys ``f1`` and ``exact``.
            no_answer: a text that, without regard to case, predicts no answer like the empty one.

        Raises:
            EuroglueError: there is no such normaliser.
        """
        if normaliser is not None:
            one_of(self.name, "normaliser", normaliser, NORMALISERS)
        if not isinstance(no_answer, str):
            raise EuroglueError(f"{self.name}: expected a text as no_answer, got {shown(no_answer)}")
        self.normalisers = for_language(language) if normaliser is None else (NORMALISERS[normaliser],)
        self.no_answer = no_answer.strip().lower()
        self.keys = tuple(f"{key}{each.suffix}" for each in self.normalisers for key in MEASURES)

    @classmethod
    def for_task(cls, task: Task) -> AnswerF1:
        """The metric with the normaliser of the task's language."""
        return cls(task.language)

    def settings(self) -> dict[str, str]:
        """What an empty prediction means, the choice among golds, the policy for no rows, and each normaliser."""
        named = {f"normaliser{each.suffix}": str(each) for each in self.normalisers}
        return {
            "no_answer": json.dumps(self.no_answer, ensure_ascii=False) if self.no_answer else "empty",
            "golds": "best",
            "per": "row",
            "zero_division": "0",
            **named,
        }

    def observe(self, predictions: Sequence[Any], references: Sequence[Any]) -> tuple[np.ndarray, tuple[str, ...]]:
        """Score each example.

        Args:
            predictions: per example the answer's text, empty for none.
            references: per example the gold answers, ``{"text": […], "answer_start": […]}`` with empty lists for none,
                or one text.

        Returns:
            An array (examples, 2 · (1 + keys)): for the questions with an answer 1 and the scores, then the same for
            those without; zeros in the other block.

        Raises:
            PredictionError: a prediction is no text, or a reference is none or hidden.
        """
        guesses, golds = paired(predictions, references)
        answers = [gold_answers(gold, example) for example, gold in enumerate(golds)]
        rows = np.zeros((len(golds), len(GROUPS), 1 + len(self.keys)))
        for example, (guess, gold) in enumerate(zip(texts(guesses, "prediction"), answers)):
            rows[example, 0 if gold else 1] = [1.0, *self._best(guess, gold)]
        return rows.reshape(len(golds), -1), ()

    def _best(self, guess: str, golds: Sequence[str]) -> Iterable[float]:
        for normalise in self.normalisers:
            words = [] if guess.strip().lower() == self.no_answer else normalise(guess)
            known = [found for found in map(normalise, golds) if found] or [[]]
            yield from (max(measure(words, gold) for gold in known) for measure in MEASURES.values())

    def _split(self, totals: np.ndarray) -> np.ndarray:
        return totals.reshape(*totals.shape[:-1], len(GROUPS), 1 + len(self.keys))

    def score(self, totals: np.ndarray) -> dict[str, Any]:
        """Scores of totals (…, columns of ``observe``); the values have the shape of the leading axes."""
        blocks = self._split(totals)
        named = {"": blocks.sum(-2), **{f"{name}_": blocks[..., i, :] for i, name in enumerate(GROUPS)}}
        scores = {
            f"{prefix}{key}": divide(block[..., 1 + place], block[..., 0])
            for prefix, block in named.items()
            for place, key in enumerate(self.keys)
        }
        return {**scores, "no_ans_share": divide(blocks[..., 1, 0], blocks[..., 0].sum(-1))}

    def correct(self, rows: np.ndarray) -> np.ndarray:
        """Whether each answer is an exact match by the primary score's normaliser, and 1 for it, shape (examples, 2)."""
        whole = self._split(rows).sum(-2)
        return whole[:, [1 + self.keys.index(self.primary.replace("f1", "exact")), 0]]


class SloveneAnswerF1(AnswerF1):
    """``AnswerF1`` judged by the Slovene normaliser. Range 0–1.

    ``f1_sl`` and ``exact_sl`` keep every word, also *a* (but), and drop all Unicode punctuation, such as » « „ “ – …;
    ``f1`` and ``exact`` are the numbers that EuroEval publishes: SQuAD's normaliser, which deletes *a* and keeps those
    marks. Unlike there each row counts, whatever its id. The signature shows both normalisers.

    >>> scores = SloveneAnswerF1().compute(["»Prešeren«", "a vendar"], ["Prešeren", "vendar"])
    >>> scores["f1_sl"], scores["exact_sl"], scores["f1"], scores["exact"]
    (0.8333333333333333, 0.5, 0.5, 0.5)
    """

    name: ClassVar[str] = "squad_sl"
    primary: str = "f1_sl"
    facts: ClassVar[Facts] = Facts(
        formula="as `squad`, under the Slovene normaliser",
        policy="as `squad`",
        oracle="as `squad`; a table of answers",
        tolerance="1e-12",
    )

    def __init__(self) -> None:
        """The language is Slovene."""
        super().__init__("slv-Latn")

    @classmethod
    def for_task(cls, task: Task) -> SloveneAnswerF1:
        """The metric; its normaliser is the Slovene one, whatever the task."""
        return cls()


def gold_answers(reference: Any, example: int) -> list[str]:
    """The gold answers of one example; none for a question without an answer.

    Raises:
        PredictionError: the reference is none, or is hidden.

    >>> gold_answers({"text": ["Gent"], "answer_start": [3]}, 0), gold_answers({"text": [], "answer_start": []}, 1)
    (['Gent'], [])
    """
    if isinstance(reference, str):
        return [reference] if reference else []
    expected = f'example {example}: expected {{"text": […], "answer_start": […]}} as the reference'
    starts = reference.get("answer_start") if isinstance(reference, Mapping) else None
    starts = () if starts is None else starts
    if not isinstance(reference, Mapping) or not is_column(reference.get("text")) or not is_column(starts):
        raise PredictionError(f"{expected}, got {shown(reference)}")
    found, places = listed(reference["text"]), listed(starts)
    if odd := [text for text in found if not isinstance(text, str)]:
        raise PredictionError(f"{expected} with texts, got {shown(odd[0])} ({type(odd[0]).__name__})")
    if len(places) > len(found):
        what = f"the reference is hidden ({len(places)} places without a text)"
        raise PredictionError(f"example {example}: {what}, score a split whose gold is known")
    return found
