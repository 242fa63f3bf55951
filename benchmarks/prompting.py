# SPDX-License-Identifier: Apache-2.0
"""Asking language models, in one run: ``python benchmarks/prompting.py [N]``.

Two races and a scale. (1) A small causal model (random weights, 4 layers, 256 wide) on CPU weighs the three answers to N questions after
the same 12 shots, with the shared beginning computed once and without; the answers must be the same. (2) A server on this
machine that takes 0.2 s for each answer is asked 1,000 questions, 16 at a time; beside it stands the least time that takes.
(3) 10,000 questions
are made one by one and asked of either backend, while the memory of this process is looked at. Ends with 1 if a bar is missed or
an answer differs.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

os.environ["TOKENIZERS_PARALLELISM"] = "false"
sys.path.insert(0, str(Path(__file__).parent.parent))

from euroglue.prepare import prepare
from euroglue.prepare.leakage import texts_of
from euroglue.prompting.build import Builder
from euroglue.prompting.kinds import kind_of
from euroglue.prompting.local import Local
from euroglue.prompting.request import Message, Request
from euroglue.prompting.server import Server
from euroglue.prompting.shots import Rows, Shots
from euroglue.prompting.tiny import build_tiny_decoder
from euroglue.registry import find_task
from tests.prompting.fake_server import FakeServer

SHOTS, REUSE_BAR = 12, 4.0
QUESTIONS, LATENCY, AT_ONCE, WAIT_BAR = 1000, 0.2, 16, 1.3
CLOSE = 1e-3
SHARED = "Besedilo: sonce sije.\nOdgovor: da\n\n" * 8
MANY, GROWTH_BAR = 10_000, 32
"""Questions, and by how many MB the memory may grow from the second thousand of them to the last."""


def requests(count: int) -> tuple[list[Request], list[str]]:
    """So many requests about the sample of Sentinews with 12 fixed shots, and the texts of its training split."""
    task = find_task("euroeval_sl", "sentinews")
    made = prepare(task, "sample")
    assert task.prompt is not None
    kind, rows = kind_of(task, task.prompt), Rows(made.table("test"))
    shots = Shots(kind, Rows(made.table("train")), count=SHOTS, seed=1, fixed=True)
    builder = Builder(kind, chat=False, fixed=True)
    asked = []
    for number in range(count):
        row = rows[number % len(rows)]
        request = builder.request(str(row["id"]), row, shots.of(str(row["id"]), row))
        asked.append(dataclasses.replace(request, id=str(number)))
    return asked, texts_of(task, made.table("train"))


def reuse(count: int) -> bool:
    """The first race."""
    asked, texts = requests(count)
    with tempfile.TemporaryDirectory() as folder:
        model = build_tiny_decoder(texts, Path(folder) / "model", hidden=256, layers=4)
        seconds, answers = {}, {}
        for name, kept in (("kept", True), ("plain", False)):
            backend = Local(str(model), reuse=kept, device="cpu")
            list(backend.answer(asked[:2]))
            start = time.process_time()
            answers[name] = {answer.id: answer.scores or {} for answer in backend.answer(asked)}
            seconds[name] = time.process_time() - start
    same = all(
        max(answers[name][key], key=answers[name][key].__getitem__) == max(scores, key=scores.__getitem__)
        for name in answers
        for key, scores in answers["plain"].items()
    )
    furthest = max(
        abs(score - answers["plain"][key][word])
        for key, scores in answers["kept"].items()
        for word, score in scores.items()
    )
    ratio = seconds["plain"] / seconds["kept"]
    each = {name: count / took for name, took in seconds.items()}
    print(f"{count} questions, {SHOTS} shots, processor time: {each['kept']:.1f} questions/s with the beginning kept,")
    print(
        f"  {each['plain']:.1f} without: {ratio:.1f} x (bar {REUSE_BAR:g} x); log-probabilities differ by {furthest:.1e}"
    )
    return ratio >= REUSE_BAR and furthest < CLOSE and same


def waiting() -> bool:
    """The second race."""
    asked = [Request(id=str(number), messages=(Message("user", "?"),)) for number in range(QUESTIONS)]
    with FakeServer(latency=LATENCY, record=False) as fake:
        server = Server("m", url=fake.url, concurrency=AT_ONCE)
        list(server.answer(asked[:AT_ONCE]))
        start = time.perf_counter()
        count = len(list(server.answer(asked)))
        took = time.perf_counter() - start
    ideal = QUESTIONS * LATENCY / AT_ONCE
    print(f"{count} questions to a server, {AT_ONCE} at a time, {LATENCY} s each: {took:.1f} s,")
    print(f"  {took / ideal:.2f} x the least there is, {ideal:.1f} s (bar {WAIT_BAR:g} x)")
    return took / ideal <= WAIT_BAR


def memory() -> bool:
    """The scale."""
    import psutil

    def asked(chat: bool) -> Iterator[Request]:
        for number in range(MANY):
            text = f"Besedilo {number}: " + "sonce sije in dež pada " * 20
            turns = (Message("user", text),) if chat else ()
            yield Request(
                id=str(number), shared="" if chat else SHARED, text=text, messages=turns, choices=(" da", " ne")
            )

    held: dict[str, list[float]] = {}
    process = psutil.Process()
    with tempfile.TemporaryDirectory() as folder, FakeServer(record=False) as fake:
        model = build_tiny_decoder([SHARED], Path(folder) / "model", hidden=32, layers=1)
        for name, backend in (
            ("in this process", Local(str(model), device="cpu")),
            ("a server", Server("m", url=fake.url, concurrency=AT_ONCE)),
        ):
            held[name] = []
            for number, _ in enumerate(backend.answer(asked(backend.chat)), 1):
                if number % 1000 == 0:
                    held[name].append(process.memory_info().rss / 2**20)
    for name, sizes in held.items():
        print(
            f"{MANY} questions, {name}: MB of memory after each thousand: {', '.join(f'{size:.0f}' for size in sizes)}"
        )
    return all(sizes[-1] - sizes[1] <= GROWTH_BAR for sizes in held.values())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("questions", nargs="?", type=int, default=240, metavar="N")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    fast = [reuse(arguments.questions), waiting(), memory()]
    sys.exit(0 if all(fast) else 1)
