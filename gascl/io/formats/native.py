"""gascl's own .npz: a graph with its arcs, ready to be mapped into memory.

`numpy.load` reads it, too. The first member, `gascl.json`, holds JSON as bytes that describes the
others; docs/graphs.md has the layout.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gascl.errors import FormatError
from gascl.graph.arcs import ARRAYS, Arcs, Order, index_dtype
from gascl.graph.labels import shown
from gascl.graph.parsed import Parsed
from gascl.io.files import created
from gascl.io.format import Format
from gascl.io.members import SIGNATURE, ZipMember, check_all, read_members, write_members
from gascl.io.undirected import MADE_DIRECTED, both_ways

if TYPE_CHECKING:
    from gascl.graph.graph import Graph

#: Of the layout; a reader accepts versions up to its own.
VERSION = 1
ABOUT = "gascl.json"
FLAGS = ("out_reversed", "in_reversed")


def write(path: Path, graph: Graph) -> None:
    """Write a graph with its arcs, which are built if necessary.

    Raises:
        FormatError: labels are objects, or a field is neither numbers nor text.
    """
    members = {"edge_src": graph.edge_src, "edge_dst": graph.edge_dst}
    members |= _labels(path, graph)
    for noun, values in (("edge", graph.edge_fields), ("vertex", graph.vertex_fields)):
        for name, array in values.items():
            if array.dtype.kind not in "biufU" or array.dtype.char == "g":
                raise FormatError(
                    f"{path}: the {noun} field {name!r} is of {array.dtype}, and gascl's .npz "
                    "holds integers, floats and text; convert it or leave it out"
                )
            members[f"{noun}.{name}"] = array
    arcs, places = graph.arcs(), {}
    stored: dict[int, str] = {}  # equal arrays are one object in Arcs, and one member here
    for name in ARRAYS:
        if graph.directed and name in FLAGS:
            continue  # none of its arcs is reversed
        array = getattr(arcs, name)
        place = stored.setdefault(id(array), f"arcs.{name}")
        members[place], places[name] = array, place
    about = {
        "format": "gascl graph",
        "version": VERSION,
        "num_vertices": graph.num_vertices,
        "num_edges": graph.num_edges,
        "directed": graph.directed,
        "edge_fields": list(graph.edge_fields),
        "vertex_fields": list(graph.vertex_fields),
        "arcs": places,
        "members": list(members),
    }
    text = np.frombuffer(json.dumps(about, indent=1).encode(), np.uint8)
    with created(path) as file:
        write_members(file, [(ABOUT, text), *members.items()])


def read(
    path: Path,
    directed: bool | None,
    *,
    mmap: bool = True,
    verify: bool = True,
    arcs: bool = True,
) -> Parsed:
    """Read a graph that gascl wrote.

    Args:
        directed: True makes two edges of each edge of an undirected graph, False makes every edge
            of a directed one undirected. The arcs are then built anew.
        mmap: map the file into memory, read-only, so that only what is used is read; the file must
            not be changed meanwhile (it may be replaced, except on Windows).
        verify: check every member's checksum, and that all ids are in range, so that no kernel
            reads beyond an array; False opens a file at once, and is for files known to be intact.
        arcs: use the arcs in the file. Whether they match its edges is not checked, which would
            take as long as building them; False builds them, for files of unknown origin.

    Raises:
        FormatError: the file is not gascl's, has a newer version, is cut off or damaged; names the
            member.
    """
    for name, value in (("mmap", mmap), ("verify", verify), ("arcs", arcs)):
        if not isinstance(value, (bool, np.bool_)):
            raise FormatError(f"{path}: {name}={shown(value)} must be True or False")
    members = read_members(path, bool(mmap))
    contents = _Contents(path, members)
    parsed, checks = contents.parsed(), contents.checks
    if verify:
        check_all((member, checks.get(name)) for name, member in members.items())
        contents.check_order()
    report = parsed.report
    report.append(f"gascl's .npz, version {contents.version}")
    report.append("checksums and ranges verified" if verify else "verify=False: nothing checked")
    if directed is None or directed == parsed.directed:
        if arcs:
            return parsed
        report.append("arcs=False: the file's arcs are not used")
        return replace(parsed, arcs={})
    src, dst, values = parsed.src, parsed.dst, parsed.fields
    if directed:
        report.append(MADE_DIRECTED)
        src, dst, values = both_ways(src, dst, values)
    else:
        report.append("directed=False: every edge of the directed graph became undirected")
    return replace(parsed, src=src, dst=dst, directed=directed, fields=values, arcs={})


def _labels(path: Path, graph: Graph) -> dict[str, np.ndarray]:
    """The members for the labels: as they are, or as joined UTF-8 if that is less than half."""
    labels = graph.labels
    if labels is None:
        return {}
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
        if int(lengths.sum()) + 8 * (len(texts) + 1) < labels.nbytes // 2:
            return {
                "labels.utf8": np.frombuffer(b"".join(texts), np.uint8),
                "labels.offsets": np.concatenate([[0], np.cumsum(lengths)]),
            }
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
            self.version = int(self.about["version"])
            if self.version > VERSION:
                raise FormatError(
                    f"{path} is in version {self.version} of gascl's .npz, and this gascl reads "
                    f"up to {VERSION}: `pip install --upgrade gascl`"
                )
            self.num_vertices = int(self.about["num_vertices"])
            self.num_edges = int(self.about["num_edges"])
            self.directed = bool(self.about["directed"])
            self.places: dict[str, str] = dict(self.about["arcs"])
            self.listed = [str(name) for name in self.about["members"]]
            self.names = [list(map(str, self.about[f"{n}_fields"])) for n in ("edge", "vertex")]
        except FormatError:
            raise
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
            raise self._wrong(ABOUT, f"is not what gascl writes ({error!r})") from error
        missing = [name for name in self.listed if name not in members]
        if missing:
            raise self._wrong(missing[0], "is missing")
        self.checks: dict[str, int] = {}

    def _wrong(self, name: str, what: str) -> FormatError:
        return FormatError(f"{self.path}: {name} {what}; fetch or write the file again")

    def parsed(self) -> Parsed:
        """Views of the members, without looking at what they hold."""
        count, edges = self.num_vertices, self.num_edges
        edge_names, vertex_names = self.names
        src, dst = (
            self._array(name, np.dtype(np.int32), (edges,), count)
            for name in ("edge_src", "edge_dst")
        )
        return Parsed(
            src=src,
            dst=dst,
            num_vertices=count,
            directed=self.directed,
            labels=self._labels(),
            fields={name: self._array(f"edge.{name}", "biufU", (edges,)) for name in edge_names},
            vertex_fields={
                name: self._array(f"vertex.{name}", "biufU", (count, ...)) for name in vertex_names
            },
            arcs={"out" if self.directed else "both": self._arcs(src, dst)},
        )

    def _array(
        self, name: str, wanted: np.dtype | str, shape: tuple[Any, ...], limit: int | None = None
    ) -> np.ndarray:
        """A member of this type (a dtype, or kinds of dtypes) and shape, in native byte order."""
        if name not in self.members:
            raise self._wrong(name, "is missing")
        array = self.members[name].array
        native = array.dtype.newbyteorder("=")
        fits = native.kind in wanted if isinstance(wanted, str) else native == wanted
        open_ended = shape[-1:] == (...,)
        given = array.shape[:1] if open_ended and array.ndim in (1, 2) else array.shape
        if not fits or given != (shape[:-1] if open_ended else shape):
            kinds = f"a dtype of the kinds {wanted}" if isinstance(wanted, str) else str(wanted)
            raise self._wrong(
                name, f"is {array.dtype} of shape {array.shape}, and should be {kinds} of {shape}"
            )
        if limit is not None:
            self.checks[name] = min(limit, self.checks.get(name, limit))
        return array.astype(native, copy=False)

    def _arcs(self, src: np.ndarray, dst: np.ndarray) -> Arcs:
        count = len(self._member_of("out_targets"))
        least, most = self.num_edges, self.num_edges * (1 if self.directed else 2)
        if not least <= count <= most:
            raise self._wrong(
                "arcs", f"are {count:,}, and {self.num_edges:,} edges have {least:,} to {most:,}"
            )
        index, int32 = index_dtype(count), np.dtype(np.int32)
        kinds: dict[str, tuple[np.dtype, int, int]] = {}
        for way, ends in (("out", "targets"), ("in", "sources")):
            kinds[f"{way}_offsets"] = (index, self.num_vertices + 1, count + 1)
            kinds[f"{way}_{ends}"] = (int32, count, self.num_vertices)
            kinds[f"{way}_edges"] = (index, count, self.num_edges)
            kinds[f"{way}_reversed"] = (np.dtype(np.uint8), count, 2)
        kinds["slot"] = (index, count, count)
        known = {
            name: self._array(self.places.get(name, name), dtype, (length,), limit)
            for name, (dtype, length, limit) in kinds.items()
            if not (self.directed and name in FLAGS)
        }

        def order(way: str, row: np.ndarray, end: np.ndarray, ends: str) -> Order:
            names = {"offsets": f"{way}_offsets", "ends": f"{way}_{ends}", "places": f"{way}_edges"}
            arrays = {name: known.pop(place) for name, place in names.items()}
            both = not self.directed
            return Order(row, end, self.num_vertices, both=both, known=arrays)

        out, into = order("out", src, dst, "targets"), order("in", dst, src, "sources")
        return Arcs(out, into, src, "out" if self.directed else "both", known)

    def _member_of(self, name: str) -> np.ndarray:
        place = self.places.get(name, name)
        if place not in self.members:
            raise self._wrong(place, "is missing")
        return self.members[place].array

    def _labels(self) -> np.ndarray | None:
        if "labels" in self.members:
            return self._array("labels", "iuU", (self.num_vertices,))
        if "labels.utf8" not in self.members:
            return None
        data = self._array(
            "labels.utf8", np.dtype(np.uint8), self.members["labels.utf8"].array.shape
        )
        offsets = self._array("labels.offsets", np.dtype(np.int64), (self.num_vertices + 1,))
        self._check_offsets("labels.offsets", offsets, len(data))
        text, ends = data.tobytes(), offsets.tolist()
        try:
            return np.array(
                [text[begin:end].decode("utf-8", "surrogatepass") for begin, end in pairwise(ends)],
                dtype=str,
            )
        except UnicodeDecodeError as error:
            raise self._wrong("labels.utf8", f"is not UTF-8 ({error})") from error

    def check_order(self) -> None:
        """Check that there are as many arcs as the edges make, that their offsets increase from 0
        to that number, and that text labels consist of valid characters."""
        count, num_arcs = len(self._member_of("out_targets")), self.num_edges
        if not self.directed:
            ends = (self.members[name].array for name in ("edge_src", "edge_dst"))
            num_arcs = 2 * num_arcs - int(np.count_nonzero(np.equal(*ends)))
        if count != num_arcs:
            raise self._wrong("arcs", f"are {count:,}, and the edges make {num_arcs:,}")
        labels = self.members["labels"].array if "labels" in self.members else None
        if labels is not None and labels.dtype.kind == "U" and labels.size:
            codes = labels.view(labels.dtype.byteorder + "u4")
            if codes.max() > sys.maxunicode:
                raise self._wrong("labels", "contains an invalid character")
        for name in ("out_offsets", "in_offsets"):
            self._check_offsets(self.places.get(name, name), self._member_of(name), count)

    def _check_offsets(self, name: str, offsets: np.ndarray, last: int) -> None:
        ends = (int(offsets[0]), int(offsets[-1]))
        if ends != (0, last) or bool((offsets[1:] < offsets[:-1]).any()):
            raise self._wrong(name, f"should increase from 0 to {last:,}")


def _recognizes(head: bytes) -> bool:
    return head.startswith(SIGNATURE) and head[30:].startswith(f"{ABOUT}.npy".encode())


FORMAT = Format(
    name="gascl", extensions=(".npz",), recognizes=_recognizes, read=read, write=write, packs=False
)
