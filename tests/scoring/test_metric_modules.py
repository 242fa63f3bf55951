# SPDX-License-Identifier: Apache-2.0
"""The modules of single metrics: what they return, how options come, what they keep and refuse, what they cost."""

from __future__ import annotations

import json
from pathlib import Path

import evaluate
import numpy as np
import pytest
from seqeval.metrics import f1_score

import euroglue  # noqa: F401  (installs the name hooks)
from euroglue.errors import EuroglueError
from euroglue.scoring.answers import AnswerF1
from euroglue.scoring.correlation import PearsonSpearman
from euroglue.scoring.entity_f1 import EntityF1
from euroglue.scoring.ranking import AveragePrecision

TAGS = {"predictions": [["B-PER", "I-PER", "O"], ["B-LOC"]], "references": [["B-PER", "O", "O"], ["B-LOC"]]}
NUMBERS = {"predictions": [1.0, 2.0, 4.0], "references": [1.0, 2.5, 3.0]}
RANKING = {"predictions": [0.9, 0.2, 0.6], "references": [1, 1, 0]}
ANSWERS = {"predictions": ["de man", ""], "references": [{"text": ["man"], "answer_start": [0]}, {"text": []}]}
GIVEN = {"entity_f1": TAGS, "pearson_spearman": NUMBERS, "checkworthiness_ap": RANKING, "qa_f1": ANSWERS}
PLAIN = {
    "entity_f1": EntityF1(["B-LOC", "B-PER", "I-PER", "O"]),
    "pearson_spearman": PearsonSpearman(),
    "checkworthiness_ap": AveragePrecision(["0", "1"]),
    "qa_f1": AnswerF1(normaliser="squad"),
}
MODULES = sorted(GIVEN)


@pytest.mark.issue("evaluate#598")
@pytest.mark.parametrize("name", MODULES)
def test_a_module_scores_as_the_library_does_and_json_holds_it(name):
    module = evaluate.load(name)
    scores = module.compute(**GIVEN[name])
    assert scores == PLAIN[name].compute(**GIVEN[name])
    assert json.loads(json.dumps(scores, allow_nan=False)) == scores
    assert module.results[0].signature.startswith(f"metric:{PLAIN[name].name}|") and module.name == name


@pytest.mark.parametrize("name", MODULES)
def test_singles_batches_and_what_is_given_add_up_and_are_forgotten(name):
    given, module = GIVEN[name], evaluate.load(name)
    (first, *guesses), (gold, *golds) = given["predictions"], given["references"]
    module.add(prediction=first, reference=gold)
    module.add_batch(predictions=guesses[:-1], references=golds[:-1])
    assert len(module) == len(guesses)
    assert module.compute(predictions=guesses[-1:], references=golds[-1:]) == PLAIN[name].compute(**given)
    assert len(module) == 0
    with pytest.raises(EuroglueError, match=f"^{name}: nothing to score; give predictions and references"):
        module.compute()


@pytest.mark.parametrize("name", MODULES)
def test_modules_combine_by_name(name):
    both = evaluate.combine([name, name])
    both.add_batch(**GIVEN[name])
    scores = both.compute()
    assert scores[f"{name}_0_{PLAIN[name].primary}"] == PLAIN[name].compute(**GIVEN[name])[PLAIN[name].primary]
    mixed = evaluate.combine(["pearson_spearman", "checkworthiness_ap"])
    assert {"pearson", "average_precision"} <= set(mixed.compute(predictions=[0.5, 0.7], references=[0, 1]))


@pytest.mark.issue("evaluate#382")
@pytest.mark.issue("EuroEval#v16.5.0-open-files")
@pytest.mark.parametrize("name", MODULES)
def test_thousands_of_computes_in_one_process_leave_no_handle_and_no_file(name, tmp_path):
    module, handles = evaluate.load(name, cache_dir=str(tmp_path / "never-made")), Path("/proc/self/fd")
    before = len(list(handles.iterdir())) if handles.exists() else 0
    for _ in range(1100):
        module.compute(**GIVEN[name])
    assert not (tmp_path / "never-made").exists()
    if handles.exists():
        assert len(list(handles.iterdir())) <= before + 2


