# SPDX-License-Identifier: Apache-2.0
"""XNLI, Bulgarian: natural language inference (Conneau et al., 2018; bgGLUE, sections 2.2 and 3)."""

from bgglue_datasets._release import BULGARIAN, HOMEPAGE, RECIPE
from euroglue.prepare.steps import map_values
from euroglue.prompting.prompt import Prompt
from euroglue.readers import tsv
from euroglue.task import UNPINNED, Edition, Kind, Labels, Licence, LicenceId, Source, Task

TRAIN = "XNLI-MT-1.0/multinli/multinli.train.bg.tsv"
DEV, TEST = "XNLI-1.0/xnli.dev.tsv", "XNLI-1.0/xnli.test.tsv"
READ = tsv(
    {"train": TRAIN, "validation": DEV, "test": TEST},
    {"premise": ("sentence1", "premise"), "hypothesis": ("sentence2", "hypo"), "label": ("gold_label", "label")},
    where={"language": "bg"},
    number="id",
)
STEPS = (map_values("label", {"contradictory": "contradiction"}),)

TASK = Task(
    suite="bgglue",
    name="xnlibg",
    title="XNLI",
    kind=Kind.SEQUENCE_CLASSIFICATION,
    language=BULGARIAN,
    description=(
        "Pairs of sentences: does the premise entail the hypothesis, contradict it, or neither? Validation and test are "
        "translated by people, train (MultiNLI) by machine."
    ),
    homepage=HOMEPAGE,
    citation="""@inproceedings{conneau-etal-2018-xnli,
  title     = {{XNLI}: Evaluating Cross-lingual Sentence Representations},
  author    = {Conneau, Alexis and Rinott, Ruty and Lample, Guillaume and Williams, Adina and Bowman, Samuel and
               Schwenk, Holger and Stoyanov, Veselin},
  booktitle = {Proceedings of the 2018 Conference on Empirical Methods in Natural Language Processing},
  year      = {2018}
}""",
    licence=Licence(id=LicenceId.CC_BY_NC_4, terms="CC BY-NC 4.0: non-commercial.", redistribute=True),
    features={
        "id": "string",
        "premise": "string",
        "hypothesis": "string",
        "label": Labels("entailment", "neutral", "contradiction"),
    },
    inputs=("premise", "hypothesis"),
    segments=("{hypothesis}", "{premise}"),
    target="label",
    metric="accuracy",
    recipe=RECIPE,
    prompt=Prompt(
        prefix="Следват двойки изречения и дали второто е вярно, щом първото е вярно.",
        template="Първо изречение: {premise}\nВторо изречение: {hypothesis}\nОтговор: {label}",
        instruction=(
            "Приемете, че първото изречение е вярно. Вярно ли е тогава и второто? Отговорете само с {labels}: „да“, ако "
            "следва от първото; „не“, ако му противоречи; „може би“, ако не се знае."
        ),
        words={"entailment": "да", "neutral": "може би", "contradiction": "не"},
        shots=9,
        quoted="„{}“",
        joiner=" или ",
    ),
    editions={
        "official": Edition(
            sources=(
                Source(
                    file="XNLI-1.0.zip",
                    url="https://dl.fbaipublicfiles.com/XNLI/XNLI-1.0.zip",
                    members={DEV: UNPINNED, TEST: UNPINNED},
                ),
                Source(
                    file="XNLI-MT-1.0.zip",
                    url="https://dl.fbaipublicfiles.com/XNLI/XNLI-MT-1.0.zip",
                    members={TRAIN: UNPINNED},
                ),
            ),
            read=READ,
            steps=STEPS,
            sizes={"train": 392_702, "validation": 2490, "test": 5010},
            notes=(
                "Table 1 of the paper prints the sizes of validation and test the wrong way round.",
                "The hashes of the published files were not known when this was written: they are not pinned.",
                "No duplicates are dropped: the paper keeps XNLI as it is.",
            ),
        ),
        "sample": Edition(
            sources=(
                Source(
                    file="xnlibg",
                    package="bgglue_datasets/sample/xnlibg",
                    members={
                        TRAIN: "f8668c410f10519ac5bec47b939aafa25d5594030dd805e76b75cfa091dd2782",
                        DEV: "2da959b77ae90bae1d1b1d3d233e7e9c8f1c1242ded30b9cc31c404c2fcb4fc5",
                        TEST: "85ae954b31e2b91f0e308531c54822e5b48961c043010d14ab7f745ecd292630",
                    },
                ),
            ),
            read=READ,
            steps=STEPS,
            sizes={"train": 90, "validation": 30, "test": 45},
            notes=("Made up for this package in XNLI's format.",),
        ),
    },
)
