# SPDX-License-Identifier: Apache-2.0
"""EuroEval's Slovene prompts, read from its documentation page: a pinned source, looked for and verified as any raw file.

The page is not part of this project. Two versions are made of it: ``euroeval-docs``, what the page says, and
``euroeval``, what EuroEval's code (at the same commit) makes of its own templates. They differ by the rules in
``RULES``, which take every word from the page:

* multiple choice: the code's templates have no lines for the choices: they are part of the text, on one line with it;
* linguistic acceptability: the code closes the instruction as it does for sentiment, with its own words;
* named entities: the code names the keys in the order of its labels (``KEYS``).

In both, a base template without ``{label}`` at its end gets it: an example without its answer would show nothing.
"""

from __future__ import annotations

import dataclasses
import itertools
import os
import re
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from euroglue.disk import user_path
from euroglue.errors import FormatError, MissingRawFileError, RawFileError, UnknownNameError
from euroglue.prompting.prompt import Prompt
from euroglue.task import Kind, Source, Task

SUITE = "euroeval_sl"
COMMIT = "f37841c8d"
PAGE = Source(
    file="slovene.md",
    url=f"https://raw.githubusercontent.com/EuroEval/EuroEval/{COMMIT}/src/frontend/md/datasets/slovene.md",
    members={"slovene.md": "c99ca7cb2dec51695bc23578786e774896f814ce6280949b8adbd7400a3e9057"},
)
MAX_TOKENS: Mapping[Kind, int] = {Kind.TOKEN_CLASSIFICATION: 128, Kind.QUESTION_ANSWERING: 32}
OTHER_MAX_TOKENS = 10
"""The longest answers, as EuroEval's code has them; the page does not tell them."""
KEYS = ("LOC", "ORG", "PER", "MISC")
"""The order in which EuroEval's code lists the types of entities."""
CLOSES_LIKE = "sentinews"
"""The data set whose last sentence closes the instructions for linguistic acceptability too."""
BLOCKS = {"prefix": "Prefix prompt", "template": "Base prompt template", "turn": "Instruction-tuned prompt template"}
_OPTION = re.compile(r"^[a-z]\. \{option_[a-z]\}$")
_QUOTED = re.compile(r"'[^'\n]+'(?:, '[^'\n]+')*(?: \w+ '[^'\n]+')?")


@dataclass(frozen=True)
class Entry:
    """What the page says of one data set."""

    shots: int
    words: Mapping[str, str]
    prefix: str
    template: str
    turn: str


def read_page(text: str, where: str = PAGE.file) -> dict[str, Entry]:
    """The entries of the page by the names of their data sets; data sets without the three prompts are left out.

    Raises:
        FormatError: an entry lacks the number of shots, or no data set has prompts.
    """
    entries = {}
    for section in re.split(r"^### ", text, flags=re.M)[1:]:
        blocks = {name: _block(section, heading) for name, heading in BLOCKS.items()}
        name = re.search(r"--dataset (\S+)", section)
        if name is None or not all(blocks.values()):
            continue
        shots = re.search(r"Number of few-shot examples: (\d+)", section)
        if shots is None:
            raise FormatError(f"{where}: {name[1]}: expected 'Number of few-shot examples: N', there is none")
        words = dict(re.findall(r"^\s*- `([^`\n]+)` ➡️ `([^`\n]+)`", section, flags=re.M))
        entries[name[1]] = Entry(int(shots[1]), words, **blocks)
    if not entries:
        raise FormatError(f"{where}: expected data sets with {', '.join(BLOCKS.values())}, there are none")
    return entries


def _block(section: str, heading: str) -> str:
    found = re.search(rf"^- {re.escape(heading)}:\s*\n\s*```text\n(.*?)\n\s*```", section, flags=re.M | re.S)
    return textwrap.dedent(found[1]) if found else ""


def as_documented(task: Task) -> Prompt:
    """The prompt of a task as EuroEval's page has it.

    Raises:
        UnknownNameError: the page has no such task.
        RawFileError: the page is not to be had, or is another one.
    """
    return documented(task, read_page(page()))


def as_run(task: Task) -> Prompt:
    """The prompt of a task as EuroEval's code runs it; raises as ``as_documented``."""
    return run(task, read_page(page()))


def documented(task: Task, entries: Mapping[str, Entry]) -> Prompt:
    """The prompt of a task, of what the page says."""
    entry = _entry(task, entries)
    template = entry.template if entry.template.endswith("{label}") else entry.template.rstrip() + " {label}"
    multiple = task.kind is Kind.MULTIPLE_CHOICE
    plain = {re.sub(r"^[BI]-", "", label): word for label, word in entry.words.items()}
    unknown = set(plain) - {label.partition("-")[2] or label for label in task.labels}
    if unknown:
        raise FormatError(f"{PAGE.file}: {task.name}: labels that the task has not: {', '.join(sorted(unknown))}")
    return Prompt(
        prefix=entry.prefix,
        template=_columns(task, template),
        turn=_columns(task, entry.turn),
        words=plain,
        shots=entry.shots,
        max_tokens=MAX_TOKENS.get(task.kind, OTHER_MAX_TOKENS),
        fixed_shots=True,
        choices="choices" if multiple else "",
        letters=task.labels if multiple else Prompt.letters,
        flat=not multiple,
        source=f"EuroEval's documentation at {COMMIT}",
    )


