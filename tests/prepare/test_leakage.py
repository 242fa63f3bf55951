# SPDX-License-Identifier: Apache-2.0
"""The leakage audit: what it counts, on small tables and on the published files."""

from __future__ import annotations

import io
import json
import os
import random
import subprocess
import sys
import tarfile
from itertools import combinations
from pathlib import Path

import pandas as pd
import pytest

from euroglue.errors import ContractError, EuroglueError
from euroglue.prepare.leakage import audit, bands, near_pairs, shingles, text_of
from euroglue.task import Kind, Task
from tests.made import made_task

LONG = "Един доста дълъг отзив за филма, в който почти нищо не се различава от другия"


def task(*inputs: str, groups: tuple[str, ...] = ()) -> Task:
    """A made-up task whose inputs are these columns."""
    return made_task(
        kind=Kind.REGRESSION,
        features={"id": "string", **{name: "string" for name in (*inputs, *groups)}, "label": "float64"},
        inputs=inputs,
        target="label",
        bounds=(0.0, 5.0),
        groups=groups,
        metric="pearson",
    )


def table(split: str, texts: list, **columns: list) -> pd.DataFrame:
    return pd.DataFrame({"id": [f"{split}-{row}" for row in range(len(texts))], "text": texts, **columns})


def counts(kind: str, train: list, test: list) -> tuple[int, int, int]:
    """Inside train, inside test, between them."""
    found = audit(task("text"), {"train": table("train", train), "test": table("test", test)})
    return tuple(found.finding(kind, *scope).count for scope in (("train",), ("test",), ("train", "test")))


@pytest.mark.parametrize(
    ("kind", "train", "test", "expected", "why"),
    [
        ("exact", ["а", "а", "а", "б"], ["в"], (2, 0, 0), "rows beyond the first are repeats"),
        ("exact", ["а", "а"], ["а", "а"], (1, 1, 1), "a shared text counts once, however many rows have it"),
        ("exact", ["А"], ["а"], (0, 0, 0), "case is a difference"),
        ("casefold", ["А "], [" а"], (0, 0, 1), "case and outer space are none"),
        ("casefold", ["а б"], ["а  б"], (0, 0, 0), "inner space is"),
        ("ascii_words", ["Да, да!"], ["да да"], (0, 0, 1), "ASCII punctuation is dropped"),
        ("ascii_words", ["„да“"], ["да"], (0, 0, 0), "other punctuation is kept"),
        ("ascii_words", ["а - б"], ["а б"], (0, 0, 1), "the space around a dropped dash is folded"),
        ("words", ["„да“ €"], ["да"], (0, 0, 1), "all punctuation and symbols are dropped"),
        ("words", ["да 1"], ["да 2"], (0, 0, 0), "digits are kept"),
        ("words", ["й"], ["\u0438\u0306"], (0, 0, 0), "the two forms of й stay two texts: nothing is composed"),
        ("words", [":)", ":("], ["!"], (0, 0, 0), "texts with nothing left are not compared"),
        ("near", [LONG], [LONG + "."], (0, 0, 0), "what differs in punctuation only is found as words already"),
        ("near", [LONG], [LONG + " ах"], (0, 0, 1), "two letters more"),
        ("near", [LONG, LONG + " ах", LONG + " ех"], ["друго нещо"], (3, 0, 0), "three texts are three pairs"),
        ("near", [LONG, LONG + " ах"], [LONG, LONG + " ах"], (1, 1, 2), "each with the other split's other text"),
        ("near", ["да"], ["дай"], (0, 0, 0), "shorter than a shingle"),
    ],
)
def test_counts_of_each_kind(kind, train, test, expected, why):
    assert counts(kind, train, test) == expected, why


def test_token_lists_are_compared_as_text():
    tables = {"train": table("train", [["Да", ",", "да"]]), "test": table("test", [["да", "да"]])}
    found = audit(task("text"), tables)
    assert found.finding("words", "train", "test").count == 1
    assert found.finding("casefold", "train", "test").count == 0


