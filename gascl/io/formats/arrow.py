"""Tables of edges in files: Parquet, and Arrow's IPC files (Feather version 2) and streams.

https://parquet.apache.org; https://arrow.apache.org/docs/format/Columnar.html.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from struct import error as StructError
from typing import TYPE_CHECKING, Any

from gascl.errors import FormatError, GraphError
from gascl.graph.parallel import ahead
from gascl.graph.raw_graph import RawGraph
from gascl.io.adapters.arrow import (
    KEY,
    Source,
    parsed_table,
    spool_table,
    table_layout,
    write_arrow,
)
from gascl.io.arrow_ipc import buffer_counts, file_batches, stream_batches
from gascl.io.files import check_fits, created, opened
from gascl.io.format import Format, check_limits
from gascl.io.outofcore.spool import EdgeSpool, Spooled
from gascl.util.extras import imported

if TYPE_CHECKING:
    from gascl.graph.graph import Graph

MAX_METADATA = 1 << 26  # bytes; Parquet readers refuse text beyond about 100 MB
BATCH = 1 << 20  # rows
SPOOLED = 1 << 17  # rows read at a time into a spool: what is long, as text may be, must fit, too


def read_parquet(
    path: Path,
    directed: bool | None,
    columns: Sequence[str] | str | None = None,
    weight: str | None = None,
) -> RawGraph:
    """Read a Parquet file: one edge per row; ids, integers or text, become labels.

    Only the columns needed are read.

    Args:
        directed: by default what gascl wrote into the file, otherwise directed.
        columns: the names of the columns of the sources, the targets, and those to take as fields;
            by default `source` and `target`, `src` and `dst`, `from` and `to` and the like, or the
            only two that are not the weight, and all other numeric ones as fields.
        weight: the column to take as the field "weight", whatever its name.

    Raises:
        FormatError: the file is damaged, a column is missing, of another type or has a null, or
            pyarrow is not installed.
    """
    return _read(path, _of_parquet, directed, columns, weight, "Parquet")


def _of_parquet(path: Path, file: Any) -> Source:
    """A Parquet file: its columns are read when they are asked for."""
    parquet = imported("pyarrow.parquet", f"{path}: Parquet")
    data = parquet.ParquetFile(file, memory_map=True, page_checksum_verification=True)

    def load(names: list[str]) -> dict[str, Any]:
        check_fits(path, _unpacked_size(data, names))
        return unpacked(data.read(columns=names))

    return Source(
        name=str(path),
        schema=data.schema_arrow,
        rows=data.metadata.num_rows,
        load=load,
        error=FormatError,
    )


def _unpacked_size(data: Any, names: Sequence[str]) -> int:
    """The least number of bytes that columns of a Parquet file take in memory, by its footer."""
    size = 0
    for number in range(data.metadata.num_row_groups):
        group = data.metadata.row_group(number)
        for place in range(group.num_columns):
            column = group.column(place)
            if column.path_in_schema.partition(".")[0] in names:
                # runs of one value are short in the file, and have an item for each row here
                width = _WIDTHS.get(column.physical_type, 4)
                size += max(column.total_uncompressed_size, column.num_values * width)
    return size


#: Bytes of an item in memory, by its type in Parquet; of text, those of its offset.
_WIDTHS = {"BOOLEAN": 0, "INT64": 8, "DOUBLE": 8, "INT96": 8}


def read_arrow(
    path: Path,
    directed: bool | None,
    columns: Sequence[str] | str | None = None,
    weight: str | None = None,
) -> RawGraph:
    """Read an Arrow IPC file (or Feather version 2) or stream, like `read_parquet`.

    A stream may have no end marker; it could then have been cut off between two of its batches,
    and the report says so.

    Raises:
        FormatError: as for `read_parquet`; or the file is Feather version 1, which pyarrow reads
            without checks, so that damage may end the process.
    """
    report: list[str] = []

    def source(path: Path, file: Any) -> Source:
        return _of_arrow(path, file, report)

    parsed = _read(path, source, directed, columns, weight, "Arrow")
    parsed.report.extend(report)
    return parsed


def _of_arrow(path: Path, file: Any, report: list[str]) -> Source:
    """An Arrow IPC file or stream; reports a stream that may have been cut off."""
    pyarrow = imported("pyarrow", f"{path}: Arrow")
    ipc = imported("pyarrow.ipc", f"{path}: Arrow")
    data = pyarrow.memory_map(file) if isinstance(file, str) else pyarrow.BufferReader(file)
    begin = data.read(8)
    data.seek(0)
    if begin.startswith(b"ARROW1"):
        return _of_file(path, data)
    if begin.startswith(b"FEA1"):
        raise FormatError(
            f"{path} is Feather version 1, which is not supported; if you trust it, convert "
            "it: pyarrow.feather.write_feather(pyarrow.feather.read_table(path), other)"
        )
    check_fits(path, sum(batch.size(None, ()) for batch in stream_batches(data)))
    reader = ipc.open_stream(data)
    batches = []
    while True:
        end = data.tell()
        try:
            batches.append(reader.read_next_batch())
        except StopIteration:
            break
    if data.tell() == end:
        report.append("the stream has no end marker: it may have been cut off")
    if data.read(1):
        raise FormatError(f"{path} continues after the end of its stream; split it there")
    return _of_table(path, pyarrow.Table.from_batches(batches, reader.schema))


def read_columns(path: Path, kind: str) -> tuple[dict[str, Any], int]:
    """All columns of a file, "Parquet" or "Arrow", each a pyarrow.ChunkedArray, and the number of
    rows.

    Raises:
        FormatError: as for `read_parquet` and `read_arrow`; or two columns have one name.
    """
    place = _place(path, kind)
    with explained(path, kind):
        source = _of_parquet(path, place) if kind == "Parquet" else _of_arrow(path, place, [])
        names = source.schema.names
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise FormatError(f"{path}: two columns have the name {twice!r}; rename one")
        return source.load(names), source.rows


def _of_file(path: Path, data: Any) -> Source:
    """An IPC file: mapped into memory, or if it is compressed, read by column."""
    from pyarrow import ipc

    batches = file_batches(data)
    schema = ipc.open_file(data).schema
    if not any(batch.compressed for batch in batches):
        return _of_table(path, ipc.open_file(data).read_all())
    counts = buffer_counts(schema)

    def load(names: list[str]) -> dict[str, Any]:
        places = [schema.names.index(name) for name in names]
        check_fits(path, sum(batch.size(counts, places) for batch in batches))
        options = ipc.IpcReadOptions(included_fields=places)
        return unpacked(ipc.open_file(data, options=options).read_all())

    rows = sum(batch.rows for batch in batches if not batch.is_dictionary)
    return Source(name=str(path), schema=schema, rows=rows, load=load, error=FormatError)


def _of_table(path: Path, table: Any) -> Source:
    return Source(
        name=str(path),
        schema=table.schema,
        rows=table.num_rows,
        load=lambda names: unpacked(table.select(names)),
        error=FormatError,
    )


def _read(
    path: Path,
    source: Callable[[Path, Any], Source],
    directed: bool | None,
    columns: Sequence[str] | str | None,
    weight: str | None,
    kind: str,
) -> RawGraph:
    place = _place(path, kind)
    with explained(path, kind):
        return parsed_table(source(path, place), columns, directed, weight, kind)


def _place(path: Path, kind: str) -> Any:
    """What pyarrow reads a file from: its path, or its contents, decompressed."""
    pyarrow = imported("pyarrow", f"{path}: {kind}")
    with opened(path) as file:
        # pyarrow reads an uncompressed file itself, without Python's lock
        if isinstance(file, io.BufferedReader):
            return str(path)
        contents = file.read()
    return pyarrow.BufferReader(contents) if kind == "Parquet" else contents


@contextmanager
def explained(path: Path, kind: str) -> Iterator[None]:
    """Turns pyarrow's errors into FormatError."""
    import pyarrow

    try:
        yield
    except (MemoryError, OverflowError) as error:
        raise _damaged(path, kind, "it claims to contain more than fits in memory") from error
    except GraphError:
        raise
    except (
        pyarrow.ArrowException,
        OSError,
        ValueError,
        KeyError,
        TypeError,
        EOFError,
        StructError,
    ) as error:
        raise _damaged(path, kind, " ".join(str(error).split())[:200]) from error


