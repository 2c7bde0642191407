"""Functions whose answers are random in NetworkX, and gascl's own here: for those who ask for them.
They are measured by NetworkX's modularity."""

from collections import Counter
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest

from gascl.nx.backend import FUNCTIONS, backend
from gascl.nx.community import ByColor

louvain, leiden = nx.community.louvain_communities, nx.community.leiden_communities
#: Each with the function that has all levels.
BOTH = {louvain: nx.community.louvain_partitions, leiden: nx.community.leiden_partitions}
both = pytest.mark.parametrize("find", BOTH, ids=["louvain", "leiden"])


def planted(weighted=False):
    """Five groups of 20. If weighted, only the weights show them."""
    inside, between = (0.5, 0.5) if weighted else (0.5, 0.02)
    chances = [[inside if a == b else between for a in range(5)] for b in range(5)]
    G = nx.stochastic_block_model([20] * 5, chances, seed=1)
    if weighted:
        for u, v in G.edges:
            G[u][v]["weight"] = 5.0 if u // 20 == v // 20 else 0.25
    return G


@both
@pytest.mark.parametrize("weight", [None, "weight"])
def test_finds_groups(find, weight):
    G = planted(weighted=weight is not None)
    found = find(G, weight=weight, seed=1, backend="gascl")
    assert found == [set(range(start, start + 20)) for start in range(0, 100, 20)]


@both
def test_levels(find):
    """Each has the communities of the one before, or several of them as one, and is better."""
    G = nx.gnm_random_graph(400, 1600, seed=2)
    levels = list(BOTH[find](G, seed=3, backend="gascl"))
    assert len(levels) > 1
    for before, after in pairwise(levels):
        assert len(after) < len(before)
        assert all(any(small <= large for large in after) for small in before)
        assert nx.community.modularity(G, after) > nx.community.modularity(G, before)
    for number, level in enumerate(levels, 1):
        assert find(G, seed=3, max_level=number, backend="gascl") == level
    assert find(G, seed=3, backend="gascl") == levels[-1]


def test_communities_of_leiden_are_connected():
    G = nx.gnm_random_graph(400, 700, seed=5)
    for level in BOTH[leiden](G, seed=3, backend="gascl"):
        assert all(nx.is_connected(G.subgraph(community)) for community in level)


@both
@pytest.mark.parametrize("kind", [nx.Graph, nx.MultiGraph])
def test_is_as_good_as_networkx(find, kind):
    G = kind(nx.gnm_random_graph(300, 1200, seed=2))
    for u, v in list(G.edges())[:200]:
        G.add_edge(u, v)  # of multigraphs, another one
    communities = [find(G, seed=seed, backend="gascl") for seed in range(3)]
    for each in communities:
        assert nx.community.is_partition(G, each)
        firsts = [min(map(list(G).index, community)) for community in each]
        assert firsts == sorted(firsts)
    best = np.mean([nx.community.modularity(G, each) for each in communities])
    theirs = [louvain(G, seed=seed, backend="networkx") for seed in range(3)]
    assert best > 0.95 * np.mean([nx.community.modularity(G, each) for each in theirs])


@both
def test_the_same_seed_gives_the_same_answer(find):
    G = nx.gnm_random_graph(200, 600, seed=2)
    answers = [find(G, seed=seed, backend="gascl") for seed in (3, 3, 4, 5)]
    assert answers[0] == answers[1]
    assert any(answers[0] != other for other in answers[2:])
    drawn = [np.random.default_rng(3), np.random.RandomState(3)]
    assert all(find(G, seed=seed, backend="gascl") for seed in drawn)


@both
def test_resolution_and_graphs_without_edges(find):
    G = planted()
    sizes = [
        len(find(G, resolution=resolution, seed=1, backend="gascl")) for resolution in (0.01, 1, 20)
    ]
    assert sizes[0] == 1 < sizes[1] == 5 < sizes[2]
    assert find(nx.empty_graph(3), backend="gascl") == [{0}, {1}, {2}]
    assert find(nx.Graph(), backend="gascl") == []


def test_networkx_runs_its_own_unless_asked():
    G = nx.gnm_random_graph(200, 6000, seed=2)
    names = {name for name, function in FUNCTIONS.items() if function.random}
    assert names >= {"louvain_communities", "louvain_partitions", "asyn_lpa_communities"}
    for name in names - {"leiden_communities", "leiden_partitions"}:
        assert "differ from NetworkX's" in backend.should_run(name, (G,), {})
        assert backend.can_run(name, (G,), {}) is True
    with nx.config(backend_priority=["gascl"]):
        assert louvain(G, seed=1) == louvain(G, seed=1, backend="networkx")
        assert leiden(G, seed=1) == leiden(G, seed=1, backend="gascl")  # NetworkX has none


@both
def test_what_is_refused(find):
    G = planted()
    with pytest.raises(ValueError, match="max_level argument must be a positive integer"):
        find(G, max_level=0, backend="gascl")
    with pytest.raises((NotImplementedError, nx.NetworkXNotImplemented)):
        find(nx.DiGraph(G), backend="gascl")
    nx.set_edge_attributes(G, -1, "weight")
    with pytest.raises(NotImplementedError):
        find(G, backend="gascl")


@pytest.mark.parametrize(
    "find", [nx.community.asyn_lpa_communities, nx.community.fast_label_propagation_communities]
)
def test_labels_are_the_most_frequent_ones_around(find):
    G = nx.gnm_random_graph(300, 450, seed=4)
    G.add_edges_from([(0, 0), (5, 5)])
    found = [list(find(G, seed=seed, backend="gascl")) for seed in (1, 1, 2)]
    assert found[0] == found[1] != found[2]
    for communities in found:
        assert nx.community.is_partition(G, communities)
        label = {node: place for place, each in enumerate(communities) for node in each}
        for node in G:
            votes = Counter(label[near] for near in G[node])
            assert not votes or votes[label[node]] == max(votes.values())
    assert {frozenset(each) for each in find(planted(), seed=1, backend="gascl")} == {
        frozenset(range(start, start + 20)) for start in range(0, 100, 20)
    }


def test_labels_of_one_color_after_the_other():
    """Of the two labels around vertex 2, the larger one; the others keep theirs, by hand."""
    from gascl import Engine, Graph

    graph = Graph.from_edges([0, 2], [2, 1], directed=False)
    result = Engine(graph).run(ByColor(colors=2, color=[1, 1, 0]))
    # Round 1: vertex 2 takes label 1, of 0 and 1; then 0 and 1 take it, too. Round 2: no change.
    assert result.label.tolist() == [1, 1, 1]
    assert result.supersteps == 4
