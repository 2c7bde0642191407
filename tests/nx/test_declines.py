"""Calls that are left to NetworkX because no other way to its answer is exact."""

import random
import warnings

import networkx as nx
import numpy as np
import pytest

from gascl.nx.backend import FUNCTIONS, backend


def test_pairs_that_can_be_read_once():
    """NetworkX must not get what is left of an iterator."""
    G = nx.gnm_random_graph(30, 60, seed=1)
    pairs = [(0, 1), (2, 3)]
    with pytest.raises(NotImplementedError, match="'gascl' backend"):
        nx.jaccard_coefficient(G, iter(pairs), backend="gascl")
    assert len(list(nx.jaccard_coefficient(G, pairs, backend="gascl"))) == 2


def test_communities_that_can_be_read_once():
    G = nx.path_graph(4)
    with pytest.raises(NotImplementedError, match="'gascl' backend"):
        nx.community.modularity(G, iter([{0, 1}, {2, 3}]), backend="gascl")
    assert nx.community.modularity(G, [{0, 1}, {2, 3}], backend="gascl") == pytest.approx(1 / 6)


@pytest.mark.parametrize("length", [0, 0.0, 1e-30])
def test_lengths_that_make_no_path_longer(length):
    """The number of shortest paths by them depends on the order of NetworkX's search."""
    G = nx.cycle_graph(5)
    nx.set_edge_attributes(G, 1.0, "weight")
    G[0][1]["weight"] = length
    for function in (nx.betweenness_centrality, nx.edge_betweenness_centrality):
        with pytest.raises(NotImplementedError, match="'gascl' backend"):
            function(G, weight="weight", backend="gascl")


@pytest.mark.parametrize("make", [random.Random, np.random.RandomState, np.random.default_rng])
@pytest.mark.parametrize("length", [0, 1])
def test_a_sample_is_networkx_own_also_after_a_decline(make, length, monkeypatch):
    """A length of 0 is declined; whether or not, the generator has moved on as by NetworkX."""
    monkeypatch.setattr(type(backend), "should_run", lambda *_: True)
    G = nx.gnm_random_graph(30, 60, seed=1)
    nx.set_edge_attributes(G, length, "weight")
    for function in (nx.betweenness_centrality, nx.edge_betweenness_centrality):
        seed, same = make(42), make(42)
        with nx.config(backend_priority=["gascl"]):
            found = function(G, k=5, weight="weight", seed=seed)
        assert found == pytest.approx(function(G, k=5, weight="weight", seed=same))
        assert seed.random() == same.random()


