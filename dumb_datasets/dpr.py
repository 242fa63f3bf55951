# SPDX-License-Identifier: Apache-2.0
"""PR: DPR, does a pronoun refer to a mention near it? From SemEval-2010 task 1 (DUMB, section 2.2)."""

from dumb_datasets._release import DUTCH, HOMEPAGE, recipe
from euroglue.prepare.pairs import context_of_pronouns, nearest_of_each_label, require_balance
from euroglue.prompting.prompt import Prompt
from euroglue.readers import semeval
from euroglue.task import UNPINNED, Edition, Kind, Labels, Licence, LicenceId, Source, Task

CORPORA = "task01.posttask.v1.0/corpora/"
FILES = {
    "train": CORPORA + "training/nl.train.txt",
    "validation": CORPORA + "training/nl.devel.txt",
    "test": CORPORA + "test/nl.test.txt",
}
READ = semeval(FILES, pronoun="VNW")
STEPS = (
    nearest_of_each_label("pronoun", "label", values=("same", "different"), by=("nearness", "distance", "start")),
    context_of_pronouns("pronoun"),
    require_balance("label"),
)

TASK = Task(
    suite="dumb",
    name="dpr",
    title="PR (DPR)",
    kind=Kind.SPAN_CLASSIFICATION,
    language=DUTCH,
    description=(
        "One to three sentences with a pronoun and another mention; do the two refer to the same? Half of the examples do."
    ),
    homepage=HOMEPAGE,
    citation="""@inproceedings{recasens-etal-2010-semeval,
  title     = {{S}em{E}val-2010 Task 1: Coreference Resolution in Multiple Languages},
  author    = {Recasens, Marta and M{\\`a}rquez, Llu{\\'i}s and Sapena, Emili and Mart{\\'i}, M. Ant{\\`o}nia and
               Taul{\\'e}, Mariona and Hoste, V{\\'e}ronique and Poesio, Massimo and Versley, Yannick},
  booktitle = {Proceedings of the 5th International Workshop on Semantic Evaluation},
  year      = {2010}
}""",
    licence=Licence(
        id=LicenceId.RESEARCH,
        terms="The corpus' own terms (COREA): non-commercial, not to be passed on.",
        redistribute=False,
    ),
    features={
        "id": "string",
        "tokens": ["string"],
        "index1": "int64",
        "index2": "int64",
        "label": Labels("different", "same"),
    },
    inputs=("tokens", "index1", "index2"),
    target="label",
    metric="accuracy",
    recipe=recipe(epochs=10),
    prompt=Prompt(
        prefix="Hieronder staan teksten met twee woorden tussen rechte haken, en of die twee naar hetzelfde verwijzen.",
        template="Tekst: {tokens}\nVerwijzen [{index1}] en [{index2}] naar hetzelfde?\nAntwoord: {label}",
        instruction=(
            "Verwijzen de twee woorden tussen rechte haken naar dezelfde persoon of zaak? Antwoord alleen met {labels}."
        ),
        words={"different": "nee", "same": "ja"},
        joiner=" of ",
    ),
    default_edition="rebuilt",
    editions={
        "rebuilt": Edition(
            sources=(
                Source(
                    file="task01.posttask.v1.0.tgz",
                    url="https://www.cs.upc.edu/~esapena/downloads/task01.posttask.v1.0.tgz",
                    members={member: UNPINNED for member in FILES.values()},
                ),
            ),
            read=READ,
            steps=STEPS,
            sizes={"train": 786, "validation": 142, "test": 1216},
            sizes_are_asserted=False,
            notes=(
                "index1 is the pronoun's place among the tokens, index2 that of the mention's first word.",
                "Sentences before and after a pronoun's are those of its document; the published build takes them from the "
                "next document too, and stops with an error at the end of the file.",
                "Of the mentions in a sentence the nearest to the pronoun is taken; the published build takes the first that "
                "the file closes.",
                "A mention that holds the pronoun itself is none to be marked beside it, nor is a mention of another chain "
                "that begins with the same word as one of the pronoun's chain.",
                "Brackets that do not close in their sentence, or never opened, are left out; characters that the "
                "distributed files scramble are mended. Both are counted among the findings.",
                "Table 1 of the paper prints 786 examples of train, its text 768; what comes out is reported beside the "
                "table's sizes. The archive was not at hand when this was written: it is not pinned.",
            ),
        ),
        "sample": Edition(
            sources=(
                Source(
                    file="dpr",
                    package="dumb_datasets/sample/dpr",
                    members={
                        FILES["train"]: "6555f70744598c15d0022a298ccea9e054d0e3348b8616c126783d9e05c0cfb7",
                        FILES["validation"]: "52e9e230c022d912d4c9912a1c0636b116a934de4dc3dc64a8434137b3decaee",
                        FILES["test"]: "d0da7cbdeef90e852e398788480a9789fdbc9ada79c2305b410f1ade9e740c9d",
                    },
                ),
            ),
            read=READ,
            steps=STEPS,
            sizes={"train": 68, "validation": 20, "test": 36},
            notes=("Made up for this package in the shared task's format; prepared as the rebuilt edition is.",),
        ),
    },
)
