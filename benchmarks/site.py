# SPDX-License-Identifier: Apache-2.0
"""Building the leaderboard of 1,000 models on all tasks of all suites, and sorting its largest table in Chromium.

    python benchmarks/site.py

Sorting is timed in the page, from the click to the next layout, once for each column; the browser part is left out where
Playwright or Chromium is missing.
"""

import importlib.util
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from euroglue.registry import SUITES
from euroglue.results import Record, ResultStore
from euroglue.scoring import metric_for

MODELS = 1000
BUILD_BAR, SORT_BAR = 20.0, 200.0
SORT = """(head) => { const start = performance.now(); head.querySelector('button').click();
document.querySelector('.board').getBoundingClientRect(); return performance.now() - start; }"""


def fill(store: ResultStore) -> int:
    """A result of every model on every task; returns how many tasks there are."""
    rng, tasks = random.Random(0), [task for suite in SUITES.values() for task in suite.tasks.values()]
    for number in range(MODELS):
        level, size = rng.uniform(0.3, 0.9), int(10 ** rng.uniform(7, 11))
        for task in tasks:
            key = metric_for(task).primary
            value = min(0.999, max(0.01, rng.gauss(level, 0.05)))
            record = Record(
                suite=task.suite,
                task=task.name,
                model=f"organisation-{number % 97}/model-{number}",
                method="fine-tuned",
                primary=key,
                scores={key: value},
                n=1000,
                signature="n:1000",
                parameters=size,
            )
            path = store.path(record)  # written plainly: syncing each to the disk takes minutes
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(record.to_dict()), encoding="utf-8", newline="\n")
    return len(tasks)


def sort_times(page_file: Path) -> list[float]:
    """Milliseconds of sorting each column of a table that shows all its rows."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as running:
        browser = running.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(f"file://{page_file}")
        heads = page.query_selector_all(".board thead th")
        times = [head.evaluate(SORT) for head in heads]
        browser.close()
    return times


def main() -> None:
    """Fill a store, build its site by the command, sort the tables."""
    with tempfile.TemporaryDirectory() as work:
        tasks = fill(ResultStore(f"{work}/results"))
        start = time.perf_counter()
        command = [
            sys.executable,
            "-m",
            "euroglue.cli",
            "leaderboard",
            "build",
            f"{work}/results",
            "--out",
            f"{work}/site",
        ]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        seconds = time.perf_counter() - start
        print(f"leaderboard build, {MODELS:,} models x {tasks} tasks: {seconds:.1f} s (bar {BUILD_BAR:.0f} s)")
        if importlib.util.find_spec("playwright") is None or shutil.which("chromium") is None:
            print("sorting is not timed: Playwright or Chromium is missing")
            return
        for path in sorted(Path(f"{work}/site/suites").glob("*.html")):
            times = sort_times(path)
            if times:
                print(
                    f"sorting {path.stem}, all rows: median {statistics.median(times):.0f} ms, slowest {max(times):.0f} ms "
                    f"(bar {SORT_BAR:.0f} ms)"
                )
        print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
