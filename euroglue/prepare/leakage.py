# SPDX-License-Identifier: Apache-2.0
"""What the splits of a task share: repeated texts, near duplicates and common groups. Pure functions on tables."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from euroglue import strict_json
from euroglue.errors import ContractError, EuroglueError
from euroglue.prepare.text import casefolded, without_punctuation

if TYPE_CHECKING:
    import pandas as pd

    from euroglue.task import Task

PERMUTATIONS = 128
MISSED = 1e-3
"""The largest chance that a pair exactly at the threshold is no candidate."""


@dataclass(frozen=True)
class Finding:
    """What one check found inside one split or between two.

    Attributes:
        kind: ``exact``, a name in ``NORMALISATIONS``, ``near``, or ``group:<column>``.
        splits: one split (inside it) or two (between them).
        count: inside a split, the rows that repeat an earlier row (all rows less distinct texts); between two, the
            distinct texts or group values that both have; for ``near``, the pairs of distinct texts.
        rows: for each of ``splits``, the rows concerned (inside a split, the first of each text included).
        examples: ids of a few pairs of rows, in the order of the tables.
    """

    kind: str
    splits: tuple[str, ...]
    count: int
    rows: tuple[int, ...]
    examples: tuple[tuple[str, str], ...] = ()

    @property
    def between(self) -> bool:
        """Whether the finding is between two splits: a leak, where its count is not zero."""
        return len(self.splits) == 2


@dataclass(frozen=True)
class Audit:
    """Everything one audit found, zeros included, in a fixed order.

    Attributes:
        task: ``suite/name``.
        sizes: rows of each split.
        near_threshold: the Jaccard similarity from which two texts are near duplicates; ``None``, not looked for.
        left_out: for each kind, rows of each split with no text left to compare (empty or too short); zeros omitted.
        findings: one entry for each kind and each split or pair of splits.
    """

    task: str
    sizes: Mapping[str, int]
    near_threshold: float | None
    left_out: Mapping[str, Mapping[str, int]]
    findings: tuple[Finding, ...]

    @property
    def leaks(self) -> tuple[Finding, ...]:
        """Findings between two splits that are not zero."""
        return tuple(finding for finding in self.findings if finding.between and finding.count)

    @property
    def repeats(self) -> tuple[Finding, ...]:
        """Findings inside one split that are not zero."""
        return tuple(finding for finding in self.findings if not finding.between and finding.count)

    @property
    def clean(self) -> bool:
        """Whether nothing was found at all."""
        return not (self.leaks or self.repeats)

    def finding(self, kind: str, *splits: str) -> Finding:
        """The finding of this kind inside ``splits[0]`` or between both.

        Raises:
            EuroglueError: there was no such check.
        """
        for finding in self.findings:
            if finding.kind == kind and finding.splits == splits:
                return finding
        raise EuroglueError(f"{self.task}: there was no check {kind!r} of {' and '.join(splits)}")

    def to_dict(self) -> dict[str, Any]:
        """The audit as plain values that JSON can hold."""
        return {
            "task": self.task,
            "sizes": dict(self.sizes),
            "near_threshold": self.near_threshold,
            "clean": self.clean,
            "left_out": {kind: dict(rows) for kind, rows in self.left_out.items()},
            "findings": [asdict(finding) for finding in self.findings],
        }

    def to_json(self) -> str:
        """The audit as one line of strict JSON (no NaN, no Infinity)."""
        return strict_json.dumps(self.to_dict())


_NO_ASCII_PUNCTUATION = str.maketrans("", "", string.punctuation)


def without_ascii_punctuation(text: str) -> str:
    """Lower-cased, without ASCII punctuation, white space folded to single spaces.

    >>> without_ascii_punctuation("„Супер“  филм !")
    '„супер“ филм'
    """
    return " ".join(text.lower().translate(_NO_ASCII_PUNCTUATION).split())


NORMALISATIONS: Mapping[str, Callable[[str], str]] = {
    "casefold": casefolded,
    "ascii_words": without_ascii_punctuation,
    "words": without_punctuation,
}
"""How texts are compared beyond exactly, from the strictest to the loosest."""


def text_of(value: Any) -> str:
    """The text of one input: a string itself, a list's texts joined by a space, a mapping's values likewise.

    >>> text_of(["Супер", "филм", "!"])
    'Супер филм !'
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return " ".join(text_of(inner) for inner in value.values())
    if isinstance(value, Iterable):
        return " ".join(text_of(inner) for inner in value)
    return str(value)


