# SPDX-License-Identifier: Apache-2.0
"""Backends by name, with options as a command line gives them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from euroglue.errors import EuroglueError
from euroglue.prompting import BACKENDS
from euroglue.prompting.request import Backend

_READERS: dict[str, Callable[[str], Any]] = {
    "int": int,
    "float": float,
    "bool": lambda text: _boolean(text),
    "str": str,
}


def open_backend(name: str, model: str, options: Iterable[str] = ()) -> Backend:
    """A model behind a backend.

    Args:
        name: of a backend in ``euroglue.prompting.BACKENDS``.
        model: what the backend knows the model by.
        options: ``key=value``, keyword arguments of the backend; values are read as their annotations say.

    Raises:
        UnknownNameError: there is no such backend.
        EuroglueError: no model is named, an option is none of the backend's, or its value is not of its type.
    """
    make = BACKENDS[name]
    if not model:
        raise EuroglueError("name a model: --model NAME")
    known = {
        key: str(one.annotation).partition("|")[0].strip()
        for key, one in inspect.signature(make).parameters.items()
        if one.kind is inspect.Parameter.KEYWORD_ONLY
    }
    return make(model, **dict(_option(name, known, text) for text in options))


def _option(backend: str, known: dict[str, str], text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    key = key.strip().replace("-", "_")
    readable = {name: kind for name, kind in known.items() if kind in _READERS}
    if not equals or key not in readable:
        raise EuroglueError(
            f"the backend {backend} has no option {text!r}; KEY=VALUE, of: {', '.join(readable) or 'none'}"
        )
    try:
        return key, _READERS[known[key]](value)
    except ValueError as error:
        raise EuroglueError(
            f"the option {key} of the backend {backend}: expected {known[key]}, got {value!r}"
        ) from error


def _boolean(text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise ValueError(text)
    return text.lower() == "true"
