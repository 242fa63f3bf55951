# SPDX-License-Identifier: Apache-2.0
"""Requests from examples and shots: for a base model one text, for an instruction-tuned one a conversation."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Sequence

from euroglue.prompting.kinds import PromptKind
from euroglue.prompting.prompt import LABEL
from euroglue.prompting.request import Message, Request
from euroglue.template import Row

BLANK = "\n\n"
SHORTER = 0.8
"""By what the example's texts are shortened at each try, where the example alone is too long."""


def block(kind: PromptKind, row: Row, answer: str) -> str:
    """The template of one example with an answer in it, white space at its end stripped."""
    template = kind.prompt.template[: -len(f"{{{LABEL}}}")]
    return (kind.fill(template, row) + answer).rstrip()


def glue(kind: PromptKind) -> str:
    """The white space between a base model's text and its answer."""
    template = kind.prompt.template[: -len(f"{{{LABEL}}}")]
    return template[len(template.rstrip()) :]


def continuation(kind: PromptKind, row: Row, shots: Sequence[Row], *, key: str, scored: bool, fixed: bool) -> Request:
    """The request to a base model: prefix, shots, example, with blank lines between."""
    prefix = kind.fill(kind.prompt.prefix, row)
    shown = [block(kind, shot, kind.gold(shot)) for shot in shots]
    shared, own = ([prefix, *shown], []) if fixed else ([prefix], shown)
    parts = [part for part in shared if part]
    return Request(
        id=key,
        shared=BLANK.join([*parts, ""]) if parts else "",
        text=BLANK.join([*own, block(kind, row, "")]),
        choices=tuple(glue(kind) + word for word in kind.words(row)) if scored and kind.scored else (),
        schema=kind.schema(),
        max_tokens=kind.prompt.max_tokens,
        stop=(BLANK,),
    )


def conversation(kind: PromptKind, row: Row, shots: Sequence[Row], *, key: str, scored: bool) -> Request:
    """The request to an instruction-tuned model: a turn for each shot and its answer, then the example's."""
    turns: list[Message] = []
    for shot in shots:
        turns += [Message("user", kind.fill(kind.prompt.asked, shot)), Message("assistant", kind.gold(shot))]
    turns.append(Message("user", kind.fill(kind.prompt.asked, row)))
    if kind.prompt.instruction:
        told = kind.fill(kind.prompt.instruction, row)
        turns[0] = Message("user", told + BLANK + turns[0].content)
    return Request(
        id=key,
        messages=tuple(turns),
        choices=kind.words(row) if scored and kind.scored else (),
        schema=kind.schema(),
        max_tokens=kind.prompt.max_tokens,
    )


@dataclasses.dataclass
class Builder:
    """Makes the requests of one run, each within the model's context.

    Attributes:
        kind: the task's kind with its prompt.
        chat: whether the model is instruction-tuned.
        scored: whether answers of few words are to be weighed by probability, where the backend can.
        fixed: whether the shots are the same for all examples.
        fits: whether a request is short enough; by default every one is.
        most: the longest answer, in tokens, where the model cannot give one as long as the prompt allows.
        counts: requests whose shots or text had to be shortened, shots that were left out.
    """

    kind: PromptKind
    chat: bool
    scored: bool = True
    fixed: bool = False
    fits: Callable[[Request], bool] = lambda request: True
    most: int | None = None
    counts: Counter[str] = dataclasses.field(default_factory=Counter)

    def request(self, key: str, row: Row, shots: Sequence[Row]) -> Request:
        """The request about an example: whole shots go first where it is too long, the last before the first.

        Where the example alone is too long its texts are cut at their ends; instruction and answer cue stay.
        """
        kept = list(shots)
        made = self._made(key, row, kept)
        while kept and not self.fits(made):
            kept.pop()
            self.counts["dropped_shots"] += 1
            made = self._made(key, row, kept)
        self.counts["requests_with_fewer_shots"] += len(kept) < len(shots)
        share = 1.0
        while not self.fits(made) and share > 0.001:
            share *= SHORTER
            made = self._made(key, shortened(self.kind, row, share), kept)
        self.counts["requests_with_cut_texts"] += share < 1
        self.counts["requests_beyond_the_context"] += share < 1 and not self.fits(made)
        return made

    def _made(self, key: str, row: Row, shots: Sequence[Row]) -> Request:
        if self.chat:
            made = conversation(self.kind, row, shots, key=key, scored=self.scored)
        else:
            made = continuation(self.kind, row, shots, key=key, scored=self.scored, fixed=self.fixed)
        return made if self.most is None else dataclasses.replace(made, max_tokens=min(made.max_tokens, self.most))


def shortened(kind: PromptKind, row: Row, share: float) -> Row:
    """The example with its longest input cut to a share of its length, at a word's end.

    A marked token stays: a text of tokens is cut after the last place that another column names.
    """
    task = kind.task
    sizes = {name: len(row[name]) for name in task.inputs if _is_text(row[name])}
    if not sizes:
        return row
    longest = max(sizes, key=lambda name: len(str(row[name])))
    value, size = row[longest], int(sizes[longest] * share)
    marked = [row[name] + 1 for name in task.inputs if isinstance(row[name], int)]
    if isinstance(value, str):
        return {**row, longest: value[:size].rsplit(maxsplit=1)[0] if value[:size].strip() else ""}
    return {**row, longest: value[: max([size, 1, *marked])]}


def _is_text(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(item, str) for item in value))
