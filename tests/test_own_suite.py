# SPDX-License-Identifier: Apache-2.0
"""The example of a third-party suite: installed as a package, it is there by its entry point alone."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CODE = """
import euroglue, datasets
from euroglue.registry import SUITES
from euroglue.testing import check_task
from pathlib import Path
import sys

assert "weather" in SUITES and {"bgglue", "dumb", "euroeval_sl"} <= set(SUITES)
rows = datasets.load_dataset("weather", "forecast", split="test")
print(rows.num_rows, rows.features["label"].names, rows[0]["text"])
check_task(SUITES["weather"].tasks["forecast"], Path(sys.argv[1]))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Path:
    """A folder into which the example was installed by pip."""
    folder = tmp_path_factory.mktemp("site")
    source = shutil.copytree(ROOT / "examples" / "own_suite", folder / "source")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    done = subprocess.run([*command, "--target", str(folder / "site"), str(source)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "site"


def test_a_package_with_an_entry_point_is_a_suite(installed, tmp_path):
    paths = os.pathsep.join([str(installed), str(ROOT), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": paths}
    command = [sys.executable, "-c", CODE, str(tmp_path)]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("4 ['dry', 'wet'] Čez dan bo sončno z nekaj oblaki.")


def test_the_command_line_knows_it(installed, tmp_path):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(installed), str(ROOT)])}
    command = [sys.executable, "-m", "euroglue.cli", "tasks", "weather"]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and "forecast" in done.stdout, done.stderr
