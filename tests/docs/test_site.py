"""The documentation site: its navigation and reference are complete, the cheatsheet is current."""

from __future__ import annotations

import re
from pathlib import Path

import make_site

import gascl

TOP = Path(__file__).parents[2]


def test_every_page_is_in_the_navigation():
    listed = {f"{entry}.md" for entries in make_site.NAVIGATION.values() for entry in entries}
    names = {*make_site.pages().values()}
    recipes = {name for name in names if name.startswith("cookbook/")} - {"cookbook/index.md"}
    assert names - recipes - {"index.md"} == listed - {"api/index.md"}
    assert recipes, "docs/cookbook/index.md lists them; tests/docs/test_cookbook.py compares"


def test_every_public_name_is_in_the_reference():
    text = "".join(path.read_text() for path in (TOP / "docs" / "site" / "api").glob("*.rst"))
    described = set(re.findall(r"\w+", text))
    modules = {"programs"}  # written when the site is built
    assert {*gascl.__all__} - described - modules == set()
    from gascl import generators

    functions = {name for name, value in vars(generators).items() if callable(value)}
    assert functions - described - {"Recipe"} == set()


def test_the_cheatsheet_is_current():
    names: dict = {"__name__": "cheatsheet", "__file__": str(TOP / "docs" / "cheatsheet.py")}
    exec((TOP / "docs" / "cheatsheet.py").read_text("utf-8"), names)
    assert names["PAGE"].read_text("utf-8") == names["page"](), "run `make tables`"


def test_links_to_files_that_are_no_pages_lead_to_the_repository():
    names = make_site.pages()
    page = TOP / "docs" / "internals" / "scale.md"
    text = "[a](../scale.md#limits) [b](../../programs) [c](https://x.org) `[d](x)` [e](#ranks)"
    assert make_site.rewritten(text, page, names) == (
        f"[a](../scale.md#limits) [b]({make_site.REPOSITORY}/tree/main/programs) "
        "[c](https://x.org) "
        "`[d](x)` [e](#ranks)"
    )
    notes = TOP / "benchmarks" / "NOTES.md"
    text = "[a](../docs/performance.md) [b](bench.py)"
    assert make_site.rewritten(text, notes, names) == (
        f"[a](../performance.md) [b]({make_site.REPOSITORY}/blob/main/benchmarks/bench.py)"
    )


def test_mistakes_of_built_pages_are_found(tmp_path):
    (tmp_path / "a.html").write_text(
        '<a href="b.html#there"><a href="b.html#gone"><a href="c.html"><a href="https://x.org">'
        '<script src="https://cdn.org/x.js"></script><img src="y.png">'
    )
    (tmp_path / "b.html").write_text('<h1 id="there">')
    (tmp_path / "z.css").write_text("@import url(//fonts.org/f.css)")
    assert make_site.mistakes(tmp_path) == [
        "a.html loads https://cdn.org/x.js",
        "a.html: no anchor b.html#gone",
        "a.html: no file c.html",
        "a.html: no file y.png",
        "z.css loads url(//fonts.org/f.css",
    ]
