# SPDX-License-Identifier: Apache-2.0
"""Write the cards of tasks and modules and the page of metrics from the literals; ``--check`` only compares."""

import argparse
import sys
from pathlib import Path

from euroglue.modules import MODULES
from euroglue.modules.card import render
from euroglue.publish.card import task_card, tasks_page
from euroglue.registry import SUITES
from euroglue.scoring import catalogue

OURS = ("bgglue", "dumb", "euroeval_sl")

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--check", action="store_true", help="change nothing; exit with 1 where a page is out of date")
arguments = parser.parse_args()

root = Path(__file__).parent.parent
pages = {root / "metrics" / name / "README.md": render(name) for name in MODULES}
pages[root / "docs" / "metrics.md"] = catalogue.page()
pages[root / "docs" / "tasks" / "index.md"] = tasks_page([SUITES[name] for name in OURS])
for suite in (SUITES[name] for name in OURS):
    pages |= {
        root / "docs" / "tasks" / suite.name / f"{task.name}.md": task_card(task) for task in suite.tasks.values()
    }
stale = [path for path, text in pages.items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
stale += sorted(set(root.glob("docs/tasks/**/*.md")) - set(pages))
if arguments.check:
    for path in stale:
        print(f"{path.relative_to(root)} is out of date: run make docs")
    sys.exit(1 if stale else 0)
for path, text in pages.items():
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
