# SPDX-License-Identifier: Apache-2.0
"""EXAMS, Bulgarian: multiple-choice school exams (Hardalov et al., 2020; bgGLUE, sections 2.5 and 3)."""

from bgglue_datasets._release import BULGARIAN, HOMEPAGE, RECIPE, RELEASE
from euroglue.prepare.steps import require_answer_among_choices
from euroglue.prompting.prompt import Prompt
from euroglue.readers import arc, bg_rc, together
from euroglue.task import UNPINNED, Edition, Kind, Licence, LicenceId, Source, Task

EXAMS_QA = "https://github.com/mhardalov/exams-qa/raw/main/data/exams/"
SPLITS = {"train": "train.jsonl", "validation": "dev.jsonl", "test": "test.jsonl"}
QUIZZES = bg_rc(
    "bg_rc-v1.0.json",
    group="history-quiz",
    split="train",
    info={"grade": 0, "subject": "History", "language": "Bulgarian"},
)
READ = together((arc(SPLITS, language="Bulgarian", paragraphs="*_with_para.jsonl"), QUIZZES))
OFFICIAL = {"train": "exams/train.jsonl", "validation": "exams/dev.jsonl", "test": "exams/test.jsonl"}


def _paragraphs(folder: str, name: str) -> Source:
    """An archive of the same questions with a paragraph per choice; used where it is at hand."""
    file = f"{folder}/with_paragraphs/{name}_with_para.jsonl.tar.gz"
    return Source(file=file, url=EXAMS_QA + file, members={f"{name}_with_para.jsonl": UNPINNED}, optional=True)


def _exams(name: str, digest: str) -> Source:
    file = f"multilingual/{name}.jsonl.tar.gz"
    return Source(file=file, url=EXAMS_QA + file, members={f"{name}.jsonl": digest})


TASK = Task(
    suite="bgglue",
    name="examsbg",
    title="EXAMS",
    kind=Kind.MULTIPLE_CHOICE,
    language=BULGARIAN,
    description=(
        "Questions of Bulgarian school-leaving exams and history quizzes with three or four choices, some with a paragraph "
        "of Wikipedia per choice."
    ),
    homepage=HOMEPAGE,
    citation="""@inproceedings{hardalov-etal-2020-exams,
  title     = {{EXAMS}: A Multi-subject High School Examinations Dataset for Cross-lingual and Multilingual Question
               Answering},
  author    = {Hardalov, Momchil and Mihaylov, Todor and Zlatkova, Dimitrina and Dinkov, Yoan and Koychev, Ivan and
               Nakov, Preslav},
  booktitle = {Proceedings of the 2020 Conference on Empirical Methods in Natural Language Processing},
  year      = {2020}
}""",
    licence=Licence(id=LicenceId.CC_BY_SA_4, terms="CC BY-SA 4.0: share alike.", redistribute=True),
    features={
        "id": "string",
        "question": {"stem": "string", "choices": [{"text": "string", "label": "string", "para": "string"}]},
        "answerKey": "string",
        "info": {"grade": "int64", "subject": "string", "language": "string"},
    },
    inputs=("question",),
    segments=("{choice.para}", "{question.stem} {choice.text}"),
    target="answerKey",
    metric="accuracy",
    recipe=RECIPE,
    prompt=Prompt(
        prefix="Следват изпитни въпроси с изброени отговори, от които един е верен.",
        template="Въпрос: {question.stem}\n{choices}\nВерен отговор: {label}",
        instruction="Кой от изброените отговори е верен? Отговорете само с буквата му.",
        choices="question.choices",
        shots=5,
        max_tokens=8,
    ),
    editions={
        "official": Edition(
            sources=(
                Source(
                    file="exams.tar.gz",
                    url=RELEASE + "exams.tar.gz",
                    members={member: UNPINNED for member in OFFICIAL.values()},
                ),
            ),
            read=arc(OFFICIAL),
            steps=(require_answer_among_choices("question", "answerKey", splits=("train", "validation")),),
            sizes={"train": 1512, "validation": 365, "test": 1472},
            hidden=("test",),
            notes=(
                "Answers of the test split are taken for placeholders, as in the rest of the release: hidden as an empty text.",
                "The release's files were not at hand when this was written: they are not pinned.",
            ),
        ),
        "rebuilt": Edition(
            sources=(
                _exams("train", "c4d7754ac5eec8b938ea917a866e3baa7ff3c4d145e88dcd1499a9a7aa66c5e7"),
                _exams("dev", "94eeb29715a7990f035837798f8014bdef7a5cd17b4372fe8f87d78dcd14c8e9"),
                _exams("test", "ecedc60124dde8e3a232a263cd67e2bf2745b76167893fa62efd91eb8e98de6c"),
                Source(
                    file="bg_rc-v1.0.json",
                    obtain="It lies in github.com/mhardalov/bg-reason-BERT.",
                    members={"bg_rc-v1.0.json": "330f900893d9c27e8f3f780415df03d5a2545c4e453c471021c1c77b117ca77a"},
                ),
                *(_paragraphs("multilingual", name) for name in ("train", "dev", "test")),
                *(_paragraphs("cross-lingual", name) for name in ("train_bg", "dev_bg")),
            ),
            read=READ,
            steps=(require_answer_among_choices("question", "answerKey"),),
            sizes={"train": 1512, "validation": 365, "test": 1472},
            notes=(
                "The Bulgarian rows of exams-qa, and the 412 history quizzes of bg_rc in train (grade 0: the file has none).",
                "Paragraphs come from exams-qa's archives with paragraphs where those are at hand; else they are empty.",
            ),
        ),
        "sample": Edition(
            sources=(
                Source(
                    file="examsbg",
                    package="bgglue_datasets/sample/examsbg",
                    members={
                        "multilingual/train.jsonl": "3c7b3e7e9e39d8b87db93d40a91394ee8a4e0ecbdebedaee009b273831b1c37f",
                        "multilingual/dev.jsonl": "fc68ba395e02e33c932dd56efb7e43792502d6090599d413c01410bab9f60bb7",
                        "multilingual/test.jsonl": "b7b12a3f2c923239e9cdd07e2f04826237b49a782646e75616d0493037a7f5c2",
                        "multilingual/with_paragraphs/*_with_para.jsonl": "7b90c244b8392860fadcf1ebac98c351996f3716245cf1cb618cdb42699b9d55",
                        "bg_rc-v1.0.json": "71b158d599412dd96c4442974a9d6ffd96887aae46fe0df9a8d0d81d72b1be10",
                    },
                ),
            ),
            read=together(
                (
                    arc(
                        {split: f"multilingual/{member}" for split, member in SPLITS.items()},
                        language="Bulgarian",
                        paragraphs="*_with_para.jsonl",
                    ),
                    QUIZZES,
                )
            ),
            steps=(require_answer_among_choices("question", "answerKey"),),
            sizes={"train": 64, "validation": 20, "test": 30},
            notes=("Made up for this package in the format of exams-qa and bg_rc.",),
        ),
    },
)
