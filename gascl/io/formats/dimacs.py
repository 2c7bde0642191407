"""DIMACS shortest paths: graphs in `.gr` files and their coordinates in `.co` files.

9th DIMACS Implementation Challenge: Shortest Paths, "File formats", 2006.
"""

from __future__ import annotations

import os
import re
from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gascl.errors import FormatError
from gascl.graph.arcs import INT32_MAX
from gascl.graph.edge_data import Parsed
from gascl.graph.parallel import extremes, filled, joined
from gascl.io.files import PACKED, created_together, opened, plain, unended
from gascl.io.format import Format, check_integers, check_limits
from gascl.io.text_lines import INT64, LineReader, blocks, integer, integers, shown
from gascl.io.text_numbers import Irregular, read_columns
from gascl.messages import Message, Option
from gascl.util.paths import checked_path

if TYPE_CHECKING:
    from gascl.graph.graph import Graph

NAME = "DIMACS (.gr)"
ROWS = 1 << 18  # written at once


@dataclass(frozen=True)
class Kind:
    """One of the two files: its problem line, and its rows of a letter, vertices and numbers."""

    problem: str  # the start of the problem line
    sizes: str  # the rest of it
    row: str
    ids: int  # how many of the three columns are vertices


GRAPH = Kind("p sp", "VERTICES ARCS", "a SOURCE TARGET WEIGHT", 2)
COORDINATES = Kind("p aux sp co", "VERTICES", "v VERTEX X Y", 1)


def read(
    path: Path, directed: bool | None, coordinates: str | os.PathLike[str] | bool | None = None
) -> Parsed:
    """Read a graph: directed, with the field "weight", int64; the file numbers vertices from 1.

    Args:
        directed: False makes each arc an undirected edge; for a file that has each edge in both
            directions, add duplicates="first".
        coordinates: a file of coordinates, which become the vertex field "coordinates", int64
            (V, 2). By default the file of the same name with .co instead of .gr, compressed or not,
            if there is one; False reads none.

    Raises:
        FormatError: a file is damaged, or its header does not match its rows; names the line.
    """
    table = _Table(path, GRAPH).read()
    num_vertices = table.sizes[0]
    src, dst, weight = table.columns()
    report = [f"DIMACS: arcs: {len(src):,}; comment lines skipped: {table.comments:,}"]
    report.append("ids, which start at 1, became vertices from 0; the third number is the weight")
    report += unended(path)
    if directed is False:
        report.append(Message(Option("directed", False), ": every arc became an undirected edge"))
    vertex_fields = {}
    beside = _coordinates_of(path, coordinates)
    if beside is not None:
        vertex_fields["coordinates"] = _read_coordinates(beside, num_vertices)
        report += [f"coordinates read from {beside}", *unended(beside)]
    return Parsed(
        src=src,
        dst=dst,
        num_vertices=num_vertices,
        directed=directed is not False,
        fields={"weight": weight},
        report=report,
        vertex_fields=vertex_fields,
    )


