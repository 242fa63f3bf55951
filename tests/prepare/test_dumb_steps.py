# SPDX-License-Identifier: Apache-2.0
"""DUMB's splits and pairs: what must hold of them whatever the corpus, and the same in every order of files."""

import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dumb_datasets
from dumb_datasets import SUITE, wicnl
from euroglue.errors import ContractError, EuroglueError, MissingRawFileError
from euroglue.prepare import prepare
from euroglue.prepare.documents import draw_from, require_labels_in_train, shared_document_split
from euroglue.prepare.pairs import (
    choices_in_causal_order,
    context_of_pronouns,
    keep_ambiguous,
    nearest_of_each_label,
    pair_by_sense,
    require_apart,
    require_balance,
    split_groups,
)
from euroglue.prepare.pipeline import run_steps
from euroglue.prepare.provide import provide
from euroglue.prepare.raw import RawFiles, acquire
from euroglue.task import Check

SPLITS = ["train", "validation", "test"]


def shuffled(files: RawFiles, seed: int) -> RawFiles:
    """The same files, listed in another order."""
    names = list(files._paths)
    random.Random(seed).shuffle(names)
    return RawFiles({name: files._paths[name] for name in names})


def prepared(task: str, seed: int | None = None) -> pd.DataFrame:
    """The table of a task's sample after the last step, made of files in the order that ``seed`` gives."""
    literal = SUITE.task(task)
    edition = literal.edition("sample")
    with acquire(literal, "sample") as files:
        table = edition.read(files if seed is None else shuffled(files, seed))
    return run_steps(literal, edition, table)[0]


# Documents


@settings(deadline=None, max_examples=40)
@given(st.integers(4, 400), st.integers(4, 400), st.integers(0, 300), st.integers(0, 9))
def test_every_document_is_in_one_split_and_every_corpus_in_three(first, second, shared, seed):
    both = [f"both-{i}" for i in range(shared)]
    one = [f"lassy-{i}" for i in range(first)] + both
    other = [f"sonar-{i}" for i in range(second)] + both
    split = shared_document_split(one, other, seed, test=0.05, validation=0.02)
    assert set(split) == {*one, *other}
    for corpus in (one, other):
        assert {split[name] for name in corpus} == set(SPLITS)
    again = shared_document_split(sorted(one, reverse=True), other[::-1] * 2, seed, test=0.05, validation=0.02)
    assert split == again


def test_shares_of_the_documents_are_rounded_down_list_by_list():
    one, other = [f"a{i}" for i in range(199)], [f"b{i}" for i in range(60)]
    split = shared_document_split(one, other, seed=1, test=0.05, validation=0.02)
    counts = {
        corpus: [sum(split[n] == s for n in names) for s in SPLITS] for corpus, names in (("a", one), ("b", other))
    }
    assert counts == {"a": [187, 3, 9], "b": [56, 1, 3]}


def test_a_corpus_alone_is_split_too():
    split = shared_document_split([f"a{i}" for i in range(26)], [], seed=872_691, test=0.05, validation=0.02)
    assert sorted(split.values()).count("train") == 24 and set(split.values()) == set(SPLITS)


def test_lassy_and_sonar_share_one_split():
    by_task = {}
    for task in ("lassy-pos", "sonar-ne"):
        table = prepared(task)
        assert (table.groupby("document")["split"].nunique() == 1).all()
        by_task[task] = table.groupby("document")["split"].first()
    shared = by_task["lassy-pos"].index.intersection(by_task["sonar-ne"].index)
    assert len(shared) >= 5
    assert by_task["lassy-pos"][shared].equals(by_task["sonar-ne"][shared])
    assert all(set(split) == set(SPLITS) for split in by_task.values())


