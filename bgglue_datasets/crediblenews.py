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
                        FILES["train"]: "32c08f88cce8c8989bdd464dfb179651d4def75a42c5c1d4b306f43698c9d86a",
                        FILES["validation"]: "5bb1e4ae0de048e96a63435830b6d6429a74d6d46f0aaa49bedb1efa3add92e4",
                        FILES["test"]: "2c7025f5ce8ec034d42de7ad11c753e539653b7ca908f3b8113df08883d9b716",
                    },
                ),
            ),
            read=jsonl(FILES),
            sizes={"train": 77, "validation": 33, "test": 36},
            notes=("Made up for this package in the layout of the authors' archive, with labels in test.",),
        ),
    },
)
