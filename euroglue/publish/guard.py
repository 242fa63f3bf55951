# SPDX-License-Identifier: Apache-2.0
"""The licence guard: what may be pushed to which repository. Every way to the Hub goes through it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from euroglue.errors import LicenceError

if TYPE_CHECKING:
    from euroglue.task import Task


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


def refuse_data(data: Any, repo_id: str = "", *args: Any, **options: Any) -> None:
    """Guard ``push_to_hub`` of a data set of ``datasets``, called with its arguments; data that is not ours passes.

    Raises:
        LicenceError: it came from a task whose licence does not allow it.
    """
    tasks = [(task, None) for task in _tasks_of(data)]
    if tasks and not all(task.licence.allows_pushing(private=False) for task, _ in tasks):
        private = bool(options.get("private")) and not is_public(repo_id, "dataset", token=options.get("token"))
        refuse_unpublishable(tasks, private=private)


def _tasks_of(data: Any) -> Iterable[Task]:
    """The tasks that a data set, or a mapping of splits, was loaded from, as its information says."""
    from euroglue.registry import SUITES

    for part in data.values() if hasattr(data, "values") else [data]:
        info = part.info
        if info.builder_name in SUITES and info.config_name in SUITES[info.builder_name].tasks:
            yield SUITES[info.builder_name].tasks[info.config_name]


def is_public(repo: str, repo_type: str, *, token: Any = None, endpoint: str | None = None) -> bool:
    """Whether a repository exists and everybody can read it."""
    from huggingface_hub import HfApi
    from huggingface_hub.errors import RepositoryNotFoundError

    try:
        return not HfApi(endpoint=endpoint, token=token).repo_info(repo, repo_type=repo_type).private
    except RepositoryNotFoundError:
        return False
