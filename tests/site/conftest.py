# SPDX-License-Identifier: Apache-2.0
"""A site of the published results and a small store, and a browser that tells what it fetches."""

from __future__ import annotations

import functools
import http.server
import json
import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from euroglue.leaderboard.build import build_site
from euroglue.results import ResultStore
from tests.leaderboard.made import HOSTILE, record, records

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
]


def small_store(folder: Path) -> ResultStore:
    """Three seeds of a Dutch model, one of hostile names, a prompted one that lacks tasks, and rows of two on COPA-NL."""
    store = ResultStore(folder)
    for seed in range(3):
        for one in records(
            "tiny-dutch", 0.70 + 0.01 * seed, seed=seed, parameters=12_000_000, link="https://example.org/tiny"
        ):
            store.add(one)
    hostile = {
        "link": "https://example.org/?a='onmouseover=alert(1)&lt;script&gt;",
        "revision": "</script><b>",
        "settings": {"</pre>": HOSTILE},
    }
    for one in records(HOSTILE, 0.6, **hostile):
        store.add(one)
    for one in records("big/prompted", 0.5, method="prompted", shots=5, parameters=70_000_000_000)[:4]:
        store.add(one)
    for model, right in (("with-rows", 90), ("with-rows-too", 89)):
        rows = {str(place): [float(place < right), 1.0] for place in range(100)}
        kept = record(
            "copanl", right / 100, model, n=100, signature="n:100|data:0", intervals={"accuracy": (0.82, 0.95)}
        )
        store.add(kept, rows)
    for one in records("тест", 0.5, "bgglue", edition="sample"):
        store.add(one)
    return store


@pytest.fixture(scope="session")
def site(tmp_path_factory) -> Path:
    """The folder of the site."""
    pytest.importorskip("jinja2", reason="the extra site brings it")
    work = tmp_path_factory.mktemp("leaderboard")
    build_site(small_store(work / "results").root, work / "site")
    return work / "site"


@pytest.fixture(scope="session")
def served(site) -> Iterator[str]:
    """The address of the site on a web server of this machine."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def browser():
    """Headless Chromium."""
    api = pytest.importorskip("playwright.sync_api", reason="the extra dev brings playwright")
    if CHROMIUM is None:
        pytest.skip("needs Chromium: apt-get install chromium")
    os.environ.setdefault("DBUS_SESSION_BUS_ADDRESS", "disabled:")
    with api.sync_playwright() as running:
        started = running.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield started
        started.close()


@pytest.fixture
def page(browser):
    """A page that must neither complain nor fetch anything from elsewhere."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light")
    page = context.new_page()
    fetched: list[str] = []
    told: list[str] = []
    page.on("request", lambda request: fetched.append(request.url))
    page.on("console", lambda message: told.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: told.append(str(error)))
    yield page
    context.close()
    assert told == []
    assert [url for url in fetched if not url.startswith(("file:///", "http://127.0.0.1:", "data:"))] == []


@pytest.fixture(scope="session")
def long_table(tmp_path_factory):
    """The page of a suite with 300 models, with long names, marks and intervals."""
    work = tmp_path_factory.mktemp("many")
    store = ResultStore(work / "results")
    for number in range(300):
        name = f"organisation-{number}/" + "model-" * (1 + number % 12) + str(number)
        one = record("copanl", 0.3 + number / 1000, name, intervals={"accuracy": (0.2, 0.95)})
        path = store.path(one)  # written plainly: syncing each to the disk takes long
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(one.to_dict()), encoding="utf-8", newline="\n")
    build_site(store.root, work / "site")
    return work / "site/suites/dumb.html"
