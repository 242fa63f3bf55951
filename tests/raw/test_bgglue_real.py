# SPDX-License-Identifier: Apache-2.0
"""The three tasks on their real files: published sizes, what the errata say, the rules of the paper's section 3."""

import math

import pytest

from euroglue.errors import MissingRawFileError
from euroglue.prepare import prepare
from euroglue.prepare.raw import acquire
from euroglue.prepare.text import casefolded, content_words, without_punctuation
from euroglue.readers.offsets import bio_tags, locate, read_entities
from euroglue.registry import find_task

pytestmark = pytest.mark.raw
PUBLISHED = {
    "bsnlp": (724, 182, 301),
    "cinexio": (8155, 811, 861),
    "ct21t1": (3000, 350, 357),
    "udep": (8907, 1115, 1116),
    "wikiannbg": (16237, 7029, 7263),
}


def tables(task, edition):
    prepared = prepare(find_task("bgglue", task), edition)
    return {split: prepared.table(split) for split in prepared.splits}, prepared.manifest


@pytest.mark.parametrize("task", PUBLISHED)
def test_official_sizes_are_the_published_ones(task, raw_dir):
    splits, _ = tables(task, "official")
    assert tuple(len(table) for table in splits.values()) == PUBLISHED[task]


def test_hidden_labels_of_the_official_editions(raw_dir):
    cinexio = tables("cinexio", "official")[0]["test"]
    assert cinexio["label"].map(math.isnan).all() and cinexio["User_Rating"].map(math.isnan).all()
    assert set(cinexio["Category"]) == {-1}
    for task in ("bsnlp", "wikiannbg"):
        test = tables(task, "official")[0]["test"]
        assert {tag for tags in test["ner_tags"] for tag in tags} == {-1}
        assert [len(tags) for tags in test["ner_tags"]] == [len(tokens) for tokens in test["tokens"]]
    assert all(spans == [] for spans in tables("wikiannbg", "official")[0]["test"]["spans"])


def test_the_three_damaged_tokens_are_reported(raw_dir):
    _, manifest = tables("wikiannbg", "official")
    assert [finding.split(": ")[1] for finding in manifest["findings"]] == ["'IIO]]'", "'IIO1]]'", "'IIO]]'"]


def test_rebuilt_cinexio_shares_no_film_with_train_and_no_comment_at_all(raw_dir):
    splits, manifest = tables("cinexio", "rebuilt")
    films = {name: set(table["Cinexio_URL"]) for name, table in splits.items()}
    assert not films["train"] & (films["validation"] | films["test"])
    for rule in (casefolded, without_punctuation, lambda text: content_words(text, "bg")):
        comments = [rule(text) for table in splits.values() for text in table["Comment"]]
        assert len(comments) == len(set(comments))
    assert len(comments) == 5674
    dates = {name: table["Date"].astype("int64") for name, table in splits.items()}
    assert dates["train"].max() <= dates["validation"].min() and dates["validation"].max() <= dates["test"].min()
    assert manifest["steps"][0]["rows_in"] == 10_199


def test_rebuilt_cinexio_holds_no_reviewers_name(raw_dir):
    with acquire(find_task("bgglue", "cinexio"), "rebuilt", data_dir=None, allow_changed=False) as files:
        lines = [line.split("\t") for _, line in files.lines("cinexio_movie_reviews_full_filtered.tsv")]
    names = {columns[0] for columns in lines if len(columns) == 4 and len(columns[0].split()) >= 3}
    splits, manifest = tables("cinexio", "rebuilt")
    written = str(manifest) + "".join(table.to_csv() for table in splits.values())
    assert len(names) > 100
    assert [name for name in names if name in written] == []


def test_rebuilt_panx_has_no_key_twice(raw_dir):
    splits, _ = tables("wikiannbg", "rebuilt")
    keys = [without_punctuation(" ".join(tokens)) for table in splits.values() for tokens in table["tokens"]]
    assert len(keys) == len(set(keys)) == 30_117
    assert {tag for tags in splits["test"]["ner_tags"] for tag in tags} == {-1}


