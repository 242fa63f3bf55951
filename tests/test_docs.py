# SPDX-License-Identifier: Apache-2.0
"""The documentation site: it builds without a warning and asks nothing of other machines."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from euroglue.cli import COMMANDS

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    pytest.importorskip("mkdocs")
    folder = tmp_path_factory.mktemp("docs")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def test_every_task_and_metric_has_its_page(site):
    pages = {path.relative_to(site).as_posix() for path in site.rglob("*.html")}
    assert {"index.html", "metrics.html", "tasks/index.html", "tasks/euroeval_sl/scala-sl.html"} <= pages
    assert len([page for page in pages if re.fullmatch(r"tasks/\w+/[\w-]+\.html", page)]) == 24


def test_no_page_fetches_anything_from_elsewhere(site):
    fetched = re.compile(
        r"""<(?:script|img|iframe)[^>]*\ssrc=["'](https?:)?//|<link[^>]*rel=["']?(?:stylesheet|preconnect)["']?[^>]*//"""
    )
    pages = list(site.rglob("*.html"))
    assert pages
    for page in pages:
        assert not fetched.search(page.read_text(encoding="utf-8")), page.name


def test_commands_in_the_documentation_exist():
    known = {
        name
        for module in COMMANDS
        for name in re.findall(r'(?:command\(|name=)"([a-z-]+)"', Path(module.__file__).read_text("utf-8"))
    }
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for line in re.findall(r"^euroglue ([a-z-]+)", page.read_text(encoding="utf-8"), flags=re.M):
            assert line in known, f"{page.name}: euroglue {line}"
