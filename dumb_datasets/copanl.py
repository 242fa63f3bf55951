# SPDX-License-Identifier: Apache-2.0
"""CR: COPA-NL, which of two sentences is the cause or the effect of a third? (DUMB, section 2.3)"""

from dumb_datasets._release import DUTCH, HOMEPAGE, NLP_NL, recipe
from euroglue.prepare.pairs import choices_in_causal_order
from euroglue.prompting.prompt import Prompt
from euroglue.readers import jsonl
from euroglue.task import UNPINNED, Edition, Kind, Licence, LicenceId, Source, Task

FILES = {
    "train": "COPA-NL/train.jsonl",
    "validation": "COPA-NL/dev.jsonl",
    "test": "COPA-NL/test.jsonl",
}
READ = jsonl(FILES, number="id")
STEPS = (choices_in_causal_order("premise", ("choice1", "choice2"), "question"),)

PUBLISHED = Edition(
    sources=(
        Source(
            file="copa-nl-v1.0.tar.gz",
            url=NLP_NL + "archive/refs/tags/copa-nl-v1.0.tar.gz",
            members={member: UNPINNED for member in FILES.values()},
        ),
    ),
    read=READ,
    steps=STEPS,
    sizes={"train": 400, "validation": 100, "test": 500},
    sizes_are_asserted=False,
    notes=(
        "The authors publish the splits; the official and the rebuilt edition are the same.",
        "Of each of the two pairs the first sentence is the cause, the second its effect, as in the published build.",
        "Ids are the published ones after the name of their split, so that no two splits share one.",
        "The archive was not at hand when this was written: it is not pinned, and other sizes than the published ones are "
        "reported, not refused.",
    ),
)

TASK = Task(
    suite="dumb",
    name="copanl",
    title="CR (COPA-NL)",
    kind=Kind.MULTIPLE_CHOICE,
    language=DUTCH,
    description=(
        "The Choice of Plausible Alternatives in Dutch: a premise and two sentences, one of which is its more plausible "
        "cause or effect, translated by machine and corrected by people."
    ),
    homepage=HOMEPAGE,
    citation="""@inproceedings{gordon-etal-2012-semeval,
  title     = {{S}em{E}val-2012 Task 7: Choice of Plausible Alternatives: An Evaluation of Commonsense Causal Reasoning},
  author    = {Gordon, Andrew and Kozareva, Zornitsa and Roemmele, Melissa},
  booktitle = {*{SEM} 2012: The First Joint Conference on Lexical and Computational Semantics},
  year      = {2012}
}""",
    licence=Licence(id=LicenceId.BSD_2_CLAUSE, terms="BSD, two clauses, as COPA's.", redistribute=True),
    features={
        "id": "string",
        "choices": [{"sentence1": "string", "sentence2": "string"}],
        "label": "int64",
    },
    inputs=("choices",),
    segments=("{choice.sentence1}", "{choice.sentence2}"),
    target="label",
    metric="accuracy",
    recipe=recipe(epochs=10),
    prompt=Prompt(
        prefix="Hieronder staan steeds twee mogelijke verbanden van oorzaak en gevolg, en welk van beide het aannemelijkst is.",
        template="{choices}\nAannemelijkst: {label}",
        instruction=(
            "Welk van de twee verbanden van oorzaak en gevolg is het aannemelijkst? Antwoord alleen met de letter ervan."
        ),
        choices="choices",
        choice="{letter}. Oorzaak: {sentence1} Gevolg: {sentence2}",
        max_tokens=8,
    ),
    default_edition="rebuilt",
    editions={
        "official": PUBLISHED,
        "rebuilt": PUBLISHED,
        "sample": Edition(
            sources=(
                Source(
                    file="copanl",
                    package="dumb_datasets/sample/copanl",
                    members={
                        FILES["train"]: "6e88dfca6662c7a5fd3aa6f35d9fb81d0c214f3763947fc8add7fce1a5ed1ce1",
                        FILES["validation"]: "488d56ff1bd625f1835b1e8c1b9dab8c74fd4f4bfa6f1164e4cf588dc74aaebb",
                        FILES["test"]: "95c2d97bacbe79d0daec0c70efbec0347a33a8dd4a09d3dd657bbeb4253774af",
                    },
                ),
            ),
            read=READ,
            steps=STEPS,
            sizes={"train": 56, "validation": 16, "test": 24},
            notes=("Made up for this package in COPA-NL's format; prepared as the other editions are.",),
        ),
    },
)
