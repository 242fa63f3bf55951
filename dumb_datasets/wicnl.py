# SPDX-License-Identifier: Apache-2.0
"""WSD: WiC-NL, pairs of sentences in which a word has the same sense or not (DUMB, section 2.2)."""

from dumb_datasets._release import DUTCH, HOMEPAGE, SEED, SONAR_SIGN_AT, recipe
from euroglue.prepare.pairs import (
    keep_ambiguous,
    keep_short,
    pair_by_sense,
    require_apart,
    require_balance,
    split_groups,
)
from euroglue.prepare.steps import drop_shared
from euroglue.prepare.text import same_exactly
from euroglue.prompting.prompt import Prompt
from euroglue.readers import dcoi
from euroglue.task import UNPINNED, Edition, Gate, Kind, Labels, Licence, LicenceId, Source, Task

FILTERED = "1.2.2.HUMAN_ANNOTATIONS_FILTERED_FOR_TRAINING"
SENSES = FILTERED + "/annotations.training.DSC.*.xml"
TEXTS = "SONAR500/DCOI/*.dcoi.xml"
LISTS = "lemma-lists"
READ = dcoi(TEXTS, SENSES, lemma_lists=LISTS)
STEPS = (
    keep_short("tokens", most=60),
    keep_ambiguous("lemma", "pos", "sense"),
    split_groups("lemma", seed=SEED, validation=0.15, test=0.15),
    drop_shared(from_="train", by=same_exactly("tokens"), with_=("validation", "test")),
    drop_shared(from_="validation", by=same_exactly("tokens"), with_=("test",)),
    pair_by_sense("id", "lemma", "pos", "sense", "tokens", "index", seed=SEED, train=6, validation=4, test=4),
    require_apart(("tokens1", "tokens2")),
    require_balance("label"),
)

TASK = Task(
    suite="dumb",
    name="wicnl",
    title="WSD (WiC-NL)",
    kind=Kind.SPAN_CLASSIFICATION,
    language=DUTCH,
    description=(
        "Two sentences of SoNaR-500 with a form of the same lemma; do the two have the same sense, by the annotations of "
        "DutchSemCor? Lemmas are split, so that none of test is seen in training."
    ),
    homepage=HOMEPAGE,
    citation="""@inproceedings{vossen-etal-2012-dutchsemcor,
  title     = {{D}utch{S}em{C}or: Targeting the ideal sense-tagged corpus},
  author    = {Vossen, Piek and G{\\"o}r{\\"o}g, Attila and Izquierdo, Rub{\\'e}n and van den Bosch, Antal},
  booktitle = {Proceedings of the Eighth International Conference on Language Resources and Evaluation},
  year      = {2012}
}""",
    licence=Licence(
        id=LicenceId.RESEARCH,
        terms=(
            "DutchSemCor is CC BY 3.0; the sentences of SoNaR-500 stand under the Dutch Language Institute's own terms: "
            "non-commercial, not to be passed on."
        ),
        redistribute=False,
        gate=Gate.FORM,
        sign_at=SONAR_SIGN_AT,
    ),
    features={
        "id": "string",
        "tokens1": ["string"],
        "tokens2": ["string"],
        "index1": "int64",
        "index2": "int64",
        "label": Labels("different", "same"),
    },
    inputs=("tokens1", "tokens2", "index1", "index2"),
    target="label",
    metric="accuracy",
    recipe=recipe(epochs=5),
    prompt=Prompt(
        prefix="Hieronder staan paren van zinnen met een woord tussen rechte haken, en of dat in beide hetzelfde betekent.",
        template=(
            "Zin 1: {tokens1}\nZin 2: {tokens2}\nHebben [{index1}] en [{index2}] dezelfde betekenis?\nAntwoord: {label}"
        ),
        instruction=(
            "Heeft het woord tussen rechte haken in beide zinnen dezelfde betekenis? Antwoord alleen met {labels}."
        ),
        words={"different": "nee", "same": "ja"},
        joiner=" of ",
    ),
    default_edition="rebuilt",
    editions={
        "rebuilt": Edition(
            sources=(
                Source(
                    file="SONAR500",
                    obtain="The folder SONAR500 of SoNaR 1.2, which the Dutch Language Institute gives out.",
                    members={TEXTS: UNPINNED},
                    beside="sonar-ne",
                ),
                Source(
                    file=FILTERED + ".zip",
                    url=(f"http://kyoto.let.vu.nl/dutchsemcor/annotated_data/human_filtered/{FILTERED}.zip"),
                    members={SENSES: UNPINNED},
                ),
                Source(
                    file=LISTS,
                    obtain="The lists of lemmas of the published build (its file wic-nl.py), or three lists in JSON.",
                    members={LISTS: UNPINNED},
                    optional=True,
                ),
            ),
            read=READ,
            steps=STEPS,
            sizes={"train": 7184, "validation": 1330, "test": 1330},
            sizes_are_asserted=False,
            notes=(
                "The published build draws the other sense out of a set and takes files in the order of the file system, so "
                "that its pairs cannot be met; here words are taken in an order drawn for each lemma.",
                "The published lists of lemmas are used where they are at hand (a file lemma-lists among the raw files: the "
                "build's wic-nl.py as it is, or JSON; --lemma-lists FILE of euroglue prepare); else 15 % of the lemmas are "
                "drawn for validation and for test.",
                "A lemma gives at most six pairs in train and four elsewhere, each a same and a different one; the published "
                "build balances over all lemmas, and allows a sense once in each class.",
                "A sentence that has annotated words of lemmas of two splits stays in one: test before validation before train.",
                "A token that is annotated with two senses is left out.",
                "The sources were not at hand when this was written: they are not pinned, and other sizes than the published "
                "ones are reported, not refused.",
            ),
        ),
        "sample": Edition(
            sources=(
                Source(
                    file="wicnl",
                    package="dumb_datasets/sample/wicnl",
                    members={
                        TEXTS: "9566be5a5a876fe2a224bc43407fc6b911c0c1bf28e6ee1ad80ba6f605bfe954",
                        SENSES: "73868b6218fcb2ad057f3b10a156bfa58dbd5d726eb5d140cbe6949a7d922391",
                    },
                ),
            ),
            read=READ,
            steps=STEPS,
            sizes={"train": 96, "validation": 16, "test": 16},
            notes=(
                "Made up for this package in the format of SoNaR-500 and DutchSemCor; prepared as the rebuilt edition is.",
            ),
        ),
    },
)
