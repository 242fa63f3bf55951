# SPDX-License-Identifier: Apache-2.0
"""A score's signature: ``key:value`` pairs joined by ``|``, as sacreBLEU has them (Post, WMT 2018); it parses back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from euroglue.errors import FormatError
from euroglue.version import __version__

BROKEN = "surrogatepass"
"""Half of a surrogate pair, which JSON can smuggle into a text, is escaped like any character that cannot be shown."""
LONG = 32
"""A label set of more names than this is shown by its size and a digest."""


def _escape(text: str, reserved: str) -> str:
    return "".join(
        "".join(f"%{byte:02X}" for byte in char.encode("utf-8", BROKEN))
        if char in reserved or not char.isprintable()
        else char
        for char in text
    )


def _unescape(text: str) -> str:
    return unquote(text, errors=BROKEN)


def format_signature(parts: Mapping[str, str]) -> str:
    """Write the parts, in their order, as one line; ``%``, ``|``, what cannot be shown, and ``:`` in keys are escaped.

    >>> format_signature({"metric": "entity_f1", "mode": "lenient", "labels": "N|eigen", "n": "301"})
    'metric:entity_f1|mode:lenient|labels:N%7Ceigen|n:301'
    """
    return "|".join(f"{_escape(key, '%|:')}:{_escape(value, '%|')}" for key, value in parts.items())


def parse_signature(text: str) -> dict[str, str]:
    """Read a signature back; the inverse of ``format_signature``.

    >>> parse_signature("metric:entity_f1|labels:N%7Ceigen|n:301")
    {'metric': 'entity_f1', 'labels': 'N|eigen', 'n': '301'}

    Raises:
        FormatError: a part has no colon, or a key occurs twice.
    """
    parts: dict[str, str] = {}
    for part in text.split("|") if text else []:
        key, colon, value = part.partition(":")
        if not colon:
            raise FormatError(f"signature {text!r}: expected key:value between bars, got {part!r}")
        name = _unescape(key)
        if name in parts:
            raise FormatError(f"signature {text!r}: the key {name!r} occurs twice")
        parts[name] = _unescape(value)
    return parts


def label_set(labels: Sequence[str]) -> str:
    """A label set as one value of a signature: the names with commas between, or size and digest of a long one.

    >>> label_set(["O", "B-PER", "I-PER"])
    'O,B-PER,I-PER'
    >>> label_set([str(i) for i in range(100)])
    '100~3aab9a67'
    """
    text = ",".join(_escape(name, "%,~") for name in labels)
    if len(labels) <= LONG:
        return text
    return f"{len(labels)}~{hashlib.sha256(text.encode('utf-8')).hexdigest()[:8]}"


def parse_label_set(text: str) -> tuple[str, ...]:
    """The names in a label set; the inverse of ``label_set`` where that lists them.

    >>> parse_label_set(label_set(["O", "a,b", "100%"]))
    ('O', 'a,b', '100%')
    """
    return tuple(_unescape(name) for name in text.split(","))


def signature_of_many(name: str, tasks: Iterable[str], **more: str) -> str:
    """The signature of one number made of many scores: its name, the tasks it rests on in order, and what else decides it.

    >>> signature_of_many("rer", ["dpr", "dbrd"], baseline="BERTje base").partition("|version")[0]
    'metric:rer|tasks:dbrd,dpr|baseline:BERTje base'
    """
    return format_signature({"metric": name, "tasks": label_set(sorted(tasks)), **more, "version": __version__})


def digest(value: Any) -> str:
    """16 hexadecimal digits that tell a value from another, whatever the order of its mappings.

    >>> digest({"dpr": 0.6, "dbrd": 0.9}) == digest({"dbrd": 0.9, "dpr": 0.6}) != digest({"dbrd": 0.9})
    True
    """
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]
