"""Edges on disk, which a reader fills row by row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from gascl.errors import FormatError
from gascl.graph.parallel import in_threads
from gascl.io.arrow_csv import load_pandas
from gascl.io.outofcore.disk_array import DiskArray
from gascl.io.outofcore.id_bitmap import IdBitmap
from gascl.util.progress import Progress


@dataclass(frozen=True)
class Spooled:
    """The properties of a file whose edges a reader has put into an `EdgeSpool`.

    Attributes:
        directed: whether they are.
        both_ways: each edge is to become two.
        report: as in `RawGraph`, all but the lines of `end`.
        num_vertices: if the ids are the vertices; None: the ids become labels.
        announced: the numbers of vertices and edges that a comment declares.
        says: that comment.
        binding: it must be right.
        end: the last lines of the report.
        bools: the names of the fields that are bools.
    """

    directed: bool
    report: list[str]
    both_ways: bool = False
    num_vertices: int | None = None
    announced: tuple[int, int] | None = None
    says: str = ""
    binding: bool = False
    end: list[str] = field(default_factory=list)
    bools: list[str] = field(default_factory=list)


class EdgeSpool:
    """Ids and fields of edges, in files of a folder.

    Args:
        folder: also for other files, as long as edges are made.
        room: the bytes of memory that this may take.

    Attributes:
        src, dst: the ids, if they are integers.
        used: which of these occur, if a table of all that are possible is small.
        texts: the ids, if they are text: a Parquet file of columns "src" and "dst".
        fields: by name.
        loops: the number of self-loops.
        first_loop: the row of the first.
        vertices: the ids are vertices, so that no bitmap is kept; set by the reader that fills the
            spool.
    """

    #: Of the room, for `used`: while it grows there are two, and 4 bytes an id number them later.
    SHARE = 10

    def __init__(self, folder: Path, progress: Progress, room: int):
        self.folder, self.progress, self.room = folder, progress, room
        self.texts: Path | None = None
        self._texts: Any = None
        self.fields: dict[str, DiskArray] = {}
        self.rows = 0
        self.vertices = False
        self.restart()

    def restart(self) -> None:
        """Forget everything."""
        self.close()
        for array in self.fields.values():
            array.delete()
        self.src = DiskArray(self.folder / "src.ids", np.int32)
        self.dst = DiskArray(self.folder / "dst.ids", np.int32)
        self.texts, self._texts, self.fields, self.rows = None, None, {}, 0
        self.used = IdBitmap(self.room // self.SHARE)
        self.loops, self.first_loop = 0, 0

    def take(self, src: Any, dst: Any, fields: Mapping[str, np.ndarray]) -> None:
        """Add edges.

        Args:
            src, dst: (n,) integers, or pyarrow arrays of large_string.
            fields: name -> (n,) numbers, always of the same names.
        """
        if isinstance(src, np.ndarray):
            self._take_integers(src, dst)
        else:
            self._take_texts(src, dst)
        for number, (name, values) in enumerate(fields.items()):
            if name not in self.fields:
                self.fields[name] = DiskArray(self.folder / f"field{number}.raw", values.dtype)
            self.fields[name].append(values)
        self.rows += len(src)
        self.progress.advance(len(src))

    def _take_integers(self, src: np.ndarray, dst: np.ndarray) -> None:
        if not len(src):
            return
        bounds = [int(bound) for ids in (src, dst) for bound in (ids.min(), ids.max())]
        least, most = min(bounds), max(bounds)
        if most >= 2**63:
            raise FormatError(
                f"the id {most} is above 2^63 - 1; give the ids as text, or convert the file "
                "without --memory"
            )
        limits = np.iinfo(np.int32)
        fits = limits.min <= least and most <= limits.max
        if not self.vertices:
            self.used.reserve(least, most)
        self._count_loops(src == dst)

        def put(end: tuple[np.ndarray, DiskArray]) -> None:
            ids, file = end
            narrow = ids.astype(np.int32 if fits else np.int64, copy=False)
            if not self.vertices:
                self.used.mark(narrow)
            file.append(narrow)

        in_threads(put, ((src, self.src), (dst, self.dst)))

    def _count_loops(self, loops: np.ndarray) -> None:
        """Count the self-loops among the next rows."""
        count = int(np.count_nonzero(loops))
        if count and not self.loops:
            self.first_loop = self.rows + int(np.argmax(loops))
        self.loops += count

    def _take_texts(self, src: Any, dst: Any) -> None:
        import pyarrow
        from pyarrow import compute, parquet

        load_pandas()
        table = pyarrow.table({"src": src, "dst": dst})
        for column in table.columns:
            # NumPy's text does not tell them from those without.
            if compute.any(compute.ends_with(column, "\0")).as_py():
                raise FormatError("an id ends with a NUL; rename it")
        self._count_loops(compute.equal(src, dst).to_numpy(zero_copy_only=False))
        if self._texts is None:
            self.texts = self.folder / "ids.parquet"
            options = {"compression": "snappy", "write_statistics": False, "use_dictionary": False}
            self._texts = parquet.ParquetWriter(self.texts, table.schema, **options)
        self._texts.write_table(table)

    def close(self) -> None:
        """All edges are there."""
        if self._texts is not None:
            self._texts.close()
            self._texts = None
        for array in (*([self.src, self.dst] if self.rows else ()), *self.fields.values()):
            array.close()


def text_batches(path: Path) -> Iterator[Any]:
    """The ids in such a Parquet file, as record batches of "src" and "dst"."""
    from pyarrow import parquet

    with path.open("rb") as file:
        yield from parquet.ParquetFile(file, pre_buffer=False).iter_batches(1 << 17)
