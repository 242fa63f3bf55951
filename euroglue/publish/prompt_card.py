# SPDX-License-Identifier: Apache-2.0
"""What a language model is asked, as a page shows it: the prompt's data and a whole request made of the sample."""

from __future__ import annotations

from euroglue.prompting.prompt import Prompt
from euroglue.task import Task

SAMPLE = "sample"
SHOWN = 2
"""How many shots the example on the page has."""
SEED = 4242


def prompt_section(task: Task) -> list[str]:
    """The section on prompting, in Markdown: nothing where the task has no prompt."""
    prompt = task.prompt
    if prompt is None:
        return []
    lines = [
        "## Prompt",
        "",
        f"`euroglue prompt {task.suite} {task.name} --model MODEL` asks a language model. The answers of base models stand",
        f"after the last line; {_shots(prompt)}; an answer has at most {prompt.max_tokens:,} tokens.",
        "",
    ]
    if prompt.words:
        lines += [
            "| label | word |",
            "|---|---|",
            *(f"| `{label}` | {word} |" for label, word in prompt.words.items()),
            "",
        ]
    return [*lines, *(_examples(task, prompt) if SAMPLE in task.editions else [])]


def _shots(prompt: Prompt) -> str:
    chosen = "the same for all examples of a run" if prompt.fixed_shots else "drawn for each example"
    return f"{prompt.shots} shots by default, {chosen}"


def _examples(task: Task, prompt: Prompt) -> list[str]:
    """A request of both forms, from the sample corpus, as the runner makes it."""
    from euroglue.prepare import prepare
    from euroglue.prompting.build import Builder
    from euroglue.prompting.kinds import kind_of
    from euroglue.prompting.shots import Rows, Shots

    made, kind = prepare(task, SAMPLE), kind_of(task, prompt)
    row = Rows(made.table("test"))[0]
    key = str(row[task.id_column])
    count = min(SHOWN, prompt.shots)
    shots = Shots(kind, Rows(made.table("train")), count=count, seed=SEED, fixed=prompt.fixed_shots).of(key, row)
    base, chat = (Builder(kind, chat=form).request(key, row, shots) for form in (False, True))
    turns = [f"[{message.role}]\n{message.content}" for message in chat.messages]
    answer = kind.gold(row)
    weighed = f"; the words {', '.join(f'`{word}`' for word in chat.choices)} are weighed" if chat.choices else ""
    shown = (
        f"The first example of the sample's test split, with {count} shots. The right answer is `{answer}`{weighed}."
    )
    lines = [shown, "", "A base model reads:", "", *_fenced(base.shared + base.text), ""]
    return [*lines, "An instruction-tuned model reads:", "", *_fenced("\n\n".join(turns)), ""]


def _fenced(text: str) -> list[str]:
    fence = "```"
    while fence in text:
        fence += "`"
    return [f"{fence}text", text, fence]