def test_what_is_unknown_is_no_reason_to_warn():
    """Where the sole source of betweenness is, there is no estimate: NaN, also by NetworkX."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = nx.betweenness_centrality(nx.star_graph(4), k=1, seed=1, backend="gascl")
    assert np.isnan(list(found.values())).sum() == 1


def test_frozen_graphs_to_which_networkx_adds_a_node():
    G = nx.freeze(nx.path_graph(3))
    with pytest.raises(nx.NetworkXError, match="Frozen"):
        nx.negative_edge_cycle(G)
    with pytest.raises(NotImplementedError, match="'gascl' backend"):
        nx.negative_edge_cycle(G, backend="gascl")
    with nx.config(backend_priority=["gascl"]), pytest.raises(nx.NetworkXError, match="Frozen"):
        nx.negative_edge_cycle(G)


def test_cycles_whose_sum_rounding_decides():
    G = nx.DiGraph()
    G.add_weighted_edges_from([(0, 1, 0.1), (1, 2, 0.2), (2, 0, -0.3)])
    with pytest.raises(NotImplementedError, match="'gascl' backend"):
        nx.negative_edge_cycle(G, backend="gascl")


def test_the_log_of_a_call_for_gascl_alone_says_that_it_was_declined(caplog):
    """With `backend="gascl"`, NetworkX raises an error and runs nothing."""
    caplog.set_level("INFO", "gascl.nx")
    G = nx.DiGraph()
    G.add_weighted_edges_from([(0, 1, 0.1), (1, 2, 0.2), (2, 0, -0.3)])
    for refused in (
        lambda: nx.shortest_path_length(G, 0, 1, backend="gascl"),
        lambda: nx.negative_edge_cycle(G, backend="gascl"),
    ):
        with pytest.raises(NotImplementedError, match="'gascl' backend"):
            refused()
    said = [record.getMessage() for record in caplog.records]
    assert not any("left to NetworkX" in line for line in said)
    for words in (
        "shortest_path_length: declined: gascl does not support a single pair",
        "negative_edge_cycle: declined: gascl does not support sums of fractional weights",
    ):
        assert any(line.startswith(words) for line in said), said


def test_node_attributes_that_a_call_does_not_use_are_silent():
    G = nx.karate_club_graph()
    nx.set_node_attributes(G, {0: 1, 3: 2}, "few")
    nx.set_node_attributes(G, {node: f"node {node}" for node in G}, "name")
    nx.set_edge_attributes(G, "x", "kind")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert nx.core_number(G, backend="gascl") == nx.core_number(G)


@pytest.mark.parametrize("make", [lambda: nx.cycle_graph(6), lambda: nx.empty_graph(3)])
def test_correlations_of_what_does_not_differ(make):
    """NetworkX divides what rounding has left, or 0 by 0."""
    with pytest.raises(NotImplementedError, match="'gascl' backend"):
        nx.degree_assortativity_coefficient(make(), backend="gascl")


@pytest.mark.parametrize(
    ("function", "keywords", "reason"),
    [
        (nx.eccentricity, {"weight": "weight"}, "faster by weight below about 5,000"),
        (nx.diameter, {"weight": "weight"}, "faster by weight below about 5,000"),
        (nx.diameter, {"e": {0: 1}}, "the eccentricities `e` are known"),
        (nx.closeness_centrality, {"distance": "weight"}, "faster by weight below about 5,000"),
        (
            nx.betweenness_centrality,
            {"k": 3},
            "with fewer than 4 sources below about 50,000",
        ),
        (nx.betweenness_centrality, {"weight": "weight"}, "faster by weight below about 20,000"),
        (nx.edge_betweenness_centrality, {"k": 1}, "with fewer than 4 sources below about 50,000"),
    ],
)
def test_calls_that_pay_on_larger_graphs_than_others(function, keywords, reason):
    """The reasons that NetworkX logs; the same calls pay without these keywords on larger ones."""
    G = nx.gnm_random_graph(1_200, 4_900, seed=1)
    found = backend.should_run(function.__name__, (G,), keywords)
    assert isinstance(found, str)
    assert reason in found
    G = nx.gnm_random_graph(1_200, 60_000, seed=1)
    assert backend.should_run(function.__name__, (G,), keywords) == ("e" not in keywords or found)


def test_searches_of_one_step_from_every_node():
    G = nx.gnm_random_graph(1_000, 5_000, seed=1)
    found = backend.should_run("all_pairs_shortest_path_length", (G, 1), {})
    assert found == "NetworkX is faster with cutoff=1"


def test_scores_of_few_pairs_in_a_graph_that_must_be_converted():
    """The conversion of 200,000 edges takes as long as NetworkX's scores of 10,000 pairs."""
    G = nx.gnm_random_graph(1_000, 200_000, seed=1)
    pairs = [(0, 1)] * 6_000
    refused = backend.should_run("jaccard_coefficient", (G, pairs), {})
    assert refused == "fewer than 15,000 pairs"
    assert backend.should_run("jaccard_coefficient", (G, pairs * 3), {}) is True
    nx.core_number(G, backend="gascl")
    assert backend.should_run("jaccard_coefficient", (G, pairs), {}) is True


@pytest.mark.parametrize(
    ("function", "arguments", "inner"),
    [
        (nx.k_core, (), "core_number"),
        (nx.minimum_spanning_tree, (), "minimum_spanning_edges"),
        (nx.shortest_path, (0,), "single_source_shortest_path"),
        (nx.all_pairs_shortest_path, (), "single_source_shortest_path"),
        (nx.bfs_tree, (0,), "bfs_edges"),
    ],
)
def test_functions_that_networkx_composes_call_the_backend(function, arguments, inner, monkeypatch):
    """The backend does not need them: what they call runs on it."""
    monkeypatch.setattr(type(backend), "should_run", lambda *_: True)
    calls = []
    inner_function = FUNCTIONS[inner]._function
    monkeypatch.setattr(
        FUNCTIONS[inner], "_function", lambda *a, **k: calls.append(a) or inner_function(*a, **k)
    )
    G = nx.balanced_tree(2, 3)
    expected = function(G, *arguments)
    with nx.config(backend_priority=["gascl"]):
        answer = function(G, *arguments)
        answer = answer if isinstance(answer, nx.Graph | dict | bool) else list(answer)
    assert calls
    if isinstance(answer, nx.Graph):
        assert nx.utils.graphs_equal(answer, expected)
    else:
        assert answer == (list(expected) if hasattr(expected, "__next__") else expected)


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_the_least_integer_of_64_bits():
    G = nx.Graph()
    G.add_edge(0, 1, weight=np.int64(-(2**63)))
    G.add_edge(1, 2, weight=-(2**63))
    with pytest.raises(NotImplementedError, match="'gascl' backend"):
        list(nx.minimum_spanning_edges(G, backend="gascl"))
