# SPDX-License-Identifier: Apache-2.0
"""NER: persons, organisations, locations, products, events and others in SoNaR-1 (DUMB, section 2.1)."""

from dataclasses import replace

from dumb_datasets._release import (
    DOCUMENTS,
    DUTCH,
    HOMEPAGE,
    LASSY,
    LASSY_SMALL,
    MMAX,
    SEED,
    SOFT_HYPHEN,
    SONAR_SIGN_AT,
    institute,
    recipe,
)
from euroglue.prompting.prompt import Prompt
from euroglue.readers import in_shared_split, mmax
from euroglue.task import UNPINNED, Edition, Kind, Labels, Source, Task

WORDS = MMAX + "Basedata/*_words.xml"
MARKABLES = MMAX + "Markables/*_level.xml"
READ = mmax(DOCUMENTS, levels=("eve", "loc", "misc", "org", "per", "pro"), drop=(SOFT_HYPHEN,))
SHARED = {"first": LASSY, "second": DOCUMENTS, "seed": SEED}

TASK = Task(
    suite="dumb",
    name="sonar-ne",
    title="NER (SoNaR-1)",
    kind=Kind.TOKEN_CLASSIFICATION,
    language=DUTCH,
    description=(
        "Sentences of SoNaR-1 with six classes of named entities, split by document; documents that Lassy Small has too are "
        "in the same split there."
    ),
    homepage=HOMEPAGE,
    citation="""@incollection{oostdijk-etal-2013-construction,
  title     = {The Construction of a 500-Million-Word Reference Corpus of Contemporary Written {D}utch},
  author    = {Oostdijk, Nelleke and Reynaert, Martin and Hoste, V{\\'e}ronique and Schuurman, Ineke},
  booktitle = {Essential Speech and Language Technology for Dutch},
  year      = {2013}
}""",
    licence=institute(SONAR_SIGN_AT),
    features={
        "id": "string",
        "tokens": ["string"],
        "tags": [
            Labels(
                "O",
                "B-PER",
                "I-PER",
                "B-ORG",
                "I-ORG",
                "B-LOC",
                "I-LOC",
                "B-PRO",
                "I-PRO",
                "B-EVE",
                "I-EVE",
                "B-MISC",
                "I-MISC",
            )
        ],
    },
    inputs=("tokens",),
    target="tags",
    metric="entity_f1",
    recipe=recipe(epochs=3),
    prompt=Prompt(
        prefix="Hieronder staan zinnen en de namen erin, per soort in een JSON-object.",
        template="Zin: {tokens}\nNamen: {label}",
        instruction=(
            "Zoek de namen in de zin. Antwoord alleen met een JSON-object met de sleutels {labels}. Bij elke sleutel hoort een "
            "lijst van de namen van die soort, letterlijk zoals ze in de zin staan en in de volgorde van de zin; zijn die er "
            "niet, dan is de lijst leeg."
        ),
        words={
            "PER": "persoon",
            "ORG": "organisatie",
            "LOC": "locatie",
            "PRO": "product",
            "EVE": "gebeurtenis",
            "MISC": "overig",
        },
        max_tokens=256,
        quoted='"{}"',
        joiner=" en ",
    ),
    default_edition="rebuilt",
    editions={
        "rebuilt": Edition(
            sources=(
                Source(
                    file="SONAR1",
                    obtain="The folder SONAR1 of SoNaR 1.2, which the Dutch Language Institute gives out.",
                    members={DOCUMENTS: UNPINNED, WORDS: UNPINNED, MARKABLES: UNPINNED},
                ),
                replace(LASSY_SMALL, optional=True),
            ),
            read=in_shared_split(READ, **SHARED, test=0.05, validation=0.02),
            sizes={"train": 54_472, "validation": 1392, "test": 4080},
            sizes_are_asserted=False,
            notes=(
                "The document split is drawn as the published build draws it, over the documents of this corpus and of Lassy "
                "Small, with its seed; without Lassy Small (its folder CONLLU) it is drawn from this corpus alone, which is "
                "reported.",
                "Documents that one corpus spells wiki1181 and the other wiki-1181 are one document.",
                "Entities of different classes that share a word become one MISC entity, from the first to the last of their "
                "words; in the published build carrying MISC back to the entity's beginning is broken.",
                "A sentence whose words stand in another sentence is left out, so is one that names a missing word; entities "
                "over words that no sentence holds are left out. All are counted among the findings.",
                "Words that are nothing but a soft hyphen are dropped, as in the published build.",
                "The corpus was not at hand when this was written: it is not pinned, and other sizes than the published "
                "ones are reported, not refused.",
            ),
        ),
        "sample": Edition(
            sources=(
                Source(
                    file="sonar-ne",
                    package="dumb_datasets/sample/sonar-ne",
                    members={
                        DOCUMENTS: "e61cd1b41a04887d9755a23d811bbaaa79fa162bc409e8c9ef8c7518c2261dcb",
                        WORDS: "0bcc9c3cda98befd14e7f81a5b8d95ba13494d84af83133230aedde067aaa932",
                        MARKABLES: "2e5ff1035fac57f84293fa378e163f0f5b3a0e2804f19db8458b3e65781714dc",
                    },
                ),
                Source(
                    file="lassy-pos",
                    package="dumb_datasets/sample/lassy-pos",
                    members={
                        LASSY: "cc3d2e936c999a36d4fcf6d5bcf825f8b5e2255da4cc823b8aaec60195991400",
                    },
                ),
            ),
            read=in_shared_split(READ, **SHARED, test=0.2, validation=0.2),
            sizes={"train": 54, "validation": 17, "test": 18},
            notes=(
                "Made up for this package in the corpus' format; prepared as the rebuilt edition is, with larger shares of the "
                "documents for validation and test.",
            ),
        ),
    },
)
