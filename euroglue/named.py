# SPDX-License-Identifier: Apache-2.0
"""Named functions with their arguments: the steps, checks and readers that a task's literal lists."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from euroglue.frozen import Frozen

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class _Named:
    """A named function of the library with the arguments it was made with, all but the first.

    ``factory`` is what made it, the decorated function: known by its module and name, so that a task pickles.
    """

    name: str
    arguments: Mapping[str, Any]
    factory: Callable[..., Any] = field(compare=False)

    @property
    def function(self) -> Callable[..., Any]:
        """The function that is called."""
        return self.factory.__wrapped__  # type: ignore[attr-defined]

    def __call__(self, first: Any) -> Any:
        return self.function(first, **self.arguments)

    @property
    def reason(self) -> str:
        """The first line of the function's docstring: what it does and so why a row goes."""
        return (self.function.__doc__ or "").strip().split("\n")[0]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(f'{key}={describe(value)}' for key, value in self.arguments.items())})"

    __repr__ = __str__  # what a step or reader is an argument of is named in keys and manifests: no address in it


class Step(_Named):
    """A pure function ``table -> table``. Made by ``@step``.

    The pipeline, not the step, compares ids before and after and writes the manifest.
    """


class Check(Step):
    """A step that changes nothing: it returns findings, a sentence each, or raises. Made by ``@check``."""


class Derivation(Step):
    """A step that may make rows of rows: a row that a published build puts into two splits, say. Made by ``@derivation``.

    A row keeps its id once; what is made of it gets an id of its own. The manifest counts what was added.
    """


class Reader(_Named):
    """A function ``RawFiles -> table``; one per raw format. Made by ``@reader``."""


def describe(value: Any) -> str:
    """A stable text for an argument: functions by their name, everything else by ``repr``."""
    return getattr(value, "__name__", None) or repr(value)


def step(function: Callable[..., pd.DataFrame]) -> Callable[..., Step]:
    """Turn ``function(table, **arguments)`` into a factory ``(**arguments) -> Step``; its docstring is kept."""
    return _factory(function, Step)


def derivation(function: Callable[..., pd.DataFrame]) -> Callable[..., Derivation]:
    """Turn ``function(table, **arguments) -> table`` into a factory ``(**arguments) -> Derivation``."""
    return _factory(function, Derivation)


def check(function: Callable[..., list[str]]) -> Callable[..., Check]:
    """Turn ``function(table, **arguments) -> findings`` into a factory ``(**arguments) -> Check``."""
    return _factory(function, Check)


def reader(function: Callable[..., pd.DataFrame]) -> Callable[..., Reader]:
    """Turn ``function(files, **arguments)`` into a factory ``(**arguments) -> Reader``; its docstring is kept."""
    return _factory(function, Reader)


def _factory(function: Callable[..., Any], shape: type) -> Callable[..., Any]:
    import functools
    import inspect

    signature = inspect.signature(function)
    first, *_ = signature.parameters

    @functools.wraps(function)
    def make(*positional: Any, **named: Any) -> Any:
        bound = signature.bind(None, *positional, **named)
        bound.apply_defaults()
        arguments: dict[str, Any] = {}
        for name, value in bound.arguments.items():
            if name != first:
                many = signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD
                arguments.update(value if many else {name: value})
        return shape(function.__name__, Frozen(arguments), make)

    return make
