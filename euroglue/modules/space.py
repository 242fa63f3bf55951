# SPDX-License-Identifier: Apache-2.0
"""The page of a module's Hub Space: paste predictions and references as JSON, read the scores."""

from __future__ import annotations

from collections.abc import Sequence

from euroglue import strict_json


def scores(name: str, config: str | None, predictions: str, references: str) -> str:
    """Score two JSON texts with the module called ``name``; a mistake in them comes back as its one-line message."""
    import evaluate

    metric = evaluate.load(name, config)
    try:
        given = {"predictions": strict_json.loads(predictions), "references": strict_json.loads(references)}
        result = metric.compute(**given)
    except (ValueError, RecursionError) as error:
        return str(error)
    return strict_json.dumps(result, indent=2)


def serve(name: str, title: str, configs: Sequence[str] = ()) -> None:
    """Serve the page; with ``configs`` one of them is chosen first."""
    import gradio

    boxes = [gradio.Textbox(lines=6, label=f"{side} (JSON)") for side in ("Predictions", "References")]
    choice = [gradio.Dropdown(list(configs), label="Task")] if configs else []

    def answer(*given: str) -> str:
        predictions, references = given[-2:]
        return scores(name, given[0] if configs else None, predictions, references)

    gradio.Interface(answer, [*choice, *boxes], gradio.Code(language="json"), title=title).launch()
