# SPDX-License-Identifier: Apache-2.0
"""What the modules of single metrics share: a metric that belongs to no task, made from named options."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import evaluate
from datasets import Features

from euroglue.errors import EuroglueError, FormatError, PredictionError, shown
from euroglue.modules.card import Card
from euroglue.modules.in_memory import UNNAMED, PairsModule, as_list, refuse
from euroglue.scoring import Result, score_with
from euroglue.scoring.metric import Metric
from euroglue.scoring.signature import parse_label_set, parse_signature


class MetricModule(PairsModule):
    """A module for one metric; a subclass names its options and makes the metric from them.

    Options are given as the config (``"scheme:IOB2|average:macro"``, as signatures have them), as arguments of
    ``evaluate.load``, or as arguments of ``compute``; the later ones win. ``results`` keeps, until the next ``compute``,
    the signature and the warnings.
    """

    card: ClassVar[Card]
    """The literal of the module's card, which names the options."""

    def __init__(self, config_name: str | None = None, **options: Any):
        """Make the module.

        Raises:
            EuroglueError: an option of the config is unknown or broken.
        """
        config = "" if config_name in (None, UNNAMED) else str(config_name)
        named = {name: options.pop(name) for name in self.card.options if name in options}
        try:
            self._options: dict[str, Any] = {**parse_signature(config), **named}
        except FormatError as error:
            raise EuroglueError(f"{self.where}: the config {config!r}: {error}; {self._options_said()}") from error
        self._check(self._options)
        self.results: tuple[Result, ...] = ()
        super().__init__(config_name, **options)

    def _options_said(self) -> str:
        return f"it has {', '.join(self.card.options)}"

    def _check(self, given: Mapping[str, Any]) -> None:
        known = ("predictions", "references", *self.card.options)
        refuse([name for name in given if name not in self.card.options], known, self.where)

    @abstractmethod
    def make(self, guesses: Any, golds: Any, **options: Any) -> Metric:
        """The metric by these options, for these examples."""

    @abstractmethod
    def inputs(self) -> list[Features]:
        """What a prediction and a reference may be."""

    def _info(self) -> evaluate.MetricInfo:
        choices, card = self.inputs(), self.card
        said = "".join(f"    {name}: {text}\n" for name, text in card.options.items())
        return evaluate.MetricInfo(
            description=card.description,
            citation=card.citation,
            features=choices if len(choices) > 1 else choices[0],
            inputs_description=f"\nArgs:\n    predictions: {card.predictions}\n    references: {card.references}\n{said}",
            homepage=card.homepage,
            license="Apache-2.0",
            reference_urls=[card.homepage],
        )

    def compute(self, *, predictions: Any = None, references: Any = None, **options: Any) -> dict[str, float]:
        """Score what was added and what is given, and forget it.

        Returns:
            Plain finite numbers under flat keys.

        Raises:
            PredictionError: predictions and references cannot be scored, or an option is unknown.
            EuroglueError: an option has no such value.
        """
        kept = self._kept.take()
        self._check(options)
        guesses, golds = self.sides(kept, predictions, references)
        given = {name: value for name, value in {**self._options, **options}.items() if value is not None}
        metric = self.make(guesses, golds, **given)
        self.results = (score_with(metric, guesses, golds, name=self.where),)
        return dict(self.results[0].scores)


def names(labels: Any, where: str) -> tuple[str, ...]:
    """Label names given as a list, or in a config as a signature has them: one text with commas (see ``label_set``).

    >>> names("O,B-PER,I-PER", "entity_f1")
    ('O', 'B-PER', 'I-PER')

    Raises:
        EuroglueError: they are none, or one occurs twice.
    """
    found = parse_label_set(labels) if isinstance(labels, str) else as_list(labels)
    if not found or not all(isinstance(name, str) for name in found) or len(set(found)) != len(found):
        raise EuroglueError(f"{where}: expected distinct label names as labels, got {shown(labels)}")
    return tuple(found)


def texts_in(rows: Sequence[Any], where: str) -> set[str]:
    """The distinct texts among values.

    Raises:
        PredictionError: some are no texts, so that ``labels`` must say what they mean.
    """
    if odd := [value for value in rows if not isinstance(value, str)]:
        raise PredictionError(
            f"{where}: {shown(odd[0])} is no label name; give labels=[…], the names in the order of their ids"
        )
    return set(rows)
