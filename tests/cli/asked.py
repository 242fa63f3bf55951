# SPDX-License-Identifier: Apache-2.0
"""Commands asked in this process: what they return and print."""

from __future__ import annotations

import json

import pytest

from euroglue.cli import main


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    return (code, *capsys.readouterr())


def run_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, object]:
    code, out, _ = run(capsys, *arguments, "--json")
    return code, json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
