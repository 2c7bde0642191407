"""Every function against NetworkX's own: values, types, exceptions and their texts, and the order
of what has one. On graphs of all four kinds, with loops, parallel edges, mixed nodes, and weights
that are whole, missing, 0 or below; and, marked slow, on graphs of 530 and of 5,000 nodes, where
searches go in several rounds. .ci/run runs these, too."""

import math
from functools import cache

import networkx as nx
import numpy as np
import pytest
from networkx.algorithms import bipartite
from networkx.utils.backends import _registered_algorithms
from support import backend_cases
from support.backend_cases import KINDS, ONE_BY_ONE, QUADRATIC, SCORES, SIGNED, calls
from support.thinned import thinned

from gascl.nx.backend import FUNCTIONS  # having registered all

small = cache(backend_cases.small)
large = cache(backend_cases.large)

#: The order of these is NetworkX's.
ORDERED = {
    *("bfs_edges", "bfs_layers", "bfs_predecessors", "bfs_successors", "bfs_tree"),
    *("single_source_shortest_path", "single_target_shortest_path", "single_source_dijkstra"),
    *("single_source_dijkstra_path", "multi_source_dijkstra", "connected_components"),
    *("weakly_connected_components", "core_number", "onion_layers", "pagerank", "triangles"),
    *("katz_centrality", "harmonic_centrality", "isolates", "periphery", "center", "barycenter"),
    "centroid",
    *("betweenness_centrality", "edge_betweenness_centrality", "rich_club_coefficient"),
}

#: These are sets of sets for NetworkX's users, who are promised no order.
UNORDERED = {
    "strongly_connected_components",
    "kosaraju_strongly_connected_components",
    "attracting_components",
}

#: What stands for an answer that is left to NetworkX.
DECLINED = "declined"


def outcome(function, *arguments, **keywords):
    """What a call returns, iterators as lists, or the error."""
    try:
        found = function(*arguments, **keywords)
    except Exception as error:
        own = isinstance(error, NotImplementedError) and not isinstance(error, nx.NetworkXException)
        return DECLINED if own and "backend" in keywords else (type(error), str(error))
    try:  # it is too late to decline now
        return list(found) if hasattr(found, "__next__") else found
    except Exception as error:
        return type(error), str(error)


def same(left, right, ordered):
    """Equal, floats within rounding, and of one type."""
    if isinstance(left, float) and isinstance(right, int | float):
        near = math.isclose(left, right, rel_tol=1e-8, abs_tol=1e-12)
        return near or (math.isnan(left) and math.isnan(right))
    if type(left) is not type(right):
        return isinstance(left, int) and left == right  # mixed weights: 2 and 2.0
    if isinstance(left, nx.Graph):
        return nx.utils.graphs_equal(left, right)
    if isinstance(left, dict):
        if left.keys() != right.keys() or (ordered and list(left) != list(right)):
            return False
        return all(same(left[key], right[key], ordered) for key in left)
    if isinstance(left, list | tuple):
        return len(left) == len(right) and all(
            same(a, b, ordered) for a, b in zip(left, right, strict=True)
        )
    if hasattr(left, "toarray"):
        return same(left.toarray(), right.toarray(), ordered)
    if isinstance(left, np.ndarray):
        return left.dtype == right.dtype and np.array_equal(left, right)
    return bool(left == right)


def public(name):
    """NetworkX's function as its users call it."""
    if name in ("color", "sets"):
        return getattr(bipartite, name)
    return getattr(nx, name, None) or _registered_algorithms[name]


def disagreement(name, G, arguments, keywords):
    """Both outcomes, shortened, if they differ; and whether gascl gave a value."""
    function = public(name)
    found = outcome(function, G, *arguments, backend="gascl", **seeded(name), **keywords)
    if isinstance(found, str) and found == DECLINED:
        return None, False
    expected = outcome(function, G, *arguments, **seeded(name), **keywords)
    shown = str(expected)[:200], str(found)[:200]
    answered = not (isinstance(found, tuple) and found and isinstance(found[0], type))
    if name in UNORDERED and isinstance(expected, list):
        expected, found = (sorted(map(sorted_text, sets)) for sets in (expected, found))
    if name == "hits" and isinstance(expected[0], dict):
        agreed = undecided(G) or near(expected, found)
    else:
        agreed = same(expected, found, name in ORDERED)
    return None if agreed else shown, answered


def check(name, cases):
    """Compare the calls on graphs by name; returns how many were answered, and not declined."""
    wrong, answers = [], 0
    for label, G, arguments, keywords in cases:
        differ, answered = disagreement(name, G, arguments, keywords)
        answers += answered
        if differ:
            wrong.append((label, G, arguments, keywords, *differ))
    assert not wrong, wrong[:3]
    return answers


def id_of(value):
    return value if isinstance(value, str) else "-".join(kind.__name__ for kind in value)


#: A simple kind and one with parallel edges, one of them directed.
SOME_KINDS = [(nx.Graph, nx.MultiDiGraph), (nx.DiGraph, nx.MultiGraph)]


@pytest.mark.parametrize(("name", "kinds"), thinned(sorted(FUNCTIONS), SOME_KINDS), ids=id_of)
def test_answers_are_those_of_networkx(name, kinds):
    def on(kinds):
        return (
            (label, G, *call)
            for kind in kinds
            for label, G in small(kind).items()
            for call in calls(name, G)[: None if label in ("sparse", "dense") else 2]
        )

    # Of a function that declines all calls, nothing would be known.
    assert check(name, on(kinds)) or check(name, on(kind for kind in KINDS if kind not in kinds))


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_answers_on_large_graphs(name):
    count = 60 if name in ONE_BY_ONE else 530 if name in QUADRATIC else 5_000
    assert check(
        name,
        (
            (label, G, *call)
            for kind in KINDS
            for label, G in large(kind, count).items()
            # An undirected edge of negative length is a cycle, for which NetworkX takes a minute.
            if label in ("large", "ring") or (name in SIGNED and G.is_directed())
            for call in calls(name, G)[: 2 if label == "large" and name not in SCORES else 1]
        ),
    )


def seeded(name):
    """A new generator for each call, so that both draw the same."""
    return {"seed": 5} if "seed" in FUNCTIONS[name]._signature.parameters else {}


def sorted_text(nodes):
    return sorted(map(repr, nodes))


def near(expected, found):
    """Whether the vectors are alike; NetworkX's sign is random where they are not normalized."""
    pairs = zip(expected, found, strict=True)
    return all(abs(abs(a[node]) - b[node]) < 1e-9 for a, b in pairs for node in a)


def undecided(G):
    """Whether the two largest singular values are about equal: any mixture of their vectors is an
    answer then, and NetworkX's is random."""
    if len(G) < 3:
        return True
    values = np.linalg.svd(nx.to_numpy_array(G), compute_uv=False)
    return values[0] < 1.02 * values[1]
