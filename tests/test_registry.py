# SPDX-License-Identifier: Apache-2.0
"""Names and their values: lazy, never doubled, the nearest first."""

import pytest

from euroglue.errors import EuroglueError, UnknownNameError
from euroglue.registry import SUITES, Registry, find_task


def test_a_target_is_imported_on_first_use_only():
    registry = Registry("thing")
    registry.register("broken", target="no.such.module:THING")
    assert "broken" in registry and list(registry) == ["broken"]
    with pytest.raises(ModuleNotFoundError):
        registry["broken"]


def test_registering_the_same_again_is_harmless_and_another_value_shows_both_owners():
    registry = Registry("thing")
    registry.register("pi", target="math:pi")
    registry.register("pi", target="math:pi")
    with pytest.raises(EuroglueError, match="thing 'pi' is registered twice: by math:pi and by math:e"):
        registry.register("pi", target="math:e")
    with pytest.raises(EuroglueError, match="registered twice: by math:pi and by 3"):
        registry.register("pi", 3)


@pytest.mark.parametrize(
    ("name", "near"), [("cinexo", "cinexio"), ("wikiann", "wikiannbg"), ("BSNLP", None), ("", None)]
)
def test_an_unknown_name_lists_the_nearest_first(name, near):
    with pytest.raises(UnknownNameError) as error:
        find_task("bgglue", name)
    assert ("did you mean" in str(error.value)) == (near is not None)
    if near:
        assert f"did you mean {near!r}? known: {near}, " in str(error.value)


def test_an_unknown_suite_lists_the_suites():
    with pytest.raises(UnknownNameError, match="there is no suite 'bgglu'; did you mean 'bgglue'?"):
        SUITES["bgglu"]


def test_a_value_and_a_target_exclude_each_other():
    with pytest.raises(TypeError, match="either a value or a target"):
        Registry("thing").register("x")
