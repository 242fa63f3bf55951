# SPDX-License-Identifier: Apache-2.0
"""``euroglue run``: a script runs as it would under python, and finds our names."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROBE = """
import json, os, sys
print(json.dumps({
    "name": __name__, "file": os.path.basename(__file__), "argv": [os.path.basename(sys.argv[0]), *sys.argv[1:]],
    "first": os.path.realpath(sys.path[0]), "main": sys.modules["__main__"].__dict__ is globals(),
}))
"""
LAUNCHERS = {
    "command": [sys.executable, "-m", "euroglue.cli", "run"],
    "module": [sys.executable, "-m", "euroglue.run"],
}


def launch(launcher: list[str], *arguments: str, cwd: Path) -> subprocess.CompletedProcess:
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
    return subprocess.run(
        [*launcher, *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": path},
    )


@pytest.fixture(params=sorted(LAUNCHERS))
def launcher(request) -> list[str]:
    return LAUNCHERS[request.param]


@pytest.mark.parametrize(
    "arguments",
    [[], ["--help"], ["--dataset_name", "bgglue", "-x", "--", "y"], ["--json", "a b", ""]],
    ids=" ".join,
)
def test_a_script_sees_what_python_would_show_it(arguments, launcher, tmp_path):
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "probe.py").write_text(PROBE, encoding="utf-8")
    seen = launch(launcher, "inner/probe.py", *arguments, cwd=tmp_path)
    expected = launch([sys.executable], "inner/probe.py", *arguments, cwd=tmp_path)
    assert seen.returncode == 0, seen.stderr
    assert json.loads(seen.stdout) == json.loads(expected.stdout)
    assert json.loads(seen.stdout)["first"] == str((tmp_path / "inner").resolve())


@pytest.mark.parametrize("arguments", [[], ["--help", "-m", "x"]], ids=" ".join)
def test_a_module_sees_what_python_would_show_it(arguments, launcher, tmp_path):
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "__init__.py").write_text("", encoding="utf-8")
    (tmp_path / "pack" / "probe.py").write_text(PROBE, encoding="utf-8")
    seen = launch(launcher, "-m", "pack.probe", *arguments, cwd=tmp_path)
    expected = launch([sys.executable], "-m", "pack.probe", *arguments, cwd=tmp_path)
    assert seen.returncode == 0, seen.stderr
    assert json.loads(seen.stdout) == json.loads(expected.stdout)


def test_a_script_imports_its_neighbours(launcher, tmp_path):
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "neighbour.py").write_text("WORD = 'found'", encoding="utf-8")
    (tmp_path / "inner" / "script.py").write_text("import neighbour; print(neighbour.WORD)", encoding="utf-8")
    assert launch(launcher, "inner/script.py", cwd=tmp_path).stdout == "found\n"


@pytest.mark.parametrize(
    ("program", "code", "error", "why"),
    [
        ("import sys; sys.exit(7)", 7, "", "its exit code"),
        ("import sys; sys.exit('stopped')", 1, "stopped", "its last words"),
        ("raise KeyError('its own')", 1, "KeyError: 'its own'", "its traceback"),
        (
            "from euroglue.errors import EuroglueError; raise EuroglueError('x')",
            1,
            "Traceback",
            "even of an error that our own commands would tell in a line",
        ),
    ],
)
def test_a_script_ends_as_it_would(program, code, error, why, launcher, tmp_path):
    (tmp_path / "script.py").write_text(program, encoding="utf-8")
    done = launch(launcher, "script.py", cwd=tmp_path)
    assert done.returncode == code, why
    assert error in done.stderr


def test_names_resolve_in_a_script_that_knows_nothing_of_us(launcher, tmp_path):
    (tmp_path / "script.py").write_text(
        "import sys\nfrom datasets import load_dataset\n"
        "print(load_dataset(sys.argv[1], sys.argv[2], edition='sample', split='train').num_rows)\n",
        encoding="utf-8",
    )
    done = launch(launcher, "script.py", "bgglue", "cinexio", cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-800:]
    assert int(done.stdout) > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("starter", "processes"),
    [
        (["accelerate.commands.launch", "--cpu", "--num_processes", "1"], 1),
        (["torch.distributed.run", "--nproc_per_node", "2"], 2),
    ],
)
def test_launchers_start_it(starter, processes, tmp_path):
    pytest.importorskip("accelerate")
    (tmp_path / "script.py").write_text(
        "import sys\nfrom accelerate import Accelerator\naccelerator = Accelerator(cpu=True)\n"
        "sys.stdout.write(f'{accelerator.process_index} {sys.argv[1:]}\\n')\n",
        encoding="utf-8",
    )
    launcher = [sys.executable, "-m", *starter, "-m", "euroglue.run"]
    done = launch(launcher, "script.py", "--dataset_name", "bgglue", cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-800:]
    assert sorted(done.stdout.splitlines()) == [f"{rank} ['--dataset_name', 'bgglue']" for rank in range(processes)]
