"""`ParquetTable`: the rows of a Parquet file, or of a folder of them, read in pieces.

The files of a folder are one table, in the order of their paths.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gascl.errors import FormatError
from gascl.graph.edge_pieces import checked_piece, joined
from gascl.graph.raw_graph import RawGraph
from gascl.io.adapters.arrow import KEY, Source, TableLayout, is_text, parsed_rows, table_layout
from gascl.io.files import SHOWN, check_fits
from gascl.io.formats.arrow import explained, unpacked
from gascl.util.extras import imported

#: At least so many rows are read at a time, and about so many are one piece.
BATCH, PIECE = 1 << 17, 1 << 22
#: The least number of bytes that an edge takes in memory.
EACH = 8
SUFFIXES = (".parquet", ".pq")


class ParquetTable:
    """A table of edges in Parquet files.

    Args:
        path: a file, or a folder.
        directed, options: as in `gascl.io.formats.arrow.read_parquet`.

    Raises:
        FormatError: there is no file, one is damaged, or they have different columns.
    """

    def __init__(self, path: Path, directed: bool | None, **options: Any):
        self.path, self.files = path, files_of(path)
        self._parquet = imported("pyarrow.parquet", f"{path}: Parquet")
        self._rows: list[int] = []
        self._schema: Any = None
        first = self.files[0]
        for file in self.files:
            with explained(file, "Parquet"):
                data = self._opened(file)
                self._rows.append(data.metadata.num_rows)
                schema = data.schema_arrow
            if self._schema is None:
                self._schema = schema
            elif _columns(schema) != _columns(self._schema):
                columns = _columns(schema), first.name, _columns(self._schema)
                raise FormatError(
                    f"{file} has the columns {', '.join(columns[0])}, and {columns[1]} has "
                    f"{', '.join(columns[2])}; a folder is one table: give all files the same "
                    "columns"
                )
            elif (schema.metadata or {}).get(KEY) != (self._schema.metadata or {}).get(KEY):
                raise FormatError(
                    f"{file} and {first.name} are of different graphs, by the metadata that gascl "
                    "wrote; read them one by one"
                )
        self.rows = sum(self._rows)
        self._layout: TableLayout = table_layout(
            self._source(path, self.rows, {}), directed, "Parquet", **options
        )

    @property
    def in_pieces(self) -> bool:
        """Whether the graph can be read in pieces: labels are the sorted ids, or there are none."""
        return self._layout.own.get("labels", "ids") in ("ids", "none") and not (
            self._layout.both_ways
        )

    @property
    def directed(self) -> bool:
        return self._layout.directed

    @property
    def num_vertices(self) -> int | None:
        """The number of vertices, if the ids are the vertices themselves."""
        own = self._layout.own
        return own["num_vertices"] if own.get("labels") == "none" else None

    @property
    def report(self) -> list[str]:
        """What to say of how the table was read."""
        layout, files = self._layout, len(self.files)
        report = [*layout.report, *layout.remarks, *layout.end]
        return [f"{files:,} files of Parquet, read as one table", *report] if files > 1 else report

    def graph(self) -> RawGraph:
        """The graph of all rows."""
        if self.in_pieces:
            return joined([*self.pieces()], self.directed, self.report)
        import pyarrow

        tables = []
        for file in self.files:
            with explained(file, "Parquet"):
                tables.append(self._opened(file).read(self._names))
        columns = unpacked(pyarrow.concat_tables(tables))
        return parsed_rows(self._source(self.path, self.rows, columns), self._layout)

    def pieces(self, rank: int = 0, ranks: int = 1) -> Iterator[RawGraph]:
        """The edges in an equal share of the rows, in pieces. There is one even without rows."""
        first, last = (self.rows * number // ranks for number in (rank, rank + 1))
        check_fits(self.path, EACH * (last - first))
        before = done = 0
        if shown := SHOWN.get():
            shown.begin(f"reading {self.path.name}", last - first, "rows")
        for file, rows in zip(self.files, self._rows, strict=True):
            begin, end = max(first - before, 0), min(last - before, rows)
            if begin < end:
                with explained(file, "Parquet"):
                    for piece in self._read(file, begin, end):
                        done += len(piece.src)
                        if shown:
                            shown.at(done)
                        yield piece
            before += rows
        if not done:
            yield self._parsed(self.path, self._schema.empty_table().select(self._names), 0)

    def _read(self, file: Path, begin: int, end: int) -> Iterator[RawGraph]:
        """The edges in some rows of a file."""
        import pyarrow

        data, at = self._opened(file), 0
        for number in range(data.metadata.num_row_groups):
            rows = data.metadata.row_group(number).num_rows
            kept, size, start = [], 0, max(begin, at)
            if begin < at + rows and at < end:
                place = at
                for batch in data.iter_batches(BATCH, [number], self._names):
                    low, high = max(begin - place, 0), min(end - place, batch.num_rows)
                    place += batch.num_rows
                    if low < high:
                        kept.append(batch.slice(low, high - low))
                        size += high - low
                    if kept and (size >= PIECE or place == at + rows):
                        yield self._parsed(file, pyarrow.Table.from_batches(kept), start)
                        start, kept, size = start + size, [], 0
                if kept:
                    yield self._parsed(file, pyarrow.Table.from_batches(kept), start)
            at += rows

    def _parsed(self, file: Path, table: Any, row: int) -> RawGraph:
        columns = unpacked(table)
        del table
        source = self._source(file, len(next(iter(columns.values()))), columns)
        return checked_piece(parsed_rows(source, self._layout, row))

    def _source(self, path: Path, rows: int, columns: dict[str, Any]) -> Source:
        return Source(str(path), self._schema, rows, lambda _: columns, FormatError)

    @property
    def _names(self) -> list[str]:
        """The columns to read."""
        return [self._layout.tail, self._layout.head, *self._layout.fields.values()]

    def _opened(self, file: Path) -> Any:
        return self._parquet.ParquetFile(
            file, memory_map=True, pre_buffer=False, page_checksum_verification=True
        )


def files_of(path: Path) -> list[Path]:
    """The file, or the Parquet files in a folder and in those inside of it, by their names.

    Raises:
        FormatError: there is none.
    """
    if not path.is_dir():
        return [path]
    files = [
        file
        for file in sorted(path.rglob("*"))
        if file.suffix.lower() in SUFFIXES and not file.name.startswith((".", "_"))
    ]
    if not files:
        raise FormatError(
            f"{path} is a folder without Parquet files ({', '.join(SUFFIXES)}); name a file, or a "
            "folder of Parquet files"
        )
    return files


def _columns(schema: Any) -> list[str]:
    types = ["text" if is_text(field.type) else str(field.type) for field in schema]
    return [f"{name} ({kind})" for name, kind in zip(schema.names, types, strict=True)]
