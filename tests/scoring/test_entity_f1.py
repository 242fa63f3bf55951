# SPDX-License-Identifier: Apache-2.0
"""Entity F1 equals seqeval's on any tags, refuses what cannot be scored, and is a function of sums over examples."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seqeval.metrics import classification_report
from seqeval.metrics.sequence_labeling import precision_recall_fscore_support

from euroglue.errors import EuroglueError, PredictionError
from euroglue.scoring import METRICS, metric_for, score
from euroglue.scoring.entity_f1 import EntityF1

LABELS = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC")


def oracle(references, predictions, average="micro"):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return precision_recall_fscore_support(references, predictions, average=average)[:3]


def ours(references, predictions, labels):
    scores = EntityF1(labels).compute(predictions, references)
    return scores["precision"], scores["recall"], scores["f1"]


def all_labels(*sides):
    return sorted({tag for side in sides for row in side for tag in row})


WEIRD = [
    ([["O", "I-PER", "I-PER"]], [["O", "B-PER", "I-PER"]], "I- after O begins an entity"),
    ([["B-PER", "I-LOC", "O"]], [["B-PER", "B-LOC", "O"]], "another type begins an entity"),
    ([["B-PER", "E-PER", "S-LOC"]], [["B-PER", "I-PER", "B-LOC"]], "E- ends, S- stands alone"),
    ([["B-PER", "L-PER", "U-LOC"]], [["B-PER", "I-PER", "B-LOC"]], "L- and U- begin only where the type changes"),
    ([["NOUN", "NOUN", "VERB"]], [["NOUN", "VERB", "VERB"]], "tags without a hyphen lose their first letter"),
    ([["b-per", "i-per", "o"]], [["b-per", "o", "i-per"]], "lower case is no O, B or I"),
    ([["B", "I", "O"]], [["B", "I", "I"]], "tags without a type"),
    ([["B-PER-x", "I-PER-x"]], [["B-PER-x", "I-PER"]], "a type may hold hyphens"),
    ([["O-PER", "I-PER", "."]], [["O", "B-PER", "."]], "O with a type, and the dot"),
    ([["X"], ["B-PER", "X"]], [["X"], ["X", "B-PER"]], "an untyped tag across the border of examples"),
    ([["B-PER"], ["I-PER"]], [["B-PER"], ["B-PER"]], "an entity never crosses the border of examples"),
    ([[], ["B-PER"]], [[], ["B-PER"]], "an empty example among others"),
]


@pytest.mark.parametrize(("references", "predictions", "why"), WEIRD, ids=[why for *_, why in WEIRD])
def test_weird_tags_score_as_seqeval_scores_them(references, predictions, why):
    assert ours(references, predictions, all_labels(references, predictions)) == oracle(references, predictions), why


PREFIXES = ["O", "B", "I", "E", "S", "L", "U", "b", "i", "o", "X", ".", "Б"]
TAG = st.one_of(
    st.sampled_from(LABELS),
    st.sampled_from(PREFIXES),
    st.builds(
        "{}-{}".format, st.sampled_from(PREFIXES), st.sampled_from(["PER", "LOC", "per", "", "_", "a-b", "ЛИЦЕ"])
    ),
    st.builds("{}{}".format, st.sampled_from(PREFIXES), st.sampled_from(["PER", "_", "-"])),
)
PAIR = st.lists(st.lists(st.tuples(TAG, TAG), max_size=9), min_size=1, max_size=6).filter(any)


def unzip(pairs):
    return [[a for a, _ in row] for row in pairs], [[b for _, b in row] for row in pairs]


@settings(max_examples=400, deadline=None)
@given(PAIR)
def test_any_tags_score_as_seqeval_scores_them(pairs):
    references, predictions = unzip(pairs)
    scores = EntityF1(all_labels(references, predictions)).compute(predictions, references)
    for average, keys in (("micro", ("precision", "recall", "f1")), ("macro", (None, None, "f1_macro"))):
        for expected, key in zip(oracle(references, predictions, average), keys, strict=True):
            if key and not np.isnan(expected):
                assert scores[key] == pytest.approx(expected, abs=1e-12), key
    assert scores["f1_weighted"] == pytest.approx(oracle(references, predictions, "weighted")[2], abs=1e-12)


@settings(max_examples=150, deadline=None)
@given(PAIR)
def test_unknown_predicted_tags_score_as_seqeval_scores_them(pairs):
    references, predictions = unzip(pairs)
    micro = ours(references, predictions, all_labels(references))
    assert micro == oracle(references, predictions)


@pytest.mark.parametrize("kinds", [5, 127, 128, 400])
def test_many_entity_types_score_as_seqeval_scores_them(kinds):
    rng = np.random.default_rng(kinds)
    labels = ["O"] + [f"{prefix}-T{i}" for i in range(kinds) for prefix in "BI"]
    references = [[labels[i] for i in rng.integers(0, len(labels), 30)] for _ in range(40)]
    predictions = [[tag if rng.random() < 0.8 else "I-T0" for tag in row] for row in references]
    assert ours(references, predictions, labels) == oracle(references, predictions)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), min_size=1), min_size=1))
def test_names_and_integer_ids_score_alike(pairs):
    references, predictions = unzip(pairs)
    metric = EntityF1(LABELS)
    expected = metric.compute(predictions, references)
    as_ids = [[[LABELS.index(tag) for tag in row] for row in side] for side in (predictions, references)]
    assert metric.compute(*as_ids) == expected
    assert metric.compute(as_ids[0], references) == expected, "each side may be either"
    assert metric.compute([np.array(row) for row in as_ids[0]], as_ids[1]) == expected, "arrays too"


def test_scores_per_type_are_those_of_the_classification_report():
    references = [["B-PER", "I-PER", "O", "B-LOC", "B-LOC"], ["O", "B-LOC", "I-LOC"]]
    predictions = [["B-PER", "I-PER", "O", "B-LOC", "O"], ["O", "B-LOC", "O"]]
    report = classification_report(references, predictions, output_dict=True, zero_division=0)
    scores = EntityF1(LABELS).compute(predictions, references)
    for kind in ("PER", "LOC"):
        for ours_key, theirs in (("f1", "f1-score"), ("precision", "precision"), ("recall", "recall")):
            assert scores[f"{kind.lower()}_{ours_key}"] == pytest.approx(report[kind][theirs], abs=1e-12)
    assert scores["f1_macro"] == pytest.approx(report["macro avg"]["f1-score"], abs=1e-12)


def test_rows_add_up_to_the_score_of_the_whole_and_of_resamples():
    rng = np.random.default_rng(1)
    references = [list(rng.choice(LABELS, 6)) for _ in range(20)]
    predictions = [list(rng.choice(LABELS, 6)) for _ in range(20)]
    metric = EntityF1(LABELS)
    rows = metric.statistics(predictions, references)
    assert rows.shape == (20, 3 * 3), "true positives, predicted, gold for LOC, PER and unknown types"
    halves = metric.statistics(predictions[:7], references[:7]).sum(0) + metric.statistics(
        predictions[7:], references[7:]
    ).sum(0)
    assert halves.tolist() == rows.sum(0).tolist(), "shards may be summed"
    draws = rng.integers(0, 20, (5, 20))
    resampled = metric.score(rows[draws].sum(axis=1))
    for i, draw in enumerate(draws):
        alone = metric.compute([predictions[j] for j in draw], [references[j] for j in draw])
        assert {key: float(values[i]) for key, values in resampled.items()} == pytest.approx(alone)


@pytest.mark.issue("seqeval#60")
@pytest.mark.issue("seqeval#98")
def test_no_entities_at_all_is_zero_with_a_warning(names_task):
    result = score(names_task, [["O", "O"]], [["O", "O"]])
    assert result.value == 0.0 == oracle([["O", "O"]], [["O", "O"]])[2]
    assert set(result.scores.values()) == {0.0}, "the macro average is no NaN either"
    assert "no entities in gold nor prediction" in result.warnings[0]
    assert "zero_division:0" in result.signature


@pytest.mark.issue("seqeval#23")
def test_the_signature_names_the_decoding(names_task):
    inside_only = [["I-PER", "I-PER"]], [["B-PER", "I-PER"]]
    result = score(names_task, *inside_only)
    assert result.value == 1.0
    assert "mode:lenient" in result.signature and "labels:O,B-PER,I-PER,B-LOC,I-LOC" in result.signature


@pytest.mark.issue("sklearn#23130")
def test_one_stray_predicted_label_is_no_class_of_the_macro_average(names_task):
    references = [["B-PER", "O", "B-LOC"]] * 50
    stray = [["B-PER", "B-XYZ", "B-LOC"]] + [["B-PER", "O", "B-LOC"]] * 49
    result = score(names_task, stray, references)
    assert result.scores["f1_macro"] == 1.0
    assert result.scores["precision"] == pytest.approx(100 / 101), "but it is a wrong entity"
    assert result.warnings == ("1 predicted labels are unknown and count as wrong: 'B-XYZ' (1)",)


@pytest.mark.issue("bgGLUE#label-absent-from-gold")
@pytest.mark.parametrize(
    ("predictions", "unknown", "why"),
    [
        ([["B-PER", ""]], 1, "an empty tag is an O"),
        ([[1, 99]], 1, "an id beyond the labels is an O"),
        ([[1, -1]], 1, "a hidden prediction is an O"),
        ([[f"B-X{i}" for i in range(400)]], 400, "more labels than fit in a byte"),
    ],
)
def test_unknown_predictions_are_counted(predictions, unknown, why):
    metric = EntityF1(LABELS)
    width = len(predictions[0])
    measured = metric.measure(predictions, [["B-PER"] + ["O"] * (width - 1)])
    assert measured.warnings[0].startswith(f"{unknown} predicted labels are unknown"), why


REFUSED = [
    ([["O"]], [["O"], ["O"]], "expected 2 predictions, one per reference, got 1", "numbers of examples"),
    ([["O"], ["O", "O"]], [["O"], ["O"]], "example 1: expected 1 tags, got 2", "lengths of an example"),
    ([], [], "no examples", "nothing to score"),
    ([["O", "O"], ["O"]], [["O", "O"], [-1]], "example 1, tag 0", "mixed reference types"),
    ([["O", "O"], ["O"]], [[0, 0], [-1]], "example 1, tag 0: the reference is hidden (-1)", "hidden by -1"),
    ([["O"]], [[""]], "the reference is hidden ('')", "hidden by an empty tag"),
    ([["O"], ["O"]], [[], ["O"]], "the gold may be hidden", "hidden by an empty list"),
    ([[], []], [[], []], "every reference is empty", "hidden throughout"),
    ([["O", "O"]], [["O", "B-XYZ"]], "example 0, tag 1: unknown reference label 'B-XYZ'", "unknown gold"),
    ([["O"]], [[7]], "unknown reference label 7; known: O, B-PER, I-PER, B-LOC, I-LOC (ids 0 to 4)", "unknown gold id"),
    (
        [[0.9]],
        [[0]],
        "example 0, tag 0: expected a label name or a whole number as the prediction, got 0.9",
        "fraction",
    ),
    ([[True]], [[0]], "got True (bool)", "a bool"),
    ([[None]], [[0]], "got None (NoneType)", "none"),
    ([[float("nan")]], [[0]], "got nan (float)", "NaN"),
    ([["O", 1]], [["O", "O"]], "example 0, tag 1: expected label names or integers throughout", "mixed"),
    (["O"], [["O"]], "example 0: expected a list of tags as the prediction, got str", "a string for a list"),
    ([[["O"]]], [["O"]], "got ['O'] (list)", "nested too deep"),
]


@pytest.mark.issue("setfit#228")
@pytest.mark.parametrize(("predictions", "references", "message", "why"), REFUSED, ids=[case[-1] for case in REFUSED])
def test_what_cannot_be_scored_is_refused(predictions, references, message, why):
    with pytest.raises(PredictionError) as caught:
        EntityF1(LABELS).compute(predictions, references)
    assert message in str(caught.value), why
    assert "\n" not in str(caught.value)


def test_whole_floats_are_taken_as_ids():
    assert EntityF1(LABELS).compute([[1.0, 2.0]], [[1, 2]])["f1"] == 1.0


@pytest.mark.parametrize(
    ("labels", "keys", "why"),
    [
        (["B-PER", "B-per"], ["per_f1", "per_2_f1"], "types that differ only in case keep their own keys"),
        (["B"], ["untyped_f1"], "a tag without a type"),
        (["B-Geo.Loc"], ["geo_loc_f1"], "snake case"),
    ],
)
def test_keys_of_types_are_distinct_snake_case(labels, keys, why):
    scores = EntityF1(labels).compute([labels], [labels])
    assert [key for key in scores if key.endswith("_f1")] == keys, why


def test_a_task_without_labels_is_refused(films_task):
    with pytest.raises(EuroglueError, match="films-rated: the metric entity_f1 needs label names"):
        METRICS["entity_f1"].for_task(films_task)


def test_the_metric_of_a_task_is_found_by_its_literal(names_task):
    metric = metric_for(names_task)
    assert isinstance(metric, EntityF1) and metric.labels == names_task.labels
