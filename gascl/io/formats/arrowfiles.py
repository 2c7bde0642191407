"""Tables of edges in files: Parquet, and Arrow's IPC files and streams, which Feather is.

https://parquet.apache.org; https://arrow.apache.org/docs/format/Columnar.html.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gascl.errors import FormatError, GraphError
from gascl.graph.parsed import Parsed
from gascl.io.adapters import imported
from gascl.io.adapters.arrow import KEY, Source, parsed_table, write_arrow
from gascl.io.files import created, opened
from gascl.io.format import Format, without

if TYPE_CHECKING:
    from gascl.graph.graph import Graph

MAX_METADATA = 1 << 26  # bytes; readers of Parquet take no text beyond about 100 MB
BATCH = 1 << 20  # rows


def read_parquet(
    path: Path, directed: bool | None, columns: Sequence[str] | str | None = None
) -> Parsed:
    """Read a Parquet file: a row an edge; ids integers or text, and labels.

    Only the columns needed are read, one after the other.

    Args:
        directed: by default what gascl wrote into the file, or else directed.
        columns: the names of the columns of the sources, the targets, and those to take as fields;
            by default `source` and `target`, `src` and `dst`, `from` and `to` and the like, or
            else the first two, and all other numeric ones as fields.

    Raises:
        FormatError: the file is damaged, has no such columns, or other types, or a row has a null;
            or pyarrow is missing.
    """
    parquet = imported("pyarrow.parquet", f"{path}: Parquet")

    def source(file: Any) -> Source:
        data = parquet.ParquetFile(file, memory_map=True, page_checksum_verification=True)
        return Source(
            name=str(path),
            schema=data.schema_arrow,
            rows=data.metadata.num_rows,
            load=lambda name: _whole(data.read(columns=[name])).column(0),
            error=FormatError,
        )

    return _read(path, source, directed, columns, "Parquet")


def read_arrow(
    path: Path, directed: bool | None, columns: Sequence[str] | str | None = None
) -> Parsed:
    """Read an Arrow IPC file, which Feather version 2 is, or stream, as `read_parquet`.

    A stream may lack the mark of its end, and then nothing tells whether it was cut off between two
    of its batches: the report says so.

    Raises:
        FormatError: as `read_parquet`; or the file is Feather version 1, which pyarrow reads
            without checks: damage may end the process.
    """
    pyarrow = imported("pyarrow", f"{path}: Arrow")
    ipc = imported("pyarrow.ipc", f"{path}: Arrow")
    report: list[str] = []

    def source(file: Any) -> Source:
        data = pyarrow.memory_map(file) if isinstance(file, str) else pyarrow.BufferReader(file)
        begin = data.read(8)
        data.seek(0)
        if begin.startswith(b"ARROW1"):
            return _of_file(path, data)
        if begin.startswith(b"FEA1"):
            raise FormatError(
                f"{path} is Feather version 1, which is not read; if you trust it, write it again: "
                "pyarrow.feather.write_feather(pyarrow.feather.read_table(path), other)"
            )
        reader = ipc.open_stream(data)
        batches = []
        while True:
            end = data.tell()
            try:
                batches.append(reader.read_next_batch())
            except StopIteration:
                break
        if data.tell() == end:
            report.append("the stream has no mark at its end: nothing tells if it was cut off")
        if data.read(1):
            raise FormatError(f"{path} goes on after the end of its stream; split it there")
        table = pyarrow.Table.from_batches(batches, reader.schema)
        return _of_table(path, table)

    parsed = _read(path, source, directed, columns, "Arrow")
    parsed.report.extend(report)
    return parsed


def _of_file(path: Path, data: Any) -> Source:
    """An IPC file: mapped into memory as it is, or, compressed, read column by column."""
    import pyarrow
    from pyarrow import ipc

    reader = ipc.open_file(data)
    schema, before = reader.schema, pyarrow.total_allocated_bytes()
    first = reader.get_batch(0) if reader.num_record_batches else None
    if first is not None:
        first.validate()  # a size of unsound columns may end the process
    if first is None or pyarrow.total_allocated_bytes() - before < first.nbytes // 2:
        return _of_table(path, reader.read_all())

    def column(place: int) -> Any:
        options = ipc.IpcReadOptions(included_fields=[place])
        return _whole(ipc.open_file(data, options=options).read_all()).column(0)

    return Source(
        name=str(path),
        schema=schema,
        rows=len(column(0)),
        load=lambda name: column(schema.names.index(name)),
        error=FormatError,
    )


def _of_table(path: Path, table: Any) -> Source:
    return Source(
        name=str(path),
        schema=table.schema,
        rows=table.num_rows,
        load=lambda name: _whole(table.select([name])).column(0),
        error=FormatError,
    )


def _read(
    path: Path,
    source: Callable[[Any], Source],
    directed: bool | None,
    columns: Sequence[str] | str | None,
    kind: str,
) -> Parsed:
    import pyarrow

    with opened(path) as file:
        # pyarrow reads a plain file itself, without Python's lock
        place = str(path) if isinstance(file, io.BufferedReader) else file.read()
        if isinstance(place, bytes) and kind == "Parquet":
            place = pyarrow.BufferReader(place)
    try:
        return parsed_table(source(place), columns, directed, kind)
    except (MemoryError, OverflowError) as error:
        raise _damaged(path, kind, "it announces more than memory holds") from error
    except GraphError:
        raise
    except (pyarrow.ArrowException, OSError, ValueError, KeyError, TypeError) as error:
        raise _damaged(path, kind, " ".join(str(error).split())[:200]) from error


def _whole(table: Any) -> Any:
    """The table, once its offsets and texts are known to be sound."""
    table.validate(full=True)
    return table


def _damaged(path: Path, kind: str, cause: str) -> FormatError:
    return FormatError(
        f"{path} is damaged, or no {kind} file of a table: {cause}; fetch or write it again"
    )


def _table(path: Path, graph: Graph, kind: str) -> Any:
    """The graph as a table.

    Raises:
        FormatError: a table can't hold it, or pyarrow is missing.
    """
    imported("pyarrow", f"{path}: {kind}")
    if graph.vertex_fields:
        raise FormatError(
            f"{path}: {kind} is a table of edges and can't hold vertex fields "
            f"({', '.join(graph.vertex_fields)}); write gascl's own .npz, .gml or "
            f".graphml; {without('vertex-fields')}"
        )
    try:
        table = write_arrow(graph, dense=kind == "Parquet")
    except GraphError as error:
        raise FormatError(f"{path}: {error}") from error
    if len(table.schema.metadata[KEY]) > MAX_METADATA:
        raise FormatError(
            f"{path}: {kind} is a table of edges, and labels in an order of their own or without "
            f"edges are {len(table.schema.metadata[KEY]):,} bytes beside it; write gascl's own .npz"
        )
    return table


def write_parquet(path: Path, graph: Graph) -> None:
    """Write columns `source`, `target` and the edge fields, with checksums; labels as ids.

    Direction, and labels that the rows don't show, are in the file's schema metadata.

    Raises:
        FormatError: the graph has vertex fields, or what a column can't hold, or pyarrow is
            missing.
    """
    table = _table(path, graph, "Parquet")
    parquet = imported("pyarrow.parquet", f"{path}: Parquet")
    with created(path) as file:
        parquet.write_table(table, file, row_group_size=BATCH, write_page_checksum=True)


def write_arrow_file(path: Path, graph: Graph) -> None:
    """Write an Arrow IPC file, which is Feather version 2, as `write_parquet`; not compressed, so
    that it is read without a copy. Labels are a dictionary.

    Raises:
        FormatError: as `write_parquet`.
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
    write=write_parquet,
    packs=False,
)

ARROW = Format(
    name="arrow",
    extensions=(".arrow", ".feather", ".ipc", ".arrows"),
    recognizes=lambda head: head.startswith((b"ARROW1\0\0", b"FEA1")),
    read=read_arrow,
    write=write_arrow_file,
)
