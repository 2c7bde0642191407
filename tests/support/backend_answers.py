"""The answers of NetworkX's functions, compared: values, types, order, exceptions and texts."""

import math
from collections.abc import ValuesView

import networkx as nx
import numpy as np
import pytest
from networkx.algorithms import bipartite

from gascl.nx.backend import FUNCTIONS  # having registered all

backends = pytest.importorskip("networkx.utils.backends")  # NetworkX 3.2 and newer

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
        listed = hasattr(found, "__next__") or isinstance(found, ValuesView)
        return list(found) if listed else found
    except Exception as error:
        return type(error), str(error)


def same(left, right, ordered):
    """Equal, floats within rounding, and of one type, but for NumPy's float64, which is a float."""
    if isinstance(left, float) and isinstance(right, float):
        near = math.isclose(left, right, rel_tol=1e-8, abs_tol=1e-12)
        return near or (math.isnan(left) and math.isnan(right))
    # A graph that is stored as arrays has a class of its own, but says that it is NetworkX's.
    kinds = [each.__class__ if isinstance(each, nx.Graph) else type(each) for each in (left, right)]
    if kinds[0] is not kinds[1]:
        return type(left) is int and type(right) is float and left == right  # mixed weights
    if isinstance(left, nx.Graph):
        if any("nnodes" in data for data in left.nodes.values()):  # of a quotient, with float sums
            return same(*(contents(graph) for graph in (left, right)), ordered)
        same_order = not ordered or (list(left), list(left.edges)) == (
            list(right),
            list(right.edges),
        )
        return same_order and nx.utils.graphs_equal(left, right)
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
        return left.dtype == right.dtype and np.allclose(left, right, rtol=1e-12, equal_nan=True)
    return bool(left == right or (left != left and right != right))  # NaN of other types


def contents(graph):
    """Nodes and edges with their data."""
    return [list(graph.nodes(data=True)), list(graph.edges(data=True))]


#: Dictionaries in another order than NetworkX's, as docs/networkx.md says.
OTHER_ORDER = {
    *("color", "goldberg_radzik", "generalized_degree"),
    *(name for name in FUNCTIONS if "bellman_ford" in name or name.endswith("path_length")),
}


def agree(name, G, expected, found):
    """Whether an answer is NetworkX's."""
    if name == "hits" and all(isinstance(answer[0], dict) for answer in (expected, found)):
        return undecided(G) or near(expected, found)
    return same(expected, found, name not in OTHER_ORDER)


def public(name):
    """NetworkX's function as its users call it."""
    if name in ("color", "sets"):
        return getattr(bipartite, name)
    return getattr(nx, name, None) or backends._registered_algorithms[name]


def near(expected, found):
    """Whether the vectors are alike; NetworkX's sign is random where they are not normalized."""
    for left, right in zip(expected, found, strict=True):
        left, right = np.abs([*left.values()]), np.abs([*right.values()])
        if not np.allclose(left, right, rtol=0, atol=1e-9 * max(1, left.max())):
            return False
    return True


def undecided(G):
    """Whether the two largest singular values are about equal: any mixture of their vectors is an
    answer then, and NetworkX's is random."""
    if len(G) < 3:
        return True
    values = np.linalg.svd(nx.adjacency_matrix(G, dtype=float).toarray(), compute_uv=False)
    return values[0] < 1.02 * values[1]