def test_each_of_the_two_corpora_is_found_in_the_raw_folder_of_the_other(home, tmp_path, monkeypatch):
    monkeypatch.setenv("EUROGLUE_ACCEPT_LICENCES", "dumb/lassy-pos,dumb/sonar-ne")
    monkeypatch.setenv("EUROGLUE_RAW_DIR", str(tmp_path))
    sample = Path(dumb_datasets.__file__).parent / "sample"
    for task in ("lassy-pos", "sonar-ne"):
        shutil.copytree(sample / task, tmp_path / "dumb" / task)
    split = {}
    for task in ("lassy-pos", "sonar-ne"):
        made = prepare(SUITE.task(task))
        assert "not the shared one" not in " ".join(made.manifest["findings"])
        pairs = {(re.split(r"\.p\.|-\d+$", key)[0], name) for name in made.splits for key in made.table(name)["id"]}
        split[task] = dict(pairs)
        assert len(split[task]) == len(pairs)
    both = set(split["lassy-pos"]) & set(split["sonar-ne"])
    assert len(both) >= 5 and all(split["lassy-pos"][name] == split["sonar-ne"][name] for name in both)


def test_a_reader_within_a_reader_is_named_without_its_address():
    named = str(SUITE.task("lassy-pos").edition("sample").read)
    assert (
        named.startswith("in_shared_split(read=conllu_documents(documents='CONLLU/*.conllu'") and " at 0x" not in named
    )


@pytest.mark.issue("datasets#240")
def test_draw_from_is_the_draw_of_datasets_over_the_present_order():
    from datasets import Dataset

    rows = pd.DataFrame({"id": [f"{i:02}" for i in range(30)], "split": ["train"] * 25 + ["test"] * 5})
    out = draw_from("train", "validation", count=7, seed=872_691)(rows)
    oracle = Dataset.from_pandas(rows[:25]).train_test_split(test_size=7, seed=872_691)["test"]["id"]
    assert set(out.loc[out["split"] == "validation", "id"]) == set(oracle)
    assert out["id"].tolist() == rows["id"].tolist() and (out["split"] == "test").sum() == 5
    with pytest.raises(ContractError, match="expected more than 25 rows in train to draw 25 of, got 25"):
        draw_from("train", "validation", count=25, seed=1)(rows)


@pytest.mark.parametrize(
    ("full", "tags", "outcome"),
    [
        (9, ["A"], ["a partial corpus: 2 of 9 rows; 1 of 2 labels do not occur in train: B"]),
        (9, ["A", "B"], ["a partial corpus: 2 of 9 rows; 0 of 2 labels do not occur in train"]),
        (2, ["A", "B"], []),
    ],
)
def test_labels_missing_from_train_are_reported_of_a_partial_corpus(full, tags, outcome):
    rows = pd.DataFrame({"tags": [tags, ["B"]], "split": ["train", "test"]})
    assert require_labels_in_train("tags", ("A", "B"), rows_of_full=full)(rows) == outcome


def test_labels_missing_from_train_are_refused_of_the_full_corpus():
    rows = pd.DataFrame({"tags": [["A"], ["B"]], "split": ["train", "test"]})
    with pytest.raises(ContractError, match="tags: 1 of 2 labels do not occur in train: B"):
        require_labels_in_train("tags", ("A", "B"), rows_of_full=2)(rows)


# Pairs of words


WORDS = st.lists(
    st.tuples(st.sampled_from("abcde"), st.sampled_from("nv"), st.sampled_from("123"), st.integers(0, 25)), max_size=60
)


def words(rows) -> pd.DataFrame:
    made = [
        {"id": f"w{i:03}", "lemma": lemma, "pos": pos, "sense": pos + sense, "tokens": ["zin", str(at)], "index": 0}
        for i, (lemma, pos, sense, at) in enumerate(rows)
    ]
    return pd.DataFrame(made, columns=["id", "lemma", "pos", "sense", "tokens", "index"]).assign(split=None)


@settings(deadline=None, max_examples=40)
@given(WORDS, st.integers(0, 9))
def test_pairs_are_balanced_by_lemma_and_share_no_sentence_between_splits(rows, seed):
    table = words(rows)
    for step in wicnl.STEPS[1:]:
        if isinstance(step, Check):
            assert step(table) == []
        else:
            table = step(table)
    for (split, lemma), pairs in table.groupby(["split", "lemma"]):
        counts = pairs["label"].value_counts()
        assert counts["same"] == counts["different"] <= (3 if split == "train" else 2), lemma
    assert (table.groupby("lemma")["split"].nunique() <= 1).all()
    senses = {f"w{i:03}": pos + sense for i, (_, pos, sense, _) in enumerate(rows)}
    by_sentence = {}
    for row in table.to_dict("records"):
        assert row["tokens1"] != row["tokens2"]
        for sentence in (tuple(row["tokens1"]), tuple(row["tokens2"])):
            assert by_sentence.setdefault(sentence, row["split"]) == row["split"]
        assert row["id"] in senses


