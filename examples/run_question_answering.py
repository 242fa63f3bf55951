# SPDX-License-Identifier: Apache-2.0
"""Fine-tune an encoder to find the answer to a question in a paragraph, or that it has none.

Runs as it is on one CPU, one GPU or several processes; the batch size is the global one in each case.

    export ARGUMENTS="--suite dumb --task squadnl --model FOLDER_OR_HUB_ID --output runs/squadnl"
    one CPU or GPU   python examples/run_question_answering.py $ARGUMENTS
    two on CPU       torchrun --nproc_per_node 2 examples/run_question_answering.py $ARGUMENTS
    several GPUs     accelerate launch --multi_gpu examples/run_question_answering.py $ARGUMENTS
    a trained model  python examples/run_question_answering.py --suite dumb --task squadnl --output FOLDER \\
                         --predict-only CHECKPOINT

Defaults are the recipe of the task's benchmark, or with --recipe another paper's. The folder given as --output then holds
the configuration, a log, the best checkpoint by the task's metric on validation, predictions in the submission format and
the scores. A run that was killed goes on where it was when the same command is given again.
"""

from __future__ import annotations

from euroglue.exits import run
from euroglue.task import Kind
from euroglue.training import predict, train
from euroglue.training.arguments import chosen_task, parse, prediction_options, print_scores, training_options


def main() -> None:
    """Train or predict, then print the scores."""
    arguments = parse(__doc__, Kind.QUESTION_ANSWERING)
    task = chosen_task(arguments)
    if arguments.predict_only:
        metrics = predict(task, arguments.predict_only, arguments.output, **prediction_options(arguments))
    else:
        metrics = train(task, arguments.model, arguments.output, **training_options(arguments))
    print_scores(metrics)


if __name__ == "__main__":
    run(main)
