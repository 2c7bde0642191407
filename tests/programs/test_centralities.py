"""Eigenvector and Katz centrality, hubs and authorities: NetworkX, SciPy, and by hand."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from support.admitting_deliveries import some_admitted
from support.bundled import verified_run
from support.case_subsets import one_in, thinned
from support.samples import grid, random_graph, shared, skewed
from support.verifiers.matrices import counted

from gascl import Engine, GasclError, Graph, NotConverged, ProgramError
from gascl.programs import Eigenvector, Hits, Katz, WeightedEigenvector, WeightedKatz
from gascl.programs.katz import Walks, WeightedWalks, eigenvalue_bound

EXACT = {"dtype": "float64", "tolerance": 1e-13}


def run(graph: Graph | Engine, program, **options):
    result = verified_run(graph, program, **options)
    assert {x.dtype.name for x in result.fields.values()} == {program.dtype}
    return result


def weighted(graph: Graph, most: float = 5) -> Graph:
    rng = np.random.default_rng(graph.num_edges)
    weight = rng.random(graph.num_edges) * most
    weight[::9] = 0
    return graph.with_edge_fields(weight=weight)


def simple(graph: Graph) -> nx.Graph:
    made = nx.DiGraph() if graph.directed else nx.Graph()
    made.add_nodes_from(range(graph.num_vertices))
    made.add_edges_from(zip(graph.edge_src.tolist(), graph.edge_dst.tolist(), strict=True))
    return made


@pytest.mark.parametrize(("seed", "directed"), thinned([0, 1, 2], [True, False], by=6))
def test_random_graphs(seed, directed):
    """Loops, parallel edges and several components; both types, with weights and without."""
    graph = random_graph(seed, directed=directed, edges=150)
    plain, heavy = Engine(graph), Engine(weighted(graph))
    for program in (Eigenvector, Hits):
        run(plain, program())
        run(plain, program(**EXACT))
    run(plain, Katz(alpha=0.05))
    run(plain, Katz(alpha=0.09, beta=3, normalized=False, **EXACT))
    run(heavy, WeightedEigenvector(**EXACT))
    run(heavy, WeightedKatz(alpha=0.04, **EXACT))
    run(heavy, Eigenvector(**EXACT))  # it does not look at weights


@pytest.mark.parametrize("directed", [True, False])
def test_networkx(directed):
    made = simple(random_graph(4, directed=directed, edges=300))
    runner = Engine(Graph.from_networkx(made))
    found = nx.eigenvector_centrality(made, max_iter=10_000, tol=1e-15)
    expected = np.array([found[v] for v in made])
    assert np.abs(run(runner, Eigenvector(**EXACT)).centrality - expected).max() < 1e-11
    found = nx.katz_centrality_numpy(made, alpha=0.05)
    expected = np.array([found[v] for v in made])
    assert np.abs(run(runner, Katz(alpha=0.05, **EXACT)).centrality - expected).max() < 1e-12
    both = nx.hits(made, tol=1e-14)
    result = run(runner, Hits(**EXACT))
    for name, found in zip(("hub", "authority"), both, strict=True):
        assert np.abs(result[name] - np.array([found[v] for v in made])).max() < 1e-11


@pytest.mark.parametrize("directed", [True, False])
def test_networkx_with_weights(directed):
    made = simple(random_graph(5, directed=directed, edges=300))
    rng = np.random.default_rng(0)
    for *_, data in made.edges(data=True):
        data["weight"] = float(rng.integers(0, 9) / 4)
    runner = Engine(Graph.from_networkx(made))
    found = nx.eigenvector_centrality(made, max_iter=10_000, tol=1e-15, weight="weight")
    expected = np.array([found[v] for v in made])
    assert np.abs(run(runner, WeightedEigenvector(**EXACT)).centrality - expected).max() < 1e-10
    found = nx.katz_centrality_numpy(made, alpha=0.04, weight="weight")
    expected = np.array([found[v] for v in made])
    result = run(runner, WeightedKatz(alpha=0.04, **EXACT))
    assert np.abs(result.centrality - expected).max() < 1e-12


@pytest.mark.parametrize("directed", one_in(2, [True, False]))
def test_katz_of_different_vertices(directed):
    """NetworkX's `beta` as a dict; the rule by which it stops is met."""
    made = simple(random_graph(6, directed=directed, edges=200))
    rng = np.random.default_rng(1)
    for *_, data in made.edges(data=True):
        data["weight"] = float(rng.integers(1, 9) / 4)
    runner, own = Engine(Graph.from_networkx(made)), rng.random(len(made)) * 9
    own[::3] = 0
    for program, stage, values in (
        (Katz, Walks, {"alpha": 0.05}),
        (WeightedKatz, WeightedWalks, {"alpha": 0.03}),
    ):
        weight = "weight" if program is WeightedKatz else None
        for normalized in (True, False):
            found = nx.katz_centrality(
                made, beta=dict(enumerate(own)), tol=1e-15, normalized=normalized, weight=weight,
                **values,
            )  # fmt: skip
            expected = np.array([found[v] for v in made])
            options = {"own": own, "normalized": normalized, **values, **EXACT}
            for delivery in some_admitted(stage(alpha=1, tolerance=1)):
                result = run(runner, program(**options), delivery=delivery)
                assert np.abs(result.centrality - expected).max() < 1e-10 * expected.max()
            change = result.trace[-1].aggregates["change"]
            assert change < len(made) * own.max() * EXACT["tolerance"]
        run(runner, program(own=own, beta=2, **values))
        one = run(runner, program(own={5: 1}, normalized=False, **values, **EXACT))
        assert one.own.tolist() == [float(v == 5) for v in range(len(made))]
        nothing = run(runner, program(own=np.zeros(len(made)), **values))
        assert not nothing.centrality.any()


