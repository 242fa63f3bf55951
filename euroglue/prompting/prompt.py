# SPDX-License-Identifier: Apache-2.0
"""A prompt as data: what a language model is told and shown, in the task's own language."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from euroglue.errors import EuroglueError
from euroglue.frozen import Frozen
from euroglue.template import placeholders

if TYPE_CHECKING:
    from euroglue.task import Task

LABEL, LABELS, CHOICES, LETTER = "label", "labels", "choices", "letter"
"""The placeholders that are no columns: the answer; the words it may be; the lines of the choices; a choice's letter."""


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """How a task is put to a language model: two forms of one question, all of it data.

    A base model reads ``prefix``, the shots and the example, each after ``template``, with blank lines between. An
    instruction-tuned model reads a conversation: each turn is ``turn``, the first begins with ``instruction``.

    In the texts ``{column}`` stands for a column that the model reads: a list of tokens is joined by spaces, a column
    with the place of a token (span classification) stands for that token, a dot goes into a nested column
    (``{question.stem}``). ``{labels}`` stands for the words of all answers, ``{choices}`` for the lines of the choices.

    Attributes:
        prefix: what a base model reads first.
        template: one example for a base model; it ends with ``{label}``.
        instruction: what an instruction-tuned model is told at the beginning of the conversation; may be empty.
        turn: one example in a conversation; by default ``template`` up to its ``{label}``.
        words: label → the word that stands for it, for entity tags without their ``B-`` and ``I-``; a label that is not
            named stands for itself.
        shots: how many examples are shown by default.
        max_tokens: the longest answer, in tokens.
        fixed_shots: whether all examples of a run are shown the same shots, else each its own.
        choices: where the choices of a multiple-choice example are, such as ``question.choices``; empty where the
            texts hold them already.
        choice: the line of one choice; ``{letter}`` and the fields of the choice.
        letters: what the choices are called, in their order.
        scale: the numbers that may be answered, as they are written, for a regression.
        key: of a tagger that tags every token, the key of the JSON object.
        no_answer: what stands for no answer, for a question answering task that has such questions.
        marks: what stands around a marked token.
        quoted: how a word is quoted in ``{labels}``.
        joiner: what stands before the last word in ``{labels}``.
        flat: whether line feeds in texts become spaces, so that an example has as many lines as its template.
        source: where the prompt comes from; empty if it was written for this project.

    >>> prompt = Prompt(prefix="Film reviews.", template="Review: {text}\\nOpinion: {label}", words={"pos": "good"})
    >>> prompt.cue, prompt.asked
    ('Opinion', 'Review: {text}\\nOpinion:')
    """

    prefix: str
    template: str
    instruction: str = ""
    turn: str = ""
    words: Mapping[str, str] = field(default_factory=dict)
    shots: int = 8
    max_tokens: int = 16
    fixed_shots: bool = False
    choices: str = ""
    choice: str = "{letter}. {text}"
    letters: tuple[str, ...] = ("A", "B", "C", "D", "E", "F", "G", "H")
    scale: tuple[str, ...] = ()
    key: str = ""
    no_answer: str = ""
    marks: tuple[str, str] = ("[", "]")
    quoted: str = "'{}'"
    joiner: str = " "
    flat: bool = True
    source: str = ""

    def __post_init__(self) -> None:
        def refuse(message: str) -> None:
            raise ValueError(f"prompt {self.template[:40]!r}: {message}")

        if placeholders(self.template).count(LABEL) != 1 or not self.template.endswith("{label}"):
            refuse("a template ends with {label}, which it has once")
        for name in ("prefix", "instruction", "turn"):
            if LABEL in placeholders(getattr(self, name)):
                refuse(f"the {name} must not hold {{label}}")
        if self.shots < 0 or self.max_tokens < 1:
            refuse("shots are 0 or more, max_tokens 1 or more")
        if len(set(self.words.values())) != len(self.words):
            refuse("two labels have one word")
        for number in self.scale:
            if not re.fullmatch(r"-?\d+([.,]\d+)?", number):
                refuse(f"a scale has numbers, got {number!r}")
        object.__setattr__(self, "words", Frozen(self.words))

    @property
    def asked(self) -> str:
        """What an instruction-tuned model is asked for each example."""
        return self.turn or self.template[: -len("{label}")].rstrip()

    @property
    def cue(self) -> str:
        """The word or words before the answer, without the colon; empty if there are none."""
        return self.template[: -len("{label}")].rpartition("\n")[2].strip().rstrip(":").strip()

    def word(self, label: str) -> str:
        """The word that stands for a label."""
        return self.words.get(label, label)

    def listed(self, words: tuple[str, ...]) -> str:
        """Words as ``{labels}`` shows them.

        >>> Prompt(prefix="", template="{label}", joiner=" or ").listed(("a", "b", "c"))
        "'a', 'b' or 'c'"
        """
        quoted = [self.quoted.format(word) for word in words]
        return self.joiner.join(filter(None, [", ".join(quoted[:-1]), *quoted[-1:]]))

    @property
    def digest(self) -> str:
        """What tells this prompt from any other: 16 hex digits over all its fields."""
        plain = {one.name: getattr(self, one.name) for one in dataclasses.fields(self)}
        text = json.dumps({**plain, "words": dict(self.words)}, ensure_ascii=False, sort_keys=True)
        return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]


def own(task: Task) -> Prompt:
    """The prompt that the task's literal holds.

    Raises:
        EuroglueError: it holds none.
    """
    if task.prompt is None:
        raise EuroglueError(f"{task.path} has no prompt: give its literal one")
    return task.prompt
