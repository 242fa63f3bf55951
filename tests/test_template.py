# SPDX-License-Identifier: Apache-2.0
"""Templates over an example."""

import pytest

from euroglue.errors import ContractError
from euroglue.template import at, fill, placeholders

ROW = {"question": {"stem": "Kdo?"}, "{a}": 1, "text": "x {text} {{y}}"}


@pytest.mark.parametrize(
    ("template", "paths", "why"),
    [
        ("{text}: {question.stem}", ["text", "question.stem"], "columns and fields of them"),
        ("{вярно} {_x} {č1}", ["вярно", "_x", "č1"], "a column may be named in any alphabet"),
        ("{} {1} {a b} {a-b} {.a} { a}", [], "braces of the text itself"),
        ("{{text}}", ["text"], "there is no way to escape, and none is needed"),
    ],
)
def test_placeholders_are_found(template, paths, why):
    assert placeholders(template) == paths, why


def test_values_are_not_filled_again():
    assert fill("{text} | {question.stem}", lambda path: at(ROW, path)) == "x {text} {{y}} | Kdo?"


@pytest.mark.parametrize("path", ["question.text", "stem", "text.stem", "question.stem.x"])
def test_a_path_that_is_not_there_is_named_with_the_columns_there_are(path):
    with pytest.raises(ContractError, match=rf"names \{{{path}\}}, the example has question, {{a}}, text"):
        at(ROW, path)
