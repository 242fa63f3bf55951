# SPDX-License-Identifier: Apache-2.0
"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path


def write_text(path: str | os.PathLike[str], parts: str | Iterable[str]) -> None:
    """Write UTF-8 text with LF aside, then move it into place; readers see the old file or the new one, never a part.

    Folders on the way are made. Whatever stops the writing, the old file stays and nothing is left beside it.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, aside = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.writelines([parts] if isinstance(parts, str) else parts)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(aside, 0o644)
        os.replace(aside, target)
    except BaseException:
        os.unlink(aside)
        raise
