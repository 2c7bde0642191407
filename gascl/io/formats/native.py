"""gascl's own .npz: a graph, and its arcs if asked for, ready to be mapped into memory.

`numpy.load` reads it, too. The first member, `gascl.json`, holds JSON as bytes that describes the
others; docs/graphs.md has the layout.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gascl.errors import FormatError
from gascl.graph.arcs import ARRAYS, ORDERS, Arcs, Ends, Order, index_dtype
from gascl.graph.csr_ends import CsrEnds, rises
from gascl.graph.field_types import NO_TEXT, Bools, FieldType, Texts, Times, dictionary
from gascl.graph.labels import shown
from gascl.graph.lazy import LazyValues
from gascl.graph.parallel import in_threads
from gascl.graph.raw_graph import RawGraph
from gascl.graph.reordering import Numbering, Renumbered, inverse
from gascl.graph.validation import count_loops
from gascl.io.files import created
from gascl.io.format import Format
from gascl.io.mapped_npz import (
    SIGNATURE,
    Items,
    ZipMember,
    check_all,
    checksum,
    read_members,
    write_members,
)
from gascl.io.outofcore.disk_array import DiskArray
from gascl.io.symmetry import as_directed
from gascl.user_messages import Message, Option
from gascl.util.progress import Progress

if TYPE_CHECKING:
    from gascl.graph.graph import Graph

#: Of the layout, the only one that a reader accepts.
VERSION = 3
ABOUT = "gascl.json"
FLAGS = ("out_reversed", "in_reversed")
ENDS = ("edge_src", "edge_dst")
RUNS = ".offsets"  # where edges are in the order of an end: END.offsets in place of END
LABELS = ("labels", "labels.utf8", "labels.offsets")
NUMBERED = "numbered"  # arcs by other numbers of the vertices: WAY.numbered
#: The errors of JSON that gascl has not written.
_WRONG = (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)


def write(path: Path, graph: Graph, arcs: bool = False) -> None:
    """Write a graph.

    Args:
        arcs: also write the arcs, so that readers need not rebuild them: the offsets and ends of
            both orders, those of the other arrays that exist, and the arcs of the renumbered graph
            if a run has used them.

    Raises:
        FormatError: labels are objects, or a field is neither numbers nor text.
    """
    members: dict[str, np.ndarray | DiskArray] = {}
    for name, end in zip(ENDS, (graph.src, graph.dst), strict=True):
        if isinstance(end, LazyValues):
            end = np.asarray(end)
        members |= {name + RUNS: end.offsets} if isinstance(end, CsrEnds) else {name: end}
    # Equal arrays are one object in Arcs, and one member here.
    stored = {id(array): name for name, array in members.items()}
    members |= _labels(path, graph)
    for noun, values in (("edge", graph.edge_fields), ("vertex", graph.vertex_fields)):
        for name, array in values.items():
            if array.dtype.kind not in "biufU" or array.dtype.char == "g":
                raise FormatError(
                    f"{path}: the {noun} field {name!r} is of {array.dtype}, and gascl's .npz "
                    "holds integers, floats and text; convert it or leave it out"
                )
            members[f"{noun}.{name}"] = array
    types: dict[str, Mapping[str, FieldType]] = {
        "edge": graph.edge_types,
        "vertex": graph.vertex_types,
    }
    for noun, kinds in types.items():
        for name, kind in kinds.items():
            if isinstance(kind, Texts):
                members |= _joined(f"{noun}.{name}", kind.values.tolist())
    places: dict[str, dict[str, str]] = {}
    shares: dict[str, float] = {}
    if arcs:
        made, shares = _made(graph)
        for direction, arrays in made.items():
            places[direction] = {}
            for name, array in arrays.items():
                place = stored.setdefault(id(array), f"arcs.{direction}.{name}")
                members[place], places[direction][name] = array, place
    save(
        path,
        members,
        graph.num_vertices,
        graph.directed,
        edge_fields=list(graph.edge_fields),
        vertex_fields=list(graph.vertex_fields),
        types=types,
        places=places,
        shares=shares,
        fingerprint=graph.fingerprint if arcs else None,
    )


def save(
    path: Path,
    members: Mapping[str, Items],
    num_vertices: int,
    directed: bool,
    *,
    edge_fields: Sequence[str] = (),
    vertex_fields: Sequence[str] = (),
    types: Mapping[str, Mapping[str, FieldType]] | None = None,
    places: Mapping[str, Mapping[str, str]] | None = None,
    shares: Mapping[str, float] | None = None,
    fingerprint: str | None = None,
    progress: Progress | None = None,
) -> None:
    """Write a file of these members.

    Args:
        edge_fields, vertex_fields: their names, in order.
        types: by "edge" and "vertex", of the fields that are not just numbers. The dictionary of
            texts is among the members.
        places: the members with arcs, by direction and name.
        shares: those of the numberings of arcs, by direction.
        fingerprint: `Graph.fingerprint`, so that readers need not hash the edges; only for files
            with arcs, since readers of others go through the edges anyway.
        progress: where to show how much has been written.

    Raises:
        FormatError: it cannot be written.
    """
    places = places or {}
    stored = {place for arrays in places.values() for place in arrays.values()}
    stored |= {*ENDS, *(name + RUNS for name in ENDS), *LABELS}
    tied = [name for name in members if name in stored] if places else []
    sums = in_threads(lambda name: checksum(members[name]), tied)
    about = {
        "format": "gascl graph",
        "version": VERSION,
        "num_vertices": num_vertices,
        "num_edges": max(len(members[name]) for name in ENDS if name in members),
        "directed": directed,
        "edge_fields": [*edge_fields],
        "vertex_fields": [*vertex_fields],
        "arcs": places,
        "shares": shares or {},
        "fingerprint": fingerprint,
        "tied": dict(zip(tied, sums, strict=True)),
        "members": list(members),
        "types": {noun: _kinds((types or {}).get(noun, {})) for noun in ("edge", "vertex")},
    }
    text = np.frombuffer(json.dumps(about, indent=1).encode(), np.uint8)
    if progress is not None:
        progress.at(0)
        size = len(text) + sum(member.nbytes for member in members.values())
        progress.begin(f"writing {path.name}", size, "B")
    with created(path) as file:
        write_members(file, [(ABOUT, text), *members.items()], progress)


def _kinds(types: Mapping[str, FieldType]) -> dict[str, dict[str, Any]]:
    """Types as JSON has them."""
    kinds: dict[str, dict[str, Any]] = {}
    for name, kind in types.items():
        kinds[name] = {"type": kind.name}
        if isinstance(kind, Times):
            kinds[name] |= {"unit": kind.unit, "zone": kind.zone}
        elif isinstance(kind, Texts) and kind.ordered:
            kinds[name] |= {"ordered": True}
    return kinds


def _joined(name: str, texts: list[str]) -> dict[str, np.ndarray]:
    """The members for texts, as joined UTF-8."""
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
    return {
        f"{name}.utf8": np.frombuffer(b"".join(encoded), np.uint8),
        f"{name}.offsets": np.concatenate([[0], np.cumsum(lengths)]),
    }


def joins(num_bytes: int, count: int, longest: int) -> bool:
    """Whether text labels are stored as joined UTF-8 of so many bytes: it takes less than half.

    Args:
        count, longest: the number of labels, and of characters of the longest.
    """
    return num_bytes + 8 * (count + 1) < 4 * count * longest // 2


def _made(graph: Graph) -> tuple[dict[str, dict[str, np.ndarray]], dict[str, float]]:
    """The arrays of arcs to write, by direction and name, and the shares of their numberings."""
    graph.arcs()
    plain, numbered = graph.arcs_made()
    # The orders of "in" are those of "out" in exchange.
    arrays = {
        direction: _arrays(direction, arcs)
        for direction, arcs in plain.items()
        if direction != "in"
    }
    shares = {}
    for direction, (numbering, arcs) in numbered.items():
        name = f"{direction}.{NUMBERED}"
        arrays[name] = {**_arrays(direction, arcs), "order": numbering.order}
        shares[name] = numbering.share
    return arrays, shares


def _arrays(direction: str, arcs: Arcs) -> dict[str, np.ndarray]:
    """The arrays to write of arcs that run one way or both."""
    for order in (arcs.out, arcs.into):
        order.make()
    made = arcs.made()
    if direction == "both":
        return made
    return {name: array for name, array in made.items() if name not in FLAGS}  # all are alike


def read(
    path: Path,
    directed: bool | None,
    *,
    mmap: bool = True,
    verify: bool = True,
    arcs: bool = True,
) -> RawGraph:
    """Read a graph that gascl wrote.

    Args:
        directed: True makes two edges of each edge of an undirected graph, False makes every edge
            of a directed one undirected. The arcs are then rebuilt.
        mmap: map the file into memory, read-only, so that only what is used is read, if it has
            16 MiB or more. The file must not be changed meanwhile (it may be replaced, except on
            Windows): runs, `arcs` and `write` refuse the graph then, but the process ends if a file
            is cut off while they read it.
        verify: check every member's checksum, and that all ids are in range, so that no kernel
            reads beyond an array; False opens a file at once, and is for files known to be intact.
        arcs: use the arcs in the file, if it has some. That they were written with its edges is
            checked by checksums; False builds them, for files that somebody may have forged.

    Raises:
        FormatError: the file is not gascl's, has another version, is cut off or damaged, or its
            arcs are those of other edges; names the member.
    """
    for name, value in (("mmap", mmap), ("verify", verify), ("arcs", arcs)):
        if not isinstance(value, (bool, np.bool_)):
            option = Option(name, value, of="reader")
            raise FormatError(f"{path}: ", option, " must be True or False")
    members = read_members(path, bool(mmap))
    contents = _Contents(path, members)
    if not arcs:
        contents.places = {}
    parsed, checks = contents.parsed(), contents.checks
    if verify:
        check_all((member, checks.get(name)) for name, member in members.items())
        contents.check_order()
    report = parsed.report
    report.append("gascl's .npz")
    unverified = Message(Option("verify", False, of="reader"), ": nothing checked")
    report.append("checksums and ranges verified" if verify else unverified)
    if directed in (None, parsed.directed) and not arcs:
        report.append(Message(Option("arcs", False, of="reader"), ": the file's arcs are not used"))
        return replace(parsed, checked=False)
    return as_directed(parsed, directed, "edge of the directed graph")


def _labels(path: Path, graph: Graph) -> dict[str, np.ndarray]:
    """The members for the labels: as they are, or as joined UTF-8 if that is less than half."""
    labels = graph.labels
    if labels is None:
        return {}
    if not len(labels) and labels.dtype == object:
        labels = labels.astype(str)  # as of no objects at all
    if labels.dtype.kind not in "iuU":
        other = next((x for x in labels if not isinstance(x, (int, str))), labels[0])
        raise FormatError(
            f"{path}: the labels are Python objects, such as {shown(other)}, and gascl's .npz "
            "holds integers and text; make a graph with labels=[str(label) for label in "
            "graph.labels]"
        )
    if labels.dtype.kind == "U":
        texts = [text.encode("utf-8", "surrogatepass") for text in labels.tolist()]
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        if joins(int(lengths.sum()), len(texts), labels.dtype.itemsize // 4):
            return _joined("labels", labels.tolist())
    return {"labels": labels}


class _Contents:
    """The members of a file, with checks of their names, types and shapes.

    Attributes:
        checks: for each member with ids, the number that they must be below.
    """

    def __init__(self, path: Path, members: dict[str, ZipMember]):
        self.path, self.members = path, members
        if ABOUT not in members:
            names = ", ".join(list(members)[:8]) or "nothing"
            raise FormatError(
                f"{path}: this .npz was not written by gascl (it contains {names}); read a SciPy "
                "matrix with scipy.sparse.load_npz and Graph.from_scipy, and arrays of edges with "
                "numpy.load and Graph.from_edges"
            )
        members[ABOUT].check()
        try:
            self.about: dict[str, Any] = json.loads(members[ABOUT].array.tobytes())
            version = int(self.about["version"])
            if version != VERSION:
                remedy = "`pip install --upgrade gascl`"
                if version < VERSION:
                    remedy = "write the graph again, from where it came"
                raise FormatError(
                    f"{path} is in version {version} of gascl's .npz, and this gascl reads "
                    f"version {VERSION}: {remedy}"
                )
            self.num_vertices = int(self.about["num_vertices"])
            self.num_edges = int(self.about["num_edges"])
            self.directed = bool(self.about["directed"])
            self.places = self._places()
            self.listed = [str(name) for name in self.about["members"]]
            self.names = [list(map(str, self.about[f"{n}_fields"])) for n in ("edge", "vertex")]
        except FormatError:
            raise
        except _WRONG as error:
            raise self._wrong(ABOUT, f"is not what gascl writes ({error!r})") from error
        missing = [name for name in self.listed if name not in members]
        if missing:
            raise self._wrong(missing[0], "is missing")
        self.checks: dict[str, int] = {}
        self._codes: dict[str, tuple[int, int]] = {}  # by member, the least and the limit

    def _places(self) -> dict[str, dict[str, str]]:
        """The members with arcs, by direction and name."""
        places = self.about["arcs"]
        known = {"both", f"both.{NUMBERED}"}
        if self.directed:
            known |= {"out", f"out.{NUMBERED}", f"in.{NUMBERED}"}
        names = {*ARRAYS, "order"}
        if not set(places) <= known or not all(
            set(places[direction]) <= names for direction in places
        ):
            raise ValueError("there are no such arcs")
        self.shares = {direction: float(share) for direction, share in self.about["shares"].items()}
        return {
            direction: {name: str(places[direction][name]) for name in places[direction]}
            for direction in places
        }

    def _check_tied(self) -> None:
        """Raises FormatError unless arcs and edges were written together."""
        ties = self.about.get("tied")
        places = {place for arrays in self.places.values() for place in arrays.values()}
        for name in sorted({*ENDS, *(name + RUNS for name in ENDS), *places}):
            known = ties.get(name) if isinstance(ties, dict) else None
            if name in self.members and self.members[name].crc != known:
                raise FormatError(
                    f"{self.path}: {name} is not what the file's arcs were written with; read it "
                    "with ",
                    Option("arcs", False, of="reader"),
                    ", which rebuilds them, or write it again",
                )

    def _wrong(self, name: str, what: str) -> FormatError:
        return FormatError(f"{self.path}: {name} {what}; fetch or write the file again")

    def parsed(self) -> RawGraph:
        """Views of the members, without looking at what they hold."""
        if self.places:
            self._check_tied()
        count, edges = self.num_vertices, self.num_edges
        edge_names, vertex_names = self.names
        src, dst = (self._end(name) for name in ENDS)
        return RawGraph(
            src=src,
            dst=dst,
            num_vertices=count,
            directed=self.directed,
            labels=self._labels(),
            fields={name: self._array(f"edge.{name}", "biufU", (edges,)) for name in edge_names},
            vertex_fields={
                name: self._array(f"vertex.{name}", "biufU", (count, ...)) for name in vertex_names
            },
            arcs={
                direction: self._arcs(direction, src, dst)
                for direction in self.places
                if "." not in direction
            },
            numbered=dict(
                self._numbered(direction, src, dst)
                for direction in self.places
                if direction.endswith(NUMBERED)
            ),
            edge_types=self._types("edge", edge_names),
            vertex_types=self._types("vertex", vertex_names),
            fingerprint=self._fingerprint(),
            checked=True,
        )

    def _types(self, noun: str, names: list[str]) -> dict[str, FieldType]:
        """The types of those fields that are not just numbers."""
        types: dict[str, FieldType] = {}
        try:
            known = {name: dict(each) for name, each in self.about["types"][noun].items()}
        except _WRONG as error:
            raise self._wrong(ABOUT, f"has types that gascl does not write ({error})") from error
        for name in [name for name in names if name in known]:
            member, kind = f"{noun}.{name}", known[name].get("type")
            dtype = {Texts.name: np.int32, Times.name: np.int64, Bools.name: np.int8}.get(str(kind))
            if dtype is None or self._member(member).shape[1:]:
                raise self._wrong(ABOUT, f"has the type {kind!r} of {member}, which it cannot have")
            self._array(member, np.dtype(dtype), self._member(member).shape)
            if kind == Texts.name:
                texts = self._texts(member, len(self._member(f"{member}.offsets")) - 1)
                self._codes[member] = (NO_TEXT, len(texts))
                types[name] = dictionary(texts, known[name].get("ordered") is True)
            elif kind == Bools.name:
                self._codes[member] = (0, 2)
                types[name] = Bools()
            else:
                unit, zone = (known[name].get(each) for each in ("unit", "zone"))
                if unit not in ("s", "ms", "us", "ns") or not isinstance(zone, str | None):
                    raise self._wrong(ABOUT, f"has times of the unit {unit!r} and zone {zone!r}")
                types[name] = Times(unit, zone)
        return types

    def _texts(self, name: str, count: int) -> list[str]:
        """Texts that are stored as joined UTF-8."""
        place = f"{name}.utf8"
        data = self._array(place, np.dtype(np.uint8), self._member(place).shape)
        offsets = self._array(f"{name}.offsets", np.dtype(np.int64), (count + 1,))
        self._check_offsets(f"{name}.offsets", offsets, len(data))
        text, ends = data.tobytes(), offsets.tolist()
        try:
            return [
                text[begin:end].decode("utf-8", "surrogatepass") for begin, end in pairwise(ends)
            ]
        except UnicodeDecodeError as error:
            raise self._wrong(place, f"is not UTF-8 ({error})") from error

    def _end(self, name: str) -> np.ndarray | CsrEnds:
        """One end of each edge."""
        if name + RUNS not in self.members:
            return self._array(name, np.dtype(np.int32), (self.num_edges,), self.num_vertices)
        index = index_dtype(self.num_edges)
        return CsrEnds(
            self._array(name + RUNS, index, (self.num_vertices + 1,), self.num_edges + 1)
        )

    def _fingerprint(self) -> str | None:
        """The fingerprint in the file, unless the edges or labels have been changed since."""
        found, ties = self.about.get("fingerprint"), self.about.get("tied")
        if not self.places or not isinstance(found, str) or not isinstance(ties, dict):
            return None
        labels = [name for name in LABELS if name in self.members]
        return found if all(self.members[name].crc == ties.get(name) for name in labels) else None

    def _array(
        self, name: str, wanted: np.dtype | str, shape: tuple[Any, ...], limit: int | None = None
    ) -> np.ndarray:
        """A member of this type (a dtype, or kinds of dtypes) and shape, in native byte order."""
        array = self._member(name)
        native = array.dtype.newbyteorder("=")
        fits = native.kind in wanted if isinstance(wanted, str) else native == wanted
        open_ended = shape[-1:] == (...,)
        shape_given = array.shape[:1] if open_ended and array.ndim in (1, 2) else array.shape
        if not fits or shape_given != (shape[:-1] if open_ended else shape):
            kinds = f"a dtype of the kinds {wanted}" if isinstance(wanted, str) else str(wanted)
            raise self._wrong(
                name, f"is {array.dtype} of shape {array.shape}, and should be {kinds} of {shape}"
            )
        if limit is not None:
            self.checks[name] = min(limit, self.checks.get(name, limit))
        return array.astype(native, copy=False)

    def _numbered(
        self, direction: str, src: np.ndarray | CsrEnds, dst: np.ndarray | CsrEnds
    ) -> tuple[str, tuple[Numbering, Arcs]]:
        """A direction, and the arcs along it by other numbers."""
        place = self.places[direction].get("order", f"arcs.{direction}.order")
        int32, count = np.dtype(np.int32), self.num_vertices
        order = self._array(place, int32, (count,), count)
        if count and not 0 <= order.min() <= order.max() < count:
            raise self._wrong(place, "contains what is no vertex")
        number = inverse(order)
        if (number[order] != np.arange(count)).any() or direction not in self.shares:
            raise self._wrong(place, "does not contain every vertex once")
        ends = (Renumbered(end, number) for end in (src, dst))
        arcs = self._arcs(direction, *ends)
        return direction.partition(".")[0], (Numbering(order, number, self.shares[direction]), arcs)

    def _arcs(self, direction: str, src: Ends, dst: Ends) -> Arcs:
        places, both = self.places[direction], direction.startswith("both")
        count = len(self._member_of(direction, "out_targets"))
        least, most = self.num_edges, self.num_edges * (2 if both else 1)
        if not least <= count <= most:
            raise self._wrong(
                "arcs", f"are {count:,}, and {self.num_edges:,} edges have {least:,} to {most:,}"
            )
        index, int32 = index_dtype(count), np.dtype(np.int32)
        kinds: dict[str, tuple[np.dtype, int, int]] = {}
        for side, ends in (("out", "targets"), ("in", "sources")):
            kinds[f"{side}_offsets"] = (index, self.num_vertices + 1, count + 1)
            kinds[f"{side}_{ends}"] = (int32, count, self.num_vertices)
            kinds[f"{side}_edges"] = (index, count, self.num_edges)
            kinds[f"{side}_reversed"] = (np.dtype(np.uint8), count, 2)
        kinds["slot"] = (index, count, count)
        known = {
            name: self._array(place, kinds[name][0], (kinds[name][1],), kinds[name][2])
            for name, place in places.items()
            if name in kinds and (both or name not in FLAGS)
        }

        def order(side: str, row: Ends, end: Ends) -> Order:
            arrays = {name: known.pop(n) for name, n in ORDERS[side].items() if n in known}
            if not {"offsets", "ends"} <= set(arrays):
                raise self._wrong("arcs", f"lack an array of the order {side!r}")
            return Order(row, end, self.num_vertices, both=both, known=arrays)

        tail, head = (dst, src) if direction.startswith("in") else (src, dst)
        out, into = order("out", tail, head), order("in", head, tail)
        return Arcs(out, into, src, direction.partition(".")[0], known)

    def _member_of(self, direction: str, name: str) -> np.ndarray:
        return self._member(self.places[direction].get(name, name))

    def _member(self, name: str) -> np.ndarray:
        if name not in self.members:
            raise self._wrong(name, "is missing")
        return self.members[name].array

    def _labels(self) -> np.ndarray | None:
        if "labels" in self.members:
            return self._array("labels", "iuU", (self.num_vertices,))
        if "labels.utf8" not in self.members:
            return None
        return np.array(self._texts("labels", self.num_vertices), dtype=str)

    def check_order(self) -> None:
        """Check that there are as many arcs as the edges make, that their offsets increase from 0
        to that number, and that text labels consist of valid characters."""
        for direction in self.places:
            count, num_arcs = len(self._member_of(direction, "out_targets")), self.num_edges
            if direction.startswith("both"):
                ends = (self._end(name) for name in ENDS)
                num_arcs = 2 * num_arcs - count_loops(*ends)
            if count != num_arcs:
                raise self._wrong("arcs", f"are {count:,}, and the edges make {num_arcs:,}")
            for name in ("out_offsets", "in_offsets"):
                self._check_offsets(
                    self.places[direction][name], self._member_of(direction, name), count
                )
        for name, (least, limit) in self._codes.items():
            values = self.members[name].array
            if len(values) and not least <= values.min() <= values.max() < limit:
                raise self._wrong(name, f"should have values from {least} to {limit - 1:,}")
        for name in (name + RUNS for name in ENDS if name + RUNS in self.members):
            self._check_offsets(name, self.members[name].array, self.num_edges)
        labels = self.members["labels"].array if "labels" in self.members else None
        if labels is not None and labels.dtype.kind == "U" and labels.size:
            codes = labels.view(labels.dtype.byteorder + "u4")
            if codes.max() > sys.maxunicode:
                raise self._wrong("labels", "contains an invalid character")

    def _check_offsets(self, name: str, offsets: np.ndarray, last: int) -> None:
        if not rises(offsets, last):
            raise self._wrong(name, f"should increase from 0 to {last:,}")


def _recognizes(head: bytes) -> bool:
    return head.startswith(SIGNATURE) and head[30:].startswith(f"{ABOUT}.npy".encode())


FORMAT = Format(
    name="gascl", extensions=(".npz",), recognizes=_recognizes, read=read, write=write, packs=False
)
