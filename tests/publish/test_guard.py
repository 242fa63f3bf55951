# SPDX-License-Identifier: Apache-2.0
"""The licence guard before everything by which ``datasets`` writes to the Hub."""

import datasets
import pytest
from datasets import load_dataset

from euroglue.errors import LicenceError
from euroglue.prepare import prepare
from euroglue.publish.guard import refuse_data, refuse_path, unpublishable
from euroglue.publish.recognise import LONG
from euroglue.registry import find_task
from tests.publish.hub_server import TOKEN

REPO = "glue/bgglue"


def test_push_to_hub_of_a_loaded_data_set_goes_past_the_guard_too(hub):
    rows = load_dataset("bgglue", "cinexio", edition="sample")
    hub.requests.clear()
    for data in (rows, rows["train"], rows["train"].filter(lambda row: True)):
        with pytest.raises(LicenceError, match="bgglue/cinexio"):
            data.push_to_hub(REPO, token=TOKEN)
    assert hub.requests == []
    rows["train"].select(range(3)).push_to_hub(REPO, token=TOKEN, private=True)
    assert hub.repos["dataset", REPO].private


OTHER = datasets.Dataset.from_dict({"text": ["мое"]})
WAYS = {
    "renamed": lambda rows: rows.rename_column("text", "t"),
    "filtered": lambda rows: rows.filter(lambda row: True),
    "by hand": lambda rows: datasets.DatasetDict({"mine": rows}),
    "merged": lambda rows: datasets.concatenate_datasets([rows.select_columns("text"), OTHER]),
    "merged, ours second": lambda rows: datasets.concatenate_datasets([OTHER, rows.select_columns("text")]),
    "side by side": lambda rows: datasets.concatenate_datasets(
        [rows.select([0]), OTHER.rename_column("text", "mine")], axis=1
    ),
    "interleaved": lambda rows: datasets.interleave_datasets([rows.select_columns("text"), OTHER]),
}
ITERABLE_WAYS = {
    "iterable": lambda rows: rows.to_iterable_dataset(),
    "mapped iterable": lambda rows: rows.to_iterable_dataset().map(lambda row: {"n": 1}),
    "iterables by hand": lambda rows: datasets.IterableDatasetDict({"mine": rows.to_iterable_dataset()}),
}
if hasattr(datasets.IterableDataset, "push_to_hub"):
    WAYS |= ITERABLE_WAYS


@pytest.fixture
def closed():
    """Rows of a task that may not be passed on."""
    rows = load_dataset("bgglue", "cinexio", edition="sample", split="train")
    return rows.rename_column("Comment", "text")


@pytest.mark.parametrize("way", WAYS)
def test_no_handling_of_the_data_gets_past_the_guard(hub, closed, way):
    data = WAYS[way](closed)
    hub.requests.clear()
    with pytest.raises(LicenceError, match="bgglue/cinexio"):
        data.push_to_hub(REPO, token=TOKEN)
    assert hub.requests == []


def test_streamed_data_goes_past_the_guard(hub):
    data = load_dataset("bgglue", "cinexio", edition="sample", split="train", streaming=True)
    with pytest.raises(LicenceError, match="bgglue/cinexio"):
        refuse_data(data, REPO)
    data = datasets.concatenate_datasets([data.select_columns("Comment"), OTHER.to_iterable_dataset()])
    with pytest.raises(LicenceError, match="bgglue/cinexio"):
        refuse_data(data, REPO)


def test_private_counts_by_its_place_too_and_not_where_the_repository_is_public(hub, closed):
    positional = ("default", None, None, None, None, None, True, TOKEN)
    closed.push_to_hub("glue/hidden", *positional)
    assert hub.repos["dataset", "glue/hidden"].private
    OTHER.push_to_hub("glue/open", token=TOKEN)
    with pytest.raises(LicenceError, match="to a public repository: bgglue/cinexio"):
        closed.push_to_hub("glue/open", *positional)


def test_a_path_on_the_hub_is_a_way_to_it(hub, closed, tmp_path, monkeypatch):
    for write in (
        lambda path: closed.to_parquet(path),
        lambda path: closed.to_json(path_or_buf=path),
        lambda path: closed.to_csv(path),
        lambda path: closed.save_to_disk(path),
        lambda path: datasets.DatasetDict({"train": closed}).save_to_disk(path),
    ):
        with pytest.raises(LicenceError, match="to a public repository: bgglue/cinexio"):
            write("hf://datasets/glue/new/train")
        write(str(tmp_path / "own"))
        (tmp_path / "own").is_file() and (tmp_path / "own").unlink()
    closed.push_to_hub("glue/hidden", private=True, token=TOKEN)
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    assert refuse_path(closed, "hf://datasets/glue/hidden@main/x.parquet") is None, "it is known to be private"


def test_data_without_any_note_of_its_origin_is_known_by_its_texts(hub, monkeypatch, tmp_path):
    task = find_task("bgglue", "cinexio")
    made = prepare(task, "sample")
    rows = {"t": [f"{text} ({place})" for place, text in enumerate(made.table("train")["Comment"])]}
    rows["t"] = [text.ljust(LONG, "!") for text in rows["t"]]
    bare = datasets.Dataset.from_dict(
        {"my_text": [*rows["t"], *(f"нещо съвсем мое, номер {n}, а не тяхно" for n in range(900))]}
    )
    assert not unpublishable(bare)
    folder = tmp_path / "prepared" / "bgglue" / "cinexio" / "official-0"
    folder.mkdir(parents=True)
    datasets.Dataset.from_dict({name: rows["t"] for name in task.inputs}).to_parquet(folder / "train.parquet")
    monkeypatch.setenv("EUROGLUE_HOME", str(tmp_path))
    with pytest.raises(LicenceError, match="bgglue/cinexio"):
        bare.push_to_hub(REPO, token=TOKEN)
    assert [one.name for one in unpublishable(bare.to_iterable_dataset())] == ["cinexio"]
    recased = bare.map(lambda row: {"my_text": row["my_text"].upper().replace(" ", "  ") + "."})
    assert [one.name for one in unpublishable(recased)] == ["cinexio"], "case, spaces and marks tell nothing"
    words = datasets.Dataset.from_dict({"words": [text.split() for text in rows["t"]]})
    assert [one.name for one in unpublishable(words)] == ["cinexio"], "words are a text"
    assert not unpublishable(bare.select(range(len(rows["t"]), len(bare))))
