"""Builds the documentation site: `python docs/site/make_site.py FOLDER`, or `make site`.

Pages are copied to FOLDER-source, with links to files that are no pages turned into links to the
repository. The code of pages that draw runs, and each picture follows its code. Then Sphinx builds
FOLDER, and every link and picture of it is checked. Warnings are errors.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

from blocks import Block, blocks, run_page

HERE = Path(__file__).parent
TOP = HERE.parents[1]
REPOSITORY = "https://github.com/gascl/gascl"
#: Pages that lie outside of docs, and their names in the site.
OUTSIDE = {
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "benchmarks/NOTES.md": "benchmarks/notes.md",
    "benchmarks/README.md": "benchmarks/readme.md",
}
#: The sidebar: parts and their pages, in order.
NAVIGATION = {
    "First steps": ["install", "tutorial", "gallery", "coming-from"],
    "Use": ["graphs", "library", "pictures", "communities", "networkx", "scale"],
    "Write programs": ["programs", "cheatsheet", "cookbook/index", "notebooks/index", "editors"],
    "Understand": ["performance-guide", "performance", "troubleshooting", "how-it-works"],
    "Reference": ["api/index", "changelog"],
    "For contributors": [
        "contributing",
        "architecture",
        "internals/scale",
        "tested",
        "benchmarks/notes",
        "benchmarks/readme",
    ],
}
CODE = re.compile(r"^ *```.*?^ *```$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
#: What code that draws a picture calls.
DRAWS = re.compile(r"\b(?:draw|animate|plot|subplots|particles|history)\(")
LINK = re.compile(r"(\]\()([^)\s]+)(?=\))")


def pages() -> dict[Path, str]:
    """The Markdown files of the site, and their names there."""
    docs = TOP / "docs"
    inside = {path: path.relative_to(docs).as_posix() for path in docs.rglob("*.md")}
    return inside | {TOP / path: name for path, name in OUTSIDE.items()}


def rewritten(text: str, page: Path, names: dict[Path, str]) -> str:
    """The text with its links as the site needs them; code stays as it is."""

    def link(match: re.Match[str]) -> str:
        path, hash_sign, anchor = match[2].partition("#")
        if not path or re.match(r"[a-z]+:", path):
            return match[0]
        target = Path(os.path.normpath(page.parent / path))
        here = Path(names[page]).parent
        if target in names:
            path = Path(os.path.relpath(names[target], here)).as_posix()
        elif target.suffix in (".png", ".gif"):
            pass  # which lies beside the page
        else:
            kind = "tree" if target.is_dir() else "blob"
            path = f"{REPOSITORY}/{kind}/main/{target.relative_to(TOP).as_posix()}"
        return f"{match[1]}{path}{hash_sign}{anchor}"

    parts, end = [], 0
    for code in CODE.finditer(text):
        parts += [LINK.sub(link, text[end : code.start()]), code[0]]
        end = code.end()
    return "".join([*parts, LINK.sub(link, text[end:])])


def toctrees(name: str, names: Iterable[str]) -> str:
    """What the sidebar lists, hidden at the end of the first page and of the cookbook's."""
    if name == "cookbook/index.md":
        recipes = sorted(page for page in names if page.startswith("cookbook/") and page != name)
        return toctree([Path(page).stem for page in recipes])
    if name == "index.md":
        return "".join(toctree(part, caption) for caption, part in NAVIGATION.items())
    return ""


def toctree(entries: list[str], caption: str = "") -> str:
    options = ":hidden:\n" + f":caption: {caption}\n" * bool(caption)
    return "\n".join(["\n```{toctree}", options, *entries, "```\n"])


def assemble(source: Path) -> None:
    """The folder that Sphinx reads."""
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(HERE / "api", source / "api")
    (source / "api" / "programs.rst").write_text(reference_of_programs(), "utf-8")
    names = pages()
    for page, name in names.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        text = illustrated(page, source / name) if name == page.name or "cookbook" in name else ""
        text = rewritten(text or page.read_text("utf-8"), page, names)
        (source / name).write_text(text + toctrees(name, names.values()), "utf-8")
    for picture in [*(TOP / "docs").rglob("*.png"), *(TOP / "docs").rglob("*.gif")]:
        shutil.copy(picture, source / picture.relative_to(TOP / "docs"))


