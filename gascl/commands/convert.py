"""`gascl convert`: a graph's file in another format."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gascl.commands import graphfile
from gascl.commands.exitcode import DONE
from gascl.commands.formatnames import TABLE
from gascl.commands.numbertext import size
from gascl.errors import GasclError

if TYPE_CHECKING:
    from gascl.io.parsed import Format

ABOUT = "write a graph in another format"
HELP = f"""\
examples:
  gascl convert wiki-Vote.txt.gz wiki-Vote.mtx
  gascl convert roads.csv roads.txt.zst --option columns=from,to,metres
  gascl convert links.dat links.mtx.gz --from edgelist --undirected --duplicates first

{TABLE}"""


def options(add: Callable[..., Any]) -> None:
    """Add A and B, their formats, and how A is read."""
    add("graph", metavar="A", help=f"a graph's file, {graphfile.PACKED_OR_NOT}")
    text = "the file to write, packed as its name says; never A; it appears when it is whole"
    add("target", metavar="B", type=Path, help=text)
    add("--from", metavar="NAME", dest="format", help="A's format (default: told by the file)")
    text = "B's format (default: told by its extension)"
    add("--to", metavar="NAME", dest="target_format", help=text)
    graphfile.reading_options(add)


def run(arguments: argparse.Namespace) -> int:
    """Read A, say what was taken for what, and write B."""
    source, target = Path(arguments.graph), arguments.target
    chosen = _format_of(target, arguments.target_format)
    _check(source, target, chosen)
    started = time.perf_counter()
    graph = graphfile.read(arguments)
    took = time.perf_counter() - started
    with suppress(BrokenPipeError):  # B is still to be written
        print(f"read {source}: {size(source.stat().st_size)} in {took:.3f} s")
        print(graphfile.described(graph), flush=True)
    started = time.perf_counter()
    graph.write(target, format=chosen.name)
    took = time.perf_counter() - started
    print(f"wrote {target}: {chosen.name}, {size(target.stat().st_size)} in {took:.3f} s")
    return DONE


def _format_of(target: Path, name: str | None) -> Format:
    """The format that B is to have; asked before A is read, which may take long.

    Raises:
        GasclError: there is none, or nothing writes it.
    """
    from gascl.io import FORMATS
    from gascl.io.files import plain

    suffix = plain(target).suffix.lower()
    told = name or next((n for n, f in FORMATS.items() if suffix in f.extensions), None)
    chosen = FORMATS.get(told or "")
    if chosen and chosen.write:
        return chosen
    wrong = f"--to: there is no format {name!r}" if name else f"no format ends in {suffix!r}"
    if chosen:
        wrong = f"nothing writes {chosen.name}"
    able = ", ".join(f"{n} ({f.extensions[0]})" for n, f in FORMATS.items() if f.write)
    raise GasclError(f"{target}: {wrong}; name one with --to: {able}")


def _check(source: Path, target: Path, chosen: Format) -> None:
    """Raises GasclError where B cannot be written, or is A."""
    from gascl.io.files import plain

    if not target.parent.is_dir():
        raise GasclError(f"{target}: there is no folder {target.parent}; make it first")
    if target.exists() and source.exists() and target.samefile(source):
        raise GasclError(f"{target} is the file to be read; name another")
    # A file takes B's place when it is whole: a device or a pipe must not be lost to it.
    if (target.exists() and not target.is_file()) or not os.access(target.parent, os.W_OK):
        raise GasclError(f"{target} cannot be written; name another file")
    if plain(target) != target and not chosen.packs:
        raise GasclError(f"{target}: {chosen.name} packs itself; name {plain(target).name}")
