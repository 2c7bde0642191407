"""Graphs that are stored as arrays, against those that NetworkX builds from the same edges."""

import copy
import gc
import pickle
import threading
import weakref

import networkx as nx
import numpy as np
import pytest

import gascl
from gascl.nx import loader
from gascl.nx.backend import backend
from gascl.nx.converted_graph import Topology
from gascl.nx.edge_list import distinct, numbered, stored_edges
from gascl.nx.stored_graph import stored_graph

KINDS = {"graph": nx.Graph, "digraph": nx.DiGraph}


def pair(kind, seed=0, columns=("weight", "color")):
    """A stored graph with parallel edges merged, loops and attributes, and NetworkX's own."""
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, 12, (50, 2)) if seed < 5 else rng.integers(-900, 900, (50, 2))
    values = {"weight": rng.integers(1, 9, 50), "color": np.array([*"rgbcm"] * 10, object)}
    values = {name: values[name] for name in columns}
    nodes, codes = numbered(ends.ravel())
    G = stored_graph(distinct(nodes, codes[::2], codes[1::2], values, kind is nx.DiGraph))
    H = kind()
    records = zip(*(column.tolist() for column in values.values()), strict=True)
    if not columns:
        records = [()] * 50
    for (u, v), record in zip(ends.tolist(), records, strict=True):
        H.add_edge(u, v, **dict(zip(columns, record, strict=True)))
    return G, H


def is_stored(G):
    return stored_edges(G) is not None


def everything(G):
    """All that a graph holds, in its order."""
    rows = [G._adj, G._pred] if G.is_directed() else [G._adj]
    return repr([type(G), G.graph, G._node, *rows])


def shared(G):
    """Whether both ends of every edge have one dictionary of attributes."""
    other = G._pred if G.is_directed() else G._adj
    return all(other[v][u] is record for u, row in G._adj.items() for v, record in row.items())


#: What can be asked before there are dictionaries.
QUICK = {
    "len": len,
    "number_of_nodes": lambda G: G.number_of_nodes(),
    "order": lambda G: G.order(),
    "number_of_edges": lambda G: G.number_of_edges(),
    "size": lambda G: G.size(),
    "str": str,
    "nodes": lambda G: list(G),
    "node attributes": lambda G: dict(G.nodes(data=True)),
    "in": lambda G: (3 in G, None in G, [] in G),
    "has_node": lambda G: G.has_node(7),
    "class": lambda G: (G.__class__, isinstance(G, nx.Graph), G.is_directed(), G.is_multigraph()),
    "graph": lambda G: (G.graph, G.name),
    "empty copy": lambda G: everything(G.__class__()),
}

READS = {
    "edges": lambda G: list(G.edges(data=True)),
    "adj": lambda G: {u: dict(row) for u, row in G.adj.items()},
    "degree": lambda G: (dict(G.degree), dict(G.degree(weight="weight"))),
    "row": lambda G: dict(G[next(iter(G))]),
    "edge": lambda G: (G.number_of_edges(1, 2), G.has_edge(1, 2), G.get_edge_data(1, 2)),
    "weights": lambda G: G.size("weight"),
    "loops": lambda G: list(nx.selfloop_edges(G)),
    "subgraph": lambda G: everything(G.subgraph([1, 2, 3, 4]).copy()),
    "view": lambda G: list(G.copy(as_view=True).edges),
    "to_undirected": lambda G: everything(G.to_undirected()),
    "to_directed": lambda G: everything(G.to_directed()),
    "multigraph": lambda G: list(nx.MultiGraph(G).edges(data=True)),
    "again": lambda G: everything(type(G)(G) if not is_stored(G) else G.__class__(G)),
    "relabel": lambda G: everything(nx.relabel_nodes(G, {1: "one"})),
    "reversed": lambda G: G.is_directed() and everything(G.reverse()),
    "search": lambda G: list(nx.dfs_edges(G)),
    "json": lambda G: nx.node_link_data(G),
    "matrix": lambda G: nx.to_scipy_sparse_array(G).toarray().tolist(),
    "union": lambda G: everything(nx.compose(G, nx.path_graph(3, create_using=G.__class__))),
}


def _name(G):
    G.name = "some"
    G.graph["year"] = 1990


def _initialize(G):
    G.__init__([(1, 2), (2, 3)], color="red")


def _replace(G):
    G._adj = {}


