"""Checks of ids and fields, and policies for edges, before they become a Graph."""

from __future__ import annotations

import operator
import sys
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from gascl.errors import GraphError
from gascl.graph.arcs import INT32_MAX, Ends, Order, index_dtype
from gascl.graph.field_types import Bools, Coded, Texts, Times, coded, described, types_of
from gascl.graph.labels import LabelIndex, label_array, shown
from gascl.graph.pandas_values import as_series, pandas_values
from gascl.graph.parallel import blocks, copied, extremes, in_threads
from gascl.graph.raw_graph import RawGraph
from gascl.graph.rounding import warn_of_rounding
from gascl.user_messages import Message, Option

if TYPE_CHECKING:
    from gascl.graph.graph import Graph

Duplicates = Literal["keep", "sum", "min", "max", "first", "error"]
SelfLoops = Literal["keep", "drop", "error"]

MERGES = {"sum": np.add, "min": np.minimum, "max": np.maximum}


#: The remedy for triples (source, target, weight), which NetworkX takes.
TRIPLES = "; give the weights separately: [(u, v) for u, v, w in ...], weight=[w for ...]"


def ends_of_pairs(edges: Any, name: str) -> tuple[Any, Any]:
    """Sources and destinations, from a tuple of both or from a list of pairs."""
    wanted = f"{name} must be a list of pairs, as [(1, 2), (1, 3)], or a tuple (src, dst) of arrays"
    if edges is None:
        return (), ()
    if isinstance(edges, tuple):
        if len(edges) != 2:
            raise GraphError(f"{wanted}, not a tuple of {len(edges)}")
        for labels in edges:
            if isinstance(labels, str) or not np.iterable(labels):
                raise GraphError(f"{wanted}; a single edge is [({edges[0]!r}, {edges[1]!r})]")
            if isinstance(labels, np.ndarray) and labels.ndim > 1:
                raise GraphError(f"{wanted} of one dimension, not of shape {labels.shape}")
        # Empty arrays need not have the labels' type: np.array([]) has floats.
        src, dst = (x if not isinstance(x, np.ndarray) or len(x) else () for x in edges)
        return src, dst
    if isinstance(edges, np.ndarray):
        if not edges.size:
            return (), ()
        if edges.ndim != 2 or edges.shape[1] != 2:
            hint = TRIPLES if edges.shape[1:] == (3,) else ""
            raise GraphError(
                f"{wanted}; an array of pairs has shape (n, 2), not {edges.shape}{hint}"
            )
        return edges[:, 0], edges[:, 1]
    if isinstance(edges, str) or not np.iterable(edges):
        raise GraphError(f"{wanted}, not {edges!r}")
    library, kind = type(edges).__module__.partition(".")[0], type(edges).__name__
    if library in ("pandas", "networkx", "igraph") and kind.endswith(("Frame", "Graph")):
        raise GraphError(f"{wanted}, not {library}'s: use Graph.from_{library}")
    tails, heads = [], []
    for place, pair in enumerate(edges):
        try:
            if isinstance(pair, str):  # would give two letters
                raise TypeError
            tail, head = pair
        except (TypeError, ValueError):
            triple = isinstance(pair, list | tuple) and len(pair) == 3
            hint = TRIPLES if triple and isinstance(pair[2], int | float | np.number) else ""
            raise GraphError(
                f"{wanted}; item {place} is {pair!r}, which is not a pair{hint}"
            ) from None
        tails.append(tail)
        heads.append(head)
    return tails, heads