def test_all_inputs_together_make_the_text():
    rows = [table("train", ["а"], more=["б"]), table("validation", ["а"], more=["в"]), table("test", ["а"], more=["б"])]
    found = audit(task("text", "more"), dict(zip(("train", "validation", "test"), rows, strict=True)))
    shared = {
        finding.splits: finding.count for finding in found.findings if finding.kind == "exact" and finding.between
    }
    assert shared == {("train", "validation"): 0, ("train", "test"): 1, ("validation", "test"): 0}


def test_columns_do_not_run_into_one_another():
    tables = {"train": table("train", ["а б"], more=["в"]), "test": table("test", ["а"], more=["б в"])}
    assert audit(task("text", "more"), tables).finding("exact", "train", "test").count == 0


def test_shared_groups_count_values_and_rows():
    tables = {
        "train": table("train", list("абвг"), film=["1", "1", "2", ""]),
        "test": table("test", list("дежз"), film=["1", "3", "3", ""]),
    }
    found = audit(task("text", groups=("film",)), tables)
    assert [finding for finding in found.findings if finding.kind == "group:film"] == [
        found.finding("group:film", "train", "test")
    ], "a film may have many comments inside one split"
    finding = found.finding("group:film", "train", "test")
    assert (finding.count, finding.rows, finding.examples) == (1, (2, 1), (("train-0", "test-0"),))
    assert found.leaks == (finding,) and found.repeats == () and not found.clean


def test_rows_and_examples_name_what_was_found():
    tables = {"train": table("train", ["а", "Б", "б", "б"]), "test": table("test", ["б", "б", "в"])}
    found = audit(task("text"), tables, examples=1)
    inside, between = found.finding("casefold", "train"), found.finding("casefold", "train", "test")
    assert (inside.rows, inside.examples) == ((3,), (("train-1", "train-2"),))
    assert (between.rows, between.examples) == ((3, 2), (("train-1", "test-0"),))


def test_what_was_not_compared_is_counted():
    tables = {"train": table("train", ["", ":)", "дума", LONG]), "test": table("test", [LONG])}
    assert audit(task("text"), tables).left_out == {
        "exact": {"train": 1},
        "casefold": {"train": 1},
        "ascii_words": {"train": 2},
        "words": {"train": 2},
        "near": {"train": 3},
    }


def test_a_clean_edition_is_clean_and_its_zeros_are_told():
    found = audit(task("text"), {"train": table("train", ["а"]), "test": table("test", ["б"])}, near_threshold=None)
    assert found.clean
    assert len(found.findings) == 4 * 3, "four kinds, two splits and one pair"
    assert json.loads(found.to_json())["clean"] is True


def test_the_result_is_plain_json():
    found = audit(task("text"), {"train": table("train", ["а", "а"]), "test": table("test", ["а"])})
    plain = json.loads(found.to_json())
    assert plain["task"] == "made-up/films" and plain["sizes"] == {"train": 2, "test": 1}
    assert plain["findings"][0] == {
        "kind": "exact",
        "splits": ["train"],
        "count": 1,
        "rows": [2],
        "examples": [["train-0", "train-1"]],
    }


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"near_threshold": 0.0}, EuroglueError, "from 0.1 to 1, got 0.0"),
        ({"near_threshold": 80}, EuroglueError, "from 0.1 to 1, got 80"),
        ({"near_threshold": float("nan")}, EuroglueError, "from 0.1 to 1, got nan"),
        ({"shingle": 0}, EuroglueError, "at least 1 character, got 0"),
    ],
)
def test_arguments_out_of_range_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        audit(task("text"), {"train": table("train", ["а"])}, **arguments)


def test_a_table_without_the_column_is_refused():
    with pytest.raises(ContractError, match="made-up/films, train: the audit needs the column 'text', got id"):
        audit(task("text"), {"train": table("train", ["а"]).drop(columns="text")})


def test_a_check_that_was_not_made_is_no_zero():
    found = audit(task("text"), {"train": table("train", ["а"])}, near_threshold=None)
    with pytest.raises(EuroglueError, match="no check 'near' of train"):
        found.finding("near", "train")


@pytest.mark.parametrize(
    ("value", "expected"),
    [("а б", "а б"), (["а", "б"], "а б"), ({"stem": "а", "choices": ["б", "в"]}, "а б в"), (None, ""), (3, "3")],
)
def test_text_of_nested_inputs(value, expected):
    assert text_of(value) == expected