@settings(deadline=None, max_examples=40)
@given(WORDS, st.integers(0, 9))
def test_pairs_do_not_depend_on_the_order_of_the_rows(rows, seed):
    table = words(rows).assign(split="train")
    pair = pair_by_sense("id", "lemma", "pos", "sense", "tokens", "index", seed=3, train=6)
    one = pair(table)
    other = pair(table.sample(frac=1, random_state=seed))
    assert one.set_index("id").sort_index().equals(other.set_index("id").sort_index())


def test_the_sense_of_a_pair_is_what_its_label_says():
    rows = [("a", "n", sense, at) for at, sense in enumerate("1122331122")]
    table = words(rows).assign(split="train")
    out = pair_by_sense("id", "lemma", "pos", "sense", "tokens", "index", seed=0, train=6)(table)
    sense_at = {tuple(row["tokens"]): row["sense"] for row in table.to_dict("records")}
    assert len(out) == 6
    for row in out.to_dict("records"):
        same = sense_at[tuple(row["tokens1"])] == sense_at[tuple(row["tokens2"])]
        assert row["label"] == ("same" if same else "different")


def test_a_lemma_with_one_sense_gives_no_pair():
    assert keep_ambiguous("lemma", "pos", "sense")(words([("a", "n", "1", i) for i in range(4)])).empty
    assert keep_ambiguous("lemma", "pos", "sense")(words([("a", "n", "1", 0), ("a", "n", "2", 1)])).empty


def test_groups_are_split_whole_and_keep_a_split_that_they_have():
    rows = pd.DataFrame({"lemma": list("aabbccddee"), "split": ["test", "test"] + [None] * 8})
    out = split_groups("lemma", seed=1, validation=0.25, test=0.25)(rows)
    assert (out.groupby("lemma")["split"].nunique() == 1).all()
    assert out["split"].value_counts().to_dict() == {"test": 4, "train": 4, "validation": 2}
    assert out["split"].tolist()[:2] == ["test", "test"]


@pytest.mark.parametrize(
    ("check", "rows", "message"),
    [
        (require_apart(("a",)), {"a": [["x"], ["x"]], "split": ["train", "test"]}, "'x' stands in train and in test"),
        (
            require_balance("y"),
            {"y": ["same", "same", "different"], "split": ["test"] * 3},
            "test: expected every y equally often, got {'different': 1, 'same': 2}",
        ),
    ],
)
def test_a_check_refuses_what_breaks_its_promise(check, rows, message):
    with pytest.raises(ContractError, match=message.replace("{", r"\{")):
        check(pd.DataFrame(rows))


# Pronouns, choices


def test_the_sentence_of_the_pronoun_goes_before_a_nearer_mention_elsewhere():
    rows = pd.DataFrame(
        {
            "g": ["p"] * 4,
            "y": ["same", "same", "different", "different"],
            "nearness": [1, 0, 2, 1],
            "distance": [1, 9, 1, 3],
        }
    )
    step = nearest_of_each_label("g", "y", values=("same", "different"), by=("nearness", "distance"))
    assert step(rows).index.tolist() == [1, 3]


@pytest.mark.parametrize(
    ("place", "start", "tokens", "index1", "index2"),
    [
        (0, 0, ["c", "d"], 1, 0),
        (-1, 1, ["a", "b", "c", "d"], 3, 1),
        (1, 0, ["c", "d", "e"], 1, 2),
    ],
)
def test_the_context_holds_the_sentences_that_are_needed(place, start, tokens, index1, index2):
    sentences = {"previous": [["a", "b"]], "current": [["c", "d"]], "following": [["e"]]}
    row = pd.DataFrame({"g": ["p"], "place": [place], "index": [1], "start": [start], **sentences})
    out = context_of_pronouns("g")(row).iloc[0]
    assert (out["tokens"], out["index1"], out["index2"]) == (tokens, index1, index2)


