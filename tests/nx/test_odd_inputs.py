"""Every function against NetworkX's own on graphs as users make them by accident: values, types,
errors, orders and warnings."""

import copy
import pickle
import warnings
from decimal import Decimal
from fractions import Fraction
from functools import cache

import networkx as nx
import numpy as np
import pytest
from support.backend_answers import DECLINED, agree, outcome, public
from support.backend_cases import calls
from support.case_subsets import thinned

from gascl.nx.backend import FUNCTIONS  # having registered all

NAMES = sorted(name for name, function in FUNCTIONS.items() if not function.random)

#: What an edge may have in the place of a number.
WEIGHTS = {
    "numpy int64": np.int64,
    "numpy float64": lambda n: np.float64(n / 2),
    "numpy float32": lambda n: np.float32(n / 3),
    "numpy int8": lambda n: np.int8(25 * n),
    "numpy bool": lambda n: np.bool_(n % 2),
    "bool": lambda n: bool(n % 2),
    "fraction": lambda n: Fraction(n, 3),
    "decimal": lambda n: Decimal(n) / 2,
    "complex": lambda n: complex(n, 1),
    "text": str,
    "none": lambda n: None if n == 3 else n,
    "list": lambda n: [n],
    "array": lambda n: np.array(n) if n == 3 else n,
    "huge": lambda n: 2**60 + n,
    "beyond": lambda n: 2**70 * n,
    "infinite": lambda n: float("inf") if n == 3 else n,
    "not a number": lambda n: float("nan") if n == 3 else n,
    "tiny": lambda n: 1e-300 * n,
    "some": lambda n: n if n % 2 else 0,
}


class OwnGraph(nx.Graph):
    """A subclass, as users have."""


class OwnDiGraph(nx.DiGraph):
    """The same."""


class Place:
    """A node that is equal to others of its kind only by identity."""


def base(kind, weight=lambda n: n):
    """A connected graph with a cut-off part; numbers from 1 to 5 by weight."""
    G = kind()
    ends = [(3, 1), (1, 4), (4, 3), (4, 5), (5, 9), (9, 2), (2, 6), (6, 5), (0, 8), (1, 2)]
    for place, (u, v) in enumerate(ends):
        G.add_edge(u, v, weight=weight(1 + place % 5))
    G.add_node(7)
    return G


def relabeled(kind, node):
    return nx.relabel_nodes(base(kind), {n: node(n) for n in range(10)})


def edited(kind):
    """Nodes and edges removed and added again, which changes their order."""
    G = base(kind)
    G.remove_node(4)
    G.add_edges_from([(4, 3), (5, 4)])
    G.remove_edge(6, 5)
    G.add_edge(5, 6, weight=2, color="red")
    return G


@cache
def odd(directed):
    """Odd graphs by name."""
    kind, own = (nx.DiGraph, OwnDiGraph) if directed else (nx.Graph, OwnGraph)
    objects = [Place() for _ in range(10)]
    graphs = {
        **{f"weights: {name}": base(kind, weight) for name, weight in WEIGHTS.items()},
        "nodes: numpy": relabeled(kind, np.int64),
        "nodes: numpy texts": relabeled(kind, lambda n: np.str_(n)),
        "nodes: floats": relabeled(kind, float),
        "nodes: not a number": relabeled(kind, lambda n: float("nan") if n == 4 else n),
        "nodes: a bool": relabeled(kind, lambda n: bool(n) if n < 2 else n),
        "nodes: tuples": relabeled(kind, lambda n: (n, str(n))),
        "nodes: tuples in tuples": relabeled(kind, lambda n: ((n,), frozenset([n]))),
        "nodes: objects": relabeled(kind, objects.__getitem__),
        "nodes: empty text": relabeled(kind, lambda n: "" if n == 4 else str(n)),
        "edited": edited(kind),
        "frozen": nx.freeze(base(kind)),
        "subclass": base(own),
        "copied": copy.copy(base(kind)),
        "copied deeply": copy.deepcopy(base(kind)),
        "pickled": pickle.loads(pickle.dumps(base(kind))),
        "view": base(kind).subgraph([3, 1, 4, 5, 9]),
        "filtered": nx.restricted_view(base(kind), [9], [(1, 2)]),
        "edges": base(kind).edge_subgraph([(3, 1), (4, 5), (0, 8)]),
        "other direction": base(nx.DiGraph).to_undirected(as_view=True),
        "many edges": base(nx.MultiDiGraph if directed else nx.MultiGraph, np.int64),
    }
    if directed:
        graphs["other direction"] = base(kind).reverse(copy=False)
    return graphs


def warned(function, *arguments, **keywords):
    """The outcome, and the warnings."""
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        found = outcome(function, *arguments, **keywords)
    # Both divide by 0 here and there, but not by the same function of NumPy.
    own = {(each.category, str(each.message)) for each in shown}
    return found, {each for each in own if each[0] is not RuntimeWarning}


def disagreements(name, directed):
    for label, G in odd(directed).items():
        for arguments, keywords in calls(name, G)[:2]:
            seed = {"seed": 5} if "seed" in FUNCTIONS[name].parameters else {}
            function = public(name)
            found, ours = warned(function, G, *arguments, backend="gascl", **seed, **keywords)
            if isinstance(found, str) and found == DECLINED:
                continue
            expected, theirs = warned(function, G, *arguments, **seed, **keywords)
            if not agree(name, G, expected, found) or ours != theirs:
                shown = str(expected)[:300], str(found)[:300]
                yield (label, arguments, keywords, *shown, theirs, ours)


@pytest.mark.parametrize(("name", "directed"), thinned(NAMES, [False, True], by=8))
def test_odd_graphs(name, directed):
    assert list(disagreements(name, directed)) == []
