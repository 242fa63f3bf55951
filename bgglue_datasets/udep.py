# SPDX-License-Identifier: Apache-2.0
"""U.Dep: parts of speech of the Universal Dependencies treebank BTB (bgGLUE, sections 2.1 and 3)."""

from bgglue_datasets._release import BULGARIAN, HOMEPAGE, RECIPE
from euroglue.prompting.prompt import Prompt
from euroglue.readers import conllu
from euroglue.task import UNPINNED, Edition, Kind, Labels, Licence, LicenceId, Source, Task

TREEBANK = "ud-treebanks-v2.5/UD_Bulgarian-BTB/bg_btb-ud-{}.conllu"
FILES = {"train": TREEBANK.format("train"), "validation": TREEBANK.format("dev"), "test": TREEBANK.format("test")}
READ = conllu(FILES, {"tokens": "FORM", "pos_tags": "UPOS"})

TASK = Task(
    suite="bgglue",
    name="udep",
    title="U.Dep",
    kind=Kind.TOKEN_CLASSIFICATION,
    language=BULGARIAN,
    description="Sentences of the Bulgarian treebank BTB with universal part-of-speech tags (UD 2.5).",
    homepage=HOMEPAGE,
    citation="""@misc{ud-2.5,
  title     = {Universal Dependencies 2.5},
  author    = {Zeman, Daniel and Nivre, Joakim and Abrams, Mitchell and others},
  note      = {LINDAT/CLARIAH-CZ digital library, http://hdl.handle.net/11234/1-3105},
  year      = {2019}
}""",
    licence=Licence(
        id=LicenceId.CC_BY_NC_SA_3, terms="CC BY-NC-SA 3.0: non-commercial, share alike.", redistribute=True
    ),
    features={
        "id": "string",
        "tokens": ["string"],
        "pos_tags": [
            Labels(
                "ADJ",
                "ADP",
                "ADV",
                "AUX",
                "CCONJ",
                "DET",
                "INTJ",
                "NOUN",
                "NUM",
                "PART",
                "PRON",
                "PROPN",
                "PUNCT",
                "SCONJ",
                "SYM",
                "VERB",
                "X",
            )
        ],
    },
    inputs=("tokens",),
    target="pos_tags",
    metric="upos",
    recipe=RECIPE,
    prompt=Prompt(
        prefix=(
            "Следват изречения и частта на речта на всяка дума и на всеки препинателен знак в тях, с етикетите на Universal "
            "Dependencies."
        ),
        template="Изречение: {tokens}\nЧасти на речта: {label}",
        instruction=(
            "Определете частта на речта на всяка дума и на всеки препинателен знак в изречението с етикетите {labels}. "
            'Отговорете само с JSON обект, в който под ключа "етикети" стои списък от „дума/ЕТИКЕТ“ в реда на '
            "изречението, без да пропускате нищо."
        ),
        key="етикети",
        shots=4,
        max_tokens=1536,
        quoted="{}",
        joiner=" и ",
    ),
    editions={
        "official": Edition(
            sources=(
                Source(
                    file="ud-treebanks-v2.5.tgz",
                    url="https://lindat.mff.cuni.cz/repository/xmlui/bitstream/handle/11234/1-3105/ud-treebanks-v2.5.tgz",
                    members={
                        FILES["train"]: UNPINNED,
                        FILES["validation"]: "4cddb4de96387d46f1cbd21c5b618d9902c5efcedfd7069cc96aabef955e9b12",
                        FILES["test"]: "42f89997f3bd3cf41d4043fe7dfb9984658a47130dbe9045968192de9a9875c8",
                    },
                ),
            ),
            read=READ,
            sizes={"train": 8907, "validation": 1115, "test": 1116},
            notes=("The hash of the training file of UD 2.5 was not known when this was written: it is not pinned.",),
        ),
        "sample": Edition(
            sources=(
                Source(
                    file="ud-treebanks-v2.5",
                    package="bgglue_datasets/sample/udep",
                    members={
                        FILES["train"]: "97da7456af297fd4d3308d0df71d1c9cad5f2e5c884eed52c6459a77809e0e1e",
                        FILES["validation"]: "40ad94160a3ef23298e2d5ecb7ed7e0df3b0f4e6c279c6468650639690f17b7f",
                        FILES["test"]: "371c9514cb893c45fd359536b2cd61b04da45d6aac8d497a8020e06db87f3365",
                    },
                ),
            ),
            read=READ,
            sizes={"train": 87, "validation": 28, "test": 28},
            notes=("Made up for this package in the treebank's format.",),
        ),
    },
)
