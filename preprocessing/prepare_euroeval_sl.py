# SPDX-License-Identifier: Apache-2.0
"""Prepare EuroEval Slovene from its raw files and write a folder that `load_dataset(FOLDER, TASK)` reads without euroglue.

Runs on any machine with the base install; nothing is downloaded that is already in --data-dir or $EUROGLUE_RAW_DIR.

    python preprocessing/prepare_euroeval_sl.py --out prepared/euroeval_sl
    python preprocessing/prepare_euroeval_sl.py scala-sl --edition official --allow-missing-splits --out prepared/scala
"""

import argparse
import sys

import euroeval_datasets
from euroglue.errors import EuroglueError
from euroglue.prepare import prepare
from euroglue.prepare.export import export
from euroglue.selection import choose


def main() -> None:
    """Prepare each task, say what came out, write the folder."""
    parser = argparse.ArgumentParser(description="Prepare EuroEval Slovene and write it as Parquet.")
    parser.add_argument("tasks", nargs="*", metavar="TASK", help="by default all that have the edition")
    parser.add_argument("--edition", help="official, rebuilt or sample; by default each task's own default")
    parser.add_argument("--data-dir", help="folder with the raw files")
    parser.add_argument("--out", required=True, help="folder to write")
    parser.add_argument(
        "--allow-changed-source", action="store_true", help="accept files that differ from the published"
    )
    parser.add_argument(
        "--allow-missing-splits", action="store_true", help="go on without the raw files that are not at hand"
    )
    options = parser.parse_args()
    made = []
    for task in choose(euroeval_datasets.SUITE.name, options.tasks, options.edition):
        made.append(
            prepare(
                task,
                options.edition,
                data_dir=options.data_dir,
                allow_changed_source=options.allow_changed_source,
                allow_missing_splits=options.allow_missing_splits,
            )
        )
        sizes = ", ".join(f"{split} {about['rows']:,}" for split, about in made[-1].manifest["splits"].items())
        print(f"{task.path} ({made[-1].edition}): {sizes}")
        for finding in made[-1].manifest["findings"]:
            print(f"  found: {finding}")
    export(euroeval_datasets.SUITE, made, options.out)
    print(f"written to {options.out}")


if __name__ == "__main__":
    try:
        main()
    except EuroglueError as error:
        print(f"prepare_euroeval_sl: {error}", file=sys.stderr)
        sys.exit(2)
