"""order = "any": messages may be applied in any order, one by one, and several times."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, dijkstra
from support import case_subsets

from gascl import Engine, Graph, NotConverged, ProgramError, VertexProgram, edge, vertex
from gascl.codegen import constants
from gascl.delivery import assembly
from gascl.graph.csr_ends import CsrEnds
from gascl.opencl.device_choice import find
from gascl.programs import BreadthFirst, ConnectedComponents, Distances, ShortestPaths
from gascl.programs.connected_components import Hooked

needs_joining = pytest.mark.skipif(
    not find().can_join, reason="work-groups cannot wait for each other"
)
needs_pocl = pytest.mark.skipif(
    not find().can_join or not find().is_cpu, reason="all of delivery in_place is for PoCL alone"
)
#: How often a run is repeated, with another schedule each time.
TIMES = 20 if case_subsets.ALL else 5
#: More vertices and arcs than one work-group has to itself.
MANY = 12_000


class LeastLabel(VertexProgram):
    """The smallest vertex of each connected component, in an undirected graph."""

    label = vertex.vertex(init="v.id")

    message, combine = "vertex", "min"
    order = "any"
    scatter = "send(v.label);"
    apply = """
        if (msg < v.label) {
            v.label = msg;
            set_mask();
        }
    """


class Reached(VertexProgram):
    """Which of 32 sources reach each vertex, and how many these are."""

    bits = vertex.uint32()
    reached = vertex.uint32(init="v.bits")
    count = vertex.uint8(init="popcount(v.bits)")

    message, combine = "uint32", "or"
    order = "any"
    mask = "v.bits"
    receive_if = "msg & ~v.reached"
    scatter = "send(v.reached);"
    apply = """
        v.reached |= msg;
        v.count = popcount(v.reached);
        set_mask();
    """


class Limited(VertexProgram):
    """Steps from vertex 0, of arcs that are wide enough for their ends."""

    width = vertex.int32(init=1)
    steps = vertex.int32(init="v.id ? INT_MAX : 0")
    least = edge.int32(default=0)

    message, combine = "int32", "min"
    order = "any"
    mask = "v.id == 0"
    receive_if = "msg < v.steps"
    scatter = """
        if (width_of(e.dst) >= e.least)
            send(v.steps + 1);
    """
    apply = """
        v.steps = msg;
        set_mask();
    """


class Halves(LeastLabel):
    """It sends half of its label, and only says so where that changes."""

    scatter = "send(v.label >> 1 << 1);"
    apply = """
        if (msg < v.label) {
            if (msg >> 1 < v.label >> 1)
                set_mask();
            v.label = msg;
        }
    """


class LeastNeighbors(VertexProgram):
    """In place: the smallest vertex of each component, and its parity."""

    label = vertex.int32(init="num_neighbors ? min(v.id, neighbor(0)) : v.id")
    odd = vertex.uint8(init="v.label & 1")

    order, apply_on, edges = "any", "all", "both"
    apply = """
        int least = v.label;
        for (int i = 0; i < num_neighbors; ++i)
            least = min(least, label_of(neighbor(i)));
        if (least < v.label)
            set_mask();
        v.label = least;
        v.odd = least & 1;
    """


class Relay(VertexProgram):
    """A number goes from vertex to vertex: who receives it sends, which cannot be done in place."""

    x = vertex.int32(init=0)

    message, combine = "int32", "max"
    order, apply_on = "any", "all"
    apply = """
        if (has_msg ? msg > v.x : v.id == 0 && get_mask()) {
            v.x = has_msg ? msg : 5;
            if (v.id + 1 < g.num_vertices)
                send_to(v.id + 1, v.x);
        }
    """


def weighted(src, dst, vertices: int, least: int = 1, directed: bool = False) -> Graph:
    """A graph with weights from `least` to 9."""
    weight = np.random.default_rng(len(src)).integers(least, 10, len(src))
    return Graph.from_edges(
        src, dst, num_vertices=vertices, directed=directed, weight=weight.astype(np.float32)
    )


def scattered(vertices: int, edges: int) -> tuple[np.ndarray, np.ndarray, int]:
    ends = np.random.default_rng(edges).integers(0, vertices, (2, edges))
    return ends[0], ends[1], vertices


def grid(side: int) -> tuple[np.ndarray, np.ndarray, int]:
    at = np.arange(side * side).reshape(side, side)
    src = np.concatenate([at[:, :-1].ravel(), at[:-1].ravel()])
    dst = np.concatenate([at[:, 1:].ravel(), at[1:].ravel()])
    return src, dst, side * side


SHAPES = {
    "no edges": (np.zeros(0, int), np.zeros(0, int), 70),
    "a path": (np.arange(2999), np.arange(1, 3000), 3000),
    "a star": (np.zeros(MANY - 1, int), np.arange(1, MANY), MANY),
    "a clique": (*np.triu_indices(200), 200),  # with self-loops
    "parallel edges": (
        np.repeat(np.arange(500), 9),
        np.tile([3, 3, 7, 7, 9, 1, 2, 2, 0], 500),
        500,
    ),
    "two hubs": (
        np.repeat([0, 1], MANY),
        np.concatenate([np.arange(MANY), np.arange(MANY)]) % (MANY - 5),
        MANY,
    ),
    "a grid": grid(110),
    "scattered": scattered(MANY, 3 * MANY),
    "dense": scattered(700, 50 * 700),
}


def least_parents(graph: Graph, distance: np.ndarray) -> np.ndarray:
    """Of all vertices before each one on a shortest path, the smallest."""
    arcs = graph.arcs()
    src, dst = arcs.out.rows, arcs.out_targets
    weight = graph.edge_fields["weight"][arcs.out_edges]
    tight = np.isfinite(distance[src]) & (distance[src] + weight == distance[dst])
    least = np.full(graph.num_vertices, graph.num_vertices)
    np.minimum.at(least, dst[tight], src[tight])
    return np.where(least < graph.num_vertices, least, -1)


def lengths(graph: Graph) -> np.ndarray:
    """Distances from vertex 0, by SciPy."""
    n, weight = graph.num_vertices, graph.edge_fields["weight"]
    ends = np.stack([graph.src, graph.dst])
    if not graph.directed:
        ends, weight = np.concatenate([ends, ends[::-1]], axis=1), np.tile(weight, 2)
    order = np.lexsort((weight, *ends))  # of parallel edges, the shortest
    ends, weight = ends[:, order], weight[order]
    first = np.ones(len(weight), bool)
    first[1:] = (ends[:, 1:] != ends[:, :-1]).any(axis=0)
    return dijkstra(csr_array((weight[first], ends[:, first]), (n, n)), indices=0)


@needs_joining
@pytest.mark.usefixtures("poisoned")
@pytest.mark.parametrize("poisoned", [0x25], indirect=True)  # bins seem to have blocks, far away
def test_nobody_waits():
    class Nobody(LeastLabel):
        mask = "v.id < 0"

    result = Engine(weighted(*SHAPES["scattered"])).run(Nobody())
    assert result.delivery == "asynchronous" and result.supersteps == 0
    assert result.label.tolist() == [*range(MANY)]


@needs_joining
def test_init_puts_others_into_the_mask():
    class Told(VertexProgram):
        """The number of arcs from vertex 0, which a vertex far behind it puts into the mask."""

        steps = vertex.int32(init="v.id ? INT_MAX : 0")
        message, combine, order = "int32", "min", "any"
        init = "if (v.id == 20000) set_mask_of(0);"
        mask = "v.id < 0"
        receive_if = "msg < v.steps"
        scatter = "send(v.steps + 1);"
        apply = "v.steps = msg; set_mask();"

    ids = np.arange(20_000)
    result = Engine(Graph.from_edges(ids // 100, ids + 1)).run(Told())
    assert result.delivery == "asynchronous"
    steps = np.zeros(20_001, np.int32)
    for v in range(1, 20_001):
        steps[v] = steps[(v - 1) // 100] + 1
    assert (np.asarray(result.steps) == steps).all()


@needs_joining
@pytest.mark.parametrize("shape", SHAPES)
def test_shortest_paths_are_the_same_each_time(shape):
    graph = weighted(*SHAPES[shape])
    distance = lengths(graph)
    parent = least_parents(graph, distance)
    engine = Engine(graph)
    for _ in range(TIMES):
        result = engine.run(ShortestPaths(source=0))
        assert result.delivery == "asynchronous"
        assert result.converged
        np.testing.assert_array_equal(result.distance, distance)
        np.testing.assert_array_equal(result.parent, parent)
    for dtype in ("float32", "float64"):
        found = engine.run(Distances(source=0, dtype=dtype))
        assert found.delivery == "asynchronous"
        np.testing.assert_array_equal(found.distance, distance)
    for_all = engine.run(ShortestPaths(source=0), delivery="push")
    np.testing.assert_array_equal(for_all.distance, distance)
    np.testing.assert_array_equal(for_all.parent, parent)


@needs_joining
@pytest.mark.parametrize("shape", SHAPES)
def test_the_least_label(shape):
    src, dst, vertices = SHAPES[shape]
    graph = Graph.from_edges(src, dst, num_vertices=vertices, directed=False)
    expected = least_of_component(src, dst, vertices)
    for _ in range(TIMES):
        result = Engine(graph).run(LeastLabel())
        assert result.delivery == "asynchronous"
        np.testing.assert_array_equal(result.label, expected)


def least_of_component(src, dst, vertices: int) -> np.ndarray:
    _, part = connected_components(csr_array((np.ones(len(src)), (src, dst)), 2 * [vertices]))
    least = np.full(part.max() + 1, vertices)
    np.minimum.at(least, part, np.arange(vertices))
    return least[part]


@needs_joining
@pytest.mark.parametrize(
    "shape", [pytest.param("a path", marks=pytest.mark.slow), "scattered", "a clique"]
)
def test_what_is_sent_changes_without_a_mask(shape):
    src, dst, vertices = SHAPES[shape]
    engine = Engine(Graph.from_edges(src, dst, num_vertices=vertices, directed=False))
    expected = engine.run(Halves(), delivery="slots").label
    for _ in range(TIMES):
        np.testing.assert_array_equal(engine.run(Halves()).label, expected)


class Near(VertexProgram):
    """Steps from vertex 0, up to three."""

    steps = vertex.int32(init="v.id == 0 ? 0 : INT_MAX")

    message, combine, order = "int32", "min", "any"
    mask = "v.id == 0"
    priority, delta = "v.steps", 1
    receive_if = "msg < v.steps"
    scatter = "send(v.steps + 1);"
    apply = """
        v.steps = msg;
        if (v.steps < 3)
            set_mask();
    """


@needs_joining
def test_who_does_not_set_the_mask_does_not_scatter():
    """Though its priority changes; the run begins again, in supersteps."""
    engine = Engine(Graph.from_edges(range(8), range(1, 9)))
    result = engine.run(Near())
    assert result.delivery == "push"
    assert result.steps.tolist() == [0, 1, 2, 3, *[2**31 - 1] * 5]
    (note,) = result.trace.notes
    assert "did not call set_mask()" in note
    assert engine.explain(Near()).runs[0].delivery == "asynchronous"


@needs_joining
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_components_in_place(shape, directed):
    src, dst, vertices = SHAPES[shape]
    shuffled = np.random.default_rng(7).permutation(vertices)
    for names in (np.arange(vertices), shuffled):
        graph = Graph.from_edges(names[src], names[dst], num_vertices=vertices, directed=directed)
        engine, expected = Engine(graph), least_of_component(names[src], names[dst], vertices)
        for _ in range(TIMES):
            result = engine.run(ConnectedComponents())
            assert result.delivery == "in_place"
            np.testing.assert_array_equal(result.component, expected)
        if find().is_cpu:
            (explained,) = engine.explain(ConnectedComponents()).runs
            assert not explained.bottlenecks  # its loop could not be replaced
        for name in ("slots", "push"):
            found = engine.run(ConnectedComponents(), delivery=name)
            np.testing.assert_array_equal(found.component, expected)


@needs_joining
def test_a_vertex_with_very_many_neighbors_in_place():
    """On a GPU, a work-group shares them."""
    hubs, leaves = 3, 2000
    ids = np.random.default_rng(4).permutation(hubs * (leaves + 1)).reshape(hubs, leaves + 1)
    src, dst = np.repeat(ids[:, 0], leaves), ids[:, 1:].ravel()
    engine = Engine(Graph.from_edges(src, dst, directed=False))
    expected = np.empty(ids.size, np.int64)
    expected[ids] = ids.min(axis=1)[:, None]
    runs = [engine.run(ConnectedComponents()) for _ in range(2)]
    for run in runs:
        np.testing.assert_array_equal(run.component, expected)
        assert run.delivery == "in_place" and not run.trace.notes


class Trees(VertexProgram):
    """The smallest vertex of each vertex's component; each looks at all of its neighbors."""

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
        int mine = v.root;
        FIND(mine);
        for (int i = 0; get_mask() && i < num_neighbors; ++i) {
            int other = neighbor(i);
            FIND(other);
            if (mine == other)
                continue;
            send_to(max(mine, other), min(mine, other));
            FIND(mine);
            FIND(other);
            if (mine != other)
                set_mask();
        }
        v.root = mine;
    """


@needs_joining
def test_a_run_that_looks_at_many_neighbors_begins_again(monkeypatch):
    """By the kernels' rule for work-groups of several items, which cannot run in place on a CPU."""
    text = assembly.kernel_text
    rule = "GASCL_IN_PLACE && GASCL_GROUP > 1"
    assert rule in text("intrinsics.cl")
    monkeypatch.setattr(
        assembly, "kernel_text", lambda name: text(name).replace(rule, "GASCL_IN_PLACE")
    )
    star = Graph.from_edges([2] * 300, [0, 1, *range(3, 301)], directed=False)

    class Branches(Trees):
        """No work-group shares a loop in a branch."""

        apply = Trees.apply.replace("for (", "if (get_mask()) for (")

    again = Engine(star).run(Branches())
    (note,) = again.trace.notes
    assert note.startswith("the run began again in supersteps, since apply looks at more than 64 ")
    assert "let it stop early" in note and "g.hub" in note
    assert note in str(again.trace)
    assert again.delivery != "in_place" and not again.root.any()

    class Stops(Hooked):
        """Its sources are not those of other tests."""

    result = Engine(star).run(Stops())
    assert result.delivery == "in_place" and not result.trace.notes
    assert not result.component.any()