EDITS = {
    "name": _name,
    "node attribute": lambda G: G.nodes[next(iter(G))].update(size=3),
    "set_node_attributes": lambda G: nx.set_node_attributes(G, 5, "size"),
    "add_node": lambda G: (G.add_node("new", size=1), G.add_node(3, size=2)),
    "add_nodes_from": lambda G: G.add_nodes_from([100, 3], size=1),
    "remove_node": lambda G: G.remove_node(next(iter(G))),
    "add_edge": lambda G: (G.add_edge(3, "x", weight=5), G.add_edge(3, 4, weight=8)),
    "add_weighted_edges_from": lambda G: G.add_weighted_edges_from([(3, 4, 1), (4, 99, 2)]),
    "remove_edge": lambda G: G.remove_edge(*next(iter(G.edges))),
    "attribute": lambda G: G[next(iter(G))][next(iter(G[next(iter(G))]))].update(weight=77),
    "set_edge_attributes": lambda G: nx.set_edge_attributes(G, 1, "cost"),
    "update": lambda G: G.update(edges=[(3, 3)], nodes=[1000]),
    "clear": lambda G: G.clear(),
    "clear_edges": lambda G: G.clear_edges(),
    "relabeled in place": lambda G: nx.relabel_nodes(G, {3: "three"}, copy=False),
    "create_using": lambda G: nx.path_graph(3, create_using=G),
    "initialized again": _initialize,
    "another dictionary": _replace,
    "freeze": nx.freeze,
}

