"""Runs whose rule can't hold end by themselves; slow ones are not cut short."""

from __future__ import annotations

import functools
import math
import warnings

import networkx as nx
import numpy as np
import pytest
from support.case_subsets import one_in, thinned
from support.verifiers.matrices import counted

from gascl import (
    Engine,
    Graph,
    NotConverged,
    ProgramError,
    VertexProgram,
    aggregate,
    param,
    vertex,
)
from gascl.delivery.admission import demand_of
from gascl.delivery.registry import admitted
from gascl.programs import (
    Eigenvector,
    Hits,
    Katz,
    PageRank,
    ParticleCommunities,
    WeightedEigenvector,
    WeightedPageRank,
)
from gascl.run.stagnation import RECENT


def swapping_cycles() -> nx.DiGraph:
    """Directed cycles of many lengths, so that all of them swap ranks in step only after 360,360
    supersteps; each with two vertices that point into it."""
    made, first = nx.DiGraph(), 0
    for length in (3, 4, 5, 7, 8, 9, 11, 13):
        nx.add_cycle(made, range(first, first + length))
        made.add_edges_from([(first + length, first), (first + length + 1, first + 1)])
        first += length + 2
    return made


GRAPHS = {
    "three": nx.star_graph(2),
    "star": nx.star_graph(40),
    "path": nx.path_graph(60),
    "grid": nx.grid_2d_graph(20, 20),
    "cycle": nx.lollipop_graph(3, 40),
    "bipartite": nx.complete_bipartite_graph(3, 40),
    "tree": nx.balanced_tree(2, 6),
    "apart": nx.disjoint_union_all(map(nx.star_graph, range(2, 12))),
    "barbell": nx.barbell_graph(20, 100),
    "random": nx.gnp_random_graph(200, 0.01, seed=1),
    "directed": nx.gnp_random_graph(200, 0.01, seed=1, directed=True),
    "swapping": swapping_cycles(),
}


@functools.cache
def graph_of(name: str) -> Graph:
    made = nx.convert_node_labels_to_integers(GRAPHS[name])
    rng = np.random.default_rng(0)
    ends = np.array(list(made.edges), np.int64)
    return Graph.from_edges(
        *ends.T,
        num_vertices=len(made),
        directed=made.is_directed(),
        weight=1 + rng.random(len(ends)),
    )


def exact(
    graph: Graph, damping: float, *, weight=None, start=None, dangling="spread"
) -> np.ndarray:
    """Ranks by one system of linear equations, in float64."""
    n = graph.num_vertices
    matrix = counted(graph, weight).toarray()
    out = matrix.sum(axis=1)
    start = np.full(n, 1 / n) if start is None else np.asarray(start, float) / np.sum(start)
    follow = np.divide(matrix, out[:, None], where=out[:, None] > 0, out=np.zeros_like(matrix))
    if dangling == "spread":
        follow[out == 0] = start
    return np.linalg.solve(np.eye(n) - damping * follow.T, (1 - damping) * start)


def run(graph: Graph, program, **options):
    """Without a warning of convergence."""
    return Engine(graph).run(program, not_converged="ignore", **options)


def off(found, expected) -> float:
    return np.abs(np.asarray(found, float) - expected).sum()


def by_rounding(damping: float) -> float:
    """How far off float32 may leave the ranks, in all: a few roundings a superstep, that fade."""
    return 4 * np.finfo(np.float32).eps / (1 - damping)


@pytest.mark.parametrize(
    ("name", "damping"),
    [
        *thinned(GRAPHS, [0, 0.85, 0.99], by=3),
        *(
            pytest.param(name, damping, marks=pytest.mark.slow)
            for name in GRAPHS
            for damping in (0.9, 0.95, 0.999)
        ),
    ],
)
def test_page_rank_ends_on_any_graph(name, damping):
    graph = graph_of(name)
    result = run(graph, PageRank(damping=damping))
    tolerance, change = 1e-6, result.trace[-1].aggregates["change"]
    assert result.converged == (change < tolerance)
    rest = tolerance * damping / (1 - damping)
    assert off(result.rank, exact(graph, damping)) < by_rounding(damping) + rest
    if not result.converged:
        assert (
            f"rounding in float32 keeps the change above the tolerance (change={change:.4g}"
            in result.stopped
        )
        assert "give a larger tolerance or dtype='float64'" in result.stopped
        double = run(graph, PageRank(damping=damping, dtype="float64", tolerance=1e-10))
        assert double.converged
        assert off(double.rank, exact(graph, damping)) < 2e-10 / (1 - damping)


