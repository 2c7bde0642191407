"""Edges as gascl's own .npz, for graphs that do not fit in memory.

The file is that which `Graph.write` makes of the same graph in memory, and so is the report. Edges
go through files of a work folder in stages: they are read or generated, their ids are numbered,
policies are applied, arcs are sorted. A stage that is finished is not repeated by another run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from gascl.errors import FormatError, GraphError
from gascl.graph import validation
from gascl.graph.arcs import index_dtype
from gascl.graph.field_types import Bools
from gascl.graph.fingerprint import Canonical, canonical_text, fingerprint
from gascl.graph.parallel import in_order
from gascl.graph.validation import Duplicates, SelfLoops
from gascl.io.formats import native
from gascl.io.formats.edge_list import check_announced
from gascl.io.outofcore.disk_array import BLOCK, DiskArray
from gascl.io.outofcore.duckdb_sort import DuckDBSort
from gascl.io.outofcore.id_map import IdMap, MappedIds
from gascl.io.outofcore.job_dir import JobDir
from gascl.io.outofcore.source import EdgeSource
from gascl.io.outofcore.spool import EdgeSpool, Spooled, text_batches
from gascl.util.progress import Progress
from gascl.version import __version__

LEAST = 512 << 20  # bytes
#: The version of the files and records of the stages. Those of another version are deleted, and the
#: work starts over.
LAYOUT = 2
#: Bytes that Python, its libraries and the blocks in flight take besides sorting, measured.
BASE = 384 << 20


@dataclass(frozen=True)
class Written:
    """The graph that was written, and the stages that an earlier run had finished."""

    num_vertices: int
    num_edges: int
    directed: bool
    report: list[str]
    found: list[str]


class Conversion:
    """Edges on their way into gascl's own .npz.

    Args:
        source: where they come from.
        target: the file.
        memory: the limit in bytes, at least LEAST; files that are mapped do not count.
        arcs: write the arcs, too, as `Graph.write` does.

    Raises:
        FormatError: `memory` is too little, or DuckDB is needed and not installed.
        GraphError: the source refuses.
    """

    def __init__(
        self,
        source: EdgeSource,
        target: Path,
        memory: int,
        *,
        arcs: bool = False,
        duplicates: Duplicates = "keep",
        self_loops: SelfLoops = "keep",
        progress: Progress | None = None,
    ):
        if memory < LEAST:
            raise FormatError(
                f"--memory is {memory:,} bytes, and a conversion in files takes at least "
                f"{LEAST >> 20} MiB: give that or more"
            )
        validation.check_policy("duplicates", duplicates, Duplicates)
        validation.check_policy("self_loops", self_loops, SelfLoops)
        self.source, self.target = source, target
        self._room = memory - BASE
        self._arcs = arcs
        self._duplicates, self._self_loops = duplicates, self_loops
        self._progress = progress or Progress()
        source.check(self.folder, self._room)
        self._identity = {
            "gascl": __version__,
            "layout": LAYOUT,
            **source.identity(),
            "policies": [duplicates, self_loops],
        }
        if arcs or duplicates != "keep" or not source.numbered:
            # Before any work: it says what is missing.
            DuckDBSort(target.parent, self._room).close()

    @property
    def folder(self) -> Path:
        """Where the work is kept until it is done."""
        return self.target.with_name(f"{self.target.name}.unfinished")

    def run(self) -> Written:
        """Write the target and delete the folder.

        Raises:
            FormatError, GraphError: as `Graph.read` and `Graph.write`; or there is no room for the
                folder. Finished stages stay there.
        """
        self._work = JobDir(self.folder, self._identity)
        try:
            done = self._run()
        except GraphError as error:
            if not self._work.finished:
                self._work.remove()
            if str(error).startswith(self.source.name):
                raise
            raise type(error)(f"{self.source.name}: ", error.message) from error
        except OSError as error:
            raise FormatError(
                f"{self.folder}: {error.strerror or error}; what is finished stays there: make "
                "room, and run the same command again"
            ) from error
        self._work.remove()
        return done

    def _run(self) -> Written:
        work = self._work
        read = work.stage("read", self._read)
        spooled = Spooled(**read["spooled"])
        numbered = work.stage("numbering", lambda: self._number(read, spooled))
        used = {numbered[end]["file"] for end in ENDS}
        work.delete(*{"src.ids", "dst.ids", "ids.parquet"} - used)
        count = numbered["num_vertices"]
        announced = check_announced(self.source.name, spooled, count, read["rows"])
        kept = work.stage("policies", lambda: self._apply(read, numbered, spooled.directed))
        members: dict[str, Any] = {f"edge_{end}": work.array(kept[end]) for end in ENDS}
        members |= {name: work.array(array) for name, array in numbered["labels"].items()}
        members |= {f"edge.{name}": work.array(array) for name, array in kept["fields"].items()}
        places: dict[str, dict[str, str]] = {}
        identified: str | None = None
        if self._arcs:
            direction = "out" if spooled.directed else "both"
            places[direction] = self._place_arcs(
                members, count, spooled.directed, f"arcs.{direction}"
            )
            identity = work.stage("fingerprint", lambda: self._identify(members, count, spooled))
            identified = identity["fingerprint"]
        if numbered["are_ids"]:
            table = IdMap(work.array(read["labels"]))
            members |= {f"edge_{end}": MappedIds(members[f"edge_{end}"], table) for end in ENDS}
        names = list(kept["fields"])
        bools = [name for name in spooled.bools if members[f"edge.{name}"].dtype == np.int8]
        native.save(
            *(self.target, members, count, spooled.directed),
            edge_fields=names,
            types={"edge": {name: Bools() for name in bools}},
            places=places,
            fingerprint=identified,
            progress=self._progress,
        )
        policies = self._reported(read["loops"], kept["merged"])
        report = [*spooled.report, *announced, *spooled.end, *policies]
        return Written(count, len(members["edge_src"]), spooled.directed, report, work.found)

    def _begin(self, title: str, total: int | None = None, unit: str = "edges") -> None:
        """Show what is done now, and of how many edges or others."""
        self._progress.at(0)
        self._progress.begin(title, total, unit)

    def _new(self, name: str, dtype: Any) -> DiskArray:
        return DiskArray(self._work.path / name, np.dtype(dtype))

    def _sort(self) -> DuckDBSort:
        return DuckDBSort(self._work.path, self._room)

    # Reading

    def _read(self) -> dict[str, Any]:
        self._begin(self.source.doing, self.source.num_edges)
        spool = EdgeSpool(self._work.path, self._progress, self._room)
        spooled = self.source.spool(spool)
        spool.close()
        noted = self._work.noted
        labels = None
        if not (spool.vertices or spool.texts or spool.used.lost):
            labels = self._new("labels", np.int64)
            spool.used.write(labels)
        return {
            "spooled": asdict(spooled),
            "rows": spool.rows,
            "texts": spool.texts is not None,
            "labels": None if labels is None else noted(labels),
            "loops": spool.loops,
            "first_loop": spool.first_loop,
            "src": noted(spool.src),
            "dst": noted(spool.dst),
            "fields": {name: noted(array) for name, array in spool.fields.items()},
        }

    # Numbering

    def _number(self, read: dict[str, Any], spooled: Spooled) -> dict[str, Any]:
        work = self._work
        ends: list[Any] = [work.array(read[end]) for end in ENDS]
        labels: dict[str, DiskArray] = {}
        are_ids, copied = False, spooled.both_ways
        if spooled.num_vertices is not None:
            count = spooled.num_vertices
        elif read["labels"] is not None:
            labels["labels"] = work.array(read["labels"])
            count = len(labels["labels"])
            validation.checked_num_vertices({}, count, None)
            if not _is_range(labels["labels"]):
                are_ids = self._needed_once(read, spooled)
                copied = not are_ids
                if copied:
                    table = IdMap(labels["labels"])
                    ends = [MappedIds(end, table) for end in ends]
        else:
            ids = None if read["texts"] else ends
            count, labels, ends = self._number_by_sorting(ids, read["rows"])
            copied = False
        if copied:
            ends = self._copied(ends)
        fields = {name: work.array(array) for name, array in read["fields"].items()}
        if spooled.both_ways:
            fields = self._both_ways(ends, fields)
        return {
            "num_vertices": count,
            "are_ids": are_ids,
            "src": work.noted(ends[0]),
            "dst": work.noted(ends[1]),
            "labels": {name: work.noted(array) for name, array in labels.items()},
            "fields": {name: work.noted(array) for name, array in fields.items()},
        }

    def _needed_once(self, read: dict[str, Any], spooled: Spooled) -> bool:
        """Whether only the writing of the file reads the edges; ids are then numbered while it
        writes."""
        dropped = read["loops"] and self._self_loops != "keep"
        return not (self._arcs or self._duplicates != "keep" or spooled.both_ways or dropped)

    def _copied(self, ends: list[Any]) -> list[DiskArray]:
        """Both ends in files of their own."""
        self._begin("numbering vertices", len(ends[0]))
        copies = [self._new(f"edge_{end}", np.int32) for end in ENDS]
        for pair in zip(*(end.blocks() for end in ends), strict=True):
            for copy, block in zip(copies, pair, strict=True):
                copy.append(block)
            self._progress.advance(len(pair[0]))
        return copies

    def _number_by_sorting(
        self, ids: list[DiskArray] | None, num_edges: int
    ) -> tuple[int, dict[str, DiskArray], list[DiskArray]]:
        """The number of vertices, their labels, and the ends; without `ids`, those that are text.

        Sorted by id, the rows get their numbers, and are then sorted back. A join by hashing would
        need room for all labels.
        """

        def columns() -> Iterator[Any]:
            """All sources, and then all targets."""
            for number in (0, 1):
                if ids is None:
                    for batch in text_batches(self._work.path / "ids.parquet"):
                        yield batch.column(number)
                else:
                    for block in ids[number].blocks():
                        yield block.astype(np.int64)

        # Both ends of each edge are given to be sorted, and come back, twice.
        self._begin("numbering vertices", 8 * num_edges, "ids")

        def numbered() -> Iterator[dict[str, Any]]:
            row = 0
            for column in columns():
                yield {"id": column, "place": np.arange(row, row + len(column))}
                row += len(column)
                self._progress.advance(len(column))

        labels = _Labels(self._new, text=ids is None)
        rows, vertices = self._new("sorted.rows", np.int64), self._new("sorted.ids", np.int32)
        sort = self._sort()
        for batch in sort.arrow("SELECT id, place FROM ids ORDER BY id", ids=numbered()):
            vertices.append(labels.number(batch.column(0)))
            rows.append(batch.column(1).to_numpy())
            self._progress.advance(batch.num_rows)
        validation.checked_num_vertices({}, labels.count, None)

        def back() -> Iterator[dict[str, np.ndarray]]:
            for place, vertex in zip(rows.blocks(), vertices.blocks(), strict=True):
                yield {"place": place, "vertex": vertex}
                self._progress.advance(len(place))

        ends = [self._new(f"edge_{end}", np.int32) for end in ENDS]
        for (found,) in sort.batches("SELECT vertex FROM rows ORDER BY place", rows=back()):
            self._progress.advance(len(found))
            left = num_edges - len(ends[0])
            ends[0].append(found[:left])
            ends[1].append(found[left:])
        sort.close()
        for array in (rows, vertices):
            array.delete()
        return labels.count, labels.members(), ends

    def _both_ways(
        self, ends: list[DiskArray], fields: dict[str, DiskArray]
    ) -> dict[str, DiskArray]:
        """The fields of the edges and of their reverses, which are put behind the ends."""
        twice = {}
        for number, (name, values) in enumerate(fields.items()):
            twice[name] = both = self._new(f"both{number}", values.dtype)
            for block in values.blocks():
                both.append(block)
            for block, src, dst in zip(values.blocks(), *(e.blocks() for e in ends), strict=True):
                both.append(block[src != dst])
        for src, dst in zip(*(end.blocks() for end in ends), strict=True):
            across = src != dst
            ends[0].append(dst[across])
            ends[1].append(src[across])
        return twice

    # Policies

    def _apply(
        self, read: dict[str, Any], numbered: dict[str, Any], directed: bool
    ) -> dict[str, Any]:
        """Self-loops and duplicates, as `validation.Edges` has them."""
        array, noted = self._work.array, self._work.noted
        src, dst = array(numbered["src"]), array(numbered["dst"])
        fields = {name: array(values) for name, values in numbered["fields"].items()}
        if loops := read["loops"]:
            if self._self_loops == "error":
                label = self._label(numbered, int(src.at(read["first_loop"])))
                raise validation.loop_refused(read["first_loop"], label, loops)
            if self._self_loops == "drop":
                src, dst, fields = self._without_loops(src, dst, fields)
        merged = 0
        if self._duplicates != "keep" and len(src):
            self._begin("merging parallel edges", 2 * len(src))  # given to be sorted, and back
            src, dst, fields, merged = self._merged(numbered, src, dst, fields, directed)
        return {
            "src": noted(src),
            "dst": noted(dst),
            "fields": {name: noted(values) for name, values in fields.items()},
            "merged": merged,
        }

    def _reported(self, loops: int, merged: int) -> list[str]:
        """The lines of the report about self-loops and merged edges."""
        loops_line = validation.loops_reported(loops, self._self_loops != "drop")
        merges_line = validation.merges_reported(merged, self._duplicates)
        return [loops_line] * (loops > 0) + [merges_line] * (merged > 0)

    def _label(self, numbered: dict[str, Any], vertex: int) -> Any:
        """The label of a vertex."""
        labels = {name: self._work.array(array) for name, array in numbered["labels"].items()}
        if not labels:
            return vertex
        if "labels" in labels:
            return labels["labels"].at(vertex)
        begin, end = (int(labels["labels.offsets"].at(vertex + place)) for place in (0, 1))
        with labels["labels.utf8"].path.open("rb") as file:
            file.seek(begin)
            return file.read(end - begin).decode()

    def _without_loops(
        self, src: DiskArray, dst: DiskArray, fields: dict[str, DiskArray]
    ) -> tuple[DiskArray, DiskArray, dict[str, DiskArray]]:
        arrays = [src, dst, *fields.values()]
        left = [self._new(f"unlooped{n}", array.dtype) for n, array in enumerate(arrays)]
        for blocks in zip(*(array.blocks() for array in arrays), strict=True):
            across = blocks[0] != blocks[1]
            for array, block in zip(left, blocks, strict=True):
                array.append(block[across])
        return left[0], left[1], dict(zip(fields, left[2:], strict=True))

    def _merged(
        self,
        numbered: dict[str, Any],
        src: DiskArray,
        dst: DiskArray,
        fields: dict[str, DiskArray],
        directed: bool,
    ) -> tuple[DiskArray, DiskArray, dict[str, DiskArray], int]:
        """One edge of each group between the same ends, in the place of the first, and the number
        of edges that were merged into these."""
        from pyarrow import parquet
        from pyarrow import table as table_of

        arrays = [src, dst, *fields.values()]
        names = ["src", "dst", *(f"field{number}" for number in range(len(fields)))]

        def rows() -> Iterator[dict[str, np.ndarray]]:
            row = 0
            for blocks in zip(*(array.blocks() for array in arrays), strict=True):
                low, high = blocks[:2]
                if not directed:
                    low, high = np.minimum(low, high), np.maximum(low, high)
                place = np.arange(row, row + len(low))
                yield {
                    "key": _pairs(low, high),
                    "row": place,
                    **dict(zip(names, blocks, strict=True)),
                }
                row += len(low)
                self._progress.advance(len(low))

        path, writer, count, worst = self._work.path / "merged.parquet", None, 0, None
        sort = self._sort()
        columns = ", ".join(["key", "row", *names])
        for key, row, *values in _whole_groups(
            sort.batches(f"SELECT {columns} FROM edges ORDER BY key, row", edges=rows())
        ):
            self._progress.advance(len(key))
            begins = np.append(True, key[1:] != key[:-1])
            starts = np.flatnonzero(begins)
            repeats = len(key) - len(starts)
            count += repeats
            if repeats and self._duplicates == "error":
                group = np.cumsum(begins) - 1
                again = np.flatnonzero(~begins)
                place = again[np.argmin(row[again])]
                ends = [int(values[0][place]), int(values[1][place])]
                found = (int(row[place]), int(row[starts[group[place]]]), ends)
                worst = found if worst is None else min(worst, found)
                continue
            longest = int(np.diff(starts, append=len(key)).max())
            merged = [v[starts] for v in values[:2]]
            for name, given in zip(fields, values[2:], strict=True):
                merged.append(validation.merged(name, given, starts, longest, self._duplicates))
            table = table_of([row[starts], *merged], names=["row", *names])
            writer = writer or parquet.ParquetWriter(path, table.schema, compression="snappy")
            writer.write_table(table)
        if writer is not None:
            writer.close()
        if worst is not None:
            edge, first, ends = worst
            labels = [self._label(numbered, end) for end in ends]
            raise validation.repeat_refused(edge, labels, first, count)
        if not count:
            sort.close()
            return src, dst, fields, 0
        quoted = str(path).replace("'", "''")
        query = f"SELECT {', '.join(names)} FROM read_parquet('{quoted}') ORDER BY row"
        left: list[DiskArray] = []
        for blocks in sort.batches(query):
            left = left or [self._new(f"merged{n}", b.dtype) for n, b in enumerate(blocks)]
            for array, block in zip(left, blocks, strict=True):
                array.append(block)
        sort.close()
        self._work.delete(path.name)
        return left[0], left[1], dict(zip(fields, left[2:], strict=True)), count

    # Arcs

    def _place_arcs(
        self, members: dict[str, DiskArray], count: int, directed: bool, name: str
    ) -> dict[str, str]:
        """Add the arrays of the arcs to the members; where each is."""
        work = self._work
        ends = [members["edge_src"], members["edge_dst"]]
        places = {}
        orders = [("out", "targets", ends, "edge_dst")]
        if directed:
            orders.append(("in", "sources", ends[::-1], "edge_src"))
        for side, other, (row, end), same in orders:
            made = work.stage(
                f"arcs {side}",
                partial(self._order, row, end, count, side, not directed),
            )
            offsets, sorted_ends = f"{side}_offsets", f"{side}_{other}"
            members[f"{name}.{offsets}"] = work.array(made["offsets"])
            places[offsets], places[sorted_ends] = f"{name}.{offsets}", same
            if made["ends"] is not None:
                places[sorted_ends] = f"{name}.{sorted_ends}"
                members[places[sorted_ends]] = work.array(made["ends"])
        if not directed:  # the two orders are one
            places |= {"in_offsets": places["out_offsets"], "in_sources": places["out_targets"]}
        return places

    def _identify(
        self, members: dict[str, DiskArray], count: int, spooled: Spooled
    ) -> dict[str, str]:
        """The graph's fingerprint."""
        ends = [members["edge_src"], members["edge_dst"]]
        self._begin("identifying the graph", len(ends[0]))
        labels: Canonical | None = None
        if "labels.utf8" in members:
            encoded = members["labels.utf8"], members["labels.offsets"]
            longest = max(max(map(len, part), default=0) for part in _texts(*encoded))
            labels = canonical_text(longest, _texts(*encoded))
        elif "labels" in members:
            kept = members["labels"]
            if kept.dtype.kind == "U":
                labels = canonical_text(kept.dtype.itemsize // 4, kept.blocks())
            else:
                labels = kept.dtype.str, (block.data for block in kept.blocks())

        def blocks(end: DiskArray) -> Iterator[np.ndarray]:
            for block in end.blocks():
                yield block
                self._progress.advance(len(block) // 2)

        num_edges = len(ends[0])
        made = fingerprint(count, spooled.directed, num_edges, map(blocks, ends), labels)
        return {"fingerprint": made}

    def _looked_at(self, row: DiskArray, end: DiskArray) -> tuple[int, bool]:
        """The number of self-loops, and whether the pairs are in order."""
        self._begin("looking for self-loops", len(row))
        loops, rises, last = 0, True, -1
        for a, b in zip(row.blocks(), end.blocks(), strict=True):
            loops += int(np.count_nonzero(a == b))
            if rises:
                keys = _pairs(a, b)
                rises = bool(keys[0] >= last and (keys[1:] >= keys[:-1]).all())
                last = keys[-1]
            self._progress.advance(len(a))
        return loops, rises

    def _order(
        self, row: DiskArray, end: DiskArray, count: int, side: str, both: bool
    ) -> dict[str, Any]:
        """Offsets and ends of the pairs, sorted; the ends are None if they are given in order."""
        loops, rises = self._looked_at(row, end)
        num_arcs = 2 * len(row) - loops if both else len(row)
        offsets = self._new(f"{side}.offsets", index_dtype(num_arcs))
        if not both and rises:
            _write_offsets(offsets, row.blocks(), count, num_arcs)
            return {"offsets": self._work.noted(offsets), "ends": None}

        # Given to be sorted, and back.
        self._begin(f"sorting arcs ({side})", 2 * num_arcs, "arcs")
        bits = max(count - 1, 1).bit_length()

        def pairs(blocks: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
            a, b = blocks
            keys = _pairs(a, b, bits)
            if both:
                across = a != b
                keys = np.concatenate([keys, _pairs(b[across], a[across], bits)])
            return keys

        def keys() -> Iterator[dict[str, np.ndarray]]:
            for found in in_order(pairs, zip(row.blocks(), end.blocks(), strict=True)):
                yield {"key": found}
                self._progress.advance(len(found))

        ends = self._new(f"{side}.ends", np.int32)
        sort = self._sort()

        def rows() -> Iterator[np.ndarray]:
            for (found,) in sort.batches("SELECT key FROM keys ORDER BY key", keys=keys()):
                ends.append((found & ((1 << bits) - 1)).astype(np.int32))
                self._progress.advance(len(found))
                yield (found >> bits).astype(np.int32)

        _write_offsets(offsets, rows() if len(row) else (), count, num_arcs)
        sort.close()
        return {"offsets": self._work.noted(offsets), "ends": self._work.noted(ends)}


ENDS = ("src", "dst")


def _is_range(labels: DiskArray) -> bool:
    """Whether labels in order are the vertices."""
    count = len(labels)
    return not count or (labels.at(0) == 0 and labels.at(count - 1) == count - 1)


class _Labels:
    """The labels of vertices, from all ids in order.

    Args:
        new: makes a DiskArray of a name and a dtype.
        text: whether the ids are text.

    Attributes:
        count: of the labels found.
    """

    def __init__(self, new: Callable[[str, Any], DiskArray], text: bool):
        self._new, self._text = new, text
        self.count, self._last, self._longest = 0, None, 1
        self._values = new("labels.utf8", np.uint8) if text else new("labels", np.int64)
        self._offsets = new("labels.offsets", np.int64)
        self._offsets.append(np.zeros(1, np.int64))

    def number(self, ids: Any) -> np.ndarray:
        """int32 (n,): the vertices of the next ids, an array of pyarrow's."""
        from pyarrow import compute

        first = np.ones(len(ids), bool)
        first[1:] = compute.not_equal(ids[1:], ids[:-1]).to_numpy(zero_copy_only=False)
        first[0] = self._last is None or ids[0] != self._last
        self._last = ids[-1]
        vertices = np.cumsum(first) + (self.count - 1)
        self.count += int(np.count_nonzero(first))
        new = ids.take(np.flatnonzero(first))
        if not self._text:
            self._values.append(new.to_numpy())
        elif len(new):
            self._longest = max(self._longest, compute.max(compute.utf8_length(new)).as_py())
            texts = [label.encode() for label in new.to_pylist()]
            lengths = np.fromiter(map(len, texts), np.int64, len(texts))
            self._offsets.append(len(self._values) + np.cumsum(lengths))
            self._values.append(np.frombuffer(b"".join(texts), np.uint8))
        return vertices.astype(np.int32)

    def members(self) -> dict[str, DiskArray]:
        """The members that hold the labels."""
        if not self._text:
            return {"labels": self._values}
        if native.joins(len(self._values), self.count, self._longest):
            return {"labels.utf8": self._values, "labels.offsets": self._offsets}
        labels = self._new("labels", f"U{self._longest}")
        self._offsets.close()
        self._values.close()
        for texts in _texts(self._values, self._offsets):
            labels.append(np.array(texts, labels.dtype))
        return {"labels": labels}


def _texts(encoded: DiskArray, offsets: DiskArray) -> Iterator[list[str]]:
    """Text that is stored as joined UTF-8, some at a time."""
    begin = -1
    with encoded.path.open("rb") as file:
        for block in offsets.blocks():
            bounds = block if begin < 0 else np.concatenate([[begin], block])
            yield [file.read(size).decode() for size in np.diff(bounds).tolist()]
            begin = int(block[-1])


def _pairs(row: np.ndarray, end: np.ndarray, bits: int = 32) -> np.ndarray:
    """int64 (n,): the pairs as numbers, row before end, which takes so many bits."""
    keys = row.astype(np.int64)
    keys <<= bits
    keys |= end
    return keys


def _write_offsets(
    offsets: DiskArray, rows: Iterable[np.ndarray], count: int, num_pairs: int
) -> None:
    """Append count + 1 offsets of sorted rows, which come block by block."""
    begin = vertex = 0  # rows seen, and offsets written
    for block in rows:
        last = int(block[-1]) + 1
        for at in range(vertex, last, BLOCK):
            wanted = np.arange(at, min(at + BLOCK, last), dtype=block.dtype)
            places = np.searchsorted(block, wanted) + begin
            offsets.append(places.astype(offsets.dtype))
        begin, vertex = begin + len(block), max(vertex, last)
    for at in range(vertex, count + 1, BLOCK):
        offsets.append(np.full(min(BLOCK, count + 1 - at), num_pairs, offsets.dtype))


def _whole_groups(batches: Iterable[list[np.ndarray]]) -> Iterator[list[np.ndarray]]:
    """The batches, cut where the first column changes, so that no group is in two of them."""
    kept: list[np.ndarray] | None = None
    for batch in batches:
        if kept is not None:
            batch = [np.concatenate(pair) for pair in zip(kept, batch, strict=True)]
        cut = int(np.searchsorted(batch[0], batch[0][-1]))
        if cut:
            yield [column[:cut] for column in batch]
        kept = [column[cut:] for column in batch]
    if kept is not None:
        yield kept
