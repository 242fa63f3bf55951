# SPDX-License-Identifier: Apache-2.0
"""Pages on paper, and names that sort or search otherwise than they look."""

from __future__ import annotations

import unicodedata

import pytest

from euroglue.leaderboard.build import build_site
from euroglue.results import ResultStore
from tests.leaderboard.made import records
from tests.site.test_browser import names, shown, sort

A4 = 718
"""The width of A4 within Chromium's margins, in pixels."""


@pytest.mark.parametrize("name", ["dumb", "bgglue"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_table_fits_on_paper_dark_on_light(browser, site, name, scheme):
    context = browser.new_context(color_scheme=scheme, viewport={"width": A4, "height": 1000})
    page = context.new_page()
    page.goto(f"file://{site}/suites/{name}.html")
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.emulate_media(media="print", color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= A4
    ink = page.locator("h1").evaluate("title => getComputedStyle(title).color")
    cell = page.locator(".board tbody td").first.evaluate("cell => getComputedStyle(cell).color")
    assert ink == cell == "rgb(23, 26, 31)"
    assert not page.locator(".filters").is_visible()
    context.close()


def test_long_tables_are_printed_whole(browser, long_table):
    context = browser.new_context(viewport={"width": A4, "height": 1000})
    page = context.new_page()
    page.goto(f"file://{long_table}")
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") <= A4
    assert page.locator(".board tbody tr").evaluate_all(
        "rows => rows.every(row => row.cells[3].checkVisibility({contentVisibilityAuto: true}))"
    )
    context.close()


@pytest.fixture(scope="module")
def odd_names(tmp_path_factory):
    """A board of models whose names are numbers, begin with some, or are written in other letters or forms."""
    work = tmp_path_factory.mktemp("odd")
    store = ResultStore(work / "results")
    for name in ("10", "9", "10a", "Infinity", "1e3", unicodedata.normalize("NFD", "žaba-č"), "модел"):
        for one in records(name, 0.5):
            store.add(one)
    for shots in (0, 5):
        for one in records("asked", 0.4, method="prompted", shots=shots):
            store.add(one)
    build_site(store.root, work / "site", with_published=False, suites=["dumb"])
    return work / "site"


def test_names_that_are_numbers_are_sorted_as_names(page, odd_names):
    page.goto(f"file://{odd_names}/suites/dumb.html")
    sort(page, "Model")
    first = names(page)
    assert first.index("9") < first.index("10") < first.index("10a")
    for label in ("Mean", "Model", "Model", "Model"):
        sort(page, label)
    assert names(page) == first, "the same order whatever was sorted before"


def test_letters_are_found_in_whichever_form_they_are_typed(page, odd_names):
    page.goto(f"file://{odd_names}/suites/dumb.html")
    for form in ("NFC", "NFD"):
        page.get_by_label("Search").fill(unicodedata.normalize(form, "Ža"))
        shown(page, 1)
    page.get_by_label("Search").fill("МОДЕЛ")
    shown(page, 1)


def test_tables_of_one_model_have_names_of_their_own(page, odd_names):
    (path,) = odd_names.glob("models/asked-*.html")
    page.goto(f"file://{path}")
    labels = page.get_by_role("region").evaluate_all("found => found.map(one => one.ariaLabel).filter(Boolean)")
    assert len(labels) == len(set(labels)) == 2
