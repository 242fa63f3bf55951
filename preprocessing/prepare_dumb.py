# SPDX-License-Identifier: Apache-2.0
"""Prepare DUMB from its raw files and write a folder that `load_dataset(FOLDER, TASK)` reads without euroglue.

Runs on any machine with the base install; nothing is downloaded that is already in --data-dir or $EUROGLUE_RAW_DIR.

    python preprocessing/prepare_dumb.py --out prepared/dumb
    python preprocessing/prepare_dumb.py sicknl-nli dbrd --out prepared/open
"""

import argparse
import sys

import dumb_datasets
from euroglue.errors import EuroglueError
from euroglue.prepare import prepare
from euroglue.prepare.export import export
from euroglue.prepare.provide import provide
from euroglue.selection import choose


def main() -> None:
    """Prepare each task, say what came out, write the folder."""
    parser = argparse.ArgumentParser(description="Prepare DUMB and write it as Parquet.")
    parser.add_argument("tasks", nargs="*", metavar="TASK", help="by default all that have the edition")
    parser.add_argument("--edition", help="official, rebuilt or sample; by default each task's own default")
    parser.add_argument("--data-dir", help="folder with the raw files")
    parser.add_argument("--lemma-lists", metavar="FILE", help="lemmas of each split of WiC-NL (JSON or its wic-nl.py)")
    parser.add_argument("--out", required=True, help="folder to write")
    parser.add_argument(
        "--allow-changed-source", action="store_true", help="accept files that differ from the published"
    )
    options = parser.parse_args()
    tasks = choose(dumb_datasets.SUITE.name, options.tasks, options.edition)
    if options.lemma_lists:
        provide(tasks, options.edition, "lemma-lists", options.lemma_lists)
    made = []
    for task in tasks:
        made.append(
            prepare(task, options.edition, data_dir=options.data_dir, allow_changed_source=options.allow_changed_source)
        )
        sizes = ", ".join(f"{split} {about['rows']:,}" for split, about in made[-1].manifest["splits"].items())
        print(f"{task.path} ({made[-1].edition}): {sizes}")
        for finding in made[-1].manifest["findings"]:
            print(f"  found: {finding}")
    export(dumb_datasets.SUITE, made, options.out)
    print(f"written to {options.out}")


if __name__ == "__main__":
    try:
        main()
    except EuroglueError as error:
        print(f"prepare_dumb: {error}", file=sys.stderr)
        sys.exit(2)