def test_rebuilt_bsnlp_splits_by_topic_and_holds_every_document_once(raw_dir):
    splits, _ = tables("bsnlp", "rebuilt")
    topics = {name: {key.partition("/")[0] for key in table["ID"]} for name, table in splits.items()}
    assert topics["test"] == {"covid-19", "us_election_2020"}
    assert topics["train"] == topics["validation"] == {"asia_bibi", "brexit", "nord_stream", "ryanair"}
    texts = ["".join(tokens) for table in splits.values() for tokens in table["tokens"]]
    assert len(texts) == len(set(texts)) == 1206
    assert len(splits["train"]) / len(splits["validation"]) == pytest.approx(4, abs=0.02)


def test_offsets_agree_with_the_labels_of_the_release(raw_dir):
    """On the release's own tokens, train and dev: the projection and the release agree on at least 99.99 % of them."""
    task = find_task("bgglue", "bsnlp")
    names = task.labels
    with acquire(task, "rebuilt", data_dir=None, allow_changed=False) as files:
        documents = {"".join(files.text(name).split()): name for name in files.names("raw/*")}
        agree = total = found = 0
        for split in ("train", "validation"):
            for _, row in tables("bsnlp", "official")[0][split].iterrows():
                name = documents.get("".join("".join(row["tokens"]).split()))
                if name is None:
                    continue  # seven documents differ from the corpus by a few characters
                text = files.text(name)
                annotations = "ner" + name.removeprefix("raw").removesuffix("txt") + "tsv"
                projected = bio_tags(locate(text, row["tokens"]), read_entities(files, annotations, text))
                published = [names[tag] for tag in row["ner_tags"]]
                agree += sum(one == other for one, other in zip(projected, published))
                total += len(published)
                found += 1
    assert found == 898
    assert total > 270_000
    assert agree / total >= 0.9999, f"{agree} of {total}"


def test_ct21t1_keeps_ids_as_text_and_hides_the_labels_of_the_test_tweets(raw_dir):
    splits, _ = tables("ct21t1", "official")
    ids = [key for table in splits.values() for key in table["tweet_id"]]
    assert len(ids) == len(set(ids)) == 3707
    assert sum(str(int(float(key))) != key for key in ids) > 2000
    assert set(splits["test"]["labels"]) == {-1} and int(splits["train"]["labels"].sum()) == 392
    assert splits["train"]["tweet_id"].equals(splits["train"]["id_str"])


def test_rebuilt_exams_is_exams_qa_and_the_quizzes(raw_dir):
    splits, _ = tables("examsbg", "rebuilt")
    assert tuple(len(table) for table in splits.values()) == (1512, 365, 1472)
    train = splits["train"]
    quizzes = train[[info["grade"] == 0 for info in train["info"]]]
    assert len(quizzes) == 412
    assert sorted({len(question["choices"]) for question in quizzes["question"]}) == [3, 4]
    with_paragraph = [any(choice["para"] for choice in question["choices"]) for question in train["question"]]
    assert sum(with_paragraph) == 593
    for table in splits.values():
        for question, key in zip(table["question"], table["answerKey"]):
            assert key in [choice["label"] for choice in question["choices"]]


def test_xnli_without_its_training_file_is_refused_or_built_in_part(raw_dir, home, monkeypatch):
    monkeypatch.setattr("euroglue.prepare.download.ATTEMPTS", 1)
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    task = find_task("bgglue", "xnlibg")
    with pytest.raises(MissingRawFileError, match="XNLI-MT-1.0.zip"):
        prepare(task)
    prepared = prepare(task, allow_missing_splits=True)
    assert {split: about["rows"] for split, about in prepared.manifest["splits"].items()} == {
        "validation": 2490,
        "test": 5010,
    }
    assert prepared.manifest["findings"] == ["bgglue/xnlibg (official): left out, not at hand: XNLI-MT-1.0.zip"]
    assert set(prepared.table("test")["label"]) == {0, 1, 2}


def test_udep_has_a_tag_for_every_word(raw_dir):
    splits, _ = tables("udep", "official")
    for table in splits.values():
        assert all(len(tokens) == len(tags) > 0 for tokens, tags in zip(table["tokens"], table["pos_tags"]))
