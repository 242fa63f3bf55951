# SPDX-License-Identifier: Apache-2.0
"""Which signatures may be compared."""

from __future__ import annotations

import pytest

from euroglue.errors import EuroglueError
from euroglue.scoring.comparable import check_comparable, differences
from euroglue.scoring.signature import format_signature, parse_signature

PARTS = {
    "metric": "entity_f1",
    "task": "dumb/sonar-ne",
    "labels": "O,B-PER",
    "n": "301",
    "data": "ab12",
    "version": "0.1.0",
}
BASE = format_signature(PARTS)


@pytest.mark.parametrize(
    ("changed", "found", "why"),
    [
        ({}, [], "the same"),
        ({"version": "0.1.7"}, [], "the third number of a version changes no score"),
        ({"system": "random", "seed": "3"}, [], "what was scored may differ"),
        ({"interval": "bca", "interval_seed": "3"}, [], "so may the intervals"),
        ({"data": "cd34"}, ["data is 'ab12' and 'cd34'"], "other data"),
        ({"data": None}, ["data is 'ab12' and not given"], "data that are not known"),
        ({"metric": "upos"}, ["metric is 'entity_f1' and 'upos'"], "another metric"),
        ({"mode": "strict"}, ["mode is not given and 'strict'"], "another setting"),
        ({"n": "300", "labels": "O"}, ["labels is 'O,B-PER' and 'O'", "n is '301' and '300'"], "two differences"),
        ({"version": "0.2.0"}, ["version is '0.1' and '0.2'"], "the second number of a version may change scores"),
    ],
)
def test_what_differs_is_named(changed, found, why):
    other = format_signature({key: value for key, value in {**PARTS, **changed}.items() if value is not None})
    assert differences(BASE, other) == found, why
    if found:
        with pytest.raises(EuroglueError) as error:
            check_comparable(BASE, other, "'a' and 'b'")
        assert str(error.value) == f"'a' and 'b' cannot be compared: {'; '.join(found)}"
    else:
        check_comparable(BASE, other)


def test_a_signature_reads_back():
    assert parse_signature(BASE) == PARTS
