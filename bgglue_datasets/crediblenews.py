# SPDX-License-Identifier: Apache-2.0
"""Credible News: credible and humorous Bulgarian news (Hardalov et al., 2016; bgGLUE, sections 2.4, 3 and appendix C)."""

from bgglue_datasets._release import BULGARIAN, HOMEPAGE, RECIPE
from euroglue.prompting.prompt import Prompt
from euroglue.readers import jsonl
from euroglue.task import UNPINNED, Edition, Gate, Kind, Labels, Licence, LicenceId, Source, Task

FILES = {
    "train": "credible_news/train.jsonl",
    "validation": "credible_news/dev.jsonl",
    "test": "credible_news/test.jsonl",
}

TASK = Task(
    suite="bgglue",
    name="crediblenews",
    title="Cred.-N",
    kind=Kind.SEQUENCE_CLASSIFICATION,
    language=BULGARIAN,
    description="Articles from six Bulgarian news sources, credible or humorous; cues of the source are removed.",
    homepage=HOMEPAGE,
    citation="""@inproceedings{hardalov-etal-2016-search,
  title     = {In Search of Credible News},
  author    = {Hardalov, Momchil and Koychev, Ivan and Nakov, Preslav},
  booktitle = {Artificial Intelligence: Methodology, Systems, and Applications},
  year      = {2016}
}""",
    licence=Licence(
        id=LicenceId.CC_BY_NC_SA_4,
        terms="CC BY-NC-SA 4.0, sent by the authors after their form is signed; not to be passed on.",
        redistribute=False,
        gate=Gate.FORM,
        sign_at="https://forms.gle/Nm4T369eg8rXG3tx8",
    ),
    features={
        "key": "string",
        "title": "string",
        "content": "string",
        "publishDate": "string",
        "source": "string",
        "category": "string",
        "label": Labels("credible", "humorous"),
    },
    id_column="key",
    inputs=("title", "content"),
    target="label",
    groups=("source",),
    metric="binary_f1",
    recipe=RECIPE,
    prompt=Prompt(
        prefix="Следват новини и дали са достоверни, или хумористични.",
        template="Заглавие: {title}\nТекст: {content}\nНовината е: {label}",
        instruction=(
            "Достоверна ли е новината, или е хумористична, тоест измислена за смях? Отговорете само с една дума: {labels}."
        ),
        words={"credible": "достоверна", "humorous": "хумористична"},
        shots=4,
        quoted="„{}“",
        joiner=" или ",
    ),
    editions={
        "official": Edition(
            sources=(
                Source(
                    file="credible_news.tar.gz",
                    obtain="The authors send it after their form is signed.",
                    members={member: UNPINNED for member in FILES.values()},
                ),
            ),
            read=jsonl(FILES),
            sizes={"train": 19_227, "validation": 5949, "test": 17_887},
            hidden=("test",),
            notes=(
                "Labels of the test split are taken for placeholders, as in the rest of the release: hidden here as −1.",
                "The authors' archive was not at hand when this was written: it is not pinned.",
                "The steps of the paper's split (topics, sources, ratio, cues) are in euroglue/prepare/articles.py.",
            ),
        ),
        "sample": Edition(
            sources=(
                Source(
                    file="credible_news",
                    package="bgglue_datasets/sample/crediblenews",
                    members={
                        FILES["train"]: "f69468b3c5c4b61e7f4855b82dbc7051b434ac9b95733526823aa5b7df8795d3",
                        FILES["validation"]: "82d804fa490eae761159189456ae1ac860c4c8fb75a163716a5c0636ab614f30",
                        FILES["test"]: "639f082721b46bcb2b2799d24e2a9382aaf15dd46ffb3fe610ef56784feb4d54",
                    },
                ),
            ),
            read=jsonl(FILES),
            sizes={"train": 77, "validation": 33, "test": 36},
            notes=("Made up for this package in the layout of the authors' archive, with labels in test.",),
        ),
    },
)
