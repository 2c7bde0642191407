"""Runs the code blocks of a page of the documentation in their order, as a reader would.

- A `python` block runs with the names that those before it have defined, and a `sh` block's lines
  that begin with `gascl` or `python` run as commands.
- Where the sentence before a block says "Save ... as `NAME`", the block is saved as that file.
- A `text` block right after a block is what this one prints, where ... stands for anything.
- Other blocks, such as `py` for a part of a program, do not run.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
import sys
import traceback
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from gascl.cli.main import main

TOP = Path(__file__).parents[2]
#: Every page with code that a reader may run.
PAGES = sorted([TOP / "README.md", *(TOP / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SAVED = re.compile(r"\b[Ss]ave\b[^`]*?\bas `([\w./-]+)`(?:(?!\n\n).)*:\n\n\Z", re.DOTALL)


class Block(NamedTuple):
    line: int
    end: int  # of the page's text, in characters
    language: str
    text: str
    file: str  # as which it is saved, or empty
    output: str | None  # what it prints


def blocks(page: Path) -> list[Block]:
    text = page.read_text("utf-8")
    matches = list(BLOCK.finditer(text))
    found = []
    for match, after in zip_longest(matches, matches[1:]):
        saved = SAVED.search(text[: match.start()].rpartition("\n\n```")[2])
        is_output = after and after[1] == "text" and not text[match.end() : after.start()].strip()
        found.append(
            Block(
                text[: match.start()].count("\n") + 1,
                match.end(),
                match[1],
                match[2],
                saved[1] if saved else "",
                after[2] if after and is_output else None,
            )
        )
    return found


def run_page(
    page: Path, folder: Path, after: Callable[[Block], None] = lambda block: None
) -> dict[str, Any]:
    """Run the blocks of a page in `folder`, beside the datasets, and return the names that they
    have defined. `after` is called with each block of Python that has run.

    Raises:
        AssertionError: a block fails or prints something else, with the page and the line.
    """
    if not (folder / "datasets").exists():
        (folder / "datasets").symlink_to(TOP / "datasets")
    names: dict[str, Any] = {"__name__": "page"}
    back = Path.cwd()
    os.chdir(folder)
    modules = {*sys.modules}
    sys.path.insert(0, str(folder))  # saved blocks can be imported
    try:
        for block in blocks(page):
            where = f"{page.relative_to(TOP).as_posix()}:{block.line}"
            if block.file:
                Path(block.file).write_text(block.text, "utf-8")
            elif block.language == "python":
                compare(where, block.output, run_python(where, block, names))
                after(block)
            elif block.language == "sh":
                compare(where, block.output, run_commands(where, block))
    finally:
        os.chdir(back)
        sys.path.remove(str(folder))
        for name in {*sys.modules} - modules:
            if str(getattr(sys.modules[name], "__file__", "")).startswith(str(folder)):
                del sys.modules[name]
    return names


def run_python(where: str, block: Block, names: dict[str, Any]) -> str:
    file = Path(f"block{block.line}.py").absolute()  # so that errors name the lines of a file
    file.write_text(block.text, "utf-8")
    printed = io.StringIO()
    try:
        with redirect_stdout(printed):
            exec(compile(block.text, str(file), "exec"), names)
    except Exception as error:
        assert block.output is not None, f"{where}: {traceback.format_exc()}"
        printed.write("".join(traceback.format_exception_only(error)))
    return printed.getvalue()


def run_commands(where: str, block: Block) -> str:
    printed = ""
    for line in block.text.replace("\\\n", " ").splitlines():
        if not line.startswith(("gascl ", "python ")):
            continue
        command, *words = shlex.split(line.partition(" | ")[0], comments=True)
        code, said = run_gascl(words) if command == "gascl" else run_python_file(words)
        assert code == 0 or block.output is not None, f"{where}: {line}\n{said}"
        printed += said
    return printed


def run_gascl(words: list[str]) -> tuple[int, str]:
    """Run the command in this process, where PoCL is loaded already."""
    printed = io.BytesIO()
    stream = io.TextIOWrapper(printed, encoding="utf-8", write_through=True)
    with redirect_stdout(stream), redirect_stderr(stream):
        try:
            code = main(words)
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 1
    return code, printed.getvalue().decode()


def run_python_file(words: list[str]) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        timeout=300,
    )
    return done.returncode, done.stdout


def compare(where: str, expected: str | None, printed: str) -> None:
    if expected is None:
        return

    def plain(text: str) -> str:
        return "\n".join(line.rstrip() for line in text.strip().splitlines())

    pattern = re.escape(plain(expected)).replace(r"\.\.\.", ".*?").removesuffix("\\\n.*?")
    pattern += ".*" if expected.endswith("\n...\n") else ""
    assert re.fullmatch(pattern, plain(printed), re.DOTALL), f"{where} prints\n{printed}"
