# SPDX-License-Identifier: Apache-2.0
"""Cinexio: fine-grained sentiment of Bulgarian film reviews (bgGLUE, sections 2.3 and 3)."""

from bgglue_datasets._release import BULGARIAN, HOMEPAGE, RECIPE, RELEASE
from euroglue.prepare.steps import (
    band,
    copy_column,
    drop_duplicates,
    drop_shared,
    require_disjoint,
    sort_by,
    split_in_order,
)
from euroglue.prepare.text import same_content_words, same_words
from euroglue.prompting.prompt import Prompt
from euroglue.readers import film_blocks, jsonl
from euroglue.task import Edition, Kind, Licence, LicenceId, Source, Task

REVIEWS = "cinexio_movie_reviews_full_filtered.tsv"

BY_TIME_AND_FILM = (
    drop_duplicates(by=same_content_words("Comment", "bg")),
    drop_duplicates(by=same_words("Comment")),
    copy_column(label="User_Rating"),
    band("User_Rating", into="Category", upper=(1.5, 3.5)),
    sort_by(("Date", "ID")),
    split_in_order(train=0.5, validation=0.25, test=0.25),
    drop_shared(from_="train", by="Cinexio_URL", with_=("validation", "test")),
    require_disjoint(by=same_words("Comment"), within=True),
)

TASK = Task(
    suite="bgglue",
    name="cinexio",
    title="Cinexio",
    kind=Kind.REGRESSION,
    language=BULGARIAN,
    description=(
        "Film reviews from a Bulgarian cinema site with the reviewer's rating, 0 to 5 stars in steps of a half; "
        "the task is to predict the rating from the comment."
    ),
    homepage=HOMEPAGE,
    citation="""@inproceedings{kapukaranov-nakov-2015-fine,
  title     = {Fine-Grained Sentiment Analysis for Movie Reviews in {B}ulgarian},
  author    = {Kapukaranov, Borislav and Nakov, Preslav},
  booktitle = {Proceedings of the International Conference Recent Advances in Natural Language Processing},
  year      = {2015}
}""",
    licence=Licence(id=LicenceId.RESEARCH, terms="For research, non-commercial.", redistribute=False),
    features={
        "ID": "string",
        "Cinexio_URL": "string",
        "Comment": "string",
        "Date": "string",
        "User_Rating": "float64",
        "Category": "int64",
        "label": "float64",
    },
    id_column="ID",
    inputs=("Comment",),
    target="label",
    bounds=(0.0, 5.0),
    label_columns=("label", "User_Rating", "Category"),
    groups=("Cinexio_URL",),
    metric="pearson_spearman",
    recipe=RECIPE,
    prompt=Prompt(
        prefix="Следват отзиви за филми и колко звезди от 0 до 5 е дал всеки автор.",
        template="Отзив: {Comment}\nЗвезди: {label}",
        instruction=(
            "Колко звезди е дал на филма авторът на отзива? Отговорете само с число от 0 до 5, през половин звезда, "
            "например 3,5."
        ),
        scale=("0", "0,5", "1", "1,5", "2", "2,5", "3", "3,5", "4", "4,5", "5"),
        shots=11,
        max_tokens=8,
    ),
    editions={
        "official": Edition(
            sources=(
                Source(
                    file="cinexio.tar.gz",
                    url=RELEASE + "cinexio.tar.gz",
                    members={
                        "cinexio/train.jsonl": "12b0199fd54719d20bb43e36263296b1d2aa0c1b2091396909d0d6359e86e884",
                        "cinexio/dev.jsonl": "1c1a956e923b426aea11ce905516caf8fb9b2bdde775435ce549929243eb971e",
                        "cinexio/test.jsonl": "6cd7285f8a33b732d76b46194f1bafebdde96e24af947bf214ced308669f26e6",
                    },
                ),
            ),
            read=jsonl(
                {"train": "cinexio/train.jsonl", "validation": "cinexio/dev.jsonl", "test": "cinexio/test.jsonl"}
            ),
            steps=(copy_column(label="User_Rating"),),
            sizes={"train": 8155, "validation": 811, "test": 861},
            hidden=("test",),
            notes=(
                "Ratings and categories of the test split are placeholders (0) in the release: hidden here as NaN and −1.",
                "The release still repeats comments inside train and shares some between splits; see `euroglue audit`.",
                "The release reads dates such as 03.12.2013 month first where that is possible; kept as published.",
            ),
        ),
        "rebuilt": Edition(
            sources=(
                Source(
                    file=REVIEWS + ".zip",
                    obtain="The authors offer it at bkapukaranov.github.io.",
                    members={REVIEWS: "1b00b42fead73a35e2ccf5d1aeb3d7e02d3132f30c13b84f87174c477a672fe6"},
                ),
            ),
            read=film_blocks(REVIEWS),
            steps=BY_TIME_AND_FILM,
            sizes={"train": 2065, "validation": 1805, "test": 1804},
            notes=(
                "Rebuilt from the authors' file by section 3 of the paper; the release itself was split by film with dates "
                "that overlap, so the sizes differ from the published ones.",
                "Comments without any content word are compared without punctuation; of comments that are nothing but "
                "punctuation and emoticons one stays.",
                "Dates are read day first, as the file writes them.",
            ),
        ),
        "sample": Edition(
            sources=(
                Source(
                    file=REVIEWS,
                    package="bgglue_datasets/sample/cinexio",
                    members={REVIEWS: "47288695f0b7cfb423e4bcff2e30bb67e7cf650ab9236b3a2757648534d66a4a"},
                ),
            ),
            read=film_blocks(REVIEWS),
            steps=BY_TIME_AND_FILM,
            sizes={"train": 64, "validation": 39, "test": 39},
            notes=("Made up for this package in the authors' format; prepared as the rebuilt edition is.",),
        ),
    },
)
