"""Calls for which nobody asked gascl: what NetworkX answers from a small part of the graph is left
to it, and of iterators it makes the first items."""

from math import inf

import networkx as nx
import pytest
from support.backend_answers import outcome, public
from support.backend_cases import calls, ring, small

from gascl.nx import dispatch
from gascl.nx.backend import FUNCTIONS, backend
from gascl.nx.locality import is_local, is_narrow

LAZY = sorted(name for name, function in FUNCTIONS.items() if function.lazy)


def large(directed=False):
    """Converted; node 0 has no edges, and 1 only one to 2, which has none to the others."""
    G = nx.gnm_random_graph(2_000, 110_000, seed=1, directed=directed)
    G = nx.relabel_nodes(G, lambda node: node + 3)
    H = type(G)()
    H.add_nodes_from([0, 1, 2])
    H.add_edge(1, 2)
    H.update(G)
    nx.number_of_isolates(H, backend="gascl")
    return H


@pytest.fixture(scope="module")
def graph():
    return large()


NEAR = [
    ("single_source_shortest_path_length", (1,)),
    ("single_source_shortest_path_length", (9, 1)),
    ("single_target_shortest_path_length", (9, 1)),
    ("single_source_shortest_path", (1,)),
    ("single_source_shortest_path", (9, 0)),
    ("predecessor", (9, None, 1)),
    ("descendants_at_distance", (9, 1)),
    ("node_connected_component", (1,)),
    ("descendants", (2,)),
    ("ancestors", (1,)),
    ("single_source_dijkstra_path_length", (1,)),
    ("single_source_dijkstra_path_length", (9, 0.1)),
    ("multi_source_dijkstra_path_length", ({0, 1},)),
    ("shortest_path_length", (1,)),
    ("shortest_path_length", (None, 2)),
    ("is_connected", ()),
    ("connected_components", ()),
]


@pytest.mark.parametrize(("name", "arguments"), NEAR, ids=str)
def test_searches_that_end_soon_are_left_to_networkx(graph, name, arguments):
    assert isinstance(backend.should_run(name, (graph, *arguments), {}), str)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("single_source_shortest_path_length", (9,)),
        ("single_source_shortest_path_length", (9, 5)),
        ("single_source_shortest_path_length", (9, inf)),
        ("descendants", (9,)),
        ("single_source_dijkstra_path_length", (9,)),
        ("shortest_path_length", (None, 9)),
        ("number_connected_components", ()),
        ("bfs_edges", (9,)),
    ],
    ids=str,
)
def test_others_are_not(graph, name, arguments):
    assert backend.should_run(name, (graph, *arguments), {}) is True


def test_what_networkx_decides_at_a_glance():
    G = large(directed=True)

    assert isinstance(backend.should_run("is_strongly_connected", (G,), {}), str)
    G = nx.complete_graph(700)
    nx.number_of_isolates(G, backend="gascl")
    assert "odd length" in backend.should_run("is_bipartite", (G,), {})
    G = nx.complete_bipartite_graph(500, 500)
    nx.number_of_isolates(G, backend="gascl")
    assert backend.should_run("is_bipartite", (G,), {}) is True


@pytest.mark.parametrize("source", [["missing"], [[]], 5, [9, "missing"]])
def test_arguments_that_are_no_nodes_are_left_to_networkx(graph, source):
    found = backend.should_run("multi_source_dijkstra_path_length", (graph, source), {})
    assert isinstance(found, bool | str)


def test_how_far_a_search_goes():
    path = nx.path_graph(10_000)
    assert is_local([path._adj], [0], 3)
    assert is_local([path._adj], [0], 5_000)
    assert is_local([path._adj], [0])  # a long path
    star = nx.star_graph(40_000)
    assert is_local([star._adj], [1], 1)
    assert not is_local([star._adj], [1], 2)
    D = nx.DiGraph([(0, 1)])
    assert is_local([D._succ, D._pred], [1])


def asked(function, *arguments, **keywords):
    with nx.config(backend_priority=["gascl"]):
        return outcome(function, *arguments, **keywords)


