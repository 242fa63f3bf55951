# SPDX-License-Identifier: Apache-2.0
"""Prepare DUMB from its raw files and write a folder that `load_dataset(FOLDER, TASK)` reads without euroglue.

Runs on any machine with the base install; nothing is downloaded that is already in --data-dir or $EUROGLUE_RAW_DIR.

    python preprocessing/prepare_dumb.py --out prepared/dumb
    python preprocessing/prepare_dumb.py sicknl-nli dbrd --out prepared/open
"""

from dumb_datasets import SUITE
from euroglue.exits import run
from euroglue.prepare.script import main

if __name__ == "__main__":
    run(lambda: main(SUITE, __doc__))
