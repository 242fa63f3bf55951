# SPDX-License-Identifier: Apache-2.0
"""SA: DBRD, sentiment of Dutch book reviews (DUMB, section 2.4)."""

from dumb_datasets._release import DUTCH, HOMEPAGE, SEED, recipe
from euroglue.prepare.documents import draw_from
from euroglue.prompting.prompt import Prompt
from euroglue.readers import folders
from euroglue.task import UNPINNED, Edition, Kind, Labels, Licence, LicenceId, Source, Task

FOLDERS = {"train": "DBRD/train", "test": "DBRD/test"}
MEMBERS = tuple(f"{folder}/*.txt" for folder in FOLDERS.values())
READ = folders(FOLDERS, labels={"neg": ("negative", "12"), "pos": ("positive", "45")})

TASK = Task(
    suite="dumb",
    name="dbrd",
    title="SA (DBRD)",
    kind=Kind.SEQUENCE_CLASSIFICATION,
    language=DUTCH,
    description="Reviews of books from a Dutch site: is the reviewer for (four or five stars) or against (one or two)?",
    homepage=HOMEPAGE,
    citation="""@misc{van-der-burgh-verberne-2019-merits,
  title     = {The Merits of Universal Language Model Fine-tuning for Small Datasets -- A Case with {D}utch Book Reviews},
  author    = {van der Burgh, Benjamin and Verberne, Suzan},
  note      = {arXiv:1910.00896},
  year      = {2019}
}""",
    licence=Licence(
        id=LicenceId.CC_BY_NC_SA_4,
        terms="MIT by the authors' repository, CC BY-NC-SA 4.0 by their Hub card; the stricter is taken to hold.",
        redistribute=True,
    ),
    features={"id": "string", "text": "string", "label": Labels("negative", "positive")},
    inputs=("text",),
    target="label",
    metric="accuracy",
    recipe=recipe(epochs=3),
    prompt=Prompt(
        prefix="Hieronder staan boekrecensies en of het oordeel erin positief of negatief is.",
        template="Recensie: {text}\nOordeel: {label}",
        instruction="Is de recensent positief of negatief over het boek? Antwoord met één woord: {labels}.",
        words={"negative": "negatief", "positive": "positief"},
        shots=4,
        joiner=" of ",
    ),
    default_edition="rebuilt",
    editions={
        "rebuilt": Edition(
            sources=(
                Source(
                    file="DBRD_v3.tgz",
                    url="https://github.com/benjaminvdb/DBRD/releases/download/v3.0/DBRD_v3.tgz",
                    members=dict.fromkeys(MEMBERS, UNPINNED),
                ),
            ),
            read=READ,
            steps=(draw_from("train", "validation", count=500, seed=SEED),),
            sizes={"train": 19_528, "validation": 500, "test": 2224},
            sizes_are_asserted=False,
            notes=(
                "The 500 validation reviews are drawn with the published build's seed and generator, but over sorted paths: "
                "the build takes them as the file system lists them, so that its own choice cannot be met.",
                "The id is the review's number, without its rating.",
                "The archive was not at hand when this was written: it is not pinned, and other sizes than the published "
                "ones are reported, not refused.",
            ),
        ),
        "sample": Edition(
            sources=(
                Source(
                    file="dbrd",
                    package="dumb_datasets/sample/dbrd",
                    members={
                        MEMBERS[0]: "10e0f297e6adbbfcfd3bf6d7173f5322244e45675b0550411a9ec2a2f59f53f0",
                        MEMBERS[1]: "933ed2e6cda58617542e72f1cbb86e19944c9948e1db0b49f34996637561c4bc",
                    },
                ),
            ),
            read=READ,
            steps=(draw_from("train", "validation", count=20, seed=SEED),),
            sizes={"train": 64, "validation": 20, "test": 30},
            notes=(
                "Made up for this package in DBRD's layout; prepared as the rebuilt edition is, with 20 reviews for validation.",
            ),
        ),
    },
)
