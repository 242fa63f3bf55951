# SPDX-License-Identifier: Apache-2.0
"""Named entities in the Slovene training corpus ssj500k."""

from euroeval_datasets._release import HOMEPAGE, OTHER_SEED, RECIPE, SLOVENE
from euroglue.prepare.content_draws import draw_apart, keep_drawn
from euroglue.prepare.documents import cut_run
from euroglue.prepare.near import drop_near
from euroglue.prepare.published_draws import draw_in_turn
from euroglue.prepare.steps import copy_column, drop_duplicates, map_entity_types, report_tokens, require_disjoint
from euroglue.prepare.text import same_words
from euroglue.prompting.prompt import Prompt
from euroglue.readers import iob
from euroglue.task import UNPINNED, Edition, Kind, Labels, Licence, LicenceId, Source, Step, Task

RELEASE = (
    "https://raw.githubusercontent.com/clarinsi/babushka-bench/a84659c7c8b436a2a57f9c33bc29070f8e13fa5d/"
    "datasets/sl/ssj500k/"
)
TRAIN, DEV, TEST = (f"{part}_ner.conll2002" for part in ("train", "dev", "test"))
TYPES = {"per": "PER", "loc": "LOC", "org": "ORG", "misc": "MISC", "deriv-per": "PER"}
"""The corpus' types → those of the task. ``deriv-per`` is a possessive of a person's name; ``"MISC"`` or ``"O"`` would do too."""
DERIV_PER = (
    "The corpus tags possessives of persons' names as deriv-per, which the task does not have. They name a person and keep "
    "the capital of the name, so they count as PER here; the rule is an argument of a step (TYPES)."
)
NOT_PINNED = "The hash of the test file was not known when this was written: it is not pinned."
LONGEST_DOCUMENT = 102
"""The sentences of the longest document in the treebank SSJ, which is made of the same corpus and tells its documents."""
SPACE = report_tokens("tokens", r"\s", id_column="id", why="a token with white space in it, as in the source; kept")


def _release(name: str, digest: str) -> Source:
    return Source(file=name, url=RELEASE + name, members={name: digest})


def _sample(name: str, digest: str) -> Source:
    return Source(file=name, package="euroeval_datasets/sample/ssj500k-ner", members={name: digest})


def _apart(train: int, validation: int, test: int, gap: int) -> tuple[Step, ...]:
    """The steps of the rebuilt edition: the sentences of each split, of test at most, and those left out before it."""
    words = same_words("tokens")
    return (
        map_entity_types("labels", TYPES),
        SPACE,
        copy_column(split="part"),
        drop_duplicates(by=words),
        drop_near(by=words),
        cut_run("validation", count=validation, gap=gap, rest="test"),
        draw_apart("id", "train", train, by=words, seed=OTHER_SEED, from_=("train",)),
        draw_apart("id", "validation", validation, by=words, seed=OTHER_SEED, from_=("validation",)),
        draw_apart("id", "test", test, by=words, seed=OTHER_SEED, from_=("test",), up_to=True),
        keep_drawn("id", by=words, seed=OTHER_SEED),
        require_disjoint(by=words, within=True),
    )


READ = iob({"train": TRAIN, "validation": DEV, "test": TEST}, tags="labels", separator=" ", into="part")
READ_TEST_FIRST = iob({"test": TEST, "validation": DEV, "train": TRAIN}, tags="labels", separator=" ", into="part")
SOURCES = (
    _release(TRAIN, "09a4f7d689e10962c4690bc9ebcd84a92af9f6257fef9d0905568104ce529e75"),
    _release(DEV, "fa018f9cad6615f163722ca887c0930dca2678762f7727a1208daea7ccf0dc48"),
    _release(TEST, UNPINNED),
)

