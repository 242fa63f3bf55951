# SPDX-License-Identifier: Apache-2.0
"""BSNLP: named entities in Bulgarian news, whole documents (bgGLUE, sections 2.1 and 3)."""

from bgglue_datasets._release import BULGARIAN, HOMEPAGE, NO_LICENCE, RECIPE, RELEASE
from euroglue.prepare.steps import drop_duplicates, repeat_per_token, require_disjoint, split_by, split_rest
from euroglue.prepare.text import same_content_words
from euroglue.prompting.prompt import Prompt
from euroglue.readers import jsonl, offsets
from euroglue.task import Edition, Kind, Labels, Source, Task

BY_TOPIC = (
    drop_duplicates(by=same_content_words("text", "bg")),
    repeat_per_token("tokens", langs="bg"),
    split_by("topic", test=("covid-19", "us_election_2020")),
    split_rest("ID", seed=42, validation=0.2),
    require_disjoint(by=same_content_words("text", "bg"), within=True),
)

TASK = Task(
    suite="bgglue",
    name="bsnlp",
    title="BSNLP",
    kind=Kind.TOKEN_CLASSIFICATION,
    language=BULGARIAN,
    description=(
        "Bulgarian news and web documents on six topics with persons, locations, organisations, products and events, "
        "from three editions of the Slavic named-entity shared task; one example is one document."
    ),
    homepage=HOMEPAGE,
    citation="""@inproceedings{piskorski-etal-2024-cross-lingual,
  title     = {Cross-lingual Named Entity Corpus for {S}lavic Languages},
  author    = {Piskorski, Jakub and Marci{\\'n}czuk, Micha{\\l} and Yangarber, Roman},
  booktitle = {Proceedings of LREC-COLING 2024},
  year      = {2024}
}""",
    licence=NO_LICENCE,
    features={
        "ID": "string",
        "tokens": ["string"],
        "ner_tags": [
            Labels("O", "B-PRO", "I-PRO", "B-LOC", "I-LOC", "B-ORG", "I-ORG", "B-PER", "I-PER", "B-EVT", "I-EVT")
        ],
        "langs": ["string"],
    },
    id_column="ID",
    inputs=("tokens",),
    target="ner_tags",
    metric="entity_f1",
    recipe=RECIPE,
    prompt=Prompt(
        prefix="Следват новинарски текстове и собствените имена в тях, подредени по вид в JSON обект.",
        template="Текст: {tokens}\nИмена: {label}",
        instruction=(
            "Намерете собствените имена в текста. Отговорете само с JSON обект с ключове {labels}. Под всеки ключ стои списък "
            "с имената от този вид: точно както са изписани в текста, в същия ред и толкова пъти, колкото се срещат; ако няма "
            "такива, списъкът е празен."
        ),
        words={"PRO": "продукт", "LOC": "място", "ORG": "организация", "PER": "лице", "EVT": "събитие"},
        shots=4,
        max_tokens=768,
        quoted='"{}"',
        joiner=" и ",
    ),
    editions={
        "official": Edition(
            sources=(
                Source(
                    file="bsnlp.tar.gz",
                    url=RELEASE + "bsnlp.tar.gz",
                    members={
                        "bsnlp/train.jsonl": "a5f1973a4923180b2e956a2fb54e341a91cacdf0df0b1d88b571c3b8db4dd0dc",
                        "bsnlp/dev.jsonl": "89f4b167e13ff9fdcf64b58866c5fc9d5c7a5b19852a10799dba0b0f9932e098",
                        "bsnlp/test.jsonl": "5aa4151fe792da3cc484c30530974f15a650a67a7a282cbdaffbe411288994c2",
                    },
                ),
            ),
            read=jsonl({"train": "bsnlp/train.jsonl", "validation": "bsnlp/dev.jsonl", "test": "bsnlp/test.jsonl"}),
            sizes={"train": 724, "validation": 182, "test": 301},
            hidden=("test",),
            notes=(
                "Table 1 of the paper prints 301 for validation; the release holds 182.",
                "Tags of the test split are placeholders (all O) in the release: hidden here as −1.",
            ),
        ),
        "rebuilt": Edition(
            sources=(
                Source(
                    file="SlavicNER-2c72947c.tar.gz",
                    url="https://github.com/SlavicNLP/SlavicNER/archive/2c72947c.tar.gz",
                    members={
                        "raw/*/bg/*.txt": "573a364e854259ebeb7ed0e1a196178fab3ee267617f2dba1536efb5f68a063c",
                        "ner/*/bg/*.tsv": "3611b351d8e3612bfb3a7b6501c406a56dd33e7c6039772559f63eda4470cc9a",
                    },
                ),
            ),
            read=offsets(texts="raw/*/bg/*.txt", mentions="ner/*/bg/*.tsv"),
            steps=BY_TOPIC,
            sizes={"train": 723, "validation": 181, "test": 302},
            notes=(
                "Rebuilt from SlavicNER, the shared tasks' successor with character offsets; tokens are our own.",
                "The two latest topics (Covid-19, the US election of 2020) are the test split, with gold tags.",
                "A document is kept once by the paper's general rule (equal sets of words that are no stop words); the corpus "
                "has a few documents more than the release, so the sizes differ.",
            ),
        ),
        "sample": Edition(
            sources=(
                Source(
                    file="bsnlp",
                    package="bgglue_datasets/sample/bsnlp",
                    members={
                        "raw/*/bg/*.txt": "371b4e92f7a7c8dd88c5d77f026d89b5b473d689efde01313f827e3bfb6424f6",
                        "ner/*/bg/*.tsv": "3837ae13305d7610e04ad21837f8afea0dbcda733c5a0f2ff211e184c9c8b81f",
                    },
                ),
            ),
            read=offsets(texts="raw/*/bg/*.txt", mentions="ner/*/bg/*.tsv"),
            steps=BY_TOPIC,
            sizes={"train": 40, "validation": 10, "test": 26},
            notes=("Made up for this package in the layout of SlavicNER; prepared as the rebuilt edition is.",),
        ),
    },
)
