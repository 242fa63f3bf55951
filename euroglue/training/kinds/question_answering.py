# SPDX-License-Identifier: Apache-2.0
"""The stretch of a context that answers a question, or none."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from euroglue.errors import ContractError
from euroglue.task import Task
from euroglue.training.encode import frame, pad, stack_inputs, windows
from euroglue.training.kinds.kind import IGNORED, Feature, Output, TaskKind

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedTokenizerFast

    from euroglue.scoring.metric import Metric

BEST = 20
"""How many starts and ends of a window, and answers of an example, are looked at."""
LONGEST = 30
"""The longest answer in sub-words."""
NULL = 0
"""The position that stands for no answer: the first special token."""


class Candidates(NamedTuple):
    """What the windows of an example say: the score of no answer, and the best answers, the best first."""

    null: float
    answers: list[tuple[float, str]]

    @property
    def gap(self) -> float:
        """By how much no answer is better than the best answer; infinite without any."""
        return self.null - self.answers[0][0] if self.answers else np.inf


class QuestionAnswering(TaskKind):
    """Predicts where the answer begins and ends in the context, or that there is none (Devlin et al. 2019, section 4.3).

    Long contexts are read in windows that overlap by ``stride`` sub-words, or by half of the room where that is less.
    The inputs are the question and the context. An example has an answer unless no answer scores better by more than
    ``threshold``, which is tuned on validation. Of several gold answers the first is learnt.
    """

    auto: ClassVar[str] = "AutoModelForQuestionAnswering"
    """The family's head for questions."""

    def __init__(self, task: Task, tokenizer: PreTrainedTokenizerFast, *, max_length: int, **options: Any):
        super().__init__(task, tokenizer, max_length=max_length, **options)
        if len(task.inputs) != 2:
            raise ContractError(f"{task.path}: expected a question and a context as inputs, got {task.inputs}")
        self.frame = frame(tokenizer, 2)
        self.threshold = 0.0

    def encode(self, rows: Mapping[str, Sequence[Any]]) -> list[Feature]:
        """Encode question and context; a hidden answer gets no weight. A question takes half of the room at most."""
        questions, contexts = (list(map(str, rows[name])) for name in self.task.inputs)
        if not questions:
            return []
        asked = self._pieces(questions)["input_ids"]
        distinct = list(dict.fromkeys(contexts))
        read = self._pieces(distinct, return_offsets_mapping=True)
        offsets = [np.array(spans, dtype=np.int32).reshape(-1, 2) for spans in read["offset_mapping"]]
        place = {context: i for i, context in enumerate(distinct)}
        room = self.max_length - self.frame.size
        features: list[Feature] = []
        for i, (example, gold) in enumerate(zip(rows[self.task.id_column], rows[self.task.target], strict=True)):
            at = place[contexts[i]]
            answer = self._answer(example, gold, distinct[at], offsets[at])
            question = asked[i][: room // 2]
            features.extend(
                self._windows(str(example), question, read["input_ids"][at], distinct[at], offsets[at], answer)
            )
        return features

    def _pieces(self, texts: list[str], **more: Any) -> Any:
        return self.tokenizer(
            texts,
            add_special_tokens=False,
            return_attention_mask=False,
            return_token_type_ids=False,
            verbose=False,
            **more,
        )

    def _answer(self, example: Any, gold: Any, context: str, offsets: np.ndarray) -> tuple[int, int] | None:
        """The first and last sub-word of the first gold answer: (-1, -1) for no answer, ``None`` for a hidden one."""
        texts, starts = list(gold["text"]), list(gold["answer_start"])
        if not texts:
            return None if starts else (-1, -1)
        begin, end = starts[0], starts[0] + len(texts[0])
        if context[begin:end] != texts[0]:
            raise ContractError(
                f"{self.task.path}, example {example}: the context has {context[begin:end]!r} at {begin}, not the answer "
                f"{texts[0]!r}"
            )
        inside = np.flatnonzero((offsets[:, 1] > begin) & (offsets[:, 0] < end))
        return (int(inside[0]), int(inside[-1])) if len(inside) else None

    def _windows(
        self,
        example: str,
        question: list[int],
        context: list[int],
        text: str,
        offsets: np.ndarray,
        answer: tuple[int, int] | None,
    ) -> list[Feature]:
        capacity = self.max_length - self.frame.size - len(question)
        features = []
        places = windows(len(context), capacity, min(self.stride, capacity // 2))
        whole = answer is not None and any(start <= answer[0] and answer[1] < end for start, end in places)
        for start, end in places:
            joined = self.frame.join(question, context[start:end])
            begin = joined.starts[1]
            target = (NULL, NULL)
            if answer is None or (not whole and start <= answer[1] and answer[0] < end):
                target = (IGNORED, IGNORED)  # hidden, or longer than the overlap: a part of it is not no answer
            elif start <= answer[0] and answer[1] < end:
                target = (answer[0] - start + begin, answer[1] - start + begin)
            features.append(
                Feature(
                    example,
                    joined.input_ids,
                    target,
                    int(target[0] != IGNORED),
                    positions=(begin, begin + end - start),
                    types=joined.types,
                    text=text,
                    spans=offsets[start:end],
                )
            )
        return features

    def collate(self, features: Sequence[Feature]) -> dict[str, torch.Tensor]:
        """Stack into ``input_ids`` and ``attention_mask``, each (batch, longest), and ``labels`` (batch, 2): start, end."""
        import torch

        arrays = stack_inputs(features, self.tokenizer.pad_token_id)
        arrays["labels"] = pad([feature.target for feature in features], IGNORED)
        return {name: torch.from_numpy(array) for name, array in arrays.items()}

    def outputs(self) -> dict[str, Any]:
        """Two outputs at every position, for start and end."""
        return {"num_labels": 2}

    def run(self, model: torch.nn.Module, inputs: Mapping[str, torch.Tensor]) -> Output:
        """Logits (batch, longest, 2) and the mean cross entropy of start and end over the positions that are no padding."""
        import torch
        from torch.nn.functional import cross_entropy

        output = model(**{name: tensor for name, tensor in inputs.items() if name not in self.label_inputs})
        logits = torch.stack([output.start_logits, output.end_logits], dim=-1).float()
        loss = None
        if "labels" in inputs:
            padding = inputs["attention_mask"].unsqueeze(-1) == 0
            seen = logits.masked_fill(padding, torch.finfo(logits.dtype).min)
            loss = cross_entropy(seen, inputs["labels"], ignore_index=IGNORED)
        return Output(loss, logits)

    def candidates(self, outputs: Sequence[np.ndarray], features: Sequence[Feature]) -> dict[str, Candidates]:
        """For each example the score of no answer, the lowest of its windows', and its best answers with their scores."""
        nulls: dict[str, float] = {}
        answers: dict[str, dict[str, float]] = {}
        for logits, feature in zip(outputs, features, strict=True):
            null = float(logits[NULL].sum())
            nulls[feature.id] = min(null, nulls.get(feature.id, np.inf))
            found = answers.setdefault(feature.id, {})
            for score, text in _answers(logits, feature):
                found[text] = max(score, found.get(text, -np.inf))
        ranked = {
            key: sorted(found.items(), key=lambda one: (-one[1], one[0]))[:BEST] for key, found in answers.items()
        }
        return {key: Candidates(nulls[key], [(score, text) for text, score in found]) for key, found in ranked.items()}

    def decode(self, outputs: Sequence[np.ndarray], features: Sequence[Feature]) -> dict[str, str]:
        """The best answer's text as the context has it, or the empty text for none."""
        found = self.candidates(outputs, features)
        return {key: "" if one.gap > self.threshold else one.answers[0][1] for key, one in found.items()}

    def tune(
        self, outputs: Sequence[np.ndarray], features: Sequence[Feature], references: Mapping[str, Any], metric: Metric
    ) -> None:
        """Set the threshold under which the metric is best; of equally good ones the nearest to 0.

        Answering the examples in the order of their gaps, the metric's sums change by one row at a time, so that every
        threshold is tried in one pass.
        """
        found = {key: one for key, one in self.candidates(outputs, features).items() if one.answers}
        order = sorted(found, key=lambda key: found[key].gap)
        if not order:
            return
        gold = [references[key] for key in order]
        answered = metric.statistics([found[key].answers[0][1] for key in order], gold)
        unanswered = metric.statistics([""] * len(order), gold)
        changes = np.concatenate([unanswered.sum(axis=0, keepdims=True), answered - unanswered])
        scores = np.asarray(metric.score(changes.cumsum(axis=0))[metric.primary])
        gaps = np.array([found[key].gap for key in order])
        edges = np.concatenate([[gaps[0] - 1], gaps, [gaps[-1] + 1]])
        thresholds = (edges[:-1] + edges[1:]) / 2
        apart = np.concatenate([[True], gaps[1:] > gaps[:-1], [True]])
        tried = np.flatnonzero(apart & (scores >= scores[apart].max() - 1e-12))
        self.threshold = float(thresholds[tried[np.abs(thresholds[tried]).argmin()]])

    @property
    def tuned(self) -> dict[str, float]:
        """The threshold."""
        return {"threshold": self.threshold}

    def restore(self, tuned: Mapping[str, float]) -> None:
        """Take the threshold that was tuned."""
        self.threshold = tuned.get("threshold", 0.0)


def uncut(text: str, begin: int, end: int) -> str:
    """A stretch of a text, widened so that no letter loses its marks: offsets of composed letters end before these.

    >>> uncut("cafe\\u0301 noir", 0, 4) == "cafe\\u0301"
    True
    """
    while 0 < begin < len(text) and unicodedata.category(text[begin])[0] == "M":
        begin -= 1
    while begin < end < len(text) and unicodedata.category(text[end])[0] == "M":
        end += 1
    return text[begin:end]


def _answers(logits: np.ndarray, feature: Feature) -> list[tuple[float, str]]:
    """The scores and texts of a window's answers that begin and end at one of the likeliest places."""
    begin, end = feature.positions
    inside = logits[begin:end]
    if feature.spans is None or not len(inside):
        return []
    first, last = (np.argsort(-inside[:, column], kind="stable")[:BEST] for column in (0, 1))
    length = last[None, :] - first[:, None]
    scores = inside[first, 0][:, None] + inside[last, 1][None, :]
    scores = np.where((length >= 0) & (length < LONGEST), scores, -np.inf)
    found = []
    for best in np.argsort(-scores, axis=None, kind="stable")[:BEST]:
        i, j = np.unravel_index(best, scores.shape)
        span = uncut(feature.text, int(feature.spans[first[i], 0]), int(feature.spans[last[j], 1])).strip()
        if span and np.isfinite(scores[i, j]):
            found.append((float(scores[i, j]), span))
    return found
