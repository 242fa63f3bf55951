# SPDX-License-Identifier: Apache-2.0
"""A page for the Space: choose a task, paste predictions and references as JSON lists, read the scores."""

import json

import evaluate

import bgglue_datasets


def scores(task: str, predictions: str, references: str) -> str:
    """Score two JSON lists; a mistake in them comes back as its one-line message."""
    metric = evaluate.load("bgglue_score", task)
    try:
        result = metric.compute(predictions=json.loads(predictions), references=json.loads(references))
    except ValueError as error:
        return str(error)
    return json.dumps(result, indent=2, allow_nan=False)


def main() -> None:
    """Serve the page."""
    import gradio

    task = gradio.Dropdown(list(bgglue_datasets.SUITE.tasks), label="Task")
    boxes = [gradio.Textbox(lines=6, label=f"{side} (a JSON list)") for side in ("Predictions", "References")]
    gradio.Interface(scores, [task, *boxes], gradio.Code(language="json"), title="bgGLUE score").launch()


if __name__ == "__main__":
    main()