OPTIONS = [
    (PageRank, {"dangling": "ignore"}, {"dangling": "ignore"}),
    (PageRank, {"scale": "vertices"}, {}),
    (WeightedPageRank, {}, {"weight": "weight"}),
]


@pytest.mark.parametrize(
    ("dtype", "option", "name"), thinned(["float32", "float64"], OPTIONS, GRAPHS, by=3)
)
def test_so_does_every_form_of_it(dtype, option, name):
    cls, given, known = option
    graph, damping = graph_of(name), 0.97
    start = np.arange(1, graph.num_vertices + 1)
    program = cls(damping=damping, dtype=dtype, personalization=start, **given)
    result = run(graph, program)
    expected = exact(graph, damping, start=start, **known)
    whole = graph.num_vertices if "scale" in given else 1
    near = by_rounding(damping) + 1e-6 / (1 - damping)
    if "dangling" in given:  # what is lost does not come back
        assert result.rank.sum() < whole + near
    assert off(result.rank / whole, expected) < near
    assert result.converged or dtype == "float32"


@pytest.mark.parametrize(
    "name", ["three", *(pytest.param(n, marks=pytest.mark.slow) for n in ("swapping", "apart"))]
)
def test_lanes_end_together(name):
    dampings = [0.99, 0.5, 0.999]
    result = run(graph_of(name), PageRank(damping=dampings, tolerance=3e-6, dangling="ignore"))
    assert not result.converged
    assert "rounding in float32" in result.stopped
    for lane, damping in enumerate(dampings):
        expected = exact(graph_of(name), damping, dangling="ignore")
        assert off(result.rank[:, lane], expected) < by_rounding(damping) + 3e-6


def test_every_delivery_ends_where_the_others_do():
    for name in ("three", "apart", "directed"):
        results = [
            run(graph_of(name), PageRank(damping=0.98), delivery=delivery)
            for delivery in ("outbox", "pull", "slots", "serial")
        ]
        for result in results[1:]:
            assert result.stopped == results[0].stopped
            assert result.supersteps == results[0].supersteps
        assert np.array_equal(results[0].rank, results[1].rank)


def test_what_is_slow_is_not_cut_short():
    """The change rises in between on a barbell, and falls by a thousandth a superstep on a path."""
    for name, least in (("barbell", 3000), ("path", 2000)):
        found = run(graph_of(name), PageRank(damping=0.999, dtype="float64"))
        assert found.converged
        assert found.supersteps > least
        assert off(found.rank, exact(graph_of(name), 0.999)) < 1e-3
    barbell = run(graph_of("barbell"), PageRank(damping=0.999))
    changes = np.array([step.aggregates["change"] for step in barbell.trace])
    assert barbell.converged
    assert (np.diff(changes[:-1]) >= 0).any()


def test_it_says_so_once_and_to_the_shell(gascl_, tmp_path):
    with pytest.warns(NotConverged, match="PageRank did not converge: rounding in float32"):
        Engine(graph_of("three")).run(PageRank(damping=0.95))
    (tmp_path / "three.txt").write_text("0 1\n0 2\n")
    given = ("--undirected", "--set", "damping=0.95")
    code, out, err = gascl_("run", "PageRank", tmp_path / "three.txt", *given)
    assert code == 3
    assert "rounding in float32" in err
    first = exact(graph_of("three"), 0.95).max()
    assert f"{first:.4f}" in out  # the ranks are printed all the same


@pytest.mark.parametrize(
    "cls", [Eigenvector, pytest.param(WeightedEigenvector, marks=pytest.mark.slow)]
)
def test_programs_that_run_others_finish_with_what_was_found(cls):
    """A star's eigenvalues are the root of its leaves, and minus that: hard in float32."""
    leaves = 10_000
    star = Graph.from_edges(np.zeros(leaves, int), np.arange(1, leaves + 1), directed=False)
    result = run(star, cls())
    assert not result.converged
    assert result.supersteps < 5000
    assert "Iteration: returned to an earlier state" in result.stopped
    assert "another tolerance or dtype='float64'" in result.stopped
    expected = [0.5**0.5] + [(0.5 / leaves) ** 0.5] * leaves
    np.testing.assert_allclose(result.centrality, expected, rtol=1e-5)
    assert run(star, cls(dtype="float64")).converged


