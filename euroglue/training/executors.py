# SPDX-License-Identifier: Apache-2.0
"""Where the runs of a sweep take place: in this process, one after another, or on a Ray cluster."""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

from euroglue.errors import EuroglueError
from euroglue.extras import require

T = TypeVar("T")
R = TypeVar("R")
CARRIED = ("EUROGLUE_HOME", "EUROGLUE_RAW_DIR", "HF_HOME", "HF_HUB_OFFLINE", "PYTHONPATH", "TOKENIZERS_PARALLELISM")
"""Variables of the environment that workers on other machines are given, too; a token is never among them."""
RETRIES = 3


class Executor(Protocol):
    """Applies a function to items, somewhere."""

    def map(self, function: Callable[[T], R], items: Sequence[T]) -> Iterator[tuple[T, R | str]]:
        """Each item and what the function returned, in the order in which they are done; an error is told in words."""

    def close(self) -> None:
        """Let go of what was taken."""


class Here:
    """One after another, in this process."""

    def map(self, function: Callable[[T], R], items: Sequence[T]) -> Iterator[tuple[T, R | str]]:
        """Each item and what the function returned for it."""
        for item in items:
            try:
                result: R | str = function(item)
            except Exception as error:  # the others go on; the sweep says at its end what failed
                result = f"{type(error).__name__}: {error}"
            yield item, result

    def close(self) -> None:
        """There is nothing to let go of."""


class OnRay:
    """A Ray task an item. One whose worker dies is begun again elsewhere, up to three times."""

    def __init__(self, address: str, *, cpus: float = 1.0, gpus: float | None = None):
        """Join a cluster or start one on this machine.

        Args:
            address: ``auto`` for the cluster at hand, ``local`` for one of this machine's cores.
            cpus: cores that a run takes.
            gpus: the share of a GPU that a run takes; by default a whole one where there are any.

        Raises:
            EuroglueError: Ray is not installed, there is no cluster, or a run takes less than nothing.
        """
        for name, amount in (("cpus", cpus), ("gpus", gpus)):
            if amount is not None and not 0 <= amount < math.inf:
                raise EuroglueError(f"{name} per run: expected a number of at least 0, got {amount}")
        require("a sweep on Ray", sweep=("ray",))
        import ray

        self._ray = ray
        variables = {name: os.environ[name] for name in CARRIED if name in os.environ}
        try:
            where: dict[str, Any] = {"address": address}  # without it Ray joins whatever cluster it finds, alive or not
            if address == "local":
                where["include_dashboard"] = False
            ray.init(runtime_env={"env_vars": variables}, log_to_driver=False, logging_level=logging.ERROR, **where)
        except ConnectionError as error:
            raise EuroglueError(
                "there is no Ray cluster that can be joined: start one by 'ray start --head' (with its RAY_AUTH_TOKEN here, "
                "too, if it has one), or give --ray local"
            ) from error
        share = (1.0 if ray.cluster_resources().get("GPU") else 0.0) if gpus is None else gpus
        self._remote: Any = ray.remote(num_cpus=cpus, num_gpus=share, max_retries=RETRIES)

    def map(self, function: Callable[[T], R], items: Sequence[T]) -> Iterator[tuple[T, R | str]]:
        """Each item and what the function returned, as they are done."""
        remote = self._remote(function)
        waiting: dict[Any, T] = {remote.remote(item): item for item in items}
        while waiting:
            (done, *_), _ = self._ray.wait(list(waiting), num_returns=1)
            item = waiting.pop(done)
            try:
                yield item, self._ray.get(done)
            except self._ray.exceptions.RayError as error:
                yield item, _last_line(error)

    def close(self) -> None:
        """Leave the cluster; one that was started for this is ended."""
        self._ray.shutdown()


def _last_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__
