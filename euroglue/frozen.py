# SPDX-License-Identifier: Apache-2.0
"""A mapping that cannot be changed, and that pickles, copies, hashes and goes into JSON as a plain dictionary does."""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class Frozen(dict[Key, Value]):
    """A dictionary whose items are those it was made with: what a frozen value holds instead of ``MappingProxyType``.

    >>> scores = Frozen({"f1": 0.5})
    >>> scores["f1"] = 1.0
    Traceback (most recent call last):
    TypeError: this mapping cannot be changed; make another one of dict(…)
    >>> import copy
    >>> copy.deepcopy(scores) == scores == {"f1": 0.5}
    True
    """

    def _refuse(self, *arguments: Any, **named: Any) -> NoReturn:
        raise TypeError("this mapping cannot be changed; make another one of dict(…)")

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self),)
