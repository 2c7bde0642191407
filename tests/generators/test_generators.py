"""Generators against NetworkX, SciPy and the models' own laws; and that a seed gives a graph."""

import hashlib
import sys
from collections import Counter
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from scipy import stats
from scipy.sparse.csgraph import connected_components

from gascl import generators
from gascl.errors import GraphError
from gascl.generators import random_words
from gascl.generators.chunked import RECIPES
from gascl.generators.random_words import Draws, RandomWords, permutation

SMALL = {
    "rmat": {"scale": 8, "weights": (1, 255)},
    "uniform": {"num_vertices": 100, "num_edges": 300, "directed": True},
    "barabasi_albert": {"num_vertices": 200, "edges_per_vertex": 3},
    "watts_strogatz": {"num_vertices": 200, "neighbors": 6, "rewire": 0.3},
    "grid": {"rows": 5, "columns": 7, "layers": 3, "weights": (-3, 3)},
    "star": {"num_vertices": 50, "weights": (0, 9)},
    "path": {"num_vertices": 50, "weights": (0, 9)},
    "complete": {"num_vertices": 20, "weights": (0, 9)},
    "stochastic_block_model": {"sizes": [60, 40, 50], "probabilities": (0.3, 0.02)},
    "lfr": {"num_vertices": 300, "average_degree": 6, "max_degree": 30},
}
#: The SHA-256 of each, begun, of stream version 1: they may change only along with words.STREAM.
#: NumPy 1.24 and 2.4 gave the same, with and without AVX.
HASHES = {
    "rmat": "7ee8fdee13ed9048",
    "uniform": "3ef140782e9fdeca",
    "barabasi_albert": "a73c4a80112ffb06",
    "watts_strogatz": "ca2fc066e5e0279f",
    "grid": "ad578e1ae784d9ec",
    "star": "474bd2052a75685e",
    "path": "dfa54997c8e257d3",
    "complete": "1f063687ccfa9845",
    "stochastic_block_model": "374395dd49c54449",
    "lfr": "ca8eb2c4cfa29e0f",
}


def made(name, **changes):
    return getattr(generators, name)(**{**SMALL[name], **changes})


def digest(graph):
    parts = [graph.edge_src, graph.edge_dst, *graph.edge_fields.values()]
    parts += graph.vertex_fields.values()
    text = hashlib.sha256(f"{graph.num_vertices} {graph.directed}".encode())
    for part in parts:
        text.update(part.astype("<i4").tobytes())
    return text.hexdigest()[:16]


def edge_counts(graph):
    """How many edges have these ends, as unordered pairs where the graph is undirected."""
    pairs = zip(graph.edge_src.tolist(), graph.edge_dst.tolist(), strict=True)
    return Counter(p if graph.directed else tuple(sorted(p)) for p in pairs)


def edges_of_networkx(G):
    return Counter(p if G.is_directed() else tuple(sorted(p)) for p in G.edges())


def is_simple(graph):
    counts = edge_counts(graph)
    return max(counts.values()) == 1 and all(u != v for u, v in counts)


def close(count, trials, chance):
    """A binomial count within six standard deviations: false once in 10**9."""
    return abs(count - trials * chance) <= 6 * (trials * chance * (1 - chance)) ** 0.5 + 1


# RandomWords


def test_words_are_those_that_numpy_promises():
    key = np.random.SeedSequence(5, spawn_key=(random_words.STREAM, 0))
    expected = np.random.PCG64(key).random_raw(10)
    np.testing.assert_array_equal(RandomWords(5, 0).take(10), expected)
    np.testing.assert_array_equal(RandomWords(5, 0, start=4).take(6), expected[4:])
    np.testing.assert_array_equal(
        RandomWords(5, 0).unit(10), [(int(w) >> 11) / 2**53 for w in expected]
    )