def texts_of(task: Task, table: pd.DataFrame) -> list[str]:
    """The text of each row: the task's input columns, joined by a line break."""
    columns = [table[column].map(text_of) for column in task.inputs]
    return ["\n".join(row) for row in zip(*columns, strict=True)]


def audit(
    task: Task,
    tables: Mapping[str, pd.DataFrame],
    *,
    near_threshold: float | None = 0.8,
    shingle: int = 5,
    seed: int = 1,
    examples: int = 5,
) -> Audit:
    """Look for repeated texts, near duplicates and shared groups inside each split and between every two.

    Rows whose text is empty once normalised (or, for near duplicates, shorter than a shingle) are not compared with
    one another; ``Audit.left_out`` counts them. Near duplicates are pairs of texts that differ as ``words``: those
    that do not are found there already.

    Args:
        task: tells the columns: ``inputs``, ``groups``, ``id_column``.
        tables: split → table with the task's columns, in the order in which the splits are to be compared.
        near_threshold: Jaccard similarity of shingle sets, 0.1 to 1; ``None`` leaves near duplicates out.
        shingle: characters a shingle, of the text normalised by ``words``.
        seed: of the hash functions that find the candidates; every candidate is then compared exactly.
        examples: pairs of ids to keep for each finding, at most.

    Raises:
        ContractError: a table lacks a column that the audit needs.
        EuroglueError: ``near_threshold`` or ``shingle`` is out of range.
    """
    _check(task, tables, near_threshold, shingle)
    ids = {split: [str(value) for value in table[task.id_column]] for split, table in tables.items()}
    texts = {split: texts_of(task, table) for split, table in tables.items()}
    findings: list[Finding] = []
    left_out: dict[str, dict[str, int]] = {}
    normalisations: dict[str, Callable[[str], str]] = {"exact": str, **NORMALISATIONS}
    for kind, normalise in normalisations.items():
        keys = {split: [normalise(text) for text in column] for split, column in texts.items()}
        findings += _same(kind, keys, ids, examples)
        left_out[kind] = _count(keys, lambda key: not key)
    if near_threshold is not None:
        keys = {split: [without_punctuation(text) for text in column] for split, column in texts.items()}
        findings += _near(keys, ids, (near_threshold, shingle, seed), examples)
        left_out["near"] = _count(keys, lambda key: len(key) < shingle)
    for column in task.groups:
        values = {split: [text_of(value) for value in table[column]] for split, table in tables.items()}
        findings += [finding for finding in _same(f"group:{column}", values, ids, examples) if finding.between]
    return Audit(
        task=task.path,
        sizes={split: len(table) for split, table in tables.items()},
        near_threshold=near_threshold,
        left_out={kind: rows for kind, rows in left_out.items() if rows},
        findings=tuple(findings),
    )


def _count(keys: Mapping[str, Sequence[str]], condition: Callable[[str], bool]) -> dict[str, int]:
    counts = {split: sum(map(condition, column)) for split, column in keys.items()}
    return {split: count for split, count in counts.items() if count}


def _check(task: Task, tables: Mapping[str, pd.DataFrame], near_threshold: float | None, shingle: int) -> None:
    for split, table in tables.items():
        for column in (task.id_column, *task.inputs, *task.groups):
            if column not in table.columns:
                held = ", ".join(map(str, table.columns))
                raise ContractError(f"{task.path}, {split}: the audit needs the column {column!r}, got {held}")
    if near_threshold is not None and not 0.1 <= near_threshold <= 1:
        raise EuroglueError(f"the threshold of near duplicates must be from 0.1 to 1, got {near_threshold}")
    if shingle < 1:
        raise EuroglueError(f"a shingle must have at least 1 character, got {shingle}")


def _scopes(splits: Iterable[str]) -> Iterator[tuple[str, ...]]:
    names = list(splits)
    yield from ((name,) for name in names)
    yield from combinations(names, 2)