def spool_parquet(path: Path, directed: bool | None, spool: EdgeSpool, **options: Any) -> Spooled:
    """Read a Parquet file like `read_parquet`, with its options, row by row into a spool."""
    parquet = imported("pyarrow.parquet", f"{path}: Parquet")
    _check_unpacked(path)
    with explained(path, "Parquet"), path.open("rb") as file:
        data = parquet.ParquetFile(file, pre_buffer=False, page_checksum_verification=True)
        source = _unloaded(path, data.schema_arrow, data.metadata.num_rows)
        layout = table_layout(source, directed, "Parquet", numbers=True, **options)
        names = [layout.tail, layout.head, *layout.fields.values()]
        decoded = data.iter_batches(SPOOLED, columns=names)
        with closing(ahead(decoded)) as batches:  # before the file, also after an error
            return spool_table(source, batches, layout, spool)


def spool_arrow(path: Path, directed: bool | None, spool: EdgeSpool, **options: Any) -> Spooled:
    """Read an Arrow IPC file like `read_arrow`, with its options, row by row into a spool; streams
    are refused.

    What is read of an uncompressed file stays in its mapping; one batch of a compressed file must
    fit in memory.
    """
    pyarrow = imported("pyarrow", f"{path}: Arrow")
    _check_unpacked(path)
    with explained(path, "Arrow"), pyarrow.memory_map(str(path)) as data:
        if data.read(6) != b"ARROW1":
            raise FormatError(
                f"{path} is no Arrow IPC file, and --memory reads no streams of Arrow; write a "
                "file (pyarrow.ipc.new_file) or Parquet, or convert it without --memory"
            )
        stored = file_batches(data)
        rows = sum(batch.rows for batch in stored if not batch.is_dictionary)
        check_fits(path, max((batch.size(None, ()) for batch in stored), default=0))
        reader = imported("pyarrow.ipc", f"{path}: Arrow").open_file(data)
        source = _unloaded(path, reader.schema, rows)
        layout = table_layout(source, directed, "Arrow", numbers=True, **options)

        def batches() -> Iterator[Any]:
            for number in range(reader.num_record_batches):
                batch = reader.get_batch(number)
                for at in range(0, batch.num_rows, SPOOLED):
                    yield batch.slice(at, SPOOLED)

        return spool_table(source, batches(), layout, spool)