@pytest.mark.parametrize("bound", [1, 2, 3, 10**9 + 7, 2**32 - 1])
def test_numbers_below_a_bound_are_the_words_as_fractions(bound):
    drawn = [int(w) * bound >> 64 for w in RandomWords(7, 1).take(100).tolist()]
    assert RandomWords(7, 1).below(bound, 100).tolist() == drawn
    one_by_one = Draws(7, 1)
    assert [one_by_one.below(bound) for _ in range(100)] == drawn


def test_permutations_are_uniform():
    counts = Counter(tuple(permutation(seed, 3, 0).tolist()) for seed in range(600))
    assert len(counts) == 6
    assert stats.chisquare(list(counts.values())).pvalue > 1e-6
    assert sorted(permutation(1, 1000, 0).tolist()) == list(range(1000))
    assert permutation(1, 0, 0).tolist() == []
    assert permutation(1, 1, 0).tolist() == [0]


# Seeds


@pytest.mark.parametrize("name", SMALL)
def test_a_seed_gives_this_graph_on_every_machine(name):
    graph = made(name, seed=42)
    assert digest(graph) == HASHES[name]
    assert digest(made(name, seed=42)) == digest(graph)
    assert digest(made(name, seed=43)) != digest(graph)
    assert "seed=42, stream version 1" in graph.report[0]


def test_every_generator_is_tested():
    assert sorted(SMALL) == sorted(generators.__all__)


@pytest.mark.parametrize("chunk", [1, 7, 64])
@pytest.mark.parametrize("name", [*RECIPES, "stochastic_block_model", "barabasi_albert"])
def test_the_size_of_a_chunk_does_not_count(name, chunk, monkeypatch):
    expected = digest(made(name))
    module = sys.modules[f"gascl.generators.{name}"]
    for constant in ("BLOCK", "CHUNK", "BATCH", "ROWS"):
        if hasattr(module, constant):
            size = 3 * chunk if (name, constant) == ("rmat", "CHUNK") else chunk
            monkeypatch.setattr(module, constant, size)
    monkeypatch.setattr("gascl.generators.builder.CHUNK", chunk)
    monkeypatch.setattr("gascl.generators.random_words.CHUNK", chunk)
    assert digest(made(name)) == expected


@pytest.mark.parametrize("name", SMALL)
def test_weights_are_uniform_with_both_ends(name):
    graph = made(name, weights=(5, 7))
    weight = graph.edge_fields["weight"]
    counts = [int((weight == w).sum()) for w in (5, 6, 7)]
    assert sum(counts) == graph.num_edges
    assert stats.chisquare(counts).pvalue > 1e-6


def test_weights_may_span_all_of_int32():
    weight = generators.path(20_000, weights=(-(2**31), 2**31 - 1)).edge_fields["weight"]
    assert stats.kstest(weight / 2.0**32 + 0.5, "uniform").pvalue > 1e-6


# R-MAT


@pytest.mark.parametrize(
    ("scale", "chances"),
    [(5, (0.57, 0.19, 0.19)), (7, (0.1, 0.2, 0.3)), (13, (0.57, 0.19, 0.19)), (9, (1, 0, 0))],
)
def test_rmat_falls_into_quarters_by_their_chances_at_every_level(scale, chances):
    a, b, c = chances
    graph = generators.rmat(scale, 2**17 >> scale, a=a, b=b, c=c, renumber=False)
    assert graph.num_edges == 2**17
    cells = []
    for level in range(scale):
        cells.append(2 * (graph.edge_src >> level & 1) + (graph.edge_dst >> level & 1))
        counts = np.bincount(cells[-1], minlength=4)
        for count, chance in zip(counts, [a, b, c, max(0, 1 - a - b - c)], strict=True):
            assert close(count, 2**17, chance)
    # Levels are independent of each other.
    for one, two in pairwise(cells):
        table = np.histogram2d(one, two, bins=(4, 4))[0]
        if a < 1:
            assert stats.chi2_contingency(table).pvalue > 1e-7


