# SPDX-License-Identifier: Apache-2.0
"""Tiny models for the tests of this folder."""

from __future__ import annotations

import pytest

from euroglue.prepare import prepare
from euroglue.prepare.leakage import texts_of
from euroglue.prompting.tiny import build_tiny_decoder
from euroglue.registry import find_task


def sample_texts() -> list[str]:
    """Texts of three languages."""
    names = [("bgglue", "cinexio"), ("dumb", "dalc"), ("euroeval_sl", "sentinews")]
    made = [prepare(find_task(*name), "sample") for name in names]
    return [text for one in made for text in texts_of(one.task, one.table("train"))]


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    """A folder with a base model."""
    return build_tiny_decoder(sample_texts(), tmp_path_factory.mktemp("tiny") / "tiny-base", context=700, hidden=32)


@pytest.fixture(scope="session")
def tiny_chat(tmp_path_factory):
    """A folder with a model that has a chat template."""
    folder = tmp_path_factory.mktemp("tiny") / "tiny-chat"
    return build_tiny_decoder(sample_texts(), folder, context=700, hidden=32, chat=True)
