# SPDX-License-Identifier: Apache-2.0
"""ScaLA: is a sentence of the Slovene treebank SSJ as it was written, or with a word deleted or two swapped?"""

from euroeval_datasets._release import CITATION, HOMEPAGE, RECIPE, SEED, SLOVENE
from euroglue.prepare.content_draws import draw_apart, draw_groups, keep_drawn
from euroglue.prepare.corrupt import correct_and_incorrect, corrupt_as_published, scala_filters
from euroglue.prepare.corrupt_checked import corrupt_checked
from euroglue.prepare.pairs import require_balance
from euroglue.prepare.published_draws import draw_in_turn, shuffle
from euroglue.prepare.questions import keep_lengths
from euroglue.prepare.steps import drop_duplicates, require_disjoint
from euroglue.prepare.text import same_exactly, same_words
from euroglue.prompting.prompt import Prompt
from euroglue.readers import conllu_text
from euroglue.task import UNPINNED, Edition, Kind, Labels, Licence, LicenceId, Source, Step, Task

RELEASE = "https://raw.githubusercontent.com/UniversalDependencies/UD_Slovenian-SSJ/r2.18/"
TRAIN, DEV, TEST = (f"sl_ssj-ud-{part}.conllu" for part in ("train", "dev", "test"))
FILTERS = scala_filters("text", "tokens", "tags")


def _treebank(name: str, digest: str) -> Source:
    return Source(file=name, url=RELEASE + name, members={name: digest})


def _sample(name: str, digest: str) -> Source:
    return Source(file=name, package="euroeval_datasets/sample/scala-sl", members={name: digest})


def _apart(pool: int, **counts: int) -> tuple[Step, ...]:
    """The steps of the rebuilt edition.

    Args:
        pool: how many sentences of the treebank's dev, in whole documents, train is drawn from.
        counts: the sentences of each split; two rows are made of each.
    """
    text = same_exactly("text")
    return (
        *FILTERS,
        drop_duplicates(by=same_words("text")),
        corrupt_checked("id", "text", "tokens", "tags", "lemmas", "spaces", seed=SEED),
        draw_groups("id", from_="validation", into="train", count=pool, group="document", seed=SEED),
        *(draw_apart("id", split, count, by=text, seed=SEED, from_=(split,)) for split, count in counts.items()),
        keep_drawn("id", by=text, seed=SEED),
        correct_and_incorrect("id"),
        shuffle(seed=SEED),
        require_balance("label"),
        require_disjoint("document"),
        require_disjoint(by=same_words("text"), within=True),
    )


DEV_PIN = "2999a1ac8261df77e71c4e824c8e036e4845f84748f36d04bc7b730d7daf9d9a"
TEST_PIN = "c14d5d2f4f20a7ad43e0f598a2e18c5e41f08364ab36be1c87d6d9eae7f5c8b0"
SIZES = {"train": 1024, "validation": 256, "test": 2048}

