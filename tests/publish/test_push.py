# SPDX-License-Identifier: Apache-2.0
"""Pushing to a Hub on loopback with the real client: what arrives, what is refused, what a failure leaves."""

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from datasets import load_dataset

from euroglue.cli import main
from euroglue.errors import ContractError, EuroglueError, LicenceError
from euroglue.prepare import prepare
from euroglue.publish.hub import push, push_folder
from euroglue.registry import SUITES, find_task
from tests.publish.hub_server import TOKEN

SUITE = SUITES["bgglue"]
REPO = "glue/bgglue"


def sample(*names):
    return [prepare(SUITE.tasks[name], "sample") for name in names]


def send(hub, *names, repo=REPO, **options):
    return push(SUITE, sample(*names), repo, token=TOKEN, endpoint=hub.url, **options)


def test_what_is_pushed_loads_from_the_hub_without_our_code(hub):
    send(hub, "bsnlp", "cinexio")
    code = (
        "import sys, datasets\n"
        f"rows = datasets.load_dataset({REPO!r}, 'bsnlp', split='test')\n"
        "assert not any(name.startswith(('euroglue', 'bgglue')) for name in sys.modules)\n"
        f"print(datasets.get_dataset_config_names({REPO!r}), rows.num_rows, rows.features['ner_tags'].feature.names[1])"
    )
    home = os.environ["HF_HOME"] + "/plain"
    environment = {**os.environ, "HF_TOKEN": TOKEN, "HF_HOME": home, "HF_HUB_DISABLE_XET": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=200)
    assert done.stdout.strip() == "['bsnlp', 'cinexio'] 26 B-PRO", done.stderr[-3000:]


def test_one_commit_holds_splits_manifests_and_a_card_of_all_configs(hub):
    first = send(hub, "bsnlp")
    second = send(hub, "cinexio")
    repo = hub.repos["dataset", REPO]
    assert list(repo.commits)[1:] == [first.commit, second.commit]
    names = ["train.parquet", "validation.parquet", "test.parquet", "manifest.json"]
    assert set(repo.files("main")) == {
        "README.md",
        *(f"{task}/{name}" for task in ("bsnlp", "cinexio") for name in names),
    }
    card = repo.files("main")["README.md"].decode()
    assert card.index("config_name: bsnlp") < card.index("config_name: cinexio")
    assert "num_examples: 26" in card and "license:\n- apache-2.0" in card


@pytest.mark.issue("datasets#8608")
def test_a_second_push_sends_only_what_changed(hub):
    first = send(hub, "bsnlp", "cinexio")
    hub.requests.clear()
    again = send(hub, "bsnlp", "cinexio")
    assert (again.written, again.removed, again.commit) == ((), (), first.commit)
    assert not [path for method, path in hub.requests if method == "PUT" or "/commit/" in path]
    hidden = send(hub, "bsnlp", hidden=("test",))
    assert hidden.written == ("README.md", "bsnlp/manifest.json", "bsnlp/test.parquet")


def test_files_that_a_config_no_longer_has_are_removed_and_others_stay(hub):
    send(hub, "bsnlp", "cinexio")
    head = dict(hub.repos["dataset", REPO].files("main"))
    hub.repos["dataset", REPO].commits["1" * 40] = {**head, "bsnlp/extra.parquet": b"old", "LICENSE": b"mine"}
    assert send(hub, "bsnlp").removed == ("bsnlp/extra.parquet",)
    assert {"LICENSE", "cinexio/test.parquet"} <= set(hub.repos["dataset", REPO].files("main"))


def test_hidden_labels_do_not_leave_the_machine(hub, tmp_path):
    send(hub, "cinexio", "bsnlp", hidden=("test",))
    files = hub.repos["dataset", REPO].files("main")
    for path, content in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(content)
    tags = load_dataset(str(tmp_path), "bsnlp", split="test")["ner_tags"]
    assert {tag for row in tags for tag in row} == {-1}
    ratings = load_dataset(str(tmp_path), "cinexio", split="test")["label"]
    assert all(rating != rating for rating in ratings)
    manifest = json.loads(files["bsnlp/manifest.json"])
    assert manifest["hidden"] == ["test"] and manifest["splits"]["test"]["labels"] is None
    assert "labels hidden: test" in files["README.md"].decode()
    with pytest.raises(ContractError, match="has no split 'dev' to hide; it has train, validation, test"):
        send(hub, "bsnlp", hidden=("dev",))


@pytest.mark.parametrize(
    ("faults", "message"),
    [
        ({("PUT", "/blobs/"): [400]}, "the push failed"),
        ({("POST", "/commit/"): [500]}, "the Hub says: .*500"),
        ({("POST", "/preupload/"): [403]}, "the Hub says: .*403"),
    ],
)
def test_a_failure_in_the_middle_changes_nothing_and_a_retry_completes(hub, faults, message):
    before = send(hub, "cinexio").commit
    hub.faults = faults
    with pytest.raises(EuroglueError, match=message) as error:
        send(hub, "bsnlp")
    assert TOKEN not in str(error.value) and "\n" not in str(error.value)
    assert hub.repos["dataset", REPO].head == before
    hub.faults = {}
    assert "bsnlp/test.parquet" in send(hub, "bsnlp").written


