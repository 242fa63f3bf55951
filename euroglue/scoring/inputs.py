# SPDX-License-Identifier: Apache-2.0
"""What metrics are given, labels or numbers, checked and turned into arrays: the checks that all metrics share."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from euroglue.errors import EuroglueError, PredictionError, shown
from euroglue.task import HIDDEN_CLASS

if TYPE_CHECKING:
    from euroglue.task import Task


class Labelled(NamedTuple):
    """One label per example: its id, shape (examples,), the number of labels for an unknown one; and the unknown."""

    codes: np.ndarray
    unknown: Counter[Any]


def label_names(task: Task, metric: str) -> tuple[str, ...]:
    """The label names of the task's target.

    Raises:
        EuroglueError: it has none.

    >>> from euroglue.registry import find_task
    >>> label_names(find_task("bgglue", "xnlibg"), "accuracy")
    ('entailment', 'neutral', 'contradiction')
    """
    if not task.labels:
        raise EuroglueError(f"{task.path}: the metric {metric} needs label names, the target {task.target!r} has none")
    return task.labels


def positive_label(metric: str, labels: Sequence[str], positive: str | None) -> str:
    """The label called ``positive``, or the last one if none is named.

    Raises:
        EuroglueError: there is no such label.

    >>> positive_label("binary_f1", ("credible", "fake"), None)
    'fake'
    """
    if positive is not None and positive not in labels:
        raise EuroglueError(f"{metric}: the positive label {positive!r} is not among the labels: {', '.join(labels)}")
    return labels[-1] if positive is None else positive


def one_of(where: str, what: str, value: Any, known: Iterable[str]) -> None:
    """Refuse an option that is none of the known names.

    Raises:
        EuroglueError: the message lists them.

    >>> one_of("average_precision", "ties", "random", ("expected", "order"))
    Traceback (most recent call last):
    euroglue.errors.EuroglueError: average_precision: expected ties to be one of expected, order, got 'random'
    """
    if not isinstance(value, str) or value not in known:
        raise EuroglueError(f"{where}: expected {what} to be one of {', '.join(known)}, got {shown(value)}")


def is_column(values: Any) -> bool:
    """Whether it holds values in an order to go by: no text, mapping, set or table, and no single value.

    >>> [is_column(values) for values in ([1], np.array([1]), np.array(1), {1}, {"a": 1}, "ab", None)]
    [True, True, False, False, False, False, False]
    """
    if isinstance(values, (Mapping, set, frozenset, str, bytes)) or hasattr(values, "columns"):
        return False
    return hasattr(values, "__iter__") and getattr(values, "ndim", 1) != 0


def listed(values: Any) -> list[Any]:
    """Any sequence, column, array or tensor as a list of plain values: the scalars of numpy, torch and Arrow become Python's.

    Raises:
        PredictionError: it is none of these (see ``is_column``).

    >>> listed(np.array([1, 2]))
    [1, 2]
    """
    if not is_column(values):
        what = f"expected one value per example in a list, got {type(values).__name__}"
        hint = "; join what is keyed by id first (euroglue.predictions.join)" if isinstance(values, Mapping) else ""
        raise PredictionError(f"{what}{hint}")
    found = list(plain(values) if hasattr(values, "tolist") or hasattr(values, "to_pylist") else values)
    foreign = {kind for kind in set(map(type, found)) if hasattr(kind, "tolist") or hasattr(kind, "as_py")}
    return [plain(value) if type(value) in foreign else value for value in found] if foreign else found


def plain(value: Any) -> Any:
    """An array, tensor, or scalar of numpy, torch or Arrow as Python's own values; anything else as it is.

    >>> plain(np.float64(0.5)), plain("a")
    (0.5, 'a')
    """
    for name in ("tolist", "to_pylist", "as_py"):
        if hasattr(value, name):
            return getattr(value, name)()
    return value


def column(values: Any) -> Sequence[Any]:
    """A flat array of integers or floats as it is; any other sequence as a list of plain values.

    Raises:
        PredictionError: it is no column (see ``is_column``).

    >>> type(column(np.array([1, 2]))).__name__, column((1, 2))
    ('ndarray', [1, 2])
    """
    flat = isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in "iuf"
    return values if flat else listed(values)


def paired(predictions: Any, references: Any) -> tuple[Sequence[Any], Sequence[Any]]:
    """Both sides as lists, or as they are if they are flat arrays of numbers, of one length.

    Raises:
        PredictionError: their lengths differ, or there are no examples.

    >>> paired((0, 1), [1, 1])
    ([0, 1], [1, 1])
    """
    guesses, golds = column(predictions), column(references)
    if len(guesses) != len(golds):
        raise PredictionError(f"expected {len(golds)} predictions, one per reference, got {len(guesses)}")
    if not len(golds):
        raise PredictionError("there are no examples to score")
    return guesses, golds


def finite(values: Sequence[Any], role: str) -> np.ndarray:
    """Numbers as an array of floats, shape (examples,).

    Raises:
        PredictionError: a value is no number or not finite; in a reference that means that it is hidden.

    >>> finite([1, 2.5], "prediction").tolist()
    [1.0, 2.5]
    """
    if isinstance(values, np.ndarray) or set(map(type, values)) == {float}:
        found = np.asarray(values, dtype=np.float64)
    else:
        found = np.array([_number(value, role, example) for example, value in enumerate(values)])
    for example in np.flatnonzero(~np.isfinite(found))[:1]:
        if role == "reference" and np.isnan(found[example]):
            what = f"the reference is hidden ({found[example]})"
            raise PredictionError(f"example {example}: {what}, score a split whose gold is known")
        raise PredictionError(f"example {example}: expected a finite number as the {role}, got {found[example]}")
    return found


def _number(value: Any, role: str, example: int) -> float:
    if role == "reference" and value is None:
        return math.nan
    whole = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not whole:
        raise PredictionError(
            f"example {example}: expected a number as the {role}, got {shown(value)} ({type(value).__name__})"
        )
    try:
        return float(value)
    except OverflowError:  # an integer beyond the largest float: refused with the other infinite values
        return math.inf


def are_ids(values: Sequence[Any], role: str, where: Callable[[int], str]) -> bool:
    """Whether the values are whole numbers; if they are neither those nor names, or both, refuse the first odd one.

    Args:
        values: label names or integer ids.
        role: ``prediction`` or ``reference``, for messages.
        where: what a message calls a position, such as ``example 3``.

    >>> are_ids([0, 1.0], "prediction", example_at), are_ids(["no"], "prediction", example_at)
    (True, False)
    """
    kinds = set(map(type, values))
    names = {kind for kind in kinds if issubclass(kind, str)}
    whole = {kind for kind in kinds if issubclass(kind, (int, np.integer)) and kind is not bool}
    real = {kind for kind in kinds if issubclass(kind, (float, np.floating))}

    def refuse(odd: Callable[[Any], bool], expected: str) -> None:
        for position, value in enumerate(values):
            if odd(value):
                what = f"{shown(value)} ({type(value).__name__})"
                raise PredictionError(f"{where(position)}: expected {expected} as the {role}, got {what}")

    either = "a label name or a whole number"
    if odd_kinds := kinds - names - whole - real:
        refuse(lambda value: type(value) in odd_kinds, either)
    if real:
        refuse(lambda value: type(value) in real and not float(value).is_integer(), either)
    if names and kinds - names:
        first = type(values[0])
        refuse(lambda value: (type(value) in names) != (first in names), "label names or integers throughout")
    return bool(kinds) and not names


def example_at(position: int) -> str:
    """What messages call an example, counted from 0.

    >>> example_at(3)
    'example 3'
    """
    return f"example {position}"


def encode_labels(values: Sequence[Any], labels: Sequence[str], role: str) -> Labelled:
    """Turn one label per example into codes.

    Args:
        values: label names, or integer ids.
        labels: the label names in the order of their ids.
        role: ``prediction`` or ``reference``, for messages.

    Raises:
        PredictionError: a value is neither a name nor a whole number, or a reference is hidden or no known label.

    >>> encode_labels(["yes", "maybe"], ("no", "yes"), "prediction")
    Labelled(codes=array([1, 2]), unknown=Counter({'maybe': 1}))
    """
    if isinstance(values, np.ndarray) and values.dtype.kind in "iu":
        codes = np.where((values >= 0) & (values < len(labels)), values, len(labels)).astype(np.int64)
        return _labelled(codes, values, labels, role)
    values = listed(values)
    ids = are_ids(values, role, example_at)
    known: Mapping[Any, int] = {i: i for i in range(len(labels))} if ids else {name: i for i, name in enumerate(labels)}
    codes = np.fromiter((known.get(value, len(labels)) for value in values), dtype=np.int64, count=len(values))
    return _labelled(codes, values, labels, role)


def _labelled(codes: np.ndarray, values: Sequence[Any], labels: Sequence[str], role: str) -> Labelled:
    unknown = np.flatnonzero(codes == len(labels)).tolist()
    if role == "reference" and unknown:
        raise bad_reference(listed(values[unknown[0] : unknown[0] + 1])[0], labels, example_at(unknown[0]))
    odd = listed(values[unknown]) if isinstance(values, np.ndarray) else [values[position] for position in unknown]
    return Labelled(codes, Counter(odd))


def texts(values: Sequence[Any], role: str) -> list[str]:
    """Check that all values are texts.

    Raises:
        PredictionError: one is not, or a reference is empty, which means that it is hidden.

    >>> texts(["A", "Б"], "prediction")
    ['A', 'Б']
    """
    values = listed(values)
    for position, value in enumerate(values):
        if not isinstance(value, str):
            what = f"expected a text as the {role}, got {shown(value)} ({type(value).__name__})"
            raise PredictionError(f"{example_at(position)}: {what}")
        if role == "reference" and value == "":
            what = "the reference is hidden (''), score a split whose gold is known"
            raise PredictionError(f"{example_at(position)}: {what}")
    return values


def choice_numbers(values: Sequence[Any], role: str) -> np.ndarray:
    """Numbers of choices, whole numbers from 0 (also as floats) or their digits, as an array of integers, shape (examples,).

    Raises:
        PredictionError: one is none, or a reference is hidden.

    >>> choice_numbers([0, "1"], "prediction")
    array([0, 1])
    """
    found = [choice_number(value) for value in listed(values)]
    for position, number in enumerate(found):
        if role == "reference" and number == HIDDEN_CLASS:
            what = f"the reference is hidden ({number}), score a split whose gold is known"
            raise PredictionError(f"{example_at(position)}: {what}")
        if number is None or not 0 <= number < MOST_CHOICES:
            value = listed(values)[position]
            what = f"{shown(value)} ({type(value).__name__})"
            raise PredictionError(f"{example_at(position)}: expected the number of a choice as the {role}, got {what}")
    return np.array(found, dtype=np.int64)


MOST_CHOICES = 10**10
"""No example has so many choices."""


def choice_number(value: Any) -> int | None:
    """The number of a choice, given as a whole number, also as a float, or in digits; None for anything else.

    >>> [choice_number(value) for value in (1, 1.0, "1", 0.5, "A", True)]
    [1, 1, 1, None, None, None]
    """
    if isinstance(value, str):
        return int(value) if value.isascii() and value.isdigit() and len(value) <= len(str(MOST_CHOICES)) else None
    whole = isinstance(value, (int, np.integer)) or (
        isinstance(value, (float, np.floating)) and float(value).is_integer()
    )
    return int(value) if whole and not isinstance(value, bool) else None


def bad_reference(value: Any, labels: Sequence[str], where: str) -> PredictionError:
    """The error for a reference that is no known label: it is hidden, or simply unknown.

    >>> print(bad_reference(-1, ("no", "yes"), "example 0"))
    example 0: the reference is hidden (-1), score a split whose gold is known
    """
    if value == HIDDEN_CLASS or value == "":
        return PredictionError(f"{where}: the reference is hidden ({value!r}), score a split whose gold is known")
    known = f"{', '.join(labels[:12])}{', …' if len(labels) > 12 else ''} (ids 0 to {len(labels) - 1})"
    hint = "; leave positions out that are not to be scored, on both sides" if value == IGNORED else ""
    return PredictionError(f"{where}: unknown reference label {shown(value)}; known: {known}{hint}")


IGNORED = -100
"""What trainers put where a token has no label of its own."""


def warn_unknown(unknown: Counter[Any]) -> tuple[str, ...]:
    """One warning with the number of unknown predicted labels and the commonest of them; none if there are none.

    >>> warn_unknown(Counter({"B-XYZ": 2}))
    ("2 predicted labels are unknown and count as wrong: 'B-XYZ' (2)",)
    """
    if not unknown:
        return ()
    commonest = sorted(unknown.items(), key=lambda item: (-item[1], shown(item[0])))
    some = ", ".join(f"{shown(value)} ({count})" for value, count in commonest[:3])
    more = f" and {len(unknown) - 3} more" if len(unknown) > 3 else ""
    return (f"{unknown.total()} predicted labels are unknown and count as wrong: {some}{more}",)
