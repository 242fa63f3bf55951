# SPDX-License-Identifier: Apache-2.0
"""The site in Chromium: sorted, filtered, searched, themed, followed; by keyboard, on a phone, without scripts."""

from __future__ import annotations

import pytest

from tests.leaderboard.made import HOSTILE

SUITES = ("bgglue", "euroeval_sl", "bgglue-sample")


@pytest.fixture(params=["file", "server"])
def root(request, site):
    """The site's address: from the disk, and from a web server."""
    return f"file://{site}" if request.param == "file" else request.getfixturevalue("served")


def names(page):
    return page.locator(".board tbody tr:not([hidden]) th a").all_inner_texts()


def column(page, place):
    return page.locator(f".board tbody tr:not([hidden]) > *:nth-child({place})").all_inner_texts()


def shown(page, count):
    """Wait until so many rows are shown."""
    from playwright.sync_api import expect

    expect(page.locator(".board tbody tr:not([hidden])")).to_have_count(count)


def sort(page, label):
    page.locator(".board thead").get_by_role("button", name=label, exact=True).click()


def test_pages_open_without_a_complaint(page, root, site):
    for path in [*sorted(site.rglob("*.html"))[::6], *site.glob("suites/*.html")]:
        page.goto(f"{root}/{path.relative_to(site)}")
        assert page.locator("h1").count() == 1 and page.title()


def test_a_reader_follows_suite_and_model(page, root):
    page.goto(f"{root}/index.html")
    page.get_by_role("link", name="Open the table of DUMB").click()
    assert page.locator("h1").inner_text() == "DUMB"
    page.locator(".board").get_by_role("link", name="XLM-R large").click()
    assert page.locator("h1").inner_text() == "XLM-R large"
    assert page.locator(".entry").count() == 2, "it is on the Bulgarian board too"
    page.locator(".entry").get_by_role("link", name="bgGLUE").click()
    assert page.locator("h1").inner_text() == "bgGLUE"


def test_columns_are_sorted_both_ways_with_gaps_last(page, root):
    page.goto(f"{root}/suites/dumb.html")
    before = names(page)
    place = 7
    sort(page, "POS (Lassy)")
    found = column(page, place)
    numbers = [float(text.split("\n")[0].removesuffix(" best")) for text in found if text != "–"]
    assert (
        numbers == sorted(numbers, reverse=True) and found[len(numbers) :] == ["–"] * (len(found) - len(numbers)) != []
    )
    assert page.locator("th[aria-sort]").get_attribute("aria-sort") == "descending"
    sort(page, "POS (Lassy)")
    again = [float(text.split("\n")[0].removesuffix(" best")) for text in column(page, place) if text != "–"]
    assert again == sorted(numbers) and column(page, place)[-1] == "–"
    sort(page, "Model")
    assert [name for name in names(page) if name != HOSTILE] == sorted(set(before) - {HOSTILE}, key=str.lower)
    sort(page, "#")
    assert names(page) == before


def test_search_and_filters_narrow_and_reset(page, root):
    page.goto(f"{root}/suites/dumb.html")
    everything = names(page)
    page.get_by_label("Search").fill("robbert 2023")
    assert names(page) == ["RobBERT 2023 large", "RobBERT 2023 base"]
    assert page.get_by_role("status").inner_text() == f"2 of {len(everything)} shown"
    page.get_by_role("button", name="Reset").click()
    shown(page, len(everything))
    page.get_by_label("Method").select_option("prompted")
    assert names(page) == ["big/prompted"]
    page.get_by_label("complete only").check()
    assert names(page) == []
    page.get_by_role("button", name="Reset").click()
    shown(page, len(everything))
    page.locator("select[name=size]").select_option("small")
    assert "tiny-dutch" in names(page) and "XLM-R large" not in names(page)


def test_the_theme_is_switched_and_kept(page, root):
    page.goto(f"{root}/suites/dumb.html")
    paper = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(paper)
    switch = page.get_by_role("button", name="Theme")
    switch.click()
    assert page.evaluate(paper) == light and "light" in switch.inner_text()
    switch.click()
    dark = page.evaluate(paper)
    assert dark != light and "dark" in switch.inner_text()
    page.goto(f"{root}/index.html")
    assert page.evaluate(paper) == dark, "it is kept from page to page"
    page.get_by_role("button", name="Theme").click()
    assert page.evaluate(paper) == light
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(paper) == dark, "auto follows the system"


def test_everything_is_done_by_keyboard(page, root):
    page.goto(f"{root}/suites/dumb.html")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to content"
    reached = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate("document.activeElement.name || document.activeElement.textContent.trim().slice(0, 40)")
        )
    assert {"q", "method", "size", "whole", "Reset", "RER %"} <= reached
    page.locator("th button", has_text="Mean rank").focus()
    page.keyboard.press("Enter")
    assert page.locator("th[aria-sort]").inner_text().startswith("Mean")
    page.keyboard.press("Space")
    assert page.locator("th[aria-sort]").get_attribute("aria-sort") == "descending"


