# SPDX-License-Identifier: Apache-2.0
"""How long a run takes to have its features: 400,000 made-up pairs, at the first start and at the second.

Each start is a process of its own. It is timed from the data set (Arrow files) to the features: reading the columns,
their fingerprint, encoding or finding the features, and one look at a batch. Libraries and tokenizer are loaded before.

    python benchmarks/features.py --model models/e5-small      a pretrained encoder's tokenizer
    python benchmarks/features.py                              one made from scratch

Exit code 1 if the second start takes longer than the bar.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from euroglue.registry import find_task
from euroglue.training.tiny import build_tiny_encoder

BAR = 10.0
TASK = find_task("bgglue", "xnlibg")
SYLLABLES = [a + b for a in "бвгдзклмнпрст" for b in "аеиоу"]


def make_pairs(count: int, folder: Path, seed: int) -> None:
    """Write pairs of made-up sentences, 20 and 10 words long on average, as a data set on disk."""
    from datasets import Dataset

    draw = np.random.default_rng(seed)
    words = np.array(["".join(draw.choice(SYLLABLES, size)) for size in draw.integers(1, 5, 20_000)])

    def sentences(mean: int) -> list[str]:
        ends = np.cumsum(draw.poisson(mean, count) + 1)
        chosen = words[draw.integers(0, len(words), ends[-1])]
        return [" ".join(part) for part in np.split(chosen, ends[:-1])]

    texts = {name: sentences(mean) for name, mean in zip(TASK.inputs, (20, 10), strict=True)}
    labels = draw.integers(0, len(TASK.labels), count).tolist()
    rows = {TASK.id_column: [f"train-{i}" for i in range(count)], **texts, TASK.target: labels}
    Dataset.from_dict(rows).save_to_disk(str(folder))


def start(folder: str, model: str) -> None:
    """One start, as a run makes it; prints its seconds."""
    from datasets import Dataset

    from euroglue.training.data import columns, fingerprint
    from euroglue.training.features import prepare_features
    from euroglue.training.kinds import KINDS
    from euroglue.training.models import load_tokenizer

    kind = KINDS[TASK.kind.value](TASK, load_tokenizer(model), max_length=128, stride=32)
    began = time.perf_counter()
    rows = columns(TASK, Dataset.load_from_disk(folder))
    read = time.perf_counter()
    digest = fingerprint(rows)
    features = prepare_features(kind, rows, digest)
    kind.collate(features[:32])
    done = time.perf_counter()
    lengths = int(features.lengths.sum())
    print(json.dumps({"read": read - began, "features": done - read, "count": len(features), "pieces": lengths}))


def main(arguments: argparse.Namespace) -> int:
    """Measure and print; 1 if the second start is too slow."""
    if arguments.start:
        start(arguments.start, arguments.model)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        make_pairs(arguments.pairs, Path(folder) / "pairs", arguments.seed)
        texts = ("".join(SYLLABLES[i:]) for i in range(len(SYLLABLES)))
        model = arguments.model or str(build_tiny_encoder(texts, Path(folder) / "model", vocab_size=2000, hidden=16))
        command = [sys.executable, __file__, "--start", str(Path(folder) / "pairs"), "--model", model]
        environment = {**os.environ, "EUROGLUE_HOME": str(Path(folder) / "home")}
        for name in ("first", "second"):
            done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
            said = json.loads(done.stdout.splitlines()[-1])
            seconds = said["read"] + said["features"]
            print(
                f"{name} start: {seconds:6.1f} s ({said['read']:.1f} reading the columns, {said['features']:.1f} the "
                f"features); {said['count']:,} pairs, {said['pieces']:,} sub-words",
                flush=True,
            )
    print(f"bar for the second start: {BAR:.0f} s")
    return 0 if seconds <= BAR else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="an encoder, folder or Hub id, whose tokenizer is used")
    parser.add_argument("--pairs", type=int, default=400_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", metavar="FOLDER", help="only make one start on the pairs there")
    sys.exit(main(parser.parse_args()))
