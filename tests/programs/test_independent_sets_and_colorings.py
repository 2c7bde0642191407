"""Independent sets and colorings: valid, and what a greedy walk by priority chooses."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from support.admitting_deliveries import some_admitted
from support.bundled import verified_run as run
from support.case_subsets import one_in
from support.samples import grid, random_graph, shared, skewed, to_networkx

from gascl import Engine, GasclError, Graph
from gascl.programs import GreedyColoring, MaximalIndependentSet


def mix(x: int) -> int:
    """MurmurHash3's last step, in Python's integers."""
    x = (x ^ x >> 16) * 0x85EBCA6B % 2**32
    x = (x ^ x >> 13) * 0xC2B2AE35 % 2**32
    return x ^ x >> 16


def degree_class(degree: int) -> int:
    """0 for 1, 8 for 2, 16 for 4 and so on, and seven classes between two powers of two."""
    power = degree.bit_length() - 1
    return 8 * power + (8 * degree >> power) - 8


def greedy(graph: Graph, seed: int) -> tuple[list[int], list[int]]:
    """Members and colors, one vertex after the other."""
    n = graph.num_vertices
    drawn = [mix(mix(seed % 2**32) ^ v) for v in range(n)]
    degrees = (graph.in_degree + graph.out_degree).tolist()
    around: list[set[int]] = [set() for _ in range(n)]
    for u, v in zip(graph.edge_src.tolist(), graph.edge_dst.tolist(), strict=True):
        if u != v:
            around[u].add(v)
            around[v].add(u)
    member, color = [0] * n, [-1] * n
    for v in sorted(range(n), key=lambda v: -drawn[v]):
        member[v] = int(not any(member[u] for u in around[v]))
    for v in sorted(range(n), key=lambda v: (-degree_class(degrees[v] or 1), -(drawn[v] >> 8))):
        taken = {color[u] for u in around[v]}
        color[v] = next(c for c in range(n) if c not in taken)
    return member, color


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("seed", [0, 1, 7])
def test_random_graphs(seed, directed):
    graph = random_graph(abs(seed), directed=directed, edges=200)
    member, color = greedy(graph, seed)
    assert run(graph, MaximalIndependentSet(seed=seed)).member.tolist() == member
    found = run(graph, GreedyColoring(seed=seed, ahead=0)).color
    assert found.tolist() == color
    assert found.max() >= 4
    for ahead in (1, 3, 32):
        assert run(graph, GreedyColoring(seed=seed, ahead=ahead)).color.max() <= max(color) + 1


@pytest.mark.parametrize(
    "strategy", one_in(3, ["largest_first", "smallest_last", "random_sequential"])
)
def test_a_given_order(strategy):
    """NetworkX's colors, by its own strategies' orders; and by degrees, where many are equal."""
    graph = skewed(2, 200, 900, directed=False)
    made = nx.Graph(to_networkx(graph))
    made.remove_edges_from(list(nx.selfloop_edges(made)))
    if strategy == "largest_first":
        expected = nx.greedy_color(made, strategy)
        precedence = np.array([made.degree(v) for v in range(200)])
    else:
        order = list(getattr(nx.coloring, f"strategy_{strategy}")(made, {}))
        expected = nx.greedy_color(made, lambda g, colors: order)
        precedence = np.empty(200, np.int64)
        precedence[order] = np.arange(200)[::-1]
    program = GreedyColoring(precedence=precedence, ahead=0)
    for delivery in ("auto", *some_admitted(program)):
        found = run(graph, program, delivery=delivery).color
        assert found.tolist() == [expected[v] for v in range(200)], delivery
    assert run(graph, GreedyColoring()).color.tolist() != found.tolist()


def test_equal_precedence_goes_by_the_vertices():
    graph = grid(3, 4)
    for value in (0, 7):
        found = run(graph, GreedyColoring(precedence=np.full(12, value), ahead=0)).color
        assert found.tolist() == [0, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1]
    with pytest.raises(GasclError, match=r"precedence.*-1 at 0, which uint32 cannot hold"):
        Engine(graph).run(GreedyColoring(precedence=np.full(12, -1)))


def test_other_deliveries_and_seeds():
    graph = skewed(3, 300, 3000)
    for program, field in ((MaximalIndependentSet, "member"), (GreedyColoring, "color")):
        expected = run(graph, program())[field]
        for delivery in ("slots", "serial"):
            assert np.array_equal(run(graph, program(), delivery=delivery)[field], expected)
        assert not np.array_equal(run(graph, program(seed=1))[field], expected)


def test_more_colors_than_are_counted_at_once():
    """A clique needs as many as it has vertices; 32 are looked at together."""
    src, dst = np.triu_indices(150, 1)
    graph = Graph.from_edges(src, dst, num_vertices=152, directed=False)
    color = run(graph, GreedyColoring()).color
    assert sorted(color[:150].tolist()) == list(range(150))
    assert color[150:].tolist() == [0, 0]
    assert run(graph, MaximalIndependentSet()).member.sum() == 3


def test_about_as_few_colors_as_igraph():
    for graph in (skewed(5, 2000, 30_000, directed=False), Graph.dataset("karate")):
        found = run(graph, GreedyColoring()).color.max() + 1
        assert found <= 1.1 * (max(graph.to_igraph().vertex_coloring_greedy()) + 1)


def test_shapes():
    for n in (0, 1, 3):
        graph = Graph.from_edges([], [], num_vertices=n)
        assert run(graph, MaximalIndependentSet()).member.tolist() == [1] * n
        assert run(graph, GreedyColoring()).color.tolist() == [0] * n
    loops = Graph.from_edges([0, 0, 1, 1], [0, 0, 2, 1], num_vertices=4)
    assert run(loops, MaximalIndependentSet()).member.sum() == 3
    assert sorted(run(loops, GreedyColoring()).color.tolist()) == [0, 0, 0, 1]
    assert run(grid(20, 30), GreedyColoring()).color.max() <= 4
    star = Graph.from_edges(np.zeros(900, int), np.arange(1, 901))
    assert run(star, GreedyColoring()).color.max() == 1


@pytest.mark.parametrize(
    ("name", "directed"), [("wiki-Vote.txt.gz", True), ("ego-Facebook.txt.gz", False)]
)
def test_real_graphs(name, directed):
    graph = Graph.read(shared(f"edgelist/{name}"), directed=directed)
    assert run(graph, MaximalIndependentSet()).supersteps < 25
    color = run(graph, GreedyColoring()).color
    # A vertex of the largest core has as many neighbors in it; a clique is no larger than that.
    assert color.max() < 1.5 * max(graph.to_igraph().coreness())
