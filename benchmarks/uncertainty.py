# SPDX-License-Identifier: Apache-2.0
"""Bootstrap intervals beside resampling with seqeval, and DUMB's mixed-effects test: ``python benchmarks/uncertainty.py``.

1,000 resamples of entity F1 over 10,000 made-up sentences (those of ``entity_f1.py``), from lists of tags to the interval.
The peer draws sentences and scores them with seqeval; a few of its resamples are timed, and the time of 1,000 is extrapolated
from them. Both see the same draws, so that their scores must be equal.

The mixed-effects regression is fitted to made-up right and wrong answers of 14 models, 5 runs each, from single observations
to both reference levels; each size in a process of its own, whose peak memory is printed. Ends with 1 if a bar is missed.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time

import numpy as np

SENTENCES, RESAMPLES = 10_000, 1000
MODELS, RUNS = 14, 5
SIZES = {35_000: (1.5, 2048), 1_000_000: (40.0, 2048)}
"""Observations → seconds and MiB that the regression may take."""


def bootstrap(peers: int) -> bool:
    """Time both ways of resampling; whether ours is quick enough."""
    from entity_f1 import LABELS, corpus
    from seqeval.metrics import f1_score

    from euroglue.scoring.bootstrap import Bootstrap, Sample, draws, replicate
    from euroglue.scoring.entity_f1 import EntityF1

    gold, predicted = (side[:SENTENCES] for side in corpus(30 * SENTENCES, seed=1))
    metric, how = EntityF1(LABELS), Bootstrap(resamples=RESAMPLES)
    times = []
    for _ in range(3):
        start = time.perf_counter()
        rows = metric.statistics(predicted, gold)
        interval = how.intervals(metric, rows)["f1"]
        times.append(time.perf_counter() - start)
    scores = replicate(Sample(metric, rows), draws(SENTENCES, RESAMPLES, how.seed))["f1"]
    drawn = np.random.default_rng(how.seed).integers(0, SENTENCES, (RESAMPLES, SENTENCES))[:peers]
    start = time.perf_counter()
    theirs = [f1_score([gold[i] for i in row], [predicted[i] for i in row]) for row in drawn.tolist()]
    peer = (time.perf_counter() - start) / peers * RESAMPLES
    ours, same = min(times), bool(np.allclose(theirs, scores[:peers], atol=1e-12))
    print(
        f"entity F1, {SENTENCES:,} sentences, {RESAMPLES:,} resamples, BCa: {interval.low:.4f} to {interval.high:.4f}"
    )
    print(f"{'euroglue':32}{ours:8.2f} s   bar  2.00 s")
    print(
        f"{'seqeval, extrapolated':32}{peer:8.2f} s   from {peers} resamples; scores {'equal' if same else 'DIFFERENT'}"
    )
    print(f"{'ratio':32}{peer / ours:8.0f}     bar   200")
    return same and ours <= 2.0 and peer / ours >= 200


def observations(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """About ``count`` single answers: whether right, by which model, to which item."""
    rng, items = np.random.default_rng(1), count // (MODELS * RUNS)
    odds = np.linspace(0.2, 1.4, MODELS)[:, None] + 2 * rng.normal(size=(items, 1, 1))
    right = rng.random((items, MODELS, RUNS)) < 1 / (1 + np.exp(-odds))
    model = np.broadcast_to(np.arange(MODELS)[:, None], right.shape)
    return right.ravel(), model.ravel(), np.repeat(np.arange(items), MODELS * RUNS)


def regression(count: int) -> bool:
    """Time one regression in this process; whether it is quick and small enough."""
    from euroglue.scoring.correctness import Correctness
    from euroglue.scoring.mixed_effects import fit

    data = observations(count)
    start = time.perf_counter()
    found = fit(Correctness.of_observations(*data))
    for reference in ("0", str(MODELS - 1)):
        found.against(reference)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    bar, room = SIZES[count]
    what = f"mixed effects, {len(data[0]):,} observations"
    print(f"{what:40}{seconds:8.2f} s   bar {bar:5.1f} s   peak {peak:5.0f} MiB   bar {room} MiB   sd {found.sd:.3f}")
    return seconds <= bar and peak <= room


def main() -> int:
    """Run all and say whether every bar was met."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peers", type=int, default=5, help="resamples scored with seqeval (default: 5)")
    parser.add_argument("--regression", type=int, choices=list(SIZES), help="only one regression of this size")
    options = parser.parse_args()
    if options.regression:
        return 0 if regression(options.regression) else 1
    commands = [[sys.executable, __file__, "--regression", str(count)] for count in SIZES]
    good = [
        subprocess.run(command).returncode == 0 for command in commands
    ]  # first: a child's peak begins at its parent's
    good.append(bootstrap(options.peers))
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