@pytest.mark.parametrize("directed", [True, False])
def test_the_vector_to_begin_with(directed):
    graph = weighted(random_graph(4, directed=directed, edges=300))
    for program in (Eigenvector, WeightedEigenvector):
        whole = run(Engine(graph), program(**EXACT))
        again = run(Engine(graph), program(centrality=1e30 * whole.centrality, **EXACT))
        assert again.supersteps < whole.supersteps / 2
        assert np.abs(again.centrality - whole.centrality).max() < 1e-11
    # Of two cliques, only that is seen which the vector begins in.
    cliques = Graph.from_edges([0, 1, 2, 3, 4, 5], [1, 2, 0, 4, 5, 3], directed=False)
    found = run(cliques, Eigenvector(centrality={4: 7}, **EXACT)).centrality
    assert found == pytest.approx([0] * 3 + [3**-0.5] * 3, abs=1e-12)


def test_one_way():
    """What an arc 0 -> 1 gives goes to 1."""
    graph = Graph.from_edges([0, 0, 3], [1, 2, 2])
    result = run(graph, Hits(**EXACT))
    golden = (1 + 5**0.5) / 2  # 0 points to both, 3 to one of them: a good authority more
    assert result.hub == pytest.approx([golden / (golden + 1), 0, 0, 1 / (golden + 1)])
    assert result.authority == pytest.approx([0, 1 / (golden + 1), golden / (golden + 1), 0])
    exact = run(graph, Katz(alpha=0.5, normalized=False, **EXACT)).centrality
    assert exact.tolist() == [1, 1.5, 2, 1]


def test_bipartite_graphs_do_not_swing():
    for graph in (grid(7, 8), Graph.from_edges([0] * 5, range(1, 6), directed=False)):
        run(graph, Eigenvector(**EXACT))
    star = run(graph, Eigenvector()).centrality
    assert star == pytest.approx([0.5**0.5, *[0.1**0.5] * 5], abs=1e-5)


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_the_unit_of_weights_does_not_matter(unit):
    grid_of = grid(5, 5)
    weight = unit * (1 + np.arange(grid_of.num_edges) % 3)
    graph = Graph.from_edges(grid_of.edge_src, grid_of.edge_dst, directed=False, weight=weight)
    assert run(graph, WeightedEigenvector(**EXACT), max_supersteps=1000).supersteps < 1000


def test_the_part_with_the_largest_eigenvalue():
    """A triangle beside a longer cycle, a path into it, and one out of it."""
    graph = Graph.from_edges([0, 1, 2, 0, 4, 2], [1, 2, 0, 2, 0, 5], num_vertices=8)
    found = run(graph, Eigenvector(**EXACT)).centrality
    assert found[[0, 1, 2, 5]].min() > 0.1
    assert found[[3, 4, 6, 7]].max() < 1e-12
    cliques = Graph.from_edges([0, 1, 2, 3], [1, 2, 0, 4], directed=False)
    assert run(cliques, Eigenvector(**EXACT)).centrality[3:].max() < 1e-12