@pytest.mark.parametrize("width", [360, 768])
def test_a_phone_never_scrolls_sideways_but_in_its_boxes(page, site, width):
    page.set_viewport_size({"width": width, "height": 740})
    for path in [*site.glob("suites/*.html"), *sorted(site.glob("models/*.html"))[::5], site / "index.html"]:
        page.goto(f"file://{path}")
        wide = page.evaluate("[document.documentElement.scrollWidth, document.body.scrollWidth]")
        assert max(wide) <= width, f"{path.name}: {wide}"
    page.goto(f"file://{site}/suites/dumb.html")
    assert page.evaluate("(box => box.scrollWidth > box.clientWidth)(document.querySelector('.board').parentElement)")


def test_a_hostile_name_stays_text(page, root):
    page.goto(f"{root}/suites/dumb.html")
    page.locator(".board").get_by_role("link", name=HOSTILE).click()
    assert page.locator("h1").inner_text() == HOSTILE
    assert page.locator("img").count() == 0 and "owned" not in page.title().replace(HOSTILE, "")
    assert (
        page.get_by_role("link", name="https://example.org/").get_attribute("href")
        == "https://example.org/?a='onmouseover=alert(1)&lt;script&gt;"
    )
    page.locator("summary").click()
    assert page.locator("pre").first.inner_text().count(HOSTILE.replace('"', '\\"')) == 1


def test_pages_are_read_without_scripts(browser, site):
    context = browser.new_context(java_script_enabled=False, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(f"file://{site}/suites/dumb.html")
    assert page.locator(".board tbody tr").count() == 23 and page.get_by_text("XLM-R large").first.is_visible()
    assert not page.locator(".filters").is_visible() and not page.locator(".theme").is_visible(), (
        "what needs them is not shown"
    )
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(browser, site, scheme):
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="the extra dev brings axe-playwright-python"
    )
    context = browser.new_context(color_scheme=scheme, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    models = sorted(site.glob("models/*.html"))
    paths = [
        site / "suites/dumb.html",
        models[0],
        *(site / f"suites/{name}.html" for name in SUITES),
        site / "index.html",
    ]
    for path in paths if scheme == "light" else paths[:2]:
        page.goto(f"file://{path}")
        for details in page.locator("summary").all():
            details.click()
        found = axe.Axe().run(page).response["violations"]
        serious = [
            (one["id"], [node["html"][:120] for node in one["nodes"]][:3])
            for one in found
            if one["impact"] in ("serious", "critical")
        ]
        assert serious == [], f"{path.name}, {scheme}"
    context.close()


def test_marks_spreads_and_intervals_are_shown(page, root):
    page.goto(f"{root}/suites/dumb.html")
    row = page.locator(".board tr", has=page.get_by_role("link", name="with-rows-too", exact=True))
    assert "not different from the best" in row.inner_text() and "82.0–95.0" in row.inner_text()
    tiny = page.locator(".board tr", has=page.get_by_role("link", name="tiny-dutch"))
    assert "± 1.00" in tiny.inner_text()
    page.goto(f"{root}/suites/bgglue.html")
    low = page.locator(".board tr", has=page.get_by_role("link", name="BulBERT chitanka"))
    assert "below the baseline" in low.inner_text()


def test_downloads_are_there(page, served):
    page.goto(f"{served}/suites/dumb.html")
    for kind in ("CSV", "JSON", "LaTeX"):
        with page.expect_download() as waiting:
            page.get_by_role("link", name=kind).click()
        assert waiting.value.suggested_filename.startswith("dumb.")


@pytest.mark.parametrize("width", [360, 1280])
def test_a_long_table_lays_out_only_what_is_seen_and_keeps_its_columns(page, long_table, width):
    page.set_viewport_size({"width": width, "height": 740})
    page.goto(f"file://{long_table}")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    count = page.locator(".board tbody tr").count()
    assert count > 300 and page.get_by_role("status").inner_text() == f"{count} of {count} shown"
    edges = "[...document.querySelectorAll('.board tr')].slice(0, 12).map(row => [...row.cells].map(cell => cell.getBoundingClientRect().left))"
    first, *others = page.evaluate(edges)
    assert all(one == first for one in others), "cells stand under their heads"
    assert (
        page.locator(".board tbody tr").evaluate_all(
            "rows => rows.filter(row => !row.cells[3].checkVisibility({contentVisibilityAuto: true})).length"
        )
        > 250
    )
    sort(page, "CR (COPA‑NL)")
    place = page.locator(".board thead th[aria-sort]").evaluate("head => head.cellIndex")
    values = page.locator(".board tbody tr").evaluate_all(
        f"rows => rows.map(row => Number(row.cells[{place}].dataset.v))"
    )
    assert values == sorted(values, reverse=True) and len(set(values)) > 200
    assert page.get_by_role("table").get_by_role("columnheader").count() == len(first)
    assert page.get_by_role("table").get_by_role("rowheader").count() == count
    page.locator(".tall").evaluate("box => box.scrollTo(0, 9000)")
    top = page.evaluate(
        "document.querySelector('.board thead').getBoundingClientRect().top - document.querySelector('.tall').getBoundingClientRect().top"
    )
    assert abs(top) <= 1, "its head stays in sight"


def test_rows_stand_at_whole_pixels(page, site):
    page.goto(f"file://{site}/suites/dumb.html")
    heights = page.evaluate(
        "[...document.querySelectorAll('.board tbody tr')].map(row => row.getBoundingClientRect().height)"
    )
    assert [height for height in heights if height % 1] == [], "pinned cells are rounded apart from the others"
