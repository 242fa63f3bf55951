# SPDX-License-Identifier: Apache-2.0
"""What all our modules for ``evaluate`` share: one process, and everything in memory."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import evaluate
import numpy as np

from euroglue.errors import EuroglueError, PredictionError, shown
from euroglue.predictions import join
from euroglue.scoring.inputs import is_column, listed

UNNAMED = "default"
"""What ``evaluate`` calls the config when none is asked for."""


class InMemoryModule(evaluate.Metric):
    """A module without cache files, locks and open handles, whatever is computed and however often."""

    def __init__(self, config_name: str | None = None, *, num_process: int = 1, **options: Any):
        """Make the module; a ``config_name`` that is not given is ``default``.

        Raises:
            EuroglueError: more than one process is asked for, or an option is unknown.
        """
        known = inspect.signature(evaluate.EvaluationModule.__init__).parameters.values()
        names = {one.name for one in known if one.kind is not one.VAR_KEYWORD}
        if unknown := sorted(set(options) - names):
            raise EuroglueError(f"{type(self).__name__}: unknown options {', '.join(unknown)}; {self._options_said()}")
        if num_process != 1:
            raise EuroglueError(
                f"{type(self).__name__}: expected num_process=1, got {num_process}; gather the predictions first "
                "(accelerator.gather_for_metrics) and compute on the main process"
            )
        super().__init__(config_name=config_name, num_process=1, **options)

    def _options_said(self) -> str:
        """What a message says of the options that the module has."""
        return "it has none of its own"

    def _build_data_dir(self) -> str:
        """Where ``evaluate`` would keep cache files; none are written, so no folder is made."""
        return self._data_dir_root

    def download_and_prepare(self, *args: Any, **options: Any) -> None:
        """Do nothing: there is nothing to download."""


class Batches:
    """Predictions and references kept until the next compute; a batch is kept as it is when it comes."""

    def __init__(self) -> None:
        """Nothing is kept yet."""
        self._kept: list[tuple[Any, Any]] = []

    def __len__(self) -> int:
        """The number of examples."""
        return sum(len(guesses) for guesses, _ in self._kept)

    def add(self, guesses: Any, golds: Any) -> None:
        """Keep a batch: two lists or arrays of one length."""
        self._kept.append((_copied(guesses), _copied(golds)))

    def take(self) -> Batches:
        """All that was kept, which is then forgotten here; at once, so that no other thread takes it too."""
        taken = Batches()
        taken._kept, self._kept = self._kept, taken._kept
        return taken

    def sides(self) -> tuple[Any, Any]:
        """All predictions and all references; a single batch as it is."""
        if len(self._kept) == 1:
            return self._kept[0]
        guesses, golds = ([value for batch in self._kept for value in as_list(batch[side]) or []] for side in (0, 1))
        return guesses, golds


def _copied(values: Any) -> Any:
    return values.copy() if isinstance(values, np.ndarray) else list(values)


class PairsModule(InMemoryModule):
    """A module that keeps pairs of a prediction and a reference until ``compute``."""

    where: ClassVar[str]
    """What messages call the module: its name for ``evaluate.load``."""
    short: ClassVar[bool] = False
    """Whether a prediction may be a list of fewer tags than the reference."""

    def __init__(self, config_name: str | None = None, **options: Any):
        """Make the module; see ``InMemoryModule``."""
        self._kept = Batches()
        super().__init__(config_name, **options)

    def __len__(self) -> int:
        """The number of pairs that are kept for the next ``compute``."""
        return len(self._kept)

    def add(self, *, prediction: Any = None, reference: Any = None, **both: Any) -> None:
        """Keep one prediction and its reference."""
        guess, gold = both.pop("predictions", prediction), both.pop("references", reference)
        something(guess, gold, self.where)
        self.add_batch(predictions=[guess], references=[gold], **both)

    def add_batch(self, *, predictions: Any = None, references: Any = None, **unknown: Any) -> None:
        """Keep a batch of predictions and their references."""
        refuse(unknown, ("predictions", "references"), self.where)
        self._kept.add(*aligned(predictions, references, self.where, self.short))

    def sides(self, kept: Batches, predictions: Any, references: Any) -> tuple[Any, Any]:
        """What was kept, then what is given to ``compute``.

        Raises:
            PredictionError: there is nothing, or the two sides do not fit together.
        """
        if predictions is not None or references is not None:
            kept.add(*aligned(predictions, references, self.where, self.short))
        if not len(kept):
            raise PredictionError(f"{self.where}: nothing to score; give predictions and references")
        return kept.sides()


def something(guess: Any, gold: Any, where: str) -> None:
    """Refuse to add nothing.

    Raises:
        PredictionError: there is no prediction or no reference.
    """
    if guess is None or gold is None:
        raise PredictionError(
            f"{where}: expected a prediction and a reference to add, got {shown(guess)} and {shown(gold)}"
        )


def refuse(unknown: Iterable[str], known: Iterable[str], where: str) -> None:
    """Refuse arguments that a module does not have.

    Raises:
        PredictionError: there is one.
    """
    if names := list(unknown):
        raise PredictionError(f"{where}: unknown arguments {', '.join(names)}; known: {', '.join(known)}")


def as_list(values: Any) -> list[Any] | None:
    """A sequence, column, array or tensor as a list; None for what is none of these."""
    return listed(values) if is_column(values) else None


def as_column(values: Any) -> Any:
    """An array of numbers as it is, which is quickest to score; else a list as of ``as_list``."""
    array = isinstance(values, np.ndarray) and values.ndim in (1, 2) and values.dtype.kind in "iuf"
    return values if array else as_list(values)


def aligned(predictions: Any, references: Any, where: str, short: bool = False) -> tuple[Any, Any]:
    """Both sides as lists or arrays of equal length; mappings are joined by id (``short``: see ``join``).

    Raises:
        PredictionError: they do not fit together.
    """
    if isinstance(predictions, Mapping) and isinstance(references, Mapping):
        try:
            return join(predictions, references, short=short)
        except PredictionError as error:
            raise PredictionError(f"{where}: {error}") from error
    guesses, golds = as_column(predictions), as_column(references)
    if guesses is None or golds is None:
        kinds = " and ".join(type(side).__name__ for side in (predictions, references))
        raise PredictionError(f"{where}: expected lists of predictions and references, or mappings by id, got {kinds}")
    if len(guesses) != len(golds):
        raise PredictionError(f"{where}: expected {len(golds)} predictions, one per reference, got {len(guesses)}")
    return guesses, golds
