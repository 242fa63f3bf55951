# SPDX-License-Identifier: Apache-2.0
"""Log-probabilities of answers, read from what a server tells of the likeliest tokens at each place."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class Place(NamedTuple):
    """One place of an answer: the token written there, and the log-probabilities of the likeliest ones."""

    token: str
    likely: Mapping[str, float]


def places(told: Any) -> list[Place]:
    """The places of a choice's ``logprobs``, as chat or as completions have it; none if it tells nothing usable.

    >>> places({"tokens": [" da"], "top_logprobs": [{" da": -0.1, " ne": -2.5}]})
    [Place(token=' da', likely={' da': -0.1, ' ne': -2.5})]
    """
    if not isinstance(told, dict):
        return []
    try:
        if isinstance(told.get("content"), list):
            pairs = [
                (one["token"], [(top["token"], top["logprob"]) for top in one["top_logprobs"] or [one]])
                for one in told["content"]
            ]
        else:
            tops = told.get("top_logprobs") or []
            pairs = [(token, list(top.items())) for token, top in zip(told["tokens"], tops)]
        return [Place(_token(token), {_token(one): float(value) for one, value in likely}) for token, likely in pairs]
    except (AttributeError, KeyError, TypeError, ValueError):
        return []


def _token(told: Any) -> str:
    if not isinstance(told, str):
        raise TypeError(f"expected a token, got {told!r}")
    return told


def echoed(told: Any, start: int, end: int) -> float | None:
    """The sum of the log-probabilities of the tokens that reach into a stretch of a text that a server repeats.

    Args:
        told: the ``logprobs`` of a completion; the first token of a text has none.
        start: where the stretch begins, in characters.
        end: where it ends.

    Returns:
        None where they are not told.

    >>> echoed({"text_offset": [0, 4, 8, 11], "token_logprobs": [None, -1.0, -0.5, -0.25]}, 8, 11)
    -0.5
    """
    known = told if isinstance(told, dict) else {}
    offsets, scores = known.get("text_offset"), known.get("token_logprobs")
    if not isinstance(offsets, list) or not isinstance(scores, list) or len(offsets) != len(scores) or not offsets:
        return None
    if not all(isinstance(place, int) for place in offsets):
        return None
    ends = [*offsets[1:], max(offsets[-1] + 1, end)]
    inside = [score for score, begin, stop in zip(scores, offsets, ends) if stop > start and begin < end]
    if not inside or not all(isinstance(score, (int, float)) for score in inside):
        return None
    return float(sum(inside))


def weigh(choices: Sequence[str], told: Sequence[Place]) -> dict[str, float] | None:
    """The log-probability of each choice by the likeliest tokens.

    A token speaks for the choice that it begins, or that it begins with, whatever their case and the space before them.
    Where the written token begins several choices, the next place decides between them. A choice that no likely token begins
    has minus infinity.

    Returns:
        None if nothing speaks for any choice, or for two of them alike.

    >>> weigh(["da", "ne"], [Place("Da", {"Da": -0.2, "ne": -3.0, "da": -4.0})])["da"] > -0.2
    True
    """
    start = next((at for at, place in enumerate(told) if place.token.strip()), len(told))
    before = 0.0
    left = {choice: choice.strip().casefold() for choice in choices}
    found = dict.fromkeys(choices, -math.inf)
    for number, place in enumerate(told[start:]):
        tokens = _folded(place.likely, strip=number == 0)
        written = _folded({place.token: 0.0}, strip=number == 0)[0][0]
        begun = _owners(written, left)
        undecided = begun if len(begun) > 1 and all(len(left[one]) > len(written) for one in begun) else []
        for choice in left:
            if choice not in undecided:
                found[choice] = before + _sum([value for token, value in tokens if choice in _owners(token, left)])
        if not undecided:
            break
        before += _sum([value for token, value in tokens if token == written])
        left = {choice: left[choice][len(written) :] for choice in undecided}
    best = max(found.values(), default=-math.inf)
    alike = [choice for choice, value in found.items() if value == best]
    return None if best == -math.inf or len(alike) > 1 else found


def _folded(likely: Mapping[str, float], *, strip: bool) -> list[tuple[str, float]]:
    return [((token.lstrip() if strip else token).casefold(), value) for token, value in likely.items()]


def _owners(token: str, left: Mapping[str, str]) -> list[str]:
    """The choices that a token speaks for: those it holds whole, else those that it begins."""
    whole = [
        one for one, text in left.items() if text and token.startswith(text) and not token[len(text) :][:1].isalnum()
    ]
    return whole or [one for one, text in left.items() if token and text.startswith(token)]


def _sum(values: Sequence[float]) -> float:
    """The logarithm of the sum of probabilities."""
    most = max(values, default=-math.inf)
    return most if most == -math.inf else most + math.log(sum(math.exp(value - most) for value in values))
