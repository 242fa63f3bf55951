# SPDX-License-Identifier: Apache-2.0
"""What is no part of an answer: thinking, end tokens, further examples that a base model makes up. Pure filters on text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

_THOUGHT = r"[\w:]{0,20}(?:think|thought|reason|reflect)[\w:]{0,20}"
_CLOSED = re.compile(
    rf"</{_THOUGHT}>|\[/THINK\]|◁/think▷|<\|(?:end_?|/){_THOUGHT}\|>|<\|{_THOUGHT}_end\|>|<\|channel\|>final<\|message\|>",
    re.I,
)
_OPENED = re.compile(rf"<{_THOUGHT}>|\[THINK\]|◁think▷|<\|(?!end|/){_THOUGHT}(?<!_end)\|>|<\|channel\|>analysis", re.I)
_SPECIAL = re.compile(
    r"<[|｜][^|｜<>\n]{1,40}[|｜]>|</?s>|<(?:eos|bos|pad|end_of_turn|end_of_utterance|start_of_turn)>|\[/?INST\]"
)
_INVISIBLE = dict.fromkeys([0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0x00AD])


def without_thinking(text: str) -> str:
    """What follows the last end of thinking; nothing, if the model never came to an end of it.

    >>> without_thinking("<think>a or b?</think>b"), without_thinking("<think>a or"), without_thinking("b")
    ('b', '', 'b')
    """
    ends = list(_CLOSED.finditer(text))
    rest = text[ends[-1].end() :] if ends else text
    return "" if _OPENED.search(rest) else rest


def without_end_tokens(text: str) -> str:
    """What stands before the first special token, those at the very beginning left out.

    >>> without_end_tokens("<s> da</s><s>ne"), without_end_tokens("ne<|im_end|>\\n<|im_start|>user")
    (' da', 'ne')
    """
    while (found := _SPECIAL.match(text.lstrip())) is not None:
        text = text.lstrip()[found.end() :]
    return _SPECIAL.split(text, maxsplit=1)[0]


def first_block(text: str) -> str:
    """What stands before the first blank line: a base model goes on with examples of its own after that.

    >>> first_block("\\n pozitivno\\n\\nDokument: …")
    'pozitivno'
    """
    return re.split(r"\n[ \t\r]*\n", text.strip())[0]


def composed(text: str) -> str:
    """Letters with marks composed (NFC), invisible characters out, every kind of space a space but line feeds.

    >>> composed("c\\u030ce\\u200b\\u00a0d")
    'če d'
    """
    known = unicodedata.normalize("NFC", text).translate(_INVISIBLE)
    return "".join(" " if char.isspace() and char != "\n" else char for char in known)


Filter = Callable[[str], str]
CONVERSATION: tuple[tuple[str, Filter], ...] = (
    ("thinking", without_thinking),
    ("end tokens", without_end_tokens),
    ("unicode", composed),
)
"""What is done to the answer of an instruction-tuned model before it is read."""
CONTINUATION: tuple[tuple[str, Filter], ...] = (*CONVERSATION, ("first block", first_block))
"""The same for a base model."""


def clean(text: str, chain: tuple[tuple[str, Filter], ...] = CONVERSATION) -> str:
    """The text after all filters of a chain, without white space around."""
    for _, apply in chain:
        text = apply(text)
    return text.strip()
