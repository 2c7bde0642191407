"""`-` for stdin and stdout: their bytes by way of a temporary file, as formats need files."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path

from gascl.errors import GasclError

#: Stands for stdin where a file is read, and for stdout where one is written.
STANDARD = "-"


@contextmanager
def file_of_stdin() -> Iterator[Path]:
    """A file with the bytes of stdin: an edge list, unless its content says otherwise."""
    with _file("stdin", "stdin.txt") as path:
        with path.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield path


@contextmanager
def file_for_stdout(suffix: str) -> Iterator[Path]:
    """A file to write, with this suffix; when the block ends, its bytes go to stdout. What the
    block prints goes to stderr."""
    with _file("stdout", f"stdout{suffix}") as path:
        with redirect_stdout(sys.stderr):
            yield path
        if path.exists():
            with path.open("rb") as file:
                shutil.copyfileobj(file, sys.stdout.buffer)


@contextmanager
def _file(stream: str, name: str) -> Iterator[Path]:
    """A temporary file, which errors call by the name of the stream."""
    # Windows cannot delete a file that the graph has mapped.
    with tempfile.TemporaryDirectory(prefix="gascl-", ignore_cleanup_errors=True) as folder:
        path = Path(folder) / name
        try:
            yield path
        except GasclError as error:
            error.args = (error.message.replace(str(path), stream), *error.args[1:])
            raise
