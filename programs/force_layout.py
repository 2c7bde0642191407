"""Positions in a plane for drawing a graph: neighbors attract each other, and all others repel.

Three stages. The first gives each vertex a place by its distances from a few pivots, so that even a
long road is unrolled; the second moves all vertices by forces, each time a little less far; the
third sets components apart.

Pivots: the first is a vertex of most neighbors, each further one a vertex farthest from those
before. The matrix of squared distances, (V, pivots), is centered in both directions, and its two
strongest components are the coordinates.

Forces: with d the difference of two positions, each edge pulls with |d|^2 and each pair of vertices
repels with 1 / |d|^2, so that two neighbors alone come to rest at distance 1. Fruchterman and
Reingold repel with 1 / |d|, which reaches far, and swells the middle of large graphs; with the
square, distances in the plane are nearer to those in the graph (docs/pictures.md). In large graphs
a vertex is repelled by a random sample of the others, drawn again in each superstep, whose forces
count for all: those at the same random distances from it in the order of the vertices, so that
neighboring work-items read neighboring positions. A superstep moves a vertex at most as far as the
temperature, which falls linearly to 0.

Sources: Fruchterman and Reingold, Graph Drawing by Force-directed Placement (1991): forces and
temperature. Hu, Efficient, High-Quality Force-Directed Graph Drawing (2005): powers of the
distance. Brandes and Pich, Eigensolver Methods for Progressive Multidimensional Scaling of Large
Data (2007): pivots. Gove, A Random Sampling O(n) Force-calculation Algorithm for Graph Layouts
(2019): samples; there a part of the vertices moves, here all do. Jacomy, Venturini, Heymann and
Bastian, ForceAtlas2 (2014): gravity, without which components drift apart, and the other law of
forces (force_atlas.py).

Components: their boxes stand in rows. Coffman, Garey, Johnson and Tarjan, Performance Bounds for
Level-Oriented Two-Dimensional Packing Algorithms (1980): next-fit, here by decreasing numbers of
vertices, which rounding does not change.
"""

from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from gascl import Graph, ProgramError, VertexProgram, aggregate, edge, param, vertex
from gascl.graph.arcs import stable_order
from gascl.graph.parallel import blocks, filled, in_threads
from gascl.programs.breadth_first import BreadthFirst
from gascl.programs.force_atlas import NearAndFar

#: Searches from pivots.
PIVOTS = 16
#: Vertices whose distances from all pivots fit into the cache.
ROWS = 1 << 14
#: Of the width of the first layout: how far a vertex moves in the first superstep, at most.
HEAT = 0.05
#: Between components.
GAP = 1.5


class Forces(VertexProgram):
    """Moves `position` in a simple undirected graph."""

    supersteps = param.supersteps(100)
    cooling = param.real(0.01, doc="by how much the temperature falls, as a part of `heat`")
    heat = param.real(1, low=1e-6, doc="how far a vertex moves in superstep 0, at most")
    gravity = param.real(0.003, low=0)
    samples = param.int32(64, low=1)
    seed = param.int32(0, low=0)
    position = vertex.real2()

    message, combine = "real2", "sum"
    scatter_on = apply_on = "all"
    scatter = """
        const real2 d = v.position - position_of(e.dst);
        send(length(d) * d);
    """
    apply = """
        const int others = g.num_vertices - 1, drawn = min(p.samples, others);
        const uint first = hash(superstep + hash(p.seed));
        real2 away = 0;
        for (int i = 0; i < drawn; ++i) {
            const uint step = drawn < others ? mul_hi(hash(first + i), (uint)others) : (uint)i;
            const uint next = v.id + 1 + step;  // everybody else
            const int other = (int)(next < g.num_vertices ? next : next - g.num_vertices);
            const real2 d = v.position - position_of(other);
            const real near = rsqrt(max(dot(d, d), (real)1e-4));
            away += d * (near * near * near);
        }
        const real all = drawn ? (real)others / drawn : 0;
        const real2 force = msg + all * away - p.gravity * v.position;
        const real far = p.heat * (1 - p.cooling * superstep);
        v.position += force * (far / max(length(force), far));
    """