def _check_unpacked(path: Path) -> None:
    """Raises FormatError if a file cannot be opened, or is compressed as a whole."""
    with opened(path) as file:
        if not isinstance(file, io.BufferedReader):
            raise FormatError(
                f"{path} is compressed as a whole, and would have to be unpacked into memory; "
                "unpack it first, or convert it without --memory"
            )


def _unloaded(path: Path, schema: Any, rows: int) -> Source:
    """A table whose columns are not loaded at once."""
    return Source(str(path), schema, rows, lambda _: {}, FormatError)


def _whole(table: Any) -> Any:
    """The table, after checking its offsets and texts."""
    table.validate(full=True)
    return table


def unpacked(table: Any) -> dict[str, Any]:
    """The columns by name, checked like `_whole`."""
    return dict(zip(table.column_names, _whole(table).columns, strict=True))


def _damaged(path: Path, kind: str, cause: str) -> FormatError:
    return FormatError(
        f"{path} is damaged, or not a table in the {kind} format: {cause}; fetch or write it again"
    )


def _table(path: Path, graph: Graph, kind: str) -> Any:
    """The graph as a table.

    Raises:
        FormatError: a table cannot hold it, or pyarrow is not installed.
    """
    imported("pyarrow", f"{path}: {kind}")
    check_limits(
        path, graph, f"{kind}, a table of edges,", labels=None, edge_fields=None, types=True
    )
    try:
        table = write_arrow(graph, dense=kind == "Parquet")
    except GraphError as error:
        raise FormatError(f"{path}: ", error.message) from error
    if len(table.schema.metadata[KEY]) > MAX_METADATA:
        raise FormatError(
            f"{path}: {kind} is a table of edges, and the labels, which are not sorted or not all "
            f"in edges, take {len(table.schema.metadata[KEY]):,} bytes of metadata, over the limit "
            f"of {MAX_METADATA:,}; write gascl's own .npz"
        )
    return table


def write_parquet(path: Path, graph: Graph) -> None:
    """Write columns `source`, `target` and the edge fields, with checksums; labels are the ids.

    Direction, and labels that the rows do not determine, are in the file's schema metadata.

    Raises:
        FormatError: the graph has vertex fields or labels that a column cannot hold, or pyarrow is
            not installed.
    """
    table = _table(path, graph, "Parquet")
    parquet = imported("pyarrow.parquet", f"{path}: Parquet")
    with created(path) as file:
        parquet.write_table(table, file, row_group_size=BATCH, write_page_checksum=True)


def write_arrow_file(path: Path, graph: Graph) -> None:
    """Write an Arrow IPC file (Feather version 2), like `write_parquet` but not compressed, so that
    it is read without a copy. Labels are a dictionary.

    Raises:
        FormatError: as for `write_parquet`.
    """
    table = _table(path, graph, "Arrow")
    pyarrow = imported("pyarrow", f"{path}: Arrow")
    with created(path) as file, pyarrow.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)


PARQUET = Format(
    name="parquet",
    extensions=(".parquet", ".pq"),
    recognizes=lambda head: head.startswith(b"PAR1"),
    read=read_parquet,
    spool=spool_parquet,
    write=write_parquet,
    packs=False,
)

ARROW = Format(
    name="arrow",
    extensions=(".arrow", ".feather", ".ipc", ".arrows"),
    recognizes=lambda head: head.startswith((b"ARROW1\0\0", b"FEA1")),
    read=read_arrow,
    spool=spool_arrow,
    write=write_arrow_file,
)
