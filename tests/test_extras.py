# SPDX-License-Identifier: Apache-2.0
"""What needs a library of an extra says which, and the extra brings it."""

import ast
import configparser
import importlib.util
import re
from pathlib import Path

import pytest

from euroglue.errors import EuroglueError
from euroglue.extras import require

ROOT = Path(__file__).parent.parent


def test_all_that_is_missing_is_named_at_once(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in ("torch", "jinja2") else find(name))
    require("this", train=("json",), site=("ast", "re"))
    with pytest.raises(EuroglueError, match=r"^this needs torch, jinja2: pip install 'euroglue\[site,train\]'$"):
        require("this", train=("torch", "json"), site=("jinja2",))


def asked():
    """Every extra and module that the package asks for, as its calls of ``require`` say."""
    for path in sorted((ROOT / "euroglue").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "require":
                for extra in node.keywords:
                    yield from ((extra.arg, name) for name in ast.literal_eval(extra.value))


def test_each_extra_brings_what_is_asked_of_it():
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg", encoding="utf-8")
    extras = {
        name: {re.split(r"[^\w-]", line)[0] for line in lines.split()}
        for name, lines in setup["options.extras_require"].items()
    }
    found = set(asked())
    assert {extra for extra, _ in found} == {"prompt", "site", "stats", "sweep", "train"}
    assert [(extra, name) for extra, name in sorted(found) if name not in extras[extra]] == []
