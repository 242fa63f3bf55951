# SPDX-License-Identifier: Apache-2.0
"""Folders for unpacked files do not pile up."""

import os
import socket
import subprocess
import sys

from euroglue.prepare.scratch import scratch


def test_a_folder_goes_with_its_block_and_a_live_process_keeps_its_own(tmp_path):
    with scratch(tmp_path) as one, scratch(tmp_path) as two:
        (one / "file").write_text("x", encoding="utf-8")
        assert one != two and one.is_dir() and two.is_dir()
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_process_left_is_swept_by_the_next_one_of_this_host_only(tmp_path):
    lines = ["import os, sys", "from pathlib import Path", "from euroglue.prepare.scratch import scratch"]
    code = "\n".join([*lines, "with scratch(Path(sys.argv[1])):", "    os._exit(9)"])
    assert subprocess.run([sys.executable, "-c", code, str(tmp_path)]).returncode == 9
    (tmp_path / "elsewhere~1~abc").mkdir()
    (tmp_path / f"{socket.gethostname()}~{os.getpid()}~mine").mkdir()
    assert len(list(tmp_path.iterdir())) == 3
    with scratch(tmp_path):
        pass
    assert sorted(path.name.split("~")[-1] for path in tmp_path.iterdir()) == ["abc", "mine"]
