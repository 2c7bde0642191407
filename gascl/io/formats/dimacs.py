"""DIMACS shortest paths: graphs in `.gr` files and their coordinates in `.co` files.

9th DIMACS Implementation Challenge: Shortest Paths, "File formats", 2006.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gascl.errors import FormatError
from gascl.graph.arcs import INT32_MAX
from gascl.graph.parallel import extremes, filled
from gascl.graph.raw_graph import RawGraph
from gascl.io.arrow_csv import Layout
from gascl.io.files import PACKED, created_together, opened, plain, unended
from gascl.io.format import Format, check_integers, check_limits
from gascl.io.number_rows import write_rows
from gascl.io.symmetry import as_directed
from gascl.io.text_lines import (
    INT64,
    ODD,
    LineReader,
    Splitter,
    integer,
    locate_bad_line,
    shown,
)
from gascl.io.text_numbers import Irregular, read_columns
from gascl.user_messages import Option
from gascl.util.paths import checked_path

if TYPE_CHECKING:
    from gascl.graph.graph import Graph

NAME = "DIMACS (.gr)"
SPLITTER = Splitter(None, "")


@dataclass(frozen=True)
class FileType:
    """One of the two files: its problem line, and its rows of a letter, vertices and numbers."""

    problem: str  # the start of the problem line
    sizes: str  # the rest of it
    row: str
    ids: int  # how many of the three columns are vertices


GRAPH = FileType("p sp", "VERTICES ARCS", "a SOURCE TARGET WEIGHT", 2)
COORDINATES = FileType("p aux sp co", "VERTICES", "v VERTEX X Y", 1)


def read(
    path: Path, directed: bool | None, coordinates: str | os.PathLike[str] | bool | None = None
) -> RawGraph:
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
    table = _Table(path, GRAPH)
    num_vertices = table.sizes[0]
    src, dst, weight = table.columns
    report = [f"DIMACS: arcs: {len(src):,}; comment lines skipped: {table.comments:,}"]
    report.append("ids, which start at 1, became vertices from 0; the third number is the weight")
    report += unended(path)
    vertex_fields = {}
    beside = _coordinates_of(path, coordinates)
    if beside is not None:
        vertex_fields["coordinates"] = _read_coordinates(beside, num_vertices)
        report += [f"coordinates read from {beside}", *unended(beside)]
    parsed = RawGraph(
        src=src,
        dst=dst,
        num_vertices=num_vertices,
        directed=True,
        fields={"weight": weight},
        report=report,
        vertex_fields=vertex_fields,
    )
    return as_directed(parsed, directed, "arc")


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
                f"'coordinates' has the shape {points.shape}; give it ({graph.num_vertices}, 2)"
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
        src, dst = graph.edge_src, graph.edge_dst
        write_rows(
            file, len(weight), lambda part: [src[part] + 1, dst[part] + 1, weight[part]], begin="a "
        )
        if points is not None:
            others[0].write(f"p aux sp co {graph.num_vertices}\n".encode())
            ids = np.arange(1, len(points) + 1)
            write_rows(others[0], len(ids), lambda part: [ids[part], *points[part].T], begin="v ")


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
    table = _Table(path, COORDINATES)
    if table.sizes[0] != num_vertices:
        raise FormatError(
            f"{path}: these are the coordinates of {table.sizes[0]:,} vertices, and the graph has "
            f"{num_vertices:,}; name the right file with ",
            Option("coordinates", of="reader"),
            ", or read none with ",
            Option("coordinates", False, of="reader"),
        )
    vertex, x, y = table.columns
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


class _Table:
    """The rows of a file.

    Attributes:
        sizes: those of the problem line; the last is the number of rows, since there are as many
            coordinates as vertices.
        comments: the number of lines that are comments.
        columns: the vertices, int32 from 0, and the numbers, int64: three columns (rows,).

    Raises:
        FormatError: a line is wrong, or there are not as many rows as announced.
    """

    def __init__(self, path: Path, kind: FileType):
        self.kind = kind
        self.sizes: list[int] = []
        self.comments, self._counts = 0, list[int]()
        with opened(path) as file:
            lines = LineReader(path, file)
            while not self.sizes and (line := lines.line()) is not None:
                text = line.decode(errors=ODD).rstrip("\r\n")
                self.comments += text.lstrip().startswith("c")
                if wrong := self._wrong(text):
                    raise FormatError(f"{path}, line {lines.number}: {shown(line)} {wrong}")
            if not self.sizes:
                raise FormatError(
                    f"{path}: it has no problem line; expected '{kind.problem} {kind.sizes}' "
                    "before the rows: write one, or name the file's format"
                )
            begin = lines.number
            try:
                layout = Layout(4, (1, 2, 3), ())
                columns = read_columns(lines.pieces(), layout, self._rows).values
                if len(columns[0]):
                    least, most = extremes(*columns[: kind.ids])
                    if not 1 <= least <= most <= self.sizes[0]:
                        raise Irregular
            except Irregular:
                raise locate_bad_line(
                    path, lambda number, line: self._wrong(line) if number > begin else None
                ) from None
        if len(columns[0]) != self.sizes[-1]:
            raise FormatError(
                f"{path}: the problem line declares {self.sizes[-1]:,} rows '{kind.row}', and the "
                f"file has {len(columns[0]):,}; fetch the file again, or correct the line"
            )
        self.comments += sum(self._counts)
        are_ids = [place < kind.ids for place in range(3)]
        self.columns = [
            _less(values, np.int64(is_id), np.int32 if is_id else np.int64)
            for values, is_id in zip(columns, are_ids, strict=True)
        ]

    def _rows(self, piece: bytes) -> bytes:
        """The piece without comments, in which every row begins with the letter.

        Raises:
            Irregular: there are other rows.
        """
        if piece[:1] in b" \t" or b"\n " in piece or b"\n\t" in piece:
            piece = re.sub(rb"(?m)^[ \t]+", b"", piece)
        if piece[:1] == b"c" or b"\nc" in piece:
            piece, count = re.subn(rb"(?m)^c[^\n]*\n?", b"", piece)
            self._counts.append(count)  # in several threads
        text = np.frombuffer(piece + b"\n\n", np.uint8)
        starts = np.append(0, np.flatnonzero(text[:-2] == ord("\n")) + 1)
        rows = starts[text[starts] > ord("\r")]
        letter, behind = ord(self.kind.row[0]), text[rows + 1]
        blank = (behind == ord(" ")) | (behind == ord("\t"))
        if (text[rows] != letter).any() or not blank.all():
            raise Irregular
        return piece

    def _wrong(self, line: str) -> str | None:
        """What is wrong with a line, and the remedy. Takes the sizes from the problem line."""
        words = SPLITTER.split(line)
        if not words or words[0].startswith("c"):
            return None
        if words[0] == "p":
            return self._wrong_problem(words)
        row = [integer(word) for word in words[1:]]
        if words[0] != self.kind.row[0] or len(row) != 3:
            wrong = "is not a row"
        elif None in row:
            wrong = f"has {words[1 + row.index(None)]!r}, which is not a 64-bit integer"
        elif not self.sizes:
            wrong = f"comes before the problem line '{self.kind.problem} {self.kind.sizes}'"
        else:
            ids = [value or 0 for value in row[: self.kind.ids]]
            outside = [each for each in ids if not 1 <= each <= self.sizes[0]]
            if not outside:
                return None
            wrong = f"has the vertex {outside[0]}, and vertices are 1 to {self.sizes[0]:,}"
        return (
            f"{wrong}; expected '{self.kind.row}' with integers; correct the line, or put c before "
            "it if it is a comment"
        )

    def _wrong_problem(self, words: list[str]) -> str | None:
        """What is wrong with a problem line; if nothing is, it gives the sizes."""
        begin = self.kind.problem.split()
        sizes = [integer(word) for word in words[len(begin) :]]
        known = [size for size in sizes if size is not None]
        if self.sizes:
            wrong = "is a second problem line; delete one"
        elif words[: len(begin)] != begin:
            is_other = words[:4] == COORDINATES.problem.split()
            what = "a file of coordinates; read the .gr" if is_other else "another kind of problem"
            wrong = f"says that this is {what}"
        elif len(sizes) != len(self.kind.sizes.split()) or None in sizes:
            wrong = "does not give the sizes; correct it"
        elif min(known) < 0 or known[0] > INT32_MAX:
            wrong = f"gives an impossible size: vertices are 0 to {INT32_MAX:,}; correct it"
        else:
            self.sizes = known
            return None
        return f"{wrong}; expected '{self.kind.problem} {self.kind.sizes}'"


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
