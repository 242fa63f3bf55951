# SPDX-License-Identifier: Apache-2.0
"""One class per kind of task: what an example's answer looks like in words, and what an answer's words mean.

A ``PromptKind`` knows a task and its prompt. An answer that cannot be read is never guessed: ``read`` gives None, and
``unreadable`` says what then stands in the predictions, so that it counts as wrong.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from euroglue.errors import EuroglueError
from euroglue.predictions import NO_CHOICE, UNREADABLE
from euroglue.prompting.extract import label_of, number_of, span_of
from euroglue.prompting.fields import Fields, label_name
from euroglue.prompting.prompt import CHOICES, LABELS, LETTER, Prompt
from euroglue.registry import Registry
from euroglue.task import Kind, Task
from euroglue.template import Row, at, fill

EXTRA_WORDS = 6
"""How many words may stand around the words for no answer."""


class PromptKind(ABC):
    """The answers of one task under one prompt."""

    scored = False
    """Whether an answer is one of few words, which a model can be asked to weigh by their probability."""

    def __init__(self, task: Task, prompt: Prompt):
        self.task, self.prompt = task, prompt
        self.fields = Fields(task, prompt)
        self.notes: Counter[str] = Counter()
        """What was met while reading, such as why answers were unreadable, and how often."""

    def fill(self, template: str, row: Row) -> str:
        """A template of the prompt for one example, ``{label}`` excepted."""

        def value(name: str) -> str:
            if name == LABELS:
                return self.prompt.listed(self.words(row))
            return self.choice_lines(row) if name == CHOICES else self.fields.value(row, name)

        return fill(template, value)

    def choice_lines(self, row: Row) -> str:
        """The lines of the choices; only multiple choice has them."""
        raise EuroglueError(f"{self.task.path}: the prompt names {{choices}}, the task is {self.task.kind.value}")

    def words(self, row: Row) -> tuple[str, ...]:
        """The words an answer may be, in the order of the labels; none if it is free."""
        return ()

    def schema(self) -> Mapping[str, Any] | None:
        """The JSON schema of the answer, where it is JSON."""
        return None

    def groups(self, row: Row) -> tuple[str, ...]:
        """What the example shows, for a choice of shots that shows everything equally often."""
        return ("",)

    @abstractmethod
    def gold(self, row: Row) -> str:
        """The right answer in the prompt's words."""

    @abstractmethod
    def read(self, text: str, row: Row) -> Any:
        """The prediction that a cleaned answer means, or None."""

    def weigh(self, scores: Mapping[str, float], row: Row) -> Any:
        """The prediction that the words' log-probabilities mean, or None where one is no number."""
        raise EuroglueError(f"{self.task.path}: answers of {self.task.kind.value} are not chosen among words")

    @abstractmethod
    def unreadable(self, row: Row) -> Any:
        """What stands in the predictions for an answer that could not be read."""


class LabelKind(PromptKind):
    """One label, of a text, a pair of texts or marked words."""

    scored = True

    def labels(self, row: Row) -> tuple[Any, ...]:
        """The predictions that there are, in the order of ``words``."""
        return self.task.labels

    def words(self, row: Row) -> tuple[str, ...]:
        """The word of each label."""
        return tuple(map(self.prompt.word, self.task.labels))

    def groups(self, row: Row) -> tuple[str, ...]:
        """The label."""
        return (self.gold(row),)

    def gold(self, row: Row) -> str:
        """The word of the label."""
        return self.prompt.word(label_name(self.task, row[self.task.target]))

    def read(self, text: str, row: Row) -> Any:
        """The label whose word the text names."""
        words = self.words(row)
        word, how = label_of(text, words, self.prompt.cue)
        self.notes[f"{'read' if word else 'unreadable'}: {how}"] += 1
        return None if word is None else self.labels(row)[words.index(word)]

    def weigh(self, scores: Mapping[str, float], row: Row) -> Any:
        """The label of the likeliest word, the first of equals."""
        found = _numbers(scores, self.words(row))
        return None if found is None else self.labels(row)[found.index(max(found))]

    def unreadable(self, row: Row) -> Any:
        """A label that the task has not."""
        return UNREADABLE


def _numbers(scores: Mapping[str, float], words: tuple[str, ...]) -> list[float] | None:
    """The words' scores in their order; None if one is missing or no number."""
    found = [scores.get(word, math.nan) for word in words]
    return None if any(math.isnan(score) for score in found) or max(found) == -math.inf else found


def _shares(scores: list[float]) -> list[float]:
    """Probabilities that sum to 1, of log-probabilities."""
    likeliest = max(scores)
    weights = [math.exp(score - likeliest) for score in scores]
    return [weight / sum(weights) for weight in weights]


