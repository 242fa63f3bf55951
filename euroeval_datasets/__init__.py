# SPDX-License-Identifier: Apache-2.0
"""EuroEval's Slovene suite for ``datasets`` and ``evaluate``: importing this makes ``load_dataset("euroeval_sl", task)`` work."""

import euroglue  # noqa: F401  (installs the name hooks)
from euroeval_datasets._release import CITATION, HOMEPAGE, SLOVENE
from euroglue.registry import SUITES, tasks_in
from euroglue.task import Suite

SUITE = Suite(
    name="euroeval_sl",
    title="EuroEval Slovene",
    package="euroeval_datasets",
    language=SLOVENE,
    description=(
        "EuroEval's Slovene suite: six tasks on sentiment, named entities, linguistic acceptability, reading "
        "comprehension, knowledge and common sense, rebuilt from their raw sources."
    ),
    homepage=HOMEPAGE,
    citation=CITATION,
    tasks=tasks_in("euroeval_datasets", script="euroeval_sl"),
    expected=("sentinews", "ssj500k-ner", "scala-sl", "multi-wiki-qa-sl", "mmlu-sl", "winogrande-sl"),
)

SUITES.register(SUITE.name, SUITE)
