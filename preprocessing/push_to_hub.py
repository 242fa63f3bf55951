# SPDX-License-Identifier: Apache-2.0
"""Push prepared splits of a suite to the Hub: one commit, checked by reading it back.

What a licence does not allow to be passed on is refused before anything is sent. The token is the one that this machine is
logged in with (`hf auth login`) or $HF_TOKEN.

    python preprocessing/push_to_hub.py bgglue --edition sample --repo my-organisation/bgglue-sample
    python preprocessing/push_to_hub.py dumb sicknl-nli --repo my-organisation/dumb --hide-labels test
"""

from euroglue.exits import Parser, run
from euroglue.prepare import prepare
from euroglue.publish.hub import push
from euroglue.registry import SUITES
from euroglue.selection import choose


def main() -> None:
    """Prepare each task, push them together, say what changed."""
    parser = Parser(description="Push prepared splits of a suite to the Hub.")
    parser.add_argument("suite", metavar="SUITE")
    parser.add_argument("tasks", nargs="*", metavar="TASK", help="by default all that have the edition")
    parser.add_argument("--repo", required=True, metavar="ORG/NAME", help="the data set repository")
    parser.add_argument("--private", action="store_true", help="make the repository private; a public one is refused")
    parser.add_argument("--hide-labels", action="append", default=[], metavar="SPLIT", help="leave out its labels")
    parser.add_argument("--edition", help="official, rebuilt or sample; by default each task's own default")
    parser.add_argument("--data-dir", help="folder with the raw files")
    options = parser.parse_args()
    tasks = choose(options.suite, options.tasks, options.edition)
    made = [prepare(task, options.edition, data_dir=options.data_dir) for task in tasks]
    suite = SUITES[options.suite]
    done = push(suite, made, options.repo, private=options.private, hidden=options.hide_labels)
    print(f"{done.url} at {done.commit[:12]}: {len(done.written)} files written, {len(done.removed)} removed")


if __name__ == "__main__":
    run(main)
