# SPDX-License-Identifier: Apache-2.0
"""The page of results: everything shown, everything escaped, nothing fetched."""

from __future__ import annotations

import dataclasses
import re
from html.parser import HTMLParser

import pytest

from euroglue.leaderboard.chart import line_chart
from euroglue.leaderboard.page import Report, TaskReport, render, write_page

pytest.importorskip("jinja2", reason="the extra site brings it")

HOSTILE = "<script>alert(\"x\")</script><img src=https://example.org/x onerror='y'>&amp;"
TASK = TaskReport(
    task="made-up/films",
    title="Films",
    kind="token_classification",
    model="tiny",
    edition="sample",
    split="test",
    metric="f1",
    score=0.51234,
    n=1234,
    scores={"f1": 0.51234, "precision": 0.6},
    sizes={"train": 5000, "test": 1234},
    fingerprint="0123abcd",
    signature="metric:entity_f1|n:1234",
    seconds=12.4,
    curve=((1, 0.1), (2, 0.5)),
    steps=(
        {
            "step": "drop_duplicates(by=same_text('t'))",
            "rows_in": 6300,
            "rows_out": 6234,
            "dropped": 66,
            "reason": "Keep ``one`` row.",
        },
    ),
    findings=("test-3: a damaged token",),
    warnings=("a constant prediction",),
)
REPORT = Report(
    title="Made up", summary="What it shows.", command="euroglue demo", version="1.0", seconds=61.2, tasks=(TASK,)
)
VOID = {"meta", "link", "br", "img", "hr", "input"}


class Reader(HTMLParser):
    """Collects tags, attributes and text, and checks that every tag is closed."""

    def __init__(self, html: str):
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(html)
        self.close()
        assert not self.open, f"left open: {self.open}"

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, f"</{tag}> closes nothing"

    def handle_data(self, data):
        self.text.append(data)

    @property
    def words(self) -> str:
        return " ".join(" ".join(self.text).split())


@pytest.mark.parametrize(
    "shown",
    [
        "Made up",
        "What it shows.",
        "Films",
        "token classification",
        "0.512",
        "test, 1,234",
        "5,000 / – / 1,234",
        "6,300",
        "6,234",
        "−66",
        "drop_duplicates(by=same_text('t'))",
        "Keep one row.",
        "test-3: a damaged token",
        "a constant prediction",
        "metric:entity_f1|n:1234",
        "0123abcd",
        "precision",
        "0.6000",
        "euroglue demo",
        "61 seconds",
        "epoch",
        "score on validation",
    ],
)
def test_the_page_shows(shown):
    assert shown in Reader(render(REPORT)).words


@pytest.mark.parametrize(
    "field", ["task", "title", "kind", "model", "edition", "split", "metric", "fingerprint", "signature"]
)
def test_hostile_names_stay_text(field):
    hostile = dataclasses.replace(TASK, **{field: HOSTILE})
    page = render(dataclasses.replace(REPORT, tasks=(hostile,)))
    reader = Reader(page)
    assert "<script" not in page
    assert not [tag for tag, _ in reader.tags if tag in ("script", "img")]
    assert not [name for _, attributes in reader.tags for name in attributes if name.startswith("on")]
    assert HOSTILE.replace("_", " ") in reader.words or HOSTILE in reader.words


@pytest.mark.parametrize("field", ["title", "summary", "command", "version"])
def test_hostile_texts_of_the_report_stay_text(field):
    page = render(dataclasses.replace(REPORT, **{field: HOSTILE}))
    assert "<script" not in page and HOSTILE in Reader(page).words


@pytest.mark.parametrize("part", ["steps", "findings", "warnings", "scores"])
def test_hostile_parts_stay_text(part):
    step = {"step": HOSTILE, "rows_in": 1, "rows_out": 1, "reason": HOSTILE}
    value = {"steps": (step,), "findings": (HOSTILE,), "warnings": (HOSTILE,), "scores": {HOSTILE: 0.5}}[part]
    page = render(dataclasses.replace(REPORT, tasks=(dataclasses.replace(TASK, **{part: value}),)))
    assert "<script" not in page and HOSTILE in Reader(page).words