def write(path: Path, graph: Graph) -> None:
    """Write a directed graph with the integer field "weight", and its vertex field "coordinates",
    integers (V, 2), to a file of the same name with the extension .co.

    Raises:
        FormatError: the format cannot hold the graph, or a .co file of another graph would be taken
            for its coordinates.
    """
    check_limits(
        path,
        graph,
        NAME,
        directed=True,
        edge_fields=["weight"],
        vertex_fields=["coordinates"],
    )
    if "weight" not in graph.edge_fields:
        raise FormatError(
            f"{path}: {NAME} needs a weight for every arc, and this graph has no edge field "
            "'weight'; add one, e.g. of ones, or write another format"
        )
    weight = graph.edge_fields["weight"]
    check_integers(path, NAME, "the edge field 'weight'", weight, INT64.min, INT64.max)
    points = graph.vertex_fields.get("coordinates")
    target = _beside(path)[path.suffix.lower() if plain(path) != path else ""]
    if points is not None:
        if points.shape != (graph.num_vertices, 2):
            raise FormatError(
                f"{path}: {NAME} has two coordinates per vertex, and the vertex field "
                "'coordinates' "
                f"has the shape {points.shape}; give it ({graph.num_vertices}, 2)"
            )
        check_integers(path, NAME, "the vertex field 'coordinates'", points, INT64.min, INT64.max)
    if plain(target) == plain(path):
        raise FormatError(f"{path}: .co files hold coordinates; write the graph to a .gr file")
    for other in _beside(path).values():
        if other.exists() and (points is None or other != target):
            raise FormatError(
                f"{path}: {other} exists and would be read as this graph's coordinates; move it, "
                "or write the graph under another name"
            )
    with created_together(path, *([] if points is None else [target])) as (file, *others):
        file.write(f"p sp {graph.num_vertices} {graph.num_edges}\n".encode())
        columns = (graph.edge_src, graph.edge_dst, weight)
        for at in range(0, graph.num_edges, ROWS):
            rows = zip(*(column[at : at + ROWS].tolist() for column in columns), strict=True)
            file.write("".join(f"a {u + 1} {v + 1} {w}\n" for u, v, w in rows).encode())
        if points is not None:
            others[0].write(f"p aux sp co {graph.num_vertices}\n".encode())
            for at in range(0, len(points), ROWS):
                pairs = enumerate(points[at : at + ROWS].tolist(), start=at + 1)
                others[0].write("".join(f"v {v} {x} {y}\n" for v, (x, y) in pairs).encode())


def _beside(path: Path) -> dict[str, Path]:
    """Where the coordinates of the graph in `path` may be, by the suffix of the compression."""
    unpacked = plain(path).with_suffix(".co")
    return {suffix: unpacked.with_name(unpacked.name + suffix) for suffix in ("", *PACKED)}


def _coordinates_of(path: Path, named: str | os.PathLike[str] | bool | None) -> Path | None:
    if named is False:
        return None
    if named is not None and named is not True:
        return checked_path(named, "coordinates=")
    there = [beside for beside in _beside(path).values() if beside.exists() and beside != path]
    if len(there) > 1:
        names = " and ".join(beside.name for beside in there)
        raise FormatError(
            f"{path}: both {names} exist; name one with ", Option("coordinates", of="reader")
        )
    if named and not there:
        raise FormatError(
            f"{path}: there is no {_beside(path)[''].name} beside it; name the file with ",
            Option("coordinates", of="reader"),
        )
    return there[0] if there else None


def _read_coordinates(path: Path, num_vertices: int) -> np.ndarray:
    """int64 (V, 2)."""
    table = _Table(path, COORDINATES).read()
    if table.sizes[0] != num_vertices:
        raise FormatError(
            f"{path}: these are the coordinates of {table.sizes[0]:,} vertices, and the graph has "
            f"{num_vertices:,}; name the right file with ",
            Option("coordinates", of="reader"),
            ", or read none with ",
            Option("coordinates", False, of="reader"),
        )
    vertex, x, y = table.columns()
    times = np.bincount(vertex, minlength=num_vertices)  # there are as many rows as vertices
    if (times != 1).any():
        wrong = int(np.argmax(times != 1))
        raise FormatError(
            f"{path}: vertex {wrong + 1} has {times[wrong]} rows of coordinates instead of one; "
            "correct the file, or read the graph with ",
            Option("coordinates", False, of="reader"),
        )
    points = np.empty((num_vertices, 2), dtype=np.int64)
    points[vertex, 0], points[vertex, 1] = x, y
    return points


