# SPDX-License-Identifier: Apache-2.0
"""Winogrande-sl: what does the blank in a sentence stand for? Translated by machine (Sakaguchi et al., 2021; MuBench)."""

from collections.abc import Mapping

from euroeval_datasets._release import CHOICES_WORD, HOMEPAGE, OTHER_SEED, RECIPE, SEED, SLOVENE
from euroglue.prepare.content_draws import draw_groups
from euroglue.prepare.published_draws import draw_in_turn, number_rows
from euroglue.prepare.questions import (
    drop_contradictory,
    drop_repetitive,
    keep_lengths,
    pair_of_choices,
    text_with_choices,
)
from euroglue.prepare.steps import drop_duplicates, drop_shared, require_disjoint
from euroglue.prepare.text import same_choices, same_exactly, same_in_all, same_right_choice, same_text
from euroglue.prompting.prompt import Prompt
from euroglue.readers import prompts
from euroglue.task import UNPINNED, Edition, Kind, Labels, Licence, LicenceId, Source, Step, Task

FOLDER = "WinoGrandeDataset_local_template_sl"
FILES = {split: f"*{FOLDER}*{split}*" for split in ("train", "test")}
SIZES = {"train": 47, "validation": 128, "test": 1085}
ITEM = same_in_all(same_text("question"), same_choices("choices"))
FILTERS = (
    keep_lengths("question", 30, 2000),
    keep_lengths("choices", 1, 1000),
    drop_repetitive(("question", "choices"), most=50),
    text_with_choices("question", "choices", word=CHOICES_WORD),
    pair_of_choices("choices", into="pair"),
)


def _rebuilt(sizes: Mapping[str, int]) -> tuple[Step, ...]:
    """The steps of the rebuilt edition, for a validation split of this size."""
    return (
        *FILTERS,
        drop_contradictory(by=ITEM, gold=same_right_choice("choices", "label")),
        drop_shared(from_="train", by="pair", with_=("test",)),
        drop_duplicates(by=ITEM),
        draw_groups("id", from_="test", into="validation", count=sizes["validation"], group="pair", seed=SEED),
        require_disjoint(by="pair"),
        require_disjoint(by=ITEM, within=True),
    )


SOURCES = (
    Source(
        file=FOLDER,
        obtain=(
            f"The splits train and test of the config {FOLDER} of huggingface.co/datasets/aialt/MuBench, as Parquet or JSON "
            f"lines: name them train and test, and put them into a folder called {FOLDER}."
        ),
        members=dict.fromkeys(FILES.values(), UNPINNED),
    ),
)
ABSENT = (
    "The source was not at hand when this was written: it is not pinned, and other sizes are reported, not refused."
)

TASK = Task(
    suite="euroeval_sl",
    name="winogrande-sl",
    title="Winogrande-sl",
    kind=Kind.MULTIPLE_CHOICE,
    language=SLOVENE,
    description="Sentences with a blank and two words that it may stand for: common sense tells which, translated by machine.",
    homepage=HOMEPAGE,
    citation="""@article{sakaguchi-etal-2021-winogrande,
  title     = {{WinoGrande}: An Adversarial {W}inograd Schema Challenge at Scale},
  author    = {Sakaguchi, Keisuke and Le Bras, Ronan and Bhagavatula, Chandra and Choi, Yejin},
  journal   = {Communications of the ACM},
  volume    = {64},
  year      = {2021}
}""",
    licence=Licence(
        id=LicenceId.NONE_STATED,
        terms="MuBench's page states no licence (Winogrande itself: CC BY 4.0): not to be passed on.",
        redistribute=False,
    ),
    features={
        "id": "string",
        "text": "string",
        "label": Labels("a", "b"),
        "question": "string",
        "choices": [{"label": "string", "text": "string"}],
        "pair": "string",
    },
    inputs=("question", "choices"),
    target="label",
    groups=("pair",),
    metric="mcc",
    recipe=RECIPE,
    prompt=Prompt(
        prefix="Sledijo povedi s praznim mestom in dvema možnostma, od katerih na prazno mesto po smislu sodi ena.",
        template="{question}\n{choices}\nNa prazno mesto sodi: {label}",
        instruction="Katera od obeh možnosti sodi na prazno mesto? Odgovorite samo z njeno črko.",
        shots=5,
        fixed_shots=True,
        max_tokens=8,
        choices="choices",
    ),
    default_edition="rebuilt",
    editions={
        "official": Edition(
            sources=SOURCES,
            read=prompts(FILES, everywhere=True),
            steps=(
                number_rows("place"),
                draw_in_turn("id", from_="test", seed=OTHER_SEED, rest="test", place="place", validation=128),
                *FILTERS,
                drop_duplicates(by=same_in_all(same_exactly("split"), same_exactly("text"), same_exactly("label"))),
            ),
            sizes=SIZES,
            sizes_are_asserted=False,
            notes=(
                "EuroEval's recipe with its fault: the index of the 128 validation rows is reset before they are taken out of "
                "test, so that its first 128 rows go instead; of 1,213 rows 110 are in validation and in test. Such a row's "
                "id ends in @test.",
                "The published columns are text and label; question and choices are what text is made of.",
                ABSENT,
            ),
        ),
        "rebuilt": Edition(
            sources=SOURCES,
            read=prompts(FILES),
            steps=_rebuilt(SIZES),
            sizes=SIZES,
            sizes_are_asserted=False,
            notes=(
                "Sentences with the same two choices are taken for twins: all of them are in one split. Train loses those that "
                "test has; validation is 128 rows of the source's test in whole groups, and they are not in test.",
                "A sentence with the same choices is there once; one with two keys is left out.",
                ABSENT,
            ),
        ),
        "sample": Edition(
            sources=(
                Source(
                    file="winogrande-sl",
                    package="euroeval_datasets/sample/winogrande-sl",
                    members={
                        FILES["train"]: "b2e1a81fc7c19e3fda4889af1867203c3cd38e296c261ad99b423dd74b89f7c7",
                        FILES["test"]: "782e380c64bb8b9b202f1656167ec700684254b33dad0ffe48763a072d1ad079",
                    },
                ),
            ),
            read=prompts(FILES),
            steps=_rebuilt({"validation": 16}),
            sizes={"train": 16, "validation": 16, "test": 40},
            notes=(
                "Made up for this package in the source's format; prepared as the rebuilt edition is, with smaller splits.",
            ),
        ),
    },
)