@pytest.mark.parametrize("name", MODULES)
def test_mappings_are_joined_by_id(name):
    given = GIVEN[name]
    ids = [f"example {i}" for i in range(len(given["predictions"]))]
    shuffled = {key: given["predictions"][ids.index(key)] for key in reversed(ids)}
    references = dict(zip(ids, given["references"], strict=True))
    scores = evaluate.load(name).compute(predictions=shuffled, references=references)
    assert scores == PLAIN[name].compute(**given)
    with pytest.raises(EuroglueError, match=f"{name}: 1 ids have no prediction: 'x'"):
        evaluate.load(name).compute(predictions=shuffled, references={**references, "x": references[ids[0]]})


def test_a_batch_that_is_an_array_is_kept_as_it_was():
    module, buffer = evaluate.load("pearson_spearman"), np.array(NUMBERS["predictions"])
    module.add_batch(predictions=buffer, references=NUMBERS["references"])
    buffer[:] = 0.0
    assert module.compute() == PearsonSpearman().compute(**NUMBERS)


WAYS = [
    ("entity_f1", {"config_name": "scheme:IOB2|average:macro"}, {}, "mode:strict|scheme:IOB2|average:macro", "config"),
    ("entity_f1", {"scheme": "IOB2"}, {}, "mode:strict|scheme:IOB2|average:micro", "argument of load"),
    ("entity_f1", {}, {"mode": "strict", "scheme": "IOB2"}, "mode:strict|scheme:IOB2", "argument of compute"),
    ("entity_f1", {"scheme": "IOB1"}, {"scheme": "IOB2"}, "mode:strict|scheme:IOB2", "compute wins over load"),
    ("entity_f1", {}, {"types": "ignored"}, "mode:lenient|types:ignored", "borders alone"),
    ("entity_f1", {"config_name": "labels:O,B-PER,I-PER,B-LOC"}, {}, "labels:O,B-PER,I-PER,B-LOC", "labels"),
    ("entity_f1", {}, {}, "mode:lenient|average:micro|zero_division:0|missing_tags:O|labels:B-LOC,B-PER,", "default"),
    ("entity_f1", {"config_name": "labels:O,B-PER,B-LOC,I-PER,B-a%252Cb"}, {}, "B-a%252Cb", "comma in a label"),
    ("checkworthiness_ap", {"config_name": "ties:order"}, {}, "ties:order|positive:1", "rule for ties"),
    ("checkworthiness_ap", {}, {"labels": ["a", "b"], "positive": "a"}, "ties:expected|positive:a", "positive label"),
    ("qa_f1", {"config_name": "normaliser:sl"}, {}, "normaliser:lower,punctuation-unicode,articles-none", "normaliser"),
    ("qa_f1", {}, {"no_answer": "Geen"}, 'no_answer:"geen"|golds:best|per:row', "no-answer text"),
    ("pearson_spearman", {"floor": "none"}, {}, "floor:none", "floor"),
]


@pytest.mark.issue("seqeval#23")
@pytest.mark.parametrize(("name", "loaded", "computed", "signed", "why"), WAYS, ids=[case[-1] for case in WAYS])
def test_options_come_by_config_load_and_compute_and_are_signed(name, loaded, computed, signed, why):
    module = evaluate.load(name, **loaded)
    module.compute(**GIVEN[name], **computed)
    assert signed in module.results[0].signature, why


REFUSED = [
    ("entity_f1", {}, {"mode": "strict"}, "strict needs a scheme: one of IOB1, IOB2", "strict without a scheme"),
    ("entity_f1", {}, {"mode": "lenient", "scheme": "IOB2"}, "lenient reads any tags and takes no scheme", "both"),
    ("entity_f1", {}, {"mode": "loose"}, "expected mode to be lenient or strict, got 'loose'", "no such mode"),
    ("entity_f1", {"scheme": "IOB3"}, {}, "expected scheme to be one of lenient, IOB1", "no such scheme"),
    ("entity_f1", {}, {"labels": "O,O"}, "expected distinct label names as labels, got 'O,O'", "label twice"),
    ("entity_f1", {"config_name": "strict"}, {}, "expected key:value between bars, got 'strict'", "broken config"),
    ("entity_f1", {"config_name": "schema:IOB2"}, {}, "unknown arguments schema; known: predictions,", "config key"),
    ("qa_f1", {}, {"normalizer": "sl"}, "unknown arguments normalizer; known: predictions, references, norm", "name"),
    ("qa_f1", {"normaliser": "fr"}, {}, "expected normaliser to be one of squad, bg, nl, sl, got 'fr'", "normaliser"),
    ("checkworthiness_ap", {"ties": "best"}, {}, "expected ties to be one of expected, order", "ties"),
    ("checkworthiness_ap", {"positive": 2}, {}, "the positive label '2' is not among the labels: 0, 1", "positive"),
    ("pearson_spearman", {"floor": "1"}, {}, "expected floor to be one of 0, none, got '1'", "floor"),
]