@pytest.mark.parametrize("patience", [0, 1e9])
@pytest.mark.parametrize("name", LAZY)
def test_items_of_networkx_and_of_gascl_are_one_sequence(name, patience, monkeypatch):
    monkeypatch.setattr(dispatch, "PATIENCE", patience)
    monkeypatch.setattr(dispatch, "PER_NODE", 0)
    for key, value in {"first": 0, "cached": 0, "_slower": (), "_later": ()}.items():
        monkeypatch.setattr(FUNCTIONS[name], key, value)
    for kind in (nx.Graph, nx.MultiDiGraph):
        graphs = [ring(kind, 30), small(kind)["acyclic"]]
        for G in graphs:
            for arguments, keywords in calls(name, G)[:2]:
                expected = outcome(public(name), G, *arguments, **keywords)
                for _ in range(2):
                    assert asked(public(name), G, *arguments, **keywords) == expected


@pytest.mark.parametrize(("name", "arguments"), [("bfs_edges", (9,)), ("isolates", ())])
@pytest.mark.parametrize("converted", [False, True])
def test_one_item_is_made_without_the_others(name, arguments, converted, monkeypatch):
    G = large()
    if not converted:
        G.__networkx_cache__.clear()
    monkeypatch.setattr(FUNCTIONS[name], "first", 0)
    monkeypatch.setattr(FUNCTIONS[name], "_function", lambda *_, **__: pytest.fail("was run"))
    monkeypatch.setattr(dispatch, "PATIENCE", 1e9)
    with nx.config(backend_priority=["gascl"]):
        found = next(public(name)(G, *arguments))
    assert found == next(public(name)(G, *arguments))
    topologies = [each.topology for each in G.__networkx_cache__["backends"]["gascl"].values()]
    assert any(topology.is_read for topology in topologies) == converted


def test_networkx_goes_on_where_gascl_cannot(graph, monkeypatch):
    def refuse(*_, **__):
        raise NotImplementedError("nothing")

    monkeypatch.setattr(FUNCTIONS["bfs_edges"], "_function", refuse)
    monkeypatch.setattr(dispatch, "PATIENCE", 0)
    assert asked(nx.bfs_edges, graph, 9) == list(nx.bfs_edges(graph, 9))


def test_who_asks_for_gascl_gets_it_all(graph, monkeypatch):
    monkeypatch.setattr(dispatch, "PATIENCE", 1e9)
    ran = []
    inner = FUNCTIONS["bfs_edges"]._function
    monkeypatch.setattr(
        FUNCTIONS["bfs_edges"], "_function", lambda *a, **k: ran.append(1) or inner(*a, **k)
    )
    assert backend.should_run("bfs_edges", (graph, 9), {}) is True
    assert list(nx.bfs_edges(graph, 9, backend="gascl")) == list(nx.bfs_edges(graph, 9))
    assert ran


def test_long_paths_are_left_to_networkx():
    """Searches along them take as many levels as nodes, each a step of a device."""
    path = nx.path_graph(120_000, nx.DiGraph)
    nx.number_of_isolates(path, backend="gascl")
    calls = {
        "descendants": (0,),
        "single_source_shortest_path_length": (0,),
        "single_source_dijkstra_path_length": (0,),
        "weakly_connected_components": (),
        "number_strongly_connected_components": (),
        "dag_longest_path_length": (),
        "lowest_common_ancestor": (500, 119_000),
        "is_tree": (),
    }
    for name, arguments in calls.items():
        reason = backend.should_run(name, (path, *arguments), {})
        assert "long path" in str(reason), name
    assert not is_narrow([nx.grid_2d_graph(60, 60)._adj], [(0, 0)])
    assert is_narrow([path._adj], [0]) and is_narrow([path._adj], [119_990]) is None
    with nx.config(backend_priority=["gascl"]):
        assert nx.is_directed_acyclic_graph(path)
        assert not nx.algorithms.dag.has_cycle(path)
        assert sum(1 for _ in nx.bfs_edges(path, 0)) == 119_999
        assert list(nx.topological_sort(path)) == list(path)
        path.add_edge(7, 7)
        assert not nx.is_directed_acyclic_graph(path)


def test_a_limited_search_is_left_to_networkx():
    G = nx.gnm_random_graph(20_000, 100_000, seed=1)
    nx.number_of_isolates(G, backend="gascl")
    assert "end soon" in backend.should_run("bfs_edges", (G, 0), {"depth_limit": 1})
    assert backend.should_run("bfs_edges", (G, 0), {}) is True
    assert backend.should_run("bfs_edges", (G, 0), {"depth_limit": 9}) is True
