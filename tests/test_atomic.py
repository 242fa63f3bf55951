# SPDX-License-Identifier: Apache-2.0
"""A file is there whole or not at all."""

import pytest

from euroglue.atomic import write_text


def test_text_arrives_in_folders_that_are_made(tmp_path):
    write_text(tmp_path / "a" / "b.txt", ["да\n", "не\n"])
    assert (tmp_path / "a" / "b.txt").read_bytes() == "да\nне\n".encode()


@pytest.mark.parametrize("stop", [ValueError, KeyboardInterrupt])
def test_what_stops_the_writing_leaves_the_old_file_and_nothing_beside_it(tmp_path, stop):
    def parts():
        yield "new"
        raise stop

    write_text(tmp_path / "f", "old")
    with pytest.raises(stop):
        write_text(tmp_path / "f", parts())
    assert [(path.name, path.read_text(encoding="utf-8")) for path in tmp_path.iterdir()] == [("f", "old")]
