# SPDX-License-Identifier: Apache-2.0
"""The licence guard: what may be pushed to which repository. Every way to the Hub goes through it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from euroglue.errors import LicenceError

if TYPE_CHECKING:
    from euroglue.task import Task

MARK = re.compile(r"([a-z0-9_]+)/([a-z0-9-]+) \(")
"""A task's path in the licence of a data set's information, which ``datasets`` keeps where it merges data sets."""
HUB_PATH = re.compile(r"hf://(?:(datasets|spaces|models)/)?([^/@]+/[^/@]+)")
"""A path by which ``datasets`` writes into a repository."""


def refuse_unpublishable(items: Iterable[tuple[Task, str | None]], *, private: bool) -> None:
    """Refuse to push tasks whose licence does not allow it; a made-up sample may always be pushed.

    Args:
        items: tasks, each with its edition, or None where that is not known.
        private: whether the target is a private repository.

    Raises:
        LicenceError: names every task that may not go there, its terms, and what can be done.
    """
    refused = []
    for task, edition in items:
        made_up = edition is not None and task.edition(edition).made_up
        if not made_up and not task.licence.allows_pushing(private=private):
            kept = task.licence.allows_pushing(private=True)
            refused.append((f"{task.path} ({task.licence.id.value}: {task.licence.terms.rstrip('.')})", kept))
    if not refused:
        return
    where = "a private" if private else "a public"
    way = "use a private repository" if all(kept for _, kept in refused) else "leave them out"
    named = "; ".join(name for name, _ in refused)
    raise LicenceError(f"the licence does not allow pushing to {where} repository: {named}. To do: {way}")


def licence_mark(task: Task, edition: str) -> str:
    """The licence that the information of a loaded data set states; the guard knows the task by it.

    >>> from euroglue.registry import find_task
    >>> licence_mark(find_task("bgglue", "bsnlp"), "official").startswith("bgglue/bsnlp (official): ")
    True
    """
    return f"{task.path} ({edition}): {task.licence.id.value}: {task.licence.terms}"


def refuse_data(data: Any, repo_id: str, *, private: bool | None = None, token: Any = None) -> None:
    """Guard ``push_to_hub`` of a data set of ``datasets``; data that is not ours passes.

    Raises:
        LicenceError: it came from a task whose licence does not allow it.
    """
    if tasks := unpublishable(data):
        hidden = bool(private) and not is_public(repo_id, "dataset", token=token)
        refuse_unpublishable([(task, None) for task in tasks], private=hidden)


def refuse_path(data: Any, path: Any) -> None:
    """Guard the writing of a data set to a path, which ``hf://`` makes one in a repository; other paths pass.

    Raises:
        LicenceError: the repository is not known to be private, and the data came from a task as in ``refuse_data``.
    """
    if not str(path).startswith("hf://") or not (tasks := unpublishable(data)):
        return
    place = HUB_PATH.match(str(path))
    private = place is not None and is_private(place[2], (place[1] or "models").removesuffix("s"))
    refuse_unpublishable([(task, None) for task in tasks], private=private)


def unpublishable(data: Any) -> list[Task]:
    """The tasks, of those that may not go into a public repository, that a data set or mapping of splits came from.

    They are known by the information of the data, which survives renaming, filtering and merging, and where that is lost,
    by texts that are those of an edition prepared on this machine.
    """
    from euroglue.publish.recognise import recognised

    parts = list(data.values()) if hasattr(data, "values") else [data]
    known = [task for part in parts for task in tasks_of(part.info)]
    found = known or [task for part in parts for task in recognised(part)]
    named = {task.path: task for task in found if not task.licence.allows_pushing(private=False)}
    return list(named.values())


def tasks_of(info: Any) -> Iterator[Task]:
    """The tasks that a data set's information names."""
    from euroglue.registry import SUITES

    pairs = [(info.builder_name, info.config_name), *MARK.findall(info.license or "")]
    for suite, name in dict.fromkeys(pairs):
        if suite in SUITES and name in SUITES[suite].tasks:
            yield SUITES[suite].tasks[name]


def is_public(repo: str, repo_type: str, *, token: Any = None, endpoint: str | None = None) -> bool:
    """Whether a repository exists and everybody can read it, or be let in."""
    from huggingface_hub import HfApi
    from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError

    try:
        return not HfApi(endpoint=endpoint, token=token).repo_info(repo, repo_type=repo_type).private
    except GatedRepoError:
        return True
    except RepositoryNotFoundError:
        return False


def is_private(repo: str, repo_type: str, *, token: Any = None) -> bool:
    """Whether a repository is known to exist and to be private."""
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError

    try:
        return bool(HfApi(token=token).repo_info(repo, repo_type=repo_type).private)
    except HfHubHTTPError:  # not there, or not ours to see
        return False