def vertices_of_labels(
    src: Any, dst: Any, labels: Iterable[Any] | None
) -> tuple[Any, Any, Iterable[Any] | None]:
    """Ends that are labels, text or objects, as vertices, and the labels of all vertices: the
    argument `labels`, or else those of the ends, text sorted and objects in order of appearance.
    Numbers are returned unchanged.

    Raises:
        GraphError: one end has labels and the other numbers, or an end is none of the labels given.
    """
    for name, ids in (("src", src), ("dst", dst)):
        if isinstance(ids, str) or not np.iterable(ids):
            raise GraphError(f"{name} must be a list or an array with an id per edge, not {ids!r}")
    tails, heads = _labels_or_numbers(src, "src"), _labels_or_numbers(dst, "dst")
    texts = [end.dtype.kind in "UO" for end in (tails, heads)]
    if not any(texts):
        return tails, heads, labels
    check_lengths(tails, heads)
    if not all(texts):
        odd = heads if texts[0] else tails
        named, other = ("src", "dst") if texts[0] else ("dst", "src")
        raise GraphError(f"{named} has labels and {other} {odd.dtype}; give both alike")
    if labels is None:
        distinct = label_array(dict.fromkeys([*tails.tolist(), *heads.tolist()]))
        labels = np.unique(distinct) if distinct.dtype.kind == "U" else distinct
    names = label_array(labels)
    index = LabelIndex(names)
    return index.find_all(tails), index.find_all(heads), names


def check_unmasked(values: Any, name: str) -> None:
    """Raises GraphError if `values` is a masked array with a masked value, which has no meaning."""
    ma = sys.modules.get("numpy.ma")  # importing it takes longer than a small run
    if ma is not None and ma.is_masked(values):
        place = int(np.flatnonzero(ma.getmaskarray(values))[0])
        raise GraphError(
            f"{name} has masked values, the first at place {place}; leave out what they belong to, "
            "or give them a value with .filled(...)"
        )


def check_lengths(src: np.ndarray, dst: np.ndarray) -> None:
    """Raises GraphError if there are not as many sources as targets."""
    if len(src) != len(dst):
        raise GraphError(
            f"src has {len(src):,} ids and dst has {len(dst):,}; give both the same length"
        )


def _labels_or_numbers(ids: Any, name: str) -> np.ndarray:
    """An array of numbers, or of labels where any is text or an object."""
    check_unmasked(ids, name)
    listed = isinstance(ids, list | tuple)
    tuples = listed and len(ids) and isinstance(ids[0], tuple)
    try:
        array = label_array(ids) if tuples else np.asarray(ids)
    except ValueError:
        raise GraphError(f"{name} must have shape (edges,), not rows of several lengths") from None
    if listed and array.ndim == 1 and array.dtype.kind in "UO":
        array = label_array(ids)  # NumPy converts numbers among text to text
    elif array.ndim == 1 and array.dtype.kind in "UO":
        array = label_array(array)
    if array.dtype == object and array.ndim == 1:
        missing = next((at for at, label in enumerate(array) if label is None), None)
        if missing is not None:
            raise GraphError(f"edge {missing}: {name} is None; leave out such edges")
    return array


def by_label(given: Any, graph: Graph) -> Any:
    """A pandas Series in the order of the vertices where its index has the label of each, or where
    the index is none (0, 1, ...); another Series as a dict; anything else as it is.

    Raises:
        GraphError: a label occurs twice in the index.
    """
    index: Any = getattr(given, "index", None)
    if not hasattr(index, "is_unique"):
        return given
    if len(index) == graph.num_vertices and index.is_unique:
        with suppress(GraphError):  # not all are labels
            at = graph.indices_of(index.tolist())
            order = np.argsort(at)
            if np.array_equal(at[order], np.arange(len(at))):
                return given.iloc[order]
    if np.array_equal(index.to_numpy(), np.arange(len(index))):
        return given
    if not index.is_unique:
        twice = index[index.duplicated()][0]
        raise GraphError(f"{shown(twice)} occurs twice in the index of a Series; give each once")
    return dict(zip(index.tolist(), given.tolist(), strict=True))