class Lengths(VertexProgram):
    """The sum of the lengths of all arcs."""

    supersteps = param.supersteps(1)
    position = vertex.real2()
    total = aggregate.real("sum")

    message, combine = "real", "sum"
    scatter_on = "all"
    scatter = "send(length(v.position - position_of(e.dst)));"
    apply = "aggregate_total(msg);"


class ForceLayout(VertexProgram):
    """`position` (real, (V, 2)) of each vertex in a plane, for drawing.

    Args:
        law: "distances", by which distances in the plane are like those in the graph; or
            "forceatlas2", by which vertices of a community come to lie together, and those with
            many neighbors far from others.
        supersteps: how often the vertices move; 0 gives the layout by pivots alone.
        samples: how many others repel a vertex in a superstep; in a graph of up to 16 times as many
            vertices, all of them do. By "forceatlas2", groups that are far away repel as one.
        gravity: pulls towards the middle, in proportion to the distance, so that components stay
            together.
        seed: of the samples, and of the small displacements that set vertices apart whose distances
            from the pivots are the same.
        position: where the vertices are in the beginning, instead of places by pivots.

    An edge of average density is about 1 long. Direction and self-loops make no difference, nor do
    weights and parallel edges, unless by "forceatlas2": there, edges attract by their `weight`.
    """

    law = param.choice("distances", "forceatlas2")
    supersteps = param.supersteps(100)
    samples = Forces.samples
    gravity = Forces.gravity
    seed = Forces.seed
    weight = edge.real(default=1, finite=True, optional=True)
    position = vertex.real2()

    def __init__(self, *positional, **values):
        super().__init__(*positional, **values)
        if self.law == "distances":
            self.edge_names["weight"] = None  # they are not even checked

    def prepare(self, graph: Graph, initial: dict[str, np.ndarray]) -> None:
        if "position" in initial and not np.all(np.abs(initial["position"]) < 1e6):
            raise ProgramError("position: coordinates are numbers between -1e6 and 1e6")

    def solve(self, stages):
        graph = stages.derived(simple)
        values = {"dtype": self.dtype, **self.initial}
        if "position" in self.initial:  # as an array, whatever was given
            begin = Forces(supersteps=0, **values)
            values["position"] = stages.run(begin, graph=graph, fresh=True).position
        with ThreadPoolExecutor(1) as other:  # works while the device does
            if "position" not in self.initial:
                drawn = other.submit(scattered, graph.num_vertices, self.seed)
                values["position"], reached = by_pivots(graph, stages, drawn, self.dtype)
                parts = other.submit(Parts, graph, reached)
            if self.law == "distances":
                found = self.by_distances(graph, stages, values)
            else:
                found = self.by_force_atlas(graph, stages, values)
            return {
                "position": found if "position" in self.initial else parts.result().packed(found)
            }

    def by_distances(self, graph: Graph, stages, values) -> np.ndarray:
        """Positions in the simple graph, from `values["position"]` on."""
        values |= {name: getattr(self, name) for name in ("supersteps", "gravity", "seed")}
        count = graph.num_vertices
        values["samples"] = count if count <= 16 * self.samples else self.samples
        values["cooling"] = 1 / max(self.supersteps, 1)
        width = max(np.ptp(axis) for axis in values["position"].T)
        values["heat"] = HEAT * max(width, 1)
        return stages.run(Forces(**values), graph=graph, fresh=True).position

    def by_force_atlas(self, graph: Graph, stages, values) -> np.ndarray:
        """The same by the edges of the graph itself, with edges of the mean length 1."""
        mass = np.diff(graph.arcs().out_offsets) + 1
        values |= {"iterations": self.supersteps, "gravity": self.gravity, "mass": mass}
        found = stages.run(NearAndFar(**values), fresh=True).position
        return found / (mean_length(stages, graph, found.T, self.dtype) or 1)


