"""Sums of integers and floats have NetworkX's types; members of sets that cannot be nodes."""

import networkx as nx
import pytest


def both(name, *args, **kwargs):
    return [getattr(nx, name)(*args, backend=b, **kwargs) for b in ("networkx", "gascl")]


@pytest.mark.parametrize("make", [nx.Graph, nx.DiGraph, nx.MultiGraph])
@pytest.mark.parametrize("nodes", [{1}, {3}, {1, 2}, {2, 3}, {4}])
def test_types_of_sums(make, nodes):
    G = make([(1, 2, {"weight": 2}), (2, 3, {"weight": 2.5}), (3, 1), (3, 4, {"weight": 4.0})])
    rest = set(G) - nodes
    for name, args in (
        ("cut_size", (nodes, rest)),
        ("volume", (nodes,)),
        ("edge_expansion", (nodes, rest)),
    ):
        one, other = both(name, G, *args, weight="weight")
        assert (one, type(one)) == (other, type(other))
    if not G.is_multigraph():
        found = [
            {d["weight"]: type(d["weight"]) for _, _, d in each.edges(data=True)}
            for each in both("quotient_graph", G, [nodes, rest])
        ]
        assert found[0] == found[1]


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("node_expansion", ([1, [2]],)),
        ("group_degree_centrality", ([1, [2]],)),
        ("cut_size", ([1], [[2]])),
        ("edge_expansion", ([1], [[2]])),
    ],
)
def test_members_that_cannot_be_nodes(name, args):
    for backend in ("networkx", "gascl"):
        with pytest.raises(TypeError, match="unhashable type: 'list'"):
            getattr(nx, name)(nx.path_graph(4), *args, backend=backend)