def run(task: Task, entries: Mapping[str, Entry]) -> Prompt:
    """The prompt of a task, of what the page says, as EuroEval's code runs it."""
    entry = _entry(task, entries)
    for rule in RULES:
        entry = rule(task, entry, entries)
    return dataclasses.replace(documented(task, {task.name: entry}), flat=True, source=f"EuroEval's code at {COMMIT}")


def _entry(task: Task, entries: Mapping[str, Entry]) -> Entry:
    if task.suite != SUITE or task.name not in entries:
        known = ", ".join(f"{SUITE}/{name}" for name in entries)
        raise UnknownNameError(f"EuroEval's page has no prompt for {task.path}; it has them for {known}")
    return entries[task.name]


def _columns(task: Task, template: str) -> str:
    """The template with our placeholders: columns by their names, lines of choices as ``{choices}``."""
    lines, shown = [], False
    for line in template.split("\n"):
        if not _OPTION.match(line):
            lines.append(line)
        elif not shown:
            lines.append("{choices}")
            shown = True
    asks = "question" if shown else _text_column(task)
    return "\n".join(lines).replace("{text}", f"{{{asks}}}")


def _text_column(task: Task) -> str:
    """The column that EuroEval calls ``text``: the one of that name, the tokens, or the context."""
    return next(name for name in ("text", *reversed(task.inputs)) if name in task.features)


def _choices_in_the_text(task: Task, entry: Entry, entries: Mapping[str, Entry]) -> Entry:
    if task.kind is not Kind.MULTIPLE_CHOICE:
        return entry
    return dataclasses.replace(entry, template=_without_options(entry.template), turn=_without_options(entry.turn))


def _without_options(template: str) -> str:
    """The template without the lines of the choices and the one that announces them."""
    lines = template.split("\n")
    options = [place for place, line in enumerate(lines) if _OPTION.match(line)]
    gone = {*options, options[0] - 1} if options else set()
    return "\n".join(line for place, line in enumerate(lines) if place not in gone)


def _closing_of_sentiment(task: Task, entry: Entry, entries: Mapping[str, Entry]) -> Entry:
    if task.metric != "mcc" or task.name == CLOSES_LIKE or set(task.labels) != {"correct", "incorrect"}:
        return entry
    closing = _sentences(entries[CLOSES_LIKE].turn)[-1]
    words = [entry.words[label] for label in task.labels]
    joiner = re.search(r"'( \w+ )'", closing)
    if joiner is None:
        raise FormatError(f"{PAGE.file}: {CLOSES_LIKE}: expected a list of words in the last sentence, got {closing!r}")
    listed = joiner[1].join(f"'{word}'" for word in words)
    kept = itertools.takewhile(lambda sentence: "'" not in sentence, _sentences(entry.turn))
    return dataclasses.replace(entry, turn=" ".join([*kept, _QUOTED.sub(listed, closing, count=1)]))


def _sentences(text: str) -> list[str]:
    """Sentences at spaces after full stops; what stands before a blank line belongs to what follows it."""
    return re.split(r"(?<=\.) ", text)


def _keys_in_order(task: Task, entry: Entry, entries: Mapping[str, Entry]) -> Entry:
    if task.kind is not Kind.TOKEN_CLASSIFICATION:
        return entry
    words = {re.sub(r"^[BI]-", "", label): word for label, word in entry.words.items()}
    found = _QUOTED.search(entry.turn)
    if found is None or sorted(words) != sorted(KEYS):
        raise FormatError(f"{PAGE.file}: {task.name}: expected the types {', '.join(KEYS)} and their list, got {words}")
    ordered = iter([words[key] for key in KEYS])
    listed = re.sub(r"'[^'\n]+'", lambda _: f"'{next(ordered)}'", found[0])
    return dataclasses.replace(entry, turn=entry.turn[: found.start()] + listed + entry.turn[found.end() :])


Rule = Callable[[Task, Entry, Mapping[str, Entry]], Entry]
RULES: tuple[Rule, ...] = (_choices_in_the_text, _closing_of_sentiment, _keys_in_order)
"""In what the code differs from the page."""


def page() -> str:
    """The page's text: from ``$EUROGLUE_RAW_DIR/euroeval_sl``, else downloaded once.

    Raises:
        RawFileError: it is not to be had, or it is not the pinned one.
    """
    from euroglue.prepare.raw import sha256
    from euroglue.prepare.scratch import home

    (name, expected), root = next(iter(PAGE.members.items())), os.environ.get("EUROGLUE_RAW_DIR")
    file = user_path(root) / SUITE / name if root else home() / "downloads" / SUITE / name
    if not file.is_file():
        file = _downloaded(home() / "downloads" / SUITE / name)
    if (got := sha256(file)) != expected:
        raise RawFileError(
            f"{file} is not EuroEval's page at {COMMIT}: expected sha256 {expected[:16]}…, got {got[:16]}…; remove it and "
            f"fetch {PAGE.url}"
        )
    return file.read_text(encoding="utf-8")


def _downloaded(file: Path) -> Path:
    from euroglue.prepare.download import download

    advice = f"put {PAGE.file} into $EUROGLUE_RAW_DIR/{SUITE}"
    try:
        download(PAGE.url, file, advice=advice)
    except OSError as error:
        raise MissingRawFileError(f"{file}: {error.strerror}; {advice}") from error
    return file