COPIES = {
    "copy": lambda G: G.copy(),
    "pickle": lambda G: pickle.loads(pickle.dumps(G)),
    "deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("seed", [0, 6])
def test_dictionaries_are_those_of_networkx(kind, seed):
    for columns in ((), ("weight",), ("weight", "color")):
        G, H = pair(kind, seed, columns)
        assert is_stored(G) and everything(G.copy()) == everything(H.copy())
        assert is_stored(G)
        assert len(G.edges) == G.number_of_edges()
        assert not is_stored(G) and everything(G) == everything(H) and shared(G)
        assert G.is_directed() is False or G._succ is G._adj


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("name", QUICK)
def test_what_needs_no_dictionaries_of_edges(kind, name):
    G, H = pair(kind)
    assert QUICK[name](G) == QUICK[name](H)
    assert is_stored(G)
    assert everything(G) == everything(H)
    assert QUICK[name](G) == QUICK[name](H)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("name", READS)
def test_every_kind_of_read(kind, name):
    G, H = pair(kind, 1)
    assert READS[name](G) == READS[name](H)
    assert everything(G) == everything(H)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("name", EDITS)
def test_every_kind_of_edit(kind, name):
    G, H = pair(kind, 2)
    EDITS[name](G)
    EDITS[name](H)
    if name == "another dictionary":
        assert (G._adj, G._node) == (H._adj, H._node)
    else:
        assert everything(G) == everything(H)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("way", COPIES)
def test_copies_are_stored_and_independent(kind, way):
    G, H = pair(kind, 3)
    for graph in (G, H):
        graph.graph["list"] = [1]
        graph.nodes[next(iter(graph))]["size"] = 3
    copied, expected = COPIES[way](G), COPIES[way](H)
    assert is_stored(copied) and is_stored(G)
    for graph in (copied, expected):
        graph.nodes[next(iter(graph))]["size"] = 4
        graph.graph["list"].append(2)
    assert everything(copied) == everything(expected)
    assert everything(G) == everything(H)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_the_type_makes_graphs_of_networkx(kind):
    G, H = pair(kind)
    for graph in (type(G)(), type(G)([(1, 2), (2, 1)], name="other"), type(G)(H, color="red")):
        assert type(graph) is kind
    assert everything(type(G)(H)) == everything(kind(H)) and is_stored(G)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_methods_that_were_looked_up_before_there_were_dictionaries(kind):
    """As by another thread, or by code that keeps a bound method."""
    G, H = pair(kind)
    names = "__len__", "__str__", "number_of_nodes", "order", "number_of_edges", "size"
    methods = {name: getattr(G, name) for name in names}
    copied, reduced = G.copy, G.__reduce__
    for graph in (G, H):
        graph.add_edges_from([(3, "new"), ("new", "newer")])
    assert {name: method() for name, method in methods.items()} == {
        name: getattr(H, name)() for name in names
    }
    assert everything(copied()) == everything(H.copy())
    function, arguments, state = reduced()[:3]
    restored = function(*arguments)
    restored.__dict__.update(state)
    assert everything(restored) == everything(H)


def test_a_shallow_copy_shares_dictionaries():
    G, _ = pair(nx.Graph)
    H = copy.copy(G)
    H.add_edge(1, "new")
    assert G.has_edge(1, "new")


def test_pickles_have_no_attribute_that_is_made_again():
    G, H = pair(nx.Graph)
    assert len(G.nodes) == len(H)  # a view, which belongs to its graph
    again = pickle.loads(pickle.dumps(G))
    again.add_node("new")
    assert "new" in again.nodes and "new" not in G


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_random_histories(kind):
    for seed in range(25):
        rng = np.random.default_rng(seed)
        G, H = pair(kind, seed % 5)
        for _ in range(4):
            table = [QUICK, READS, EDITS, COPIES][rng.integers(4)]
            name = rng.choice([*table])
            if name in ("freeze", "another dictionary", "clear", "relabeled in place"):
                continue
            try:
                expected = table[name](H)
            except (nx.NetworkXError, KeyError, StopIteration) as error:
                with pytest.raises(type(error)):
                    table[name](G)
                break
            answer = table[name](G)
            if table is COPIES:
                G, H = answer, expected
            elif table is not EDITS:
                assert answer == expected, (seed, name)
        assert everything(G) == everything(H), seed


def test_graphs_are_garbage_as_others():
    G, _ = pair(nx.Graph)
    nx.pagerank(G, backend="gascl")
    reference = weakref.ref(G)
    del G
    gc.collect()
    assert reference() is None


# --- in calls ---


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_calls_read_the_arrays(kind):
    G, H = pair(kind, 4)
    source = next(iter(G))
    for call in (
        lambda G: nx.pagerank(G, weight="weight", backend="gascl"),
        lambda G: nx.single_source_dijkstra_path_length(G, source, backend="gascl"),
        lambda G: nx.single_source_shortest_path(G, source, backend="gascl"),
        lambda G: nx.ancestors(G, source, backend="gascl"),
        lambda G: list(nx.bfs_edges(G, source, reverse=True, backend="gascl")),
        lambda G: nx.to_numpy_array(G, weight="weight", backend="gascl").tolist(),
    ):
        assert call(G) == call(H)
    assert is_stored(G)
    with pytest.raises(NotImplementedError):
        nx.pagerank(G, weight="color", backend="gascl")


def test_calls_by_themselves_read_the_arrays(monkeypatch):
    """Also where the backend looks at the graph to decide, and where NetworkX would make the first
    items."""
    from gascl.nx.dispatch import FUNCTIONS

    pairs = list(nx.gnm_random_graph(900, 12_000, seed=1).edges)
    G, H = nx.from_edgelist(pairs, backend="gascl"), nx.from_edgelist(pairs)
    assert is_stored(G)
    for name, arguments in {
        "bfs_edges": (0,),
        "single_source_shortest_path_length": (0,),
        "is_connected": (),
        "is_bipartite": (),
        "connected_components": (),
        "core_number": (),
    }.items():
        monkeypatch.setattr(FUNCTIONS[name], "cached", 0)
        assert backend.can_run(name, (G, *arguments), {}) is True
        taken = backend.should_run(name, (G, *arguments), {})
        assert is_stored(G), name
        with nx.config(backend_priority=["gascl"]):
            answer = getattr(nx, name)(G, *arguments)
            answer = answer if isinstance(answer, bool | dict) else list(answer)
        expected = getattr(nx, name)(H, *arguments)
        assert answer == (expected if isinstance(expected, bool | dict) else list(expected))
        assert taken is True or taken.startswith("NetworkX") or name == "is_bipartite"
        if taken is True:
            assert is_stored(G), name
        else:  # NetworkX has run it
            G = nx.from_edgelist(pairs, backend="gascl")
    for directed in (None, nx.DiGraph):
        cycle = [(node, (node + 1) % 12_000) for node in range(12_000)]
        C = nx.from_edgelist(cycle, create_using=directed, backend="gascl")
        monkeypatch.setattr(FUNCTIONS["is_eulerian"], "cached", 0)
        with nx.config(backend_priority=["gascl"]):
            assert nx.is_eulerian(C) is True
        assert is_stored(C)
    D = nx.from_edgelist(pairs, create_using=nx.DiGraph, backend="gascl")
    for name in ("is_weakly_connected", "is_strongly_connected", "is_attracting_component"):
        backend.should_run(name, (D,), {})
    assert is_stored(D)


def test_the_conversion_stays_when_dictionaries_are_made():
    for used_before in (False, True):
        G, H = pair(nx.Graph, 1)
        if used_before:
            nx.pagerank(G, backend="gascl")
        assert len(G.edges) == G.number_of_edges()
        kept = backend.convert_from_nx(G).topology
        assert kept.is_read
        assert nx.pagerank(G, backend="gascl") == nx.pagerank(H, backend="gascl")
        assert backend.convert_from_nx(G).topology is kept
        u, v = next((u, v) for u, v in G.edges if u != v)
        for graph in (G, H):
            graph[u][v]["weight"] = 1000.0
        assert nx.pagerank(G, backend="gascl") == nx.pagerank(H, backend="gascl")
        for graph in (G, H):
            graph.add_edge(u, "new")
        assert nx.triangles(G, backend="gascl") == nx.triangles(H)


def test_threads_that_ask_while_dictionaries_are_made():
    """Calls compare the graph with what was noted when its dictionaries were made."""
    pairs = list(nx.gnm_random_graph(900, 12_000, seed=1).edges)
    G, H = (nx.from_edgelist(pairs, backend=name) for name in ("gascl", "networkx"))
    expected = nx.degree_centrality(G, backend="gascl")
    assert expected == nx.degree_centrality(H) and is_stored(G)
    found = []
    look = Topology.look

    def late(topology, graph, nodes):
        call = threading.Thread(
            target=lambda: found.append(nx.degree_centrality(G, backend="gascl") == expected)
        )
        call.start()
        call.join(20)
        look(topology, graph, nodes)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Topology, "look", late)
        assert list(G.edges) == list(H.edges)
    assert found == [True] and not is_stored(G)


