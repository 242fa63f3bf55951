# SPDX-License-Identifier: Apache-2.0
"""Write every task's card to ``docs/tasks``; ``--check`` only compares (``make docs``, ``make test``)."""

import argparse
import sys
from pathlib import Path

from euroglue.publish.card import task_card
from euroglue.registry import SUITES

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--check", action="store_true", help="change nothing; exit with 1 where a card is out of date")
arguments = parser.parse_args()

folder = Path(__file__).parent / "tasks"
cards = {
    folder / suite.name / f"{task.name}.md": task_card(task)
    for suite in SUITES.values()
    for task in suite.tasks.values()
}
stale = [path for path, text in cards.items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
stale += sorted(set(folder.glob("*/*.md")) - set(cards))
if arguments.check:
    for path in stale:
        print(f"{path.relative_to(folder.parent.parent)} is out of date: run make docs")
    sys.exit(1 if stale else 0)
for path, text in cards.items():
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
