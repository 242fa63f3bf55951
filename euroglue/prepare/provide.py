# SPDX-License-Identifier: Apache-2.0
"""Give a task a raw file by its path: it is kept among the downloads, so that every later call finds it too."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from euroglue.atomic import new_file
from euroglue.disk import user_path
from euroglue.errors import EuroglueError, MissingRawFileError
from euroglue.prepare.raw import download_place
from euroglue.prepare.scratch import make_folder
from euroglue.task import Task


def provide(tasks: Sequence[Task], edition: str | None, name: str, path: str | os.PathLike) -> list[Path]:
    """Keep a user's file as the source called ``name`` of each task whose edition has such a source.

    A file of that name in ``data_dir`` or in ``$EUROGLUE_RAW_DIR`` goes before it.

    Args:
        tasks: the tasks that are to be prepared.
        edition: of the tasks; by default the default of each.
        name: the source's ``file``.
        path: the user's file.

    Returns:
        Where the copies lie.

    Raises:
        MissingRawFileError: there is no such file.
        EuroglueError: none of the tasks has such a source.
    """
    given = user_path(path)
    if not given.is_file():
        raise MissingRawFileError(f"{given}: expected a file to use as {name}, there is none")
    made = []
    for task in tasks:
        for source in task.edition(edition).sources:
            if source.file == name:
                place = download_place(task, source)
                make_folder(place.parent)
                with new_file(place) as aside:
                    shutil.copyfile(given, aside)
                made.append(place)
    if not made:
        raise EuroglueError(f"none of {', '.join(task.path for task in tasks)} reads a file {name}; leave it out")
    return made