def checked_vertex_fields(
    fields: Mapping[str, Any], graph: Graph, report: list[str]
) -> dict[str, Any]:
    """Vertex fields as a Graph holds them: `vertex_fields`, each (V,) or (V, n), and
    `vertex_types`. What is not just numbers is reported.

    A dict, or a Series with an index of labels, becomes an array in the order of the vertices. All
    are copied.

    Raises:
        GraphError: one is neither numbers, text, times nor bools, or has not one value for each
            vertex; counts the vertices without one, and the labels of no vertex.
    """
    checked = {}
    for name, field in fields.items():
        values = by_label(field, graph)
        if isinstance(values, Mapping):
            values = _aligned(values, graph, f"the vertex field {name!r}")
        coded = _coded(name, values, "vertex", report)
        array = coded.values
        if array.ndim not in (1, 2) or len(array) != graph.num_vertices:
            raise GraphError(
                f"vertex field {name!r} has shape {array.shape}, and there are "
                f"{graph.num_vertices:,} vertices; give one value, or one row, per vertex"
            )
        checked[name] = Coded(kept(array, array.dtype.newbyteorder("="), own=False), coded.type)
    arrays = {name: coded.values for name, coded in checked.items()}
    return {"vertex_fields": arrays, "vertex_types": types_of(checked)}


def _aligned(given: Mapping[Any, Any], graph: Graph, what: str) -> list[Any]:
    """The values of a dict from labels, in the order of the vertices.

    Raises:
        GraphError: a vertex has none, or a label is no vertex's; counts both.
    """
    values: list[Any] = [None] * graph.num_vertices
    unknown: list[Any] = []
    problem = None
    for label, value in given.items():
        try:
            values[graph.index_of(label)] = value
        except GraphError as error:
            unknown.append(label)
            problem = problem or error
    if problem is not None:
        raise GraphError(
            f"{what}: {len(unknown):,} of {len(given):,} labels are no vertex's: ", problem.message
        )
    missing = [v for v, value in enumerate(values) if value is None]
    if missing:
        raise GraphError(
            f"{what} has no value for {shown(graph.label_of(missing[0]))}, one of {len(missing):,} "
            f"of {graph.num_vertices:,} vertices without; give one for every vertex"
        )
    return values


def checked_ids(values: Any, name: str) -> tuple[np.ndarray, int]:
    """`values` as non-negative integers of shape (E,), of any width, and the highest; -1 of none.

    Raises:
        GraphError: `values` are not integers in one dimension, or one is negative.
    """
    check_unmasked(values, name)
    ids = np.asarray(values)
    if ids.ndim != 1:
        raise GraphError(f"{name} must have shape (edges,), not {ids.shape}")
    if ids.dtype.kind == "f":
        wrong = np.flatnonzero(~np.isfinite(ids) | (ids != np.trunc(ids)))
        if len(wrong):
            raise GraphError(
                f"edge {wrong[0]}: {name} is {ids[wrong[0]]}, and a vertex id is a whole number; "
                "correct it"
            )
    elif ids.dtype.kind not in "iu":
        raise GraphError(
            f"{name} must be integers or text, not {ids.dtype}; convert it with .astype(int) or "
            ".astype(str)"
        )
    least, highest = limits(ids)
    if least < 0:
        negative = np.flatnonzero(ids < 0)
        raise GraphError(
            f"edge {negative[0]}: {name} is {ids[negative[0]]}, and vertex ids start at 0; number "
            "the vertices from 0 and give their own ids as labels="
        )
    return ids, highest


def checked_offsets(values: Any, num_edges: int) -> np.ndarray:
    """Offsets of edges, (V + 1,), as a contiguous `index_dtype(num_edges)`.

    Raises:
        GraphError: `values` are not integers in one dimension that rise from 0 to `num_edges`.
    """
    offsets = np.asarray(values)
    if offsets.ndim != 1 or not len(offsets):
        raise GraphError(
            f"offsets have the shape {offsets.shape}, and should have (vertices + 1,), with a 0 as "
            "the first one"
        )
    if offsets.dtype.kind not in "iu":
        raise GraphError(
            f"offsets must be integers, not {offsets.dtype}; convert them with .astype(int)"
        )
    first, last = int(offsets[0]), int(offsets[-1])
    if (first, last) != (0, num_edges):
        raise GraphError(
            f"offsets go from {first:,} to {last:,}, and should go from 0 to {num_edges:,}, the "
            "number of targets"
        )
    fall = np.flatnonzero(offsets[1:] < offsets[:-1])
    if len(fall):
        raise GraphError(
            f"the edges of vertex {fall[0]} end at {offsets[fall[0] + 1]:,}, before they begin at "
            f"{offsets[fall[0]]:,}: each of the offsets must be as high as the one before or higher"
        )
    return np.ascontiguousarray(offsets, index_dtype(num_edges)).view()