@needs_pocl
def test_a_form_that_begins_again_does_so_by_the_program_itself():
    class Form(VertexProgram):
        x = vertex.int32(init=1)
        order, apply_on = "any", "all"
        apply = """
            if (v.id == 2)
                needs_order();
            v.x = 5;
        """

    class Itself(VertexProgram):
        x = vertex.int32(init=1)
        apply_on, ends, stop = "all", "stop", "true"
        apply = "v.x += v.id;"

        def in_any_order(self):
            return Form(dtype=self.dtype, **self.initial)

    engine = Engine(Graph.from_edges([0, 1], [1, 2]))
    first, second = (engine.run(Itself(x=[2, 3, 4])) for _ in range(2))
    assert first.x.tolist() == second.x.tolist() == [2, 4, 6]
    assert first.trace.notes == [
        "the run began again in supersteps, since the order of messages matters for these values"
    ]
    assert not second.trace.notes
    assert engine.run(Itself(), delivery="in_place").x.tolist() == [1, 2, 3]


@needs_pocl
@pytest.mark.parametrize("shape", SHAPES)
def test_two_fields_in_place(shape):
    src, dst, vertices = SHAPES[shape]
    engine = Engine(Graph.from_edges(src, dst, num_vertices=vertices))
    expected = least_of_component(src, dst, vertices)
    for _ in range(TIMES):
        result = engine.run(LeastNeighbors())
        assert result.delivery == "in_place"
        np.testing.assert_array_equal(result.label, expected)
        np.testing.assert_array_equal(result.odd, expected % 2)
    found = engine.run(LeastNeighbors(), delivery="slots")
    np.testing.assert_array_equal(found.label, expected)