def test_nothing_is_kept_without_networkxs_cache():
    with nx.config(cache_converted_graphs=False):
        G, _ = pair(nx.Graph)
        assert len(G.edges) == G.number_of_edges()
    assert G.__networkx_cache__ == {}
    G, _ = pair(nx.Graph)
    G.__networkx_cache__ = None
    assert len(G.edges) == G.number_of_edges()
    assert G.__networkx_cache__ is None


# --- gascl's own graphs ---


@pytest.mark.parametrize("directed", [False, True])
def test_lazy_copies_of_gascls_graphs(directed):
    src, dst = np.array([0, 2, 2, 1, 4]), np.array([1, 0, 2, 3, 2])
    fields = {"weight": np.array([1.5, 2, 3, 4, 5]), "kind": ["a", "b", "a", "b", "c"]}
    graph = gascl.Graph(src, dst, 6, directed=directed, edge_fields=fields)
    graph = graph.with_vertex_fields(size=np.arange(6))
    lazy, eager = graph.to_networkx(lazy=True), graph.to_networkx()
    assert is_stored(lazy)
    assert everything(lazy) == everything(eager)


def test_multigraphs_are_copied_at_once():
    graph = gascl.Graph(np.array([0, 0]), np.array([1, 1]), 2, directed=False)
    assert type(graph.to_networkx(lazy=True)) is nx.MultiGraph
    with pytest.raises(gascl.GraphError, match="multigraph=False"):
        graph.to_networkx(lazy=True, multigraph=False)
    graph = gascl.Graph(np.array([0]), np.array([1]), 2, directed=False)
    assert type(graph.to_networkx(lazy=True, multigraph=True)) is nx.MultiGraph


#: Graphs made of others.
DERIVED = {
    "reverse": lambda G, **own: nx.reverse(G, **own),
    "complement": lambda G, **own: nx.complement(G, **own),
    "texts for numbers": lambda G, **own: nx.relabel_nodes(G, str, **own),
    "two nodes": lambda G, **own: nx.relabel_nodes(G, {1: "one", 2: 1.5, 99: "none"}, **own),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("derive", DERIVED)
@pytest.mark.parametrize("columns", [(), ("weight",)], ids=repr)
def test_graphs_made_of_others_are_stored(derive, kind, columns, monkeypatch):
    monkeypatch.setattr(loader, "LEAST", 0)
    if derive == "reverse" and kind == "graph":
        return
    G, H = pair(KINDS[kind], columns=columns)
    for each in (G, H):
        each.graph["names"] = ["a", "list"]
        each.nodes[3]["seen"] = [1]
    found, expected = DERIVED[derive](G, backend="gascl"), DERIVED[derive](H)
    assert is_stored(found) and is_stored(G)
    assert everything(found) == everything(expected)
    assert shared(found)
    names, lists = expected.graph.get("names"), [record for _, record in expected.nodes(data=True)]
    assert (found.graph.get("names") is G.graph["names"]) is (names is H.graph["names"])
    assert any(record.get("seen") is H.nodes[3]["seen"] for record in lists) is any(
        record.get("seen") is G.nodes[3]["seen"] for _, record in found.nodes(data=True)
    )


def test_graphs_with_few_edges_made_of_others_have_dictionaries():
    for kind in KINDS.values():
        for graph in pair(kind, columns=()):
            assert type(nx.relabel_nodes(graph, str, backend="gascl")) is kind


def test_what_arrays_do_not_hold_is_left_to_networkx():
    stored, plain = pair(nx.DiGraph)
    for graph, make in [
        (stored, nx.reverse),  # texts, of which NetworkX makes deep copies
        (plain, nx.reverse),
        (plain, lambda G, **own: nx.relabel_nodes(G, str, **own)),
        (stored, lambda G, **own: nx.relabel_nodes(G, dict.fromkeys(G, 0), **own)),
    ]:
        with pytest.raises(NotImplementedError):
            make(graph, backend="gascl")