@pytest.mark.parametrize(("name", "loaded", "computed", "message", "why"), REFUSED, ids=[case[-1] for case in REFUSED])
def test_options_that_are_none_are_refused(name, loaded, computed, message, why):
    with pytest.raises(EuroglueError) as caught:
        evaluate.load(name, **loaded).compute(**GIVEN[name], **computed)
    assert message in str(caught.value), why
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "config", "option"),
    [
        ("entity_f1", None, "shceme"),
        ("bgglue_score", "wikiannbg", "scheme"),
        ("rer", None, "baseline"),
        ("mean_rank_score", None, "tasks"),
    ],
)
def test_an_option_that_a_module_has_not_is_no_silent_wish(name, config, option):
    with pytest.raises(EuroglueError, match=f"unknown options {option}"):
        evaluate.load(name, config, **{option: "IOB2"})


MIXED_UP = [
    (
        "entity_f1",
        {"prediction": [["O"]], "reference": [["O"]]},
        "unknown arguments prediction, reference",
        "wrong keys",
    ),
    ("entity_f1", {"labels": {"O", "B-A"}}, "distinct label names as labels", "a set of labels has no order for ids"),
    ("entity_f1", {"labels": {"O": 0}}, "distinct label names as labels", "a mapping of labels"),
    ("entity_f1", {"average": ["micro"]}, "expected average to be one of", "a list for a name"),
    ("entity_f1", {"scheme": ["IOB2"]}, "expected scheme to be one of", "a list for a scheme"),
    ("entity_f1", {"predictions": [[["O"]]]}, "is no label name", "a list for a tag"),
    ("entity_f1", {"predictions": {1}}, "expected lists of predictions and references", "a set of predictions"),
    ("qa_f1", {"predictions": ["a"], "references": ["a"], "no_answer": 3}, "a text as no_answer, got 3", "a number"),
    ("qa_f1", {"predictions": ["a"], "references": ["a"], "normaliser": []}, "normaliser to be one of", "a list"),
    ("rer", {"predictions": {1: 0.5}, "references": {1: 0.2}}, "expected names of tasks, got 1", "a number for a task"),
    ("rer", {"predictions": {"a": 10**400}, "references": {"a": 0}}, "expected a finite number", "beyond every float"),
    ("rer", {"predictions": {"a": 0.5}, "references": {"a": "x"}}, "expected a finite number, got 'x'", "no score"),
    ("rer", {"predictions": {"dpr": 0.7}, "tasks": ["dbrd"]}, "by task already; leave tasks out", "tasks named twice"),
    ("rer", {"predictions": [0.7], "tasks": [["dpr"]]}, "expected a list of names as tasks", "a list for a task"),
    ("mean_rank_score", {"predictions": {"a": {"x": 10**400}}}, "expected a finite number", "beyond every float"),
    ("mean_rank_score", {"predictions": {"a": {1: 0.5}}}, "expected names of systems and tasks, got 1", "no name"),
    (
        "mean_rank_score",
        {"predictions": [{"system": [1], "task": "x", "score": 1.0}]},
        r"expected names of systems and tasks, got \[1\]",
        "a list for a system",
    ),
    ("mean_rank_score", {"predictions": {"a": {"x": 1}}, "tasks": "x"}, "expected a list of names as tasks", "a text"),
    ("mean_rank_score", {"predictions": {"a": {"x": 1}}, "tasks": ["x", "x"]}, "tasks are given twice", "a task twice"),
    ("dumb_score", {"tasks": [["dpr"]], "scores": [0.5]}, "expected names of tasks, got", "a list for a task"),
    ("dumb_score", {"tasks": ["dpr"], "scores": [10**400]}, "expected a finite number", "beyond every float"),
    ("dumb_score", {"tasks": ["dpr"], "scores": [0.5], "baseline": [0.4]}, "baseline's scores by task", "a list"),
    ("dumb_score", {"tasks": ["dpr"], "scores": [0.5], "baseline": "BERTje"}, "baseline's scores by task", "a name"),
    ("dumb_score", {"predictions": {1: [1]}, "references": {1: [1]}}, "there is no task '1'", "a number for a task"),
    ("dumb_score", {"predictions": {1: [1]}, "references": {"a": [1]}}, "or the reverse: 1, a", "tasks of two kinds"),
]