class ChoiceKind(LabelKind):
    """One of several choices, by its letter."""

    def _choices(self, row: Row) -> list[Any]:
        return list(at(row, self.prompt.choices)) if self.prompt.choices else []

    def labels(self, row: Row) -> tuple[Any, ...]:
        """What predicts each choice: its own label where choices have one, its number, or the task's label."""
        if self.task.labels:
            return self.task.labels[: self._count(row)]
        choices = self._choices(row)
        if self.task.features[self.task.target] == "int64":
            return tuple(range(len(choices)))
        return tuple(choice["label"] for choice in choices)

    def _count(self, row: Row) -> int:
        """How many choices the example has: as listed, or as many labels as begin a line of its texts."""
        if self.prompt.choices:
            return len(self._choices(row))
        texts = "\n".join(row[name] for name in self.task.inputs if isinstance(row[name], str))
        marked = [name for name in self.task.labels if f"\n{name}. " in texts or f"\n{name}) " in texts]
        return len(marked) or len(self.task.labels)

    def words(self, row: Row) -> tuple[str, ...]:
        """A letter for each choice."""
        if not self.prompt.choices:
            return tuple(self.prompt.word(label) for label in self.labels(row))
        count = len(self._choices(row))
        if count > len(self.prompt.letters):
            raise EuroglueError(f"{self.task.path}: {count} choices, the prompt has {len(self.prompt.letters)} letters")
        return self.prompt.letters[:count]

    def choice_lines(self, row: Row) -> str:
        """A line for each choice."""

        def line(letter: str, choice: Any) -> str:
            def value(name: str) -> str:
                found = letter if name == LETTER else choice if isinstance(choice, str) else at(choice, name)
                return self.fields.text(found)

            return fill(self.prompt.choice, value)

        return "\n".join(line(*one) for one in zip(self.words(row), self._choices(row), strict=True))

    def gold(self, row: Row) -> str:
        """The letter of the right choice."""
        target = row[self.task.target]
        right = label_name(self.task, target) if self.task.labels else target
        return self.words(row)[self.labels(row).index(right)]

    def unreadable(self, row: Row) -> Any:
        """A choice that the example has not."""
        return NO_CHOICE if self.task.features[self.task.target] == "int64" else UNREADABLE


class RankingKind(LabelKind):
    """A number that ranks: the probability of the task's last label among its labels, or 1 and 0 for a named one."""

    def read(self, text: str, row: Row) -> float | None:
        """1 for the last label, 0 for another."""
        label = super().read(text, row)
        return None if label is None else float(label == self.task.labels[-1])

    def weigh(self, scores: Mapping[str, float], row: Row) -> float | None:
        """The last label's share of the probability."""
        found = _numbers(scores, self.words(row))
        return None if found is None else _shares(found)[-1]

    def unreadable(self, row: Row) -> float:
        """Below everything that could be read: what is not retrieved."""
        return -1.0


class NumberKind(PromptKind):
    """A number within the task's bounds, written, or expected under the probabilities of the scale's numbers."""

    def __init__(self, task: Task, prompt: Prompt):
        super().__init__(task, prompt)
        if task.bounds is None:
            raise EuroglueError(f"{task.path}: a number is asked for, the task has no bounds")
        self.bounds = task.bounds
        self.scored = bool(prompt.scale)

    def words(self, row: Row) -> tuple[str, ...]:
        """The numbers of the scale."""
        return self.prompt.scale

    def _values(self) -> list[float]:
        return [float(word.replace(",", ".")) for word in self.prompt.scale]

    def groups(self, row: Row) -> tuple[str, ...]:
        """The number as it is written."""
        return (self.gold(row),)

    def gold(self, row: Row) -> str:
        """The scale's number that is nearest, or without a scale the number with up to two decimals."""
        number = float(row[self.task.target])
        if not self.prompt.scale:
            return f"{number:.2f}".rstrip("0").rstrip(".")
        return min(zip(self._values(), self.prompt.scale), key=lambda pair: abs(pair[0] - number))[1]

    def read(self, text: str, row: Row) -> float | None:
        """The one number of the text that is within bounds."""
        return number_of(text, *self.bounds, cue=self.prompt.cue)

    def weigh(self, scores: Mapping[str, float], row: Row) -> float | None:
        """The mean of the scale's numbers, each as likely as its word."""
        found = _numbers(scores, self.prompt.scale)
        if found is None:
            return None
        return sum(share * value for share, value in zip(_shares(found), self._values()))

    def unreadable(self, row: Row) -> float:
        """The lowest number there is."""
        return self.bounds[0]


class AnswerKind(PromptKind):
    """The text of an answer; of a question without one, the empty text."""

    def groups(self, row: Row) -> tuple[str, ...]:
        """Whether there is an answer."""
        return ("answer" if len(row[self.task.target]["text"]) else "none",)

    def gold(self, row: Row) -> str:
        """The first answer, or the prompt's words for none."""
        texts = row[self.task.target]["text"]
        return self.fields.text(texts[0]) if len(texts) else self._no_answer()

    def _no_answer(self) -> str:
        if not self.prompt.no_answer:
            raise EuroglueError(f"{self.task.path}: a question has no answer, the prompt has no words for that")
        return self.prompt.no_answer

    def read(self, text: str, row: Row) -> str | None:
        """The answer's text; the prompt's words for none mean that there is none."""
        found = span_of(text, self.prompt.cue)
        none = self.prompt.no_answer
        if none and label_of(found, (none,))[0] and len(found.split()) <= len(none.split()) + EXTRA_WORDS:
            return ""
        return found if any(char.isalnum() for char in found) else None  # of marks alone a scorer makes "no answer"

    def unreadable(self, row: Row) -> str:
        """A text that answers no question; the empty one would say that there is no answer."""
        return UNREADABLE


KINDS: Registry[Callable[[Task, Prompt], PromptKind]] = Registry("kind of task")
KINDS.register(Kind.SEQUENCE_CLASSIFICATION.value, LabelKind)
KINDS.register(Kind.SPAN_CLASSIFICATION.value, LabelKind)
KINDS.register(Kind.MULTIPLE_CHOICE.value, ChoiceKind)
KINDS.register(Kind.RANKING.value, RankingKind)
KINDS.register(Kind.REGRESSION.value, NumberKind)
KINDS.register(Kind.QUESTION_ANSWERING.value, AnswerKind)
KINDS.register(Kind.TOKEN_CLASSIFICATION.value, target="euroglue.prompting.tagging:tagging")


def kind_of(task: Task, prompt: Prompt) -> PromptKind:
    """The task's kind with its prompt."""
    return KINDS[task.kind.value](task, prompt)