class TellingNeighbors(VertexProgram):
    """The smallest vertex of each component: who gets a smaller one tells its neighbors once."""

    label = vertex.vertex(init="v.id")

    message, combine, order = "vertex", "min", "any"
    edges, apply_on = "both", "all"
    apply = """
        if (has_msg) {
            if (msg < v.label) {
                v.label = msg;
                set_mask();
            }
        } else if (get_mask())
            for (int k = 0; k < num_neighbors; ++k)
                if (v.label < label_of(neighbor(k)))
                    send_to(neighbor(k), v.label);
    """


@needs_pocl
def test_who_is_told_to_wait_applies_again_in_place():
    """In a tree, so that nobody else tells the neighbors of a vertex that does not."""
    child = np.arange(1, 100_000)
    names = np.random.default_rng(1).permutation(100_000)
    engine = Engine(Graph.from_edges(names[(child - 1) // 3], names[child]))
    for _ in range(TIMES):
        result = engine.run(TellingNeighbors())
        assert result.delivery == "in_place"
        assert not result.label.any()


def test_who_receives_cannot_send_in_place():
    """Such a run begins again, in supersteps."""
    engine = Engine(Graph.from_edges([], [], num_vertices=9))
    for delivery in ("auto", "slots"):
        result = engine.run(Relay(), delivery=delivery)
        assert result.delivery != "in_place"
        assert result.x.tolist() == [5] * 9


class ToNobody(Relay):
    """Sends to a vertex that there is not."""

    apply = "if (!has_msg && get_mask() && v.id == 3) send_to(-1, v.x);"


class OfNobody(Relay):
    """Reads a field of a vertex that there is not."""

    apply = "if (v.id == 3) v.x = x_of(9);"


@pytest.mark.parametrize("program", [ToNobody, OfNobody])
def test_a_fault_in_place_names_its_line(program):
    engine = Engine(Graph.from_edges([], [], num_vertices=9))
    with pytest.raises(ProgramError, match=r"test_any_order.py:\d+: .*: vertex 3 used an id"):
        engine.run(program())


@needs_pocl
def test_what_is_run_in_place_goes_by_the_name_of_the_program():
    engine = Engine(Graph.from_edges([0, 1], [1, 2]))
    why = r"'in_place' cannot run ConnectedComponents: the run has max_supersteps, which concerns"
    with pytest.raises(ProgramError, match=why):
        engine.run(ConnectedComponents(), delivery="in_place", max_supersteps=9)

    class Blinking(VertexProgram):
        x = vertex.int8()
        order, apply_on = "any", "all"
        apply = "v.x = 1 - v.x; set_mask();"

    class Outer(Blinking):
        order, stop = "supersteps", "false"

        def in_any_order(self):
            return Blinking()

    with pytest.warns(NotConverged, match=r"^Outer did not converge"):
        engine.run(Outer())


@needs_pocl
@pytest.mark.parametrize("other", [LeastLabel(), LeastLabel, 3, BreadthFirst(source=0)], ids=str)
def test_a_form_in_any_order_has_the_same_fields(other):
    class Other(VertexProgram):
        component = vertex.vertex()
        apply_on, ends, stop = "all", "stop", "true"
        apply = "v.component = v.id;"

        def in_any_order(self):
            return other

    class Inheriting(Other):
        pass

    engine = Engine(Graph.from_edges([0, 1], [1, 2]))
    with pytest.raises(
        ProgramError, match=r"Other\.in_any_order returned .*: return a program with"
    ):
        engine.run(Other())
    assert engine.run(Inheriting()).component.tolist() == [0, 1, 2]


@needs_pocl
def test_components_go_on_in_place():
    graph = Graph.from_edges(*SHAPES["scattered"][:2], num_vertices=MANY, directed=False)
    few = Graph.from_edges(graph.src[::3], graph.dst[::3], num_vertices=MANY, directed=False)
    state = Engine(few).run(ConnectedComponents(), keep_state=True).state
    more = few.with_edges(np.stack([graph.src, graph.dst], axis=1))
    result = Engine(more).run(ConnectedComponents(), state=state)
    expected = least_of_component(graph.src, graph.dst, MANY)
    np.testing.assert_array_equal(result.component, expected)


def test_a_hub_has_many_edges():
    rng = np.random.default_rng(3)
    src, dst = rng.integers(0, 50_000, (2, 100_000))
    dst[rng.random(len(dst)) < 0.1] = 77
    graph = Graph.from_edges(src, dst, num_vertices=50_000)
    assert graph.hub == 77
    assert Graph.from_edges([], [], num_vertices=5).hub == -1

    class Told(VertexProgram):
        x = vertex.int32()
        apply_on, ends, stop = "all", "stop", "true"
        apply = "v.x = g.hub;"

    assert (Engine(graph).run(Told()).x == 77).all()


def test_a_hub_is_the_same_however_edges_are_stored():
    degree = [1, 3, 3, *[1] * 2041]  # every other edge is counted: one of vertex 1, two of vertex 2
    offsets = np.concatenate([[0], np.cumsum(degree)])
    graph = Graph.from_csr(offsets, np.zeros(offsets[-1], np.int32)).reversed()
    assert isinstance(graph.dst, CsrEnds)
    plain = Graph.from_edges(graph.edge_src, graph.edge_dst, num_vertices=graph.num_vertices)
    assert graph.hub == plain.hub == 2


@needs_joining
@pytest.mark.parametrize("shape", ["a path", "scattered", "a clique"])
def test_fields_with_a_gap_between_them(shape):
    src, dst, vertices = SHAPES[shape]
    graph = Graph.from_edges(src, dst, num_vertices=vertices)
    bits = np.zeros(vertices, np.uint32)
    bits[:32] = 1 << np.arange(32, dtype=np.uint32)
    engine = Engine(graph)
    expected = engine.run(Reached(bits=bits), delivery="slots")
    for _ in range(TIMES):
        found = engine.run(Reached(bits=bits))
        assert found.delivery == "asynchronous"
        np.testing.assert_array_equal(found.reached, expected.reached)
        np.testing.assert_array_equal(found.count, expected.count)


@needs_joining
def test_fields_of_others_that_do_not_change():
    src, dst, vertices = SHAPES["scattered"]
    rng = np.random.default_rng(5)
    width, least = rng.integers(0, 3, vertices), rng.integers(0, 3, len(src))
    graph = Graph.from_edges(src, dst, num_vertices=vertices, least=least.astype(np.int32))
    open_ = width[dst] >= least
    ends = np.ones(open_.sum()), (src[open_], dst[open_])
    steps = dijkstra(csr_array(ends, 2 * [vertices]), indices=0, unweighted=True)
    found = Engine(graph).run(Limited(width=width.astype(np.int32)))
    assert found.delivery == "asynchronous"
    reached = np.isfinite(steps)
    np.testing.assert_array_equal(found.steps[reached], steps[reached])
    assert (found.steps[~reached] == 2**31 - 1).all()


class Nowhere(Limited):
    """Reads a field of a vertex that there is not."""

    scatter = "send(v.steps + width_of(e.dst + 1));"


@needs_joining
def test_a_fault_names_its_line():
    graph = Graph.from_edges([0, 1], [1, 2])
    with pytest.raises(ProgramError, match=r"test_any_order.py:\d+: Nowhere: vertex 1 used an id"):
        Engine(graph).run(Nowhere())


@pytest.mark.parametrize("shape", ["a grid", "scattered", "a clique"])
def test_paths_of_length_0_form_a_tree(shape):
    """needs_order() begins such a run again, in supersteps."""
    graph = weighted(*SHAPES[shape], least=0)
    result = Engine(graph).run(ShortestPaths(source=0))
    assert result.delivery == "push"
    distance, parent = lengths(graph), result.parent
    np.testing.assert_array_equal(result.distance, distance)
    assert (parent[np.isfinite(distance)] >= 0).sum() == np.isfinite(distance).sum() - 1
    at = np.flatnonzero(parent >= 0)
    for _ in range(graph.num_vertices):  # all the way up
        at = at[parent[at] >= 0]
        if not len(at):
            break
        at = parent[at]
    assert not len(at)


def test_lengths_that_rounding_loses():
    graph = Graph.from_edges([0, 1, 2], [1, 2, 1], weight=np.float32([2**26, 1, 1]))
    result = Engine(graph).run(ShortestPaths(source=0))
    assert (result.delivery, result.parent.tolist()) == ("push", [-1, 0, 1])


class TooWide(LeastLabel):
    first, second = vertex.int32(), vertex.int32()
    apply = LeastLabel.apply + "v.first = v.second = v.label;"


@needs_joining
def test_explain_says_why_not():
    engine = Engine(Graph.from_edges([0, 1], [1, 2]))

    def not_asynchronous(program, engine=engine, **options):
        (run,) = engine.explain(program, **options).runs
        return run.not_chosen["asynchronous"]

    assert engine.explain(LeastLabel()).runs[0].delivery == "asynchronous"
    assert "12 bytes" in not_asynchronous(TooWide())
    assert "lanes" in not_asynchronous(Distances(source=[0, 1]))
    assert "max_supersteps" in not_asynchronous(LeastLabel(), max_supersteps=3)
    assert "callback" in not_asynchronous(LeastLabel(), callback=print)
    debugging = Engine(engine.graph, debug=True)
    assert "debug mode" in not_asynchronous(LeastLabel(), debugging)
    with pytest.raises(ProgramError, match="the run has max_supersteps, which concerns supersteps"):
        engine.run(LeastLabel(), delivery="asynchronous", max_supersteps=3)


@needs_joining
def test_a_run_that_continues():
    graph = weighted(*SHAPES["a grid"])
    closer = graph.with_edges([(0, graph.num_vertices - 1)], weight=[1])
    whole = Engine(graph).run(Distances(source=0), keep_state=True)
    again = Engine(closer).run(Distances(source=0), state=whole.state)
    assert again.delivery == "asynchronous"
    np.testing.assert_array_equal(again.distance, lengths(closer))


class Farther(Distances):
    """Bins are so narrow that nearly every vertex belongs farther on."""

    delta = 1e-3


@needs_joining
@pytest.mark.parametrize("blocks", [64, 3])
@pytest.mark.parametrize("shape", ["a grid", "scattered", "a star"])
def test_vertices_that_belong_farther_on(shape, blocks, monkeypatch):
    """Also where there are too few blocks to list them."""
    monkeypatch.setattr(constants, "SPARE_BLOCKS", blocks)
    monkeypatch.setattr(constants, "VERTICES_OF_BLOCK", 2**20 if blocks < 64 else 32)
    graph = weighted(*SHAPES[shape])
    engine, expected = Engine(graph), lengths(graph)
    delta = 1e-3 + blocks * 1e-6  # a source of its own
    program = type("Narrow", (Farther,), {"delta": delta})
    for _ in range(3):
        found = engine.run(program(source=0))
        assert found.delivery == "asynchronous"
        np.testing.assert_array_equal(found.distance, expected)


def test_checkpoints_from_before_there_was_an_order_are_resumed():
    """A checkpoint has a hash of the declarations: those of before had no line about the order."""

    class InSupersteps(Reached):
        order = "supersteps"

    assert "order" not in InSupersteps.spec.declarations
    assert "order: any" in Reached.spec.declarations