@pytest.mark.parametrize("threshold", [0.5, 0.7, 0.8, 0.95, 1.0])
def test_near_pairs_are_those_of_the_full_comparison(threshold):
    draw = random.Random(3)
    texts = ["".join(draw.choices("абвгдежз ", k=250)) for _ in range(25)]
    for base in list(texts):
        for edits in (1, 2, 4, 8, 16):
            letters = list(base)
            for place in draw.sample(range(len(letters)), edits):
                letters[place] = "я"
            texts.append("".join(letters))
    sets = [shingles(text, 5) for text in texts]
    expected = [
        (a, b)
        for a, b in combinations(range(len(texts)), 2)
        if len(sets[a] & sets[b]) / len(sets[a] | sets[b]) >= threshold
    ]
    found = near_pairs(texts, threshold)
    assert set(found) <= set(expected), "every pair is verified"
    assert len(found) >= 0.995 * len(expected), "hardly any pair is missed"
    assert threshold == 1.0 or expected


@pytest.mark.parametrize("threshold", [0.1, 0.3, 0.5, 0.8, 0.9, 1.0])
def test_bands_keep_the_promised_recall(threshold):
    count, rows = bands(threshold)
    assert count * rows <= 128
    assert (1 - threshold**rows) ** count <= 1e-3


def test_near_pairs_do_not_depend_on_the_hash_seed():
    program = (
        "from euroglue.prepare.leakage import near_pairs;"
        "print(near_pairs(['%s ред %d от текста, който се повтаря' % ('общо начало ' * 3, i) for i in range(60)], 0.8))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            text=True,
            check=True,
            cwd=Path(__file__).parents[2],
        ).stdout
        for seed in ("0", "1")
    }
    assert len(outputs) == 1 and outputs.pop().strip() != "[]"


def raw(path: str) -> Path:
    folder = os.environ.get("EUROGLUE_RAW_DIR")
    if not folder or not (Path(folder) / path).is_file():
        pytest.skip(f"needs {path} in $EUROGLUE_RAW_DIR")
    return Path(folder) / path


def members(path: str) -> dict[str, list[str]]:
    """The lines of train, dev and test in an archive of the release."""
    with tarfile.open(raw(path)) as archive:
        files = {Path(member.name).stem: member for member in archive if member.isfile()}
        return {
            split: io.TextIOWrapper(archive.extractfile(files[split]), encoding="utf-8").read().split("\n")
            for split in ("train", "dev", "test")
        }


@pytest.mark.raw
def test_official_cinexio_repeats_and_shares_as_published():
    lines = members("bgglue/cinexio/cinexio.tar.gz")
    tables = {}
    for split, rows in lines.items():
        parsed = [json.loads(row) for row in rows if row]
        tables[split] = table(split, [row["Comment"] for row in parsed], film=[row["Cinexio_URL"] for row in parsed])
    found = audit(task("text", groups=("film",)), tables)
    assert found.finding("exact", "train").count == 1070
    pairs = [("train", "dev"), ("train", "test"), ("dev", "test")]
    assert [found.finding("casefold", *pair).count for pair in pairs] == [15, 13, 2]
    assert [found.finding("group:film", *pair).count for pair in pairs] == [0, 0, 0]


@pytest.mark.raw
def test_official_panx_shares_as_published():
    tables = {}
    for split, lines in members("bgglue/wikiannbg/wikiann_bg.tar.gz").items():
        sentences: list[list[str]] = [[]]
        for line in lines:
            if line.strip():
                sentences[-1].append(line.split("\t")[0].removeprefix("bg:"))
            elif sentences[-1]:
                sentences.append([])
        tables[split] = table(split, [sentence for sentence in sentences if sentence])
    found = audit(task("text"), tables)
    assert found.sizes == {"train": 16237, "dev": 7029, "test": 7263}
    pairs = [("train", "dev"), ("train", "test"), ("dev", "test")]
    assert [found.finding("ascii_words", *pair).count for pair in pairs] == [67, 67, 25]
    assert [found.finding("exact", *pair).count for pair in pairs] == [0, 0, 0]
