# SPDX-License-Identifier: Apache-2.0
"""The files of a site: whole or not there, the same for the same results, everything escaped."""

from __future__ import annotations

import json
import re

import pytest

from euroglue.cli import main
from euroglue.errors import EuroglueError
from euroglue.leaderboard.build import build_site
from euroglue.results import ResultStore
from tests.leaderboard.made import HOSTILE, record, records
from tests.leaderboard.test_page import Reader
from tests.site.conftest import small_store


def files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_pages_are_well_formed_and_fetch_nothing(site):
    for path in sorted(site.rglob("*.html")):
        html = path.read_text(encoding="utf-8")
        reader = Reader(html)
        sources = [
            value for tag, attributes in reader.tags for name, value in attributes.items() if name in ("src", "href")
        ]
        assert not [one for tag, attributes in reader.tags if (one := attributes.get("src")) and "//" in one]
        outward = [one for one in sources if one and "//" in one]
        assert all(one.startswith(("https://", "http://")) for one in outward)
        assert not [
            name for _, attributes in reader.tags for name in attributes if name.startswith("on") or name == "style"
        ]
        inward = [one for one in sources if one and "//" not in one and not one.startswith(("#", "data:"))]
        assert all((path.parent / one).resolve().is_file() for one in inward), path
        assert "default-src 'none'" in html
        ids = [attributes["id"] for _, attributes in reader.tags if "id" in attributes]
        assert len(ids) == len(set(ids))


def test_hostile_names_links_and_settings_stay_text(site):
    for path in sorted(site.rglob("*.html")):
        html = path.read_text(encoding="utf-8")
        assert "<img" not in html and "<b>" not in html.replace(
            "<b>", "", html.count("<b>") if path.name == "index.html" else 0
        )
        assert "<script>" not in html and html.count("</script>") == 2
    shown = "".join(path.read_text(encoding="utf-8") for path in site.glob("suites/dumb.html"))
    assert "&lt;img src=x" in shown


def test_the_same_results_give_the_same_bytes(tmp_path, site):
    store = small_store(tmp_path / "results")
    build_site(store.root, tmp_path / "again")
    assert files(tmp_path / "again") == files(site)


def test_an_earlier_site_is_replaced_and_nothing_else(tmp_path, monkeypatch):
    out = tmp_path / "site"
    build_site(None, out)
    (out / "models" / "old.html").write_text("old", encoding="utf-8")
    build_site(None, out, suites=["dumb"])
    assert not (out / "models" / "old.html").exists() and sorted(p.name for p in (out / "suites").iterdir()) == [
        "dumb.html"
    ]
    other = tmp_path / "mine"
    other.mkdir()
    (other / "thesis.tex").write_text("x", encoding="utf-8")
    with pytest.raises(EuroglueError, match="is no leaderboard of euroglue"):
        build_site(None, other)
    before = files(out)

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("euroglue.leaderboard.downloads.as_latex", fail)
    with pytest.raises(EuroglueError, match="no space left on the disk"):
        build_site(None, out)
    assert files(out) == before and sorted(path.name for path in tmp_path.iterdir()) == ["mine", "site"]


def test_the_command_builds_and_tells_what_it_leaves_out(tmp_path, capsys):
    store = ResultStore(tmp_path / "results")
    for one in [*records("a", 0.5), *records("a", 0.5, split="validation")]:
        store.add(one)
    assert main(["leaderboard", "build", str(tmp_path / "results"), "--out", str(tmp_path / "site")]) == 0
    assert capsys.readouterr().err == "", "the validation results of a model that stands there"
    store.add(record("dpr", 0.5, "b", split="validation"))
    assert main(["leaderboard", "build", str(tmp_path / "results"), "--out", str(tmp_path / "site")]) == 1
    out, err = capsys.readouterr()
    assert "index.html" in out and "left out: 1 results on the split validation" in err
    assert main(["leaderboard", "build", "--out", str(tmp_path / "site"), "--suite", "dumb"]) == 0
    plain = json.loads((tmp_path / "site/data/dumb.json").read_text(encoding="utf-8"))
    assert len(plain["entries"]) == 18


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nowhere"], "there is none"),
        (["--suite", "dum"], "did you mean 'dumb'"),
        (["--baseline", "nobody"], "none of the models"),
    ],
)
def test_mistakes_are_told_in_a_line(tmp_path, capsys, monkeypatch, arguments, told):
    monkeypatch.chdir(tmp_path)
    assert main(["leaderboard", "build", *arguments]) == 2
    assert told in capsys.readouterr().err and not (tmp_path / "site").exists()


def test_rows_and_gold_are_not_published(site, tmp_path):
    """What the metric said of single examples stays in the store."""
    rows = small_store(tmp_path).root.rglob("*.rows.json")
    assert list(rows)
    assert not list(site.rglob("*.rows.json"))
    for path in site.glob("data/*.json"):
        assert not re.search(r'"rows"|"99": \[', path.read_text(encoding="utf-8"))


def test_a_line_separator_in_settings_breaks_nothing(tmp_path):
    store = ResultStore(tmp_path / "results")
    for one in records("a", 0.5, settings={"\u2028</script>": f"\u2029{HOSTILE}"}):
        store.add(one)
    build_site(store.root, tmp_path / "site", suites=["dumb"])
    (path,) = (tmp_path / "site/models").glob("a-*.html")
    html = path.read_text(encoding="utf-8")
    assert html.count("</script>") == 2 and "<img" not in html
