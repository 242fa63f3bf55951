# SPDX-License-Identifier: Apache-2.0
"""MultiWikiQA-sl: questions on Slovene Wikipedia articles, written by a language model (Smart, 2025)."""

from collections.abc import Mapping

from euroeval_datasets._release import HOMEPAGE, RECIPE, SEED, SLOVENE
from euroglue.prepare.content_draws import draw_apart, keep_drawn
from euroglue.prepare.published_draws import draw_in_turn
from euroglue.prepare.questions import drop_misaligned, drop_without_answer, keep_lengths, report_misaligned
from euroglue.prepare.steps import drop_duplicates, require_disjoint
from euroglue.prepare.text import same_in_all, same_words
from euroglue.prompting.prompt import Prompt
from euroglue.readers import squad
from euroglue.task import UNPINNED, Edition, Kind, Licence, LicenceId, Source, Step, Task

FILE = "sl/train-00000-of-00001.parquet"
READ = squad({"train": FILE}, mend=False)
SIZES = {"train": 1024, "validation": 256, "test": 2048}
CONTEXT = same_words("context")
QUESTION = same_in_all(CONTEXT, same_words("question"))
BOUNDS = (keep_lengths("context", 30, 5000), keep_lengths("question", 10, 150), drop_without_answer("answers"))


def _rebuilt(sizes: Mapping[str, int]) -> tuple[Step, ...]:
    """The steps of the rebuilt edition, for splits of these sizes."""
    draws = (
        draw_apart("id", split, sizes[split], by=CONTEXT, seed=SEED, apart=(CONTEXT,))
        for split in ("test", "validation", "train")
    )
    return (
        *BOUNDS,
        drop_misaligned("context", "answers"),
        drop_duplicates(by=QUESTION),
        *draws,
        keep_drawn("id", by=QUESTION, seed=SEED),
        require_disjoint(by=CONTEXT),
        require_disjoint(by=QUESTION, within=True),
    )


SOURCES = (
    Source(
        file=FILE,
        url=f"https://huggingface.co/datasets/alexandrainst/multi-wiki-qa/resolve/main/{FILE}",
        members={FILE: UNPINNED},
    ),
)
ABSENT = (
    "The source was not at hand when this was written: it is not pinned, and other sizes are reported, not refused."
)

TASK = Task(
    suite="euroeval_sl",
    name="multi-wiki-qa-sl",
    title="MultiWikiQA-sl",
    kind=Kind.QUESTION_ANSWERING,
    language=SLOVENE,
    description=(
        "Questions on Slovene Wikipedia articles, written and rephrased by a language model; every answer stands in the "
        "article to the letter."
    ),
    homepage=HOMEPAGE,
    citation="""@misc{smart-2025-multiwikiqa,
  title     = {{MultiWikiQA}: A Reading Comprehension Benchmark in 300+ Languages},
  author    = {Smart, Dan Saattrup},
  note      = {arXiv:2509.04111},
  year      = {2025}
}""",
    licence=Licence(
        id=LicenceId.CC_BY_NC_SA_4, terms="CC BY-NC-SA 4.0: non-commercial, share alike.", redistribute=True
    ),
    features={
        "id": "string",
        "title": "string",
        "context": "string",
        "question": "string",
        "answers": {"text": ["string"], "answer_start": ["int64"]},
    },
    inputs=("question", "context"),
    target="answers",
    groups=("context",),
    metric="squad_sl",
    recipe=RECIPE,
    prompt=Prompt(
        prefix="Sledijo besedila z vprašanjem in odgovorom, ki stoji v besedilu.",
        template="Besedilo: {context}\nVprašanje: {question}\nOdgovor: {label}",
        instruction="Na vprašanje odgovorite z najkrajšim delom besedila, ki je odgovor nanj, dobesedno prepisanim.",
        shots=4,
        fixed_shots=True,
        max_tokens=48,
    ),
    default_edition="rebuilt",
    editions={
        "official": Edition(
            sources=SOURCES,
            read=READ,
            steps=(
                *BOUNDS,
                report_misaligned("id", "context", "answers"),
                draw_in_turn("id", from_="train", seed=SEED, validation=256, test=2048, train=1024),
            ),
            sizes=SIZES,
            sizes_are_asserted=False,
            notes=(
                "EuroEval's recipe: bounds of length, then splits drawn of the questions, so that questions on one article are "
                "in several splits.",
                "Answers that do not stand where they should are among the findings. An id that occurs again gets a number.",
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
                "Articles are drawn, with all their questions: none, compared lower-cased and without punctuation, is in two "
                "splits. Of the last article of a split some questions may be left out, to have the number.",
                "Questions with an answer that does not stand at its answer_start are left out, and repeated ones.",
                ABSENT,
            ),
        ),
        "sample": Edition(
            sources=(
                Source(
                    file="multi-wiki-qa-sl",
                    package="euroeval_datasets/sample/multi-wiki-qa-sl",
                    members={FILE: "fcffc419699778706d9054a83d64088900626562eef980062da94f7c2cc3df1a"},
                ),
            ),
            read=READ,
            steps=_rebuilt({"train": 36, "validation": 12, "test": 24}),
            sizes={"train": 36, "validation": 12, "test": 24},
            notes=(
                "Made up for this package in the source's format; prepared as the rebuilt edition is, with smaller splits.",
            ),
        ),
    },
)