def test_a_commit_of_somebody_else_in_between_is_not_overwritten(hub, monkeypatch):
    send(hub, "cinexio")
    repo = hub.repos["dataset", REPO]

    def interfere(*args):
        repo.commits["2" * 40] = dict(repo.files("main"))
        return []

    monkeypatch.setattr("euroglue.publish.hub._held", interfere)
    with pytest.raises(EuroglueError, match="the Hub says: .*412"):
        send(hub, "bsnlp")
    assert repo.head == "2" * 40


def test_data_that_is_read_back_spoilt_is_noticed(hub):
    other = prepare(SUITE.tasks["crediblenews"], "sample").file("train").read_bytes()
    hub.spoil = lambda path, content: other if path == "bsnlp/train.parquet" else content
    with pytest.raises(ContractError, match="bsnlp: expected rows of fingerprint [0-9a-f]{64}, read back"):
        send(hub, "bsnlp")


@pytest.mark.parametrize("token", ["hf_wrongwrongwrong", "of-another-hub-0123"])
@pytest.mark.parametrize("given", [True, False])
def test_a_wrong_token_is_refused_without_being_shown(hub, monkeypatch, token, given):
    monkeypatch.setenv("HF_TOKEN", token)
    with pytest.raises(EuroglueError) as error:
        push(SUITE, sample("bsnlp"), REPO, token=token if given else None, endpoint=hub.url)
    assert "401" in str(error.value) and token not in str(error.value)


def test_an_address_that_is_none_is_a_mistake_in_one_line(hub):
    with pytest.raises(EuroglueError, match="expected ORGANISATION/NAME, got 'bgglue'"):
        send(hub, "bsnlp", repo="bgglue")


@pytest.mark.parametrize(
    ("task", "private", "message"),
    [
        ("bgglue/cinexio", False, "does not allow pushing to a public repository: bgglue/cinexio .* use a private"),
        ("dumb/lassy-pos", False, "does not allow pushing to a public repository: dumb/lassy-pos .* leave them out"),
        ("dumb/lassy-pos", True, "does not allow pushing to a private repository: dumb/lassy-pos .* leave them out"),
    ],
)
def test_what_may_not_be_passed_on_is_refused_before_anything_is_sent(hub, task, private, message):
    one = find_task(*task.split("/"))
    made = replace(prepare(one, "sample"), edition=one.default_edition)
    with pytest.raises(LicenceError, match=message):
        push(SUITES[one.suite], [made], REPO, private=private, token=TOKEN, endpoint=hub.url)
    assert hub.requests == []


def test_a_private_push_makes_a_private_repository_and_refuses_a_public_one(hub):
    send(hub, "bsnlp", private=True)
    assert hub.repos["dataset", REPO].private
    send(hub, "bsnlp", repo="glue/open")
    with pytest.raises(EuroglueError, match="expected a private repository, this one is public"):
        send(hub, "bsnlp", repo="glue/open", private=True)


def test_a_sample_by_name_that_its_manifest_denies_is_refused(hub):
    made = prepare(find_task("bgglue", "cinexio"), "sample")
    claimed = replace(made, manifest={**made.manifest, "edition": "official"})
    with pytest.raises(LicenceError, match="bgglue/cinexio"):
        push(SUITE, [claimed], REPO, token=TOKEN, endpoint=hub.url)


def test_nothing_is_made_on_the_hub_where_the_push_cannot_be(hub):
    with pytest.raises(ContractError, match="no split 'dev'"):
        send(hub, "bsnlp", hidden=("dev",))
    for name in ("a--b/c", "glue/x.git", "../x", "-a/b"):
        with pytest.raises(EuroglueError, match="no name of a repository") as error:
            send(hub, "bsnlp", repo=name)
        assert "\n" not in str(error.value)
    assert not hub.repos


def contents(hub):
    return hub.repos["dataset", REPO].files("main")


def put(hub, changed):
    """Commit files as somebody else would."""
    files = {**contents(hub), **changed}
    hub.repos["dataset", REPO].commits[hashlib.sha1(repr(files).encode()).hexdigest()] = files


def test_suites_share_a_repository_and_all_configs_stay_listed(hub, tmp_path):
    send(hub, "bsnlp")
    other = SUITES["dumb"]
    push(other, [prepare(other.tasks["dbrd"], "sample")], REPO, token=TOKEN, endpoint=hub.url)
    send(hub, "cinexio")
    metadata = yaml.safe_load(contents(hub)["README.md"].decode().split("---\n")[1])
    assert [one["config_name"] for one in metadata["configs"]] == ["bsnlp", "cinexio", "dbrd"]
    assert [one["config_name"] for one in metadata["dataset_info"]] == ["bsnlp", "cinexio", "dbrd"]
    assert metadata["language"] == ["bg", "nl"]
    for path, content in contents(hub).items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(content)
    assert load_dataset(str(tmp_path), "dbrd", split="test").num_rows and load_dataset(str(tmp_path), "bsnlp")
    for title in (SUITE.title, other.title):
        assert f"# {title}" in contents(hub)["README.md"].decode()