def test_pronouns_and_mentions_of_the_sample_are_where_the_indices_say():
    table = prepared("dpr")
    for row in table.to_dict("records"):
        assert row["tokens"][row["index1"]] == row["current"][row["index"]]
        assert 0 <= row["index2"] < len(row["tokens"]) and row["index1"] != row["index2"]
    pairs = table.groupby("pronoun")
    assert (pairs["label"].nunique() == 2).all() and (pairs["index2"].nunique() == 2).all()
    assert (pairs["tokens"].agg(lambda both: len(set(map(tuple, both)))) == 1).all()


def test_a_question_for_a_cause_puts_the_choice_first():
    row = {"p": ["Hij viel."] * 2, "a": ["Hij gleed."] * 2, "b": ["Hij sliep."] * 2, "q": ["cause", "effect"]}
    choices = choices_in_causal_order("p", ("a", "b"), "q")(pd.DataFrame(row))["choices"].tolist()
    assert choices[0][1] == {"sentence1": "Hij sliep.", "sentence2": "Hij viel."}
    assert choices[1][1] == {"sentence1": "Hij viel.", "sentence2": "Hij sliep."}
    with pytest.raises(ContractError, match="q: expected cause or effect, got 'reason'"):
        choices_in_causal_order("p", ("a",), "q")(pd.DataFrame({**row, "q": ["reason"] * 2}))


# Determinism


@pytest.mark.issue("datasets#240")
@pytest.mark.parametrize("task", list(SUITE.tasks))
def test_the_order_of_files_changes_nothing(task):
    literal = SUITE.task(task)
    columns = [*literal.features, "split"]
    expected = prepared(task)[columns].to_json(orient="records")
    assert prepared(task, seed=1)[columns].to_json(orient="records") == expected


@pytest.mark.issue("dumb#wic-nl-hash-order")
def test_the_hash_seed_changes_nothing():
    code = (
        "from dumb_datasets import SUITE\n"
        "from euroglue.prepare.pipeline import cache_key, run_steps\n"
        "from euroglue.prepare.raw import acquire\n"
        "for task in ('wicnl', 'lassy-pos', 'dpr'):\n"
        "    literal = SUITE.task(task); edition = literal.edition('sample')\n"
        "    with acquire(literal, 'sample') as files:\n"
        "        table = run_steps(literal, edition, edition.read(files))[0]\n"
        "    print(cache_key(literal, 'sample'), table[[*literal.features, 'split']].to_json())\n"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(runs) == 1 and len(runs.pop()) > 10_000


# Lists of lemmas


def test_lemma_lists_given_once_are_used_from_then_on(home, tmp_path, monkeypatch):
    monkeypatch.setenv("EUROGLUE_ACCEPT_LICENCES", "dumb/wicnl")
    with acquire(wicnl.TASK, "sample") as files:
        raw = tmp_path / "raw"
        for name, path in files._paths.items():
            (raw / name).parent.mkdir(parents=True, exist_ok=True)
            (raw / name).write_bytes(path.read_bytes())
    drawn = prepare(wicnl.TASK, "rebuilt", data_dir=raw)
    (tmp_path / "lists.json").write_text('{"train": ["bank"], "dev": ["licht"], "test": ["arm"]}', encoding="utf-8")
    provide([wicnl.TASK], None, wicnl.LISTS, tmp_path / "lists.json")
    listed = prepare(wicnl.TASK, "rebuilt", data_dir=raw)
    assert drawn.folder != listed.folder and drawn.fingerprint != listed.fingerprint
    assert {split: about["rows"] <= 6 for split, about in listed.manifest["splits"].items()} == dict.fromkeys(
        SPLITS, True
    )


def test_lists_for_a_task_that_takes_none_are_refused(home, tmp_path):
    with pytest.raises(MissingRawFileError, match="nowhere.json: expected a file to use as lemma-lists"):
        provide([wicnl.TASK], None, wicnl.LISTS, tmp_path / "nowhere.json")
    (tmp_path / "lists.json").write_text("{}", encoding="utf-8")
    with pytest.raises(EuroglueError, match="none of dumb/dbrd reads a file lemma-lists"):
        provide([SUITE.task("dbrd")], None, wicnl.LISTS, tmp_path / "lists.json")
