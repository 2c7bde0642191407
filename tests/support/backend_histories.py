"""Random histories of a graph: it changes, is copied and is looked at through views, and after each
step a function answers, with the backend and without."""

import contextlib
import copy
import pickle
import random
import warnings
from unittest.mock import patch

import networkx as nx
import numpy as np
from support.backend_answers import DECLINED, agree, outcome, public
from support.backend_cases import KINDS, WEIGHTS, calls, made

from gascl.nx.backend import FUNCTIONS, backend

#: Random answers are gascl's own.
NAMES = sorted(name for name, function in FUNCTIONS.items() if not function.random)

#: Weights that NetworkX computes with by rules of their own, or that a float cannot hold.
ODD_WEIGHTS = {
    "bool": lambda draw: draw.random() < 0.5,
    "numpy bool": lambda draw: np.bool_(draw.random() < 0.5),
    "float64": lambda draw: np.float64(draw.random()),
    "float32": lambda draw: np.float32(draw.random()),
    "float16": lambda draw: np.float16(draw.random()),
    "int64": lambda draw: np.int64(draw.randint(0, 9)),
    "int8": lambda draw: np.int8(draw.randint(1, 100)),
    "uint8": lambda draw: np.uint8(draw.randint(1, 200)),
    "uint64": lambda draw: np.uint64(draw.randint(1, 200)),
    "beside floats": lambda draw: draw.choice([2**53 - 1, 2**53 + 1, 2, 0.5]),
    "beside 1": lambda draw: draw.choice([None, 0.5, 2**53 - 1]),
    "huge": lambda draw: draw.choice([10**30, 1, 0.5]),
    "huge floats": lambda draw: draw.choice([1e308, 1.0]),
    "tiny": lambda draw: draw.choice([5e-324, 1e-300, 1.0]),
    "not finite": lambda draw: draw.choice([float("inf"), float("nan"), 1.0]),
    "negative": lambda draw: draw.choice([-1, 0, 2]),
    "negative floats": lambda draw: draw.choice([-0.5, -0.0, 2.0]),
    "any": lambda draw: draw.choice([*WEIGHTS.values(), *ODD_WEIGHTS.values()])(draw),
}
ALL_WEIGHTS = {**WEIGHTS, **ODD_WEIGHTS}


def changed(G, draw):
    """A change by a method, or by hand: of edges, their order, and attributes."""
    nodes = list(G)
    if not nodes:
        G.add_node(0)
        return
    u, v, new = draw.choice(nodes), draw.choice(nodes), ("new", draw.randrange(99))
    edges = list(G.edges)

    def by_hand(tail, head):
        record = {} if draw.random() < 0.5 else {"weight": 2}
        G._adj[tail][head] = {0: record} if G.is_multigraph() else record
        (G._pred if G.is_directed() else G._adj)[head][tail] = G._adj[tail][head]

    def no_longer(tail, head):
        del G._adj[tail][head]
        rows = G._pred if G.is_directed() else G._adj
        rows[head].pop(tail, None)

    def moved_to_the_end(tail, head):
        G._adj[tail][head] = G._adj[tail].pop(head)

    def set_by_hand(edge):
        record = G.edges[edge]
        if draw.random() < 0.2:
            record.pop("weight", None)
        else:
            record["weight"] = draw.choice([1, 0.5, 3, record.get("weight", 1)])

    def set_at_nodes():
        for node in draw.sample(nodes, draw.randint(1, len(nodes))):
            G.nodes[node].update(group=draw.randint(0, 2), size=draw.randint(0, 2))

    def add_until_it_fails():
        with contextlib.suppress(nx.NetworkXError, TypeError):
            G.add_edges_from([(u, new), (u,)])

    choices = [
        lambda: G.add_node(new),
        lambda: G.remove_node(u),
        lambda: G.add_edge(u, v, weight=draw.choice([1, 0.5, 3])),
        lambda: G.add_edge(u, new),
        lambda: G.add_weighted_edges_from([(u, v, 2), (v, new, 1)]),
        lambda: nx.set_edge_attributes(G, draw.randint(1, 3), "weight"),
        lambda: nx.relabel_nodes(G, {u: new}, copy=False),
        lambda: G.update([(new, u)], [new]),
        set_at_nodes,
        G.clear_edges,
        add_until_it_fails,
    ]
    if edges:
        edge = draw.choice(edges)
        choices += 3 * [lambda: G.remove_edge(*edge)]
        choices += [lambda: G.remove_edges_from(edges[::3])]
        choices += 2 * [lambda: no_longer(*edge[:2])] + 3 * [lambda: set_by_hand(edge)]
        choices += [lambda: moved_to_the_end(*edge[:2])]
    if not G.has_edge(u, v):
        choices += 2 * [lambda: by_hand(u, v)]
    draw.choice(choices)()


