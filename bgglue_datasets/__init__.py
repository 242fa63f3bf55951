# SPDX-License-Identifier: Apache-2.0
"""bgGLUE for ``datasets`` and ``evaluate``: importing this makes ``load_dataset("bgglue", task)`` work."""

import euroglue  # noqa: F401  (installs the name hooks)
from euroglue.registry import SUITES, tasks_in
from euroglue.task import Suite

SUITE = Suite(
    name="bgglue",
    title="bgGLUE",
    package="bgglue_datasets",
    language="bul-Cyrl",
    description=(
        "bgGLUE, the Bulgarian General Language Understanding Evaluation benchmark: nine tasks on named entities, parts of "
        "speech, sentiment, check-worthiness, credibility of news, natural language inference and school exams."
    ),
    homepage="https://bgglue.github.io",
    citation="""@inproceedings{hardalov-etal-2023-bgglue,
  title     = {bg{GLUE}: A {B}ulgarian General Language Understanding Evaluation Benchmark},
  author    = {Hardalov, Momchil and Atanasova, Pepa and Mihaylov, Todor and Angelova, Galia and Simov, Kiril and
               Osenova, Petya and Stoyanov, Veselin and Koychev, Ivan and Nakov, Preslav and Radev, Dragomir},
  booktitle = {Proceedings of the 61st Annual Meeting of the Association for Computational Linguistics},
  year      = {2023}
}""",
    tasks=tasks_in("bgglue_datasets", script="bgglue"),
    expected=("bsnlp", "cinexio", "ct21t1", "crediblenews", "examsbg", "fakenews", "udep", "wikiannbg", "xnlibg"),
)

SUITES.register(SUITE.name, SUITE)