TASK = Task(
    suite="euroeval_sl",
    name="scala-sl",
    title="ScaLA (Slovene)",
    kind=Kind.SEQUENCE_CLASSIFICATION,
    language=SLOVENE,
    description=(
        "Sentences of the Slovene treebank SSJ, as they are or made ungrammatical by deleting a word or swapping two "
        "neighbours; is the sentence correct?"
    ),
    homepage=HOMEPAGE,
    citation=CITATION
    + """
@inproceedings{dobrovoljc-ljubesic-2022-extending,
  title     = {Extending the {SSJ} {U}niversal {D}ependencies Treebank for {S}lovenian: Was It Worth It?},
  author    = {Dobrovoljc, Kaja and Ljube{\\v{s}}i{\\'c}, Nikola},
  booktitle = {Proceedings of the 16th Linguistic Annotation Workshop (LAW-XVI) within LREC2022},
  year      = {2022}
}""",
    licence=Licence(
        id=LicenceId.CC_BY_SA_4, terms="CC BY-SA 4.0: attribution, share alike (the treebank's).", redistribute=True
    ),
    features={
        "id": "string",
        "text": "string",
        "corruption_type": "string",
        "label": Labels("correct", "incorrect"),
        "document": "string",
    },
    inputs=("text",),
    target="label",
    label_columns=("label", "corruption_type"),
    groups=("document",),
    metric="mcc",
    recipe=RECIPE,
    prompt=Prompt(
        prefix="Sledijo povedi in odgovor na vprašanje, ali je poved slovnično pravilna.",
        template="Poved: {text}\nJe pravilna: {label}",
        instruction=(
            "Je poved slovnično pravilna, torej v njej ne manjka nobena beseda in nobeni besedi nista zamenjani? Odgovorite "
            "samo z {labels}."
        ),
        words={"correct": "da", "incorrect": "ne"},
        shots=12,
        fixed_shots=True,
        quoted="»{}«",
        joiner=" ali ",
    ),
    default_edition="rebuilt",
    editions={
        "official": Edition(
            sources=(_treebank(TRAIN, UNPINNED), _treebank(DEV, DEV_PIN), _treebank(TEST, TEST_PIN)),
            read=conllu_text({"train": TRAIN, "dev": DEV, "test": TEST}, into="part"),
            steps=(
                *FILTERS,
                draw_in_turn("id", from_="", seed=SEED, validation=128, test=1024, train=512),
                keep_lengths("text", least=2, most=5000),
                corrupt_as_published("tokens", "tags", seed=SEED),
                correct_and_incorrect("id"),
                shuffle(seed=SEED),
            ),
            sizes=SIZES,
            notes=(
                "The published recipe, faults included: sentences are drawn across the treebank's own splits and documents, "
                "swaps look at one neighbour only, capitals stay where they were, and the text of both kinds of rows is the "
                "tokens joined by rules that do not know Slovene quotation marks.",
                f"The published build does not seed the corruption and cannot be met row for row; here the seed is {SEED}.",
                "The published split full_train (20,360 rows, train among them) is not made.",
                "The corruption_type of a correct row is the empty text where the published one is null.",
                "Where the treebank's train is not at hand (--allow-missing-splits) the same draws are made over dev and "
                "test; the rows are then others than those of the whole treebank.",
                "The hash of the treebank's train was not known when this was written: it is not pinned.",
            ),
        ),
        "rebuilt": Edition(
            sources=(_treebank(DEV, DEV_PIN), _treebank(TEST, TEST_PIN)),
            read=conllu_text({"test": TEST, "validation": DEV}),
            steps=_apart(pool=880, train=512, validation=128, test=1024),
            sizes=SIZES,
            notes=(
                "Made of the treebank's dev and test alone, of which 2,220 sentences pass the filters: test is drawn from its "
                "test, train and validation from its dev, so that its own boundary before test is kept, every file is pinned "
                "and everybody has the same rows. Its train is not needed.",
                "Train and validation share no document. The treebank's sentences from Wikipedia (ELEXIS-WSD) stand outside "
                "its documents; each counts as one of its own.",
                "Correct rows are the treebank's text. A corrupted row is spelt as a text is: a capital stays at its place "
                "and words get the case of their lemma, spaces are the treebank's; a word goes or moves only where it stands "
                "between two spaces, with punctuation at most, and does not end in a full stop.",
                "A swap looks at both neighbours; a pronoun and an auxiliary are never swapped, whichever comes first.",
                "A corruption that, without case and punctuation, equals a sentence of the data is refused.",
                "Slovene drops pronouns and moves words freely: some corrupted sentences are still good ones, as in the "
                "published data.",
                "A sentence and its corruption are in one split; they are near duplicates there.",
            ),
        ),
        "sample": Edition(
            sources=(
                _sample(DEV, "8321a8507a132eeb16fc447f9da5253656db252257a90259bd4ac27db2c579f8"),
                _sample(TEST, "08598f17ed551ba3739031e0a8506d68448e04792bf25b92cb27c10e3dd5aa13"),
            ),
            read=conllu_text({"test": TEST, "validation": DEV}),
            steps=_apart(pool=37, train=36, validation=14, test=40),
            sizes={"train": 72, "validation": 28, "test": 80},
            notes=("Made up for this package in the treebank's format; prepared as the rebuilt edition is.",),
        ),
    },
)
