# SPDX-License-Identifier: Apache-2.0
"""Folders to the Hub: one commit with what changed, past the licence guard, checked by loading it back."""

from __future__ import annotations

import contextlib
import hashlib
import re
import tempfile
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from euroglue import strict_json
from euroglue.errors import ContractError, EuroglueError, FormatError
from euroglue.prepare.export import export
from euroglue.prepare.hide import hide
from euroglue.prepare.pipeline import MANIFEST, Prepared
from euroglue.publish.card import folder_card, other_configs
from euroglue.publish.guard import is_public, refuse_unpublishable
from euroglue.registry import SUITES

if TYPE_CHECKING:
    from huggingface_hub import HfApi

    from euroglue.task import Suite, Task

README = "README.md"
SECRET = re.compile(r"hf_[A-Za-z0-9]{4,}|(?i:bearer)\s+\S+")
"""What looks like a token: never shown."""


@dataclass(frozen=True)
class Pushed:
    """What a push did: the address, the commit that holds everything, and the files written and removed by it."""

    url: str
    commit: str
    written: tuple[str, ...]
    removed: tuple[str, ...]


def push(
    suite: Suite,
    prepared: Sequence[Prepared],
    repo: str,
    *,
    private: bool = False,
    hidden: Collection[str] = (),
    token: str | None = None,
    endpoint: str | None = None,
) -> Pushed:
    """Push prepared tasks to a data set repository: Parquet a config and split, manifests, a README that lists all configs.

    Everything comes in one commit on top of the state that was looked at, so that readers see the old state or the new
    one. Files that are there already are not sent again; configs that were pushed before and are not named stay, also those
    of other suites and of other origin that the README lists. What the commit holds is then read back and compared by
    fingerprint.

    Args:
        suite: the suite.
        prepared: its prepared tasks, one edition each.
        repo: ``organisation/name``; made if it is not there.
        private: make it private; one that is public already is then refused.
        hidden: splits whose labels are left out, such as ``("test",)``.
        token: of the Hub; by default the one that this machine is logged in with.
        endpoint: another Hub than the public one.

    Raises:
        LicenceError: a licence does not allow it; nothing is sent.
        EuroglueError: the Hub refuses, cannot be reached, or changed meanwhile.
        ContractError: what was read back is not what was prepared.
    """
    refuse_unpublishable([claim for item in prepared for claim in _claims(item)], private=private)
    with _told(repo, token), tempfile.TemporaryDirectory(prefix="euroglue-push-") as work:
        if hidden:
            prepared = [hide(item, hidden, Path(work) / "hidden" / item.task.name) for item in prepared]
        folder = export(suite, prepared, Path(work) / "folder")
        api = _open(repo, "dataset", private, token, endpoint)
        head = api.repo_info(repo, repo_type="dataset").sha
        held = _held(api, repo, head, prepared)
        refuse_unpublishable([claim for item in held for claim in _claims(item)], private=private)
        card = _card(api, suite, repo, head, [*held, *prepared])
        (folder / README).write_text(card, encoding="utf-8", newline="\n")
        scope = [f"{item.task.name}/" for item in prepared]
        pushed = _commit(
            api, repo, "dataset", folder, scope, head, f"euroglue: {', '.join(i.task.name for i in prepared)}"
        )
        _verify(api, repo, pushed.commit, prepared, Path(work) / "back")
    return pushed


def _claims(item: Prepared) -> list[tuple[Task, str]]:
    """What is said to be pushed, and what its manifest says it is: both must be allowed."""
    return [(item.task, item.edition), (item.task, str(item.manifest["edition"]))]


def push_folder(
    folder: Path,
    repo: str,
    repo_type: str,
    *,
    private: bool = False,
    token: str | None = None,
    endpoint: str | None = None,
) -> Pushed:
    """Push a folder, such as a metric's to a Space; files that are there and not in the folder stay.

    Hidden files and Python's caches are not pushed.

    Raises:
        EuroglueError: the Hub refuses, cannot be reached, or changed meanwhile.
    """
    with _told(repo, token):
        api = _open(repo, repo_type, private, token, endpoint)
        head = api.repo_info(repo, repo_type=repo_type).sha
        return _commit(api, repo, repo_type, folder, (), head, f"euroglue: {folder.name}")


def _open(repo: str, repo_type: str, private: bool, token: str | None, endpoint: str | None) -> HfApi:
    from huggingface_hub import HfApi

    if not re.fullmatch(r"[\w.-]+/[\w.-]+", repo, flags=re.ASCII):
        raise EuroglueError(f"repository: expected ORGANISATION/NAME, got {repo!r}")
    api = HfApi(endpoint=endpoint, token=token, library_name="euroglue")
    sdk = "gradio" if repo_type == "space" else None
    api.create_repo(repo, repo_type=repo_type, private=private, exist_ok=True, space_sdk=sdk)
    if private and is_public(repo, repo_type, token=token, endpoint=endpoint):
        raise EuroglueError(
            f"{repo}: expected a private repository, this one is public; make it private or name another"
        )
    return api


def _held(api: HfApi, repo: str, head: str | None, replacing: Sequence[Prepared]) -> list[Prepared]:
    """The configs of all suites here that the repository holds and this push does not replace, by their manifests.

    Raises:
        EuroglueError: a config that is replaced is one of another suite.
        FormatError: a manifest is spoilt.
    """
    replaced = {item.task.name: item.task.suite for item in replacing}
    known = {name for suite in SUITES.values() for name in suite.tasks}
    held = []
    for path in sorted(api.list_repo_files(repo, repo_type="dataset", revision=head)):
        name, _, file = path.partition("/")
        if file != MANIFEST or name not in known:
            continue
        local = Path(api.hf_hub_download(repo, path, repo_type="dataset", revision=head))
        try:
            manifest = strict_json.read(local)
            suite = str(manifest["suite"])
            if name not in replaced:
                item = Prepared(SUITES[suite].tasks[name], manifest["edition"], local.parent, manifest)
                folder_card([SUITES[suite]], [item])
                held.append(item)
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise FormatError(f"{repo}/{path}: expected a manifest of euroglue: {error}; remove it there") from error
        if replaced.get(name, suite) != suite:
            raise EuroglueError(f"{repo}: {name} there is of the suite {suite}: push into another repository")
    return held