def test_rmat_has_the_out_degrees_of_its_law():
    """A source's bits are 0 with chance a + b, so that its expected degree is a product."""
    graph = generators.rmat(10, 256, renumber=False)
    ones = np.array([bin(v).count("1") for v in range(1024)])
    expected = 256 * 1024 * 0.76 ** (10 - ones) * 0.24**ones
    observed = graph.out_degree
    groups = [(observed[ones == k].sum(), expected[ones == k].sum()) for k in range(9)]
    groups.append((observed[ones > 8].sum(), expected[ones > 8].sum()))
    assert stats.chisquare(*zip(*groups, strict=True)).pvalue > 1e-6


def test_rmat_outcomes_are_right_to_a_draw():
    """The alias tables hold each product of chances, to the nearest of 2**32 draws."""
    module = sys.modules["gascl.generators.rmat"]
    chances = np.array([0.57, 0.19, 0.19, 0.05])
    threshold, value = module._tables(3, chances)
    kept = threshold // 64
    draws = Counter()
    for i in range(64):
        draws[int(value[64 + i])] += int(kept[i])
        draws[int(value[i])] += 2**26 - int(kept[i])
    assert sum(draws.values()) == 2**32
    for outcome, count in draws.items():
        src, dst = outcome >> 32, outcome & 7
        quarters = [2 * (src >> k & 1) + (dst >> k & 1) for k in range(3)]
        assert abs(count - 2**32 * np.prod(chances[quarters])) <= 1


def test_rmat_renumbered_is_the_same_graph():
    plain, renumbered = (generators.rmat(6, renumber=r) for r in (False, True))
    names = permutation(0, 64, random_words.NUMBERING)
    np.testing.assert_array_equal(names[plain.edge_src], renumbered.edge_src)
    np.testing.assert_array_equal(names[plain.edge_dst], renumbered.edge_dst)


def test_rmat_applies_the_policies():
    plain = made("rmat", directed=False)
    merged = made("rmat", directed=False, duplicates="first", self_loops="drop")
    assert is_simple(merged)
    assert set(edge_counts(merged)) == {(u, v) for u, v in edge_counts(plain) if u != v}


@pytest.mark.parametrize(
    ("name", "given", "what"),
    [
        ("rmat", {"scale": 8}, "4096/4096"),
        ("barabasi_albert", {"num_vertices": 500, "edges_per_vertex": 2}, "500/500"),
        ("watts_strogatz", {"num_vertices": 99, "neighbors": 4, "rewire": 1}, "198/198"),
    ],
)
def test_what_takes_long_tells_how_far_it_is(name, given, what, monkeypatch, capsys):
    monkeypatch.setattr(sys.modules["gascl.generators.watts_strogatz"], "REPORT", 1)
    plain = getattr(generators, name)(**given)
    assert capsys.readouterr().err == ""
    shown = getattr(generators, name)(**given, progress=True)
    assert np.array_equal(plain.edge_dst, shown.edge_dst)
    assert f"gascl: {name}: 100%|##########| {what} [" in capsys.readouterr().err


def test_rmat_of_nothing():
    assert generators.rmat(0, 3).edge_src.tolist() == [0, 0, 0]
    assert generators.rmat(3, 0).num_edges == 0


# Uniform


@pytest.mark.parametrize("directed", [pytest.param(True, marks=pytest.mark.slow), False])
def test_uniform_makes_all_graphs_equally_often(directed):
    """The graphs of 4 vertices (3 where directed) and 2 edges, 15 of each kind."""
    vertices = 3 if directed else 4
    counts = Counter(
        frozenset(edge_counts(generators.uniform(vertices, 2, seed=s, directed=directed)))
        for s in range(1500)
    )
    assert len(counts) == 15
    assert stats.chisquare(list(counts.values())).pvalue > 1e-6


