# SPDX-License-Identifier: Apache-2.0
"""Fetch one published file: resumable, retried, atomic."""

from __future__ import annotations

import os
import time
from pathlib import Path

from euroglue.disk import is_out_of_space, saving
from euroglue.errors import MissingRawFileError
from euroglue.prepare.scratch import make_folder

ATTEMPTS = 4
"""How often in a row a transfer may fail without having brought a byte."""
CHUNK = 2**18
TIMEOUT = (10, 60)


def download(url: str, file: Path, *, advice: str) -> None:
    """Fetch ``url`` into ``file`` unless it is there; an interrupted transfer goes on where it stopped.

    The bytes are collected in ``file`` + ``.part`` and renamed when complete; a lock keeps two processes apart.

    Raises:
        MissingRawFileError: the address does not answer or has moved; the message repeats ``advice``.
        DiskFullError: there is no space for the file; what has come so far stays.
    """
    if file.is_file():
        return
    from filelock import FileLock

    make_folder(file.parent)
    with saving(file.parent, file.name), FileLock(f"{file}.lock"):
        if not file.is_file():
            part = file.with_name(file.name + ".part")
            _fetch_with_retries(url, part, advice)
            os.replace(part, file)


def _fetch_with_retries(url: str, part: Path, advice: str) -> None:
    import requests

    failures = 0
    while True:
        before = part.stat().st_size if part.exists() else 0
        try:
            _fetch(url, part)
            return
        except requests.HTTPError as error:
            status = error.response.status_code if error.response is not None else 0
            if status < 500 and status != 429:
                raise MissingRawFileError(
                    f"{url}: the server answered {status}; the address may have moved: find the file at its authors' "
                    f"page and {advice}"
                ) from error
            reason: Exception = error
        except (requests.RequestException, OSError) as error:
            if is_out_of_space(error) or isinstance(error, PermissionError):
                raise
            reason = error
        failures = 0 if part.exists() and part.stat().st_size > before else failures + 1
        if failures == ATTEMPTS:
            break
        time.sleep(2**failures * 0.5)
    raise MissingRawFileError(
        f"{url}: could not be fetched ({type(reason).__name__}); check the connection, or {advice}"
    ) from reason


def _fetch(url: str, part: Path) -> None:
    import requests
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    have = part.stat().st_size if part.exists() else 0
    headers = {"Range": f"bytes={have}-"} if have else {}
    with requests.get(url, headers=headers, stream=True, timeout=TIMEOUT) as response:
        if have and response.status_code == 416:
            part.unlink()
            raise OSError("the partial file does not match the server's; starting again")
        response.raise_for_status()
        resumed = response.status_code == 206
        expected = response.headers.get("Content-Length")
        total = int(expected) + (have if resumed else 0) if expected else None
        from rich.console import Console

        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
        with (
            Progress(*columns, console=Console(stderr=True), transient=True) as bar,
            open(part, "ab" if resumed else "wb") as file,
        ):
            shown = bar.add_task(part.stem, total=total, completed=have if resumed else 0)
            for chunk in response.iter_content(CHUNK):
                file.write(chunk)
                bar.advance(shown, len(chunk))
    got = part.stat().st_size
    if total is not None and got < total and not response.headers.get("Content-Encoding"):
        raise OSError(f"the transfer stopped at {got} of {total} bytes")