def checked_num_vertices(
    ends: Mapping[str, tuple[np.ndarray, int]],
    num_vertices: int | None,
    labels: np.ndarray | None,
    remedy: str = "",
) -> int:
    """The number of vertices, checked against the ids: what `checked_ids` gives, by name.

    Args:
        remedy: what to do if there are too few vertices and no labels; by default, give the number.

    Raises:
        GraphError: it is negative, too large for int32, not the number of labels, or too small.
    """
    if num_vertices is None:
        count = 1 + max(highest for _, highest in ends.values())
        count = count if labels is None else len(labels)
    else:
        try:
            count = operator.index(num_vertices)
        except TypeError:
            raise GraphError(
                f"num_vertices is {shown(num_vertices)}; give a whole number"
            ) from None
    if not 0 <= count <= INT32_MAX:
        raise GraphError(
            f"the graph would have {count:,} vertices; it can have 0 to {INT32_MAX:,}; if ids have "
            "gaps, number the vertices from 0 and give the ids as labels="
        )
    if labels is not None and len(labels) != count:
        raise GraphError(
            f"there are {len(labels):,} labels and {count:,} vertices; give one label per vertex"
        )
    for name, (ids, highest) in ends.items():
        if highest >= count:
            beyond = np.flatnonzero(ids >= count)
            value = int(ids[beyond[0]])
            allowed = f"0 to {count - 1}" if count else "none"
            more = f"give {value + 1} labels"
            if labels is None:
                more = remedy or f"give num_vertices={value + 1}"
            raise GraphError(
                f"edge {beyond[0]}: {name} is {value}, and the graph has {count} vertices (ids: "
                f"{allowed}); correct the id or {more}"
            )
    return count


def checked_fields(
    fields: Mapping[str, Any],
    num_edges: int,
    noun: str = "edges",
    report: list[str] | None = None,
    own: bool = False,
) -> dict[str, Any]:
    """Edge fields as a Graph holds them: `edge_fields`, each (E,) in native byte order, and
    `edge_types`.

    Args:
        noun: the word for edges in errors.
        report: takes lines about what is not just numbers.
        own: as in `kept`; else all are copied.

    Raises:
        GraphError: a name is not an identifier, or values are neither integers, float32, float64,
            text, times nor bools, or not one per edge.
    """
    checked = {}
    for name, values in fields.items():
        coded = _coded(name, values, "edge", report)
        array = coded.values
        if array.shape != (num_edges,):
            raise GraphError(
                f"edge field {name!r} has shape {array.shape}, and there are {num_edges:,} {noun}; "
                "give one value per edge"
            )
        checked[name] = Coded(kept(array, array.dtype.newbyteorder("="), own), coded.type)
    arrays = {name: coded.values for name, coded in checked.items()}
    return {"edge_fields": arrays, "edge_types": types_of(checked)}


def _coded(name: str, values: Any, kind: str, report: list[str] | None) -> Coded:
    """The values of a field, of any shape.

    Args:
        kind: what errors call the field, "edge" or "vertex".
    """
    if not isinstance(name, str) or not name.isidentifier():
        raise GraphError(
            f"the {kind} field {name!r} needs a name that can be written in a program: letters, "
            "digits and _, not starting with a digit"
        )
    check_unmasked(values, f"{kind} field {name!r}")
    remarks: list[str] = []
    series = as_series(values)
    if series is not None:
        values = pandas_values(series, remarks)
    array = values.values if isinstance(values, Coded) else _array(values)
    found = values if isinstance(values, Coded) else _not_numbers(values, array)
    weight = kind == "edge" and name == "weight"
    if weight and found is not None and isinstance(found.type, Texts | Times):
        raise GraphError(
            f"edge field 'weight' has {found.type.name}s, and programs read weights as numbers; "
            "convert them, e.g. with .astype('float64'), or give the field another name"
        )
    if found is not None:
        if report is not None:
            report += [*remarks, f"{kind} field {name!r}: {described(found)}"]
        return found
    if array.dtype.kind not in "iuf" or array.dtype.char in "eg":
        raise GraphError(
            f"{kind} field {name!r} must be integers, float32, float64, text, times or bools, not "
            f"{array.dtype}; convert it, e.g. with .astype('float64')"
        )
    if isinstance(values, (list, tuple)):
        warn_of_rounding(lambda number: f"{kind} {number}", name, values, array)
    return Coded(array)


