# SPDX-License-Identifier: Apache-2.0
"""``describe`` on the real files against the tables of bgGLUE's appendix."""

import pytest

from euroglue.prepare import prepare
from euroglue.prepare.statistics import describe
from euroglue.registry import find_task

pytestmark = pytest.mark.raw


def described(name, edition, *by):
    made = prepare(find_task("bgglue", name), edition)
    return describe(made.task, {split: made.table(split) for split in made.splits}, edition=edition, by=by)


def test_topics_of_bsnlp_are_those_of_table_7(raw_dir):
    """Ids of the official edition begin with the topic."""
    (topics,) = described("bsnlp", "official", "ID=^[^-]+").groups
    assert {topic: sum(counts.values()) for topic, counts in topics.values.items()} == {
        "Brexit": 598,
        "Covid19": 151,
        "USElection2020": 150,
        "NordStream": 130,
        "AsiaBibi": 94,
        "Ryanair": 84,
    }
    assert {topic for topic, counts in topics.values.items() if counts["test"]} == {"Covid19", "USElection2020"}


def test_films_of_cinexio_are_those_of_table_8(raw_dir):
    films, domains = described("cinexio", "official").groups
    assert (films.name, dict(films.distinct), films.total) == (
        "Cinexio_URL",
        {"train": 257, "validation": 25, "test": 47},
        329,
    )
    assert (domains.name, domains.values.keys()) == ("domain of Cinexio_URL", {"cinexio.com"})


def test_choices_of_exams_are_those_of_table_9(raw_dir):
    splits = described("examsbg", "rebuilt").splits
    means = {split: round(about.choices.mean, 2) for split, about in splits.items()}
    assert means == {"train": 3.88, "validation": 4.0, "test": 4.0}


def test_panx_overlaps_least_as_appendix_c_says(raw_dir):
    """High overlap of validation and test with train everywhere; PAN-X, of short snippets, is the exception."""
    shares = {
        name: described(name, "official").overlap["validation"]["train"] for name in ("bsnlp", "cinexio", "wikiannbg")
    }
    assert shares["wikiannbg"] < 0.6 < min(shares["bsnlp"], shares["cinexio"])
