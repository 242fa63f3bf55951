# SPDX-License-Identifier: Apache-2.0
"""What the scripts that prepare a suite share: their arguments, and what they do with them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from euroglue.exits import Parser
from euroglue.prepare.export import export
from euroglue.prepare.pipeline import Prepared, prepare
from euroglue.prepare.provide import provide
from euroglue.selection import choose
from euroglue.task import Suite


def main(suite: Suite, description: str | None, arguments: Sequence[str] | None = None) -> None:
    """Prepare the tasks asked for, say what came out of each, and write them as a folder.

    Args:
        suite: whose tasks they are.
        description: of the script, for its help.
        arguments: those of the command line if not given.
    """
    parser = Parser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("tasks", nargs="*", metavar="TASK", help="by default all that have the edition")
    add("--edition", help="official, rebuilt or sample; by default each task's own default")
    add("--data-dir", help="folder with the raw files")
    add("--lemma-lists", metavar="FILE", help="the lemmas of each split, for tasks on words in context")
    add("--out", required=True, metavar="DIR", help="folder to write")
    add("--allow-changed-source", action="store_true", help="accept raw files that differ from the published ones")
    add("--allow-missing-splits", action="store_true", help="leave out raw files not at hand, and their splits")
    options = parser.parse_args(arguments)
    tasks = choose(suite.name, options.tasks, options.edition)
    if options.lemma_lists:
        provide(tasks, options.edition, "lemma-lists", options.lemma_lists)
    how = {name: getattr(options, name) for name in ("data_dir", "allow_changed_source", "allow_missing_splits")}
    made = []
    for task in tasks:
        made.append(prepare(task, options.edition, **how))
        _tell(made[-1])
    export(suite, made, options.out)
    print(f"written to {options.out}")


def _tell(made: Prepared) -> None:
    sizes = ", ".join(f"{split} {about['rows']:,}" for split, about in made.manifest["splits"].items())
    print(f"{made.task.path} ({made.edition}): {sizes}")
    for finding in made.manifest["findings"]:
        print(f"  found: {finding}")
