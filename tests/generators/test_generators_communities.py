"""Graphs with planted communities, against the models' laws, NetworkX and SciPy."""

from collections import Counter

import networkx as nx
import numpy as np
import pytest
from scipy import stats

from gascl import generators
from gascl.generators.configuration_model import paired
from gascl.generators.random_words import Draws, RandomWords


def simple(graph):
    pairs = zip(graph.edge_src.tolist(), graph.edge_dst.tolist(), strict=True)
    counts = Counter(p if graph.directed else tuple(sorted(p)) for p in pairs)
    return max(counts.values(), default=0) <= 1 and all(u != v for u, v in counts)


def close(count, trials, chance):
    """A binomial count within six standard deviations: false once in 10**9."""
    return abs(count - trials * chance) <= 6 * (trials * chance * (1 - chance)) ** 0.5


# The stochastic block model


@pytest.mark.parametrize("directed", [True, False])
def test_blocks_have_the_densities_of_the_matrix(directed):
    sizes = [300, 1, 200, 150]
    chances = np.array(
        [[0.3, 0.5, 0.01, 0], [0.5, 0, 1, 0.2], [0.01, 1, 0.9, 0.1], [0, 0.2, 0.1, 1e-4]]
    )
    if directed:
        chances[0, 2], chances[3, 1] = 0.4, 0.7
    graph = generators.stochastic_block_model(sizes, chances, directed=directed)
    assert simple(graph)
    community = graph.vertex_fields["community"]
    assert community.tolist() == [c for c, size in enumerate(sizes) for _ in range(size)]
    found = np.zeros((4, 4), dtype=int)
    np.add.at(found, (community[graph.edge_src], community[graph.edge_dst]), 1)
    for i in range(4):
        for j in range(0 if directed else i, 4):
            pairs = sizes[i] * (sizes[j] - (i == j))
            if directed:
                count = found[i, j]
            else:
                count = found[i, j] + (found[j, i] if i != j else 0)
                pairs //= 2 if i == j else 1
            assert close(count, pairs, chances[i, j]), (i, j)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("chance", [0.02, 0.5, 0.97])
def test_every_pair_is_joined_equally_often(directed, chance):
    """400 graphs of two groups: how often each pair is joined, and how many are joined at once."""
    times, totals = Counter(), []
    for seed in range(400):
        graph = generators.stochastic_block_model(
            [3, 4], (chance, chance), seed=seed, directed=directed
        )
        times.update(zip(graph.edge_src.tolist(), graph.edge_dst.tolist(), strict=True))
        totals.append(graph.num_edges)
    every = [(u, v) for u in range(7) for v in range(7) if (u != v if directed else u < v)]
    assert set(times) <= set(every)
    assert all(close(times[pair], 400, chance) for pair in every)
    # Pairs are independent: the numbers of edges have a binomial's variance.
    expected = len(every) * chance * (1 - chance)
    assert abs(np.var(totals) / expected - 1) < 0.4


def test_certain_and_impossible_blocks():
    graph = generators.stochastic_block_model([4, 5], (1, 0))
    assert {tuple(sorted(e)) for e in zip(graph.edge_src, graph.edge_dst, strict=True)} == {
        *nx.complete_graph(4).edges,
        *nx.complete_graph(range(4, 9)).edges,
    }
    assert generators.stochastic_block_model([4, 5], (0, 0)).num_edges == 0
    assert generators.stochastic_block_model([1], [[0.5]]).num_edges == 0


def test_gaps_between_edges_are_geometric():
    """So rare that the gaps have many bits; SciPy's law of them."""
    graph = generators.stochastic_block_model([4000, 4000], [[0, 3e-4], [3e-4, 0]], seed=2)
    codes = graph.edge_src.astype(np.int64) * 4000 + graph.edge_dst - 4000
    gaps = np.diff(codes)
    assert (gaps > 0).all() and close(len(codes), 16_000_000, 3e-4)
    assert stats.kstest(gaps, stats.geom(3e-4).cdf).pvalue > 1e-6


# LFR


