# SPDX-License-Identifier: Apache-2.0
"""Forecast: is it going to rain? One frozen literal is all there is to a task."""

from euroglue.prepare.steps import split_in_order
from euroglue.readers import jsonl
from euroglue.task import Edition, Kind, Labels, Licence, LicenceId, Recipe, Source, Task

FILE = "forecast.jsonl"

TASK = Task(
    suite="weather",
    name="forecast",
    title="Forecast",
    kind=Kind.SEQUENCE_CLASSIFICATION,
    language="slv-Latn",
    description="One sentence of a weather report: dry or wet?",
    homepage="https://example.org/weather",
    citation="@misc{forecast, title = {Forecast}, year = {2026}}",
    licence=Licence(id=LicenceId.MIT, terms="MIT.", redistribute=True),
    features={"id": "string", "text": "string", "label": Labels("dry", "wet")},
    inputs=("text",),
    target="label",
    metric="macro_f1",
    recipe=Recipe(learning_rate=2e-5, epochs=3, batch_size=8, source="an example"),
    default_edition="sample",
    editions={
        "sample": Edition(
            sources=(
                Source(
                    file=FILE,
                    package="weather_datasets/sample/forecast",
                    members={FILE: "2fa238fd6223978e0b355ee48686e3ccf97b02dcad4fb3cd5904f66eb47e2dbd"},
                ),
            ),
            read=jsonl({"train": FILE}),
            steps=(split_in_order(train=0.5, validation=0.25, test=0.25),),
            sizes={"train": 8, "validation": 4, "test": 4},
        )
    },
)
