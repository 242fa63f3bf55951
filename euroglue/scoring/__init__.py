# SPDX-License-Identifier: Apache-2.0
"""Scores: one metric per family, one function that computes a task's numbers, one that makes a suite's number of them.

``METRICS`` maps the name that a task's literal gives (``Task.metric``) to a metric class; ``AGGREGATES`` maps the name
that a suite's literal gives (``Suite.aggregate``) to a way of making one score of many. Both load their values on first use.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from euroglue.errors import PredictionError
from euroglue.registry import Registry
from euroglue.scoring.result import Result
from euroglue.scoring.signature import format_signature
from euroglue.version import __version__

if TYPE_CHECKING:
    import numpy as np

    from euroglue.scoring.aggregate import Aggregate
    from euroglue.scoring.bootstrap import Bootstrap
    from euroglue.scoring.metric import Metric
    from euroglue.task import Task

__all__ = ["AGGREGATES", "METRICS", "Result", "metric_for", "score", "score_with"]

METRICS: Registry[type[Metric]] = Registry("metric")
METRICS.register("accuracy", target="euroglue.scoring.labels:Accuracy")
METRICS.register("average_precision", target="euroglue.scoring.ranking:AveragePrecision")
METRICS.register("binary_f1", target="euroglue.scoring.labels:BinaryF1")
METRICS.register("entity_f1", target="euroglue.scoring.entity_f1:EntityF1")
METRICS.register("entity_f1_no_misc", target="euroglue.scoring.entity_f1_no_misc:EntityF1WithoutMisc")
METRICS.register("macro_f1", target="euroglue.scoring.labels:MacroF1")
METRICS.register("mae", target="euroglue.scoring.correlation:MeanAbsoluteError")
METRICS.register("mcc", target="euroglue.scoring.labels:MatthewsCorrelation")
METRICS.register("micro_f1", target="euroglue.scoring.labels:MicroF1")
METRICS.register("pearson", target="euroglue.scoring.correlation:Pearson")
METRICS.register("pearson_spearman", target="euroglue.scoring.correlation:PearsonSpearman")
METRICS.register("rmse", target="euroglue.scoring.correlation:RootMeanSquaredError")
METRICS.register("spearman", target="euroglue.scoring.correlation:Spearman")
METRICS.register("squad", target="euroglue.scoring.answers:AnswerF1")
METRICS.register("squad_sl", target="euroglue.scoring.answers:SloveneAnswerF1")
METRICS.register("token_accuracy", target="euroglue.scoring.token_accuracy:TokenAccuracy")
METRICS.register("token_f1", target="euroglue.scoring.token_accuracy:TokenF1")
METRICS.register("upos", target="euroglue.scoring.upos:UniversalPos")
METRICS.register("weighted_f1", target="euroglue.scoring.labels:WeightedF1")

AGGREGATES: Registry[Aggregate] = Registry("aggregate")
AGGREGATES.register("mean", target="euroglue.scoring.aggregate:MEAN")
AGGREGATES.register("rer", target="euroglue.scoring.aggregate:RER")


def metric_for(task: Task) -> Metric:
    """The task's metric, ready to score; an unknown metric name raises ``UnknownNameError``.

    >>> from euroglue.registry import find_task
    >>> metric_for(find_task("bgglue", "cinexio")).primary
    'pearson_spearman'
    """
    return METRICS[task.metric].for_task(task)


def score(
    task: Task,
    predictions: Sequence[Any],
    references: Sequence[Any],
    *,
    fingerprint: str | None = None,
    metric: Metric | None = None,
    about: Mapping[str, str] | None = None,
    bootstrap: Bootstrap | None = None,
    groups: Sequence[Any] | None = None,
) -> Result:
    """Score the predictions of one task against its gold.

    Args:
        task: the task; its literal names the metric.
        predictions: one per example, in the order of ``references`` (see ``euroglue.predictions.join``).
        references: the gold, one per example.
        fingerprint: the data's fingerprint, as the manifest of the prepared task gives it; it goes into the signature.
        metric: another metric than the task's own, such as one with another rule for ties.
        about: more for the signature, such as the seed of a random baseline.
        bootstrap: how intervals are made; none are if not given.
        groups: the group of each example, such as its document, if whole groups are drawn.

    Raises:
        PredictionError: the two do not fit together, a label is unknown, a number is not finite or the gold is hidden.

    >>> from euroglue.registry import find_task
    >>> result = score(find_task("bgglue", "cinexio"), [4.5, 1.0, 3.0], [5.0, 0.5, 4.0])
    >>> result.primary, round(result.value, 3), result.n
    ('pearson_spearman', 0.987, 3)
    """
    return score_with(
        metric or metric_for(task),
        predictions,
        references,
        name=task.path,
        task=task.path,
        fingerprint=fingerprint,
        about=about,
        bootstrap=bootstrap,
        groups=groups,
    )


def score_with(
    metric: Metric,
    predictions: Sequence[Any],
    references: Sequence[Any],
    *,
    name: str,
    task: str = "",
    fingerprint: str | None = None,
    about: Mapping[str, str] | None = None,
    bootstrap: Bootstrap | None = None,
    groups: Sequence[Any] | None = None,
) -> Result:
    """Score predictions by a metric, whether it belongs to a task or not.

    Args:
        metric: the metric.
        predictions: one per example, in the order of ``references``.
        references: the gold, one per example.
        name: what the result and messages call what is scored.
        task: the task's path, for the signature.
        fingerprint: the data's fingerprint, for the signature.
        about: more for the signature.
        bootstrap: how intervals are made; none are if not given.
        groups: the group of each example, such as its document, if whole groups are drawn.

    Raises:
        PredictionError: the two do not fit together or cannot be scored.

    >>> from euroglue.scoring.labels import Accuracy
    >>> score_with(Accuracy(["no", "yes"]), ["yes", "no"], ["yes", "yes"], name="a test").signature.split("|")[:3]
    ['metric:accuracy', 'zero_division:0', 'labels:no,yes']
    """
    try:
        rows, warnings = metric.observe(predictions, references)
    except PredictionError as error:
        raise PredictionError(f"{name}: {error}") from error
    measured = metric.summarise(rows, warnings)
    more = {"task": task} if task else {}
    parts = {"metric": metric.name, **more, **metric.settings(), "n": str(measured.n)}
    if fingerprint:
        parts["data"] = fingerprint
    bootstrap = bootstrap.drawing(groups) if bootstrap else None
    how = bootstrap.settings() if bootstrap else {}
    ends, noted = _intervals(metric, rows, bootstrap, groups)
    signature = format_signature({**parts, **(about or {}), **how, "version": __version__})
    return Result(name, metric.primary, measured.scores, measured.n, signature, measured.warnings, ends, noted)


def _intervals(
    metric: Metric, rows: np.ndarray, bootstrap: Bootstrap | None, groups: Sequence[Any] | None
) -> tuple[dict[str, tuple[float, float]], tuple[str, ...]]:
    """The ends of each score's interval, and why the primary one has none."""
    found = bootstrap.intervals(metric, rows, groups) if bootstrap else {}
    ends = {key: (low, high) for key, (low, high, _, _) in found.items() if low is not None and high is not None}
    primary = found.get(metric.primary)
    noted = (f"the interval of {metric.primary}: {primary.note}",) if primary and primary.note else ()
    return ends, noted
