# SPDX-License-Identifier: Apache-2.0
"""The made-up tasks as fixtures, and an encoder made from scratch for them."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from datasets import Dataset

from euroglue.task import Kind, Task
from euroglue.training.tiny import build_tiny_encoder
from tests.training.made_tasks import BAD, GOOD, NAMES, PLAIN, make_number_splits, make_task, make_token_splits

if not all(importlib.util.find_spec(name) for name in ("accelerate", "torch", "transformers")):
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture(scope="session")
def token_task() -> Task:
    return make_task(Kind.TOKEN_CLASSIFICATION)


@pytest.fixture(scope="session")
def number_task() -> Task:
    return make_task(Kind.REGRESSION)


@pytest.fixture(scope="session")
def token_splits(token_task: Task) -> dict[str, Dataset]:
    return make_token_splits(token_task)


@pytest.fixture(scope="session")
def number_splits() -> dict[str, Dataset]:
    return make_number_splits()


@pytest.fixture(scope="session")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    texts = [" ".join([*PLAIN, *GOOD, *BAD, *NAMES["PER"], *NAMES["LOC"]])] * 3
    return build_tiny_encoder(texts, tmp_path_factory.mktemp("models") / "tiny", vocab_size=300, hidden=32)


@pytest.fixture
def stopped(monkeypatch: pytest.MonkeyPatch) -> Callable[..., AbstractContextManager[None]]:
    """Within ``stopped(step)``, training is stopped as by Ctrl-C when it comes to a step, and must be."""
    from euroglue.training.loop import Trainer

    @contextmanager
    def at(step: int, precision: str = "no") -> Iterator[None]:
        take_step = Trainer.take_step

        def stop(self: Trainer, batch: Sequence[int]) -> None:
            if self.step == step and self.accelerator.mixed_precision == precision:
                raise KeyboardInterrupt
            take_step(self, batch)

        with monkeypatch.context() as patch:
            patch.setattr(Trainer, "take_step", stop)
            with pytest.raises(KeyboardInterrupt):
                yield

    return at


@pytest.fixture(autouse=True)
def fresh_accelerate() -> Iterator[None]:
    """Accelerate keeps its precision for the life of a process; each test begins without."""
    from accelerate.state import AcceleratorState

    AcceleratorState._reset_state(True)
    yield
    AcceleratorState._reset_state(True)