def _array(values: Any) -> np.ndarray:
    try:
        return np.asarray(values)
    except ValueError:  # rows of several lengths
        return np.empty(0, object)


def _not_numbers(values: Any, array: np.ndarray) -> Coded | None:
    """The values as texts, times or bools; None if they are none of them.

    Args:
        array: what NumPy makes of them.
    """
    if array.dtype.kind == "b" and array.ndim:
        return coded(array)
    if array.dtype.kind in "MUO" and array.ndim == 1:
        return coded(values if isinstance(values, list | tuple) else array)
    return None


def kept(array: np.ndarray, dtype: Any, own: bool) -> np.ndarray:
    """The array as contiguous `dtype`: a copy, unless it is `own`, made by a reader for the graph.

    A read-only array is always copied: it may be a view of a file.
    """
    return array if _stays(array, dtype, own) else copied(array, dtype)


def _stays(array: np.ndarray, dtype: Any, own: bool) -> bool:
    """Whether `kept` does not copy the array."""
    return own and array.dtype == dtype and array.flags.c_contiguous and array.flags.writeable


def kept_ends(src: np.ndarray, dst: np.ndarray, own: bool) -> tuple[np.ndarray, np.ndarray, int]:
    """Both ends of the edges as `kept` returns them, int32, and the number of self-loops, counted
    in the same pass, since memory is the bottleneck."""
    originals = src, dst
    ends = [e if _stays(e, np.int32, own) else np.empty(len(e), np.int32) for e in originals]

    def take(block: slice) -> int:
        for end, original in zip(ends, originals, strict=True):
            if end is not original:
                end[block] = original[block]
        return int(np.count_nonzero(ends[0][block] == ends[1][block]))

    loops = sum(in_threads(take, blocks(len(src))))
    return ends[0], ends[1], loops


def limits(ids: np.ndarray) -> tuple[int, int]:
    """The least and the greatest of some integers; 0 and -1 of none.

    The least may be given as 0 if it is more.
    """
    if not len(ids):
        return 0, -1
    if ids.dtype == np.int32:  # one pass instead of two: negative ones are the greatest unsigned
        highest = max(in_threads(lambda b: int(ids[b].view(np.uint32).max()), blocks(len(ids))))
        if highest <= INT32_MAX:
            return 0, highest
    return extremes(ids)


def check_names(fields: Mapping[str, Any], arguments: Iterable[str]) -> None:
    """Raises GraphError where an edge field is likely to be meant as one of `arguments`: the names
    differ only in _ and case, or are similar and the value is no array."""
    plain = {argument.replace("_", ""): argument for argument in arguments}
    for name, values in fields.items():
        bare = name.replace("_", "").lower()
        near = [bare] if bare in plain else get_close_matches(bare, plain, 1, 0.8)
        if near and (bare in plain or isinstance(values, (str, int, float, type(None)))):
            raise GraphError(
                f"there is no argument {name!r}; did you mean ",
                Option(plain[near[0]]),
                "? An edge field needs a less similar name, and one number per edge",
            )


def check_policy(name: str, value: str, allowed: Any) -> None:
    """Raises GraphError where `value` is not one of the Literal type `allowed`."""
    if value not in get_args(allowed):
        raise GraphError(
            f"{name}={value!r} is not known; use one of {', '.join(get_args(allowed))}"
        )


def count_loops(src: Ends, dst: Ends) -> int:
    """The number of edges from a vertex to itself."""
    return sum(in_threads(lambda b: int((src[b] == dst[b]).sum()), blocks(len(src))))