TASK = Task(
    suite="euroeval_sl",
    name="ssj500k-ner",
    title="ssj500k NER",
    kind=Kind.TOKEN_CLASSIFICATION,
    language=SLOVENE,
    description=(
        "Sentences of the Slovene training corpus ssj500k (newspapers, magazines, books and web pages) with the names of "
        "persons, locations, organisations and other things."
    ),
    homepage=HOMEPAGE,
    citation="""@misc{krek-etal-2019-ssj500k,
  title     = {Training corpus ssj500k 2.2},
  author    = {Krek, Simon and Dobrovoljc, Kaja and Erjavec, Toma{\\v{z}} and Mo{\\v{z}}e, Sara and Ledinek, Nina and
               Holz, Nanika and Zupan, Katja and Gantar, Polona and Kuzman, Taja and others},
  note      = {Slovenian language resource repository CLARIN.SI, http://hdl.handle.net/11356/1210},
  year      = {2019}
}""",
    licence=Licence(
        id=LicenceId.CC_BY_NC_SA_4,
        terms="CC BY-NC-SA 4.0: non-commercial, share alike (the stricter of the two licences that are stated).",
        redistribute=True,
    ),
    features={
        "id": "string",
        "tokens": ["string"],
        "labels": [Labels("O", "B-PER", "I-PER", "B-LOC", "I-LOC", "B-ORG", "I-ORG", "B-MISC", "I-MISC")],
    },
    inputs=("tokens",),
    target="labels",
    metric="entity_f1_no_misc",
    recipe=RECIPE,
    prompt=Prompt(
        prefix="Sledijo povedi in imena v njih, po vrstah zapisana v objekt JSON.",
        template="Poved: {tokens}\nImena: {label}",
        instruction=(
            "Poiščite imena v povedi. Odgovorite samo z objektom JSON s ključi {labels}. Pri vsakem ključu naj stoji seznam "
            "imen te vrste, dobesedno tako kot v povedi in v istem vrstnem redu; kjer jih ni, naj bo seznam prazen."
        ),
        words={"PER": "oseba", "LOC": "kraj", "ORG": "organizacija", "MISC": "drugo"},
        fixed_shots=True,
        max_tokens=256,
        quoted='"{}"',
        joiner=" in ",
    ),
    default_edition="rebuilt",
    editions={
        "official": Edition(
            sources=SOURCES,
            read=READ,
            steps=(
                map_entity_types("labels", TYPES),
                SPACE,
                draw_in_turn("id", from_="", seed=OTHER_SEED, validation=256, test=2048, train=1024),
            ),
            sizes={"train": 1024, "validation": 256, "test": 2048},
            notes=(
                "The published recipe: sentences are drawn from the whole corpus, so that a document stands in several splits; "
                "nothing is deduplicated.",
                DERIV_PER,
                "The published build reads another file of the corpus, in which the order of sentences is another: the rows "
                "are drawn as there, but are not the same. Here the order is train, dev, test of the CoNLL-2002 files.",
                NOT_PINNED,
                "Where the file is not at hand (--allow-missing-splits) the same draws are made over the others.",
            ),
        ),
        "rebuilt": Edition(
            sources=SOURCES,
            read=READ_TEST_FIRST,
            steps=_apart(train=1024, validation=256, test=2048, gap=LONGEST_DOCUMENT),
            sizes={"train": 1024, "validation": 256, "test": 1695},
            sizes_are_asserted=False,
            notes=(
                "The source is split by document, and its boundaries are kept: train is drawn from its train, validation is "
                f"the beginning of its dev. Its test has 893 sentences, not 2,048; the rest of dev goes to test too, less "
                f"the {LONGEST_DOCUMENT} sentences after validation, as many as the longest document that the treebank SSJ has "
                "of this corpus, for the files do not tell documents. No document is in train and in another split.",
                "Sentences that are equal without case and punctuation, or nearly so, stay once: test before validation "
                "before train. So the size of test, here 893 and 802, may be a few less.",
                DERIV_PER,
                NOT_PINNED,
                "Where the file is not at hand (--allow-missing-splits) test is the rest of dev alone.",
            ),
        ),
        "sample": Edition(
            sources=(
                _sample(TRAIN, "aabcc10491da209d584a116eca056dbc32db8883d51f166c5c4938b80f206912"),
                _sample(DEV, "1f27db890757843fc80878c9b21bd384311223912e476230780eba948a7a324c"),
                _sample(TEST, "b30bed34439c315c8f76b30b3ed6dcf3d45af26ab04705196c1a2faf96570a19"),
            ),
            read=READ_TEST_FIRST,
            steps=_apart(train=60, validation=16, test=60, gap=4),
            sizes={"train": 60, "validation": 16, "test": 42},
            notes=("Made up for this package in the source's format; prepared as the rebuilt edition is.",),
        ),
    },
)