@pytest.mark.parametrize(
    ("name", "given", "message", "why"), MIXED_UP, ids=[f"{case[0]}: {case[-1]}" for case in MIXED_UP]
)
def test_what_a_module_cannot_take_is_refused_in_one_short_line(name, given, message, why):
    both = {"predictions": [["O"]], "references": [["O"]]} if name == "entity_f1" and "prediction" not in given else {}
    with pytest.raises(EuroglueError, match=message) as caught:
        evaluate.load(name).compute(**{**both, **given})
    assert len(str(caught.value)) < 400 and "\n" not in str(caught.value), why


@pytest.mark.parametrize("name", ["bgglue_score", "rer", *MODULES])
def test_nothing_is_not_added(name):
    module = evaluate.load(name)
    with pytest.raises(EuroglueError, match="expected a prediction and a reference to add, got None and None"):
        module.add()
    assert len(module) == 0


def test_a_broken_config_is_told_with_the_options_there_are():
    with pytest.raises(EuroglueError, match="entity_f1: the config 'IOB2': .*; it has labels, mode, scheme"):
        evaluate.load("entity_f1", "IOB2")


def test_a_failed_compute_leaves_nothing_behind():
    module = evaluate.load("entity_f1")
    module.add(prediction=["O"], reference=["O", "O"])
    with pytest.raises(EuroglueError, match="entity_f1: expected 2 predictions, one per reference, got 1"):
        module.compute(predictions=[["O"]], references=[["O"], ["O"]])
    assert len(module) == 0 and module.compute(**TAGS)["f1"] == 0.5


def test_integer_tags_need_label_names():
    ids = {"predictions": [[1, 2]], "references": [[1, 0]]}
    with pytest.raises(EuroglueError, match=r"entity_f1: \d is no label name; give labels="):
        evaluate.load("entity_f1").compute(**ids)
    labels = ["O", "B-PER", "I-PER"]
    for kind in (list, np.array):
        arrays = {side: [kind(row) for row in rows] for side, rows in ids.items()}
        assert evaluate.load("entity_f1", labels=labels).compute(**arrays)["f1"] == 0.0
        assert evaluate.load("entity_f1").compute(**arrays, labels=labels)["recall"] == 0.0


def test_without_labels_the_types_are_those_of_the_data_as_seqeval_has_it():
    rng, tags = np.random.default_rng(4), ["O", "B-PER", "I-PER", "B-LOC", "S-ORG"]
    for _ in range(30):
        gold, guess = ([rng.choice(tags, 5).tolist() for _ in range(3)] for _ in range(2))
        scores = evaluate.load("entity_f1").compute(predictions=guess, references=gold)
        assert scores["f1"] == pytest.approx(f1_score(gold, guess, zero_division=0))
        assert scores["f1_macro"] == pytest.approx(f1_score(gold, guess, average="macro", zero_division=0))


def test_a_predicted_tag_that_the_scheme_lacks_is_o_and_counted():
    module = evaluate.load("entity_f1", scheme="IOB2")
    scores = module.compute(predictions=[["E-PER", "B-LOC"]], references=[["B-PER", "B-LOC"]])
    assert (scores["precision"], scores["recall"]) == (1.0, 0.5)
    assert module.results[0].warnings == ("1 predicted labels are unknown and count as wrong: 'E-PER' (1)",)


def test_a_text_for_no_answer_predicts_none_whatever_its_case():
    gold = [{"text": [], "answer_start": []}, {"text": ["Gent"], "answer_start": [0]}]
    for text, right in (("Geen antwoord", 1.0), (" geen ANTWOORD ", 1.0), ("geen", 0.0)):
        scores = evaluate.load("qa_f1", no_answer="geen antwoord").compute(predictions=[text, "Gent"], references=gold)
        assert scores["no_ans_exact"] == right and scores["has_ans_exact"] == 1.0


def test_mean_rank_score_has_no_config():
    with pytest.raises(EuroglueError, match="mean_rank_score has no config 'borda'"):
        evaluate.load("mean_rank_score", "borda")


def test_reductions_of_two_tasks_do_not_share_a_key():
    scores = {"a-b": 0.5, "a_b": 0.6}
    with pytest.raises(EuroglueError, match="differ only in - and _"):
        evaluate.load("rer").compute(predictions=scores, references={"a-b": 0.1, "a_b": 0.1})