class Edges:
    """Edges before they become a Graph: src and dst int32 (E,), fields {name: (E,)}, a report, the
    number of self-loops if it is known, and the names of the fields that are codes or times."""

    def __init__(
        self,
        src: np.ndarray,
        dst: np.ndarray,
        fields: dict[str, np.ndarray],
        labels: np.ndarray | None,
        report: list[str],
        loops: int | None = None,
        types: Collection[str] = (),
    ):
        self.src = src
        self.dst = dst
        self.fields = fields
        self.labels = labels
        self.report = report
        self.loops = loops
        self.types = types

    def _labels_of(self, edge: int) -> list[Any]:
        """The labels of the edge's ends, or the vertices themselves."""
        ends = [self.src[edge], self.dst[edge]]
        return ends if self.labels is None else [self.labels[end] for end in ends]

    def apply_self_loops(self, policy: SelfLoops) -> None:
        """Keep, drop or refuse the edges from a vertex to itself, and report them."""
        count = count_loops(self.src, self.dst) if self.loops is None else self.loops
        if not count:
            return
        loops = self.src == self.dst
        if policy == "error":
            edge = int(np.argmax(loops))
            raise loop_refused(edge, self._labels_of(edge)[0], count)
        self.report.append(loops_reported(count, policy == "keep"))
        if policy == "drop":
            self._keep(~loops)

    def apply_duplicates(self, policy: Duplicates, num_vertices: int, directed: bool) -> None:
        """Merge or refuse edges between the same ends, and report them.

        Of each group the first edge remains, in its place; for undirected edges (u, v) and (v, u)
        are in one group.
        """
        if policy == "keep" or not len(self.src):
            return
        low, high = self.src, self.dst
        if not directed:
            low, high = np.minimum(low, high), np.maximum(low, high)
        sorted_edges = Order(low, high, num_vertices)
        order, high, offsets = sorted_edges.places, sorted_edges.ends, sorted_edges.offsets
        begins = np.ones(len(order), dtype=bool)
        np.not_equal(high[1:], high[:-1], out=begins[1:])
        begins[offsets[:-1][offsets[:-1] < offsets[1:]]] = True
        del low, high, offsets, sorted_edges
        count = len(order) - int(np.count_nonzero(begins))
        if not count:
            return
        if policy == "error":
            self._refuse_duplicates(order, begins, count)
        kept = np.ones(len(order), dtype=bool)
        kept[order[~begins]] = False
        if policy in MERGES and self.fields:
            starts = np.flatnonzero(begins)
            firsts = order[starts]  # the sort is stable, so that this edge came first
            longest = int(np.diff(starts, append=len(order)).max())
            numbers = {n: values for n, values in self.fields.items() if n not in self.types}
            if len(numbers) < len(self.fields):
                others = ", ".join(map(repr, (n for n in self.fields if n in self.types)))
                first = "the first edge's values kept of what is no number"
                self.report.append(Message(Option("duplicates", policy), f": {first}: {others}"))
            for name, values in numbers.items():
                combined = merged(name, values[order], starts, longest, policy)
                self.fields[name] = values = values.astype(combined.dtype)
                values[firsts] = combined
        self._keep(kept)
        self.report.append(merges_reported(count, policy))

    def _refuse_duplicates(self, order: np.ndarray, begins: np.ndarray, count: int) -> None:
        firsts = order[begins]  # the sort is stable, so that this edge came first
        group = np.cumsum(begins) - 1
        repeats = ~begins
        place = np.flatnonzero(repeats)[np.argmin(order[repeats])]
        edge = int(order[place])
        raise repeat_refused(edge, self._labels_of(edge), int(firsts[group[place]]), count)

    def _keep(self, kept: np.ndarray) -> None:
        self.src = self.src[kept]
        self.dst = self.dst[kept]
        self.fields = {name: values[kept] for name, values in self.fields.items()}


