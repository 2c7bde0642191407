"""The documentation site: its navigation and reference are complete, the cheatsheet is current."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import make_site
from blocks import blocks

import gascl

TOP = Path(__file__).parents[2]


def test_every_page_is_in_the_navigation():
    listed = {f"{entry}.md" for entries in make_site.NAVIGATION.values() for entry in entries}
    names = {*make_site.pages().values()}
    below = {str(Path(name).parent) for name in make_site.LISTS}
    listed_there = {name for name in names if str(Path(name).parent) in below}
    made = {"api/index.md", "versions.md"}
    assert names - listed_there - {"index.md"} == listed - made - {*make_site.LISTS}
    for page, name in make_site.pages().items():
        if name in make_site.LISTS:
            entries = make_site.toctrees(name, page.read_text("utf-8")).splitlines()
            others = {path.stem for path in page.parent.iterdir()} - {"index"}
            assert others and others <= {*entries}


def test_the_gallery_shows_every_program():
    """Each in a section named as in library.md, with links to the sources and the description."""
    text = (TOP / "docs" / "gallery.md").read_text("utf-8")
    library = (TOP / "docs" / "library.md").read_text("utf-8")
    titles = re.split(r"^### (.*)$", text, flags=re.MULTILINE)[1:]
    shown = []
    for title, section in zip(titles[::2], titles[1::2], strict=True):
        names = title.split(", ")
        if not {*names} <= {*gascl.programs.__all__}:
            continue
        shown += names
        prose = section.partition("```")[0]
        for name in names:
            module = getattr(gascl.programs, name).__module__.removeprefix("gascl.")
            assert f"](../{module.replace('.', '/')}.py)" in prose, name
            assert re.search(rf"\b{name}\(", section), f"the code of {title} runs {name}"
        assert f"\n## {title}\n" in library or all(f"\n## {n}\n" in library for n in names)
        assert "](library.md#" in prose or "](communities.md)" in prose
    assert sorted(shown) == sorted(gascl.programs.__all__)


def test_every_recipe_draws():
    for page in (TOP / "docs" / "cookbook").glob("*.md"):
        assert page.stem == "index" or any(
            make_site.DRAWS.search(block.text) for block in blocks(page)
        ), page.name


def test_pictures_follow_their_code(tmp_path, monkeypatch):
    """A picture that the page has is drawn again under its name; others get names of their own."""
    page = tmp_path / "page.md"
    code = "```python\nimport matplotlib.pyplot as plt\nplt.subplots()\n```\n\n"
    page.write_text(f"# Two\n\n{code}![It](known.png)\n\n{code}")
    (tmp_path / "datasets").mkdir()
    (tmp_path / "site").mkdir()
    monkeypatch.setattr("blocks.TOP", tmp_path)
    text = make_site.illustrated(page, tmp_path / "site" / "page.md")
    assert re.findall(r"!\[(.*)\]\((.*)\)", text) == [("It", "known.png"), ("Two", "page-10-1.png")]
    assert {path.name for path in (tmp_path / "site").iterdir()} == {"known.png", "page-10-1.png"}


def test_versions_are_the_tags(tmp_path, monkeypatch):
    monkeypatch.setattr(make_site, "TOP", tmp_path)
    assert "no tags" in make_site.versions(), "an unpacked archive"
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b.org"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "all"], check=True)
    for tag in ("v0.9.0", "v0.10.0", "other"):
        subprocess.run([*git, "tag", tag], check=True)
    rows = re.findall(r"^\| (\S+) \| \S+ \| \[documentation\]\((.*)\)", make_site.versions(), re.M)
    docs = f"{make_site.REPOSITORY}/tree/v{{}}/docs"
    assert rows == [("0.10.0", docs.format("0.10.0")), ("0.9.0", docs.format("0.9.0"))]


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