@pytest.mark.parametrize("directed", [True, False])
def test_uniform_is_simple_however_dense(directed):
    pairs = 30 * 29 // (1 if directed else 2)
    for count in (0, 1, pairs // 3, pairs // 2, pairs // 2 + 1, pairs - 1, pairs):
        graph = generators.uniform(30, count, directed=directed)
        assert graph.num_edges == count
        assert not count or is_simple(graph)
    assert edge_counts(graph) == edges_of_networkx(
        nx.complete_graph(30, nx.DiGraph if directed else nx.Graph)
    )


# Shapes


@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize("sides", [(1, 1, 1), (1, 6, 1), (4, 5, 1), (2, 3, 4), (5, 3, 3)])
def test_grid_is_that_of_networkx(sides, periodic):
    rows, columns, layers = sides
    graph = generators.grid(rows, columns, layers, periodic=periodic)
    theirs = nx.grid_graph(dim=(columns, rows, layers), periodic=periodic)
    place = {node: number for number, node in enumerate(sorted(theirs))}
    theirs.remove_edges_from(nx.selfloop_edges(theirs))  # of periodic sides of length 1
    theirs = nx.relabel_nodes(theirs, place)
    assert graph.num_vertices == len(theirs)
    assert edge_counts(graph) == edges_of_networkx(theirs)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("count", [1, 2, 3, 10])
def test_star_path_and_complete_are_those_of_networkx(count, directed):
    kind = nx.DiGraph if directed else nx.Graph
    theirs = {
        "path": nx.path_graph(count, kind),
        "complete": nx.complete_graph(count, kind),
        "star": kind([(0, v) for v in range(1, count)]),
    }
    assert set(nx.star_graph(count - 1).edges) == set(theirs["star"].edges)
    for name, expected in theirs.items():
        graph = getattr(generators, name)(count, directed=directed)
        assert graph.num_vertices == count and graph.directed == directed
        assert edge_counts(graph) == edges_of_networkx(expected)


# Barabási-Albert and Watts-Strogatz


@pytest.mark.parametrize(("count", "degree"), [(2, 1), (5, 4), (500, 1), (500, 5), (40, 30)])
def test_barabasi_albert_has_the_size_of_networkx_s(count, degree):
    graph = generators.barabasi_albert(count, degree)
    assert graph.num_edges == nx.barabasi_albert_graph(count, degree, seed=1).number_of_edges()
    assert is_simple(graph)
    assert connected_components(graph.to_scipy(), directed=False)[0] == 1
    joined = Counter(graph.edge_src.tolist())  # each later vertex brings as many edges
    assert all(joined[v] == degree for v in range(degree + 1, count))
    assert (graph.edge_dst[degree:] < graph.edge_src[degree:]).all()


def test_barabasi_albert_degrees_are_distributed_as_networkx_s():
    ours = generators.barabasi_albert(8000, 4).out_degree
    theirs = [d for _, d in nx.barabasi_albert_graph(8000, 4, seed=1).degree]
    assert stats.ks_2samp(ours, theirs).pvalue > 1e-6
    # The limit's law is 2m(m + 1) / (k(k + 1)(k + 2)), which is 2 / (m + 2) for degree m.
    assert abs((ours == 4).mean() - 2 / (4 + 2)) < 0.02


@pytest.mark.parametrize(("count", "neighbors"), [(5, 4), (10, 2), (50, 8)])
def test_watts_strogatz_without_rewiring_is_networkx_s_ring(count, neighbors):
    graph = generators.watts_strogatz(count, neighbors, 0)
    assert edge_counts(graph) == edges_of_networkx(nx.watts_strogatz_graph(count, neighbors, 0))


@pytest.mark.parametrize("rewire", [0.1, 1.0])
def test_watts_strogatz_rewires_as_networkx_does(rewire):
    ours = generators.watts_strogatz(2000, 8, rewire)
    theirs = nx.watts_strogatz_graph(2000, 8, rewire, seed=1)
    assert is_simple(ours) and ours.num_edges == 8000
    ring = nx.watts_strogatz_graph(2000, 8, 0)
    moved = sum(not ring.has_edge(u, v) for u, v in edge_counts(ours))
    assert close(moved, 8000, rewire) or rewire == 1
    assert stats.ks_2samp(ours.out_degree, [d for _, d in theirs.degree]).pvalue > 1e-6
    mine = nx.Graph(list(edge_counts(ours)))
    assert abs(nx.transitivity(mine) - nx.transitivity(theirs)) < 0.02


def test_watts_strogatz_ends_where_there_is_no_room():
    assert edge_counts(generators.watts_strogatz(7, 6, 1.0)) == edges_of_networkx(
        nx.complete_graph(7)
    )
    assert is_simple(generators.watts_strogatz(8, 6, 1.0, seed=3))


# Errors


@pytest.mark.parametrize(
    ("name", "changes", "said"),
    [
        ("rmat", {"scale": 31}, ["scale is 31", "0 to 30"]),
        ("rmat", {"scale": 2.5}, ["scale is 2.5", "whole number"]),
        ("rmat", {"scale": 30, "edges_per_vertex": 10**6}, ["GiB", "ask for fewer"]),
        ("rmat", {"a": 0.9}, ["a + b + c is", "at most 1"]),
        ("rmat", {"b": "x"}, ["b is 'x'", "probability"]),
        ("rmat", {"duplicates": "drop"}, ["duplicates='drop'", "first"]),
        ("rmat", {"seed": -1}, ["seed is -1", "0 to"]),
        ("rmat", {"weights": (3, 2)}, ["highest of weights is 2", "from 3"]),
        ("rmat", {"weights": 3}, ["weights is 3", "(1, 255)"]),
        ("rmat", {"weights": (0, 2**31)}, ["2,147,483,648"]),
        ("uniform", {"num_edges": 9901}, ["num_edges is 9,901", "9,900 pairs"]),
        ("uniform", {"num_vertices": 2**31}, ["num_vertices is 2,147,483,648"]),
        ("barabasi_albert", {"edges_per_vertex": 200}, ["edges_per_vertex is 200", "1 to 199"]),
        ("barabasi_albert", {"num_vertices": 2**30}, ["edges", "can have 2,147,483,647"]),
        ("watts_strogatz", {"neighbors": 5}, ["neighbors is 5", "even"]),
        ("watts_strogatz", {"rewire": float("nan")}, ["rewire is nan", "0 to 1"]),
        ("grid", {"rows": 10**5, "columns": 10**5}, ["30,000,000,000", "ask for fewer"]),
        ("grid", {"layers": 0}, ["layers is 0"]),
        ("complete", {"num_vertices": 10**7}, ["GiB"]),
        ("star", {"num_vertices": 0}, ["num_vertices is 0"]),
        ("stochastic_block_model", {"sizes": 3}, ["sizes is 3", "[100, 50]"]),
        ("stochastic_block_model", {"sizes": []}, ["0 groups"]),
        ("stochastic_block_model", {"probabilities": (0.1, 2)}, ["2.0", "from 0 to 1"]),
        ("stochastic_block_model", {"probabilities": [[0.1]]}, ["(1, 1)", "(3, 3)"]),
        (
            "stochastic_block_model",
            {"sizes": [5, 5], "probabilities": [[0.1, 0.2], [0.3, 0.1]]},
            ["[0][1] is 0.2", "symmetric"],
        ),
        ("lfr", {"average_degree": 0.5}, ["average_degree is 0.5"]),
        ("lfr", {"average_degree": 1.2}, ["average", "raise it"]),
        ("lfr", {"mixing": 1.5}, ["mixing is 1.5"]),
        ("lfr", {"max_community": 10}, ["communities of", "raise max_community"]),
        ("lfr", {"degree_exponent": 0}, ["degree_exponent is 0"]),
    ],
)
def test_wrong_arguments_are_refused_with_cause_value_and_remedy(name, changes, said):
    with pytest.raises(GraphError) as caught:
        made(name, **changes)
    for words_ in said:
        assert words_ in str(caught.value)
