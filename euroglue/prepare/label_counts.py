# SPDX-License-Identifier: Apache-2.0
"""How often each label occurs in the splits of a task, whatever its target is: a class, tags, a number, an answer."""

from __future__ import annotations

import math
import re
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from euroglue.prepare.leakage import text_of
from euroglue.task import HIDDEN_CLASS, Feature, Labels

if TYPE_CHECKING:
    import pandas as pd

    from euroglue.task import Task

ANSWERS = ("answer", "no answer")
"""The labels of a nested target, as question answering has it: whether it holds any text."""
MOST_LABELS = 50
"""A free text or number with more distinct values than this has no label distribution."""
MOST_NUMBERS = 20
"""A real-valued target with more distinct values than this is counted in ``BINS`` ranges of equal width."""
BINS = 10


@dataclass(frozen=True)
class LabelCounts:
    """The labels of one split.

    Attributes:
        counts: label → how often, zeros included; ``None`` where no label is known, or too many differ.
        hidden: examples without a known label.
        mean: of a real-valued target.
    """

    counts: dict[str, int] | None
    hidden: int
    mean: float | None


def count_labels(task: Task, tables: Mapping[str, pd.DataFrame]) -> tuple[str, dict[str, LabelCounts]]:
    """What is counted (``examples``, ``tags`` or, where tags are BIO, ``entities``), and the counts of each split.

    The splits have the same labels, in the order of the literal; entities are counted by type, without the empty tag O.
    """
    feature = task.features[task.target]
    unit = _unit(feature)
    answers = {split: _answers(feature, unit, table[task.target]) for split, table in tables.items()}
    found = sorted({value for column in answers.values() for answer in column for value in answer or ()})
    names, name_of = _naming(task, feature, unit, found)
    splits = {}
    for split, column in answers.items():
        told = [answer for answer in column if answer is not None]
        counted = Counter(name_of(value) for answer in told for value in answer)
        labels = {name: counted[name] for name in names} if told and len(names) <= MOST_LABELS else None
        mean = statistics.fmean(value for (value,) in told) if told and feature == "float64" else None
        splits[split] = LabelCounts(labels, len(column) - len(told), mean)
    return unit, splits


def _unit(feature: Feature) -> str:
    if not (isinstance(feature, list) and isinstance(feature[0], Labels)):
        return "examples"
    return "entities" if all(re.match("O$|[BI]-", name) for name in feature[0].names) else "tags"


def _answers(feature: Feature, unit: str, column: Iterable[Any]) -> list[list[Any] | None]:
    """For each example the names or numbers that its target stands for; None where the target is hidden."""
    if isinstance(feature, Labels):
        return [None if value == HIDDEN_CLASS else [feature.names[value]] for value in column]
    if isinstance(feature, list) and isinstance(feature[0], Labels):
        tagged = [_tags(tags, feature[0].names) for tags in column]
        return [list(entities(tags)) if tags and unit == "entities" else tags for tags in tagged]
    if isinstance(feature, (list, Mapping)):
        texts = [text_of(value).strip() for value in column]
        return [[ANSWERS[not text]] if any(texts) else None for text in texts]
    if feature == "string":
        return [[value] if value else None for value in column]
    return [None if value == HIDDEN_CLASS and feature == "int64" or value != value else [value] for value in column]


def _tags(tags: Sequence[int], names: Sequence[str]) -> list[str] | None:
    told = [names[tag] for tag in tags if tag != HIDDEN_CLASS]
    return told if told or not len(tags) else None


def _naming(task: Task, feature: Feature, unit: str, found: Sequence[Any]) -> tuple[list[str], Callable[[Any], str]]:
    """The names of the labels in their order, and how a value is named."""
    if unit == "entities":
        kinds = [name.partition("-")[2] for name in task.labels]
        return list(dict.fromkeys(kind for kind in kinds if kind)), str
    if task.labels:
        return list(task.labels), str
    if isinstance(feature, (list, Mapping)):
        return list(ANSWERS), str
    if feature == "float64" and len(found) > MOST_NUMBERS:
        return _ranges(*(task.bounds or (found[0], found[-1])))
    return list(dict.fromkeys(map(_plain, found))), _plain


def _plain(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _ranges(low: float, high: float) -> tuple[list[str], Callable[[float], str]]:
    """``BINS`` ranges of equal width; a value on a border belongs to the upper one, the highest to the last."""
    width = (high - low) / BINS
    names = [f"{low + width * place:g}–{low + width * (place + 1):g}" for place in range(BINS)]
    return names, lambda value: names[min(max(math.floor((value - low) / width), 0), BINS - 1)]


def entities(tags: Iterable[str]) -> Iterator[str]:
    """The type of each entity in a sequence of BIO tags; an I without its B begins one, as in seqeval's default.

    >>> list(entities(["B-PER", "I-PER", "B-PER", "O", "I-LOC", "I-ORG"]))
    ['PER', 'PER', 'LOC', 'ORG']
    """
    before = ""
    for tag in tags:
        prefix, _, kind = tag.partition("-")
        if kind and (prefix == "B" or kind != before):
            yield kind
        before = kind
