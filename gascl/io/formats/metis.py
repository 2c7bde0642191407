"""METIS graphs: one line per vertex, with its neighbors.

Karypis, "METIS: A Software Package for Partitioning Unstructured Graphs ...", manual of version
5.1.0, section 4.1.1, 2013. Chaco and KaHIP use the same format.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gascl.errors import FormatError
from gascl.graph.arcs import INT32_MAX, stable_order
from gascl.graph.raw_graph import RawGraph
from gascl.io.files import created, opened, unended
from gascl.io.format import Format, check_integers, check_limits
from gascl.io.symmetry import MADE_DIRECTED, unpaired
from gascl.io.text_lines import (
    INT64,
    LineReader,
    Splitter,
    integer,
    integers,
    is_int64,
    line_of_row,
    locate_bad_line,
    shown,
)
from gascl.user_messages import Message, Option

if TYPE_CHECKING:
    from gascl.graph.graph import Graph

NAME = "METIS (.graph)"
COMMENT = re.compile(rb"^%[^\n]*\n", re.MULTILINE)
HEADER = "VERTICES EDGES [FMT [NCON]]"
SPLITTER = Splitter(None, "")
VERTICES = 1 << 16  # written at once


@dataclass(frozen=True)
class MetisHeader:
    """The first line that is not a comment."""

    line: int  # its number in the file
    num_vertices: int
    num_edges: int
    sizes: bool
    weights: int  # per vertex
    weighted: bool  # whether edges have weights

    @property
    def lead(self) -> int:
        """Numbers before the first neighbor."""
        return self.sizes + self.weights

    @property
    def expected(self) -> str:
        """The expected columns of a vertex's line, for messages."""
        words = ["SIZE"] * self.sizes + ["WEIGHT"] * (self.weights == 1)
        words += [f"WEIGHT_1 ... WEIGHT_{self.weights}"] * (self.weights > 1)
        words.append("NEIGHBOR WEIGHT ..." if self.weighted else "NEIGHBOR ...")
        return f"expected '{' '.join(words)}' with integers, as line {self.line} says"


def read(path: Path, directed: bool | None) -> RawGraph:
    """Read a graph: undirected; an edge comes where the file first lists it, at its lower end.

    Weights of edges are the field "weight", int64 (E,); those of vertices the vertex field
    "weight", (V,) or (V, NCON), and their sizes "size", (V,). The file numbers vertices from 1.

    Args:
        directed: True makes two edges of each, one in each direction, in the order of the lines.

    Raises:
        FormatError: a line is wrong or does not match the header, or an edge is a self-loop or
            not the same at both ends; names the line.
    """
    lines = _Lines(path).read()
    header = lines.header
    tail = np.repeat(np.arange(header.num_vertices, dtype=np.int32), lines.degrees)
    head, weight = lines.heads, lines.edge_weights
    lone = unpaired(tail, head, weight, header.num_vertices)
    if lone is not None:
        raise FormatError(_disagreement(path, tail, head, weight, lone))
    if len(head) != 2 * header.num_edges:
        raise FormatError(
            f"{path}, line {header.line}: the header declares {header.num_edges:,} edges, and the "
            f"lines have {len(head) // 2:,}, each at both ends; correct it, or fetch the file again"
        )
    report = [f"METIS: comment lines skipped: {lines.comments:,}"]
    report += ["ids, which start at 1, became vertices from 0", *unended(path)]
    if weight is not None:
        report.append("numbers after neighbors read as weight, int64")
    vertex_fields = {}
    lead = lines.lead
    if header.sizes:
        vertex_fields["size"] = lead[:, 0].copy()
        report.append("vertex sizes read as the vertex field size")
    if header.weights:
        columns = lead[:, int(header.sizes) :]
        vertex_fields["weight"] = columns[:, 0].copy() if header.weights == 1 else columns.copy()
        report.append(
            f"vertex weights read as the vertex field weight: {header.weights} per vertex"
        )
    if directed:
        report.append(MADE_DIRECTED)
    else:
        once = tail < head
        tail, head = tail[once], head[once]
        weight = None if weight is None else weight[once]
    return RawGraph(
        src=tail,
        dst=head,
        num_vertices=header.num_vertices,
        directed=bool(directed),
        fields={} if weight is None else {"weight": weight},
        report=report,
        vertex_fields=vertex_fields,
        in_range=True,
    )


