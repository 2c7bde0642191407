"""Graph file formats: one module each, and the registry of them all.

A reader turns a file into `Parsed`; `Graph.read` does the rest. A new format is a module with a
`FORMAT` and its name in `FORMATS`.
"""

from __future__ import annotations

import inspect
import os
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gascl.errors import FormatError
from gascl.graph.parsed import Format, Parsed
from gascl.io import (
    dimacs,
    edgelist,
    gap,
    gml,
    graphalytics,
    graphml,
    matrixmarket,
    metis,
    native,
    scipynpz,
    table,
)
from gascl.io.files import opened, plain
from gascl.io.paths import checked_path

if TYPE_CHECKING:
    from gascl.graph.graph import Graph

FORMATS = {
    format.name: format
    for format in (
        matrixmarket.FORMAT,
        native.FORMAT,
        dimacs.FORMAT,
        metis.FORMAT,
        graphalytics.FORMAT,
        gap.FORMAT,
        gml.FORMAT,
        graphml.FORMAT,
        table.PARQUET,
        table.ARROW,
        scipynpz.FORMAT,
        edgelist.FORMAT,
    )
}

OWN = ("directed", "duplicates", "self_loops", "format", "report")  # what Graph.read takes itself
HEAD = 1024  # bytes of a file's beginning that `recognizes` sees


def read_file(
    path: str | os.PathLike[str],
    format: str | None = None,
    directed: bool | None = None,
    **options: Any,
) -> Parsed:
    """Read a file in the format named, or the one its content tells, or its extension.

    Args:
        options: what the format's reader takes besides.

    Raises:
        FormatError: no such format or option, no telling which, or what the reader raises.
    """
    path = checked_path(path)
    chosen = _format_of(path, format)
    known = list(inspect.signature(chosen.read).parameters)[2:]
    for name in options:
        if name not in known:
            takes = f"it takes {', '.join(known)}" if known else "it takes none"
            if near := get_close_matches(name, [*known, *OWN], 1, 0.75):
                takes = f"did you mean {near[0]}=? {takes[0].upper()}{takes[1:]}"
            raise FormatError(
                f"{path}: the reader of {chosen.name} has no option {name!r}; {takes}"
            )
    return chosen.read(path, directed, **options)


def write_file(graph: Graph, path: str | os.PathLike[str], format: str | None = None) -> None:
    """Write a graph in the format named, or the one that the extension tells.

    Raises:
        FormatError: no such format, none for the extension, or the format can't hold the graph.
    """
    path = checked_path(path)
    chosen = _named(format) if format is not None else _by_extension(path)
    able = [f for f in FORMATS.values() if f.write is not None]
    if chosen is None or chosen.write is None:
        said = (
            f"nothing writes {chosen.name}"
            if chosen
            else f"no format has the extension {plain(path).suffix!r}"
        )
        names = ", ".join(f"{f.name} ({f.extensions[0]})" for f in able)
        raise FormatError(f"{path}: {said}; name one that is written: {names}")
    if path.is_dir() or not path.parent.is_dir():
        wrong = "is a directory" if path.is_dir() else f"is in {path.parent}, which is no folder"
        raise FormatError(f"{path} {wrong}; name a file in one")
    if plain(path) != path and not chosen.packs:
        raise FormatError(f"{path}: {chosen.name} packs itself; write {plain(path).name}")
    chosen.write(path, graph)


def _format_of(path: Path, name: str | None) -> Format:
    if name is not None:
        return _named(name)
    with opened(path) as file:
        head = file.read(HEAD)
    for format in FORMATS.values():
        if format.recognizes(head):
            return format
    chosen = _by_extension(path)
    if chosen is None:
        raise FormatError(
            f"{path}: neither the content nor the extension {plain(path).suffix!r} tells the "
            f"format; name it with format=, one of {', '.join(FORMATS)}"
        )
    return chosen


def _named(name: str) -> Format:
    if name not in FORMATS:
        raise FormatError(f"there is no format {name!r}; the formats are {', '.join(FORMATS)}")
    return FORMATS[name]


def _by_extension(path: Path) -> Format | None:
    suffix = plain(path).suffix.lower()
    return next((f for f in FORMATS.values() if suffix in f.extensions), None)
