# SPDX-License-Identifier: Apache-2.0
"""Every test runs offline, with caches of its own session; real raw data only where $EUROGLUE_RAW_DIR is set."""

import ipaddress
import os
import re
import socket
import tempfile
from pathlib import Path

import pytest

SHARED = "EUROGLUE_TESTS_CACHES"
CACHES = Path(os.environ.setdefault(SHARED, tempfile.mkdtemp(prefix="euroglue-tests-")))
"""Of all processes of a session: pytest-xdist's workers inherit the variable, so that an edition is prepared once."""
os.environ["HF_HOME"] = str(CACHES / "huggingface")
os.environ["EUROGLUE_HOME"] = str(CACHES / "euroglue")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("OMP_NUM_THREADS", "1")  # tiny models are not faster on more, and threads spin on a busy machine
RAW = os.environ.get("EUROGLUE_RAW_DIR")

_connect = socket.socket.connect


def _is_loopback(address: object) -> bool:
    if not isinstance(address, tuple):
        return True  # a Unix socket
    host = address[0]
    return host == "localhost" or ipaddress.ip_address(host).is_loopback


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    """Refuse every connection but those to this machine."""

    def connect(self, address):
        if not _is_loopback(address):
            raise AssertionError(f"a test tried to reach {address}")
        return _connect(self, address)

    lookup = socket.getaddrinfo

    def getaddrinfo(host, *args, **kwargs):
        if host not in (None, "", "localhost", "127.0.0.1", "::1", socket.gethostname()):
            raise AssertionError(f"a test tried to look up {host}")
        return lookup(host, *args, **kwargs)

    monkeypatch.setattr(socket.socket, "connect", connect)
    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)


@pytest.fixture
def raw_dir() -> Path:
    """The folder of real raw data; a test that asks for it skips where there is none."""
    if not RAW:
        pytest.skip("needs real raw data: set EUROGLUE_RAW_DIR")
    return Path(RAW)


@pytest.fixture
def fixtures() -> Path:
    """The folder of small made-up raw files."""
    return Path(__file__).parent / "fixtures"


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    """A fresh $EUROGLUE_HOME and Hugging Face data cache for one test."""
    monkeypatch.setenv("EUROGLUE_HOME", str(tmp_path / "euroglue"))
    import datasets

    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", str(tmp_path / "datasets"))
    return tmp_path / "euroglue"


def pytest_collection_modifyitems(items):
    """A regression test says of which fault: a repository and the number or the short name of the issue."""
    for item in items:
        for mark in item.iter_markers("issue"):
            if not re.fullmatch(r"[\w.-]+#[\w.-]+", *mark.args):
                raise pytest.UsageError(f"{item.nodeid}: expected an issue as repository#name, got {mark.args}")