def test_what_may_not_be_made_public_is_not_by_a_push_of_another_suite(hub):
    send(hub, "bsnlp", private=True)
    closed = json.loads(contents(hub)["bsnlp/manifest.json"])
    repo = hub.repos["dataset", REPO]
    manifest = json.dumps({**closed, "task": "cinexio", "edition": "official"}).encode()
    put(hub, {"cinexio/manifest.json": manifest})
    repo.private = False
    other = SUITES["dumb"]
    with pytest.raises(LicenceError, match="bgglue/cinexio"):
        push(other, [prepare(other.tasks["dbrd"], "sample")], REPO, token=TOKEN, endpoint=hub.url)


def test_configs_of_other_origin_stay_listed(hub):
    theirs = {"config_name": "mine", "data_files": [{"split": "train", "path": "mine/train.parquet"}]}
    send(hub, "cinexio")
    readme = (
        "---\nconfigs:\n" + yaml.safe_dump([theirs, {"config_name": "bsnlp", "data_files": "old"}]) + "---\n# Mine\n"
    )
    put(hub, {"README.md": readme.encode()})
    send(hub, "bsnlp")
    metadata = yaml.safe_load(contents(hub)["README.md"].decode().split("---\n")[1])
    assert [one["config_name"] for one in metadata["configs"]] == ["bsnlp", "cinexio", "mine"]
    assert theirs in metadata["configs"]


@pytest.mark.parametrize(
    "readme", ["", "# only text\n", "---\n- a list\n---\n", "---\nconfigs: 5\n---\n", "---\r\nx: 1\r\n---\r\n"]
)
def test_a_readme_without_configs_is_replaced(hub, readme):
    send(hub, "cinexio")
    put(hub, {"README.md": readme.encode()})
    assert "README.md" in send(hub, "bsnlp").written


def test_a_readme_that_cannot_be_read_is_not_lost(hub):
    send(hub, "cinexio")
    put(hub, {"README.md": b"---\nconfigs: [\n---\n"})
    with pytest.raises(EuroglueError, match="README.md: expected YAML.*mend it there"):
        send(hub, "bsnlp")


def test_a_config_of_another_suite_is_not_replaced(hub):
    send(hub, "cinexio")
    manifest = {**json.loads(contents(hub)["cinexio/manifest.json"]), "suite": "dumb"}
    put(hub, {"cinexio/manifest.json": json.dumps(manifest).encode()})
    with pytest.raises(EuroglueError, match="cinexio there is of the suite dumb"):
        send(hub, "cinexio")


@pytest.mark.parametrize(
    "manifest", [b"{}", b"[]", b'{"edition": "sample"}', b'{"edition": "x", "splits": {}}', b"\xff"]
)
def test_a_spoilt_manifest_on_the_hub_is_named(hub, manifest):
    send(hub, "cinexio")
    repo = hub.repos["dataset", REPO]
    repo.commits["3" * 40] = {**repo.files("main"), "cinexio/manifest.json": manifest}
    with pytest.raises(EuroglueError, match="cinexio/manifest.json: expected a manifest of euroglue"):
        send(hub, "bsnlp")


def test_metrics_go_to_spaces(hub, monkeypatch, capsys):
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    assert main(["push-metrics", "rer", "--org", "glue", "--folder", str(Path(__file__).parents[2] / "metrics")]) == 0
    files = hub.repos["space", "glue/rer"].files("main")
    assert {"README.md", "app.py", "rer.py", "requirements.txt"} <= set(files)
    assert "spaces/glue/rer" in capsys.readouterr().out
    assert main(["push-metrics", "rerr", "--org", "glue"]) == 2
    assert "did you mean 'rer'?" in capsys.readouterr().err


def test_the_command_pushes_and_says_what_changed(hub, monkeypatch, capsys):
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    arguments = ["push", "bgglue", "bsnlp", "--edition", "sample", "--repo", REPO, "--json"]
    assert main(arguments) == 0
    assert json.loads(capsys.readouterr().out)[0]["written"][0] == "README.md"
    assert main(["push", "bgglue", "bsnlp", "--edition", "sample"]) == 2
    assert "--repo is missing" in capsys.readouterr().err


def test_a_folder_goes_as_it_is(hub, tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "a.txt").write_text("a", encoding="utf-8", newline="\n")
    done = push_folder(tmp_path / "one", "glue/one", "space", token=TOKEN, endpoint=hub.url)
    assert done.written == ("a.txt",)


def test_hidden_files_and_caches_stay_at_home(hub, tmp_path):
    for name in ("a.py", ".env", ".git/config", "__pycache__/a.pyc", "b/.DS_Store"):
        (tmp_path / "one" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "one" / name).write_text("a", encoding="utf-8", newline="\n")
    assert push_folder(tmp_path / "one", "glue/one", "space", token=TOKEN, endpoint=hub.url).written == ("a.py",)
