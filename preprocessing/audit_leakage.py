# SPDX-License-Identifier: Apache-2.0
"""Look for repeated texts, near duplicates and shared groups in and between the splits of prepared tasks.

Prints one line for each finding and, with --json, writes all of them, zeros included. `euroglue audit` shows the same
numbers as tables.

    python preprocessing/audit_leakage.py bgglue cinexio wikiannbg
    python preprocessing/audit_leakage.py bgglue --edition rebuilt --json audit.json
    python preprocessing/audit_leakage.py euroeval_sl sentinews --edition official --against rebuilt
"""

from pathlib import Path

from euroglue import strict_json
from euroglue.exits import Parser, run
from euroglue.prepare import prepare
from euroglue.prepare.comparison import compare
from euroglue.prepare.leakage import audit
from euroglue.selection import choose


def main() -> None:
    """Audit each task and print what was found."""
    parser = Parser(description="Audit prepared tasks for leakage between splits.")
    parser.add_argument("suite", metavar="SUITE")
    parser.add_argument("tasks", nargs="*", metavar="TASK", help="by default all that have the edition")
    parser.add_argument("--edition", help="official, rebuilt or sample; by default each task's own default")
    parser.add_argument("--against", help="another edition: what both share side by side")
    parser.add_argument("--data-dir", help="folder with the raw files")
    parser.add_argument("--near-threshold", type=float, default=0.8, help="Jaccard similarity, 0.1 to 1")
    parser.add_argument("--json", type=Path, help="also write everything to this file")
    options = parser.parse_args()
    results = []
    for task in choose(options.suite, options.tasks, options.edition):
        made = prepare(task, options.edition, data_dir=options.data_dir)
        if options.against:
            other = prepare(task, options.against, data_dir=options.data_dir)
            both = compare(made, other, near_threshold=options.near_threshold)
            results.append(both.to_dict())
            print(f"{task.path} ({made.edition}, {other.edition}):", *(both.lines() or ["clean"]), sep="\n  ")
            continue
        tables = {split: made.table(split) for split in made.splits}
        found = audit(task, tables, near_threshold=options.near_threshold)
        results.append({"edition": made.edition, **found.to_dict()})
        print(f"{task.path} ({made.edition}): {'clean' if found.clean else ''}")
        for finding in (*found.repeats, *found.leaks):
            print(f"  {finding.kind}, {' and '.join(finding.splits)}: {finding.count:,}")
    if options.json:
        strict_json.write(options.json, results)


if __name__ == "__main__":
    run(main)
