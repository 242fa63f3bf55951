# SPDX-License-Identifier: Apache-2.0
"""ALD: DALC, abusive and offensive language in Dutch tweets (DUMB, section 2.4)."""

from dumb_datasets._release import DUTCH, HOMEPAGE, recipe
from euroglue.prepare.steps import map_values
from euroglue.prompting.prompt import Prompt
from euroglue.readers import csv_table
from euroglue.task import UNPINNED, Edition, Gate, Kind, Labels, Licence, LicenceId, Source, Task

PUBLIC = "https://github.com/tommasoc80/DALC/raw/master/v2.0/data/"
FULL = {
    "train": "DALC-2_train_full.csv",
    "validation": "DALC-2_dev_full.csv",
    "test": "DALC-2_test_full.csv",
}
LABELS = {split: name.replace("_full", "") for split, name in FULL.items()}
READ = csv_table(FULL, {"text": "text", "label": "abusive_offensive_not"}, key="id", agree=LABELS)
STEPS = (map_values("label", {"NOT": "not", "ABUSIVE": "abusive", "OFFENSIVE": "offensive"}),)


def _full(name: str) -> Source:
    """A file with the tweets' texts."""
    return Source(file=name, obtain="The authors send it after their agreement is signed.", members={name: UNPINNED})


def _labels(name: str, digest: str) -> Source:
    """A public file of the same rows without texts, with which the full one is compared where it is at hand."""
    return Source(file=name, url=PUBLIC + name, members={name: digest}, optional=True)


PUBLISHED = Edition(
    sources=(
        *(_full(name) for name in FULL.values()),
        _labels(LABELS["train"], "0e1031b7438947b06aff9eb7b78ada1a759ef45b280cef60929864b17dd472ae"),
        _labels(LABELS["validation"], "26cf3c28f311e81ef641f9d631d065e4fb3707ae5245aebfab99b2d2b879ced5"),
        _labels(LABELS["test"], "940c49f9647171f22ea7350848e015fcbbc9de6daf4ef73281402f5cf55aaa9f"),
    ),
    read=READ,
    steps=STEPS,
    sizes={"train": 6817, "validation": 1205, "test": 3270},
    notes=(
        "The authors publish the splits; the official and the rebuilt edition are the same.",
        "Columns are read by their names; the published build reads them by their place and passes over the header.",
        "Where the public files of labels are at hand, too, the full ones must agree with them in every column.",
        "Ids are those of the files after the name of their split: each file counts from 0.",
        "The files with texts were not at hand when this was written: they are not pinned; the files of labels are.",
    ),
)

TASK = Task(
    suite="dumb",
    name="dalc",
    title="ALD (DALC)",
    kind=Kind.SEQUENCE_CLASSIFICATION,
    language=DUTCH,
    description="Dutch tweets without names, annotated as abusive, offensive or neither (DALC 2.0).",
    homepage=HOMEPAGE,
    citation="""@inproceedings{ruitenbeek-etal-2022-zo,
  title     = {``{Z}o Grof!'': A Comprehensive Corpus for Offensive and Abusive Language in {D}utch},
  author    = {Ruitenbeek, Ward and Zwart, Victor and van der Noord, Robin and Gnezdilov, Zhenja and Caselli, Tommaso},
  booktitle = {Proceedings of the Sixth Workshop on Online Abuse and Harms},
  year      = {2022}
}""",
    licence=Licence(
        id=LicenceId.GPL_3,
        terms="GPL-3.0 for the labels; the tweets' texts are sent after an agreement and are not to be passed on.",
        redistribute=False,
        gate=Gate.FORM,
        sign_at="https://github.com/tommasoc80/DALC",
    ),
    features={"id": "string", "text": "string", "label": Labels("not", "abusive", "offensive")},
    inputs=("text",),
    target="label",
    extra_tokens=("@USER", "URL"),
    metric="macro_f1",
    recipe=recipe(epochs=5),
    prompt=Prompt(
        prefix="Hieronder staan tweets en of het taalgebruik erin neutraal, grof of kwetsend is.",
        template="Tweet: {text}\nTaalgebruik: {label}",
        instruction=(
            "Hoe is het taalgebruik in de tweet? Antwoord met één woord: {labels}. Kwetsend is wat een persoon of een groep "
            "aanvalt of vernedert; grof is wat vulgair of onbeschoft is zonder dat iemand wordt aangevallen; al het andere is "
            "neutraal."
        ),
        words={"not": "neutraal", "abusive": "kwetsend", "offensive": "grof"},
        shots=9,
        joiner=" of ",
    ),
    default_edition="rebuilt",
    editions={
        "official": PUBLISHED,
        "rebuilt": PUBLISHED,
        "sample": Edition(
            sources=(
                Source(
                    file="dalc",
                    package="dumb_datasets/sample/dalc",
                    members={
                        FULL["train"]: "384d8e6e3f5c966076a00902247eaa0598a6c15542253189aec79a2d63096b0b",
                        FULL["validation"]: "0a1d22edb66f4b51d3a7a60b9391027bcbf80fcdba351929ebfc17c3099fb62f",
                        FULL["test"]: "6f081f5b67b933aee3813f2a65025986a837dd91e36afb62f7c64563b299cc93",
                    },
                ),
            ),
            read=READ,
            steps=STEPS,
            sizes={"train": 64, "validation": 19, "test": 31},
            notes=("Made up for this package in DALC's format; prepared as the other editions are.",),
        ),
    },
)
