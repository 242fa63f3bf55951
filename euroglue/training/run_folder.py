# SPDX-License-Identifier: Apache-2.0
"""The folder of a run: its configuration, log, checkpoints and results, whole after a kill at any moment."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from euroglue import strict_json
from euroglue.atomic import write_text
from euroglue.disk import DiskFullError, saving
from euroglue.errors import EuroglueError, FormatError

if TYPE_CHECKING:
    from accelerate import Accelerator

CONFIG, ENVIRONMENT, LOG, METRICS = "config.json", "environment.json", "log.jsonl", "metrics.json"
BEST, CHECKPOINTS, PREDICTIONS, TRACKING = "best", "checkpoints", "predictions", "tracking"
INTENDED = {CONFIG, ENVIRONMENT}
"""All that a run leaves that stopped before its first step, such as one of a model misspelt: another may take its place."""
PREDICTED = {METRICS, PREDICTIONS}
"""All that predicting with a trained checkpoint leaves."""
ASIDE = ".part"
"""How ``atomic.write_text`` calls a file that is not whole yet."""
LOCK = ".lock"
"""The file that whoever is at work in the folder holds; the system lets go of it when that process dies."""


class RunFolder:
    """Paths and atomic writes of one run. Only the main process may call what writes.

    ``config.json`` says what the run is, ``environment.json`` where it ran, ``log.jsonl`` how it went; ``best`` is a
    model folder, ``predictions`` holds one file a split in the submission format, ``metrics.json`` the scores.
    """

    def __init__(self, root: str | os.PathLike[str]):
        self.root = Path(root)

    @property
    def best(self) -> Path:
        """The best checkpoint: a Hugging Face model folder."""
        return self.root / BEST

    def check(self, config: Mapping[str, Any]) -> None:
        """Refuse a folder that holds something else than a run of ``config``.

        Raises:
            EuroglueError: the folder holds another run, whose difference is named, or files of another origin.
        """
        if self._held() in (set(), INTENDED):
            return
        held = self.read(CONFIG)
        if not isinstance(held, dict):
            raise EuroglueError(
                f"{self.root} is not empty and holds no run ({CONFIG} is missing or another one): choose another folder"
            )
        differences = list(_differences(held, json.loads(json.dumps(config))))
        if differences:
            raise EuroglueError(
                f"{self.root} belongs to another run: {'; '.join(differences)}. Choose another folder or remove this"
            )

    def check_predictions(self, about: Mapping[str, Any]) -> None:
        """Refuse a folder that holds something else than predictions of ``about``, entries of ``metrics.json``.

        Raises:
            EuroglueError: it holds a run, files of another origin or predictions of something else.
        """
        if self.read(CONFIG) is not None:
            raise EuroglueError(f"{self.root} holds a training run, whose predictions stay: choose another folder")
        if not self._held() <= PREDICTED:
            raise EuroglueError(
                f"{self.root} is not empty and holds other files than predictions: choose another folder"
            )
        held = self.read(METRICS)
        here = {name: held.get(name) for name in about} if isinstance(held, dict) else {}
        if held is not None and (differences := list(_differences(here, about))):
            raise EuroglueError(
                f"{self.root} holds other predictions: {'; '.join(differences)}. Choose another folder or remove this"
            )

    def _held(self) -> set[str]:
        """The names of what is in the folder, less what no run is known by."""
        if self.root.exists() and not self.root.is_dir():
            raise EuroglueError(f"{self.root} is a file: name a folder for the run")
        paths = self.root.iterdir() if self.root.is_dir() else ()
        return {path.name for path in paths if path.suffix != ASIDE and path.name != LOCK}

    @contextmanager
    def locked(self, accelerator: Accelerator, *, wait: float = 0.0) -> Iterator[None]:
        """Within, no other process works in the folder; it is made if need be and removed again if nothing came of it.

        Args:
            accelerator: the processes that work together; their main one holds the lock for all.
            wait: how many seconds to wait for another process to let go.

        Raises:
            EuroglueError: another process is at work in the folder.
        """
        from accelerate.utils import broadcast_object_list
        from filelock import FileLock, Timeout

        lock, taken, made = FileLock(self.root / LOCK, timeout=wait), [True], not self.root.exists()
        if accelerator.is_main_process:
            with saving(self.root, "the run's folder"):
                self.root.mkdir(parents=True, exist_ok=True)
            try:
                lock.acquire()
            except Timeout:
                taken = [False]
        if not broadcast_object_list(taken)[0]:
            raise EuroglueError(
                f"another process is at work in {self.root}: wait for it, stop it, or choose another folder"
            )
        try:
            yield
        finally:
            if accelerator.is_main_process:
                if made and not self._held():
                    shutil.rmtree(self.root, ignore_errors=True)
                (self.root / LOCK).unlink(missing_ok=True)  # whoever waits opens the file anew
                lock.release()

    def discard_intention(self) -> None:
        """Remove what a run has left that did not come to its first step, unless there is more."""
        if self._held() <= INTENDED:
            for name in sorted(INTENDED):
                (self.root / name).unlink(missing_ok=True)

    def open(self, config: Mapping[str, Any], *, resume: bool) -> None:
        """Make the folder, or clear it of an earlier run of the same ``config`` when it is not to be resumed."""
        self.root.mkdir(parents=True, exist_ok=True)
        if not resume:
            for name in (BEST, CHECKPOINTS, PREDICTIONS, TRACKING):
                shutil.rmtree(self.root / name, ignore_errors=True)
            for name in (LOG, METRICS):
                (self.root / name).unlink(missing_ok=True)
        for leftover in sorted([*self.root.glob("**/*.partial"), *self.root.glob(f"**/.*{ASIDE}")]):
            shutil.rmtree(leftover) if leftover.is_dir() else leftover.unlink()
        replaced = self.root / f"{BEST}.replaced"
        if replaced.is_dir():
            shutil.rmtree(replaced) if self.best.is_dir() else os.rename(replaced, self.best)
        self.write(CONFIG, config)

    def read(self, name: str) -> Any:
        """The JSON file ``name``, or ``None`` where there is none."""
        path = self.root / name
        if not path.is_file():
            return None
        try:
            return strict_json.read(path)
        except FormatError as error:
            raise EuroglueError(f"{error}: remove the folder or choose another one") from error

    def write(self, name: str, value: Any) -> None:
        """Write the JSON file ``name`` in one move: readers see the old or the new one, never a part."""
        with saving(self.root, name):
            strict_json.write(self.root / name, value)

    def log(self, **entry: Any) -> None:
        """Append one line to the log."""
        with saving(self.root, LOG), (self.root / LOG).open("a", encoding="utf-8", newline="\n") as file:
            file.write(strict_json.dumps(entry) + "\n")

    def rewind_log(self, step: int) -> None:
        """Drop the log's lines of steps after ``step``, which a resumed run takes again."""
        path = self.root / LOG
        if path.is_file():
            lines = [line for line in path.read_bytes().splitlines(keepends=True) if _is_whole(line)]
            kept = [line.decode("utf-8") for line in lines if json.loads(line)["step"] <= step]
            with saving(self.root, LOG):
                write_text(path, kept)

    def replace_best(self, fill: Callable[[Path], None]) -> None:
        """Let ``fill`` write a new best checkpoint into an empty folder, then put it in the old one's place."""
        partial, replaced = self.root / f"{BEST}.partial", self.root / f"{BEST}.replaced"
        _fill(partial, fill)
        if self.best.is_dir():
            os.rename(self.best, replaced)
        os.rename(partial, self.best)
        shutil.rmtree(replaced, ignore_errors=True)

    def save_checkpoint(self, step: int, fill: Callable[[Path], None]) -> None:
        """Let ``fill`` write the state after ``step``; older states go once the new one is whole."""
        folder = self.root / CHECKPOINTS
        final = folder / f"step-{step:09d}"
        partial = folder / f"{final.name}.partial"
        _fill(partial, fill)
        shutil.rmtree(final, ignore_errors=True)
        os.rename(partial, final)
        for other in sorted(folder.iterdir()):
            if other != final:
                shutil.rmtree(other)

    def latest_checkpoint(self) -> Path | None:
        """The folder of the latest whole state, or ``None``."""
        folders = sorted((self.root / CHECKPOINTS).glob("step-*"))
        whole = [folder for folder in folders if folder.suffix != ".partial"]
        return whole[-1] if whole else None

    def how_to_go_on(self) -> str:
        """What of the run is saved, for whoever stopped it."""
        latest = self.latest_checkpoint()
        if latest is None:
            return f"nothing of the run in {self.root} is saved yet: the same command begins it again"
        step = int(latest.name.partition("-")[2])
        return f"the state after step {step} is saved in {self.root}: the same command goes on from there"

    def drop_checkpoints(self) -> None:
        """Remove the states that only an unfinished run needs."""
        shutil.rmtree(self.root / CHECKPOINTS, ignore_errors=True)


def _fill(folder: Path, fill: Callable[[Path], None]) -> None:
    """Fill an empty folder; where the disk is full it is emptied again, so that there is some space."""
    shutil.rmtree(folder, ignore_errors=True)
    try:
        with saving(folder.parent, folder.name.removesuffix(".partial")):
            folder.mkdir(parents=True)
            fill(folder)
    except DiskFullError:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _is_whole(line: bytes) -> bool:
    """Whether a line of the log is an entry: one that the end of a disk or of a process cut short is not."""
    try:
        return line.endswith(b"\n") and isinstance(json.loads(line), dict)
    except ValueError:
        return False


def _differences(held: Mapping[str, Any], asked: Mapping[str, Any]) -> Iterator[str]:
    for name in sorted({*held, *asked}):
        if held.get(name) != asked.get(name):
            yield f"{name} is {held.get(name)!r} there and {asked.get(name)!r} here"