class Swap(VertexProgram):
    """0 and 1 forever; their sum does not change."""

    x = vertex.int32(init="v.id % 2")
    ones = aggregate.int64("sum")
    scatter_on = apply_on = "all"
    apply = "v.x = 1 - v.x; aggregate_ones(v.x);"
    stop = "agg.ones == 0"


class Toggle(VertexProgram):
    """Neighbors wake each other in turn; nothing else is there."""

    message, combine, mask = "int32", "or", "v.id == 0"
    scatter = "send(1);"
    apply = "set_mask();"


class Token(VertexProgram):
    """Goes around six vertices by messages from apply."""

    message, combine, mask = "int32", "max", "false"
    has = vertex.int32(init="v.id == 0")
    init = "if (v.id == 0) set_mask();"
    scatter = "send(0);"
    apply_on = "all"
    apply = "if (v.has || (has_msg && msg)) send_to((v.id + 1) % g.num_vertices, 1); v.has = 0;"


class Stuck(VertexProgram):
    """Steps too small for float32 to move by."""

    x = vertex.real(init="1e8f")
    step = param.real(1)
    moved = aggregate.real("max")
    scatter_on = apply_on = "all"
    apply = "v.x -= p.step; aggregate_moved(p.step);"
    stop = "agg.moved < 0.5f"


DELIVERIES = ["slots", "pull", "push", "edges", "serial", "auto"]


@pytest.mark.parametrize(
    ("cls", "delivery"), thinned([Swap, Toggle, Token, Stuck], DELIVERIES, by=6)
)
def test_users_programs_end_where_a_state_comes_back(cls, delivery):
    ring = Graph.from_edges(range(6), [1, 2, 3, 4, 5, 0], directed=False)
    runner = Engine(ring, deterministic=False)
    demand = demand_of(cls(), runner.device.atomics, runner.device.fp64, False)
    if delivery not in [*admitted(demand), "auto"]:
        pytest.skip(f"{delivery} cannot run {cls.__name__}")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = runner.run(cls(), delivery=delivery, not_converged="ignore")
    assert not result.converged
    assert RECENT < result.supersteps < 4 * RECENT
    assert "returned to an earlier state and would never end" in result.stopped


class Restless(VertexProgram):
    """Calls set_mask() for nothing."""

    label = vertex.int32()
    message, combine, order = "int32", "min", "any"
    scatter = "send(v.label);"
    apply = "v.label = 0; set_mask();"


def test_there_are_no_stop_rules_where_the_order_is_any():
    stopped = run(graph_of("three"), Restless(), delivery="slots").stopped
    assert stopped.endswith("; give an apply that calls set_mask() only where a field changes")


def test_what_to_do_about_it():
    graph = graph_of("three")
    assert "moved=1" in run(graph, Stuck()).stopped
    assert run(graph, Stuck()).stopped.endswith(
        "give dtype='float64' or another stop rule or a number of supersteps"
    )
    # In float64 it moves; then the state never comes back.
    assert "max_supersteps" in run(graph, Stuck(dtype="float64"), max_supersteps=1000).stopped
    stopped = run(graph, Swap()).stopped  # one of three vertices has 1, or the two others
    assert "never end (ones=1); " in stopped or "never end (ones=2); " in stopped
    assert stopped.endswith("give another stop rule or a number of supersteps")


class Undefined(VertexProgram):
    """The largest step of 0 to NaN, from superstep 2 on."""

    x = vertex.real(init="2")
    factor = param.real(0.5)
    tolerance = param.tolerance(1e-3, rate="factor")
    moved = aggregate.real("max")
    scatter_on = apply_on = "all"
    apply = (
        "real y = v.x / 2; if (superstep == 2) y = (y - y) / (y - y); v.x = y; aggregate_moved(y);"
    )
    stop = "agg.moved < p.tolerance"


class Nobody(VertexProgram):
    """The mean of no contribution."""

    x = vertex.real()
    largest = aggregate.real("mean")
    scatter_on = apply_on = "all"
    apply = "if (v.x > 0) aggregate_largest(v.x);"
    stop = "agg.largest < 1"