def _card(api: HfApi, suite: Suite, repo: str, head: str | None, together: Sequence[Prepared]) -> str:
    """The README of all that is in the repository after this push: ours, and the configs of others that it lists now."""
    names = dict.fromkeys([*(one.name for one in SUITES.values()), suite.name])
    suites = [suite if name == suite.name else SUITES[name] for name in names]
    shown = [one for one in suites if any(item.task.suite == one.name for item in together)]
    places = [(one.name, name) for one in shown for name in one.tasks]
    ordered = sorted(together, key=lambda item: places.index((item.task.suite, item.task.name)))
    readme = ""
    if README in api.list_repo_files(repo, repo_type="dataset", revision=head):
        file = api.hf_hub_download(repo, README, repo_type="dataset", revision=head)
        readme = Path(file).read_text(encoding="utf-8", errors="replace")
    try:
        return folder_card(shown, ordered, other_configs(readme, {item.task.name for item in together}))
    except FormatError as error:
        raise FormatError(f"{repo}: {error}; mend it there") from error


def _commit(
    api: HfApi, repo: str, repo_type: str, folder: Path, scope: Sequence[str], head: str | None, message: str
) -> Pushed:
    """Commit the files of ``folder`` that differ, and remove those under ``scope`` that it does not have."""
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete
    from huggingface_hub.hf_api import RepoFile

    tree = api.list_repo_tree(repo, recursive=True, repo_type=repo_type, revision=head)
    there = {entry.path: entry for entry in tree if isinstance(entry, RepoFile)}
    here = {path: file for file in sorted(folder.rglob("*")) if file.is_file() and (path := _sent(file, folder))}
    written = tuple(path for path, file in here.items() if path not in there or not _same(file, there[path]))
    removed = tuple(
        sorted(path for path in there if path.startswith(tuple(scope)) and path not in here) if scope else ()
    )
    url = f"{api.endpoint}/{'' if repo_type == 'model' else repo_type + 's/'}{repo}"
    if not written and not removed:
        return Pushed(url, head or "", (), ())
    operations: list[Any] = [CommitOperationAdd(path, str(here[path])) for path in written]
    operations += [CommitOperationDelete(path) for path in removed]
    done = api.create_commit(repo, operations, commit_message=message, repo_type=repo_type, parent_commit=head)
    return Pushed(url, done.oid, written, removed)


def _sent(file: Path, folder: Path) -> str:
    """Under which path a file is pushed; the empty text for one that is not."""
    path = file.relative_to(folder)
    return "" if any(part.startswith(".") or part == "__pycache__" for part in path.parts) else path.as_posix()


def _same(file: Path, entry: Any) -> bool:
    """Whether the Hub's file has the bytes of ours: by SHA-256 where it is a large one, else by Git's blob hash."""
    content = file.read_bytes()
    if entry.lfs is not None:
        return hashlib.sha256(content).hexdigest() == entry.lfs.sha256
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest() == entry.blob_id


def _verify(api: HfApi, repo: str, commit: str, prepared: Sequence[Prepared], work: Path) -> None:
    """Fetch what the commit holds of these tasks, and compare it with what was prepared."""
    import pyarrow.parquet as pq

    from euroglue.prepare.columns import fingerprint

    patterns = [f"{item.task.name}/*" for item in prepared]
    back = api.snapshot_download(
        repo, repo_type="dataset", revision=commit, allow_patterns=patterns, local_dir=work, force_download=True
    )
    for item in prepared:
        found = fingerprint(
            {split: pq.read_table(Path(back) / item.task.name / f"{split}.parquet") for split in item.splits}
        )
        if found != item.fingerprint:
            raise ContractError(
                f"{repo}: {item.task.name}: expected rows of fingerprint {item.fingerprint}, read back {found}; push again"
            )


@contextlib.contextmanager
def _told(repo: str, token: str | None) -> Iterator[None]:
    """Errors of the client as one line without any token."""
    from huggingface_hub import get_token
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError

    transport: Any = HfHubHTTPError.__bases__[0]  # of requests, httpx or httpx2, by the version of huggingface_hub
    try:
        yield
    except HFValidationError as error:
        raise EuroglueError(f"{repo}: no name of a repository: {without_tokens(str(error))}") from None
    except HfHubHTTPError as error:
        told = without_tokens(str(error), token or get_token() or "")
        raise EuroglueError(f"{repo}: the Hub says: {told}; push again, or log in") from None
    except (transport, OSError, RuntimeError) as error:
        cause = error.__cause__ or error
        told = without_tokens(f"{type(cause).__name__}: {cause}", token or get_token() or "")
        raise EuroglueError(
            f"{repo}: the push failed ({told}); a commit is there whole or not at all: push again"
        ) from None


def without_tokens(text: str, token: str = "") -> str:
    """The text as one line, with a mark in place of a token and of what looks like one.

    >>> without_tokens("401 for Bearer hf_abcdefgh\\nsee docs")
    '401 for [token] see docs'
    """
    known = text.replace(token, "[token]") if token else text
    return " ".join(SECRET.sub("[token]", known).split())