def illustrated(page: Path, copy: Path) -> str:
    """The text of a page, with the pictures that its code draws after their blocks, except where
    the page has a picture there."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    text = page.read_text("utf-8")
    if not any(block.language == "python" and DRAWS.search(block.text) for block in blocks(page)):
        return text
    drawn: dict[int, str] = {}

    def keep(block: Block) -> None:
        pictures = []
        for number in pyplot.get_fignums():
            pictures.append(copy.with_name(f"{copy.stem}-{block.line}-{number}.png"))
            pyplot.figure(number).savefig(pictures[-1], bbox_inches="tight", dpi=100)
        pyplot.close("all")
        for film in Path(folder).glob("*.gif"):
            pictures.append(copy.with_name(f"{copy.stem}-{film.name}"))
            shutil.move(film, pictures[-1])
        if text[block.end :].lstrip().startswith("!["):
            pictures = []
        title = text[: block.end].rpartition("\n#")[2].partition("\n")[0].strip("# ")
        drawn[block.end] = "".join(f"\n\n![{title}]({picture.name})" for picture in pictures)

    with tempfile.TemporaryDirectory() as folder:
        run_page(page, Path(folder), keep)
    for end in sorted(drawn, reverse=True):
        text = text[:end] + drawn[end] + text[end:]
    return text


def reference_of_programs() -> str:
    from gascl import programs

    title = "Bundled programs"
    about = ":doc:`/library` describes edge cases, sources and speed."
    classes = "".join(
        f".. autoclass:: {name}\n   :no-members:\n\n" for name in sorted(programs.__all__)
    )
    return (
        f"{title}\n{'=' * len(title)}\n\n{about}\n\n.. currentmodule:: gascl.programs\n\n{classes}"
    )


class Page(HTMLParser):
    """The anchors of a built page, what it links to, and what a browser loads for it."""

    def __init__(self, path: Path):
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attrs if value}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif "src" in given:
            self.loads.append(given["src"])
        elif tag == "link" and given.get("rel") in ("stylesheet", "icon", "preload"):
            self.loads.append(given["href"])


def mistakes(site: Path) -> list[str]:
    """Links and anchors that lead nowhere, and what pages would load from elsewhere."""
    built = {path: Page(path) for path in sorted(site.rglob("*.html"))}
    wrong = []
    for path, page in built.items():
        name = path.relative_to(site)
        wrong += [f"{name} loads {url}" for url in page.loads if "//" in url]
        for url in [*page.links, *page.loads]:
            if re.match(r"[a-z]+:", url):
                continue
            file, _, anchor = unquote(url).partition("#")
            target = (path.parent / file.partition("?")[0]).resolve() if file else path
            if not target.exists():
                wrong.append(f"{name}: no file {url}")
            elif anchor and target in built and anchor not in built[target].anchors:
                wrong.append(f"{name}: no anchor {url}")
    for sheet in site.rglob("*.css"):
        remote = re.findall(r"(?:url\(|@import )['\"]?(?:https?:)?//[^)'\"]+", sheet.read_text())
        wrong += [f"{sheet.relative_to(site)} loads {url}" for url in remote]
    return wrong


def main() -> int:
    from sphinx.cmd.build import build_main

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where the site is built")
    site = parser.parse_args().folder.resolve()
    source = site.with_name(f"{site.name}-source")
    shutil.rmtree(site, ignore_errors=True)
    assemble(source)
    options = ["-W", "--keep-going", "-q", "-d", str(source / ".doctrees"), "-c", str(HERE)]
    if status := build_main([*options, "-b", "html", str(source), str(site)]):
        return status
    wrong = mistakes(site)
    print(*wrong, sep="\n", end="\n" * bool(wrong))
    print(f"{len(wrong)} broken links" if wrong else f"open {site / 'index.html'}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