def test_the_page_fetches_nothing_and_runs_nothing():
    page = render(REPORT)
    addresses = [
        value or ""
        for _, attributes in Reader(page).tags
        for name, value in attributes.items()
        if name in ("src", "href", "srcset", "action", "data", "xlink:href")
    ]
    assert addresses and all(re.match(r"#|data:|results\.json$", address) for address in addresses), addresses
    assert "url(" not in page and "@import" not in page and "<script" not in page
    assert "default-src 'none'" in page


def test_the_page_suits_phones_and_dark_rooms():
    page = render(REPORT)
    assert "width=device-width" in page and "prefers-color-scheme: dark" in page and "max-width: 46rem" in page


def test_the_plot_has_axes_and_a_line_for_each_task():
    second = dataclasses.replace(TASK, title="Songs", curve=((1, 0.2), (3, 0.9)))
    reader = Reader(render(dataclasses.replace(REPORT, tasks=(TASK, second))))
    assert sum(tag == "polyline" for tag, _ in reader.tags) == 2
    markers = [attributes["href"] for tag, attributes in reader.tags if tag == "use"]
    assert {"#circle", "#square"} == set(markers), "told apart by form too, not by colour alone"
    labels = [attributes for tag, attributes in reader.tags if tag == "svg" and attributes.get("role") == "img"]
    assert len(labels) == 1


def test_a_report_without_curves_or_tasks_is_a_page_still():
    for tasks in ((), (dataclasses.replace(TASK, curve=(), steps=()),)):
        reader = Reader(render(dataclasses.replace(REPORT, tasks=tasks)))
        assert not [tag for tag, _ in reader.tags if tag == "polyline"]


@pytest.mark.parametrize(("score", "width"), [(0.5, 50), (-0.2, 0), (1.7, 100)])
def test_bars_stay_in_their_frame(score, width):
    page = render(dataclasses.replace(REPORT, tasks=(dataclasses.replace(TASK, score=score),)))
    assert [float(found) for found in re.findall(r'style="width: ([^"]*)%"', page)] == [width]


def test_the_page_is_written_whole(tmp_path):
    path = write_page(REPORT, tmp_path / "new" / "index.html")
    assert path.read_text(encoding="utf-8") == render(REPORT)
    assert [entry.name for entry in path.parent.iterdir()] == ["index.html"]


@pytest.mark.parametrize(
    ("series", "x_ticks", "y_ticks", "why"),
    [
        ({"a": [(1, 0.0), (3, 1.0)]}, "1 2 3", "0.0 0.2 0.4 0.6 0.8 1.0", "every whole number, every fifth"),
        ({"a": [(1, 0.5)], "b": []}, "1", "0.0 0.2 0.4 0.6 0.8 1.0", "a single point"),
        ({"a": [(1, 0.5), (40, 0.5)]}, "1 8 15 22 29 36", "0.0 0.2 0.4 0.6 0.8 1.0", "few enough to read"),
        ({"a": [(1, -0.3), (2, 0.5)]}, "1 2", "-0.4 0.0 0.4 0.8", "the axis goes below 0 where the scores do"),
        ({}, "0 1", "0.0 0.2 0.4 0.6 0.8 1.0", "nothing to draw"),
    ],
)
def test_ticks(series, x_ticks, y_ticks, why):
    chart = line_chart(series, "x", "y")
    assert " ".join(tick.text for tick in chart.x_ticks) == x_ticks, why
    assert " ".join(tick.text for tick in chart.y_ticks) == y_ticks, why


def test_points_stay_inside_the_axes():
    chart = line_chart({"a": [(0, -0.7), (5, 1.0)], "b": [(2, 1.31)]}, "x", "y")
    points = [point for line in chart.lines for point in line.points]
    assert all(chart.left <= x <= chart.right and chart.top <= y <= chart.bottom for x, y in points)
