# SPDX-License-Identifier: Apache-2.0
"""Small tasks and a suite to score, made up here: scoring must not depend on any real suite."""

from __future__ import annotations

import pytest

from euroglue.registry import SUITES, Registry
from euroglue.task import Edition, Kind, Labels, Licence, LicenceId, Reader, Recipe, Source, Suite, Task

TAGS = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC")
EDITION = Edition(
    sources=(Source(file="a.tsv", members={"a.tsv": "0" * 64}, package="demo"),),
    read=Reader("nothing", {}, lambda files: files),
    sizes={"test": 1},
)


def make_task(name: str, kind: Kind, target: object, metric: str, bounds: tuple[float, float] | None = None) -> Task:
    return Task(
        suite="toy",
        name=name,
        title=name,
        kind=kind,
        language="bul-Cyrl",
        description="Made up.",
        homepage="https://example.org",
        citation="@misc{toy}",
        licence=Licence(id=LicenceId.MIT, terms="MIT", redistribute=True),
        features={"id": "string", "text": "string", "gold": target},
        inputs=("text",),
        target="gold",
        metric=metric,
        recipe=Recipe(learning_rate=1e-4, epochs=1, batch_size=2),
        editions={"sample": EDITION},
        default_edition="sample",
        bounds=bounds,
    )


NAMES_TASK = make_task("names", Kind.TOKEN_CLASSIFICATION, [Labels(*TAGS)], "entity_f1")
FILMS_TASK = make_task("films-rated", Kind.REGRESSION, "float64", "pearson_spearman", (0.0, 5.0))
TOPIC_TASK = make_task("topic", Kind.SEQUENCE_CLASSIFICATION, Labels("дом", "път"), "entity_f1")
NEWS_TASK = make_task("news", Kind.SEQUENCE_CLASSIFICATION, Labels("credible", "fake"), "binary_f1")
TWEETS_TASK = make_task("tweets", Kind.RANKING, Labels("normal", "check-worthy"), "average_precision")
EXAM_TASK = make_task("exam", Kind.MULTIPLE_CHOICE, "string", "accuracy")


def make_suite(expected: tuple[str, ...] = ("names", "films-rated")) -> Suite:
    tasks: Registry[Task] = Registry("task")
    for task in (NAMES_TASK, FILMS_TASK):
        tasks.register(task.name, task)
    return Suite(
        name="toy",
        title="Toy",
        package="toy",
        language="bul-Cyrl",
        description="Made up.",
        homepage="https://example.org",
        citation="@misc{toy}",
        tasks=tasks,
        expected=expected,
    )


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