@dataclass
class _Table:
    """The rows of a file as they are read. Blocks in which every line is as expected go through
    NumPy, others line by line, to name the line that is wrong."""

    path: Path
    kind: Kind
    sizes: list[int] = field(default_factory=list)  # from the problem line; empty before it
    comments: int = 0
    _parts: list[tuple[np.ndarray, ...]] = field(default_factory=list)

    def read(self) -> _Table:
        """Read the whole file.

        Raises:
            FormatError: a line is wrong, or there are not as many rows as announced.
        """
        if not self._read_rows():
            self.sizes, self.comments = [], 0
            self._read_blocks()
        if not self.sizes:
            raise FormatError(
                f"{self.path}: it has no problem line; expected '{self.kind.problem} "
                f"{self.kind.sizes}' before the rows: write one, or name the file's format"
            )
        count = sum(len(part[0]) for part in self._parts)
        if count != self.sizes[-1]:
            raise FormatError(
                f"{self.path}: the problem line declares {self.sizes[-1]:,} rows "
                f"'{self.kind.row}', and the file has {count:,}; fetch the file again, or correct "
                "the line"
            )
        return self

    def _read_rows(self) -> bool:
        """Read the whole file in columns; False if a line is not as expected."""
        letter = ord(self.kind.row[0])
        comments: list[int] = []

        def prepared(piece: bytes) -> bytes:
            """The piece without comments, in which every row begins with the letter."""
            while True:
                text = np.frombuffer(piece + b"\n\n", np.uint8)
                starts = np.flatnonzero(text[:-2] == ord("\n"))
                starts += 1
                starts = starts if piece[:1] == b"\n" else np.append(starts, 0)
                kinds = text[starts]
                if (kinds == ord("c")).any():
                    piece, count = re.subn(rb"(?m)^c[^\n]*\n?", b"", piece)
                    comments.append(count)
                    continue
                rows = starts[(kinds != ord("\n")) & (kinds != ord("\r"))]
                if (text[rows] == letter).all() and (text[rows + 1] <= ord(" ")).all():
                    return piece
                raise Irregular

        with opened(self.path) as file:
            lines = LineReader(self.path, file)
            while not self.sizes:
                line = lines.line()
                if line is None:
                    return False
                self._take_line(lines.number, line)
            try:
                rows = lines.pieces()
                columns = read_columns(rows, 4, (1, 2, 3), [], None, "", prepared).values
            except Irregular:
                return False
        if len(columns[0]):
            least, most = extremes(*columns[: self.kind.ids])
            if not 1 <= least <= most <= self.sizes[0]:
                return False
        self.comments += sum(comments)
        self._add(columns)
        return True

    def _read_blocks(self) -> None:
        """Read the whole file in blocks, and those that are not as expected line by line."""
        with opened(self.path) as file:
            for number, block in blocks(file):
                end = 0
                while end < len(block) and not self.sizes:
                    begin, end = end, block.index(b"\n", end) + 1
                    self._take_line(number, block[begin:end])
                    number += 1
                if not self._take_all(block[end:]):
                    self._take_lines(number, block[end:])

    def columns(self) -> tuple[np.ndarray, ...]:
        """The vertices, int32 from 0, and the numbers, int64: three columns (rows,)."""
        if len(self._parts) == 1:
            return self._parts[0]
        found = list(zip(*self._parts, strict=True)) or [(), (), ()]
        empty: list[np.ndarray] = [np.empty(0, dtype) for dtype in self._dtypes()]
        return tuple(joined([none, *c]) for none, c in zip(empty, found, strict=True))

    def _dtypes(self) -> list[type]:
        return [np.int32 if column < self.kind.ids else np.int64 for column in range(3)]

    def _add(self, columns: Iterable[np.ndarray]) -> None:
        """Add three columns (n,) whose ids have been checked."""
        first = [np.int64(column < self.kind.ids) for column in range(3)]
        triples = zip(columns, first, self._dtypes(), strict=True)
        self._parts.append(tuple(_less(values, one, dtype) for values, one, dtype in triples))

    def _take_all(self, block: bytes) -> bool:
        """Read a whole block; False, and nothing is added, if a line is not as expected."""
        text, comments = b"\n" + block, 0
        if b"\nc" in text:
            text, comments = re.subn(rb"\nc[^\n]*", b"\n", text)
        letter = self.kind.row[0].encode()
        # With a 0 for its letter each row has four numbers, and nothing else has any.
        count = text.count(b"\n" + letter + b" ")
        found = integers(text.replace(b"\n" + letter + b" ", b"\n0 "))
        if found is None:
            return False
        values, lengths = found
        if len(values) != 4 * count or not ((lengths == 4) | (lengths == 0)).all():
            return False
        rows = values.reshape(-1, 4)[:, 1:]
        ids = rows[:, : self.kind.ids]
        if count and not (ids.min() >= 1 and ids.max() <= self.sizes[0]):
            return False
        self.comments += comments
        self._add(rows.T)
        return True

    def _take_lines(self, number: int, block: bytes) -> None:
        rows = array("q")
        for place, line in enumerate(block.split(b"\n")[:-1], start=number):
            rows.extend(self._take_line(place, line))
        self._add(np.array(rows, dtype=np.int64).reshape(-1, 3).T)

    def _take_line(self, number: int, line: bytes) -> list[int]:
        """The row in a line, if it is one; counts a comment, and notes the problem line."""
        words = line.decode("utf-8", "replace").split()
        if not words:
            return []
        if words[0].startswith("c"):
            self.comments += 1
            return []
        if words[0] == "p":
            self._take_problem(number, line, words)
            return []
        wrong = None
        row = [integer(word) for word in words[1:]]
        ids = row[: self.kind.ids]
        if words[0] != self.kind.row[0] or len(row) != 3:
            wrong = "is not a row"
        elif None in row:
            bad = words[1 + row.index(None)]
            wrong = f"has {bad!r}, which is not a 64-bit integer"
        elif not self.sizes:
            wrong = f"comes before the problem line '{self.kind.problem} {self.kind.sizes}'"
        elif outside := [i for i in ids if i is None or not 1 <= i <= self.sizes[0]]:
            wrong = f"has the vertex {outside[0]}, and vertices are 1 to {self.sizes[0]:,}"
        if wrong:
            raise FormatError(
                f"{self.path}, line {number}: {shown(line)} {wrong}; expected '{self.kind.row}' "
                "with integers; correct the line, or put c before it if it is a comment"
            )
        return [value for value in row if value is not None]

    def _take_problem(self, number: int, line: bytes, words: list[str]) -> None:
        begin = self.kind.problem.split()
        sizes = [integer(word) for word in words[len(begin) :]]
        wrong = None
        if self.sizes:
            wrong = "is a second problem line; delete one"
        elif words[: len(begin)] != begin:
            is_other = words[:4] == COORDINATES.problem.split()
            what = "a file of coordinates; read the .gr" if is_other else "another kind of problem"
            wrong = f"says that this is {what}"
        elif len(sizes) != len(self.kind.sizes.split()) or None in sizes:
            wrong = "does not give the sizes; correct it"
        known = [size for size in sizes if size is not None]
        if not wrong and (min(known) < 0 or known[0] > INT32_MAX):
            wrong = f"gives an impossible size: vertices are 0 to {INT32_MAX:,}; correct it"
        if wrong:
            raise FormatError(
                f"{self.path}, line {number}: {shown(line)} {wrong}; expected "
                f"'{self.kind.problem} {self.kind.sizes}'"
            )
        # Coordinates have as many rows as vertices.
        self.sizes = known


def _less(values: np.ndarray, one: np.int64, dtype: type) -> np.ndarray:
    less: np.ndarray = np.empty(len(values), dtype)
    return filled(less, lambda block: values[block] - one)


FORMAT = Format(
    name="dimacs",
    extensions=(".gr",),
    recognizes=lambda head: re.match(rb"(?:(?:c.*)?\r?\n)*p (?:aux )?sp ", head) is not None,
    read=read,
    write=write,
)
