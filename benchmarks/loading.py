# SPDX-License-Identifier: Apache-2.0
"""Cost of our names: import, command line, and a cached ``load_dataset`` beside the same Parquet by ``parquet``.

    python benchmarks/loading.py

Uses the official ``wikiannbg`` where its raw file is to be had, else its sample edition. Each pair is timed in turns within
one run; the median of the ratios (or differences) is printed beside its bar.
"""

import statistics
import subprocess
import sys
import time

ROUNDS = 9


def seconds(code: str) -> float:
    """Wall time of a fresh interpreter that runs ``code``."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def imports() -> None:
    """What ``import bgglue_datasets`` adds to ``import datasets``, and how long ``euroglue --help`` takes."""
    differences, helps = [], []
    for _ in range(ROUNDS):
        plain = seconds("import datasets")
        differences.append(seconds("import datasets, bgglue_datasets") - plain)
        helps.append(seconds("import sys; sys.argv = ['euroglue', '--help']; from euroglue.cli import main; main()"))
    print(f"import bgglue_datasets over import datasets: {statistics.median(differences):.3f} s (bar 0.3 s)")
    print(f"euroglue --help: {statistics.median(helps):.3f} s (bar 0.6 s)")


def cached_load() -> None:
    """A second ``load_dataset`` by our name and of the same Parquet files by the ``parquet`` builder."""
    import datasets

    import bgglue_datasets
    from euroglue.errors import RawFileError
    from euroglue.prepare import prepare

    datasets.disable_progress_bars()
    task = bgglue_datasets.SUITE.tasks["wikiannbg"]
    try:
        prepared = prepare(task, "official")
    except RawFileError:
        prepared = prepare(task, "sample")
    files = {split: str(prepared.file(split)) for split in prepared.splits}

    def ours() -> None:
        datasets.load_dataset("bgglue", "wikiannbg", edition=prepared.edition)

    def parquet() -> None:
        datasets.load_dataset("parquet", data_files=files)

    ours(), parquet()
    ratios = []
    for _ in range(ROUNDS * 3):
        start = time.perf_counter()
        ours()
        middle = time.perf_counter()
        parquet()
        ratios.append((middle - start) / (time.perf_counter() - middle))
    print(f"cached load_dataset({prepared.edition}): {statistics.median(ratios):.2f} x parquet (bar 1.3 x)")


if __name__ == "__main__":
    imports()
    cached_load()
