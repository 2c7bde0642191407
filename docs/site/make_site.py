"""Builds the documentation site: `python docs/site/make_site.py FOLDER`, or `make site`.

Pages are copied to FOLDER-source, with links to files that are no pages turned into links to the
repository. The code of pages that draw runs, and each picture follows its code. Then Sphinx runs
the notebooks and builds FOLDER, and every link and picture of it is checked. Warnings are errors.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
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
    "First steps": ["install", "tutorial", "your-data", "gallery", "coming-from"],
    "Use": ["graphs", "library", "pictures", "communities", "networkx", "scale", "dask"],
    "Write programs": ["programs", "cheatsheet", "cookbook/index", "notebooks/index", "editors"],
    "Understand": ["performance-guide", "performance", "troubleshooting", "how-it-works"],
    "Reference": ["api/index", "changelog", "versions"],
    "For contributors": [
        "contributing",
        "architecture",
        "internals/scale",
        "tested",
        "benchmarks/notes",
        "benchmarks/readme",
    ],
}
#: Pages that list others of their folder, which have no place in the sidebar of their own.
LISTS = ["cookbook/index.md", "notebooks/index.md"]
CODE = re.compile(r"^ *```.*?^ *```$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
#: What code that draws a picture calls.
DRAWS = re.compile(r"\b(?:draw|animate|plot|subplots|particles|history)\(")
LINK = re.compile(r"(\]\()([^)\s]+)(?=\))")
#: A picture of the site right after a block.
PICTURE = re.compile(r"\s*!\[[^]]*\]\(([\w-]+\.(?:png|gif))\)")


def pages() -> dict[Path, str]:
    """The Markdown files and notebooks of the site, and their names there."""
    docs = TOP / "docs"
    files = [*docs.rglob("*.md"), *docs.rglob("*.ipynb")]
    inside = {path: path.relative_to(docs).as_posix() for path in files}
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


def toctrees(name: str, text: str) -> str:
    """What the sidebar lists, hidden at the end of the first page and of the pages that list
    others, which are those that their tables link to."""
    if name in LISTS:
        return toctree(re.findall(r"^\| \[[^]]*\]\(([\w-]+)\.", text, re.MULTILINE))
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
    (source / "versions.md").write_text(versions(), "utf-8")
    names = pages()
    copies = [source / name for name in names.values()]
    for copy in copies:
        copy.parent.mkdir(parents=True, exist_ok=True)
    for picture in [*(TOP / "docs").rglob("*.png"), *(TOP / "docs").rglob("*.gif")]:
        shutil.copy(picture, source / picture.relative_to(TOP / "docs"))
    with ProcessPoolExecutor() as pool:  # each page runs in a folder of its own
        texts = [*pool.map(illustrated, names, copies)]
    for (page, name), copy, text in zip(names.items(), copies, texts, strict=True):
        if page.suffix == ".md":
            text = rewritten(text, page, names) + toctrees(name, text)
        copy.write_text(text, "utf-8")


def versions() -> str:
    """A page with the version of this site, and those that the repository has tags of."""
    import gascl

    format = "--format=%(refname:short) %(creatordate:short)"
    listed = subprocess.run(
        ["git", "for-each-ref", "refs/tags/v*", "--sort=-version:refname", format],
        cwd=TOP,
        stdout=subprocess.PIPE,
        text=True,
        check=False,  # an unpacked archive has no tags
    ).stdout
    rows = [
        f"| {tag.removeprefix('v')} | {date} | [documentation]({REPOSITORY}/tree/{tag}/docs) |\n"
        for tag, date in (line.split() for line in listed.splitlines())
    ]
    table = "| version | date | |\n|---|---|---|\n" + "".join(rows)
    none = "The copy of the repository from which it was built has no tags of released versions.\n"
    return (
        f"# Versions\n\nThis site describes gascl {gascl.__version__}, with what its [changelog]"
        "(changelog.md) calls unreleased.\n\n"
        f"{table if rows else none}\n"
        "To build the site of another version, check out its tag, and run `make site`.\n"
    )


def illustrated(page: Path, copy: Path) -> str:
    """The text of a page, with the pictures that its code draws after their blocks. Where the page
    has a picture there, which is in the repository, its copy is drawn again instead."""
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
        if given := PICTURE.match(text, block.end):
            for picture in pictures:
                picture.replace(copy.with_name(given[1]))
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
