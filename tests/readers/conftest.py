# SPDX-License-Identifier: Apache-2.0
"""A reader's view of plain files."""

import pytest

from euroglue.prepare.raw import RawFiles


@pytest.fixture
def raw_files(fixtures):
    """Make ``RawFiles`` of the fixtures in one format's folder, by their path below it."""

    def make(folder):
        root = fixtures / folder
        paths = {path.relative_to(root).as_posix(): path for path in root.rglob("*") if path.is_file()}
        return RawFiles(paths, [])

    return make
