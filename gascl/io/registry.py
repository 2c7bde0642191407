"""The registry of file formats: reading and writing a file in the right one.

A format's reader turns a file into `RawGraph`, and `Graph.read` does the rest. A new format is a
module of `gascl.io.formats` with a `Format`, and a line in that package's `LISTED`.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterator, Mapping, MutableMapping
from difflib import get_close_matches
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gascl.errors import FormatError
from gascl.graph.field_types import Texts, Times
from gascl.graph.raw_graph import RawGraph
from gascl.io.column_names import as_weight
from gascl.io.files import SHOWN, opened, plain
from gascl.io.format import Format
from gascl.io.formats import LISTED
from gascl.io.outofcore.spool import EdgeSpool, Spooled
from gascl.user_messages import Message, Option
from gascl.util.paths import checked_path
from gascl.util.progress import Progress, showing

if TYPE_CHECKING:
    from gascl.graph.graph import Graph
    from gascl.io.parquet_table import ParquetTable


class Formats(MutableMapping[str, Format]):
    """The formats by name. A format's module is imported when the format is first looked up."""

    def __init__(self) -> None:
        self._formats: dict[str, Format | None] = dict.fromkeys(LISTED)

    def __getitem__(self, name: str) -> Format:
        format = self._formats[name]
        if format is None:
            module, _, attribute = LISTED[name][0].partition(":")
            format = getattr(import_module(f"gascl.io.formats.{module}"), attribute)
            self._formats[name] = format
        return format

    def __setitem__(self, name: str, format: Format) -> None:
        self._formats[name] = format

    def __delitem__(self, name: str) -> None:
        del self._formats[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._formats)

    def __len__(self) -> int:
        return len(self._formats)

    def with_extension(self, suffix: str) -> Iterator[Format]:
        """The formats that an extension, in lower case, indicates."""
        for name, format in list(self._formats.items()):
            if suffix in (LISTED[name][1] if format is None else format.extensions):
                yield self[name]


#: By name, in the order in which a file's content is tried against them.
FORMATS = Formats()

#: The options that Graph.read handles itself.
READ_OPTIONS = (
    *("directed", "duplicates", "self_loops", "format", "weight", "vertices", "id"),
    *("report", "progress", "comm"),
)
HEAD = 1024  # bytes at the start of a file that `recognizes` is given


def read_file(
    path: str | os.PathLike[str],
    format: str | None = None,
    directed: bool | None = None,
    weight: Any = None,
    progress: bool | Progress = False,
    **options: Any,
) -> RawGraph:
    """Read a file in the given format, or the one that its content or its extension indicates.

    Args:
        weight: the column, or the field, to read as the edge field "weight"; None: by its name.
        progress: show how much of the file has been read, as in `Graph.read`.
        options: passed on to the format's reader.

    Raises:
        FormatError: the format or an option is unknown, the format cannot be determined, or the
            reader refuses the file.
    """
    path = checked_path(path)
    with showing(progress) as shown:
        token = SHOWN.set(shown)
        try:
            return _read(path, format, directed, weight, options)
        finally:
            SHOWN.reset(token)


def spool_file(
    path: Path,
    spool: EdgeSpool,
    format: str | None = None,
    directed: bool | None = None,
    weight: Any = None,
    **options: Any,
) -> Spooled:
    """Read a file row by row into a spool; the arguments are those of `read_file`.

    Raises:
        FormatError: as `read_file`, or the format is only read as a whole.
    """
    chosen = _format_of(path, format)
    _check_options(path, chosen, options)
    if chosen.spool is None:
        names = ", ".join(f.name for f in FORMATS.values() if f.spool)
        raise FormatError(
            f"{path}: files of the format {chosen.name} are read as a whole; --memory reads {names}"
        )
    weight_option = {} if weight is None else {"weight": weight}
    return chosen.spool(path, directed, spool, **weight_option, **options)


def reader_options() -> set[str]:
    """The names of the options that the readers of the formats have."""
    return {name for format in FORMATS.values() for name in _options_of(format)}


def _options_of(chosen: Format) -> list[str]:
    """The options of a format's reader."""
    return list(inspect.signature(chosen.read).parameters)[2:]


def _check_options(path: Path, chosen: Format, options: Mapping[str, Any]) -> None:
    """Raises FormatError if the format's reader does not have one of the options."""
    known = _options_of(chosen)
    for name in options:
        if name not in known:
            takes: str = "it takes "
            if near := get_close_matches(name, [*known, *READ_OPTIONS], 1, 0.75):
                option = Option(near[0], of="reader" if near[0] in known else "run")
                takes = Message("did you mean ", option, "? It takes ")
            raise FormatError(
                f"{path}: the reader of {chosen.name} has no option {name!r}; ",
                takes,
                ", ".join(known) or "none",
            )


