"""The kinds of programs of kinds.py: small classes as users write them after docs/programs.md.
Behind each are the bytes that a run of it must move, and its answer by NumPy.

Graphs are undirected: a vertex hears those to which it sends. Bytes are those that a run has to
read or write whatever the delivery. For an arc they are the id at its other end (4), its fields,
and its message; for a vertex where its row starts (4), what it sends, and its fields as often as
they are read or written. Of vertices outside of the mask, no arcs count.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from graphs import Edges, in_threads
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, dijkstra

from gascl import Graph, VertexProgram, aggregate, arc, by_key, edge, param, struct, vertex

#: Of programs in which every vertex sends or applies: the default of their parameter `supersteps`.
SUPERSTEPS = 10
#: The most supersteps of all others, which otherwise run until nothing changes.
MOST = 100
#: The same for programs that only reach a certain answer when nothing changes.
LONG = 10_000
#: The length beyond which shortest paths are not followed.
CUTOFF = 2000
#: The most lanes, or bits, of searches from several sources.
LANES, BITS = 16, 64

Answer = dict[str, np.ndarray]


class Flood(NamedTuple):
    """Values that spread from vertex to vertex until none changes, or `MOST` supersteps have run.

    Attributes:
        sent: how many vertices have sent in all supersteps, each counted whenever it did.
        arcs: how many arcs they sent along.
    """

    values: np.ndarray
    sent: int
    arcs: int


class Links:
    """A graph for verifiers: each vertex has a row of neighbors.

    Attributes:
        ids: int64 (V,), the vertices.
        targets, weights: the neighbor at the other end of each arc, and the arc's weight.
        toll, gain: two more fields of each arc.
    """

    def __init__(self, edges: Edges):
        self.edges, self.targets, self.weights = edges, edges.targets, edges.weights
        self.vertices, self.arcs = edges.num_vertices, len(edges.targets)
        self.degree, self.ids = edges.out_degree, np.arange(edges.num_vertices)
        self.toll, self.gain = toll_of(edges.weights), gain_of(edges.weights)
        self._parts = edges.parts()
        self.floods: dict[str, Flood] = {}
        self._diffused: dict[int, np.ndarray] = {}

    def graph(self) -> Graph:
        src, dst, weight = self.edges.listed()
        fields = {"weight": weight, "toll": toll_of(weight), "gain": gain_of(weight)}
        return Graph.from_edges(src, dst, num_vertices=self.vertices, directed=False, **fields)

    def combined(self, how: np.ufunc, message: Callable[[slice], np.ndarray], none: Any) -> Any:
        """(V, ...): the messages to each vertex, combined.

        Args:
            message: the messages along a slice of the arcs, each from the arc's target.
            none: the value of vertices without messages.
        """

        def part(place: tuple[slice, slice]) -> np.ndarray:
            rows, arcs = place
            messages = message(arcs)
            shape = rows.stop - rows.start, *messages.shape[1:]
            found = np.full(shape, none, messages.dtype)
            heard = np.flatnonzero(self.degree[rows])
            if len(heard):
                starts = self.edges.offsets[rows][heard] - arcs.start
                found[heard] = how.reduceat(messages, starts, axis=0)
            return found

        return np.concatenate(in_threads(part, self._parts))

    def heard(self, how: np.ufunc, values: np.ndarray, none: Any = 0) -> np.ndarray:
        """(V, ...): the neighbors' values, combined."""
        return self.combined(how, lambda arcs: values[self.targets[arcs]], none)

    def votes(self, x: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
        """(V, 8): how many neighbors have each of the values from 0 to 7, or the arcs' weights,
        whole numbers, added up."""

        def part(place: tuple[slice, slice]) -> np.ndarray:
            rows, arcs = place
            cells = (self.edges.sources[arcs] - rows.start) * 8 + x[self.targets[arcs]]
            weighted = None if weights is None else weights[arcs]
            return np.bincount(cells, weighted, 8 * (rows.stop - rows.start)).reshape(-1, 8)

        return np.concatenate(in_threads(part, self._parts))

    def shares(self, x: np.ndarray) -> np.ndarray:
        """(V,): what a vertex sends if it divides its value among its arcs."""
        return np.divide(x, self.degree, out=np.zeros(self.vertices), where=self.degree > 0)

    def diffused(self, start: int = 0) -> np.ndarray:
        """float64 (V,): each vertex's own value, and half of what it hears from its neighbors, who
        share out theirs among their arcs."""
        if start not in self._diffused:
            x = own = 1.0 + (self.ids + start) % 8
            for _ in range(SUPERSTEPS):
                x = own + self.heard(np.add, self.shares(x), 0.0) / 2
            self._diffused[start] = x
        return self._diffused[start]

    def flooded(
        self, name: str, start: np.ndarray, how: np.ufunc, step: Any = None, most: int = MOST
    ) -> Flood:
        """Each vertex combines what it has with what its neighbors have, and sends when it has
        changed; first do those whose value is not that of nothing.

        Args:
            name: of the flood, which is computed once.
            step: a function of the messages along a slice of arcs, and the slice.
            most: supersteps.
        """
        if name not in self.floods:
            values, sent, arcs = start, 0, 0
            active = values != _nothing(how, values.dtype)
            for _ in range(most):
                if not active.any():
                    break
                sent, arcs = sent + int(active.sum()), arcs + int(self.degree[active].sum())

                def message(arcs: slice, values: np.ndarray = values) -> np.ndarray:
                    found = values[self.targets[arcs]]
                    return step(found, arcs) if step else found

                heard = self.combined(how, message, _nothing(how, values.dtype))
                changed = how(values, heard)
                active, values = changed != values, changed
            self.floods[name] = Flood(values, sent, arcs)
        return self.floods[name]

    @cached_property
    def sources(self) -> np.ndarray:
        """int64 (up to `BITS`,): where searches begin, the hub first, none twice."""
        some = np.flatnonzero(self.degree)
        some = some[:: max(1, len(some) // BITS)].tolist()
        return np.array(list(dict.fromkeys([self.edges.hub, *some]))[:BITS])

    @cached_property
    def depths(self) -> np.ndarray:
        """int32 (V, up to `LANES`): how many arcs from a source, up to `MOST`; else -1."""
        sources = self.sources[:LANES]
        bits = self.source_bits & np.uint64((1 << len(sources)) - 1)
        depth = np.full((self.vertices, len(sources)), -1, np.int32)
        depth[sources, np.arange(len(sources))] = 0
        for level in range(1, MOST + 1):
            more = self.heard(np.bitwise_or, bits) & ~bits
            new = np.flatnonzero(more)
            if not len(new):
                break
            for lane in range(len(sources)):
                reached = new[(more[new] >> np.uint64(lane) & np.uint64(1)) > 0]
                depth[reached, lane] = level
            bits = bits | more
        return depth

    @property
    def source_bits(self) -> np.ndarray:
        """uint64 (V,): a bit for each source, at that vertex."""
        bits = np.zeros(self.vertices, np.uint64)
        bits[self.sources] = np.uint64(1) << np.arange(len(self.sources), dtype=np.uint64)
        return bits

    def parents(self, depth: np.ndarray) -> np.ndarray:
        """int32 (V,): of the neighbors that are one arc nearer, the first; -1 if there is none."""

        def nearer(arcs: slice) -> np.ndarray:
            neighbor, row = self.targets[arcs], self.edges.sources[arcs]
            before = (depth[neighbor] + 1 == depth[row]) & (depth[row] > 0)
            return np.where(before, neighbor, self.vertices).astype(np.int32)

        first = self.combined(np.minimum, nearer, self.vertices)
        return np.where(first == self.vertices, -1, first)

    def searched(self, lanes: int) -> tuple[int, int]:
        """How many vertices search from any of the first sources, each counted in all supersteps in
        which it does, and their arcs."""
        depth = self.depths[:, :lanes]
        sent = arcs = 0
        for level in range(min(MOST, int(depth.max()) + 1)):
            active = (depth == level).any(axis=1)
            sent, arcs = sent + int(active.sum()), arcs + int(self.degree[active].sum())
        return sent, arcs


def toll_of(weight: np.ndarray) -> np.ndarray:
    return (weight % 7).astype(np.int32)


def gain_of(weight: np.ndarray) -> np.ndarray:
    return (1 / (1 + weight % 3)).astype(np.float32)


def _nothing(how: np.ufunc, dtype: np.dtype) -> Any:
    """What changes nothing when it is combined: above all values, below, or no bit."""
    if how is np.minimum:
        return np.inf if dtype.kind == "f" else np.iinfo(dtype).max
    return np.iinfo(dtype).min if how is np.maximum else dtype.type(0)


@dataclass(frozen=True)
class Kind:
    """A kind of program.

    Attributes:
        make: the program for a graph.
        answer: its fields after a run, by name. The name of a struct's member is "FIELD.MEMBER", of
            an arc field "arc.FIELD", and of an aggregator "agg.NAME".
        moves: the bytes that a run must move.
        small: its work grows faster than the number of arcs.
        most: the most supersteps. None: the program may run in any order, where supersteps are not
            limited, and need not be made.
        in_order: a snippet adds up floats of neighbors one after the other, whose rounding errors
            add up, too.
    """

    title: str
    make: Callable[[Links], VertexProgram]
    answer: Callable[[Links], Answer]
    moves: Callable[[Links], float]
    small: bool
    most: int | None
    in_order: bool

    def rounding(self, g: Links) -> float:
        """The relative error that its floats may have: other values are rounded to float32 in each
        superstep, and halved."""
        return max(1e-5, int(g.degree.max()) * 2.0**-24) if self.in_order else 1e-5


#: By their names on the command line.
KINDS: dict[str, Kind] = {}


def kind(
    title: str,
    make: Callable[[Links], VertexProgram],
    moves: Callable[[Links], float],
    small: bool = False,
    most: int | None = MOST,
    in_order: bool = False,
) -> Callable[[Callable[[Links], Answer]], Callable[[Links], Answer]]:
    """Registers the kind whose answer the decorated function computes, under that one's name."""

    def register(answer: Callable[[Links], Answer]) -> Callable[[Links], Answer]:
        KINDS[answer.__name__] = Kind(title, make, answer, moves, small, most, in_order)
        return answer

    return register


def each(arc: float, vertex: float) -> Callable[[Links], float]:
    """Bytes that move in each of `SUPERSTEPS`: for every arc, and for every vertex."""
    return lambda g: SUPERSTEPS * (arc * g.arcs + vertex * g.vertices)


# Messages of all types ------------------------------------------------------------------------


class Sum(VertexProgram):
    """Each vertex has a value of its own, and half of what its neighbors share out."""

    supersteps = param.supersteps(10)
    x = vertex.real(init="1 + v.id % 8")

    message, combine = "real", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(v.x / v.out_degree);"
    apply = "v.x = 1 + v.id % 8 + msg / 2;"


#: An arc: the neighbor, its message. A vertex: where its row starts, its degree, what it sends, x.
@kind("sum of reals", lambda g: Sum(), each(4 + 4, 4 + 4 + 4 + 4))
def real_sum(g: Links) -> Answer:
    return {"x": g.diffused()}


class Largest(VertexProgram):
    """The largest value that has reached each vertex."""

    supersteps = param.supersteps(10)
    x = vertex.int32(init="(uint)v.id * 2654435761u >> 1")

    message, combine = "int32", "max"
    scatter_on = "all"
    scatter = "send(v.x);"
    apply = "v.x = max(v.x, msg);"


#: A vertex: where its row starts, what it sends, x read and written.
@kind("max of int32", lambda g: Largest(), each(4 + 4, 4 + 4 + 8))
def int_max(g: Links) -> Answer:
    x = (g.ids.astype(np.uint32) * np.uint32(2654435761) >> np.uint32(1)).astype(np.int32)
    for _ in range(SUPERSTEPS):
        x = np.maximum(x, g.heard(np.maximum, x, x.min()))
    return {"x": x}


class Percolation(VertexProgram):
    """Each edge is open or not, at random; in each superstep others are."""

    supersteps = param.supersteps(10)
    x = vertex.int32(init="v.id % 8")

    message, combine = "int32", "sum"
    scatter_on = apply_on = "all"
    scatter = "if (hash((e.src ^ e.dst) + superstep) % 4 == 0) send(v.x);"
    apply = "v.x = (v.x + msg) % 1009;"


@kind("a quarter of the arcs, at random", lambda g: Percolation(), each(4 + 4, 4 + 4 + 8))
def percolation(g: Links) -> Answer:
    x = g.ids % 8
    for superstep in range(SUPERSTEPS):

        def sent(arcs: slice, x: np.ndarray = x, superstep: int = superstep) -> np.ndarray:
            both = g.targets[arcs] ^ g.edges.sources[arcs]
            return np.where(hashed(both + superstep) % np.uint32(4) == 0, x[g.targets[arcs]], 0)

        x = (x + g.combined(np.add, sent, 0)) % 1009
    return {"x": x}


class Wide(VertexProgram):
    """A vertex has twelve fields, all of which change."""

    supersteps = param.supersteps(10)
    a, b, c, d = (vertex.int32(init=f"(v.id + {i}) % 8") for i in range(4))
    f, h, i, j = (vertex.int32(init=f"(v.id + {i}) % 8") for i in range(4, 8))
    k, m, n, o = (vertex.int32(init=f"(v.id + {i}) % 8") for i in range(8, 12))

    message, combine = "int32", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(v.a);"
    apply = """
        const int first = v.a;
        v.a = (v.a + v.b + msg) % 1009; v.b = (v.b + v.c) % 1009; v.c = (v.c + v.d) % 1009;
        v.d = (v.d + v.f) % 1009; v.f = (v.f + v.h) % 1009; v.h = (v.h + v.i) % 1009;
        v.i = (v.i + v.j) % 1009; v.j = (v.j + v.k) % 1009; v.k = (v.k + v.m) % 1009;
        v.m = (v.m + v.n) % 1009; v.n = (v.n + v.o) % 1009; v.o = (v.o + first) % 1009;
    """


@kind("twelve fields", lambda g: Wide(), each(4 + 4, 4 + 4 + 12 * 8))
def wide(g: Links) -> Answer:
    x = (g.ids + np.arange(12)[:, None]) % 8
    for _ in range(SUPERSTEPS):
        heard = g.heard(np.add, x[0])
        x = x + np.roll(x, -1, axis=0)
        x[0] += heard
        x %= 1009
    return dict(zip("abcdfhijkmno", x, strict=True))


class UntilSettled(Largest):
    """The largest value, until an aggregator says that no vertex has changed."""

    supersteps = param.supersteps(None)
    changed = aggregate.int64("sum")

    apply = """
        aggregate_changed(msg > v.x);
        v.x = max(v.x, msg);
    """
    stop = "agg.changed == 0"


def settling(g: Links) -> tuple[np.ndarray, int]:
    """The values after the last superstep, and the number of supersteps."""
    x = (g.ids.astype(np.uint32) * np.uint32(2654435761) >> np.uint32(1)).astype(np.int32)
    steps, changed = 0, True
    while changed:
        before, x = x, np.maximum(x, g.heard(np.maximum, x, x.min()))
        steps, changed = steps + 1, bool((x != before).any()) and steps + 1 < MOST
    return x, steps


#: As of the largest value in as many supersteps.
@kind(
    "until an aggregator stops it",
    lambda g: UntilSettled(),
    lambda g: settling(g)[1] * (8 * g.arcs + (4 + 4 + 8) * g.vertices),
)
def settled(g: Links) -> Answer:
    return {"x": settling(g)[0]}


class OneClass(VertexProgram):
    """The arcs of one class carry messages, in each superstep those of another one."""

    supersteps = param.supersteps(10)
    x = vertex.int32(init="v.id % 8")
    toll = edge.int32()

    message, combine = "int32", "sum"
    scatter_on = apply_on = "all"
    scatter = "if (e.toll == superstep % 7) send(v.x);"
    apply = "v.x = (v.x + msg) % 1009;"


@kind("arcs of one class", lambda g: OneClass(), each(4 + 4 + 4, 4 + 4 + 8))
def one_class(g: Links) -> Answer:
    x = g.ids % 8
    for superstep in range(SUPERSTEPS):

        def sent(arcs: slice, x: np.ndarray = x, turn: int = superstep % 7) -> np.ndarray:
            return np.where(g.toll[arcs] == turn, x[g.targets[arcs]], 0)

        x = (x + g.combined(np.add, sent, 0)) % 1009
    return {"x": x}


class Logistic(VertexProgram):
    """Much arithmetic for each arc."""

    supersteps = param.supersteps(10)
    x = vertex.real(init="1 + v.id % 8")
    weight = edge.real()

    message, combine = "real", "sum"
    scatter_on = apply_on = "all"
    scatter = """
        const real w = e.weight / 256, z = 1 / (1 + exp(1 - v.x * w));
        send(z * (1 - z) * sqrt(1 + w));
    """
    apply = "v.x = 1 + v.id % 8 + msg / max(v.in_degree, 1);"


@kind("arithmetic along arcs", lambda g: Logistic(), each(4 + 4 + 4, 4 + 4 + 4 + 4))
def arithmetic(g: Links) -> Answer:
    x = own = 1.0 + g.ids % 8
    for _ in range(SUPERSTEPS):

        def sent(arcs: slice, x: np.ndarray = x) -> np.ndarray:
            w = g.weights[arcs] / 256
            z = 1 / (1 + np.exp(1 - x[g.targets[arcs]] * w))
            return z * (1 - z) * np.sqrt(1 + w)

        x = own + g.combined(np.add, sent, 0.0) / np.maximum(g.degree, 1)
    return {"x": x}


class Bytes(VertexProgram):
    """Numbers of one byte."""

    supersteps = param.supersteps(10)
    x = vertex.int8(init="v.id * 37 % 101")

    message, combine = "int8", "max"
    scatter_on = "all"
    scatter = "send(v.x);"
    apply = "v.x = (v.x + msg) / 2;"


@kind("max of int8", lambda g: Bytes(), each(4 + 1, 4 + 1 + 2))
def int8_max(g: Links) -> Answer:
    x = g.ids * 37 % 101
    for _ in range(SUPERSTEPS):
        heard = g.heard(np.maximum, x, -128)
        x = np.where(g.degree > 0, (x + heard) // 2, x)
    return {"x": x}


class LargerOnly(Largest):
    receive_if = "msg > v.x"
    apply = "v.x = msg;"


@kind("max, receive_if msg > x", lambda g: LargerOnly(), each(4 + 4, 4 + 4 + 8))
def receive_if(g: Links) -> Answer:
    return int_max(g)


class LeastDouble(VertexProgram):
    """The least of the doubles that are above a limit."""

    supersteps = param.supersteps(10)
    x = vertex.float64(init="(v.id * 7919L % 10007) / 16.0")

    message, combine = "float64", "min"
    scatter_on = "all"
    receive_if = "msg >= 100 && msg < v.x"
    scatter = "send(v.x);"
    apply = "v.x = msg;"


@kind("min of doubles, filtered", lambda g: LeastDouble(), each(4 + 8, 4 + 8 + 16))
def least_double(g: Links) -> Answer:
    x = g.ids * 7919 % 10007 / 16
    for _ in range(SUPERSTEPS):
        heard = g.heard(np.minimum, np.where(x >= 100, x, np.inf), np.inf)
        x = np.minimum(x, heard)
    return {"x": x}


class WeightedSum(Sum):
    weight = edge.real()

    scatter = "send(v.x / v.out_degree * e.weight / 256);"


#: An arc also has a weight.
@kind("weighted sum", lambda g: WeightedSum(), each(4 + 4 + 4, 4 + 4 + 4 + 4))
def weighted(g: Links) -> Answer:
    own = 1.0 + g.ids % 8
    x = own
    for _ in range(SUPERSTEPS):
        share = g.shares(x)

        def sent(arcs: slice, share: np.ndarray = share) -> np.ndarray:
            return share[g.targets[arcs]] * g.weights[arcs] / 256

        x = own + g.combined(np.add, sent, 0.0) / 2
    return {"x": x}


class TwoFields(Sum):
    weight = edge.real()
    y = vertex.real()

    scatter = "send((v.x * e.weight / 256 + v.y) / v.out_degree);"
    apply = """
        v.x = 1 + v.id % 8 + msg / 4;
        v.y = msg / 4;
    """


#: The message is computed for each arc from x, y and the degree of the neighbor.
@kind("two fields and the weight", lambda g: TwoFields(), each(4 + 4 + 12, 4 + 4 + 12 + 8))
def two_fields(g: Links) -> Answer:
    own = 1.0 + g.ids % 8
    x, y = own, np.zeros(g.vertices)
    for _ in range(SUPERSTEPS):
        share_x, share_y = g.shares(x), g.shares(y)

        def sent(arcs: slice, x: np.ndarray = share_x, y: np.ndarray = share_y) -> np.ndarray:
            neighbor = g.targets[arcs]
            return x[neighbor] * g.weights[arcs] / 256 + y[neighbor]

        y = g.combined(np.add, sent, 0.0) / 4
        x = own + y
    return {"x": x, "y": y}


class SeveralEdgeFields(Sum):
    weight = edge.real()
    toll = edge.int32()
    gain = edge.real()

    scatter = "send((v.x * e.weight / 256 + e.toll) * e.gain / v.out_degree);"


#: The message is computed for each arc from x and the degree of the neighbor.
@kind("several edge fields", lambda g: SeveralEdgeFields(), each(4 + 12 + 8, 4 + 4 + 8 + 4))
def edge_fields(g: Links) -> Answer:
    own = 1.0 + g.ids % 8
    x, one = own, g.shares(np.ones(g.vertices))
    for _ in range(SUPERSTEPS):
        share = g.shares(x)

        def sent(arcs: slice, share: np.ndarray = share) -> np.ndarray:
            neighbor = g.targets[arcs]
            taken = share[neighbor] * g.weights[arcs] / 256 + one[neighbor] * g.toll[arcs]
            return taken * g.gain[arcs]

        x = own + g.combined(np.add, sent, 0.0) / 2
    return {"x": x}


class SmallestStruct(VertexProgram):
    """The smallest value that has reached each vertex, and where it comes from."""

    supersteps = param.supersteps(10)
    Found = struct([("value", "real"), ("id", "int32")])
    best = vertex.struct(Found, init="(Found){((uint)v.id * 2654435761u >> 8) % 1000, v.id}")

    message = Found
    combine = "a.value < b.value || (a.value == b.value && a.id <= b.id) ? a : b"
    identity = "(Found){INFINITY, INT_MAX}"
    scatter_on = "all"
    scatter = "send(v.best);"
    apply = """
        const Found old = v.best;
        if (msg.value < old.value || (msg.value == old.value && msg.id < old.id))
            v.best = msg;
    """


@kind("struct minimum, own combiner", lambda g: SmallestStruct(), each(4 + 8, 4 + 8 + 16))
def struct_min(g: Links) -> Answer:
    values = (g.ids.astype(np.uint32) * np.uint32(2654435761) >> np.uint32(8)) % np.uint32(1000)
    best = values.astype(np.int64) << 32 | g.ids
    for _ in range(SUPERSTEPS):
        best = np.minimum(best, g.heard(np.minimum, best, np.iinfo(np.int64).max))
    return {"best.value": (best >> 32).astype(np.float64), "best.id": best & 0xFFFFFFFF}


class FiveMembers(VertexProgram):
    """Five sums at once, by a combiner of its own."""

    supersteps = param.supersteps(10)
    Five = struct([("a", "real"), ("b", "real"), ("c", "real"), ("n", "int32"), ("m", "int32")])
    x = vertex.struct(Five, init="(Five){1 + v.id % 8, v.id % 3, 1, v.id % 5, 1}")

    message = Five
    combine = "(Five){a.a + b.a, a.b + b.b, a.c + b.c, a.n + b.n, max(a.m, b.m)}"
    identity = "(Five){0, 0, 0, 0, 0}"
    scatter_on = apply_on = "all"
    scatter = """
        const real one = (real)1 / v.out_degree;
        send((Five){v.x.a * one, v.x.b * one, v.x.c * one, v.x.n, v.x.m});
    """
    apply = """
        v.x = (Five){1 + v.id % 8 + msg.a / 2, msg.b, msg.c / 2, msg.n % 1009, msg.m % 1009 + 1};
    """


@kind("struct of five sums", lambda g: FiveMembers(), each(4 + 20, 4 + 4 + 20 + 20))
def five_members(g: Links) -> Answer:
    a = own = 1.0 + g.ids % 8
    b, c, n, m = g.ids % 3 * 1.0, np.ones(g.vertices), g.ids % 5, np.ones(g.vertices, int)
    for _ in range(SUPERSTEPS):
        a = own + g.heard(np.add, g.shares(a), 0.0) / 2
        b, c = g.heard(np.add, g.shares(b), 0.0), g.heard(np.add, g.shares(c), 0.0) / 2
        n, m = g.heard(np.add, n, 0) % 1009, g.heard(np.maximum, m, 0) % 1009 + 1
    return {"x.a": a, "x.b": b, "x.c": c, "x.n": n, "x.m": m}


class Float4(VertexProgram):
    """Four values of each vertex, as in `Sum`."""

    supersteps = param.supersteps(10)
    functions = "#define OWN ((float)(1 + v.id % 8) * (float4)(1, 2, 3, 4))"
    x = vertex.float4(init="(float)(1 + v.id % 8) * (float4)(1, 2, 3, 4)")

    message, combine = "float4", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(v.x / v.out_degree);"
    apply = "v.x = OWN + msg / 2;"


@kind("float4", lambda g: Float4(), each(4 + 16, 4 + 4 + 16 + 16))
def float4(g: Links) -> Answer:
    return {"x": multiples(g.diffused(), 1, 4)}


def multiples(x: np.ndarray, first: int, count: int) -> np.ndarray:
    """float32 (V, count): what begins as a multiple stays one, since all is linear."""
    return np.outer(x, np.arange(first, first + count)).astype(np.float32)


class Reals16(VertexProgram):
    """Sixteen values of each vertex, as in `Sum`."""

    supersteps = param.supersteps(10)
    functions = """
        #define OWN ((real)(1 + v.id % 8) * \\
                     (real16)(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    """
    x = vertex.real16(
        init="(real)(1 + v.id % 8) * "
        "(real16)(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)"
    )

    message, combine = "real16", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(v.x / v.out_degree);"
    apply = "v.x = OWN + msg / 2;"


@kind("16 reals", lambda g: Reals16(), each(4 + 64, 4 + 4 + 64 + 64))
def reals16(g: Links) -> Answer:
    return {"x": multiples(g.diffused(), 1, 16)}


class Reals64(VertexProgram):
    """Sixty-four values of each vertex, as in `Sum`."""

    supersteps = param.supersteps(10)
    functions = "#define OWN(k) ((real)(1 + v.id % 8) * ((k) + 1))"
    x = vertex.real(64)

    message, combine = "real(64)", "sum"
    scatter_on = apply_on = "all"
    init = "for (int k = 0; k < 64; ++k) v.x[k] = OWN(k);"
    scatter = """
        real shares[64];
        for (int k = 0; k < 64; ++k)
            shares[k] = v.x[k] / v.out_degree;
        send(shares);
    """
    apply = "for (int k = 0; k < 64; ++k) v.x[k] = OWN(k) + msg[k] / 2;"


@kind("64 reals", lambda g: Reals64(), each(4 + 256, 4 + 4 + 256 + 256))
def reals64(g: Links) -> Answer:
    return {"x": multiples(g.diffused(), 1, 64)}


class Bytes13(VertexProgram):
    """Thirteen bytes of each vertex, of which no vector has as many."""

    supersteps = param.supersteps(10)
    x = vertex.uint8(13)

    message, combine = "uint8(13)", "max"
    scatter_on = "all"
    init = "for (int k = 0; k < 13; ++k) v.x[k] = hash(v.id + k) & 255;"
    scatter = "send(v.x);"
    apply = "for (int k = 0; k < 13; ++k) v.x[k] = max(v.x[k], msg[k]) / 2;"


@kind("13 bytes, max", lambda g: Bytes13(), each(4 + 13, 4 + 13 + 26))
def bytes13(g: Links) -> Answer:
    x = (hashed(g.ids[:, None] + np.arange(13)) & np.uint32(255)).astype(np.uint8)
    for _ in range(SUPERSTEPS):
        x = np.where(g.degree[:, None] > 0, np.maximum(x, g.heard(np.maximum, x, 0)) // 2, x)
    return {"x": x}


class Layer(VertexProgram):
    """The mean of the neighbors' 64 values, times a matrix, without what is below 0."""

    supersteps = param.supersteps(10)
    weights = param.array((64, 64))
    x = vertex.real(64)

    message, combine = "real(64)", "sum"
    scatter_on = apply_on = "all"
    init = "for (int k = 0; k < 64; ++k) v.x[k] = 1 + (v.id + k) % 8;"
    scatter = "send(v.x);"
    apply = """
        real sums[64] = {0};
        for (int i = 0; i < 64; ++i)
            for (int j = 0; j < 64; ++j)
                sums[j] += msg[i] * p.weights[i][j];
        for (int j = 0; j < 64; ++j)
            v.x[j] = fmax(sums[j] / max(v.in_degree, 1), 0);
    """


def layer_weights() -> np.ndarray:
    """float64 (64, 64): each row has positive numbers, whose sum is 1."""
    numbers = 1.0 + np.arange(64 * 64).reshape(64, 64) * 7 % 11
    return numbers / numbers.sum(axis=1, keepdims=True)


@kind(
    "64 reals, mean and 64 x 64 layer",
    lambda g: Layer(weights=layer_weights()),
    each(4 + 256, 4 + 4 + 256 + 256),
)
def layer64(g: Links) -> Answer:
    x = 1.0 + (g.ids[:, None] + np.arange(64)) % 8

    def part(place: tuple[slice, slice]) -> np.ndarray:
        rows, arcs = place
        offsets = g.edges.offsets[rows.start : rows.stop + 1] - arcs.start
        ones = np.ones(arcs.stop - arcs.start)
        shape = rows.stop - rows.start, g.vertices
        return csr_array((ones, g.targets[arcs], offsets), shape) @ x

    for _ in range(SUPERSTEPS):
        sums = np.concatenate(in_threads(part, g.edges.parts()))
        means = sums / np.maximum(g.degree, 1)[:, None]
        x = np.maximum(means @ layer_weights(), 0)
    return {"x": x}


class Doubles(Sum):
    x = vertex.float64(init="1 + v.id % 8")

    message = "float64"


@kind("doubles", lambda g: Doubles(), each(4 + 8, 4 + 4 + 8 + 8))
def doubles(g: Links) -> Answer:
    return {"x": g.diffused()}


class Int64(VertexProgram):
    """Remainders of sums of 64-bit integers."""

    supersteps = param.supersteps(10)
    x = vertex.int64(init="v.id % 8")

    message, combine = "int64", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(v.x);"
    apply = "v.x = msg % 1000003 + v.id % 8;"


@kind("int64", lambda g: Int64(), each(4 + 8, 4 + 8 + 8))
def int64(g: Links) -> Answer:
    x = g.ids % 8
    for _ in range(SUPERSTEPS):
        x = g.heard(np.add, x) % 1000003 + g.ids % 8
    return {"x": x}


class Long(VertexProgram):
    """The largest sum of a number and a weight of 64 bits that has reached each vertex."""

    supersteps = param.supersteps(10)
    weight = edge.int64()
    x = vertex.int64(init="v.id % 1000")

    message, combine = "int64", "max"
    scatter_on = "all"
    scatter = "send(v.x + e.weight);"
    apply = "v.x = max(v.x, msg);"


@kind("edge field of int64", lambda g: Long(), each(4 + 8 + 8, 4 + 8 + 8 + 8))
def edge_int64(g: Links) -> Answer:
    x, weights = g.ids % 1000, g.weights.astype(np.int64)
    for _ in range(SUPERSTEPS):

        def sent(arcs: slice, x: np.ndarray = x) -> np.ndarray:
            return x[g.targets[arcs]] + weights[arcs]

        x = np.maximum(x, g.combined(np.maximum, sent, 0))
    return {"x": x}


#: The prices of `Prices`: a number for each value of a vertex.
PRICES = np.arange(256) * 37 % 251


class Prices(VertexProgram):
    """A message is read from a table, at a place that depends on the sender."""

    supersteps = param.supersteps(10)
    prices = param.array((256,), "int32")
    x = vertex.int32(init="v.id % 256")

    message, combine = "int32", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(p.prices[v.x]);"
    apply = "v.x = (msg + v.id) % 256;"


@kind("messages from a table", lambda g: Prices(prices=PRICES), each(4 + 4, 4 + 4 + 4))
def from_table(g: Links) -> Answer:
    x = g.ids % 256
    for _ in range(SUPERSTEPS):
        x = (g.heard(np.add, PRICES[x]) + g.ids) % 256
    return {"x": x}


class Thrice(VertexProgram):
    """Scatter sends several messages along an arc."""

    supersteps = param.supersteps(10)
    x = vertex.int32(init="v.id % 1000")

    message, combine = "int32", "max"
    scatter_on = "all"
    scatter = "send(v.x); send(e.dst % 1000); send((v.x + e.dst) % 1009);"
    apply = "v.x = max(v.x, msg);"


#: Only the combined message must be moved.
@kind("three messages an arc", lambda g: Thrice(), each(4 + 4, 4 + 4 + 4 + 4))
def thrice(g: Links) -> Answer:
    x = g.ids % 1000
    for _ in range(SUPERSTEPS):

        def sent(arcs: slice, x: np.ndarray = x) -> np.ndarray:
            to, values = g.edges.sources[arcs], x[g.targets[arcs]]
            return np.maximum(np.maximum(values, to % 1000), (values + to) % 1009)

        x = np.maximum(x, g.combined(np.maximum, sent, -1))
    return {"x": x}


class Flags(VertexProgram):
    """Which of a few vertices' flags have reached each vertex."""

    supersteps = param.supersteps(10)
    x = vertex.uint8(init="v.id % 1024 < 8 ? 1 << v.id % 8 : 0")

    message, combine = "uint8", "or"
    scatter_on = "all"
    scatter = "send(v.x);"
    apply = "v.x |= msg;"


@kind("flags", lambda g: Flags(), each(4 + 1, 4 + 1 + 2))
def flags(g: Links) -> Answer:
    x = np.where(g.ids % 1024 < 8, 1 << g.ids % 8, 0).astype(np.uint8)
    for _ in range(SUPERSTEPS):
        x = x | g.heard(np.bitwise_or, x)
    return {"x": x}


class Xor(VertexProgram):
    """A combiner that no other library has."""

    supersteps = param.supersteps(10)
    x = vertex.int32(init="v.id")

    message, combine, identity = "int32", "a ^ b", "0"
    scatter_on = apply_on = "all"
    scatter = "send(v.x);"
    apply = "v.x = v.id ^ (msg << 1);"


@kind("own combiner xor", lambda g: Xor(), each(4 + 4, 4 + 4 + 4))
def xor(g: Links) -> Answer:
    x = ids = g.ids.astype(np.int32)
    for _ in range(SUPERSTEPS):
        x = ids ^ (g.heard(np.bitwise_xor, x) << 1)
    return {"x": x}


class OrBits(VertexProgram):
    """Which of 64 vertices can be reached: a bit for each."""

    supersteps = param.supersteps(10)
    x = vertex.uint64(init="v.id % 997 < 64 ? 1ul << v.id % 997 : 0")

    message, combine = "uint64", "or"
    scatter_on = "all"
    scatter = "send(v.x);"
    apply = "v.x |= msg;"


@kind("64 bits, or", lambda g: OrBits(), each(4 + 8, 4 + 8 + 16))
def or_bits(g: Links) -> Answer:
    bit = np.uint64(1) << (g.ids % 997 % 64).astype(np.uint64)
    x = np.where(g.ids % 997 < 64, bit, np.uint64(0))
    for _ in range(SUPERSTEPS):
        x = x | g.heard(np.bitwise_or, x)
    return {"x": x}


#: Odd factors of an id, of which a sketch has the last seven bits.
FACTORS = np.arange(16) * 2 + 7919


class Sketch(VertexProgram):
    """Sixteen small numbers of each vertex: their maxima over ever larger neighborhoods."""

    supersteps = param.supersteps(10)
    x = vertex.char16(
        init="convert_char16(v.id * (7919 + 2 * (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, "
        "13, 14, 15)) & 127)"
    )

    message, combine, identity = "char16", "max(a, b)", "(char16)(-128)"
    scatter_on = "all"
    scatter = "send(v.x);"
    apply = "v.x = max(v.x, msg);"


@kind("16 bytes, max", lambda g: Sketch(), each(4 + 16, 4 + 16 + 32))
def sketch(g: Links) -> Answer:
    x = (g.ids[:, None] * np.array(FACTORS) & 127).astype(np.int8)
    for _ in range(SUPERSTEPS):
        x = np.maximum(x, g.heard(np.maximum, x, -128))
    return {"x": x}


class Signs(VertexProgram):
    """A product of reals: whether an even number of neighbors is negative."""

    supersteps = param.supersteps(10)
    x = vertex.real(init="v.id % 3 ? 1 : -1")

    message, combine = "real", "prod"
    scatter_on = apply_on = "all"
    scatter = "send(v.x);"
    apply = "v.x = v.id % 5 ? msg : -msg;"


@kind("product of reals", lambda g: Signs(), each(4 + 4, 4 + 4 + 4))
def product(g: Links) -> Answer:
    x = np.where(g.ids % 3, 1, -1).astype(np.int8)
    for _ in range(SUPERSTEPS):
        x = g.heard(np.multiply, x, 1) * np.where(g.ids % 5, 1, -1).astype(np.int8)
    return {"x": x.astype(np.float32)}


class Alternating(Sum):
    edges = "alternate"


@kind("sum, edges alternate", lambda g: Alternating(), each(4 + 4, 4 + 4 + 4 + 4))
def alternate(g: Links) -> Answer:
    return real_sum(g)


class OtherEnd(VertexProgram):
    """Scatter reads a field of the vertex to which it sends."""

    supersteps = param.supersteps(10)
    x = vertex.int32(init="(uint)v.id * 2654435761u >> 16")

    message, combine = "int32", "max"
    scatter_on = apply_on = "all"
    scatter = "send(abs(v.x - x_of(e.dst)));"
    apply = "v.x = (v.x + (has_msg ? msg : 0)) % 10007;"


@kind("field of the other end", lambda g: OtherEnd(), each(4 + 4, 4 + 4 + 8))
def other_end(g: Links) -> Answer:
    x = (g.ids.astype(np.uint32) * np.uint32(2654435761) >> np.uint32(16)).astype(np.int32)
    for _ in range(SUPERSTEPS):

        def sent(arcs: slice, x: np.ndarray = x) -> np.ndarray:
            return np.abs(x[g.targets[arcs]] - x[g.edges.sources[arcs]])

        x = (x + g.combined(np.maximum, sent, 0)) % 10007
    return {"x": x}


# Messages one by one, and neighbors -----------------------------------------------------------


class GatherSum(VertexProgram):
    """A gather snippet that adds up its messages."""

    supersteps = param.supersteps(10)
    x = vertex.int32(init="v.id % 8")

    message, gathered = "int32", "int64"
    scatter_on = apply_on = "all"
    scatter = "send(v.x);"
    gather = """
        msg = 0;
        for (int i = 0; i < num_messages; ++i)
            msg += messages[i];
    """
    apply = "v.x = msg % 1009 + v.id % 8;"


@kind("gather snippet that adds up", lambda g: GatherSum(), each(4 + 4, 4 + 4 + 4))
def gather(g: Links) -> Answer:
    return remainders(g)


def remainders(g: Links) -> Answer:
    x = g.ids % 8
    for _ in range(SUPERSTEPS):
        x = g.heard(np.add, x) % 1009 + g.ids % 8
    return {"x": x}


class MajorityVote(VertexProgram):
    """Each vertex follows the type that most of its neighbors have, and moves on from there."""

    supersteps = param.supersteps(10)
    x = vertex.int32(init="v.id % 8")

    message, combine = "int32", by_key()
    prefer = "a.count > b.count"
    scatter_on = "all"
    scatter = "send(v.x);"
    apply = "v.x = (msg.key + v.id) % 8;"


@kind("majority vote of types", lambda g: MajorityVote(), each(4 + 4, 4 + 4 + 4))
def majority_vote(g: Links) -> Answer:
    x = g.ids % 8
    for _ in range(SUPERSTEPS):
        x = np.where(g.degree > 0, (g.votes(x).argmax(axis=1) + g.ids) % 8, x)
    return {"x": x}


class WeightedVote(VertexProgram):
    """The same by the weights of the edges."""

    Ballot = struct([("type", "int32"), ("weight", "real")])
    supersteps = param.supersteps(10)
    x = vertex.int32(init="v.id % 8")
    weight = edge.real()

    message, combine = Ballot, by_key("type", weight="sum")
    prefer = "a.weight > b.weight"
    scatter_on = "all"
    scatter = "send((Ballot){v.x, e.weight});"
    apply = "v.x = (msg.type + v.id) % 8;"


@kind("weighted vote of types", lambda g: WeightedVote(), each(4 + 4 + 4, 4 + 4 + 4))
def weighted_vote(g: Links) -> Answer:
    x = g.ids % 8
    for _ in range(SUPERSTEPS):
        x = np.where(g.degree > 0, (g.votes(x, g.weights).argmax(axis=1) + g.ids) % 8, x)
    return {"x": x}


class Histogram(VertexProgram):
    """A number computed of how many neighbors of each type a vertex has."""

    supersteps = param.supersteps(10)
    x = vertex.int32(init="v.id % 8")

    message, combine, gathered = "int32", by_key(), "int32"
    scatter_on = "all"
    scatter = "send(v.x);"
    gather = """
        for (int i = 0; i < num_groups; ++i)
            msg += (groups[i].key + 1) * groups[i].count % 7;
    """
    apply = "v.x = (msg + v.id) % 8;"


@kind("histogram of types", lambda g: Histogram(), each(4 + 4, 4 + 4 + 4))
def histogram(g: Links) -> Answer:
    x = g.ids % 8
    for _ in range(SUPERSTEPS):
        found = (np.arange(1, 9) * g.votes(x) % 7).sum(axis=1)
        x = np.where(g.degree > 0, (found + g.ids) % 8, x)
    return {"x": x}


class GatherSecond(VertexProgram):
    """A gather snippet that no combiner can replace: the second largest value."""

    supersteps = param.supersteps(10)
    x = vertex.int32(init="(uint)v.id * 2654435761u >> 8")

    message, gathered = "int32", "int32"
    scatter_on = apply_on = "all"
    scatter = "send(v.x);"
    gather = """
        int best = -1, second = -1;
        for (int i = 0; i < num_messages; ++i) {
            const int x = messages[i];
            if (x > best) {
                second = best;
                best = x;
            } else if (x < best) {
                second = max(second, x);
            }
        }
        msg = second;
    """
    apply = "v.x = ((uint)v.x * 2654435761u >> 8) / 2 + (has_msg ? msg : 0) / 2;"


@kind("gather snippet, second largest", lambda g: GatherSecond(), each(4 + 4, 4 + 4 + 4))
def gather_second(g: Links) -> Answer:
    def word(x: np.ndarray) -> np.ndarray:
        return x.astype(np.uint32) * np.uint32(2654435761) >> np.uint32(8)

    x = word(g.ids).astype(np.int32)
    for _ in range(SUPERSTEPS):
        best = g.heard(np.maximum, x, -1)

        def second(arcs: slice, x: np.ndarray = x, best: np.ndarray = best) -> np.ndarray:
            found = x[g.targets[arcs]]
            return np.where(found < best[g.edges.sources[arcs]], found, -1)

        heard = np.where(g.degree > 0, g.combined(np.maximum, second, -1), 0)
        x = (word(x) // 2).astype(np.int32) + (heard / 2).astype(np.int32)
    return {"x": x}


class ThreeLargest(VertexProgram):
    """A gather snippet that keeps the three largest values."""

    supersteps = param.supersteps(10)
    x = vertex.int32(init="hash(v.id) % 100003")

    message, gathered = "int32", "int4"
    scatter_on = apply_on = "all"
    scatter = "send(v.x);"
    gather = """
        msg = (int4)(0, 0, 0, 0);
        for (int i = 0; i < num_messages; ++i) {
            const int x = messages[i];
            if (x > msg.x)
                msg = (int4)(x, msg.x, msg.y, 0);
            else if (x > msg.y)
                msg = (int4)(msg.x, x, msg.y, 0);
            else if (x > msg.z)
                msg.z = x;
        }
    """
    apply = """
        const int4 best = has_msg ? msg : (int4)(0, 0, 0, 0);
        v.x = (hash(v.x) % 50021 + best.x / 4 + best.y / 4 + best.z / 4) % 100003;
    """


@kind("gather snippet, three largest", lambda g: ThreeLargest(), each(4 + 4, 4 + 4 + 4))
def gather_three(g: Links) -> Answer:
    x = (hashed(g.ids) % np.uint32(100003)).astype(np.int64)
    bits = 17  # of a value

    def part(place: tuple[slice, slice]) -> np.ndarray:
        """(arcs,): by row, what its neighbors have, the largest first."""
        rows, least = g.edges.sources[place[1]].astype(np.int64) << bits, (1 << bits) - 1
        return least - (np.sort(rows | least - x[g.targets[place[1]]]) & least)

    for _ in range(SUPERSTEPS):
        sorts = np.concatenate(in_threads(part, g.edges.parts()))
        total = np.zeros(g.vertices, np.int64)
        for k in range(3):
            heard = np.flatnonzero(g.degree > k)
            total[heard] += sorts[g.edges.offsets[:-1][heard] + k] // 4
        x = (hashed(x) % np.uint32(50021) + total) % 100003
    return {"x": x}


class NeighborSum(VertexProgram):
    """An apply that adds up over its neighbors."""

    supersteps = param.supersteps(10)
    x = vertex.int32(init="v.id % 8")

    scatter_on = apply_on = "all"
    apply = """
        long sum = 0;
        for (int i = 0; i < num_neighbors; ++i)
            sum += x_of(neighbor(i));
        v.x = sum % 1009 + v.id % 8;
    """


#: Other vertices read x as it was: it is written twice, or copied.
@kind("apply sums over neighbor(i)", lambda g: NeighborSum(), each(4 + 4, 4 + 4 + 8))
def neighbors(g: Links) -> Answer:
    return remainders(g)


class LargestNeighbor(VertexProgram):
    """Apply looks for the neighbor with the largest value."""

    supersteps = param.supersteps(10)
    x = vertex.int32(init="hash(v.id) % 1009")

    scatter_on = apply_on = "all"
    apply = """
        int best = -1, where = 0;
        for (int i = 0; i < num_neighbors; ++i) {
            const int other = neighbor(i);
            if (x_of(other) > best) {
                best = x_of(other);
                where = other;
            }
        }
        v.x = (v.x + 1 + best + where) % 1009;
    """


@kind("apply looks for the largest", lambda g: LargestNeighbor(), each(4 + 4, 4 + 4 + 8))
def largest_neighbor(g: Links) -> Answer:
    x = (hashed(g.ids) % np.uint32(1009)).astype(np.int64)
    for _ in range(SUPERSTEPS):

        def place(arcs: slice, x: np.ndarray = x) -> np.ndarray:
            return x[g.targets[arcs]] * g.vertices - g.targets[arcs]

        # The first of equals is the one with the least number.
        found = g.combined(np.maximum, place, -g.vertices)
        best = np.where(g.degree > 0, -(-found // g.vertices), -1)
        where = np.where(g.degree > 0, best * g.vertices - found, 0)
        x = (x + 1 + best + where) % 1009
    return {"x": x}


class Softmax(VertexProgram):
    """Two loops over neighbors: the largest value, then a mean weighted relative to it."""

    supersteps = param.supersteps(10)
    x = vertex.real(init="v.id % 8")

    scatter_on = apply_on = "all"
    apply = """
        real top = 0, total = 0, sum = 0;
        for (int i = 0; i < num_neighbors; ++i)
            top = fmax(top, x_of(neighbor(i)));
        for (int i = 0; i < num_neighbors; ++i) {
            const real w = exp(x_of(neighbor(i)) - top);
            total += w;
            sum += w * x_of(neighbor(i));
        }
        v.x = 1 + v.id % 8 + (num_neighbors ? sum / total / 2 : 0);
    """


@kind("two loops over neighbors", lambda g: Softmax(), each(2 * (4 + 4), 4 + 4 + 8), in_order=True)
def softmax(g: Links) -> Answer:
    x, row = g.ids % 8 * 1.0, g.edges.sources
    for _ in range(SUPERSTEPS):
        w = np.exp(x[g.targets] - g.heard(np.maximum, x, 0.0)[row])
        total = np.bincount(row, w, g.vertices)
        mean = np.bincount(row, w * x[g.targets], g.vertices) / np.maximum(total, 1)
        x = 1.0 + g.ids % 8 + mean / 2
    return {"x": x}


class FirstNeighbor(VertexProgram):
    """Apply stops at the first neighbor that has a property, which is rare."""

    supersteps = param.supersteps(10)
    x = vertex.int32(init="hash(v.id) % 1009")

    scatter_on = apply_on = "all"
    apply = """
        int found = -1;
        for (int i = 0; i < num_neighbors; ++i)
            if (x_of(neighbor(i)) % 64 == 0) {
                found = i;
                break;
            }
        v.x = (v.x + found + 7) % 1009;
    """


def first_places(g: Links) -> tuple[np.ndarray, int]:
    """x after all supersteps, and how many neighbors all vertices have looked at."""
    x, looked = (hashed(g.ids) % np.uint32(1009)).astype(np.int64), 0
    arc = np.arange(g.arcs)
    for _ in range(SUPERSTEPS):

        def place(arcs: slice, x: np.ndarray = x) -> np.ndarray:
            return np.where(x[g.targets[arcs]] % 64 == 0, arc[arcs], g.arcs)

        first = g.combined(np.minimum, place, g.arcs)
        found = np.where(first < g.arcs, first - g.edges.offsets[:-1], -1)
        looked += int(np.where(found < 0, g.degree, found + 1).sum())
        x = (x + found + 7) % 1009
    return x, looked


@kind(
    "apply stops at a neighbor",
    lambda g: FirstNeighbor(),
    lambda g: 8 * first_places(g)[1] + SUPERSTEPS * (4 + 4 + 8) * g.vertices,
)
def first_neighbor(g: Links) -> Answer:
    return {"x": first_places(g)[0]}


class HasEdge(VertexProgram):
    """Apply asks whether an arc leads to some random vertex."""

    supersteps = param.supersteps(10)
    x = vertex.int32()

    scatter_on = apply_on = "all"
    apply = "v.x += 1 + has_edge(v.id, hash(v.id + superstep) % g.num_vertices);"


#: x read and written, where the row starts and ends, and a binary search in it.
@kind(
    "has_edge",
    lambda g: HasEdge(),
    lambda g: SUPERSTEPS * float((8 + 8 + 4 * np.ceil(np.log2(1 + g.degree))).sum()),
)
def asks_for_edges(g: Links) -> Answer:
    x = np.zeros(g.vertices, np.int64)
    arcs = g.edges.sources.astype(np.int64) * g.vertices + g.targets
    for superstep in range(SUPERSTEPS):
        pairs = g.ids * g.vertices + hashed(g.ids + superstep) % np.uint32(g.vertices)
        place = np.minimum(np.searchsorted(arcs, pairs), max(g.arcs - 1, 0))
        x = x + 1 + (arcs[place] == pairs)
    return {"x": x}


class Samples(VertexProgram):
    """Apply reads four neighbors of neighbors, drawn at random."""

    supersteps = param.supersteps(10)
    x = vertex.int32(init="v.id % 1009")

    scatter_on = apply_on = "all"
    apply = """
        int sum = 0;
        for (int k = 0; k < 4 && num_neighbors; ++k) {
            const uint drawn = hash(4 * v.id + k + superstep);
            const int other = neighbor(drawn % num_neighbors);
            sum += x_of(neighbor_of(other, (drawn >> 8) % num_neighbors_of(other)));
        }
        v.x = (v.x + sum) % 1009;
    """


#: x read and written, where the row starts and ends. A sample: the neighbor, where its row starts
#: and ends, the vertex, its x.
@kind("neighbors of neighbors", lambda g: Samples(), each(0, 8 + 8 + 4 * 20))
def samples(g: Links) -> Answer:
    x = g.ids % 1009
    linked, starts = np.flatnonzero(g.degree), g.edges.offsets[:-1]
    for superstep in range(SUPERSTEPS):
        total = np.zeros(g.vertices, np.int64)
        for k in range(4):
            drawn = hashed(4 * linked + k + superstep).astype(np.int64)
            other = g.targets[starts[linked] + drawn % g.degree[linked]]
            place = starts[other] + (drawn >> 8) % g.degree[other]
            total[linked] += x[g.targets[place]]
        x = (x + total) % 1009
    return {"x": x}


class CommonNeighbors(VertexProgram):
    """How many arcs join neighbors of each vertex, by merging rows."""

    supersteps = param.supersteps(1)
    arcs = vertex.int64()

    scatter_on = apply_on = "all"
    apply = """
        for (int i = 0; i < num_neighbors; ++i) {
            const int other = neighbor(i), most = num_neighbors_of(other);
            for (int j = 0, k = 0; j < num_neighbors && k < most;) {
                const int a = neighbor(j), b = neighbor_of(other, k);
                v.arcs += a == b;
                j += a <= b;
                k += b <= a;
            }
        }
    """


def shorter_rows(g: Links) -> float:
    """Of the two rows of each edge, at least the shorter one is read; what is found is written."""
    shorter = np.minimum(g.degree[g.targets], g.degree[g.edges.sources])
    return 4 * float(shorter.sum(dtype=np.int64)) / 2 + 4 * g.arcs + (4 + 8) * g.vertices


#: A program that uses common(a, b) or for_common belongs here, with the same answer and bytes.
@kind("common neighbors, nested loops", lambda g: CommonNeighbors(), shorter_rows, small=True)
def common(g: Links) -> Answer:
    shape = (g.vertices, g.vertices)
    offsets = g.edges.offsets.astype(np.int32)
    links = csr_array((np.ones(g.arcs, np.int64), g.targets, offsets), shape=shape)
    return {"arcs": np.asarray((links @ links).multiply(links).sum(axis=1)).ravel()}


class CommonAlongArcs(VertexProgram):
    """The same by `common`."""

    supersteps = param.supersteps(1)
    arcs = vertex.int64()

    message, combine = "int64", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(common(e.src, e.dst));"
    apply = "v.arcs = msg;"


@kind("common neighbors by common()", lambda g: CommonAlongArcs(), shorter_rows, small=True)
def common_along_arcs(g: Links) -> Answer:
    return common(g)


class Jumping(VertexProgram):
    """Each vertex follows another one's pointer."""

    supersteps = param.supersteps(10)
    to = vertex.int32(init="((uint)v.id * 2654435761u >> 3) % g.num_vertices")

    scatter_on = apply_on = "all"
    apply = "v.to = to_of(v.to);"


#: Its own pointer, the other one's, and what it writes; others still read what was there.
@kind("pointer jumping", lambda g: Jumping(), each(0, 4 + 4 + 8))
def jumping(g: Links) -> Answer:
    word = g.ids.astype(np.uint32) * np.uint32(2654435761) >> np.uint32(3)
    to = (word % g.vertices).astype(np.int64)
    for _ in range(SUPERSTEPS):
        to = to[to]
    return {"to": to}


class RandomOther(VertexProgram):
    """Apply reads a field of a random vertex."""

    supersteps = param.supersteps(10)
    x = vertex.int32(init="v.id % 1009")

    scatter_on = apply_on = "all"
    apply = "v.x = (v.x + x_of(hash(v.id + superstep) % g.num_vertices)) % 1009;"


def hashed(x: np.ndarray) -> np.ndarray:
    """The language's hash of each number (murmur3's finalizer)."""
    x = x.astype(np.uint32)
    x = (x ^ (x >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    x = (x ^ (x >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return x ^ (x >> np.uint32(16))


@kind("field of a random vertex", lambda g: RandomOther(), each(0, 4 + 8))
def random_other(g: Links) -> Answer:
    x = g.ids % 1009
    for superstep in range(SUPERSTEPS):
        x = (x + x[hashed(g.ids + superstep) % np.uint32(g.vertices)]) % 1009
    return {"x": x}


class Walk(VertexProgram):
    """A walker for each vertex, which goes to some neighbor of the vertex where it is."""

    supersteps = param.supersteps(10)
    at = vertex.int32(init="v.id")

    scatter_on = apply_on = "all"
    apply = """
        const int n = num_neighbors_of(v.at);
        if (n)
            v.at = neighbor_of(v.at, (7919 * (long)v.at + v.id + superstep) % n);
    """


#: Where it is, read and written; where that one's row starts and ends; and the neighbor.
@kind("walk along neighbor_of", lambda g: Walk(), each(0, 8 + 8 + 4))
def walk(g: Links) -> Answer:
    at = g.ids
    for superstep in range(SUPERSTEPS):
        degree = g.degree[at]
        nth = (7919 * at + g.ids + superstep) % np.maximum(degree, 1)
        arc = np.minimum(g.edges.offsets[at] + nth, max(g.arcs - 1, 0))
        at = np.where(degree > 0, g.targets[arc], at)
    return {"at": at}


# Masks ----------------------------------------------------------------------------------------


class SomeSend(VertexProgram):
    """About one of `every` vertices sends, in each superstep others."""

    supersteps = param.supersteps(10)
    every = param.uint32(1, low=1)
    x = vertex.int32(init="v.id % 8")

    message, combine = "int32", "sum"
    functions = """
        #define SENDS(when) (hash(v.id ^ hash(when)) % p.every == 0)
    """
    apply_on = "all"
    ends = "stop"
    init = """
        if (SENDS(0))
            set_mask();
    """
    scatter = "send(v.x);"
    apply = """
        v.x = (v.x + msg) % 1009;
        if (SENDS(superstep + 1))
            set_mask();
    """


def senders(g: Links, every: int, superstep: int) -> np.ndarray:
    word = g.ids.astype(np.uint32) ^ hashed(np.array([superstep]))
    return hashed(word) % np.uint32(every) == 0


def sent_by(every: int) -> Callable[[Links], float]:
    """A vertex: x read and written. A sender: also where its row starts, and its x. An arc of a
    sender: the neighbor, its message."""

    def moves(g: Links) -> float:
        total = 0
        for superstep in range(SUPERSTEPS):
            active = senders(g, every, superstep)
            total += (4 + 4) * int(g.degree[active].sum()) + (4 + 4) * int(active.sum())
        return total + SUPERSTEPS * 8 * g.vertices

    return moves


def some_sent(g: Links, every: int, shift: int = 0) -> Answer:
    """`shift`: a vertex sends if the one that comes so many before it would."""
    x = g.ids % 8
    for superstep in range(SUPERSTEPS):
        active = senders(g, every, superstep)
        x = (x + g.heard(np.add, np.where(np.roll(active, shift), x, 0))) % 1009
    return {"x": x}


@kind("all send, by mask", lambda g: SomeSend(), sent_by(1))
def mask_all(g: Links) -> Answer:
    return some_sent(g, 1)


@kind("half send", lambda g: SomeSend(every=2), sent_by(2))
def mask_half(g: Links) -> Answer:
    return some_sent(g, 2)


@kind("a sixteenth sends", lambda g: SomeSend(every=16), sent_by(16))
def mask_sixteenth(g: Links) -> Answer:
    return some_sent(g, 16)


@kind("a thousandth sends", lambda g: SomeSend(every=1000), sent_by(1000))
def mask_thousandth(g: Links) -> Answer:
    return some_sent(g, 1000)


class SomeSendReals(SomeSend):
    """Sums of reals, whose last bits depend on their order."""

    x = vertex.real(init="1 + v.id % 8")

    message, combine = "real", "sum"
    scatter = "send(v.x / v.out_degree);"
    apply = """
        v.x = 1 + v.id % 8 + msg / 2;
        if (SENDS(superstep + 1))
            set_mask();
    """


@kind("a thousandth sends reals", lambda g: SomeSendReals(every=1000), sent_by(1000))
def mask_reals(g: Links) -> Answer:
    x = own = 1.0 + g.ids % 8
    for superstep in range(SUPERSTEPS):
        sent = np.where(senders(g, 1000, superstep), g.shares(x), 0)
        x = own + g.heard(np.add, sent, 0.0) / 2
    return {"x": x}


class OnlyHubs(VertexProgram):
    """Only vertices of many neighbors send: at least four times the mean."""

    supersteps = param.supersteps(10)
    least = param.int32()
    x = vertex.int32(init="v.id % 8")

    message, combine = "int32", "sum"
    apply_on = "all"
    ends = "stop"
    mask = "v.out_degree >= p.least"
    scatter = "send(v.x);"
    apply = """
        v.x = (v.x + msg) % 1009;
        if (v.out_degree >= p.least)
            set_mask();
    """


def least_of_hubs(g: Links) -> int:
    return 4 * g.arcs // g.vertices


def hubs(g: Links) -> np.ndarray:
    return g.degree >= least_of_hubs(g)


def moves_of_hubs(g: Links) -> float:
    hub = hubs(g)
    return SUPERSTEPS * (8 * int(g.degree[hub].sum()) + 8 * int(hub.sum()) + 8 * g.vertices)


@kind("only hubs send", lambda g: OnlyHubs(least=least_of_hubs(g)), moves_of_hubs)
def hubs_send(g: Links) -> Answer:
    x = g.ids % 8
    for _ in range(SUPERSTEPS):
        x = (x + g.heard(np.add, np.where(hubs(g), x, 0))) % 1009
    return {"x": x}


class TwoPhases(VertexProgram):
    """Even vertices send in even supersteps, odd ones in odd supersteps."""

    supersteps = param.supersteps(10)
    x = vertex.int32(init="v.id % 8")

    message, combine = "int32", "max"
    mask = "v.id % 2 == 0"
    ends = "stop"
    apply_on = "all"
    scatter = "send(v.x + 1);"
    apply = """
        v.x = max(v.x, msg) % 1009;
        if ((v.id + superstep) % 2 == 1)
            set_mask();
    """


def half_moves(g: Links) -> float:
    total = 0
    for superstep in range(SUPERSTEPS):
        active = g.ids % 2 == superstep % 2
        total += 8 * int(g.degree[active].sum()) + 8 * int(active.sum())
    return total + SUPERSTEPS * 8 * g.vertices


@kind("two phases by parity", lambda g: TwoPhases(), half_moves)
def two_phases(g: Links) -> Answer:
    x = (g.ids % 8).astype(np.int32)
    lowest = np.iinfo(np.int32).min
    for superstep in range(SUPERSTEPS):
        active = g.ids % 2 == superstep % 2
        heard = g.heard(np.maximum, np.where(active, x + 1, lowest).astype(np.int32), lowest)
        x = np.fmod(np.maximum(x, heard), 1009)
    return {"x": x}


class ActiveNeighbors(SomeSend):
    """Apply counts its neighbors in the mask; nothing is sent."""

    message = combine = scatter = None
    apply = """
        int count = 0;
        for (int i = 0; i < num_neighbors; ++i)
            count += get_mask_of(neighbor(i));
        v.x = (v.x + count) % 1009;
        if (SENDS(superstep + 1))
            set_mask();
    """


@kind("neighbors in the mask", lambda g: ActiveNeighbors(every=2), each(4 + 1, 4 + 8))
def active_neighbors(g: Links) -> Answer:
    x = g.ids % 8
    for superstep in range(SUPERSTEPS):
        x = (x + g.heard(np.add, senders(g, 2, superstep).astype(np.int64))) % 1009
    return {"x": x}


class Infection(VertexProgram):
    """A mask that grows: along random arcs, the infected infect others in each superstep."""

    supersteps = param.supersteps(10)
    source = param.vertex()
    since = vertex.int32(init="v.id == p.source ? 0 : -1")

    message, combine = "int32", "max"
    mask = "v.id == p.source"
    ends = "stop"
    apply_on = "mask"
    scatter = "if (hash((e.src ^ e.dst) + superstep) % 4 == 0) send(1);"
    apply = """
        if (v.since < 0)
            v.since = superstep + 1;
        set_mask();
    """


def infections(g: Links) -> tuple[np.ndarray, int]:
    """Since when each vertex is infected, and the bytes that move: those of `sent_by`."""
    since, moves = np.full(g.vertices, -1), 0
    since[g.sources[0]] = 0
    for superstep in range(SUPERSTEPS):
        ill = since >= 0
        moves += 8 * int(g.degree[ill].sum()) + 8 * int(ill.sum())

        def sent(arcs: slice, ill: np.ndarray = ill, superstep: int = superstep) -> np.ndarray:
            both = g.targets[arcs] ^ g.edges.sources[arcs]
            open_ = hashed(both + superstep) % np.uint32(4) == 0
            return (open_ & ill[g.targets[arcs]]).astype(np.int32)

        since = np.where(~ill & (g.combined(np.maximum, sent, 0) > 0), superstep + 1, since)
    return since, moves


@kind(
    "infection",
    lambda g: Infection(source=int(g.sources[0])),
    lambda g: infections(g)[1],
)
def infection(g: Links) -> Answer:
    return {"since": infections(g)[0]}


class MaskedArrays(SomeSend):
    """Few vertices send, arrays of five numbers."""

    x = vertex.int32(5)

    message = "int32(5)"
    init = """
        for (int k = 0; k < 5; ++k)
            v.x[k] = (v.id + k) % 8;
        if (SENDS(0))
            set_mask();
    """
    apply = """
        for (int k = 0; k < 5; ++k)
            v.x[k] = (v.x[k] + msg[k]) % 1009;
        if (SENDS(superstep + 1))
            set_mask();
    """


#: As `sent_by`, with five numbers each.
@kind(
    "a sixteenth sends arrays",
    lambda g: MaskedArrays(every=16),
    lambda g: 3 * sent_by(16)(g) + 16 * SUPERSTEPS * g.vertices,
)
def masked_arrays(g: Links) -> Answer:
    x = (g.ids[:, None] + np.arange(5)) % 8
    for superstep in range(SUPERSTEPS):
        active = senders(g, 16, superstep)
        heard = [g.heard(np.add, np.where(active, x[:, k], 0)) for k in range(5)]
        x = (x + np.stack(heard, axis=1)) % 1009
    return {"x": x}


class WakesOthers(SomeSend):
    """A vertex puts the next one into the mask."""

    functions = """
        #define SENDS(when) (hash(v.id ^ hash(when)) % p.every == 0)
        #define NEXT (v.id + 1 < g.num_vertices ? v.id + 1 : 0)
    """
    init = """
        if (SENDS(0))
            set_mask_of(NEXT);
    """
    apply = """
        v.x = (v.x + msg) % 1009;
        if (SENDS(superstep + 1))
            set_mask_of(NEXT);
    """


def sent_by_next(g: Links) -> float:
    """As `sent_by`, of the vertices that are woken; each of them is also marked."""
    total = 0
    for superstep in range(SUPERSTEPS):
        active = np.roll(senders(g, 16, superstep), 1)
        total += (4 + 4) * int(g.degree[active].sum()) + (4 + 4 + 4) * int(active.sum())
    return total + SUPERSTEPS * 8 * g.vertices


@kind("a sixteenth, put in by others", lambda g: WakesOthers(every=16), sent_by_next)
def wakes_others(g: Links) -> Answer:
    return some_sent(g, 16, 1)


class SendTo(VertexProgram):
    """Each vertex sends to some other one, whether or not an arc leads there."""

    supersteps = param.supersteps(10)
    x = vertex.int32(init="v.id % 8")

    message, combine = "int32", "sum"
    scatter_on = apply_on = "all"
    apply = """
        v.x = (v.x + msg) % 1009;
        send_to((7 * (long)v.id + superstep) % g.num_vertices, v.x);
    """


#: x read and written; the message written and read.
@kind("send_to from apply", lambda g: SendTo(), each(0, 8 + 8))
def send_to(g: Links) -> Answer:
    x, arrived = g.ids % 8, np.zeros(g.vertices, np.int64)
    for superstep in range(SUPERSTEPS):
        x = (x + arrived) % 1009
        to = (7 * g.ids + superstep) % g.vertices
        arrived = np.bincount(to, x, g.vertices).astype(np.int64)
    return {"x": x}


class SendDoubles(VertexProgram):
    """The same with the largest of doubles."""

    supersteps = param.supersteps(10)
    x = vertex.float64(init="v.id % 1000")

    message, combine = "float64", "max"
    scatter_on = apply_on = "all"
    apply = """
        v.x = (has_msg ? max(v.x, msg) : v.x) / 2 + v.id % 8;
        send_to((7 * (long)v.id + superstep) % g.num_vertices, v.x);
    """


@kind("send_to of doubles", lambda g: SendDoubles(), each(0, 16 + 16))
def send_doubles(g: Links) -> Answer:
    x, arrived = (g.ids % 1000).astype(np.float64), np.full(g.vertices, -np.inf)
    for superstep in range(SUPERSTEPS):
        x = np.maximum(x, arrived) / 2 + g.ids % 8
        arrived = np.full(g.vertices, -np.inf)
        np.maximum.at(arrived, (7 * g.ids + superstep) % g.vertices, x)
    return {"x": x}


class Gossip(VertexProgram):
    """Each vertex sends to a random neighbor."""

    supersteps = param.supersteps(10)
    x = vertex.int32(init="v.id % 8")

    message, combine = "int32", "sum"
    scatter_on = apply_on = "all"
    apply = """
        v.x = (v.x + msg) % 1009;
        if (num_neighbors)
            send_to(neighbor(hash(v.id + superstep) % num_neighbors), v.x);
    """


#: As above, with the neighbor, and where the row starts.
@kind("send_to a random neighbor", lambda g: Gossip(), each(0, 8 + 8 + 4 + 4))
def gossip(g: Links) -> Answer:
    x, arrived, some = g.ids % 8, np.zeros(g.vertices, np.int64), np.flatnonzero(g.degree)
    for superstep in range(SUPERSTEPS):
        x = (x + arrived) % 1009
        drawn = hashed(some + superstep).astype(np.int64) % g.degree[some]
        to = g.targets[g.edges.offsets[some] + drawn]
        arrived = np.bincount(to, x[some], g.vertices).astype(np.int64)
    return {"x": x}


class OneHot(VertexProgram):
    """All vertices send to one."""

    supersteps = param.supersteps(10)
    x = vertex.int32(init="v.id % 8")

    message, combine = "int32", "sum"
    scatter_on = apply_on = "all"
    apply = """
        v.x = (v.x + msg) % 1009;
        send_to(superstep % g.num_vertices, v.x);
    """


@kind("send_to one vertex", lambda g: OneHot(), each(0, 8 + 4))
def one_hot(g: Links) -> Answer:
    x, arrived = g.ids % 8, np.zeros(g.vertices, np.int64)
    for superstep in range(SUPERSTEPS):
        x = (x + arrived) % 1009
        arrived = np.zeros(g.vertices, np.int64)
        arrived[superstep % g.vertices] = x.sum()
    return {"x": x}


class ToFew(OneHot):
    """All vertices send to a few, such as the centers of groups."""

    apply = """
        v.x = (v.x + msg) % 1009;
        send_to(hash(v.id + superstep) % min(8, g.num_vertices), v.x);
    """


def few(g: Links, superstep: int) -> np.ndarray:
    return (hashed(g.ids + superstep) % np.uint32(min(8, g.vertices))).astype(np.int64)


@kind("send_to one of eight", lambda g: ToFew(), each(0, 8 + 4))
def send_to_few(g: Links) -> Answer:
    x, arrived = g.ids % 8, np.zeros(g.vertices, np.int64)
    for superstep in range(SUPERSTEPS):
        x = (x + arrived) % 1009
        arrived = np.bincount(few(g, superstep), x, g.vertices).astype(np.int64)
    return {"x": x}


class AddsToFew(VertexProgram):
    """All vertices add to fields of a few."""

    supersteps = param.supersteps(10)
    x = vertex.int32(init="v.id % 8")
    total = vertex.int64()

    scatter_on = apply_on = "all"
    apply = """
        v.x = (v.x + total_of(v.id)) % 1009;
        add_to_total(hash(v.id + superstep) % min(8, g.num_vertices), v.x);
    """


#: x read and written; the sum read.
@kind("adds to fields of eight", lambda g: AddsToFew(), each(0, 8 + 8))
def add_to_few(g: Links) -> Answer:
    x, total = g.ids % 8, np.zeros(g.vertices, np.int64)
    for superstep in range(SUPERSTEPS):
        x = (x + total) % 1009
        total = total + np.bincount(few(g, superstep), x, g.vertices).astype(np.int64)
    return {"x": x, "total": total}


class WakesOne(VertexProgram):
    """All vertices put the same one into the mask, which sends."""

    supersteps = param.supersteps(10)
    x = vertex.int32(init="v.id % 8")

    message, combine = "int32", "sum"
    apply_on = "all"
    ends = "stop"
    init = "set_mask_of(0);"
    scatter = "send(v.x);"
    apply = """
        v.x = (v.x + msg + 1) % 1009;
        set_mask_of((superstep + 1) % g.num_vertices);
    """


#: x read and written; the arcs of the one that sends.
@kind(
    "all wake one",
    lambda g: WakesOne(),
    lambda g: (
        8 * float(g.degree[np.arange(SUPERSTEPS) % g.vertices].sum()) + SUPERSTEPS * 8 * g.vertices
    ),
)
def wakes_one(g: Links) -> Answer:
    x = g.ids % 8
    for superstep in range(SUPERSTEPS):
        sender = superstep % g.vertices
        row = slice(g.edges.offsets[sender], g.edges.offsets[sender + 1])
        x = x + 1 + np.bincount(g.targets[row], minlength=g.vertices) * x[sender]
        x = x % 1009
    return {"x": x}


class LightestArcs(VertexProgram):
    """Each of eight groups looks for its lightest arc to another one (Borůvka 1926)."""

    supersteps = param.supersteps(10)
    toll = edge.int32()
    least = vertex.uint64(init="~0ul")

    message, combine = "uint64", "min"
    scatter_on = apply_on = "all"
    functions = "#define GROUP(id) (((id) + superstep) % 8)"
    scatter = """
        if (GROUP(e.src) != GROUP(e.dst) && GROUP(e.src) < g.num_vertices)
            send_to(GROUP(e.src), (ulong)e.toll << 32 | hash(e.src ^ e.dst));
    """
    apply = "v.least = msg;"


#: An arc: the neighbor, its toll. A vertex: where its row starts, what is written.
@kind("lightest arc of eight groups", lambda g: LightestArcs(), each(4 + 4, 4 + 8))
def lightest(g: Links) -> Answer:
    least = np.full(max(8, g.vertices), ~np.uint64(0))
    last = SUPERSTEPS - 1
    for group in range(8):

        def arc_of(arcs: slice, group: int = group) -> np.ndarray:
            src, dst = g.edges.sources[arcs], g.targets[arcs]
            word = g.toll[arcs].astype(np.uint64) << np.uint64(32) | hashed(src ^ dst)
            leaves = ((src + last) % 8 == group) & ((dst + last) % 8 != group)
            return np.where(leaves, word, ~np.uint64(0))

        least[group] = g.combined(np.minimum, arc_of, ~np.uint64(0)).min()
    return {"least": least[: g.vertices]}


# State of arcs, lanes, aggregators, pairs -----------------------------------------------------


class ArcState(VertexProgram):
    """The sum over a vertex's neighbors, kept up to date by sending only changes."""

    supersteps = param.supersteps(10)
    x = vertex.int32(init="v.id % 4")
    total = vertex.int32()
    last_sent = arc.int32()

    message, combine = "int32", "sum"
    scatter_on = apply_on = "all"
    scatter = """
        if (e.last_sent != v.x) {
            send(v.x - e.last_sent);
            e.last_sent = v.x;
        }
    """
    apply = """
        v.total += msg;
        v.x = v.total % 4;
    """


#: An arc: the neighbor, its state read and written, its message.
@kind("arc state", lambda g: ArcState(), each(4 + 8 + 4, 4 + 4 + 8 + 4))
def arc_state(g: Links) -> Answer:
    x = g.ids % 4
    for _ in range(SUPERSTEPS):
        total, last = g.heard(np.add, x), x
        x = total % 4
    return {"x": x, "total": total, "arc.last_sent": last[g.edges.sources]}


class SumInLanes(Sum):
    start = param.int32(0)
    x = vertex.real(init="1 + (v.id + p.start) % 8")

    apply = "v.x = 1 + (v.id + p.start) % 8 + msg / 2;"


@kind(
    "sum in four lanes",
    lambda g: SumInLanes(start=[0, 1, 2, 3]),
    each(4 + 16, 4 + 4 + 16 + 16),
)
def lanes_sum(g: Links) -> Answer:
    return {"x": np.stack([g.diffused(start) for start in range(4)], axis=1)}


class SumAggregated(Sum):
    total = aggregate.real("sum")
    largest = aggregate.real("max")
    mean = aggregate.real("mean")

    apply = """
        v.x = 1 + v.id % 8 + msg / 2;
        aggregate_total(v.x);
        aggregate_largest(v.x);
        aggregate_mean(v.x);
    """


@kind("three aggregators", lambda g: SumAggregated(), each(4 + 4, 4 + 4 + 4 + 4))
def aggregators(g: Links) -> Answer:
    x = g.diffused()
    named = {"total": x.sum(), "largest": x.max(), "mean": x.mean()}
    return {"x": x, **{f"agg.{name}": np.array(value) for name, value in named.items()}}


class ToLower(VertexProgram):
    """Whether an arc carries a message depends on the fields at both ends."""

    supersteps = param.supersteps(10)
    x = vertex.int32(init="v.id % 8")

    message, combine = "int32", "sum"
    scatter_on = apply_on = "all"
    scatter = "if (v.x > x_of(e.dst)) send(1);"
    apply = "v.x = (v.x + 3 * msg + v.id) % 11;"


@kind("sends to lower neighbors", lambda g: ToLower(), each(4 + 4, 4 + 4 + 8))
def lower(g: Links) -> Answer:
    x = g.ids % 8
    for _ in range(SUPERSTEPS):

        def sent(arcs: slice, x: np.ndarray = x) -> np.ndarray:
            return (x[g.targets[arcs]] > x[g.edges.sources[arcs]]).astype(np.int64)

        x = (x + 3 * g.combined(np.add, sent, 0) + g.ids) % 11
    return {"x": x}


class Ranking(VertexProgram):
    """How many other vertices have a larger value, again and again."""

    supersteps = param.supersteps(10)
    x = vertex.int32(init="v.id")

    message, combine = "int32", "sum"
    scatter_on = apply_on = "all"
    pairs = "send(u.x > v.x ? 1 : 0);"
    apply = "v.x = (7919 * msg + superstep) % 1009;"


#: Each pair reads the other's value.
@kind(
    "pairs",
    lambda g: Ranking(),
    lambda g: SUPERSTEPS * (4 * float(g.vertices) ** 2 + 8 * g.vertices),
    small=True,
)
def pairs(g: Links) -> Answer:
    x = g.ids
    for superstep in range(SUPERSTEPS):
        larger = g.vertices - np.searchsorted(np.sort(x), x, "right")
        x = (7919 * larger + superstep) % 1009
    return {"x": x}


# Searches, which end when nothing changes -----------------------------------------------------


class Components(VertexProgram):
    """The smallest vertex of each component."""

    label = vertex.int32(init="v.id")

    message, combine = "int32", "min"
    receive_if = "msg < v.label"
    scatter = "send(v.label);"
    apply = """
        v.label = msg;
        set_mask();
    """


def moved(flood: Flood, arc: float, vertex: float) -> float:
    """Bytes for each arc along which a vertex has sent, and each time that a vertex did."""
    return arc * flood.arcs + vertex * flood.sent


def labels(g: Links) -> Flood:
    return g.flooded("labels", g.ids.astype(np.int32), np.minimum)


#: A sender: where its row starts, its label read and written.
@kind("components", lambda g: Components(), lambda g: moved(labels(g), 4 + 4, 4 + 8))
def components(g: Links) -> Answer:
    return {"label": labels(g).values}


class MaskedLanes(VertexProgram):
    """Least labels from four starts, each with a mask of its own."""

    start = param.int32(0)
    label = vertex.int32(init="(v.id * 7919L + p.start) % 10007")

    message, combine = "int32", "min"
    receive_if = "msg < v.label"
    scatter = "send(v.label);"
    apply = """
        v.label = msg;
        set_mask();
    """


def lane_floods(g: Links) -> list[Flood]:
    starts = [((g.ids * 7919 + start) % 10007).astype(np.int32) for start in range(4)]
    return [g.flooded(f"lane {i}", start, np.minimum) for i, start in enumerate(starts)]


#: As components', in each lane.
@kind(
    "four lanes with masks",
    lambda g: MaskedLanes(start=[0, 1, 2, 3]),
    lambda g: sum(moved(flood, 4 + 4, 4 + 8) for flood in lane_floods(g)),
)
def masked_lanes(g: Links) -> Answer:
    return {"label": np.stack([f.values for f in lane_floods(g)], axis=1)}


class Search(VertexProgram):
    """The number of arcs from the source, by the minimum."""

    source = param.vertex()
    depth = vertex.int32(init="v.id == p.source ? 0 : -1")

    message, combine = "int32", "min"
    mask = "v.id == p.source"
    receive_if = "v.depth < 0"
    scatter = "send(v.depth + 1);"
    apply = """
        v.depth = msg;
        set_mask();
    """


def search_moves(g: Links) -> float:
    """An arc of a vertex that is reached: the neighbor, its depth. The vertex: where its row
    starts, its depth written and read."""
    sent, arcs = g.searched(1)
    return (4 + 4) * arcs + (4 + 8) * sent


@kind("BFS", lambda g: Search(source=int(g.sources[0])), search_moves)
def bfs(g: Links) -> Answer:
    return {"depth": g.depths[:, 0]}


class SearchTotals(Search):
    nearness = aggregate.real("sum")

    apply = """
        v.depth = msg;
        aggregate_nearness((real)1 / (1 + v.depth));
        set_mask();
    """


@kind(
    "BFS with a sum of reals",
    lambda g: SearchTotals(source=int(g.sources[0])),
    search_moves,
)
def search_totals(g: Links) -> Answer:
    depth = g.depths[:, 0]
    last = int((depth == MOST).sum())  # of the last superstep, if it is not one that reaches none
    return {"depth": depth, "agg.nearness": np.array(last / (1 + MOST))}


class FirstParent(VertexProgram):
    """The number of arcs from the source, and the vertex before: of several, the smallest id."""

    source = param.vertex()
    depth = vertex.int32(init="v.id == p.source ? 0 : -1")
    parent = vertex.int32(init=-1)

    message, combine = "int32", "first"
    receive_if = "v.depth < 0"
    mask = "v.id == p.source"
    scatter = "send(v.id);"
    apply = """
        v.depth = superstep + 1;
        v.parent = msg;
        set_mask();
    """


@kind("first, with receive_if", lambda g: FirstParent(source=int(g.sources[0])), search_moves)
def first(g: Links) -> Answer:
    depth = g.depths[:, 0]
    return {"depth": depth, "parent": g.parents(depth)}


class SearchesInLanes(FirstParent):
    scatter = """
        if (v.depth == superstep)
            send(v.id);
    """


def lanes_moves(g: Links) -> float:
    """An arc of a vertex that is reached in any lane: the neighbor, a bit for each lane. A vertex:
    its depth and parent in each lane."""
    sent, arcs = g.searched(LANES)
    lanes = min(LANES, len(g.sources))
    return (4 + lanes / 8) * arcs + 4 * sent + lanes * (4 + 4) * g.vertices


@kind(
    "searches in 16 lanes",
    lambda g: SearchesInLanes(source=g.sources[:LANES].tolist()),
    lanes_moves,
)
def lanes_search(g: Links) -> Answer:
    depth = g.depths[:, :LANES]
    parents = [g.parents(np.ascontiguousarray(column)) for column in depth.T]
    return {"depth": depth, "parent": np.stack(parents, axis=1)}


class SmallestKey(VertexProgram):
    """The smallest of each component's keys, which take more than any atomic operation does."""

    Key = struct([("first", "int32"), ("second", "int32"), ("id", "int32")])
    key = vertex.struct(
        Key, init="(Key){(uint)v.id * 2654435761u >> 28, (uint)v.id * 40503u % 64, v.id}"
    )

    message = Key
    combine = "BEFORE(b, a) ? b : a"
    identity = "(Key){INT_MAX, INT_MAX, INT_MAX}"
    functions = """
        #define BEFORE(x, y) ((x).first < (y).first || ((x).first == (y).first && \\
            ((x).second < (y).second || ((x).second == (y).second && (x).id < (y).id))))
    """
    receive_if = "BEFORE(msg, v.key)"
    scatter = "send(v.key);"
    apply = """
        v.key = msg;
        set_mask();
    """


def keys(g: Links) -> tuple[np.ndarray, np.ndarray, Flood]:
    """The two first members of each vertex's key, and the flood of the keys' ranks."""
    word = g.ids.astype(np.uint32)
    first = (word * np.uint32(2654435761) >> np.uint32(28)).astype(np.int64)
    second = (word * np.uint32(40503) % np.uint32(64)).astype(np.int64)
    order = np.lexsort((g.ids, second, first))
    rank = np.empty(g.vertices, np.int32)
    rank[order] = np.arange(g.vertices)
    flood = g.flooded("keys", rank, np.minimum)
    return first, second, flood._replace(values=order[flood.values])


@kind(
    "components by keys of 12 bytes", lambda g: SmallestKey(), lambda g: moved(keys(g)[2], 16, 28)
)
def wide_components(g: Links) -> Answer:
    first, second, flood = keys(g)
    smallest = flood.values
    return {"key.first": first[smallest], "key.second": second[smallest], "key.id": smallest}


class Peeling(VertexProgram):
    """Vertices of fewer than k neighbors are removed, again and again."""

    k = param.int32()
    left = vertex.int32(init="v.out_degree")

    message, combine = "int32", "sum"
    mask = "v.out_degree < p.k"
    receive_if = "v.left >= p.k"
    scatter = "send(1);"
    apply = """
        v.left -= msg;
        if (v.left < p.k)
            set_mask();
    """


def peeled(g: Links) -> Flood:
    """How many neighbors each vertex has left, and how many were removed, with their arcs."""
    if "peeled" not in g.floods:
        k, left = g.arcs // g.vertices + 1, g.degree.copy()
        sent = arcs = 0
        removed = left < k
        for _ in range(MOST):
            if not removed.any():
                break
            sent, arcs = sent + int(removed.sum()), arcs + int(g.degree[removed].sum())
            stays = left >= k
            left = left - np.where(stays, g.heard(np.add, removed.astype(np.int32)), 0)
            removed = stays & (left < k)
        g.floods["peeled"] = Flood(left, sent, arcs)
    return g.floods["peeled"]


#: A vertex that is removed: where its row starts, what it has left, read and written.
@kind(
    "peeling",
    lambda g: Peeling(k=g.arcs // g.vertices + 1),
    lambda g: moved(peeled(g), 4 + 4, 4 + 8),
)
def peeling(g: Links) -> Answer:
    return {"left": peeled(g).values}


class ReachedFrom(VertexProgram):
    """From which of up to 64 sources each vertex can be reached: a bit for each source."""

    bits = vertex.uint64(doc="the source's own bit; 0 for all other vertices")
    every = param.uint64(2**64 - 1, doc="the bits of all sources")
    reached = vertex.uint64(init="v.bits")

    message, combine = "uint64", "or"
    mask = "v.bits != 0"
    receive_if = "v.reached != p.every"
    enough = "msg == p.every"
    scatter = "send(v.reached);"
    apply = """
        if (msg & ~v.reached) {
            v.reached |= msg;
            set_mask();
        }
    """


def reached(g: Links) -> Flood:
    return g.flooded("reached", g.source_bits, np.bitwise_or)


@kind(
    "enough",
    lambda g: ReachedFrom(bits=g.source_bits, every=int(np.bitwise_or.reduce(g.source_bits))),
    lambda g: moved(reached(g), 4 + 8, 4 + 16),
)
def enough(g: Links) -> Answer:
    return {"reached": reached(g).values}


class Paths(VertexProgram):
    """The length of the shortest path from the source, up to a cutoff."""

    source = param.vertex()
    cutoff = param.real(2000)
    distance = vertex.real(init="v.id == p.source ? 0 : INFINITY")
    weight = edge.real(low=0)

    message, combine = "real", "min"
    mask = "v.id == p.source"
    receive_if = "msg <= p.cutoff && msg < v.distance"
    scatter = "send(v.distance + e.weight);"
    apply = """
        v.distance = msg;
        set_mask();
    """


def distances(g: Links, most: int = MOST) -> Flood:
    start = np.full(g.vertices, np.inf)
    start[g.sources[0]] = 0

    def longer(distance: np.ndarray, arcs: slice) -> np.ndarray:
        length = distance + g.weights[arcs]
        return np.where(length <= CUTOFF, length, np.inf)

    return g.flooded(f"distances, {most}", start, np.minimum, longer, most)


#: An arc also has a weight.
@kind(
    "SSSP",
    lambda g: Paths(source=int(g.sources[0]), cutoff=CUTOFF),
    lambda g: moved(distances(g), 4 + 4 + 4, 4 + 8),
)
def sssp(g: Links) -> Answer:
    return {"distance": distances(g).values}


class Earliest(VertexProgram):
    """The earliest arrival along arcs that leave no sooner than their end was reached."""

    source = param.vertex()
    arrival = vertex.int64(init="v.id == p.source ? 0 : LONG_MAX")
    toll = edge.int32()

    message, combine = "int64", "min"
    mask = "v.id == p.source"
    receive_if = "msg < v.arrival"
    scatter = """
        if (e.toll >= v.arrival)
            send(e.toll);
    """
    apply = """
        v.arrival = msg;
        set_mask();
    """


def arrivals(g: Links) -> Flood:
    never = np.iinfo(np.int64).max
    start = np.full(g.vertices, never)
    start[g.sources[0]] = 0

    def leave(arrival: np.ndarray, arcs: slice) -> np.ndarray:
        return np.where(g.toll[arcs] >= arrival, g.toll[arcs].astype(np.int64), never)

    return g.flooded("arrivals", start, np.minimum, leave)


@kind(
    "earliest arrival",
    lambda g: Earliest(source=int(g.sources[0])),
    lambda g: moved(arrivals(g), 4 + 8 + 4, 4 + 16),
)
def earliest(g: Links) -> Answer:
    return {"arrival": arrivals(g).values}


class NearFirst(Paths):
    priority = "v.distance"


def settled_moves(g: Links) -> float:
    """As SSSP's, if each vertex that is reached sends once."""
    found = np.isfinite(distances(g, LONG).values)
    return 12 * float(g.degree[found].sum(dtype=np.int64)) + 12 * int(found.sum())


@kind(
    "priority",
    lambda g: NearFirst(source=int(g.sources[0]), cutoff=CUTOFF),
    settled_moves,
    most=LONG,
)
def priority(g: Links) -> Answer:
    return {"distance": distances(g, LONG).values}


# Any order ------------------------------------------------------------------------------------


class Levels(VertexProgram):
    """The number of arcs from the source. As an unsigned number, that of a vertex that is not
    reached is the largest."""

    source = param.vertex()
    level = vertex.int32(init="v.id == p.source ? 0 : -1")

    message, combine, order = "uint32", "min", "any"
    mask = "v.id == p.source"
    receive_if = "msg < (uint)v.level"
    priority = "v.level"
    scatter = "send(v.level + 1);"
    apply = """
        v.level = msg;
        set_mask();
    """


def lengths(g: Links, unweighted: bool) -> np.ndarray:
    """float64 (V,): the length of a shortest path from the source, or how many arcs it has."""
    links = csr_array((g.weights, g.targets, g.edges.offsets), (g.vertices, g.vertices))
    return dijkstra(links, indices=int(g.sources[0]), unweighted=unweighted)


def once_each(g: Links, arc: float, vertex: float) -> float:
    """Bytes that move if each vertex that can be reached sends once."""
    found = np.isfinite(lengths(g, True))
    return arc * float(g.degree[found].sum(dtype=np.int64)) + vertex * int(found.sum())


@kind(
    "BFS in any order",
    lambda g: Levels(source=int(g.sources[0])),
    lambda g: once_each(g, 4 + 4, 4 + 8),
    most=None,
)
def levels(g: Links) -> Answer:
    level = lengths(g, True)
    return {"level": np.where(np.isfinite(level), level, -1).astype(np.int32)}


class Routes(VertexProgram):
    """The length of the shortest path from the source, in whole numbers, and the vertex before:
    of several, the smallest id."""

    Step = struct([("length", "uint32"), ("before", "int32")])
    source = param.vertex()
    length = vertex.uint32(init="v.id == p.source ? 0 : UINT_MAX")
    before = vertex.int32(init=-1)
    weight = edge.int32(low=1)

    message = Step
    combine = """
        a.length < b.length || (a.length == b.length && a.before < b.before) ? a : b
    """
    identity = "(Step){UINT_MAX, INT_MAX}"
    order = "any"
    mask = "v.id == p.source"
    receive_if = """
        msg.length < v.length || (msg.length == v.length && msg.before < v.before)
    """
    priority = "v.length"
    scatter = "send((Step){v.length + e.weight, v.id});"
    apply = """
        if (msg.length < v.length)
            set_mask();
        v.length = msg.length;
        v.before = msg.before;
    """


#: An arc also has a weight; a vertex also the one before it, written.
@kind(
    "SSSP with parents in any order",
    lambda g: Routes(source=int(g.sources[0])),
    lambda g: once_each(g, 4 + 8 + 4, 4 + 8 + 4),
    most=None,
)
def routes(g: Links) -> Answer:
    length = lengths(g, False)

    def nearer(arcs: slice) -> np.ndarray:
        neighbor, row = g.targets[arcs], g.edges.sources[arcs]
        is_before = length[neighbor] + g.weights[arcs] == length[row]
        return np.where(is_before, neighbor, g.vertices).astype(np.int32)

    found = np.isfinite(length)
    first = g.combined(np.minimum, nearer, g.vertices)
    before = np.where(found & (first < g.vertices), first, -1)
    return {"length": np.where(found, length, 2**32 - 1).astype(np.uint32), "before": before}


class Roots(VertexProgram):
    """The smallest id in each component: roots of trees are hooked to smaller ones, in place."""

    root = vertex.int32(init="num_neighbors ? min(v.id, neighbor(0)) : v.id")

    message, combine, edges = "int32", "min", "both"
    order, apply_on = "any", "all"
    receive_if = "v.root == v.id"
    functions = "#define FIND(id) while (root_of(id) != (id)) id = root_of(id)"
    apply = """
        if (has_msg) {
            v.root = min(v.root, msg);
            set_mask();
            return;
        }
        int mine = v.root, most = max(g.hub, 0);
        FIND(mine);
        FIND(most);
        for (int i = 0; mine != most && get_mask() && i < num_neighbors; ++i) {
            int other = neighbor(i);
            FIND(other);
            if (mine == other)
                continue;
            send_to(max(mine, other), min(mine, other));
            FIND(mine);
            FIND(other);
            FIND(most);
            if (mine != other)
                set_mask();
        }
        v.root = mine;
    """


#: An arc: the neighbor, its root. A vertex: where its row starts, its root read and written.
@kind(
    "components in any order",
    lambda g: Roots(),
    lambda g: (4 + 4) * g.arcs + (4 + 8) * g.vertices,
    most=None,
)
def roots(g: Links) -> Answer:
    links = csr_array((g.weights, g.targets, g.edges.offsets), (g.vertices, g.vertices))
    count, component = connected_components(links, directed=False)
    smallest = np.full(count, g.vertices)
    np.minimum.at(smallest, component, g.ids)
    return {"root": smallest[component]}