def checked_graph(
    raw: RawGraph, duplicates: Duplicates, self_loops: SelfLoops, own: bool
) -> RawGraph:
    """The graph as `Graph` holds it: checked, with the policies applied, and a report of its own.

    Args:
        own: arrays need no copy, as in `kept`.
    """
    check_policy("duplicates", duplicates, Duplicates)
    check_policy("self_loops", self_loops, SelfLoops)
    given, report = {"src": np.asarray(raw.src), "dst": np.asarray(raw.dst)}, list(raw.report)
    if raw.in_range and raw.num_vertices is not None:
        ends = {name: (ids, raw.num_vertices - 1) for name, ids in given.items()}
    else:
        ends = {name: checked_ids(ids, name) for name, ids in given.items()}
    (src, _), (dst, _) = ends.values()
    check_lengths(src, dst)
    labels = None if raw.labels is None else label_array(raw.labels)
    num_vertices = checked_num_vertices(ends, raw.num_vertices, labels)
    src, dst, loops = kept_ends(src, dst, own)
    checked = checked_fields(raw.fields, len(src), report=report, own=own)
    types = {**raw.edge_types, **checked["edge_types"]}
    coded = [name for name, kind in types.items() if not isinstance(kind, Bools)]
    edges = Edges(src, dst, checked["edge_fields"], labels, report, loops, coded)
    edges.apply_self_loops(self_loops)
    edges.apply_duplicates(duplicates, num_vertices, raw.directed)
    return replace(
        raw,
        src=edges.src,
        dst=edges.dst,
        num_vertices=num_vertices,
        labels=labels,
        fields=edges.fields,
        report=report,
        # A sum of bools is no bool.
        edge_types={n: t for n, t in types.items() if n in coded or edges.fields[n].itemsize == 1},
    )


def loop_refused(edge: int, label: Any, count: int) -> GraphError:
    """The error for the first of some self-loops, at the vertex with this label."""
    return GraphError(
        f"{_named(edge, [label, label])} is a self-loop, one of {count:,}; ",
        Option("self_loops", "drop"),
        " leaves them out, and ",
        Option("self_loops", "keep"),
        " keeps them",
    )


def loops_reported(count: int, kept: bool) -> str:
    """The report's line about self-loops."""
    if kept:
        return Message(Option("self_loops", "keep"), f": {_count(count, 'self-loop')} kept")
    return Message(Option("self_loops", "drop"), f": dropped {_count(count, 'self-loop')}")


def repeat_refused(edge: int, labels: list[Any], first: int, count: int) -> GraphError:
    """The error for the first of some edges that repeat others: `first`, in its case."""
    return GraphError(
        f"{_named(edge, labels)} repeats edge {first}; edges that "
        f"repeat an earlier one: {count:,}; ",
        Option("duplicates", "sum"),
        " (or min, max, first) merges them, and ",
        Option("duplicates", "keep"),
        " keeps them",
    )


def merges_reported(count: int, policy: str) -> str:
    """The report's line about edges that were merged into others."""
    return Message(Option("duplicates", policy), f": merged {_count(count, 'edge')} into others")


def _named(edge: int, labels: list[Any]) -> str:
    """The edge as named in an error: its number and its ends."""
    tail, head = map(shown, labels)
    return f"edge {edge} ({tail} to {head})"


def merged(
    name: str, values: np.ndarray, starts: np.ndarray, longest: int, policy: str
) -> np.ndarray:
    """One value per group: the groups are the runs of `values` that begin at `starts`, and the
    first value is that of "first".

    Sums of integers are int64, or uint64 if they are unsigned.

    Raises:
        GraphError: a sum of integers does not fit.
    """
    if policy not in MERGES:
        return values[starts]
    if policy != "sum" or values.dtype.kind == "f":
        return MERGES[policy].reduceat(values, starts)
    dtype = np.dtype(np.int64 if values.dtype.kind == "i" else np.uint64)
    limits = np.iinfo(dtype)
    if longest * max(int(values.max()), -int(values.min())) > limits.max:
        # It might not fit: add as Python integers, which is slow and exact.
        exact = np.add.reduceat(values.astype(object), starts)
        worst = max(exact, key=abs)
        if not limits.min <= worst <= limits.max:
            raise GraphError(
                Option("duplicates", "sum"),
                f": a sum of edge field {name!r} is {worst}, which does not fit "
                f"{dtype}; give the field as float64",
            )
    return np.add.reduceat(values, starts, dtype=dtype)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
