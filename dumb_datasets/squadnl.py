# SPDX-License-Identifier: Apache-2.0
"""QA: SQuAD-NL, questions whose answer is a stretch of a paragraph, or that it does not answer (DUMB, section 2.4)."""

from dumb_datasets._release import DUTCH, HOMEPAGE, NLP_NL, recipe
from euroglue.prompting.prompt import Prompt
from euroglue.readers import squad
from euroglue.task import UNPINNED, Edition, Kind, Licence, LicenceId, Source, Task

FILES = {
    "train": "SQuAD-NL/nl/train-v2.0.json",
    "validation": "SQuAD-NL/nl/dev-v2.0.json",
    "test": "SQuAD-NL/nl/test-v2.0.json",
}
READ = squad(FILES)

PUBLISHED = Edition(
    sources=tuple(
        Source(file=name, url=NLP_NL + "raw/squad-nl-v1.0/" + name, members={name: UNPINNED}) for name in FILES.values()
    ),
    read=READ,
    sizes={"train": 130_319, "validation": 10_174, "test": 1699},
    sizes_are_asserted=False,
    notes=(
        "The authors publish the splits; the official and the rebuilt edition are the same. Test is XQuAD's choice of "
        "SQuAD's development paragraphs, so that validation and test share articles, though no paragraph.",
        "Each answer stands in its paragraph at its answer_start: one that does not is found again at the nearest place, and "
        "a question with an answer that its paragraph does not hold is left out. Both are counted among the findings.",
        "The files were not at hand when this was written: they are not pinned, and other sizes than the published ones are "
        "reported, not refused.",
    ),
)

TASK = Task(
    suite="dumb",
    name="squadnl",
    title="QA (SQuAD-NL)",
    kind=Kind.QUESTION_ANSWERING,
    language=DUTCH,
    description=(
        "SQuAD 2.0 in Dutch, translated by machine, its test questions corrected by people: the answer is a stretch of the "
        "paragraph, or there is none (no texts)."
    ),
    homepage=HOMEPAGE,
    citation="""@inproceedings{rajpurkar-etal-2018-know,
  title     = {Know What You Don't Know: Unanswerable Questions for {SQ}u{AD}},
  author    = {Rajpurkar, Pranav and Jia, Robin and Liang, Percy},
  booktitle = {Proceedings of the 56th Annual Meeting of the Association for Computational Linguistics},
  year      = {2018}
}""",
    licence=Licence(id=LicenceId.CC_BY_SA_4, terms="CC BY-SA 4.0: share alike.", redistribute=True),
    features={
        "id": "string",
        "title": "string",
        "context": "string",
        "question": "string",
        "answers": {"text": ["string"], "answer_start": ["int64"]},
    },
    inputs=("question", "context"),
    target="answers",
    groups=("title",),
    metric="squad",
    recipe=recipe(epochs=2),
    prompt=Prompt(
        prefix="Hieronder staan teksten met een vraag en het antwoord uit de tekst, als dat er staat.",
        template="Tekst: {context}\nVraag: {question}\nAntwoord: {label}",
        instruction=(
            "Beantwoord de vraag met het kortste stuk uit de tekst dat het antwoord geeft, letterlijk overgenomen. Staat het "
            "antwoord niet in de tekst, antwoord dan: geen antwoord."
        ),
        no_answer="geen antwoord",
        shots=4,
        max_tokens=48,
    ),
    default_edition="rebuilt",
    editions={
        "official": PUBLISHED,
        "rebuilt": PUBLISHED,
        "sample": Edition(
            sources=(
                Source(
                    file="squadnl",
                    package="dumb_datasets/sample/squadnl",
                    members={
                        FILES["train"]: "58ee4cf7bffdd882e7861c8c1a611240fbe662dd3d2f07182007495d1cff1b68",
                        FILES["validation"]: "f2a31600171d5771c4b34987cbc178815a448063ba914dc28d762f3dbd968339",
                        FILES["test"]: "0edf7e11152fa690a0244331143508d374c7971aa253a3177d686b5b05c0bdd0",
                    },
                ),
            ),
            read=READ,
            sizes={"train": 49, "validation": 16, "test": 17},
            notes=("Made up for this package in SQuAD-NL's format; prepared as the other editions are.",),
        ),
    },
)