def _places(keys: Sequence[str]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for row, key in enumerate(keys):
        if key:
            places.setdefault(key, []).append(row)
    return places


def _same(
    kind: str, keys: Mapping[str, Sequence[str]], ids: Mapping[str, Sequence[str]], examples: int
) -> list[Finding]:
    """Keys that occur more than once inside a split, and keys that two splits share; empty keys are no keys."""
    places = {split: _places(column) for split, column in keys.items()}
    findings = []
    for scope in _scopes(keys):
        first, last = places[scope[0]], places[scope[-1]]
        if len(scope) == 1:
            found = [key for key, rows in first.items() if len(rows) > 1]
            count = sum(len(first[key]) - 1 for key in found)
            pairs = [(first[key][0], first[key][1]) for key in found[:examples]]
        else:
            found = [key for key in first if key in last]
            count = len(found)
            pairs = [(first[key][0], last[key][0]) for key in found[:examples]]
        rows = tuple(sum(len(places[split][key]) for key in found) for split in scope)
        shown = tuple((ids[scope[0]][a], ids[scope[-1]][b]) for a, b in pairs)
        findings.append(Finding(kind, scope, count, rows, shown))
    return findings


def _near(
    keys: Mapping[str, Sequence[str]],
    ids: Mapping[str, Sequence[str]],
    search: tuple[float, int, int],
    examples: int,
) -> list[Finding]:
    """Pairs of different keys whose sets of shingles are similar; ``search`` is threshold, shingle size and seed."""
    threshold, shingle, seed = search
    places = {split: _places(column) for split, column in keys.items()}
    distinct = list(dict.fromkeys(key for split in places.values() for key in split if len(key) >= shingle))
    pairs = [(distinct[a], distinct[b]) for a, b in near_pairs(distinct, threshold, shingle, seed)]
    findings = []
    for scope in _scopes(keys):
        first, last = places[scope[0]], places[scope[-1]]
        ways = pairs + [(b, a) for a, b in pairs]
        found = sorted((first[a][0], last[b][0]) for a, b in ways if a in first and b in last)
        if len(scope) == 1:
            found = [(a, b) for a, b in found if a < b]
        touched = ({a for a, _ in found}, {b for _, b in found})
        sides = [touched[0] | touched[1]] if len(scope) == 1 else touched
        rows = tuple(
            sum(len(places[split][keys[split][row]]) for row in side) for split, side in zip(scope, sides, strict=True)
        )
        shown = tuple((ids[scope[0]][a], ids[scope[-1]][b]) for a, b in found[:examples])
        findings.append(Finding("near", scope, len(found), rows, shown))
    return findings


def shingles(text: str, size: int) -> frozenset[str]:
    """All substrings of ``size`` characters; none where the text is shorter.

    >>> sorted(shingles("абвг", 3))
    ['абв', 'бвг']
    """
    return frozenset(text[start : start + size] for start in range(len(text) - size + 1))


def bands(threshold: float) -> tuple[int, int]:
    """How many bands of how many rows: as selective as a chance of at most 1 in 1,000 to miss a pair allows.

    >>> bands(0.8)
    (25, 5)
    """
    for rows in range(PERMUTATIONS // 2, 0, -1):
        count = PERMUTATIONS // rows
        if (1 - threshold**rows) ** count <= MISSED:
            return count, rows
    raise EuroglueError(f"a threshold of {threshold} is too low to look for near duplicates")


def near_pairs(texts: Sequence[str], threshold: float, shingle: int = 5, seed: int = 1) -> list[tuple[int, int]]:
    """The pairs of ``texts`` whose sets of character shingles have a Jaccard similarity of at least ``threshold``.

    MinHash with locality-sensitive hashing (Broder 1997; Leskovec, Rajaraman and Ullman, Mining of Massive Datasets,
    section 3.4) proposes candidates in about linear time; each is compared exactly, so no pair is wrong, and a pair
    at the threshold is missed at most once in a thousand times.

    Returns:
        Positions ``(a, b)`` with ``a < b``, sorted. Texts shorter than ``shingle`` are in no pair.

    >>> near_pairs(["страхотен филм, гледайте го", "страхотен филм гледайте го", "друго"], 0.6)
    [(0, 1)]
    """
    import zlib

    from datasketch import MinHash, MinHashLSH

    sets = {row: found for row, text in enumerate(texts) if (found := shingles(text, shingle))}
    encoded = ([part.encode() for part in sorted(found)] for found in sets.values())
    sketches = MinHash.generator(encoded, num_perm=PERMUTATIONS, seed=seed, hashfunc=zlib.crc32)
    index = MinHashLSH(num_perm=PERMUTATIONS, params=bands(threshold))
    pairs = []
    for row, sketch in zip(sets, sketches, strict=True):
        for other in index.query(sketch):
            common = len(sets[row] & sets[other])
            if common >= threshold * (len(sets[row]) + len(sets[other]) - common):
                pairs.append((other, row))
        index.insert(row, sketch, check_duplication=False)
    return sorted(pairs)
