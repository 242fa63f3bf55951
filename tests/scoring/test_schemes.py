# SPDX-License-Identifier: Apache-2.0
"""Entities are those of seqeval, by default and under each strict scheme, for every short sequence and for long ones."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seqeval import scheme as seqeval_scheme
from seqeval.metrics import classification_report
from seqeval.metrics.sequence_labeling import get_entities

from euroglue.errors import EuroglueError
from euroglue.scoring.decoding import LENIENT, SCHEMES, Decoder, convert
from euroglue.scoring.entity_f1 import EntityF1
from euroglue.scoring.tags import Ragged

EVERY = (LENIENT, *SCHEMES)


def tags_of(scheme, types=("A", "B")):
    letters = "OBIES" if scheme == LENIENT else SCHEMES[scheme].letters
    return ["O", *(f"{letter}-{kind}" for kind in types for letter in letters if letter != "O")]


def theirs(row, scheme):
    """Entities of one row by seqeval: (type, first, last)."""
    if scheme == LENIENT:
        return {(kind, first, last) for kind, first, last in get_entities(row)}
    found = seqeval_scheme.Entities([row], getattr(seqeval_scheme, scheme)).entities[0]
    return {(entity.tag, entity.start, entity.end - 1) for entity in found}


def ours(rows, names, scheme):
    """Entities of rows of one length by us."""
    width = len(rows[0]) + 1
    kinds: dict[str, int] = {}
    decoder = Decoder([*names, "O"], kinds, scheme)
    codes = np.array([[names.index(tag) for tag in row] + [len(names)] for row in rows], dtype=np.uint8).ravel()
    by_id = {number: kind for kind, number in kinds.items()}
    found: list[set] = [set() for _ in rows]
    for begin, end, kind in zip(*(values.tolist() for values in decoder(codes))):
        found[begin // width].add((by_id[kind], begin % width, end % width))
    return found


@pytest.mark.issue("seqeval#23")
@pytest.mark.parametrize("scheme", EVERY)
def test_every_sequence_of_up_to_four_tags_over_two_types_has_seqevals_entities(scheme):
    names = tags_of(scheme)
    for length in range(1, 5):
        rows = list(itertools.product(names, repeat=length))
        for row, found in zip(rows, ours(rows, names, scheme), strict=True):
            assert found == theirs(list(row), scheme), row


@pytest.mark.parametrize("new", list(SCHEMES))
@pytest.mark.parametrize("old", EVERY)
def test_tags_written_under_another_scheme_hold_the_same_entities(old, new):
    names = tags_of(old)
    for row in itertools.product(names, repeat=3):
        assert theirs(convert(row, old, new), new) == theirs(list(row), old), row


def test_an_unknown_scheme_is_not_converted():
    for old, new in (("IOB", "IOB2"), ("IOB2", "lenient")):
        with pytest.raises(EuroglueError, match="there is no tagging scheme"):
            convert(["O"], old, new)


def report(gold, guess, scheme):
    how = {} if scheme == LENIENT else {"mode": "strict", "scheme": getattr(seqeval_scheme, scheme)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return classification_report(gold, guess, output_dict=True, zero_division=0, **how)


@pytest.mark.parametrize("scheme", EVERY)
def test_random_sequences_score_as_seqevals_report_has_them(scheme):
    names, rng = tags_of(scheme, ("PER", "LOC", "ORG")), np.random.default_rng(len(scheme))
    for _ in range(40):
        gold = [rng.choice(names, rng.integers(1, 12)).tolist() for _ in range(12)]
        guess = [[tag if rng.random() < 0.7 else str(rng.choice(names)) for tag in row] for row in gold]
        scores, expected = EntityF1(names, scheme=scheme).compute(guess, gold), report(gold, guess, scheme)
        for average in ("micro", "macro", "weighted"):
            for key in ("f1", "precision", "recall"):
                mine = scores[key if average == "micro" else f"{key}_{average}"]
                value = expected.get(f"{average} avg", {}).get("f1-score" if key == "f1" else key, 0.0)
                assert mine == pytest.approx(value, abs=1e-12), (average, key)
        for kind in ("PER", "LOC", "ORG"):
            if kind in expected:
                assert scores[f"{kind.lower()}_f1"] == pytest.approx(expected[kind]["f1-score"], abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.tuples(st.integers(0, 4), st.integers(-2, 9)), min_size=1), min_size=1))
def test_arrays_of_ids_score_as_lists_of_names_do(pairs):
    names = tags_of("IOB2")
    gold, guess = [[a for a, _ in row] for row in pairs], [[b for _, b in row] for row in pairs]
    spelled = [[names[b] if 0 <= b < 5 else "" for b in row] for row in guess]
    for scheme in (LENIENT, "IOB1", "IOB2"):
        metric = EntityF1(names, scheme=scheme)
        expected = metric.compute(spelled, [[names[a] for a in row] for row in gold])
        arrays = [[np.array(row, dtype=dtype) for row in side] for side, dtype in ((guess, np.int16), (gold, np.uint8))]
        assert metric.compute(*arrays) == metric.compute(Ragged.of(guess), Ragged.of(gold)) == expected
        assert metric.measure(*arrays).warnings == metric.measure(guess, gold).warnings


def test_ids_in_a_table_score_as_lists_do():
    gold, guess = np.array([[1, 2, 0], [0, 3, 4]]), np.array([[1, 2, 1], [0, 3, 0]])
    metric = EntityF1(tags_of("IOB2"))
    assert metric.compute(guess, gold) == metric.compute(guess.tolist(), gold.tolist())


def test_many_unknown_ids_in_arrays_need_wide_codes_and_are_counted():
    names = tags_of("IOB2")
    measured = EntityF1(names).measure([np.arange(400)], [np.zeros(400, dtype=np.int64)])
    assert measured.warnings[0].startswith("395 predicted labels are unknown and count as wrong: 10 (1), 100 (1)")
    assert measured.scores["f1"] == 0.0


@pytest.mark.issue("bgGLUE#short-rows")
@pytest.mark.parametrize("kind", [list, np.array])
@pytest.mark.parametrize("scheme", [LENIENT, "IOB2"])
def test_missing_tags_count_as_o_with_a_warning(kind, scheme):
    names = ["O", "B-A", "I-A", "B-B", "I-B"]
    gold, guess = [[1, 2, 0, 3], [3], [0, 1]], [[1, 2], [], [0, 1]]
    measured = EntityF1(names, scheme=scheme).measure([kind(row) for row in guess[:1]] + guess[1:], gold)
    whole = EntityF1(names, scheme=scheme).compute([[1, 2, 0, 0], [0], [0, 1]], gold)
    assert measured.scores == whole and whole["recall"] == 0.5
    assert measured.warnings == ("2 examples have fewer predicted tags than words: 3 missing tags count as O",)


def test_an_unknown_tag_before_the_missing_ones_stays_what_it_is():
    names = tags_of("IOB2")
    for guess in ([["B-XYZ"], ["B-A"]], [[9], [1]]):
        measured = EntityF1(names).measure(guess, [["B-A", "O"], ["B-A"]])
        assert [warning.split(":")[0] for warning in measured.warnings] == [
            "1 predicted labels are unknown and count as wrong",
            "1 examples have fewer predicted tags than words",
        ]
        assert measured.scores["recall"] == 0.5


def test_tags_without_a_type_are_entities_of_one_kind():
    metric = EntityF1(["O", "B", "I"], scheme="IOB2")
    assert metric.compute([["B", "I", "O", "B"]], [["B", "I", "O", "O"]])["precision"] == 0.5


def test_types_may_be_ignored_so_that_borders_alone_count():
    names, gold, guess = tags_of("IOB2"), [["B-A", "I-A", "O", "B-B", "B-A"]], [["B-B", "I-B", "O", "B-B", "I-B"]]
    assert EntityF1(names).compute(guess, gold)["f1"] == 0.0
    metric = EntityF1(names, types="ignored")
    assert metric.compute(guess, gold)["precision"] == 0.5, "B-A I-A is B-B I-B, and B-B I-B is not B-B B-A"
    assert [key for key in metric.compute(guess, gold) if key.endswith("_f1")] == ["untyped_f1"]
    assert metric.settings()["types"] == "ignored"


def test_the_signature_names_scheme_and_average_and_the_average_is_primary():
    metric = EntityF1(tags_of("IOBES"), scheme="IOBES", average="weighted")
    assert {"mode": "strict", "scheme": "IOBES", "average": "weighted"}.items() <= metric.settings().items()
    assert metric.primary == "f1_weighted" and EntityF1.primary == "f1"


REFUSED = [
    (
        {"scheme": "IOB"},
        "expected scheme to be one of lenient, IOB1, IOB2, IOE2, IOBES, BILOU, got 'IOB'",
        "no such scheme",
    ),
    ({"average": "mean"}, "expected average to be one of micro, macro, weighted, got 'mean'", "no such average"),
    ({"types": "none"}, "expected types to be one of own, ignored, got 'none'", "no such way with types"),
    ({"scheme": "IOE2"}, "IOE2 has the letters O, I, E, got the label 'B-A'", "labels of another scheme"),
]


@pytest.mark.parametrize(("options", "message", "why"), REFUSED, ids=[case[-1] for case in REFUSED])
def test_what_is_no_scheme_is_refused(options, message, why):
    with pytest.raises(EuroglueError) as caught:
        EntityF1(tags_of("IOB2"), **options)
    assert message in str(caught.value), why