def simple(graph: Graph) -> Graph:
    """The simple undirected graph."""
    return graph.simple(undirected=True)


def scattered(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Random places in a circle of radius 1, and small displacements, both (2, V)."""
    draw = np.random.RandomState(seed)  # frozen: alike everywhere
    angle, far = draw.uniform(0, 2 * np.pi, count), draw.uniform(0, 1, count) ** 0.5
    near = draw.uniform(-0.5, 0.5, (count, 2)).T
    return np.stack([far * np.cos(angle), far * np.sin(angle)]), near


def by_pivots(
    graph: Graph, stages, drawn: Future[tuple[np.ndarray, np.ndarray]], dtype: str
) -> tuple[np.ndarray, np.ndarray]:
    """Places by distances from pivots, (V, 2), where edges have the mean length 1; and which
    vertices the first pivot reaches, (V,). The others are scattered among these.

    Args:
        drawn: what `scattered` returns.
    """
    count = graph.num_vertices
    depths: list[np.ndarray] = []
    nearest = np.full(count, np.iinfo(np.int32).max, np.int32)
    pivot = int(np.argmax(np.diff(graph.arcs().out_offsets)))
    while len(depths) < PIVOTS:
        search = BreadthFirst(source=graph.label_of(pivot))
        depth = stages.run(search, graph=graph, fresh=True).depth
        depths.append(depth)
        np.minimum(nearest, depth, out=nearest)
        pivot = int(np.argmax(nearest))
        if nearest[pivot] <= 0:  # all that are reached are pivots
            break
    reached = depths[0] >= 0
    others = np.flatnonzero(~reached)

    def squares(block: slice) -> np.ndarray:
        """(pivots, vertices)"""
        far = np.empty((len(depths), len(depths[0][block])))
        for row, depth in zip(far, depths, strict=True):
            np.multiply(depth[block], depth[block], out=row, dtype=np.float64)
        return far

    def sums(block: slice) -> tuple[np.ndarray, np.ndarray]:
        far = squares(block)
        return far @ far.T, far.sum(axis=1)

    def put(block: slice) -> None:
        places[: len(axes), block] = axes @ squares(block) - middle[:, None]
        places[:, block] *= reached[block]

    # Products and sums are centered instead of the matrix, which would not fit into the cache. All
    # distances of a vertex that no path leads to are -1.
    parts = in_threads(sums, blocks(count, ROWS))
    many = np.count_nonzero(reached)
    products = np.sum([part for part, _ in parts], axis=0) - (count - many)
    means = (np.sum([part for _, part in parts], axis=0) - (count - many)) / many
    center = np.eye(len(depths)) - 1 / len(depths)
    _, strongest = np.linalg.eigh(center @ (products - many * np.outer(means, means)) @ center)
    axes = strongest[:, :-3:-1].T @ center  # of one pivot, there is one
    middle = axes @ means
    places = np.zeros((2, count))
    in_threads(put, blocks(count, ROWS))
    places /= mean_length(stages, graph, places, dtype) or 1
    radius = max(np.abs(places).max(), (count / np.pi) ** 0.5)
    anywhere, near = drawn.result()
    places += near
    for axis, along in zip(places, anywhere, strict=True):
        axis[others] = radius * along[others]
    return places.T.astype(dtype, order="C"), reached


def mean_length(stages, graph: Graph, places: np.ndarray, dtype: str) -> float:
    """The mean length of an edge; 0 if there is none."""
    if not graph.num_edges:
        return 0
    lengths = Lengths(position=places.T.astype(dtype, order="C"), dtype=dtype)
    (step,) = stages.run(lengths, graph=graph, fresh=True).trace
    return step.aggregates["total"] / (2 * graph.num_edges)


def pairs(points: np.ndarray) -> np.ndarray:
    """Points, (n, 2), as n complex numbers."""
    return np.ascontiguousarray(points).view(f"c{2 * points.itemsize}")[:, 0]


def unpaired(points: np.ndarray) -> np.ndarray:
    """Complex numbers as points, (n, 2)."""
    return points.view(f"f{points.itemsize // 2}").reshape(-1, 2)


class Parts:
    """The vertices of each component, which are numbered in the order of their first vertices.

    Args:
        reached: (V,) the vertices of one of them.
    """

    def __init__(self, graph: Graph, reached: np.ndarray):
        src, dst, others = graph.edge_src, graph.edge_dst, ~reached
        apart = np.flatnonzero(filled(np.empty(len(src), bool), lambda block: others[src[block]]))
        outside = np.flatnonzero(others)
        place = np.zeros(len(reached), np.int32)
        place[outside] = np.arange(len(outside))
        ends = place[src[apart]], place[dst[apart]]
        joined = coo_array((np.ones(len(apart), np.int8), ends), (len(outside), len(outside)))
        many, part = connected_components(joined, directed=False)
        first = np.empty(many, np.int64)
        first[part[::-1]] = outside[::-1]
        root = np.full(len(reached), np.argmax(reached))
        root[outside] = first[part]
        firsts = root == np.arange(len(root))
        #: (V,) the number of each vertex's component.
        self.number = (np.cumsum(firsts, dtype=np.int32) - 1)[root]
        self.sizes = np.bincount(self.number)
        self.order = stable_order(self.number, len(self.sizes))

    def packed(self, position: np.ndarray) -> np.ndarray:
        """The same positions, with each component moved as a whole, so that none overlaps another.

        The boxes around components stand in centered rows, those of most vertices first, in about a
        square.
        """
        count = len(self.sizes)
        if count < 2:
            return position
        ends = self.sizes.cumsum()
        begins = ends - self.sizes
        many = np.flatnonzero(self.sizes > 1)  # most are often single vertices
        bounds = np.stack([begins[many], ends[many]], axis=1).ravel()
        points = pairs(position)  # which are gathered faster than rows
        vertices = filled(np.empty_like(points), lambda block: points[self.order[block]])
        low = unpaired(vertices[begins]).astype(np.float64)
        high = low.copy()
        for i, axis in enumerate(np.append(unpaired(vertices), [[0, 0]], axis=0).T):
            for bound, of_each in ((np.minimum, low), (np.maximum, high)):
                of_each[many, i] = bound.reduceat(axis, bounds)[::2] if len(many) else 0
        size = high - low + GAP
        area = (size[:, 0] * size[:, 1]).sum()
        width = max(size[:, 0].max(), np.sqrt(area)) * (1 + 1e-6)  # rounding
        order = np.argsort(-self.sizes, kind="stable")
        sizes = size[order]
        changes = np.flatnonzero((sizes[1:] != sizes[:-1]).any(axis=1)) + 1
        behind = np.append(changes, count)  # the end of each series of boxes of the same size
        corner = np.empty((count, 2))
        below, begin, most = 0.0, 0, 1024
        while begin < count:
            wide, tall = sizes[begin : begin + most].T
            ends = wide.cumsum()
            fit = int(np.searchsorted(ends, width, "right"))
            if fit == most and begin + fit < count:  # perhaps more
                most *= 2
                continue
            wide, tall, ends = wide[:fit], tall[:fit], ends[:fit]
            series = int(behind[np.searchsorted(behind, begin, "right")])
            rows = max((series - begin) // fit, 1)  # alike, one below the other
            row = order[begin : begin + rows * fit].reshape(rows, fit)
            high = tall.max()
            lower = below - high * np.arange(1, rows + 1)
            corner[row, 0] = ends - wide - ends[-1] / 2
            corner[row, 1] = lower[:, None] + (high - tall) / 2
            below, begin = lower[-1], begin + rows * fit
        corner[:, 1] -= below / 2
        moved = pairs(corner - low + GAP / 2)
        placed = filled(
            np.empty_like(points), lambda block: points[block] + moved[self.number[block]]
        )
        return unpaired(placed)
