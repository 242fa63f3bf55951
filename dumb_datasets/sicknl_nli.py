# SPDX-License-Identifier: Apache-2.0
"""NLI: SICK-NL, natural language inference (DUMB, section 2.3)."""

from dumb_datasets._release import DUTCH, HOMEPAGE, recipe
from euroglue.prepare.steps import map_values, split_by
from euroglue.prompting.prompt import Prompt
from euroglue.readers import tsv
from euroglue.task import Edition, Kind, Labels, Licence, LicenceId, Source, Task

FILE = "SICK_NL.txt"
READ = tsv(
    {"train": FILE},
    {
        "id": "pair_ID",
        "sentence1": "sentence_A",
        "sentence2": "sentence_B",
        "label": "entailment_label",
        "part": "SemEval_set",
    },
)
STEPS = (
    split_by("part", train=("TRAIN",), validation=("TRIAL",), test=("TEST",)),
    map_values("label", {"ENTAILMENT": "entailment", "NEUTRAL": "neutral", "CONTRADICTION": "contradiction"}),
)

PUBLISHED = Edition(
    sources=(
        Source(
            file=FILE,
            url="https://github.com/gijswijnholds/sick_nl/raw/master/data/tasks/sick_nl/SICK_NL.txt",
            members={FILE: "7aaec7bfc5f5669923ea38e0afba240b9c0492dd76d359dce2fc5439d3ed4356"},
        ),
    ),
    read=READ,
    steps=STEPS,
    sizes={"train": 4439, "validation": 495, "test": 4906},
    notes=(
        "The file names each pair's split, that of SemEval-2014; the official and the rebuilt edition are the same.",
        "No duplicates are dropped: the paper keeps SICK-NL as it is; see `euroglue audit`.",
    ),
)

TASK = Task(
    suite="dumb",
    name="sicknl-nli",
    title="NLI (SICK-NL)",
    kind=Kind.SEQUENCE_CLASSIFICATION,
    language=DUTCH,
    description=(
        "Pairs of descriptions of pictures and films, translated from SICK: does the first entail the second, contradict "
        "it, or neither?"
    ),
    homepage=HOMEPAGE,
    citation="""@inproceedings{wijnholds-moortgat-2021-sick,
  title     = {{SICK}-{NL}: A Dataset for {D}utch Natural Language Inference},
  author    = {Wijnholds, Gijs and Moortgat, Michael},
  booktitle = {Proceedings of the 16th Conference of the European Chapter of the Association for Computational Linguistics},
  year      = {2021}
}""",
    licence=Licence(id=LicenceId.MIT, terms="MIT.", redistribute=True),
    features={
        "id": "string",
        "sentence1": "string",
        "sentence2": "string",
        "label": Labels("entailment", "neutral", "contradiction"),
    },
    inputs=("sentence1", "sentence2"),
    target="label",
    metric="accuracy",
    recipe=recipe(epochs=5),
    prompt=Prompt(
        prefix="Hieronder staan paren van zinnen en of de tweede zin waar is als de eerste waar is.",
        template="Eerste zin: {sentence1}\nTweede zin: {sentence2}\nAntwoord: {label}",
        instruction=(
            "Neem aan dat de eerste zin waar is. Is de tweede dan ook waar? Antwoord alleen met {labels}: 'ja' als de tweede "
            "uit de eerste volgt, 'nee' als ze elkaar tegenspreken, 'misschien' als dat niet te zeggen is."
        ),
        words={"entailment": "ja", "neutral": "misschien", "contradiction": "nee"},
        shots=9,
        joiner=" of ",
    ),
    default_edition="rebuilt",
    editions={
        "official": PUBLISHED,
        "rebuilt": PUBLISHED,
        "sample": Edition(
            sources=(
                Source(
                    file=FILE,
                    package="dumb_datasets/sample/sicknl-nli",
                    members={
                        FILE: "bf3a3eadcb7f758ca269183252d5dc703a644a09361bfcac5136f8999caab799",
                    },
                ),
            ),
            read=READ,
            steps=STEPS,
            sizes={"train": 70, "validation": 20, "test": 30},
            notes=("Made up for this package in SICK-NL's format; prepared as the other editions are.",),
        ),
    },
)
