# SPDX-License-Identifier: Apache-2.0
"""Tables on a narrow terminal: texts are folded, none is cut."""

from __future__ import annotations

import pytest

from euroglue.commands.terminal import show, table

LONG = "sent by the authors after their form is signed; not to be passed on"


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([("bgglue/crediblenews", "cc-by-nc-sa-4.0", LONG, "no", "form: not accepted yet")], "two long texts"),
        (
            [("bgglue/crediblenews", "cc-by-nc-sa-4.0", LONG, "no", "https://example.org/a-long-way/to/go")],
            "an address",
        ),
        ([("a", "b", LONG, LONG, LONG)], "three"),
        (
            [
                (
                    "euroeval_sl/multi-wiki-qa-sl",
                    "cc-by-nc-sa-4.0",
                    f"{LONG} non-commercial.",
                    "no",
                    "form: not accepted yet",
                )
            ],
            "hardly room",
        ),
    ],
)
def test_no_letter_of_a_folded_table_is_cut(capsys, rows, why):
    show(table("Title", "task", "licence", "terms", "pass\non?", "access", rows=rows, whole=("task", "licence")))
    printed = capsys.readouterr().out
    assert max(len(line.rstrip()) for line in printed.splitlines()) <= 80
    body = printed.split("─\n")[1]
    for text in rows[0]:
        assert all(body.count(letter) >= text.count(letter) for letter in text if letter != " "), text
    assert sum(len("".join(line.split())) for line in body.splitlines()) == sum(
        len("".join(t.split())) for t in rows[0]
    )
