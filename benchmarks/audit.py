# SPDX-License-Identifier: Apache-2.0
"""How the search for near duplicates grows: made-up texts, then eight times as many, in one run.

    python benchmarks/audit.py

Comparing every pair would take 64 times as long.
"""

import random
import time

from euroglue.prepare.leakage import near_pairs

SIZE, TIMES = 4000, 8


def seconds(texts: list[str]) -> float:
    """Wall time of one search at the default threshold."""
    start = time.perf_counter()
    near_pairs(texts, 0.8)
    return time.perf_counter() - start


if __name__ == "__main__":
    draw = random.Random(5)
    texts = ["".join(draw.choices("абвгдежзийклмнопрст ", k=60)) for _ in range(TIMES * SIZE)]
    seconds(texts[:200])
    small, large = seconds(texts[:SIZE]), seconds(texts)
    print(
        f"{SIZE:,} texts: {small:.1f} s; {TIMES} times as many: {large / small:.1f} times as long (bar {TIMES * 1.5:.0f})"
    )
