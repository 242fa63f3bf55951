# SPDX-License-Identifier: Apache-2.0
"""One small registry for every kind of named thing: suites, tasks, metrics, kinds of task."""

from __future__ import annotations

import difflib
import functools
import importlib
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from euroglue.errors import EuroglueError, UnknownNameError

if TYPE_CHECKING:
    from euroglue.task import Suite, Task

T = TypeVar("T")


class Registry(Generic[T]):
    """Names and what they stand for; a value may be given as ``"module:attribute"`` and is imported on first use.

    >>> colours: Registry[str] = Registry("colour")
    >>> colours.register("red", "#f00")
    >>> colours["red"], list(colours), "blue" in colours
    ('#f00', ['red'], False)
    """

    def __init__(self, noun: str, discover: Callable[[], Mapping[str, str]] | None = None):
        """``noun`` is used in messages; ``discover`` yields more ``name -> "module:attribute"`` and runs at most once."""
        self.noun = noun
        self._values: dict[str, T] = {}
        self._targets: dict[str, str] = {}
        self._discover = discover

    def register(self, name: str, value: T | None = None, *, target: str | None = None) -> None:
        """Add ``name`` with a ``value``, or with a lazy ``target`` such as ``"package.module:ATTRIBUTE"``.

        Registering the same value or target again is harmless.

        Raises:
            EuroglueError: ``name`` already stands for something else; both owners are named.
        """
        if (value is None) == (target is None):
            raise TypeError(f"{self.noun} {name!r}: give either a value or a target")
        mine = target if value is None else value
        held = self._targets.get(name) if value is None else self._values.get(name)
        if held is not None and held == mine:
            return
        if value is not None and name in self._targets and name not in self._values:
            if self._load(name) == value:
                return
        if name in self._values or name in self._targets:
            owner = self._targets.get(name) or repr(self._values.get(name))[:80]
            raise EuroglueError(f"{self.noun} {name!r} is registered twice: by {owner} and by {str(mine)[:80]}")
        if value is None:
            self._targets[name] = cast(str, target)
        else:
            self._values[name] = value

    def unregister(self, name: str) -> None:
        """Remove ``name`` if it is there (for tests and interactive work)."""
        self._values.pop(name, None)
        self._targets.pop(name, None)

    def _load(self, name: str) -> T:
        if name not in self._values:
            module, _, attribute = self._targets[name].partition(":")
            self._values[name] = getattr(importlib.import_module(module), attribute)
        return self._values[name]

    def _find_more(self) -> None:
        if self._discover is not None:
            discover, self._discover = self._discover, None
            for name, target in sorted(discover().items()):
                if name not in self._values and name not in self._targets:
                    self._targets[name] = target

    def __contains__(self, name: object) -> bool:
        if name in self._values or name in self._targets:
            return True
        self._find_more()
        return name in self._targets

    def __getitem__(self, name: str) -> T:
        if name not in self:
            raise UnknownNameError(self.unknown(name))
        return self._load(name)

    def unknown(self, name: str) -> str:
        """The one-line message for a name that is not here, the nearest names first."""
        known = list(self)
        near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
        rest = [other for other in known if other not in near]
        hint = f"did you mean {near[0]!r}? " if near else ""
        return f"there is no {self.noun} {name!r}; {hint}known: {', '.join(near + rest) or 'none'}"

    def __iter__(self) -> Iterator[str]:
        self._find_more()
        return iter(sorted({*self._values, *self._targets}))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def values(self) -> list[T]:
        """Every value, in the order of the names."""
        return [self._load(name) for name in self]


def _suites_of_entry_points() -> dict[str, str]:
    from importlib.metadata import entry_points

    return {entry.name: entry.value for entry in entry_points(group="euroglue.suites")}


SUITES: Registry[Suite] = Registry("suite", discover=_suites_of_entry_points)
"""Every suite: those registered by import and those that installed packages name in the group ``euroglue.suites``."""


def find_task(suite: str, task: str) -> Task:
    """The task ``task`` of the suite ``suite``; an unknown name raises ``UnknownNameError`` with the nearest ones."""
    return SUITES[suite].tasks[task]


def tasks_in(package: str, script: str) -> Registry[Task]:
    """A registry of the tasks in ``package``: each module but ``script`` (the loading script) holds one literal ``TASK``.

    The module's name with ``_`` for ``-`` is the task's name, so that adding a task is adding one file.
    """

    return Registry("task", discover=functools.partial(_modules_with_tasks, package, script))


def _modules_with_tasks(package: str, script: str) -> dict[str, str]:
    import pkgutil

    paths = importlib.import_module(package).__path__
    names = sorted(module.name for module in pkgutil.iter_modules(paths) if not module.ispkg)
    return {name.replace("_", "-"): f"{package}.{name}:TASK" for name in names if name[0] != "_" and name != script}
