# SPDX-License-Identifier: Apache-2.0
"""Fine-tune an encoder to label every word of a text: named entities, parts of speech.

Runs as it is on one CPU, one GPU or several processes; the batch size is the global one in each case.

    export ARGUMENTS="--task wikiannbg --model FOLDER_OR_HUB_ID --output runs/wikiannbg"
    one CPU or GPU   python examples/run_token_classification.py $ARGUMENTS
    two on CPU       torchrun --nproc_per_node 2 examples/run_token_classification.py $ARGUMENTS
    several GPUs     accelerate launch --multi_gpu examples/run_token_classification.py $ARGUMENTS
    a trained model  python examples/run_token_classification.py --task wikiannbg --predict-only CHECKPOINT --output FOLDER

Defaults are the recipe of the task's benchmark. The folder given as --output then holds the configuration, a log, the
best checkpoint by the task's metric on validation, predictions in the submission format and the scores. A run that was
killed goes on where it was when the same command is given again.
"""

from __future__ import annotations

import argparse
import sys

from euroglue.errors import EuroglueError
from euroglue.registry import find_task
from euroglue.task import Kind
from euroglue.training import predict, train

KIND = Kind.TOKEN_CLASSIFICATION


def parse() -> argparse.Namespace:
    """The arguments; what is left out has the recipe's value."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--suite", default="bgglue", help="the benchmark")
    add("--task", required=True, help="a task of the benchmark, such as wikiannbg")
    add("--edition", help="official, rebuilt or sample; by default the task's own default")
    add("--model", help="the encoder: a folder or a Hub id")
    add("--output", required=True, help="the run's folder")
    add("--epochs", type=int)
    add("--learning-rate", type=float)
    add("--schedule", choices=("linear", "constant"), default="linear", help="of the learning rate after the warm-up")
    add("--batch-size", type=int, help="the global batch size")
    add("--max-length", type=int, help="the longest input in sub-words; longer texts are read in windows")
    add("--stride", type=int, help="how many sub-words neighbouring windows of a long text share")
    add("--seed", type=int, default=42)
    add("--limit-train", type=int, metavar="N", help="train on N examples only")
    add("--limit-validation", type=int, metavar="N", help="validate on N examples only")
    add("--limit-test", type=int, metavar="N", help="predict N examples of test only")
    add("--mixed-precision", choices=("auto", "no", "bf16", "fp16"), default="auto")
    add("--gradient-accumulation", type=int, default=1, metavar="STEPS", help="work off each batch in so many parts")
    add("--save-steps", type=int, metavar="N", help="save the state every N steps, not only after each epoch")
    add("--resume", action=argparse.BooleanOptionalAction, default=True, help="go on with an unfinished run")
    add("--trust-remote-code", action="store_true", help="let code that comes with the model run")
    add("--predict-only", metavar="CHECKPOINT", help="predict with a trained checkpoint, without training")
    arguments = parser.parse_args()
    if not (arguments.model or arguments.predict_only):
        parser.error("give --model, or --predict-only with a trained checkpoint")
    return arguments


def main(arguments: argparse.Namespace) -> None:
    """Train or predict, then print the scores."""
    task = find_task(arguments.suite, arguments.task)
    if task.kind is not KIND:
        raise EuroglueError(f"{task.path} is a task of {task.kind.value}, not of {KIND.value}: take another script")
    splits = ("train", "validation", "test")
    limit = {split: getattr(arguments, f"limit_{split}") for split in splits}
    limit = {split: count for split, count in limit.items() if count is not None}
    if arguments.predict_only:
        metrics = predict(
            task,
            arguments.predict_only,
            arguments.output,
            edition=arguments.edition,
            limit=limit,
            mixed_precision=arguments.mixed_precision,
            max_length=arguments.max_length,
            trust_remote_code=arguments.trust_remote_code,
        )
    else:
        metrics = train(
            task,
            arguments.model,
            arguments.output,
            edition=arguments.edition,
            resume=arguments.resume,
            epochs=arguments.epochs,
            learning_rate=arguments.learning_rate,
            schedule=arguments.schedule,
            batch_size=arguments.batch_size,
            max_length=arguments.max_length,
            stride=arguments.stride,
            seed=arguments.seed,
            limit=limit,
            mixed_precision=arguments.mixed_precision,
            gradient_accumulation=arguments.gradient_accumulation,
            save_steps=arguments.save_steps,
            trust_remote_code=arguments.trust_remote_code,
        )
    for split, result in metrics["splits"].items():
        print(f"{task.path} {split}: {result['primary']} {result['scores'][result['primary']]:.4f}")


if __name__ == "__main__":
    try:
        main(parse())
    except EuroglueError as error:
        print(f"euroglue: {error}", file=sys.stderr)
        sys.exit(2)
