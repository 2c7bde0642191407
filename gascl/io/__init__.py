"""Graph file formats: one module each, and the registry of them all.

A reader turns a file into `Parsed`; `Graph.read` does the rest. A new format is a module with a
`FORMAT` and its name in `FORMATS`.
"""

from __future__ import annotations

import os
from pathlib import Path

from gascl.errors import FormatError
from gascl.io import edgelist, matrixmarket
from gascl.io.parsed import Format, Parsed, opened

FORMATS = {format.name: format for format in (matrixmarket.FORMAT, edgelist.FORMAT)}

HEAD = 1024  # bytes of a file's beginning that `recognizes` sees


def read_file(
    path: str | os.PathLike[str], format: str | None = None, directed: bool | None = None
) -> Parsed:
    """Read a file in the format named, or the one its content tells, or its extension.

    Raises:
        FormatError: no such format, no telling which, or what the format's reader raises.
    """
    path = Path(path)
    return _format_of(path, format).read(path, directed)


def _format_of(path: Path, name: str | None) -> Format:
    names = ", ".join(FORMATS)
    if name is not None:
        if name not in FORMATS:
            raise FormatError(f"there is no format {name!r}; the formats are {names}")
        return FORMATS[name]
    with opened(path) as file:
        head = file.read(HEAD)
    for format in FORMATS.values():
        if format.recognizes(head):
            return format
    plain = path.with_suffix("") if path.suffix == ".gz" else path
    for format in FORMATS.values():
        if plain.suffix.lower() in format.extensions:
            return format
    raise FormatError(
        f"{path}: neither the content nor the extension {plain.suffix!r} tells the format; name it "
        f"with format=, one of {names}"
    )
