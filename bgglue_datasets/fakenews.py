# SPDX-License-Identifier: Apache-2.0
"""Fake News: Bulgarian articles of the Hack the Fake News hackathon, 2017 (bgGLUE, sections 2.4 and 3)."""

from bgglue_datasets._release import BULGARIAN, HOMEPAGE, NO_LICENCE, RECIPE, RELEASE
from euroglue.prepare.steps import copy_column, drop_duplicates, map_values, require_disjoint, split_off
from euroglue.prepare.text import same_exactly
from euroglue.prompting.prompt import Prompt
from euroglue.readers import jsonl, sheet
from euroglue.task import UNPINNED, Edition, Kind, Labels, Source, Task

TRAIN, TEST = "data/FN_Training_Set.xlsx", "data/FN_Validation_Set.xlsx"
CASE = "https://gitlab.com/datasciencesociety/case_fake_news/-/raw/master/"
READ = sheet(
    {"train": TRAIN, "test": TEST},
    ("label", "click_bait", "title", "url", "date_published", "content"),
)
WITHOUT_REPOSTS = (
    map_values("label", {1: "credible", 3: "fake", "1": "credible", "3": "fake"}),
    drop_duplicates(by=same_exactly("content"), spare_empty=True),
    split_off("id", from_="train", seed=42, validation=0.1),
)

TASK = Task(
    suite="bgglue",
    name="fakenews",
    title="Fake-N",
    kind=Kind.SEQUENCE_CLASSIFICATION,
    language=BULGARIAN,
    description="News articles from 377 Bulgarian sites, credible or fake, from the hackathon Hack the Fake News of 2017.",
    homepage=HOMEPAGE,
    citation="""@inproceedings{karadzhov-etal-2017-built,
  title     = {We Built a Fake News / Click Bait Filter: What Happened Next Will Blow Your Mind!},
  author    = {Karadzhov, Georgi and Gencheva, Pepa and Nakov, Preslav and Koychev, Ivan},
  booktitle = {Proceedings of the International Conference Recent Advances in Natural Language Processing},
  year      = {2017}
}""",
    licence=NO_LICENCE,
    features={
        "id": "string",
        "title": "string",
        "content": "string",
        "date_published": "string",
        "url": "string",
        "label": Labels("credible", "fake"),
    },
    inputs=("title", "content"),
    target="label",
    metric="binary_f1",
    recipe=RECIPE,
    prompt=Prompt(
        prefix="Следват новини от интернет и дали са достоверни, или фалшиви.",
        template="Заглавие: {title}\nТекст: {content}\nНовината е: {label}",
        instruction="Достоверна ли е новината, или е фалшива? Отговорете само с една дума: {labels}.",
        words={"credible": "достоверна", "fake": "фалшива"},
        shots=4,
        quoted="„{}“",
        joiner=" или ",
    ),
    editions={
        "official": Edition(
            sources=(
                Source(
                    file="fakenews.tar.gz",
                    url=RELEASE + "fakenews.tar.gz",
                    members={f"fakenews/{name}.jsonl": UNPINNED for name in ("train", "dev", "test")},
                ),
            ),
            read=jsonl(
                {"train": "fakenews/train.jsonl", "validation": "fakenews/dev.jsonl", "test": "fakenews/test.jsonl"},
                number="id",
            ),
            steps=(
                copy_column(label="fake_news"),
                map_values("label", {0: "credible", 1: "fake"}),
                map_values("title", {None: ""}),
                map_values("content", {None: ""}),
            ),
            sizes={"train": 1990, "validation": 221, "test": 701},
            hidden=("test",),
            notes=(
                "Labels of the test split are taken for placeholders, as in the rest of the release: hidden here as −1.",
                "The release's files were not at hand when this was written: they are not pinned.",
            ),
        ),
        "rebuilt": Edition(
            sources=(
                Source(file="FN_Training_Set.xlsx", url=CASE + TRAIN, members={TRAIN: UNPINNED}),
                Source(file="FN_Validation_Set.xlsx", url=CASE + TEST, members={TEST: UNPINNED}),
            ),
            read=READ,
            steps=(*WITHOUT_REPOSTS, require_disjoint(by="id")),
            sizes={"train": 1990, "validation": 221, "test": 701},
            sizes_are_asserted=False,
            notes=(
                "Rebuilt from the hackathon's spreadsheets by section 3 of the paper: articles with the body of an earlier "
                "one are dropped (train comes first), then 10 % of train become validation by a seed of our own.",
                "The spreadsheets were not at hand when this was written: they are not pinned, and the published sizes are "
                "compared but not asserted.",
            ),
        ),
        "sample": Edition(
            sources=(
                Source(
                    file="fakenews",
                    package="bgglue_datasets/sample/fakenews",
                    members={
                        TRAIN: "eba4e7ad9cf631cf87c33ca230e17c4340abede80f5a6dccf41b5f4ef54cabd5",
                        TEST: "9ea4c0dfcef9f4ffc74a54e489a30cfc6786d2c7370a4bee79d289f47364a5ba",
                    },
                ),
            ),
            read=READ,
            steps=WITHOUT_REPOSTS,
            sizes={"train": 67, "validation": 7, "test": 28},
            notes=("Made up for this package in the hackathon's format; prepared as the rebuilt edition is.",),
        ),
    },
)
