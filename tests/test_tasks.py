# SPDX-License-Identifier: Apache-2.0
"""One test over every registered task, and proof that one literal alone adds another."""

import dataclasses
import pickle
import subprocess
import sys

import pytest

from euroglue.errors import EuroglueError, MissingRawFileError
from euroglue.prepare import prepare
from euroglue.prepare.raw import acquire
from euroglue.prepare.steps import split_in_order
from euroglue.readers import jsonl
from euroglue.registry import SUITES, tasks_in
from euroglue.task import Edition, Kind, Labels, Licence, LicenceId, Recipe, Source, Task
from euroglue.testing import check_task

TASKS = [task for suite in SUITES.values() for task in suite.tasks.values()]
"""A made-up tenth task: nothing but this literal (and its raw file) is needed."""
TENTH = Task(
    suite="bgglue",
    name="made-up",
    title="Made-up",
    kind=Kind.TOKEN_CLASSIFICATION,
    language="bul-Cyrl",
    description="Cities in sentences made up for this test.",
    homepage="https://example.org",
    citation="@misc{made-up}",
    licence=Licence(id=LicenceId.MIT, terms="MIT.", redistribute=True),
    features={"id": "string", "tokens": ["string"], "tags": [Labels("O", "B-CITY", "I-CITY")]},
    inputs=("tokens",),
    target="tags",
    metric="entity_f1",
    recipe=Recipe(learning_rate=1e-4, epochs=1, batch_size=4),
    editions={
        "official": Edition(
            sources=(
                Source(
                    file="cities.jsonl",
                    url="https://example.org/cities.jsonl",
                    members={"cities.jsonl": "d4483b3c5f9adde01d0bee1cb769c57b3772d705597d431ebb6289cc78fbb0bf"},
                ),
            ),
            read=jsonl({"train": "cities.jsonl"}),
            steps=(split_in_order(train=0.5, validation=0.25, test=0.25),),
            sizes={"train": 2, "validation": 1, "test": 1},
        )
    },
)
ROWS = """{"id": "a", "tokens": ["Живея", "в", "Русе"], "tags": ["O", "O", "B-CITY"]}
{"id": "b", "tokens": ["Велико", "Търново"], "tags": ["B-CITY", "I-CITY"]}
{"id": "c", "tokens": ["Варна", "е", "на", "морето"], "tags": ["B-CITY", "O", "O", "O"]}
{"id": "d", "tokens": ["Пловдив"], "tags": ["B-CITY"]}
"""


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.path)
def test_every_registered_task_keeps_its_promises(task, tmp_path):
    check_task(task, tmp_path)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.path)
@pytest.mark.parametrize("edition", ["official", "rebuilt"])
def test_every_task_keeps_its_promises_on_real_data(task, edition, tmp_path, raw_dir, monkeypatch):
    monkeypatch.setenv("EUROGLUE_ACCEPT_LICENCES", task.path)
    monkeypatch.setattr("euroglue.prepare.raw.download", _not_at_hand)
    if edition not in task.editions:
        pytest.skip(f"{task.path} has no edition {edition}")
    try:
        with acquire(task, edition, allow_missing=True) as files:
            partly = bool(files.missing)
        prepare(task, edition, allow_missing_splits=partly)
    except MissingRawFileError as error:
        pytest.skip(str(error))
    check_task(task, tmp_path, edition, allow_missing_splits=partly)


def _not_at_hand(url, file, *, advice):
    raise MissingRawFileError(f"{url}: not at hand here, and nothing is fetched")


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.path)
def test_a_task_goes_to_another_process_and_back(task):
    """As ``Dataset.map(…, num_proc=2)`` and Ray send what a function refers to."""
    assert pickle.loads(pickle.dumps(task)) == task  # noqa: S301


def test_a_pickled_task_needs_no_registry():
    code = "import pickle, sys; task = pickle.load(sys.stdin.buffer); print(task.path, *task.edition().steps)"
    done = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(TENTH), capture_output=True, check=True)
    assert done.stdout.decode().split("\n")[0] == " ".join(["bgglue/made-up", *map(str, TENTH.edition().steps)])


def test_a_suite_goes_to_another_process_before_its_tasks_are_known():
    suite = dataclasses.replace(SUITES["dumb"], tasks=tasks_in("dumb_datasets", script="dumb"))
    copy = pickle.loads(pickle.dumps(suite))  # noqa: S301
    assert list(copy.tasks) == list(SUITES["dumb"].tasks)


def test_one_literal_adds_a_task(tmp_path, home):
    raw = tmp_path / "raw"
    raw.mkdir()
    (raw / "cities.jsonl").write_text(ROWS, encoding="utf-8", newline="\n")
    tasks = SUITES["bgglue"].tasks
    tasks.register(TENTH.name, TENTH)
    try:
        check_task(TENTH, tmp_path, "official", data_dir=raw)
    finally:
        tasks.unregister(TENTH.name)
    assert TENTH.name not in tasks


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": "Made Up"}, "lower-case"),
        ({"language": "bg"}, "ISO 639-3"),
        ({"inputs": ("text",)}, "column 'text' is named but not among the features"),
        ({"default_edition": "rebuilt"}, "default edition 'rebuilt' is not among"),
        ({"kind": Kind.REGRESSION}, "needs the bounds"),
        ({"features": {"id": "str", "tokens": ["string"], "tags": "string"}}, "a feature is one of"),
    ],
)
def test_a_wrong_literal_is_refused_at_once(change, message):
    fields = {name: getattr(TENTH, name) for name in TENTH.__dataclass_fields__}
    with pytest.raises(ValueError, match=message):
        Task(**{**fields, **change})


def test_a_prompt_that_does_not_fit_its_task_is_refused(tmp_path):
    squad, tasks = SUITES["dumb"].tasks["squadnl"], SUITES["dumb"].tasks
    odd = dataclasses.replace(squad, name="no-words", prompt=dataclasses.replace(squad.prompt, no_answer=""))
    tasks.register(odd.name, odd)
    try:
        with pytest.raises(EuroglueError, match="a question has no answer, the prompt has no words for that"):
            check_task(odd, tmp_path)
    finally:
        tasks.unregister(odd.name)


def test_a_field_that_does_not_exist_is_refused():
    fields = {name: getattr(TENTH, name) for name in TENTH.__dataclass_fields__}
    with pytest.raises(TypeError, match="colour"):
        Task(**fields, colour="red")