@pytest.mark.parametrize(
    ("count", "average", "most", "options"),
    [
        (1000, 15, 50, {"mixing": 0.3, "min_community": 20, "max_community": 100}),
        (1000, 20, 50, {"mixing": 0.1, "min_community": 10, "max_community": 60}),
        (3000, 8, 100, {"mixing": 0.5}),
        (500, 6, 20, {"mixing": 1.0}),
    ],
)
def test_lfr_has_the_requested_properties(count, average, most, options):
    graph = generators.lfr(count, average, most, seed=1, **options)
    assert simple(graph) and graph.num_vertices == count
    degree, community = graph.out_degree, graph.vertex_fields["community"]
    # Degrees are drawn, and at most one edge in 100 finds no place.
    assert abs(degree.mean() / average - 1) < 0.1
    assert degree.max() <= most
    sizes = np.bincount(community)
    assert options.get("min_community", 3) <= sizes.min()
    assert sizes.max() <= options.get("max_community", most + 1)
    crossing = (community[graph.edge_src] != community[graph.edge_dst]).mean()
    assert abs(crossing - options["mixing"]) < 0.02
    # Each vertex has its own part of edges inside, not only their sum.
    inside = np.zeros(count)
    same = community[graph.edge_src] == community[graph.edge_dst]
    for ends in (graph.edge_src, graph.edge_dst):
        inside += np.bincount(ends[same], minlength=count)
    parted = np.abs(inside - (1 - options["mixing"]) * degree) <= 1.5
    assert parted.mean() > 0.95


def test_lfr_degrees_and_sizes_have_power_laws():
    graph = generators.lfr(20_000, 12, 150, degree_exponent=2.5, mixing=0.6, seed=3)
    assert slope(graph.out_degree, 150) == pytest.approx(2.5, abs=0.1)
    sizes = np.bincount(
        generators.lfr(
            20_000, 5, 40, min_community=10, max_community=400, community_exponent=2, seed=3
        ).vertex_fields["community"]
    )
    assert slope(sizes, 400) == pytest.approx(2, abs=0.15)


def slope(values, most):
    """The exponent of a power law of values up to `most`, by maximum likelihood; the lowest tenth,
    where a share is cut off, is left out."""
    least = int(np.quantile(values, 0.1)) + 2
    values = values[values >= least]
    ks = np.arange(least, most + 1)
    exponents = np.linspace(1.2, 4, 281)
    logs = np.log(values).mean()
    return max(exponents, key=lambda t: -t * logs - np.log((ks**-t).sum()))


def test_lfr_resembles_networkx_s():
    """The same parameters: about as many edges, communities, and as modular."""
    theirs = nx.LFR_benchmark_graph(
        500,
        3,
        1.5,
        0.1,
        average_degree=8,
        max_degree=40,
        min_community=30,
        max_community=80,
        seed=10,
    )
    groups = {frozenset(theirs.nodes[v]["community"]) for v in theirs}
    graph = generators.lfr(
        500, 8, 40, mixing=0.1, degree_exponent=3, min_community=30, max_community=80
    )
    ours = nx.Graph(zip(graph.edge_src.tolist(), graph.edge_dst.tolist(), strict=True))
    community = graph.vertex_fields["community"]
    planted = [set(np.flatnonzero(community == c).tolist()) for c in range(community.max() + 1)]
    assert abs(len(planted) - len(groups)) <= 4
    assert nx.community.modularity(ours, planted) == pytest.approx(
        nx.community.modularity(theirs, groups), abs=0.06
    )


def test_pairing_keeps_degrees():
    degree = np.array([5, 3, 3, 3, 3, 3, 2, 2, 1, 1])
    group = np.array([0, 0, 0, 0, 0, 0, 1, 1, 1, 1])
    for seed in range(30):
        (src, dst), lost = paired(degree, group, None, RandomWords(seed, 0), Draws(seed, 1))
        assert lost == 0 and (src < dst).all() and (group[src] == group[dst]).all()
        assert len(set(zip(src.tolist(), dst.tolist(), strict=True))) == len(src) == 13
        assert (
            np.bincount(src, minlength=10) + np.bincount(dst, minlength=10)
        ).tolist() == degree.tolist()


def test_pairing_tells_what_finds_no_place():
    (src, _), lost = paired(
        np.array([4, 4]), np.array([0, 0]), None, RandomWords(0, 0), Draws(0, 1)
    )
    assert len(src) + lost == 4 and len(src) <= 1
