# SPDX-License-Identifier: Apache-2.0
"""What a prepared task looks like: sizes, labels, lengths, vocabularies and groups, as bgGLUE's Appendix C tells them."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from euroglue.choices import path_to_choices
from euroglue.errors import ContractError
from euroglue.prepare.groupings import Group, address_columns, count_groups, domains, grouping, inside
from euroglue.prepare.label_counts import count_labels
from euroglue.task import Kind

if TYPE_CHECKING:
    import pandas as pd

    from euroglue.task import Task

WORD = re.compile(r"\w+|[^\w\s]+")
"""A word: a run of letters, digits and underscores, or a run of other signs; the rule of NLTK's ``wordpunct_tokenize``."""
READY_WORDS = (Kind.TOKEN_CLASSIFICATION, Kind.SPAN_CLASSIFICATION)
"""The kinds in which a list of texts among the inputs is a list of words."""


@dataclass(frozen=True)
class Spread:
    """Mean, median, smallest and largest of a column of counts."""

    mean: float
    median: float
    least: int
    most: int

    @classmethod
    def of(cls, counts: Sequence[int]) -> Spread | None:
        """The spread of the counts; None of no counts.

        >>> Spread.of([1, 2, 6])
        Spread(mean=3.0, median=2.0, least=1, most=6)
        """
        if not counts:
            return None
        return cls(statistics.fmean(counts), float(statistics.median(counts)), min(counts), max(counts))


@dataclass(frozen=True)
class SplitStatistics:
    """One split.

    Attributes:
        rows: examples.
        unlabelled: of these, examples whose label is hidden.
        labels: label → how often (see ``Statistics.unit``); of every label that the task or any split has. ``None``
            where the split has no label at all or the target has too many values to list.
        target_mean: the mean of a real-valued target, hidden ones left out.
        words: words in the inputs of an example.
        vocabulary: distinct words, capital letters told apart.
        choices: answers to choose from, of a multiple-choice example.
    """

    rows: int
    unlabelled: int
    labels: Mapping[str, int] | None
    target_mean: float | None
    words: Spread | None
    vocabulary: int
    choices: Spread | None


@dataclass(frozen=True)
class Statistics:
    """A task's statistics.

    Attributes:
        task: ``suite/name``.
        edition: of the task.
        unit: what ``SplitStatistics.labels`` counts: ``examples``, ``tags``, or ``entities`` where tags are BIO.
        splits: split → its statistics.
        overlap: row → column → |V(row) ∩ V(column)| / |V(row)|, the V being vocabularies; ``None`` of an empty row.
        groups: one entry a grouping.
    """

    task: str
    edition: str
    unit: str
    splits: Mapping[str, SplitStatistics]
    overlap: Mapping[str, Mapping[str, float | None]]
    groups: tuple[Group, ...]

    def to_dict(self) -> dict[str, Any]:
        """The statistics as plain values that JSON can hold."""
        return asdict(self)


def words_of(value: Any, ready: bool = False) -> list[str]:
    """The words of one input, those of nested lists and mappings included; numbers have none.

    Args:
        ready: a list of texts is a list of words already, which are kept as they are.

    >>> words_of("Супер, наистина!"), words_of(["т.е.", "да"], ready=True)
    (['Супер', ',', 'наистина', '!'], ['т.е.', 'да'])
    """
    if isinstance(value, str):
        return WORD.findall(value)
    if isinstance(value, Mapping):
        value = value.values()
    elif not isinstance(value, Iterable):
        return []
    elif ready and all(isinstance(inner, str) for inner in value):
        return list(value)
    return [word for inner in value for word in words_of(inner, ready)]


def overlap(vocabularies: Mapping[str, set[str]]) -> dict[str, dict[str, float | None]]:
    """The share of the row's distinct words that the column has too: |V(row) ∩ V(column)| / |V(row)|.

    This is the formula under Figure 3 of bgGLUE. The running text of its Appendix C speaks of dividing by the size of the
    union instead; that number follows from this one and the sizes of the vocabularies. The paper took its words from NLTK
    without saying which tokenizer; here ``WORD`` is one of NLTK's that needs no download. Capital letters are told apart,
    and, as in the paper, stop words count.

    >>> overlap({"train": {"а", "б", "в", "г"}, "test": {"а", "д"}})
    {'train': {'train': 1.0, 'test': 0.25}, 'test': {'train': 0.5, 'test': 1.0}}
    """
    return {
        row: {column: len(words & others) / len(words) if words else None for column, others in vocabularies.items()}
        for row, words in vocabularies.items()
    }


def describe(
    task: Task, tables: Mapping[str, pd.DataFrame], *, edition: str = "", by: Sequence[str] = ()
) -> Statistics:
    """Count what Appendix C of bgGLUE shows of each task (Figures 3 and 4, Tables 7 to 9), for any task.

    Args:
        task: tells the columns and what they mean: ``inputs``, ``target``, ``features``, ``groups``, ``kind``.
        tables: split → table with the task's columns, labels as ids, as ``Prepared.table`` gives it.
        edition: its name, for the report.
        by: more groupings than ``task.groups`` and the domains of columns of addresses: a column, ``column.field`` of a
            nested one, or either with ``=REGEX``, of which the match counts (its first group, where it has one).

    Raises:
        ContractError: a table lacks a column.
        EuroglueError: a grouping names no column or its pattern is none.
    """
    _check(task, tables)
    unit, counts = count_labels(task, tables)
    vocabularies: dict[str, set[str]] = {}
    splits = {}
    for split, table in tables.items():
        lengths, vocabularies[split] = _words(task, table)
        splits[split] = SplitStatistics(
            rows=len(table),
            unlabelled=counts[split].hidden,
            labels=counts[split].counts,
            target_mean=counts[split].mean,
            words=Spread.of(lengths),
            vocabulary=len(vocabularies[split]),
            choices=Spread.of(_choices(task, table)),
        )
    groupings = [grouping(task, text) for text in dict.fromkeys((*task.groups, *by))]
    groupings += [(f"domain of {column}", domains(column)) for column in address_columns(task, tables)]
    groups = tuple(
        count_groups(name, {split: values(table) for split, table in tables.items()}) for name, values in groupings
    )
    return Statistics(task.path, edition, unit, splits, overlap(vocabularies), groups)


def _check(task: Task, tables: Mapping[str, pd.DataFrame]) -> None:
    for split, table in tables.items():
        for column in (*task.inputs, task.target, *task.groups):
            if column not in table.columns:
                held = ", ".join(map(str, table.columns))
                raise ContractError(f"{task.path}, {split}: expected the column {column!r}, got {held}")


def _words(task: Task, table: pd.DataFrame) -> tuple[list[int], set[str]]:
    """The number of words of each example and the distinct words of all."""
    ready = task.kind in READY_WORDS
    lengths: list[int] = []
    vocabulary: set[str] = set()
    for row in zip(*(table[column] for column in task.inputs), strict=True):
        words = [word for value in row for word in words_of(value, ready)]
        lengths.append(len(words))
        vocabulary.update(words)
    return lengths, vocabulary


def _choices(task: Task, table: pd.DataFrame) -> list[int]:
    """For each multiple-choice example how many answers there are: the items of the inputs' list, else the labels."""
    if task.kind is not Kind.MULTIPLE_CHOICE:
        return []
    path = path_to_choices(task)
    if path is None:
        return [len(task.labels)] * len(table) if task.labels else []
    column, *fields = path.split(".")
    return [len(inside(value, tuple(fields)) or ()) for value in table[column]]
