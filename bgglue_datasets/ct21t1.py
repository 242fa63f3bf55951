# SPDX-License-Identifier: Apache-2.0
"""CT21.T1: check-worthiness of Bulgarian tweets (CLEF-2021 CheckThat!, task 1A; bgGLUE, sections 2.4 and 3)."""

from bgglue_datasets._release import BULGARIAN, HOMEPAGE, RECIPE
from euroglue.prepare.steps import copy_column, map_values
from euroglue.prompting.prompt import Prompt
from euroglue.readers import tsv
from euroglue.task import UNPINNED, Edition, Kind, Labels, Licence, LicenceId, Source, Task

TRAIN, DEV = "v1/dataset_train_v1_bulgarian.tsv", "v1/dataset_dev_v1_bulgarian.tsv"
TEST, GOLD = "subtask-1a--bulgarian/dataset_test_input_bulgarian.tsv", "bulgarian_test_data.tsv"
COLUMNS = {
    "topic_id": "topic_id",
    "tweet_id": "tweet_id",
    "tweet_text": "tweet_text",
    "labels": ("check_worthiness", "claim_worthiness"),
}
STEPS = (
    map_values("labels", {"0": "normal", "1": "check-worthy"}),
    copy_column(id_str="tweet_id"),
)
REPOSITORY = "https://gitlab.com/checkthat_lab/clef2021-checkthat-lab/-/raw/master/task1/"
TWEETS = Source(
    file="v1.zip",
    url=REPOSITORY + "data/subtask-1a--bulgarian/v1.zip",
    members={
        TRAIN: "91c82d327778d16e8a2d4f42bc71f044183081d151d305c260cab5a4100e58d0",
        DEV: "f79eb46c13277c2ed139b6885a0c9eebfd834c2c4db916714c60ff6b8b56487e",
    },
)

TASK = Task(
    suite="bgglue",
    name="ct21t1",
    title="CT21.T1",
    kind=Kind.RANKING,
    language=BULGARIAN,
    description=(
        "Bulgarian tweets, mostly about Covid-19, to be ranked by whether they are worth the attention of fact-checkers."
    ),
    homepage=HOMEPAGE,
    citation="""@inproceedings{shaar-etal-2021-overview,
  title     = {Overview of the {CLEF-2021} {CheckThat!} Lab Task 1 on Check-Worthiness Estimation in Tweets and
               Political Debates},
  author    = {Shaar, Shaden and Hasanain, Maram and Hamdan, Bayan and Ali, Zien Sheikh and Haouari, Fatima and
               Nikolov, Alex and Kutlu, Mucahid and Kartal, Yavuz Selim and Alam, Firoj and Da San Martino, Giovanni
               and others},
  booktitle = {Working Notes of CLEF 2021},
  year      = {2021}
}""",
    licence=Licence(id=LicenceId.RESEARCH, terms="Free for general research use; tweets.", redistribute=False),
    features={
        "tweet_id": "string",
        "id_str": "string",
        "topic_id": "string",
        "tweet_text": "string",
        "labels": Labels("normal", "check-worthy"),
    },
    id_column="tweet_id",
    inputs=("tweet_text",),
    target="labels",
    groups=("topic_id",),
    metric="average_precision",
    recipe=RECIPE,
    prompt=Prompt(
        prefix="Следват публикации в „Туитър“ и дали съдържат твърдение, което си струва да бъде проверено.",
        template="Публикация: {tweet_text}\nСтрува ли си проверка: {label}",
        instruction=(
            "Съдържа ли публикацията твърдение, което засяга обществото и което си струва журналистите да проверят? "
            "Отговорете само с {labels}."
        ),
        words={"normal": "не", "check-worthy": "да"},
        quoted="„{}“",
        joiner=" или ",
    ),
    editions={
        "official": Edition(
            sources=(
                TWEETS,
                Source(
                    file="subtask-1a--bulgarian.zip",
                    url=REPOSITORY + "test-input/subtask-1a--bulgarian.zip",
                    members={TEST: "5a232daf8bd3bb0c1b693eec677de12565883de0b819cf9e707cee09d0fd554d"},
                ),
            ),
            read=tsv({"train": TRAIN, "validation": DEV, "test": TEST}, COLUMNS, absent={"test": ("labels",)}),
            steps=STEPS,
            sizes={"train": 3000, "validation": 350, "test": 357},
            hidden=("test",),
            notes=(
                "Table 1 of the paper prints 2,995 for train; the organisers' file holds 3,000.",
                "One training text (1239610734524465153) is a run of several tweets, 10,067 characters long, in the file itself.",
                "The test input has no labels: hidden here as −1. With the organisers' gold file use the rebuilt edition.",
            ),
        ),
        "rebuilt": Edition(
            sources=(
                TWEETS,
                Source(
                    file=GOLD,
                    obtain=f"The organisers give it out with the evaluation of task 1 ({REPOSITORY}).",
                    members={GOLD: UNPINNED},
                ),
            ),
            read=tsv({"train": TRAIN, "validation": DEV, "test": GOLD}, COLUMNS),
            steps=STEPS,
            sizes={"train": 3000, "validation": 350, "test": 357},
            notes=(
                "The official edition with the organisers' gold labels of the test tweets; that file is not pinned.",
            ),
        ),
        "sample": Edition(
            sources=(
                Source(
                    file="ct21t1",
                    package="bgglue_datasets/sample/ct21t1",
                    members={
                        TRAIN: "e16c96cee4485f2ac1248680664b19928411fc3bdf5c219e7822fe20b15740f8",
                        DEV: "e24ef6d8a2280e1293a47d348fc8f064743f0edc7b6a4a3861c9bb210746790e",
                        GOLD: "92211aa22e67dc5144e73a2440ec024e9da4ed3d3a107cc831a1088da72d76a6",
                    },
                ),
            ),
            read=tsv({"train": TRAIN, "validation": DEV, "test": GOLD}, COLUMNS),
            steps=STEPS,
            sizes={"train": 90, "validation": 36, "test": 36},
            notes=("Made up for this package in the organisers' format, with gold in test.",),
        ),
    },
)
