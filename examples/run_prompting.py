# SPDX-License-Identifier: Apache-2.0
"""Ask a language model the tasks of a benchmark, few-shot, and score what it answers.

    a model here     python examples/run_prompting.py --suite dumb --model FOLDER_OR_HUB_ID --output prompted
    a server         python examples/run_prompting.py --suite dumb --backend openai --model NAME \\
                         --option url=http://localhost:8000/v1 --output prompted
    one task, 0-shot python examples/run_prompting.py --suite bgglue --task xnlibg --shots 0 --model …

Prompts are those of the tasks' literals, in their own language; docs/tasks shows them. Every answer is stored under
--output as it comes, so the same command goes on where it was stopped. Scores go into the results store --results.
"""

from __future__ import annotations

import argparse

from euroglue.exits import Parser, run
from euroglue.prepare import prepare
from euroglue.prompting.backends import open_backend
from euroglue.prompting.run import Asking, prompt_task
from euroglue.results import ResultStore
from euroglue.selection import choose


def parse() -> argparse.Namespace:
    """The arguments; what is left out has the prompt's value."""
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--suite", required=True, help="the benchmark")
    add("--task", action="append", default=[], help="a task of it; may be given more than once; all by default")
    add("--edition", help="official, rebuilt or sample; by default the task's own default")
    add("--split", default="test", help="whose examples are asked")
    add("--model", required=True, help="a folder, a Hub id, or the name that a server has for it")
    add("--backend", default="transformers", help="transformers or openai")
    add("--option", action="append", default=[], metavar="KEY=VALUE", help="for the backend, such as batch_size=16")
    add("--prompts", default="own", help="own, euroeval or euroeval-docs")
    add("--shots", type=int, help="examples shown")
    add("--seed", type=int, default=4242, help="of the choice of shots")
    add("--limit", type=int, metavar="N", help="at most N examples of each task")
    add("--iterations", type=int, default=0, metavar="N", help="bootstrapped iterations, as EuroEval's 10")
    add("--output", default="prompted", help="the folder of answers and predictions")
    add("--results", default="results", help="the results store")
    return parser.parse_args()


def main(arguments: argparse.Namespace) -> None:
    """Prepare, ask, score."""
    asking = Asking(
        prompts=arguments.prompts,
        shots=arguments.shots,
        seed=arguments.seed,
        split=arguments.split,
        limit=arguments.limit,
        iterations=arguments.iterations,
    )
    backend = open_backend(arguments.backend, arguments.model, arguments.option)
    store = ResultStore(arguments.results)
    for task in choose(arguments.suite, arguments.task, arguments.edition):
        made = prepare(task, arguments.edition)
        outcome = prompt_task(made, backend, arguments.output, asking, store=store)
        if outcome.record is None:
            print(f"{task.path}: the labels are hidden; predictions: {outcome.predictions[0]}")
        else:
            record, unreadable = outcome.record, outcome.counts["unreadable"]
            print(f"{task.path} {record.split}: {record.primary} {record.value:.4f}, {unreadable} answers unreadable")


if __name__ == "__main__":
    run(lambda: main(parse()))