def test_nan_in_an_aggregator():
    graph = graph_of("three")
    with pytest.warns(RuntimeWarning, match="'x' is NaN"):
        stopped = run(graph, Undefined()).stopped
    assert "aggregator 'moved' became NaN in superstep 2" in stopped
    assert "0/0" in stopped and "debug=True" in stopped
    assert "nothing was added" not in stopped and "earlier state" not in stopped
    with pytest.raises(ProgramError, match="in superstep 2"):  # the remedy
        Engine(graph, debug=True).run(Undefined())
    stopped = run(graph, Nobody()).stopped
    assert "aggregator 'largest' became NaN in superstep 0" in stopped
    assert "nothing was added to it" in stopped


class Flood(VertexProgram):
    """One vertex a superstep: the records are all the same, and the state is not."""

    reached = vertex.int32(init="v.id == 0")
    new = aggregate.int64("sum")
    message, combine, scatter_on = "int32", "max", "all"
    scatter = "send(v.reached);"
    apply = "if (msg > v.reached) { v.reached = 1; aggregate_new(1); }"
    stop = "agg.new == 0"


class Clock(VertexProgram):
    """Nothing happens until superstep 700."""

    x = vertex.int32()
    changed = aggregate.int64("sum")
    scatter_on = apply_on = "all"
    apply = "if (superstep == 700) { v.x = 1; aggregate_changed(1); }"
    stop = "agg.changed > 0"


class Asked(VertexProgram):
    """Python says when it is over."""

    x = vertex.int32()
    scatter_on = apply_on = "all"
    apply = "v.x = 1;"

    def converged(self, step):
        return step.superstep == 600


class Counted(VertexProgram):
    x = vertex.int32()
    supersteps = param.supersteps(800)
    scatter_on = apply_on = "all"
    apply = "v.x = 1;"


@pytest.mark.parametrize(
    ("program", "supersteps"),
    one_in(2, [(Flood(), 1500), (Clock(), 701), (Asked(), 601), (Counted(), 800)]),
)
def test_what_looks_still_and_is_not(program, supersteps):
    result = run(Graph.from_edges(range(1499), range(1, 1500)), program)
    assert (result.converged, result.supersteps) == (True, supersteps)


def test_the_rate_is_of_what_there_is():
    with pytest.raises(
        ProgramError, match=r"test_stagnation.py:\d+: .*unknown rate 'dampin'.*known: damping"
    ):

        class Unknown(PageRank):
            tolerance = param.tolerance(1e-6, rate="dampin")

    with pytest.raises(
        ProgramError, match="`stop` that compares exactly one aggregator with 'tolerance'"
    ):

        class Nothing(PageRank):
            tolerance = param.tolerance(1e-6, rate="damping")
            stop = "superstep > 9"


def test_the_time_to_fall():
    """0.5^20 is below 1e-6; a tenth and ten supersteps more are for rounding."""
    tolerance = PageRank.spec.params["tolerance"]
    assert tolerance.time_to_fall(PageRank(damping=0.5), 1.0) == 10 + math.ceil(1.1 * 19.9316)
    lanes = PageRank(damping=[0.2, 0.5], tolerance=2e-6)
    assert tolerance.time_to_fall(lanes, 2.0) == 10 + math.ceil(1.1 * 19.9316)
    for damping in (0, 1):
        assert tolerance.time_to_fall(PageRank(damping=damping), 1.0) == math.inf
    for change in (1e-7, math.inf, math.nan):
        assert tolerance.time_to_fall(PageRank(), change) == math.inf


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "program",
    [
        *(functools.partial(PageRank, damping=d) for d in (0.85, 0.95, 0.99)),
        *(functools.partial(WeightedPageRank, damping=d) for d in (0.85, 0.95, 0.99)),
        *(Hits, Eigenvector, WeightedEigenvector, Katz, functools.partial(Katz, alpha=0.01)),
        ParticleCommunities,
    ],
)
def test_no_small_graph_takes_for_ever(program, dtype):
    """Every graph of up to five vertices."""
    for number, made in enumerate(nx.graph_atlas_g()[1:53]):
        rng = np.random.default_rng(number)
        ends = np.array(list(made.edges), np.int64).reshape(-1, 2)
        weight = rng.random(len(ends))
        graph = Graph.from_edges(
            *ends.T, num_vertices=len(made), directed=bool(number % 2), weight=weight
        )
        try:
            result = run(graph, program(dtype=dtype), max_supersteps=5000)
        except ProgramError:  # there is no eigenvector, or alpha is too large
            continue
        assert "max_supersteps" not in result.stopped