def _read(
    path: Path, format: str | None, directed: bool | None, weight: Any, options: dict[str, Any]
) -> RawGraph:
    if path.is_dir():
        if format not in (None, "parquet"):
            raise FormatError(f"{path} is a folder, and one is read only of Parquet files")
        return parquet_table(path, directed, weight, options).graph()
    chosen = _format_of(path, format)
    _check_options(path, chosen, options)
    if weight is None:
        return chosen.read(path, directed, **options)
    if "weight" in _options_of(chosen):
        return chosen.read(path, directed, weight=weight, **options)
    parsed = chosen.read(path, directed, **options)
    if weight not in parsed.fields:
        there = ", ".join(parsed.fields) or "none"
        raise FormatError(f"{path}: there is no edge field {weight!r}; there are: {there}")
    kind = parsed.edge_types.get(weight)
    if isinstance(kind, Texts | Times):
        raise FormatError(
            f"{path}: the edge field {weight!r} is {kind.name}, and a weight is a number; name a "
            "field of numbers"
        )
    return as_weight(parsed, weight)


def write_file(
    graph: Graph, path: str | os.PathLike[str], format: str | None = None, arcs: bool = False
) -> None:
    """Write a graph in the given format, or the one that the extension indicates.

    Args:
        arcs: write the arcs, too, which only gascl's own format holds.

    Raises:
        FormatError: the format is unknown, the extension belongs to none, or the format cannot
            hold the graph or its arcs; `arcs` is not a bool.
    """
    path = checked_path(path)
    if not isinstance(arcs, bool):
        raise FormatError(f"{path}: arcs={arcs!r} must be True or False")
    chosen = _named(format) if format is not None else _by_extension(path)
    if chosen is None or chosen.write is None:
        cause = (
            f"{chosen.name} files cannot be written"
            if chosen
            else f"no format has the extension {plain(path).suffix!r}"
        )
        writable = [f for f in FORMATS.values() if f.write is not None]
        names = ", ".join(f"{f.name} ({f.extensions[0]})" for f in writable)
        raise FormatError(f"{path}: {cause}; name a format that can be written: {names}")
    if path.is_dir():
        raise FormatError(f"{path} is a directory; name a file in it")
    if not path.parent.is_dir():
        raise FormatError(
            f"{path}: there is no directory {path.parent}; create it, or name a file in another"
        )
    if plain(path) != path and not chosen.packs:
        raise FormatError(
            f"{path}: {chosen.name} files are not compressed as a whole; write {plain(path).name}"
        )
    graph.check_unchanged()
    if not arcs:
        chosen.write(path, graph)
    elif "arcs" in inspect.signature(chosen.write).parameters:
        chosen.write(path, graph, arcs=True)
    else:
        raise FormatError(
            f"{path}: {chosen.name} files hold no arcs; leave out ",
            "arcs=True (`--arcs`), or write gascl's own .npz",
        )


def is_parquet(path: Path, format: str | None) -> bool:
    """Whether this is a Parquet file that is not compressed as a whole, or a folder of them."""
    if path.is_dir():
        return True
    return plain(path) == path and _format_of(path, format) is FORMATS["parquet"]


def parquet_table(
    path: Path, directed: bool | None, weight: Any, options: Mapping[str, Any]
) -> ParquetTable:
    """The table in a Parquet file or a folder; the arguments are those of `read_file`."""
    from gascl.io.parquet_table import ParquetTable

    _check_options(path, FORMATS["parquet"], options)
    return ParquetTable(path, directed, weight=weight, **options)


def _format_of(path: Path, name: str | None) -> Format:
    if name is not None:
        return _named(name)
    with opened(path) as file:
        head = file.read(HEAD)
    # Those of the extension come first, so that in most cases no other is imported.
    likely = list(FORMATS.with_extension(plain(path).suffix.lower()))
    for format in chain(likely, FORMATS.values()):
        if format.recognizes(head):
            return format
    chosen = next(iter(likely), None)
    if chosen is None:
        raise FormatError(
            f"{path}: neither the content nor the extension {plain(path).suffix!r} indicates the "
            "format; name it with ",
            Option("format"),
            f", one of {', '.join(FORMATS)}",
        )
    return chosen


def _named(name: str) -> Format:
    if name not in FORMATS:
        raise FormatError(f"there is no format {name!r}; the formats are {', '.join(FORMATS)}")
    return FORMATS[name]


def _by_extension(path: Path) -> Format | None:
    suffix = plain(path).suffix.lower()
    return next(FORMATS.with_extension(suffix), None)
