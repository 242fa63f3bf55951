# SPDX-License-Identifier: Apache-2.0
"""Small tasks and a suite to score, made up here: scoring must not depend on any real suite."""

from __future__ import annotations

import pytest

from euroglue.registry import SUITES
from euroglue.task import Kind, Labels, Suite, Task
from tests.made import made_suite, made_task

TAGS = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC")


def make_task(name: str, kind: Kind, target: object, metric: str, bounds: tuple[float, float] | None = None) -> Task:
    return made_task(
        suite="toy",
        name=name,
        kind=kind,
        features={"id": "string", "text": "string", "gold": target},
        target="gold",
        metric=metric,
        bounds=bounds,
    )


NAMES_TASK = make_task("names", Kind.TOKEN_CLASSIFICATION, [Labels(*TAGS)], "entity_f1")
FILMS_TASK = make_task("films-rated", Kind.REGRESSION, "float64", "pearson_spearman", (0.0, 5.0))
TOPIC_TASK = make_task("topic", Kind.SEQUENCE_CLASSIFICATION, Labels("дом", "път"), "entity_f1")
NEWS_TASK = make_task("news", Kind.SEQUENCE_CLASSIFICATION, Labels("credible", "fake"), "binary_f1")
TWEETS_TASK = make_task("tweets", Kind.RANKING, Labels("normal", "check-worthy"), "average_precision")
EXAM_TASK = make_task("exam", Kind.MULTIPLE_CHOICE, "string", "accuracy")


def make_suite(expected: tuple[str, ...] = ("names", "films-rated")) -> Suite:
    return made_suite("toy", NAMES_TASK, FILMS_TASK, package="toy", expected=expected)


@pytest.fixture(name="make_suite")
def make_suite_fixture():
    """The function that makes a suite of the tasks here, with the expected tasks that are asked for."""
    return make_suite


@pytest.fixture
def names_task() -> Task:
    return NAMES_TASK


@pytest.fixture
def films_task() -> Task:
    return FILMS_TASK


@pytest.fixture
def topic_task() -> Task:
    return TOPIC_TASK


@pytest.fixture
def news_task() -> Task:
    return NEWS_TASK


@pytest.fixture
def tweets_task() -> Task:
    return TWEETS_TASK


@pytest.fixture
def exam_task() -> Task:
    return EXAM_TASK


@pytest.fixture
def suite():
    """A suite of two tasks, registered while the test runs."""
    made = make_suite()
    SUITES.register(made.name, made)
    yield made
    SUITES.unregister(made.name)