def write(path: Path, graph: Graph) -> None:
    """Write an undirected graph without self-loops and parallel edges, with the edge field
    "weight" (1 or more) and the vertex fields "weight" and "size" (0 or more), all integers.

    Raises:
        FormatError: the format cannot hold the graph.
    """
    fields = graph.vertex_fields
    check_limits(
        path,
        graph,
        NAME,
        directed=False,
        edge_fields=["weight"],
        vertex_fields=["weight", "size"],
    )
    src, dst, weight = graph.edge_src, graph.edge_dst, graph.edge_fields.get("weight")
    _check_simple(path, src, dst, graph.num_vertices)
    if weight is not None:
        check_integers(path, NAME, "the edge field 'weight'", weight, 1, INT64.max)
    lead = np.empty((graph.num_vertices, 0), dtype=np.int64)
    for name in ("size", "weight"):
        if name in fields:
            columns = fields[name] if fields[name].ndim == 2 else fields[name][:, None]
            check_integers(path, NAME, f"the vertex field {name!r}", columns, 0, INT64.max)
            if not columns.shape[1] or (name == "size" and columns.shape[1] != 1):
                raise FormatError(
                    f"{path}: the vertex field {name!r} has the shape {fields[name].shape}, and "
                    f"{NAME} holds one size and at least one weight per vertex; change the field"
                )
            lead = np.hstack([lead, columns.astype(np.int64)])
    sizes = int("size" in fields)
    format = f"{sizes}{int('weight' in fields)}{int(weight is not None)}"
    header = [str(graph.num_vertices), str(graph.num_edges)]
    if format != "000":
        header.append(format)
    if lead.shape[1] - sizes > 1:
        header.append(str(lead.shape[1] - sizes))
    # Both arcs of each edge, sorted by tail and then by edge.
    tail, head = np.stack([src, dst], axis=1).ravel(), np.stack([dst, src], axis=1).ravel()
    order = stable_order(tail, graph.num_vertices)
    rows = (head[order].astype(np.int64) + 1).reshape(-1, 1)
    if weight is not None:
        rows = np.hstack([rows, weight[order // 2].astype(np.int64).reshape(-1, 1)])
    ends = np.cumsum(np.bincount(tail, minlength=graph.num_vertices)).tolist()
    with created(path) as file:
        file.write((" ".join(header) + "\n").encode())
        begin = 0
        for first in range(0, graph.num_vertices, VERTICES):
            lines, base = [], begin
            last = min(first + VERTICES, graph.num_vertices)
            words = list(map(str, rows[base : ends[last - 1]].ravel().tolist()))
            for leading, end in zip(lead[first:last].tolist(), ends[first:last], strict=True):
                part = words[(begin - base) * rows.shape[1] : (end - base) * rows.shape[1]]
                lines.append(" ".join([*map(str, leading), *part]))
                begin = end
            file.write(("\n".join(lines) + "\n").encode())


def _check_simple(path: Path, src: np.ndarray, dst: np.ndarray, num_vertices: int) -> None:
    wrong, remedy = None, Message("")
    loops = np.flatnonzero(src == dst)
    keys = np.minimum(src, dst).astype(np.int64) * num_vertices + np.maximum(src, dst)
    order = np.argsort(keys, kind="stable")
    again = order[1:][np.diff(keys[order]) == 0]
    if len(loops):
        wrong, remedy = (
            int(loops[0]),
            Message("is a self-loop: drop them with ", Option("self_loops", "drop")),
        )
    elif len(again):
        wrong, remedy = (
            int(again.min()),
            Message("repeats an earlier one: merge them with ", Option("duplicates")),
        )
    if wrong is not None:
        raise FormatError(
            f"{path}: {NAME} cannot hold self-loops or parallel edges, and edge {wrong} "
            f"({src[wrong]} to {dst[wrong]}) ",
            remedy,
            ", or write gascl's own format (.npz)",
        )


def _disagreement(
    path: Path, tail: np.ndarray, head: np.ndarray, weight: np.ndarray | None, arc: int
) -> str:
    """The error message for an arc that has no reverse."""
    u, v = int(tail[arc]), int(head[arc])
    here, line = _line_of(path, u)
    there, _ = _line_of(path, v)
    back = np.flatnonzero((tail == v) & (head == u))
    count = np.count_nonzero((tail == u) & (head == v))
    other = f"does not have {u + 1}"
    if len(back) and len(back) != count:
        other = f"has {u + 1} {len(back)} times, not {count}"
    elif len(back) and weight is not None:
        other = f"gives that edge the weight {weight[back[0]]}, not {weight[arc]}"
    return (
        f"{path}, line {here}: {shown(line)} has the neighbor {v + 1}, and line {there}, of "
        f"vertex {v + 1}, {other}; an edge must be in the lines of both its ends, with the same "
        "weight: correct one of them"
    )


def _line_of(path: Path, vertex: int) -> tuple[int, str]:
    """The number of a vertex's line, and the line."""
    return line_of_row(path, vertex + 1, lambda _, line: not line.startswith("%"))


class _Lines:
    """The lines of a file as they are read, block by block."""

    header: MetisHeader
    degrees: np.ndarray  # int64 (V,)
    heads: np.ndarray  # int32 (A,), from 0
    edge_weights: np.ndarray | None  # int64 (A,)
    lead: np.ndarray  # int64 (V, sizes and weights)

    def __init__(self, path: Path):
        self.path = path
        self.comments = 0
        self._count = 0  # lines of vertices read so far
        self._parts: list[tuple[np.ndarray, ...]] = []

    def read(self) -> _Lines:
        """Read the whole file.

        Raises:
            FormatError: a line is wrong, or there are not as many as the header says.
        """
        known = False
        with opened(self.path) as file:
            lines = LineReader(self.path, file)
            while not known and (line := lines.line()) is not None:
                known = self._take_header(lines.number, line)
            for piece in lines.pieces():
                self._take(piece if piece.endswith(b"\n") else piece + b"\n")
        if not known:
            raise FormatError(
                f"{self.path}: it has no header; expected '{HEADER}': fetch the file again"
            )
        if self._count < self.header.num_vertices:
            raise FormatError(
                f"{self.path}: line {self.header.line} declares {self.header.num_vertices:,} "
                f"vertices, and {self._count:,} lines follow; every vertex has a line, which is "
                "empty if it has no neighbors: correct the header, or fetch the file again"
            )
        columns = [np.concatenate(column) for column in zip(*self._parts, strict=True)]
        self.degrees, self.heads, weights, lead = columns
        self.edge_weights = weights if self.header.weighted else None
        self.lead = lead.reshape(self.header.num_vertices, self.header.lead)
        return self

    def _take_header(self, number: int, line: bytes) -> bool:
        if line.startswith(b"%"):
            self.comments += 1
            return False
        words = line.decode("utf-8", "replace").split()
        kind = words[2].zfill(3) if len(words) > 2 else "000"
        counts = [integer(word) for word in words[:2] + words[3:]]
        known = [count for count in counts if count is not None]
        wrong = None
        if len(known) != len(counts) or not 2 <= len(words) <= 4:
            wrong = "is not a header"
        elif not re.fullmatch("[01]{3}", kind):
            wrong = f"has the FMT {kind!r}, which must be up to three digits 0 or 1"
        elif min(known) < 0 or known[0] > INT32_MAX:
            wrong = f"has an impossible count: vertices are 0 to {INT32_MAX:,}"
        elif len(known) > 2 and known[2] and kind[1] == "0":
            wrong = f"has {known[2]} weights per vertex, and its FMT says that there are none"
        elif len(known) > 2 and known[2] > INT32_MAX:
            wrong = f"has {known[2]} weights per vertex, which is impossible"
        if wrong:
            raise FormatError(
                f"{self.path}, line {number}: {shown(line)} {wrong}; expected '{HEADER}'; correct "
                "the line, or name the file's format"
            )
        weights = (known[2] if len(known) > 2 and known[2] else 1) if kind[1] == "1" else 0
        self.header = MetisHeader(
            number, known[0], known[1], kind[0] == "1", weights, kind[2] == "1"
        )
        none = np.empty(0, dtype=np.int64)
        self._parts.append((none, none.astype(np.int32), none, none))
        return True

    def _take(self, block: bytes) -> None:
        text = block
        if b"%" in text:
            text, comments = COMMENT.subn(b"", text)
            self.comments += comments
        parsed = integers(text)
        if parsed is None:
            raise locate_bad_line(self.path, self._wrong)
        values, counts = parsed
        left = self.header.num_vertices - self._count
        if len(counts) > left:
            if counts[left:].any():
                more = self.header.num_vertices + int(np.flatnonzero(counts[left:])[0])
                self._refuse(more, f"comes after the last of {self.header.num_vertices:,} vertices")
            counts = counts[:left]
        self._take_vertices(values, counts)
        self._count += len(counts)

    def _wrong(self, number: int, line: str) -> str | None:
        """What is wrong with a line of a vertex that has other words than 64-bit integers."""
        words = [] if line.startswith("%") or number <= self.header.line else SPLITTER.split(line)
        bad = next((word for word in words if not is_int64(word)), None)
        if bad is None:
            return None
        return (
            f"has {bad!r}, which is not a 64-bit integer; {self.header.expected}; correct the "
            "line, or put % before it if it is a comment"
        )

    def _take_vertices(self, values: np.ndarray, counts: np.ndarray) -> None:
        if not len(counts):
            return  # the header may give any number of weights
        header = self.header
        degrees = counts - header.lead
        self._check(degrees < 0, counts, "has too few numbers")
        begins = np.cumsum(counts) - counts
        lead = values[begins[:, None] + np.arange(header.lead)] if header.lead else values[:0]
        if header.lead:
            rest = np.ones(len(values), dtype=bool)
            rest[(begins[:, None] + np.arange(header.lead)).ravel()] = False
            self._check((lead < 0).any(axis=1), counts, "has a size or weight below 0")
            values = values[rest]
        weights = values[:0]
        if header.weighted:
            self._check(degrees % 2 == 1, counts, "ends in a neighbor without its weight")
            degrees = degrees // 2
            values, weights = values[::2], values[1::2]
            self._check_each(weights < 1, degrees, "has an edge weight below 1")
        outside = (values < 1) | (values > header.num_vertices)
        words = f"has a neighbor outside the vertices 1 to {header.num_vertices:,}"
        self._check_each(outside, degrees, words)
        own = np.repeat(np.arange(self._count + 1, self._count + len(counts) + 1), degrees)
        self._check_each(values == own, degrees, "has the vertex itself as a neighbor: a self-loop")
        self._parts.append((degrees, (values - 1).astype(np.int32), weights, lead.ravel()))

    def _check(self, wrong: Any, counts: np.ndarray, words: str) -> None:
        """Refuse the first line that is wrong."""
        if wrong.any():
            self._refuse(self._count + int(np.argmax(wrong)), words)

    def _check_each(self, wrong: np.ndarray, degrees: np.ndarray, words: str) -> None:
        """Refuse the line of the first neighbor that is wrong."""
        if wrong.any():
            place = np.searchsorted(np.cumsum(degrees), np.argmax(wrong), side="right")
            self._refuse(self._count + int(place), words)

    def _refuse(self, vertex: int, words: str) -> None:
        number, line = _line_of(self.path, vertex)
        raise FormatError(
            f"{self.path}, line {number}: {shown(line)}, the line of vertex {vertex + 1}, {words}; "
            f"{self.header.expected}; correct the line"
        )


FORMAT = Format(
    name="metis",
    extensions=(".graph", ".metis"),
    recognizes=lambda head: False,  # numbers like any others
    read=read,
    write=write,
)