def test_no_cycles():
    """Power iteration would creep towards the last vertices forever."""
    for arcs in (1, 50, 2000):
        path = Graph.from_edges(np.arange(arcs), np.arange(arcs) + 1)
        with pytest.raises(ProgramError, match="Eigenvector: a directed graph without cycles"):
            Engine(path).run(Eigenvector())
    run(Graph.from_edges([*range(50), 50], [*range(1, 51), 50]), Katz())
    loop = Graph.from_edges([0, 1, 2], [1, 2, 2])
    assert run(loop, Eigenvector(**EXACT)).centrality == pytest.approx([0, 0, 1], abs=1e-12)


def test_shapes():
    for n in (0, 1, 3):
        graph = Graph.from_edges([], [], num_vertices=n)
        each = [max(n, 1) ** -0.5] * n
        assert run(graph, Eigenvector(**EXACT)).centrality == pytest.approx(each)
        assert run(graph, Katz(**EXACT)).centrality == pytest.approx(each)
        assert run(graph, Hits(**EXACT)).hub.tolist() == [0] * n
    loop = Graph.from_edges([0], [0], num_vertices=2)
    assert run(loop, Hits()).authority.tolist() == [1, 0]
    assert run(loop, Katz(alpha=0.5, normalized=False, **EXACT)).centrality[0] == pytest.approx(2)
    nothing = run(loop, Katz(beta=0))
    assert nothing.centrality.tolist() == [0, 0]


def test_alpha_too_large():
    """A clique of five has the largest eigenvalue 4: alpha is below 0.25."""
    src, dst = np.triu_indices(5, 1)
    clique = Engine(Graph.from_edges(src, dst, directed=False))
    why = r"Katz: alpha=0.3 is too large: no eigenvalue is more than 4; 0.2497 will do"
    with pytest.raises(ProgramError, match=why):
        clique.run(Katz(alpha=0.3))
    for alpha in (1e12, 1e29, 1e300):
        with pytest.raises(ProgramError, match=r"more than 4; 0\.2497 will do"):
            clique.run(Katz(alpha=alpha))
    with pytest.warns(NotConverged, match="Katz did not converge: reached max_supersteps"):
        clique.run(Katz(alpha=0.25), max_supersteps=3000)
    # Close to the edge little changes in a superstep, and much is still to come.
    close = {"alpha": 0.249, "normalized": False, "dtype": "float64", "tolerance": 1e-9}
    result = run(clique, Katz(**close))
    assert result.centrality == pytest.approx([1 / (1 - 4 * 0.249)] * 5, rel=2e-9)


STAR = Graph.from_edges([0] * 100, range(1, 101), directed=False)
#: Directed, of period 3: what changes grow by in a superstep is 64, 1, 1, 64, ...
TRIANGLE = Graph.from_edges([0] * 64 + [1, 2], [1] * 64 + [2, 0])


@pytest.mark.parametrize(("graph", "most"), [(STAR, 10), (TRIANGLE, 4)])
def test_katz_of_periodic_graphs(graph, most):
    """The tolerance holds where what a superstep adds swings; so does the value that will do."""
    for part, tolerance in ((0.5, 1e-6), (0.99, 1e-3), (0.99, 1e-6)):
        program = Katz(alpha=part / most, tolerance=tolerance, normalized=False, dtype="float64")
        system = np.eye(graph.num_vertices) - program.alpha * counted(graph).toarray().T
        exact = np.linalg.solve(system, np.ones(graph.num_vertices))
        found = Engine(graph).run(program).centrality
        assert (np.abs(found - exact) <= tolerance * exact).all()
    with pytest.raises(ProgramError, match=f"no eigenvalue is more than {most}") as refused:
        Engine(graph).run(Katz(alpha=2 / most))
    will_do = float(str(refused.value).split("; ")[1].split()[0])
    assert 0.99 / most < will_do < 1 / most


def test_katz_where_float32_can_not_reach_the_tolerance():
    said = "Katz: tolerance=1e-06 is out of reach: float32 rounds walks of .* give .*'float64'"
    with pytest.raises(ProgramError, match=said):
        Engine(STAR).run(Katz(alpha=0.0999))
    run(STAR, Katz(alpha=0.09))


def test_the_bound_of_eigenvalues():
    for seed in range(6):
        graph = weighted(random_graph(seed, directed=seed % 2 == 0, edges=150), 10.0**seed)
        for field in (None, "weight"):
            exact = np.abs(np.linalg.eigvals(counted(graph, field).toarray())).max()
            bound = eigenvalue_bound(graph, graph.edge_fields.get(field))
            assert (1 - 1e-12) * exact <= bound <= 1.01 * exact
    path = Graph.from_edges(range(20), range(1, 21))
    assert 0 < eigenvalue_bound(path) < 0.2
    assert eigenvalue_bound(Graph.from_edges([], [], num_vertices=3)) == 0
    with pytest.raises(ProgramError, match=r"too large: .* will do") as refused:
        Engine(path).run(Katz(alpha=1e12))
    will_do = float(str(refused.value).split("; ")[1].split()[0])
    Engine(path).run(Katz(alpha=will_do, tolerance=1e-5))