def shown(G, draw):
    """A view of a graph."""
    nodes = set(draw.sample(list(G), len(G) * 2 // 3))
    edges = set(draw.sample(list(G.edges), G.number_of_edges() // 2))
    views = [
        lambda: G.subgraph(nodes),
        lambda: G.copy(as_view=True),
        lambda: G.to_directed(as_view=True),
        lambda: G.to_undirected(as_view=True),
        lambda: G.edge_subgraph(edges),
        lambda: nx.restricted_view(G, list(nodes)[:2], list(edges)[:2]),
        lambda: nx.subgraph_view(G, filter_node=lambda node: node in nodes),
        lambda: nx.subgraph_view(G, filter_edge=lambda *edge: edge not in edges),
        lambda: G.reverse(copy=False) if G.is_directed() else G.copy(as_view=True),
        lambda: nx.freeze(G.copy()),
    ]
    return draw.choice(views)()


COPIES = [lambda G: pickle.loads(pickle.dumps(G)), copy.deepcopy, copy.copy]

#: The generators that NetworkX takes as `seed`; None: the global ones.
SEEDS = [random.Random, np.random.RandomState, np.random.default_rng, lambda seed: seed, None]


def drawn_after(seed):
    """What a generator draws next."""
    if seed is None:
        return random.random(), np.random.random()
    return None if isinstance(seed, int) else seed.random()


def answered(name, G, arguments, keywords, make_seed, **how):
    """The outcome of a call, the kinds of its warnings, and what its generator draws next."""
    takes_seed = "seed" in FUNCTIONS[name].parameters
    random.seed(7)
    np.random.seed(7)
    seed = make_seed and make_seed(7)
    if takes_seed:
        keywords = {**keywords, "seed": seed}
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        found = outcome(public(name), G, *arguments, **keywords, **how)
    next_draw = drawn_after(seed) if takes_seed else None
    return found, {warning.category for warning in given}, next_draw


def history(seed, steps=5):
    """What went wrong in a history, as text; "" if nothing did."""
    draw = random.Random(seed)
    kind, weights = draw.choice(KINDS), draw.choice([*ALL_WEIGHTS, *ODD_WEIGHTS])
    size = draw.randint(4, 14)
    G = made(kind, size, draw.randint(0, 3 * size), ALL_WEIGHTS[weights], seed, draw.random() < 0.5)
    told = [f"{kind.__name__} {weights}"]
    # the same few, so that they are cached
    names, view = draw.sample(NAMES, 2), None
    for _ in range(steps):
        at = draw.random()
        if at < 0.4:
            for _ in range(draw.randint(1, 2)):
                changed(G, draw)
            told.append("changed")
        elif at < 0.5:
            turn = draw.randrange(len(COPIES))
            G, view = COPIES[turn](G), None
            told.append(f"copied {turn}")
        if view is None or draw.random() < 0.2:
            view = shown(G, draw)
        for name in names:
            of, label = draw.choice([(G, "graph"), (view, "view")])
            try:
                chosen = calls(name, of)
            except Exception:  # a view that cannot be listed
                continue
            arguments, keywords = draw.choice(chosen)
            make_seed, mode = draw.choice(SEEDS), draw.choice(["on request", "by itself"])
            expected = answered(name, of, arguments, keywords, make_seed)
            if mode == "on request":
                found = answered(name, of, arguments, keywords, make_seed, backend="gascl")
            else:
                priority = {"algos": ["gascl"], "generators": ["gascl"], "classes": []}
                with (
                    patch.object(type(backend), "should_run", lambda *_: True),
                    nx.config(backend_priority=priority),
                ):
                    found = answered(name, of, arguments, keywords, make_seed)
            told.append(f"{name} {mode} of {label}")
            wrong = differences(name, of, expected, found)
            if wrong:
                call = f"{name}(*{arguments}, **{keywords})"
                return f"{seed}: {told}\n{call}: {wrong}\n{str(expected)[:300]}\n{str(found)[:300]}"
    return ""


def differences(name, G, expected, found):
    """What differs, as text."""
    if isinstance(found[0], str) and found[0] == DECLINED:
        return ""
    wrong = []
    if not agree(name, G, expected[0], found[0]):
        wrong.append("answer")
    if found[1] - expected[1]:
        wrong.append("warnings")
    if found[2] != expected[2]:
        wrong.append("generator")
    return ", ".join(wrong)
