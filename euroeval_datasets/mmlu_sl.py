# SPDX-License-Identifier: Apache-2.0
"""MMLU-sl: questions of 57 subjects with four choices, translated by machine (Hendrycks et al., 2021; MMLUX)."""

from collections.abc import Mapping

from euroeval_datasets._release import CHOICES_WORD, HOMEPAGE, RECIPE, SEED, SLOVENE
from euroglue.prepare.content_draws import draw_apart, keep_drawn
from euroglue.prepare.published_draws import draw_stratified
from euroglue.prepare.questions import drop_contradictory, drop_repetitive, keep_lengths, text_with_choices
from euroglue.prepare.steps import drop_duplicates, require_disjoint
from euroglue.prepare.text import (
    same_choices,
    same_exactly,
    same_in_all,
    same_right_choice,
    same_text,
    same_words,
)
from euroglue.prompting.prompt import Prompt
from euroglue.readers import mmlu
from euroglue.task import UNPINNED, Edition, Kind, Labels, Licence, LicenceId, Source, Step, Task

FILES = {"train": "*SL*dev.jsonl", "validation": "*SL*validation.jsonl", "test": "*SL*test.jsonl"}
READ = mmlu(FILES)
SIZES = {"train": 1024, "validation": 256, "test": 2048}
STEM = same_words("question")
ITEM = same_in_all(same_text("question"), same_choices("choices"))
FILTERS = (
    keep_lengths("question", 30, 2000),
    keep_lengths("choices", 1, 1000),
    drop_repetitive(("question", "choices"), most=50),
    text_with_choices("question", "choices", word=CHOICES_WORD),
)
FROM = {"test": ("test",), "validation": ("validation",), "train": ("train", "validation")}


def _rebuilt(sizes: Mapping[str, int]) -> tuple[Step, ...]:
    """The steps of the rebuilt edition, for splits of these sizes."""
    draws = (
        draw_apart("id", split, sizes[split], by=ITEM, seed=SEED, from_=source, apart=(STEM,), like="category")
        for split, source in FROM.items()
    )
    return (
        *FILTERS,
        drop_contradictory(by=ITEM, gold=same_right_choice("choices", "label")),
        drop_duplicates(by=ITEM),
        *draws,
        keep_drawn("id", by=ITEM, seed=SEED),
        require_disjoint(by=STEM),
        require_disjoint(by=ITEM, within=True),
    )


SOURCES = (
    Source(
        file="mmlux",
        obtain=(
            "The files *SL*dev.jsonl, *SL*validation.jsonl and *SL*test.jsonl lie in huggingface.co/datasets/"
            "LumiOpen/opengpt-x_mmlux."
        ),
        members=dict.fromkeys(FILES.values(), UNPINNED),
    ),
)
ABSENT = (
    "The source was not at hand when this was written: it is not pinned, and other sizes are reported, not refused."
)

TASK = Task(
    suite="euroeval_sl",
    name="mmlu-sl",
    title="MMLU-sl",
    kind=Kind.MULTIPLE_CHOICE,
    language=SLOVENE,
    description="Questions of 57 subjects, from anatomy to world religions, with four choices, translated by machine.",
    homepage=HOMEPAGE,
    citation="""@inproceedings{hendrycks-etal-2021-measuring,
  title     = {Measuring Massive Multitask Language Understanding},
  author    = {Hendrycks, Dan and Burns, Collin and Basart, Steven and Zou, Andy and Mazeika, Mantas and Song, Dawn and
               Steinhardt, Jacob},
  booktitle = {International Conference on Learning Representations},
  year      = {2021}
}""",
    licence=Licence(
        id=LicenceId.NONE_STATED,
        terms="The translation's page states no licence (MMLU itself: MIT): not to be passed on.",
        redistribute=False,
    ),
    features={
        "id": "string",
        "text": "string",
        "label": Labels("a", "b", "c", "d"),
        "category": "string",
        "question": "string",
        "choices": [{"label": "string", "text": "string"}],
    },
    inputs=("question", "choices"),
    target="label",
    groups=("question",),
    metric="mcc",
    recipe=RECIPE,
    prompt=Prompt(
        prefix="Sledijo vprašanja z naštetimi odgovori, od katerih je pravilen en sam.",
        template="Vprašanje: {question}\n{choices}\nPravilen odgovor: {label}",
        instruction="Kateri od naštetih odgovorov je pravilen? Odgovorite samo z njegovo črko.",
        shots=5,
        fixed_shots=True,
        max_tokens=8,
        choices="choices",
    ),
    default_edition="rebuilt",
    editions={
        "official": Edition(
            sources=SOURCES,
            read=READ,
            steps=(
                *FILTERS,
                drop_duplicates(by=same_in_all(same_exactly("text"), same_exactly("label"), same_exactly("category"))),
                draw_stratified("category", seed=SEED, sampled={"train": 1024}, validation=256, test=2048),
            ),
            sizes=SIZES,
            sizes_are_asserted=False,
            notes=(
                "EuroEval's recipe: the source's dev, validation and test are thrown together, so that a test question of MMLU "
                "can be in train; a question with two keys, or in two categories, stays twice. Draws are those of "
                "scikit-learn's train_test_split, by category.",
                "The published columns are text, label and category; question and choices are what text is made of.",
                ABSENT,
            ),
        ),
        "rebuilt": Edition(
            sources=SOURCES,
            read=READ,
            steps=_rebuilt(SIZES),
            sizes=SIZES,
            sizes_are_asserted=False,
            notes=(
                "The source's boundaries are kept: test is drawn of its test, validation of its validation, train is all of "
                "its dev and, since that has 285 questions only, the rest from its validation. Draws are by the question, "
                "and each has the categories by the shares its source has.",
                "A question with the same choices is there once; one with two keys is left out. No question, whatever its "
                "choices, is in two splits.",
                ABSENT,
            ),
        ),
        "sample": Edition(
            sources=(
                Source(
                    file="mmlu-sl",
                    package="euroeval_datasets/sample/mmlu-sl",
                    members={
                        FILES["train"]: "e47a16b6dab9db92b9f076b75dd9d8cd0a9ee6c89c3be68e5dfa13657feddbe9",
                        FILES["validation"]: "3e627330468a357c08503638cb08e284568a1a9ecc956da388d4fbf1c4a1e38b",
                        FILES["test"]: "b5e5e27a56fa0f3ccb040e7e0d31eeebd4d6d9e5bb04bdead78b59fedcce9d6f",
                    },
                ),
            ),
            read=READ,
            steps=_rebuilt({"train": 24, "validation": 8, "test": 24}),
            sizes={"train": 24, "validation": 8, "test": 24},
            notes=(
                "Made up for this package in the source's format; prepared as the rebuilt edition is, with smaller splits.",
            ),
        ),
    },
)
