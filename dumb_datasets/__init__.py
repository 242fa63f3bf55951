# SPDX-License-Identifier: Apache-2.0
"""DUMB for ``datasets`` and ``evaluate``: importing this makes ``load_dataset("dumb", task)`` work."""

import euroglue  # noqa: F401  (installs the name hooks)
from euroglue.registry import SUITES, tasks_in
from euroglue.task import Suite

SUITE = Suite(
    name="dumb",
    title="DUMB",
    package="dumb_datasets",
    language="nld-Latn",
    description=(
        "DUMB, the Dutch Model Benchmark: nine tasks on parts of speech, named entities, word senses, pronouns, causes, "
        "natural language inference, sentiment, abusive language and question answering."
    ),
    homepage="https://dumbench.nl",
    citation="""@inproceedings{de-vries-etal-2023-dumb,
  title     = {{DUMB}: A Benchmark for Smart Evaluation of {D}utch Models},
  author    = {de Vries, Wietse and Wieling, Martijn and Nissim, Malvina},
  booktitle = {Proceedings of the 2023 Conference on Empirical Methods in Natural Language Processing},
  year      = {2023}
}""",
    tasks=tasks_in("dumb_datasets", script="dumb"),
    expected=("lassy-pos", "sonar-ne", "wicnl", "dpr", "copanl", "sicknl-nli", "dbrd", "dalc", "squadnl"),
    aggregate="rer",
)

SUITES.register(SUITE.name, SUITE)