REFUSED = [
    (Katz, {"alpha": -0.1}, "alpha=-0.1: expected a value 0 or more"),
    (Katz, {"alpha": float("nan")}, "alpha=nan"),
    (Katz, {"beta": -1}, "beta=-1: expected a value 0 or more"),
    (
        Katz,
        {"beta": 1e300, "normalized": False},
        "is up to 1.25e.300, more than float32 can hold; ",
    ),
    (
        Katz,
        {"tolerance": 1e-9},
        "tolerance=1e-09 cannot be reached in float32; give at least 1e-06",
    ),
    (Katz, {"own": {1: -1}}, "Katz: own must be finite and 0 or more, but vertex 1 has -1.0"),
    (Katz, {"own": {1: np.inf}}, "Katz: own must be finite and 0 or more, but vertex 1 has inf"),
    (
        Eigenvector,
        {"centrality": {1: -1}},
        "Eigenvector: centrality must be finite and 0 or more, but vertex 1 has -1.0",
    ),
    (Eigenvector, {"centrality": {0: 0}}, "Eigenvector: centrality is 0 at every vertex"),
    (Hits, {"tolerance": 0}, "cannot be reached in float32"),
    (Eigenvector, {"tolerance": 1e-17, "dtype": "float64"}, "give at least 2e-15$"),
]


@pytest.mark.parametrize(("program", "values", "said"), REFUSED, ids=lambda x: str(x)[:24])
def test_refused(program, values, said):
    with pytest.raises(GasclError, match=said):
        Engine(grid(2, 2)).run(program(**values))


@pytest.mark.parametrize("program", [WeightedKatz, WeightedEigenvector])
def test_weights_below_0(program):
    graph = Graph.from_edges([0, 1], [1, 0], weight=[1.0, -2])
    with pytest.raises(GasclError, match=r"0 or more and finite, but edge 1 \(1 to 0\) has -2"):
        Engine(graph).run(program())


@pytest.mark.parametrize("program", [WeightedKatz, WeightedEigenvector])
def test_infinite_and_very_large_weights(program):
    graph = Graph.from_edges([0, 1], [1, 0], weight=[1.0, np.inf])
    said = r"weight must be 0 or more and finite, but edge 1 \(1 to 0\) has inf"
    with pytest.raises(GasclError, match=said):
        Engine(graph).run(program())
    plain = random_graph(0, directed=True, edges=150)
    heavy = weighted(plain, 3.4e38)
    run(heavy, program(alpha=0.01 / 3.4e38) if program is WeightedKatz else program())


def test_a_changed_graph():
    """The first answer is all but 0 where the second is not: none goes on from it."""
    src, dst = np.triu_indices(6, 1)
    small = Graph.from_edges([7, 8, 9], [8, 9, 7], num_vertices=10, directed=False)
    large = small.with_edges(add=(src, dst))
    for program in (Eigenvector(), Hits(), Katz(alpha=0.15)):
        first = Engine(small).run(program, keep_state=True)
        second = run(large, program, state=first.state)
        field = next(iter(second.fields))
        assert np.abs(second[field] - run(large, program)[field]).max() < 1e-6
    again = Engine(small).run(Katz(), keep_state=True)
    assert run(small, Katz(), state=again.state).supersteps == again.supersteps


@pytest.mark.parametrize(
    ("name", "directed"),
    [("wiki-Vote.txt.gz", True), ("ego-Facebook.txt.gz", False), ("email-Eu-core.txt", True)],
)
def test_real_graphs(name, directed):
    runner = Engine(Graph.read(shared(f"edgelist/{name}"), directed=directed))
    for exact in ({}, EXACT):
        run(runner, Eigenvector(**exact))
        run(runner, Hits(**exact))
        run(runner, Katz(alpha=0.005, **exact))


@pytest.mark.slow
def test_other_deliveries():
    graph = skewed(3, 300, 6000)
    for program in (Eigenvector(**EXACT), Katz(alpha=0.001, **EXACT), Hits(**EXACT)):
        for delivery in ("slots", "pull", "serial"):
            run(graph, program, delivery=delivery)
